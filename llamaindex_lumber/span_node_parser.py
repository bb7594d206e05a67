"""From spans to LlamaIndex nodes: the base of all node parsers."""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from llama_index.core import Settings as GlobalSettings
from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr, ValidationError
from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.interface import IdFuncCallable
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document, TextNode
from typing_extensions import Self

from llamaindex_lumber.fields import INSTEAD, IntactComponent
from llamaindex_lumber.nodes import (
    NodeWriter,
    check_nodes,
    document_for_nodes,
    metadata_share,
    nodes_of,
    source_of_node,
    text_of,
)
from lumber_core.checks import RefusesUnknown, refuse_unknown
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.size_settings import check_overlap, warn_of_overlap
from lumber_core.segmentation import Segmentation
from lumber_core.support.identity import safe_repr
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.source import Source

logger = logging.getLogger(__name__)

_MAX_METADATA_SHARE = 1 / 3  # of chunk_size; if metadata takes more, a warning is logged


class SpanNodeParser(RefusesUnknown, IntactComponent, NodeParser):
    """A LlamaIndex node parser over a splitter of `lumber_core`.

    Nodes are slices of the text of the document that they refer to, even if the input is nodes of
    another parser: `text[start_char_idx:end_char_idx] == node.text`. Without `chunk_overlap`, the
    nodes together are the whole text, except that a node of only white space is left out.

    With `include_metadata`, `chunk_size` includes the metadata that is embedded or sent to a model
    with each node, as with LlamaIndex's SentenceSplitter, and counts it together with the text. So
    a document with metadata has other, smaller chunks than in LangChain. A warning is logged once
    if metadata takes more than a third of `chunk_size`.

    With `context`, the context of a node is embedded and sent to models like other metadata. It
    takes at most a quarter of the room that metadata leaves of `chunk_size`: if it is longer, the
    outermost headings are left out first, and a table's header only if it alone is longer. The
    context does not repeat a "title" in the metadata. A "context" in the metadata of a document is
    not replaced.

    A document whose metadata or MIME type states that it is Markdown is split as with
    `units="markdown"`, unless other units are chosen. The headings above each node are in its
    `metadata["headings"]`, as "Install > From source", and the headings inside it in
    `metadata["headings_inside"]`; neither is embedded.

    Nodes of a document of `join_pages` have their pages in the metadata, which are not embedded.
    Pages and lines are those of the document that a node refers to, even if the input is nodes with
    pages and lines of their own. They are left out if they are unknown.

    Settings may be assigned; an invalid value raises and changes nothing. Of LlamaIndex's
    global `Settings`, `chunk_size` and `chunk_overlap` reach the parser that is
    `Settings.node_parser`; `Settings.tokenizer` is not used, see the setting `tokenizer`.
    """

    # Errors show no inputs, which may hold a model with its key. Strict: "9" is not a number.
    model_config = ConfigDict(hide_input_in_errors=True, strict=True, use_attribute_docstrings=True)

    chunk_overlap: int = 0
    """Maximum tokens repeated from the end of the chunk before: whole units, or sentences, lines,
    clauses or words if no unit is that short. Offsets stay exact, and `chunk_size` includes what is
    repeated. A warning is logged if that is more than half of a node."""

    add_metadata: bool = False
    """Add `chunk_index` (from 0), `headings`, `heading_levels`, `headings_inside`, `context`,
    `page_first`, `page_last`, `line_first`, `line_last` (from 1), `verdict` and `verdict_reason` to
    the metadata. Missing values are "" or 0. A verdict is "shift" if the judge named the node's
    start; "no_shift" or "single" if a group ended; after a failure "outside", "unreadable",
    "refused" or "unavailable"; "" without a judge."""

    context: bool = True
    """Put the context of a node into `metadata["context"]`, which is embedded and sent to models:
    the single first-level heading of Markdown, or else the name of the file as words, the deepest
    three headings above the node, and on lines of their own the header rows of the table in
    Markdown, CSV or TSV whose rows it continues."""

    id_func: IdFuncCallable = Field(
        default=default_id_func,
        description="Names the nodes: `id_func(number, document)`. None, and by default: a UUID "
        "computed from the document's ID, the offsets, the text and the splitter's identity, so "
        "that indexing the same document again updates its nodes.",
    )

    _hints: ClassVar[Mapping[str, str]] = INSTEAD
    _chunker: Chunker | None = PrivateAttr(default=None)
    _warned_of_metadata: bool = PrivateAttr(default=False)
    _warned_of_overlap: bool = PrivateAttr(default=False)
    _warned_of_tokens: bool = PrivateAttr(default=False)

    def __init__(self, *positional: Any, **settings: Any) -> None:
        """Make the parser: sizes are in tokens, and the class describes each setting."""
        if isinstance(settings.get("id_func"), dict):  # a description, as to_dict returns it
            name = settings.pop("id_func").get("id_func_name")
            if name != default_id_func.__name__:
                raise TypeError(
                    f"id_func {name!r} cannot be restored from its name: pass the function itself, "
                    "from_dict(data, id_func=...)"
                )
        try:
            super().__init__(*positional, **settings)
        except ValidationError:
            try:
                type(self).model_construct(**settings)
            except (TypeError, ValueError) as core_error:  # clearer than pydantic's
                raise core_error from None
            except AttributeError:  # a required field is missing
                pass
            raise

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._renew_chunker()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a setting is checked and takes effect at once."""
        if name not in type(self).model_fields.keys() - NodeParser.model_fields.keys():
            super().__setattr__(name, value)
            return
        before = getattr(self, name)
        super().__setattr__(name, value)
        try:
            limit = self._renew_chunker().chunk_size
        except (TypeError, ValueError):
            super().__setattr__(name, before)
            raise
        if name == "chunk_size" and limit and not self._warned_of_tokens:
            # Settings.chunk_size, which other frameworks' users take for characters, arrives here.
            self._warned_of_tokens = GlobalSettings._node_parser is self
            if self._warned_of_tokens:
                logger.warning(
                    "Settings.chunk_size=%d limits the nodes of %s to that many tokens, not "
                    "characters; for other sizes, set chunk_size and target_size of the parser",
                    limit,
                    type(self).__name__,
                )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; settings in `update` are checked and take effect."""
        refuse_unknown(type(self).__name__, update or {}, [*type(self).model_fields], INSTEAD)
        copied = super().model_copy(update=update, deep=deep)
        if update:
            copied._renew_chunker()
        return copied

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return what `repr` shows: only the class of custom objects, which may have secrets."""
        for name, value in super().__repr_args__():
            yield name, value if name in NodeParser.model_fields else _PlainRepr(safe_repr(value))

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return cls.__name__

    def _make_chunker(self) -> Chunker:
        """Build the splitter from the fields."""
        raise NotImplementedError  # an abstract method would be in LlamaIndex's traces

    def _build(self, kind: Callable[..., Chunker], **changed: object) -> Chunker:
        """Return a splitter of the core, whose settings have the names of the parser's fields."""
        names = inspect.signature(kind).parameters.keys() - changed.keys()
        return kind(**{name: getattr(self, name) for name in names}, **changed)

    def _renew_chunker(self) -> Chunker:
        """Build the splitter from the fields, check the overlap, and keep it."""
        chunker = self._make_chunker()
        check_overlap(self.chunk_overlap, chunker.chunk_size)
        if not self._warned_of_overlap:
            self._warned_of_overlap = warn_of_overlap(
                self.chunk_overlap, chunker.chunk_size, chunker.target_size
            )
        self._chunker = chunker
        return chunker

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:
        """Return a parser. `settings` are the fields of the class; None means the default."""
        return cls(**{name: value for name, value in settings.items() if value is not None})

    @property
    def chunker(self) -> Chunker:
        """The splitter of `lumber_core` that finds the spans."""
        return self._chunker or self._renew_chunker()

    @property
    def delivery(self) -> Delivery:
        """How the chunker's chunks become nodes."""
        return Delivery(self.chunk_overlap, blank=False)

    def segment(self, text: str) -> Segmentation:
        """Split one text; return the spans, without overlap, and the verdicts."""
        return self.chunker.segment(text, overlap=self.chunk_overlap)

    def split_text(self, text: str) -> list[str]:
        """Split one text into chunks."""
        return [chunk.text for chunk in self.chunker.split(text, Delivery(self.chunk_overlap))]

    def get_nodes_from_documents(
        self, documents: Sequence[Document], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Parse documents; the nodes of a document follow each other, in order."""
        checked = check_nodes(documents)
        return super().get_nodes_from_documents(checked, show_progress=show_progress, **kwargs)

    async def aget_nodes_from_documents(
        self, documents: Sequence[Document], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Async version of `get_nodes_from_documents`."""
        checked = check_nodes(documents)
        return await super().aget_nodes_from_documents(
            checked, show_progress=show_progress, **kwargs
        )

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        del kwargs
        chunks_by_parent = self.chunker.split_all(
            self._sources(nodes), self.delivery, show_progress=show_progress
        )
        identity = self.chunker.identity
        all_nodes: list[BaseNode] = []
        for parent, chunks in zip(nodes, chunks_by_parent, strict=True):
            with self.callback_manager.event(
                CBEventType.CHUNKING, payload={EventPayload.CHUNKS: [text_of(parent)]}
            ) as event:
                children = nodes_of(
                    parent,
                    chunks,
                    splitter=identity,
                    id_func=self.id_func,
                    inherits=self.include_metadata,
                    everything=self.add_metadata,
                    context=self._adds_context(parent),
                )
                event.on_end(payload={EventPayload.CHUNKS: [*map(text_of, children)]})
            all_nodes += children
        return all_nodes

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await self.chunker.call_async(self._parse_nodes, nodes, show_progress, **kwargs)

    def _sources(self, nodes: Sequence[BaseNode]) -> list[Source]:
        """Return each node as a source that leaves room for the metadata of its children.

        If that leaves no room for text, a ValueError is raised.
        """
        if not self.include_metadata:
            return list(map(source_of_node, nodes))
        writers = [NodeWriter(node, context=self._adds_context(node)) for node in nodes]
        share = metadata_share(nodes, writers, self.chunker, self.chunk_overlap)
        if share > _MAX_METADATA_SHARE and not self._warned_of_metadata:
            self._warned_of_metadata = True
            logger.warning(
                "metadata takes up to %.0f %% of chunk_size=%d in each node, so chunks are that "
                "much smaller: raise chunk_size, or list keys in excluded_embed_metadata_keys "
                "and excluded_llm_metadata_keys",
                100 * share,
                self.chunker.chunk_size,
            )
        # Some counters add special tokens to any text, which need room as well.
        adds_tokens = self.chunker.counter.count([""]) != [0]
        return [
            source_of_node(node, writer if adds_tokens or not writer.adds_nothing else None)
            for node, writer in zip(nodes, writers, strict=True)
        ]

    def _adds_context(self, parent: BaseNode) -> bool:
        """Return whether nodes of a document get contexts: not if its metadata has a "context"."""
        has_context = CONTEXT_KEY in (parent.source_node or parent).metadata
        return self.include_metadata and self.context and not has_context

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        """Let the framework link the nodes, but keep the exact offsets.

        The framework would search the text for the nodes, and be wrong if text repeats.
        """
        # All nodes of `nodes_of` are text nodes.
        text_nodes = [node for node in nodes if isinstance(node, TextNode)]
        offsets = [(node.start_char_idx, node.end_char_idx) for node in text_nodes]
        parents = {
            name: document_for_nodes(parent, context=self._adds_context(parent))
            for name, parent in parent_doc_map.items()
        }
        linked = super()._postprocess_parsed_nodes(nodes, parents)
        for node, ends in zip(text_nodes, offsets, strict=True):
            node.metadata = copy.deepcopy(node.metadata)  # the framework shares nested values
            node.start_char_idx, node.end_char_idx = ends
        return linked

    def _copy_to_pickle(self) -> Self:
        copied = super()._copy_to_pickle()
        copied._chunker = None
        return copied


class _PlainRepr(str):
    """Text that `repr` shows without quotation marks."""

    __repr__ = str.__str__
