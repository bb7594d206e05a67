"""From spans to LangChain documents: the base of all LangChain splitters."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter
from typing_extensions import Never, Self

from langchain_lumber.argument_checks import refuse_settings
from lumber_core.checks import check_texts
from lumber_core.chunking.chunker import Chunker, check_chunker
from lumber_core.chunking.delivery import Delivery, added_metadata
from lumber_core.chunking.size_settings import check_overlap, warn_of_overlap
from lumber_core.segmentation import Segmentation
from lumber_core.support.identity import chunk_id
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.outline import Context
from lumber_core.text.pages import (
    FIRST_PAGE,
    LAST_PAGE,
    LINE_KEYS,
    common_metadata,
    place_source,
)
from lumber_core.text.source import Forms, Source
from lumber_core.tokens import DEFAULT_TOKENIZER

FOR_TEXTS = "use create_documents or split_text for texts"
"""A hint for errors: how to split texts instead of documents."""

# The texts and numbers in the metadata of a chunk, and the form in which stores return numbers.
_TEXTS = {"headings", LEVELS_KEY, INSIDE_KEY, CONTEXT_KEY}
_NUMBERS = {"start_index", "end_index", "chunk_index", FIRST_PAGE, LAST_PAGE, *LINE_KEYS}
_WHOLE_NUMBER = re.compile(r"\d{1,15}(?:\.0)?")


class SpanTextSplitter(TextSplitter):
    """A LangChain text splitter over any splitter of `lumber_core`.

    Chunks are slices of the text: with `add_start_index`, `metadata["start_index"]` is exact,
    and `text[start_index:][:len(page_content)] == page_content`, with `chunk_overlap` as well. Each
    chunk's metadata is a deep copy of its document's; its `id` is None, as with LangChain's own
    splitters, unless `stable_ids` is set.

    A document whose metadata states that it is Markdown is split as with `units="markdown"`, unless
    other units are chosen. The headings above each chunk are in its `metadata["headings"]`, as
    "Install > From source"; headings inside the chunk are in `metadata["headings_inside"]`.

    With `context`, `page_content` begins with the chunk's context, and ends with the slice of the
    text; `start_index`, `end_index` and `chunk_overlap` are those of the slice. With
    `add_start_index`, the metadata then has the `end_index` as well. If such a chunk, or a passage,
    is split again, and has its `context` in the metadata, only the slice is split, and its parts
    have offsets of their own.

    Chunks of a document of `join_pages` have their pages in the metadata. Pages and lines always
    refer to the file, even if the documents are chunks.

    Args:
        chunker: The splitter of `lumber_core` that finds the spans.
        chunk_overlap: Maximum tokens repeated from the end of the chunk before: whole units, or
            sentences, lines, clauses or words if no unit is that short. Offsets stay exact, and
            `chunk_size` includes what is repeated. A warning is logged if that is more than half of
            a chunk.
        add_start_index: Put the chunk's offset in characters into `metadata["start_index"]`.
        add_metadata: Add `start_index`, `end_index`, `headings`, `heading_levels`,
            `headings_inside`, `context`, `chunk_index` (from 0), `page_first`, `page_last`,
            `line_first`, `line_last` (from 1), `verdict` and `verdict_reason` to the metadata.
            Missing values are "" or 0. A verdict is "shift" if the judge named the chunk's start;
            "no_shift" or "single" if a group ended; after a failure "outside", "unreadable",
            "refused" or "unavailable"; "" without a judge.
        context: Put the chunk's context before it in `page_content`, so that it is embedded: the
            title (in the metadata, or else the single first-level heading of Markdown, or else the
            name of the file as words), the deepest three headings above the chunk, and on lines of
            their own the header rows of the table in Markdown, CSV or TSV whose rows it continues.
            `chunk_size` includes the context, which takes at most a quarter of it.
        stable_ids: Set each chunk's `id` to a UUID that is the same in every run, so that a vector
            store overwrites chunks that are added again. It is computed from the document's `id`
            (its metadata if it has none), the offsets, the text and the splitter's identity.
        strip_whitespace: Trim white space at both ends of a chunk. Its offset is adjusted; a chunk
            of only white space is left out.
        show_progress: Show a progress bar on stderr while documents are split.

    Raises:
        ValueError: `chunk_overlap` is not below the chunker's `chunk_size`.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from lumber_core import GreedyChunker
        >>> SpanTextSplitter(GreedyChunker(200)).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    def __init__(
        self,
        chunker: Chunker,
        *,
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
        refuse_settings(type(self), unknown)
        check_chunker("chunker", chunker)
        check_overlap(chunk_overlap, chunker.chunk_size)
        warn_of_overlap(chunk_overlap, chunker.chunk_size, chunker.target_size)
        super().__init__(
            chunk_overlap=0, add_start_index=add_start_index, strip_whitespace=strip_whitespace
        )
        self._chunk_size = chunker.chunk_size or self._chunk_size
        self._chunk_overlap = chunk_overlap
        self._add_metadata = add_metadata
        self._context = context
        self._stable_ids = stable_ids
        self._show_progress = show_progress
        self._chunker = chunker
        self._forms: Forms | None = _in_context if context else None
        self._length_function = self._count

    def _start(
        self, kind: Callable[..., Chunker], arguments: Mapping[str, Any], **replacements: object
    ) -> None:
        """Initialise a subclass with a splitter of the core, from the subclass's own `arguments`.

        Arguments that are settings of the class `kind` go to its constructor, and the rest to the
        constructor of `SpanTextSplitter`. `replacements` replace arguments of the same name.
        """
        refuse_settings(type(self), arguments["unknown"])
        settings = {**arguments, **replacements}
        if arguments["length_function"] is not None:  # LangChain's name for the tokenizer
            if arguments["tokenizer"] != DEFAULT_TOKENIZER:
                raise ValueError("pass either tokenizer or length_function, not both")
            settings["tokenizer"] = arguments["length_function"]
        chunker = kind(**{name: settings[name] for name in inspect.signature(kind).parameters})
        _, *names, _ = inspect.signature(SpanTextSplitter).parameters
        SpanTextSplitter.__init__(self, chunker, **{name: settings[name] for name in names})

    @property
    def chunker(self) -> Chunker:
        """The splitter of `lumber_core` that finds the spans."""
        return self._chunker

    @property
    def chunk_overlap(self) -> int:
        """Maximum number of tokens repeated from the chunk before."""
        return self._chunk_overlap

    @property
    def delivery(self) -> Delivery:
        """How the chunker's chunks become documents."""
        return Delivery(self._chunk_overlap, trim=self._strip_whitespace)

    def segment(self, text: str) -> Segmentation:
        """Split one text; return the spans, untrimmed and without overlap, and the verdicts."""
        source = Source(text, forms=self._forms)
        return self._chunker.segment(source, overlap=self._chunk_overlap)

    def split_text(self, text: str) -> list[str]:
        """Split one text into chunks, each below its context if `context` is set."""
        if not self._context:
            return self._chunker.split_text(text, self.delivery, show_progress=self._show_progress)
        (chunks,) = self._chunker.split_all(
            [Source(text, forms=self._forms)], self.delivery, show_progress=self._show_progress
        )
        return [chunk.text_in_context for chunk in chunks]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Split texts into documents.

        Args:
            texts: The texts; several are split concurrently if a model decides.
            metadatas: One for each text, copied into each of its chunks.

        Raises:
            ValueError: The numbers of texts and metadatas differ.
        """
        return self._split(_make_documents(texts, metadatas))

    async def acreate_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Async version of `create_documents`."""
        documents = _make_documents(texts, metadatas)
        return await self._chunker.call_async(self._split, documents)

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Split documents; the chunks of a document follow each other, in order."""
        return self._split(check_documents(documents, FOR_TEXTS))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Async version of `split_documents`."""
        checked = check_documents(documents, FOR_TEXTS)
        return await self._chunker.call_async(self._split, checked)

    async def atransform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Async version of `transform_documents`: several documents are split at once."""
        del kwargs
        return await self.asplit_documents(documents)

    @classmethod
    def from_tiktoken_encoder(  # type: ignore[override]  # the same arguments, another default
        cls, encoding_name: str = "cl100k_base", model_name: str | None = None, **kwargs: Any
    ) -> Self:
        """Return a splitter that counts tokens with tiktoken.

        Args:
            encoding_name: A tiktoken encoding.
            model_name: A model, whose encoding is used instead.
            **kwargs: Other arguments of the class. `allowed_special` and `disallowed_special` are
                accepted for compatibility: special tokens always count as text.
        """
        kwargs.pop("allowed_special", None)
        kwargs.pop("disallowed_special", None)
        make: Callable[..., Self] = cls  # subclasses take a tokenizer
        return make(tokenizer=model_name or encoding_name, **kwargs)

    @classmethod
    def from_huggingface_tokenizer(cls, tokenizer: Any, **kwargs: Any) -> Self:
        """Return a splitter that counts tokens with a Hugging Face tokenizer.

        Args:
            tokenizer: A tokenizer of `transformers`, or a `tokenizers.Tokenizer`.
            **kwargs: Other arguments of the class.
        """
        make: Callable[..., Self] = cls  # subclasses take a tokenizer
        return make(tokenizer=tokenizer, **kwargs)

    def _count(self, text: str) -> int:
        """Return how many tokens a text has: LangChain's length function."""
        return self._chunker.counter.count([text])[0]

    def _source_of(self, document: Document) -> Source:
        text = document.page_content[len(_context_before(document)) :]
        return place_source(text, document.metadata, forms=self._forms)

    def _split(self, parents: Sequence[Document]) -> list[Document]:
        sources = [*map(self._source_of, parents)]
        chunks_by_parent = self._chunker.split_all(
            sources, self.delivery, show_progress=self._show_progress
        )
        everything = self._add_metadata
        identity = self._chunker.identity if self._stable_ids else None
        has_start = self._add_start_index or everything
        documents = []
        for parent, source, chunks in zip(parents, sources, chunks_by_parent, strict=True):
            identified = parent.metadata if parent.id is None else parent.id
            common = common_metadata(_without_place(parent.metadata), context=everything)
            shift = len(parent.page_content) - len(source.text)  # length of the context above it
            # A chunk without a context ends where its content does, so it needs no "end_index". But
            # the parts of a chunk that has an "end_index" have one, too.
            has_end = has_start and (everything or self._context or "end_index" in parent.metadata)
            of_chunks = added_metadata(
                chunks, parent.metadata, everything=everything, context=everything
            )
            for chunk, added in zip(chunks, of_chunks, strict=True):
                metadata = copy.deepcopy(common) | added
                if has_start:
                    metadata["start_index"] = chunk.span.start + shift
                if has_end:
                    metadata["end_index"] = chunk.span.end + shift
                stable = identity and chunk_id(identified, chunk.span, chunk.text, identity)
                content = chunk.text_in_context if self._context else chunk.text
                documents.append(Document(page_content=content, metadata=metadata, id=stable))
        return documents

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._chunker!r})"


