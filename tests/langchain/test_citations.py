"""Quotes of a chat model are found in LangChain's documents."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser

from langchain_lumber import (
    QUOTING_PROMPT,
    GreedyTextSplitter,
    PassageRetriever,
    cite,
    cite_answer,
    format_passages,
    join_pages,
)
from lumber_core.spans import Span

TEXT = """\
# Otters

Otters live along rivers.
They hunt fish at dawn.

# Owls

Owls hunt at night."""
DOCUMENT = Document(TEXT, metadata={"source": "animals.md"})


def test_quotes_in_passages_have_their_place_in_the_document() -> None:
    retriever = PassageRetriever(budget=12)
    text = f"{TEXT}\n{TEXT[10:]}"
    retriever.add_documents([Document(text, metadata={"source": "animals.md"})])
    (passage,) = retriever.invoke("Where do owls hunt at night?", k=1)
    assert passage.page_content != passage.metadata["text"]  # below its context
    (citation,) = cite(["owls hunt AT night"], [passage])
    start = passage.metadata["start_index"] + passage.metadata["text"].index("Owls hunt")
    assert citation.span == Span(start, start + len("Owls hunt at night"))
    line = text.count("\n", 0, start) + 1
    assert (citation.kind, citation.lines) == ("aligned", (line, line))
    assert citation.document == "animals.md"


def test_quotes_in_chunks_have_their_place_but_no_lines_that_are_not_known() -> None:
    chunks = GreedyTextSplitter(target_size=8, add_start_index=True).split_documents([DOCUMENT])
    (citation,) = cite(["Owls hunt at night."], chunks)
    assert citation.span is not None
    assert citation.span.of(TEXT) == citation.text == "Owls hunt at night."
    assert citation.lines is None
    (whole,) = cite(["Owls hunt at night."], [DOCUMENT])
    assert (whole.span, whole.lines) == (citation.span, (8, 8))


def test_pages_are_those_of_the_loader() -> None:
    pages = [
        Document(text, metadata={"source": "a.pdf", "page": number, "total_pages": 2})
        for number, text in enumerate(["Otters swim.", "Owls fly."])
    ]
    assert [one.page for one in cite(["Owls fly.", "Otters swim."], pages)] == [2, 1]
    assert [one.page for one in cite(["Owls fly.", "Otters swim."], join_pages(pages))] == [2, 1]


def test_a_chain_answers_with_citations() -> None:
    reply = 'At dawn [1].\n\n[1] "They hunt fish at dawn."\n[2] "They hunt by night."'
    chain = QUOTING_PROMPT | FakeListChatModel(responses=[reply]) | StrOutputParser()
    context = format_passages([DOCUMENT])
    assert context.startswith("animals.md:\n    # Otters\n")
    asked = QUOTING_PROMPT.invoke({"context": context, "question": "When?"}).to_messages()
    assert [message.type for message in asked] == ["system", "human"]
    assert "    They hunt fish at dawn." in str(asked[1].content)
    answer = cite_answer(chain.invoke({"context": context, "question": "When?"}), [DOCUMENT])
    assert [one.kind for one in answer.citations] == ["exact", "not found"]
    assert str(answer).startswith(
        'At dawn [1].\n\n[1] animals.md, line 4: "They hunt fish at dawn."'
    )


def test_texts_by_name_will_do() -> None:
    assert cite(["Owls"], {"a": "Owls"})[0].document == "a"


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match='"source"'):
        cite(["a"], [Document("a text")])
    assert cite(["text"], [Document("a text", id="b")])[0].document == "b"
    with pytest.raises(TypeError, match="document"):
        cite(["a"], ["a text"])  # type: ignore[list-item]
