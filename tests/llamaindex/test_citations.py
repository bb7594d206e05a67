"""Quotes of an LLM are found in LlamaIndex's nodes."""

from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.llms import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CustomLLM,
    LLMMetadata,
)

from llamaindex_lumber import (
    QUOTING_PROMPT,
    GreedyNodeParser,
    LumberEmbedding,
    cite,
    cite_answer,
)
from tests.langchain.test_citations import REPLY, TEXT

asked: list[str] = []


class Replies(CustomLLM):
    """An LLM that always replies the same."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **_: object) -> CompletionResponse:
        asked.append(prompt)
        return CompletionResponse(text=REPLY)

    def stream_complete(self, *_: object, **__: object):
        raise NotImplementedError


def document(**metadata: object) -> Document:
    return Document(text=TEXT, id_="animals", metadata=metadata)


def test_a_query_engine_answers_with_citations() -> None:
    nodes = GreedyNodeParser(target_size=8).get_nodes_from_documents([document()])
    index = VectorStoreIndex(nodes, embed_model=LumberEmbedding())
    engine = index.as_query_engine(
        llm=Replies(), text_qa_template=QUOTING_PROMPT, similarity_top_k=4
    )
    response = engine.query("When do otters hunt?")
    assert "They hunt fish at dawn." in asked[-1]
    assert "Question: When do otters hunt?" in asked[-1]
    answer = cite_answer(str(response), response.source_nodes)
    exact, missing = answer.citations
    assert (exact.kind, missing.kind) == ("exact", "not found")
    assert exact.document == "animals"
    assert exact.span is not None
    assert exact.span.of(TEXT) == "They hunt fish at dawn."
    (whole,) = cite([exact.quote], [document()])
    assert (whole.span, whole.lines) == (exact.span, (4, 4))


@pytest.mark.parametrize(
    "reply",
    [
        ChatMessage(content=REPLY),
        ChatResponse(message=ChatMessage(content=REPLY)),
        CompletionResponse(text=REPLY),
        Response(REPLY),
        AgentChatResponse(response=REPLY),
    ],
)
def test_an_answer_is_taken_as_what_a_model_or_an_engine_returns(reply: Any) -> None:
    assert str(cite_answer(reply, [document()])) == str(cite_answer(REPLY, [document()]))


def test_a_response_without_a_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"not .*Response: pass its text"):
        cite_answer(Response(None), [document()])