def _make_documents(texts: Sequence[str], metadatas: list[dict[Any, Any]] | None) -> list[Document]:
    """Return a document for each text; raise the errors of `create_documents`."""
    if metadatas and len(metadatas) != len(texts):
        raise ValueError(
            f"there are {len(texts)} texts but {len(metadatas)} metadatas: pass one for each text"
        )
    return [
        Document(page_content=text, metadata=metadata)
        for text, metadata in zip(check_texts(texts), metadatas or [{}] * len(texts), strict=True)
    ]


def _without_place(metadata: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return metadata without the offsets of a chunk and the slice of a passage."""
    start, end, text = map(metadata.get, ("start_index", "end_index", "text"))
    if type(start) is not int:
        return metadata
    is_slice = type(end) is int and isinstance(text, str) and len(text) == end - start
    keys = ("start_index", "end_index", *(["text"] if is_slice else []))
    return {key: value for key, value in metadata.items() if key not in keys}


def _in_context(text: str, context: Context) -> list[str]:
    """Return the content of a document that begins with the context of its chunk."""
    return [context.above(text)]


def _context_before(chunk: Document) -> str:
    """Return the context with which the content of a chunk begins; "" if it has none there.

    If such a chunk is split again, only its slice is split: its parts get contexts of their own.
    """
    start, end, context = map(chunk.metadata.get, ("start_index", "end_index", CONTEXT_KEY))
    if not (isinstance(context, str) and context and type(start) is type(end) is int):
        return ""
    content = chunk.page_content
    text = content[len(content) - (end - start) :]
    contents = [part.above(text) for part in (Context.from_text(context), Context(table=context))]
    return content.removesuffix(text) if content in contents else ""


def check_documents(
    documents: Iterable[Document], instead: str = "pass Document(text) for a text"
) -> list[Document]:
    """Return documents as a list, or raise a TypeError, which states what to do with texts."""
    if isinstance(documents, Document):
        raise TypeError("documents must be a list of Document, not one Document: pass [document]")
    checked = list(documents)
    for document in checked:
        if not isinstance(document, Document):
            hint = f": {instead}" if isinstance(document, str) else ""
            if isinstance(document, dict):  # documents in a checkpoint of LangGraph are dicts
                hint = ": pass [Document(**each) for each in documents]"
            if hasattr(document, "to_langchain_format"):
                hint = ": pass document.to_langchain_format()"
            kind = f"{type(document).__module__}.{type(document).__qualname__}"
            raise TypeError(
                f"documents must be Documents of LangChain, not {kind.removeprefix('builtins.')}"
                f"{hint}"
            )
    return [*map(_restore_types, checked)]


def _restore_types(document: Document) -> Document:
    """Return a chunk whose metadata have the types that a splitter gave them.

    Vector stores return whole numbers as floats or texts, and "" as None or NaN. None and NaN are
    left out.
    """
    metadata = document.metadata
    changed = {
        key: int(str(metadata[key]).removesuffix(".0"))
        for key in _NUMBERS & metadata.keys()
        if type(metadata[key]) is not int and _WHOLE_NUMBER.fullmatch(str(metadata[key]))
    }
    empty = {key for key in _TEXTS & metadata.keys() if isinstance(metadata[key], float | None)}
    if "start_index" not in metadata or not (changed or empty):
        return document
    filled = {key: value for key, value in metadata.items() if key not in empty}
    return document.model_copy(update={"metadata": {**filled, **changed}})
