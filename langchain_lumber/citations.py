"""Finds the quotes of a chat model's answers in their documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.prompts import ChatPromptTemplate

from langchain_lumber.passage_joiner import start_and_slice
from langchain_lumber.span_text_splitter import check_documents
from lumber_core.text.origin import address_of, document_names
from lumber_core.text.source import Source
from lumber_retrieval.citing import citations as core
from lumber_retrieval.citing import quoted_answers as answers
from lumber_retrieval.citing.citations import Citation, CitedPart, cited_part
from lumber_retrieval.citing.quoted_answers import CitedAnswer

QUOTING_PROMPT = ChatPromptTemplate(
    [("system", answers.QUOTING_INSTRUCTIONS), ("human", answers.QUOTING_QUESTION)]
)
"""Asks for an answer with numbered quotes. Its variables are `context`, the passages as
`format_passages` returns them, and `question`."""

QuotedDocuments = Iterable[Document] | Mapping[str, str | Source]
"""Texts that may be quoted: passages, chunks, whole documents, or texts by their names."""


def cite(quotes: Iterable[str], documents: QuotedDocuments) -> list[Citation]:
    """Find quotes in documents: character by character, or by alignment if they differ a little.

    Args:
        quotes: The quotes, as the model wrote them.
        documents: The documents that the model was given. A document with "start_index" in its
            metadata is a part of a document; the spans of its citations refer to the whole
            document. Whole documents may follow, to find quotes that go beyond a part.

    Returns:
        One citation for each quote, in order; see `lumber_retrieval.Citation`. The name of a
        document is its "source", "file_name" or another key in which loaders put the name of the
        file, with the folder if two names are equal; or else its `id` or its title.

    Raises:
        TypeError: `quotes` is one string, or an item has the wrong type.
        ValueError: A document has no name.

    Example:
        >>> text = "Otters live along rivers. They hunt fish at dawn."
        >>> documents = [Document(text, metadata={"source": "otters.txt"})]
        >>> found, missing = cite(["They hunt fish at dawn.", "They sleep in trees."], documents)
        >>> found.kind, found.document, found.span, found.lines
        ('exact', 'otters.txt', Span(start=26, end=49), (1, 1))
        >>> missing.kind
        'not found'
    """
    return core.cite(quotes, _parts(documents))


def cite_answer(reply: str | BaseMessage, documents: QuotedDocuments) -> CitedAnswer:
    r"""Return the answer in a model's reply to `QUOTING_PROMPT`, with the places of its quotes.

    `print` shows the answer, and below it each citation with document, page or lines.

    Args:
        reply: The model's message, or its text.
        documents: See `cite`.

    Raises:
        TypeError: The reply has another type.
        ValueError: A document has no name.

    Example:
        >>> document = Document("They hunt fish at dawn.", metadata={"source": "otters.txt"})
        >>> reply = 'At dawn [1].\n\n[1] "They hunt fish at dawn."'
        >>> print(cite_answer(reply, [document]))
        At dawn [1].
        <BLANKLINE>
        [1] otters.txt, line 1: "They hunt fish at dawn."
    """
    return answers.cite_answer(reply, _parts(documents))


def format_passages(documents: Iterable[Document]) -> str:
    """Return documents as `QUOTING_PROMPT` expects them: each below its name, and indented.

    Args:
        documents: The passages from which the model answers.

    Raises:
        TypeError: An item is not a document.
        ValueError: A document has no name.

    Example:
        >>> document = Document("They hunt fish at dawn.", metadata={"source": "otters.txt"})
        >>> print(format_passages([document]))
        otters.txt:
            They hunt fish at dawn.
    """
    checked = check_documents(documents)
    texts = [document.page_content for document in checked]
    return answers.write_passages(zip(_names(checked), texts, strict=True))


def _parts(documents: QuotedDocuments) -> core.Texts:
    if isinstance(documents, Mapping):
        return documents
    checked = check_documents(documents)
    return [*map(_part, checked, _names(checked))]


def _part(document: Document, name: str) -> CitedPart:
    """Return a document as a part that can be cited, without the context before its text."""
    start, text = start_and_slice(document)
    return cited_part(name, text, document.metadata, start, address_of(document.metadata))


def _names(documents: Sequence[Document]) -> list[str]:
    names = document_names([(document.metadata, document.id or "") for document in documents])
    for document, name in zip(documents, names, strict=True):
        if not name:
            raise ValueError(
                f"the document that begins with {document.page_content[:40]!r} has no name: put "
                'a name into its metadata as "source"'
            )
    return names
