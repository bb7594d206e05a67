"""From spans to LlamaIndex nodes: what all node parsers here share."""

from __future__ import annotations

import copy
import pickle
from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any

from llama_index.core.bridge.pydantic import Field, PlainSerializer, PrivateAttr
from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode
from typing_extensions import Self

from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span


def _named(value: Any) -> Any:
    """Say in words what a setting is that has no value in JSON: it is part of cache keys."""
    if value is None or isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    return f"{value.__module__}.{name}" if name else repr(value)


Named = Annotated[Any, PlainSerializer(_named)]
"""A setting that may be an object of the user's: serialised as its name or `repr`."""


class SpanNodeParser(NodeParser):
    """A LlamaIndex node parser over a splitter of `lumber_core`.

    Nodes are slices of the text they come from: `text[start_char_idx:end_char_idx] == node.text`,
    where the text is that of the document a node refers to, also when the parser gets nodes that
    another parser made. Nodes never overlap, and together they are the whole text; a node of white
    space only is left out.
    """

    language: str = Field(default="en", description="ISO 639 code for finding sentences.")
    chunk_size: int | None = Field(
        default=None, description="No node counts more tokens. None sets no limit."
    )
    min_chunk_size: int | None = Field(
        default=None,
        description="Smaller nodes join a neighbour that has room. None sets no limit.",
    )

    _chunker: Chunker | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._chunker = self._make_chunker()

    @abstractmethod
    def _make_chunker(self) -> Chunker:
        """Build the splitter from the settings."""

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:
        """Return a parser; `settings` are the fields of the class, the rest has defaults."""
        return cls(**{name: value for name, value in settings.items() if value is not None})

    @property
    def chunker(self) -> Chunker:
        """The splitter of `lumber_core` that finds the spans."""
        return self._built()

    def segment(self, text: str) -> Segmentation:
        """Split one text, and return the spans with the verdicts behind them."""
        return self._built().segment(text)

    def _built(self) -> Chunker:
        if self._chunker is None:
            self._chunker = self._make_chunker()
        return self._chunker

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        del kwargs
        texts = [_text(node) for node in nodes]
        segmentations = self._built().segment_all(texts, show_progress=show_progress)
        return self._all_nodes(nodes, texts, segmentations)

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        del kwargs
        texts = [_text(node) for node in nodes]
        segmentations = await self._built().asegment_all(texts, show_progress=show_progress)
        return self._all_nodes(nodes, texts, segmentations)

    def _all_nodes(
        self,
        parents: Sequence[BaseNode],
        texts: Sequence[str],
        segmentations: Sequence[Segmentation],
    ) -> list[BaseNode]:
        made: list[BaseNode] = []
        for parent, text, segmentation in zip(parents, texts, segmentations, strict=True):
            with self.callback_manager.event(
                CBEventType.CHUNKING, payload={EventPayload.CHUNKS: [text]}
            ) as event:
                nodes = self._nodes(parent, text, segmentation)
                event.on_end(payload={EventPayload.CHUNKS: [_text(node) for node in nodes]})
            made += nodes
        return made

    def _nodes(self, parent: BaseNode, text: str, segmentation: Segmentation) -> list[TextNode]:
        spans = [span for span in segmentation.spans if not span.of(text).isspace()]
        if not text:  # LlamaIndex's own parsers make one empty node of an empty text
            spans = [Span(0, 0)]
        nodes = build_nodes_from_splits(
            [span.of(text) for span in spans], parent, id_func=self.id_func
        )
        offset = _offset(parent, text)
        for node, span in zip(nodes, spans, strict=True):
            if offset is not None:
                node.start_char_idx, node.end_char_idx = span.shifted(offset)
        return nodes

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        """Let the framework link the nodes, but keep our offsets: it finds them by searching."""
        offsets = [
            (node.start_char_idx, node.end_char_idx) if isinstance(node, TextNode) else None
            for node in nodes
        ]
        linked = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, known in zip(linked, offsets, strict=True):
            node.metadata = copy.deepcopy(node.metadata)  # the framework shares nested values
            if isinstance(node, TextNode) and known is not None:
                node.start_char_idx, node.end_char_idx = known
        return linked

    def __getstate__(self) -> dict[str, Any]:
        """Refuse to be pickled without a setting; the framework would drop it in silence."""
        for name in type(self).model_fields:
            if name == "callback_manager":
                continue
            try:
                pickle.dumps(getattr(self, name))
            except Exception as error:
                raise TypeError(
                    f"{type(self).__name__} cannot be sent to another process: {name} cannot be "
                    f"pickled ({error}). Use a function or class defined at the top of a module"
                ) from error
        chunker, self._chunker = self._chunker, None
        try:
            return super().__getstate__()
        finally:
            self._chunker = chunker


def _text(node: BaseNode) -> str:
    return node.get_content(metadata_mode=MetadataMode.NONE)


def _offset(parent: BaseNode, text: str) -> int | None:
    """Return where `text` starts in the document its nodes will refer to; None if unknown."""
    if parent.source_node is None:
        return 0
    if not isinstance(parent, TextNode) or parent.start_char_idx is None:
        return None
    end = parent.end_char_idx
    known = end is None or end - parent.start_char_idx == len(text)
    return parent.start_char_idx if known else None
