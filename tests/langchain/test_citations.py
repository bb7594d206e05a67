"""Quotes of a chat model are found in LangChain's documents."""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration

from langchain_lumber import QUOTING_PROMPT, cite, cite_answer, format_passages

TEXT = """\
# Otters

Otters live along rivers.
They hunt fish at dawn.

# Owls

Owls hunt at night."""
REPLY = 'At dawn [1].\n\n[1] "They hunt fish at dawn."\n[2] "They hunt by night."'
DOCUMENT = Document(TEXT, metadata={"source": "animals.md"})


def test_a_chain_answers_with_citations() -> None:
    chain = QUOTING_PROMPT | FakeListChatModel(responses=[REPLY]) | StrOutputParser()
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


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match='"source"'):
        cite(["a"], [Document("a text")])
    assert cite(["text"], [Document("a text", id="b")])[0].document == "b"
    with pytest.raises(TypeError, match="document"):
        cite(["a"], ["a text"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage(REPLY),
        AIMessageChunk(
            content=[{"type": "thinking", "thinking": "Dawn?"}, {"type": "text", "text": REPLY}]
        ),
        ChatGeneration(message=AIMessage(REPLY)),
    ],
)
def test_an_answer_is_taken_as_the_message_that_a_model_returns(reply: Any) -> None:
    assert str(cite_answer(reply, [DOCUMENT])) == str(cite_answer(REPLY, [DOCUMENT]))


@pytest.mark.parametrize("reply", [None, b"At dawn", [AIMessage(REPLY)], 5])
def test_what_is_no_reply_is_refused_with_what_to_pass(reply: Any) -> None:
    with pytest.raises(TypeError, match=r"reply must be a text, or a message .*pass its text"):
        cite_answer(reply, [DOCUMENT])
