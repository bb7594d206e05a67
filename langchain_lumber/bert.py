"""BertChunker for LangChain."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import Never

from langchain_lumber.span_text_splitter import SpanTextSplitter
from lumber_core.bert.bert_chunker import BertChunker, Device
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec


class BertTextSplitter(SpanTextSplitter):
    """Cuts where the bundled classifier predicts that a chunk starts.

    The model finds topics far better than splitters by embedding distance do; `threshold=0` cuts at
    topics alone. In retrieval, its chunks are as good as those of `LayoutTextSplitter`, which takes
    a fraction of the CPU time (docs/results.md).

    `chunk_overlap`, `add_start_index`, `add_metadata`, `context`, `stable_ids`, `strip_whitespace`
    and `show_progress` are those of `SpanTextSplitter`.

    Args:
        model: "bundled"; "large", which finds topics better at twenty times the cost; a folder
            written by `python -m lumber_training export`, a checkpoint in PyTorch (extra `torch`),
            or the Hugging Face ID of either (extra `hub`).
        target_size: Preferred length of chunks in tokens; a clear start or a heading outweighs a
            difference in size. None: 60 % of `chunk_size`. Not with a `threshold`.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in
            proportion to `target_size`; no limit with a `threshold`. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        threshold: t_c of the paper: a chunk starts wherever the score is above it, at any size;
            higher values give fewer, longer chunks. None: chunks of about `target_size`, cut at the
            best places by score and layout; 0 with `paper`.
        paper: Split as in the paper: a chunk starts at any word whose score is above the
            `threshold`, and each window begins at the last start found. Needs a model that scores
            tokens, such as the large one.
        units: Where chunks may start; see `LayoutTextSplitter`.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.
        threads: Number of threads for an exported model. None: all available CPUs, up to 8.
        device: What a checkpoint in PyTorch runs on: "cpu", or "cuda", an NVIDIA GPU. None: a GPU
            if there is one. Exported models run on the CPU.
        length_function: LangChain's name for `tokenizer`: a function that counts tokens.
        **unknown: Any other setting raises a TypeError that names the nearest one here.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from langchain_core.documents import Document
        >>> splitter = BertTextSplitter(target_size=200, add_start_index=True)
        >>> [chunk] = splitter.split_documents([Document("Ann ran. She fell.")])
        >>> chunk.page_content, chunk.metadata["start_index"]
        ('Ann ran. She fell.', 0)
    """

    def __init__(
        self,
        model: str = "bundled",
        *,
        target_size: int | None = None,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        threshold: float | None = None,
        paper: bool = False,
        units: UnitSpec = "sentences_and_lines",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
        threads: int | None = None,
        device: Device | None = None,
        length_function: Callable[[str], int] | None = None,
        chunk_overlap: int = 0,
        add_start_index: bool = False,
        add_metadata: bool = False,
        context: bool = False,
        stable_ids: bool = False,
        strip_whitespace: bool = True,
        show_progress: bool = False,
        **unknown: Never,
    ) -> None:
        """Make the splitter: sizes are in tokens, and the class describes each setting."""
        self._start(BertChunker, locals())
