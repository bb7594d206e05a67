"""BertChunker for LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from llama_index.core.schema import BaseNode, TextNode

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.settings import ParserSettings
from lumber_core.bert.chunker import BertChunker
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.settings import BertSettings, ModelName
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Chunk
from lumber_core.settings import Setting, from_settings


class BertNodeParserSettings(BertSettings, ParserSettings):
    """Settings of `BertNodeParser`."""

    model: ModelName = "bundled"
    embed: Annotated[
        bool,
        Setting("Set `node.embedding` with the bundled encoder, as `LumberEmbedding` would."),
    ] = False


if TYPE_CHECKING:

    class _Base(SpanNodeParser, BertNodeParserSettings): ...

else:
    _Base = with_settings(BertNodeParserSettings)


class BertNodeParser(_Base):
    """Cuts where the bundled BERT model predicts that a chunk starts.

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

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return "BertNodeParser"

    def _make_chunker(self, settings: BertSettings) -> Chunker:
        return from_settings(BertChunker, settings)

    def _all_nodes(
        self, parents: Sequence[BaseNode], split: Sequence[Sequence[Chunk]]
    ) -> list[BaseNode]:
        nodes = super()._all_nodes(parents, split)
        if self.embed:
            chunks = [node for node in nodes if isinstance(node, TextNode)]
            embedder = TextEmbedder("bundled", threads=self.threads)
            vectors = embedder.embed([chunk.text for chunk in chunks])
            for chunk, vector in zip(chunks, vectors, strict=True):
                chunk.embedding = vector.tolist()
        return nodes
