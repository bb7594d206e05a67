from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration
from llama_index.core import VectorStoreIndex
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.indices.query.query_transform.base import StepDecomposeQueryTransform
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, MockLLM
from llama_index.core.query_engine import (
    MultiStepQueryEngine,
    RetrieverQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.question_gen.types import SubQuestion
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.tools import QueryEngineTool

import langchain_lumber as langchain
import llamaindex_lumber as llamaindex
from tests.contracts.finders import FRAMEWORKS

TEXT = """\
# Otters

Otters live along rivers.
They hunt fish at dawn.

# Owls

Owls hunt at night."""
REPLY = 'At dawn [1].\n\n[1] "They hunt fish at dawn."\n[2] "They hunt by night."'
DOCUMENTS = {
    package: [FRAMEWORKS[name].document(TEXT, "animals.md")]
    for name, package in {"langchain": langchain, "llamaindex": llamaindex}.items()
}


def test_a_chain_answers_with_citations() -> None:
    chain = langchain.QUOTING_PROMPT | FakeListChatModel(responses=[REPLY]) | StrOutputParser()
    context = langchain.format_passages(DOCUMENTS[langchain])
    assert context.startswith("animals.md:\n    # Otters\n")
    variables = {"context": context, "question": "When?"}
    messages = langchain.QUOTING_PROMPT.invoke(variables).to_messages()
    assert [message.type for message in messages] == ["system", "human"]
    assert "    They hunt fish at dawn." in str(messages[1].content)
    answer = langchain.cite_answer(chain.invoke(variables), DOCUMENTS[langchain])
    assert [citation.kind for citation in answer.citations] == ["exact", "not found"]
    assert str(answer).startswith('At dawn [1].\n\n[1] animals.md, line 4: "They hunt fish')


def test_a_query_engine_answers_with_citations() -> None:
    prompts: list[str] = []

    class Replies(MockLLM):
        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            prompts.append(prompt)
            return CompletionResponse(text=REPLY)

    nodes = llamaindex.GreedyNodeParser(target_size=8)(DOCUMENTS[llamaindex])
    index = VectorStoreIndex(nodes, embed_model=llamaindex.LumberEmbedding())
    engine = index.as_query_engine(
        llm=Replies(max_tokens=None), text_qa_template=llamaindex.QUOTING_PROMPT, similarity_top_k=4
    )
    response = engine.query("When do otters hunt?")
    assert "They hunt fish at dawn." in prompts[-1]
    assert "Question: When do otters hunt?" in prompts[-1]
    answer = llamaindex.cite_answer(str(response), response.source_nodes)
    exact, missing = answer.citations
    assert (exact.kind, missing.kind) == ("exact", "not found")
    assert exact.span is not None
    assert exact.span.of(TEXT) == "They hunt fish at dawn."
    (citation,) = llamaindex.cite([exact.quote], DOCUMENTS[llamaindex])
    assert (citation.span, citation.lines, citation.document) == (
        exact.span,
        (4, 4),
        exact.document,
    )


def test_an_answer_to_a_sub_question_is_not_cited_as_a_document() -> None:
    class Replies(MockLLM):
        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            return CompletionResponse(text="Otters hunt whales at noon.")

    class Questions(LLMQuestionGenerator):
        def generate(self, tools: Any, query: Any) -> list[SubQuestion]:
            return [SubQuestion(sub_question="What do otters hunt?", tool_name=tools[0].name)]

    llm = Replies(max_tokens=None)
    retriever = llamaindex.PassageRetriever.from_documents(DOCUMENTS[llamaindex])
    engine = RetrieverQueryEngine.from_args(retriever, llm=llm)
    tool = QueryEngineTool.from_defaults(engine, name="animals", description="Animals")
    questions = Questions.from_defaults(llm)
    synthesis = get_response_synthesizer(llm=llm)
    by_parts = SubQuestionQueryEngine(questions, synthesis, [tool], verbose=False, use_async=False)
    steps = StepDecomposeQueryTransform(llm, verbose=False)
    for engine_of_parts in (by_parts, MultiStepQueryEngine(engine, steps, synthesis, num_steps=1)):
        nodes = engine_of_parts.query("What do otters hunt?").source_nodes
        assert any("Otters hunt whales at noon." in node.text for node in nodes)
        real, fake = llamaindex.cite(["Owls hunt at night.", "Otters hunt whales at noon."], nodes)
        assert (real.kind, real.document, fake.kind) == ("exact", "animals.md", "not found")


THOUGHT = [{"type": "thinking", "thinking": "Dawn?"}, {"type": "text", "text": REPLY}]


@pytest.mark.parametrize(
    ("package", "reply"),
    [
        (langchain, AIMessage(REPLY)),
        (langchain, AIMessageChunk(content=THOUGHT)),
        (langchain, ChatGeneration(message=AIMessage(REPLY))),
        (llamaindex, ChatMessage(content=REPLY)),
        (llamaindex, ChatResponse(message=ChatMessage(content=REPLY))),
        (llamaindex, CompletionResponse(text=REPLY)),
        (llamaindex, Response(REPLY)),
        (llamaindex, AgentChatResponse(response=REPLY)),
    ],
)
def test_replies_of_models_and_engines_are_accepted_as_they_are_returned(
    package: Any, reply: Any
) -> None:
    answer = package.cite_answer(reply, DOCUMENTS[package])
    assert str(answer) == str(package.cite_answer(REPLY, DOCUMENTS[package]))


@pytest.mark.parametrize(
    ("package", "reply"),
    [
        *((langchain, wrong) for wrong in (None, b"At dawn", [AIMessage(REPLY)], 5)),
        (llamaindex, Response(None)),
    ],
)
def test_a_value_that_is_not_a_reply_is_refused_with_advice(package: Any, reply: Any) -> None:
    with pytest.raises(TypeError, match=r"reply must be a text, or .*pass its text"):
        package.cite_answer(reply, DOCUMENTS[package])


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match='"source"'):
        langchain.cite(["a"], [Document("a text")])
    assert langchain.cite(["text"], [Document("a text", id="b")])[0].document == "b"
    with pytest.raises(TypeError, match="document"):
        langchain.cite(["a"], ["a text"])  # type: ignore[list-item]
