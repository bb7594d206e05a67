"""BertChunker for LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, TextNode

from llamaindex_lumber.base import Named, SpanNodeParser
from lumber_core.bert.chunker import Backend, BertChunker, Snap, WindowKind
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation


class BertNodeParser(SpanNodeParser):
    """Cuts where a small BERT that comes with the library says that a chunk starts.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type.
    """

    model: str = Field(
        default="bundled",
        description='"bundled", a folder written by lumber-splitters export or train, or a hub id.',
    )
    threshold: float = Field(
        default=0.0, description="t_c: higher gives fewer, longer nodes, lower gives more."
    )
    backend: Backend = Field(
        default="onnx", description='"onnx", or "torch" for checkpoints as they come.'
    )
    snap: Snap = Field(
        default="sentence",
        description='"sentence" lets nodes start at sentences only; None at any word.',
    )
    windows: WindowKind = Field(
        default="overlapping", description='"overlapping", or "moving" for the paper\'s.'
    )
    embed: bool = Field(
        default=False,
        description="Fill node.embedding by the bundled encoder, as LumberEmbedding would.",
    )
    tokenizer: Named = Field(
        default="words",
        description="Counts tokens for the limits; see lumber_core.tokens.token_counter.",
    )
    threads: int | None = Field(
        default=None,
        exclude=True,
        description="Windows scored at once; changes nothing of the result.",
    )

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return "BertNodeParser"

    def _make_chunker(self) -> Chunker:
        return BertChunker(
            self.model,
            threshold=self.threshold,
            backend=self.backend,
            snap=self.snap,
            windows=self.windows,
            threads=self.threads,
            tokenizer=self.tokenizer,
            language=self.language,
            chunk_size=self.chunk_size,
            min_chunk_size=self.min_chunk_size,
        )

    def _all_nodes(
        self,
        parents: Sequence[BaseNode],
        texts: Sequence[str],
        segmentations: Sequence[Segmentation],
    ) -> list[BaseNode]:
        nodes = super()._all_nodes(parents, texts, segmentations)
        if self.embed:
            chunks = [node for node in nodes if isinstance(node, TextNode)]
            embedder = TextEmbedder("bundled", threads=self.threads)
            vectors = embedder.embed([chunk.text for chunk in chunks])
            for chunk, vector in zip(chunks, vectors, strict=True):
                chunk.embedding = vector.tolist()
        return nodes
