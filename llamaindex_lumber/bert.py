"""BertChunker for LlamaIndex."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field

from llamaindex_lumber.fields import Named
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.bert.bert_chunker import BertChunker, Device
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.tokens import DEFAULT_TOKENIZER


class BertNodeParser(SpanNodeParser):
    """Cuts where the bundled classifier predicts that a chunk starts.

    The model finds topics far better than splitters by embedding distance do; `threshold=0` cuts at
    topics alone. In retrieval, its chunks are as good as those of `LayoutNodeParser`, which takes a
    fraction of the CPU time (docs/results.md).

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from llama_index.core import Document
        >>> parser = BertNodeParser(target_size=200)
        >>> (node,) = parser.get_nodes_from_documents([Document(text="Ann ran. She fell.")])
        >>> node.start_char_idx, node.end_char_idx
        (0, 18)
    """

    model: str = "bundled"
    """"bundled"; "large", which finds topics better at twenty times the cost; a folder written by
    `python -m lumber_training export`, a checkpoint in PyTorch (extra `torch`), or the Hugging Face
    ID of either (extra `hub`)."""

    target_size: int | None = None
    """Preferred length of chunks in tokens; a clear start or a heading outweighs a difference in
    size. None: 60 % of `chunk_size`. Not with a `threshold`."""

    chunk_size: ChunkSize = "auto"
    """Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in proportion to
    `target_size`; no limit with a `threshold`. None: no limit."""

    min_chunk_size: int | None = None
    """Minimum tokens in a chunk: smaller ones are merged with a neighbour that has room. None: no
    limit."""

    threshold: float | None = None
    """t_c of the paper: a chunk starts wherever the score is above it, at any size; higher values
    give fewer, longer chunks. None: chunks of about `target_size`, cut at the best places by
    score and layout; 0 with `paper`."""

    paper: bool = False
    """Split as in the paper: a chunk starts at any word whose score is above the `threshold`, and
    each window begins at the last start found. Needs a model that scores tokens, such as the
    large one."""

    units: Named = "sentences_and_lines"
    """Where chunks may start; see `LayoutNodeParser`."""

    merge_sections: bool = True
    """Whether a chunk of Markdown may hold the text of several sections."""

    tokenizer: Named = DEFAULT_TOKENIZER
    """Counts tokens; see `Chunker`."""

    language: str = "en"
    """ISO 639 code of the language, such as "en", to find sentences."""

    threads: int | None = Field(default=None, exclude=True)
    """Number of threads for an exported model. None: all available CPUs, up to 8."""

    device: Device | None = Field(default=None, exclude=True)
    """What a checkpoint in PyTorch runs on: "cpu", or "cuda", an NVIDIA GPU. None: a GPU if there
    is one. Exported models run on the CPU."""

    def _make_chunker(self) -> Chunker:
        return self._build(BertChunker)
