"""Finds the quotes of an LLM's answers in their documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.base.response.schema import Response
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.schema import BaseNode, NodeWithScore

from llamaindex_lumber.nodes import check_nodes, refuse_single, slice_of, text_of
from lumber_core.text.origin import address_of, document_names
from lumber_core.text.source import Source
from lumber_retrieval.citing import citations as core
from lumber_retrieval.citing import quoted_answers as answers
from lumber_retrieval.citing.citations import Citation, CitedPart, cited_part
from lumber_retrieval.citing.quoted_answers import CitedAnswer

_QUESTION = answers.QUOTING_QUESTION.format(context="{context_str}", question="{query_str}")
QUOTING_PROMPT = ChatPromptTemplate.from_messages(
    [("system", answers.QUOTING_INSTRUCTIONS), ("user", _QUESTION)]
)
"""Asks for an answer with numbered quotes: a `text_qa_template` of query engines."""

QuotingReply = str | ChatMessage | ChatResponse | CompletionResponse | Response
"""The result of an LLM, a query engine or a chat engine, or its text."""

QuotedNodes = Iterable[NodeWithScore | BaseNode] | Mapping[str, str | Source]
"""Texts that may be quoted: nodes, whole documents, or texts by their names."""


def cite(quotes: Iterable[str], nodes: QuotedNodes) -> list[Citation]:
    """Find quotes in documents: character by character, or by alignment if they differ a little.

    Args:
        quotes: The quotes, as the model wrote them.
        nodes: The nodes that the model was given, such as `response.source_nodes`. The spans of
            citations refer to the whole document of a node. Whole documents may follow, to find
            quotes that go beyond a node.

    Returns:
        One citation for each quote, in order; see `lumber_retrieval.Citation`. The name of a
        document is its "source", "file_name" or another key in which readers put the name of the
        file, with the folder if two names are equal; or else its title or ID.

    Raises:
        TypeError: `quotes` is one string, or an item has the wrong type.

    Example:
        >>> from llama_index.core import Document
        >>> text = "Otters live along rivers. They hunt fish at dawn."
        >>> document = Document(text=text, metadata={"file_name": "otters.txt"})
        >>> found, missing = cite(["They hunt fish at dawn.", "They sleep in trees."], [document])
        >>> found.kind, found.document, found.span, found.lines
        ('exact', 'otters.txt', Span(start=26, end=49), (1, 1))
        >>> missing.kind
        'not found'
    """
    return core.cite(quotes, _parts(nodes))


def cite_answer(reply: QuotingReply, nodes: QuotedNodes) -> CitedAnswer:
    r"""Return the answer in an LLM's reply to `QUOTING_PROMPT`, with the places of its quotes.

    `print` shows the answer, and below it each citation with document, page or lines.

    Args:
        reply: The LLM's message or response, the response of a query engine, or a text.
        nodes: See `cite`; for example `response.source_nodes`.

    Raises:
        TypeError: The reply has no text.

    Example:
        >>> from llama_index.core import Document
        >>> document = Document(text="They hunt fish at dawn.", metadata={"source": "otters.txt"})
        >>> reply = 'At dawn [1].\n\n[1] "They hunt fish at dawn."'
        >>> print(cite_answer(reply, [document]))
        At dawn [1].
        <BLANKLINE>
        [1] otters.txt, line 1: "They hunt fish at dawn."
    """
    return answers.cite_answer(reply, _parts(nodes))


def _parts(nodes: QuotedNodes) -> core.Texts:
    if isinstance(nodes, Mapping):
        return nodes
    items = [item for item in refuse_single(nodes) if not _is_step(item)]
    checked = check_nodes(n.node if isinstance(n, NodeWithScore) else n for n in items)
    ids = [(node.metadata, node.ref_doc_id or node.node_id) for node in checked]
    return [*map(_part, checked, document_names(ids))]


def _is_step(hit: object) -> bool:
    """Return whether a hit is not a document's text but a sub-question with the LLM's answer."""
    if not isinstance(hit, NodeWithScore) or hit.score is not None or hit.node.metadata:
        return False
    begins = text_of(hit.node).lstrip().startswith(("Sub question: ", "Question: "))
    return begins and hit.node.source_node is None


def _part(node: BaseNode, name: str) -> CitedPart:
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    text = slice_of(node, start, end)
    return cited_part(name, text, node.metadata, start, address_of(node.metadata))
