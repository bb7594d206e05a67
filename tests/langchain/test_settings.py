from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import PromptTemplate as LangChainPrompt
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.context import collect_runs

from langchain_lumber import (
    BertTextSplitter,
    ContextEmbeddings,
    GreedyTextSplitter,
    LayoutTextSplitter,
    LumberTextSplitter,
    PassageJoiner,
    PassageRetriever,
    cite,
    format_passages,
    join_pages,
)

every_splitter = pytest.mark.parametrize(
    "make", [BertTextSplitter, GreedyTextSplitter, LayoutTextSplitter, LumberTextSplitter]
)


class CountingModel(BaseChatModel):
    """Answers that content does not shift, and reports its usage."""

    @property
    def _llm_type(self) -> str:
        return "counting"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        message = AIMessage(
            "Answer: none",
            usage_metadata={"input_tokens": 9, "output_tokens": 1, "total_tokens": 10},
            response_metadata={"model_name": "counting"},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_prompts_and_policies_of_wrong_types_are_refused_with_advice() -> None:
    llm = CountingModel()
    with pytest.raises(TypeError, match=r"lumber_core.PromptTemplate, not langchain_core\.prompts"):
        LumberTextSplitter(llm, prompt=LangChainPrompt.from_template("{paragraphs}"))
    with pytest.raises(TypeError, match=r"CallPolicy, not dict: pass CallPolicy\(\*\*policy\)"):
        LumberTextSplitter(llm, policy={"attempts": 3})


def test_functions_of_documents_refuse_texts_nodes_and_dicts_with_advice() -> None:
    node = SimpleNamespace(to_langchain_format=lambda: None)
    calls: list[Any] = [
        *(PassageRetriever().add_documents, PassageRetriever().sync),
        *(PassageJoiner(texts={}).compress_documents, lambda texts: cite(["a quote"], texts)),
        *(join_pages, format_passages, ContextEmbeddings),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"not str: pass Document\(text\) for a text$"):
            call(["a text"])
        with pytest.raises(TypeError, match=r"pass document.to_langchain_format\(\)"):
            call([node])
        with pytest.raises(TypeError, match=r"not dict: pass \[Document\(\*\*each\)"):
            call([dict(Document("a text"))])


@every_splitter
def test_texts_in_place_of_documents_and_the_reverse_are_refused_with_the_right_method(make: Any):
    splitter = make()
    with pytest.raises(TypeError, match="not str: use create_documents or split_text for texts"):
        splitter.split_documents(["text"])
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        splitter.split_documents(Document(page_content="text"))
    with pytest.raises(TypeError, match="not Document; pass its page_content"):
        splitter.split_text(Document(page_content="text"))
    with pytest.raises(TypeError, match="not Document; pass its page_content"):
        splitter.create_documents([Document(page_content="text")])


@pytest.mark.parametrize("through", ["directly", "as a runnable"])
def test_usage_callbacks_and_tracers_see_calls_from_threads(through: str) -> None:
    documents = [Document(page_content="One.\n\nTwo.\n\nThree.")] * 6
    splitter = LumberTextSplitter(CountingModel(), max_concurrency=4)
    with get_usage_metadata_callback() as usage, collect_runs() as runs:
        if through == "directly":
            splitter.split_documents(documents)
        else:
            RunnableLambda(splitter.split_documents).invoke(documents, {"tags": ["split"]})
    assert usage.usage_metadata["counting"]["total_tokens"] == 60
    if through == "directly":
        assert len(runs.traced_runs) == 6
    else:
        (run,) = runs.traced_runs
        assert [child.tags for child in run.child_runs] == [["split"]] * 6


def test_errors_explain_settings_that_only_vector_stores_have() -> None:
    retriever = PassageRetriever()
    with pytest.raises(TypeError, match="a query has no setting 'top_k': use k"):
        retriever.invoke("otters", top_k=3)
    with pytest.raises(TypeError, match="context must be True or False, not 3"):
        retriever.invoke("otters", context=3)
    with pytest.raises(TypeError, match="'ids': use"):
        PassageRetriever.from_documents([Document("Otters swim.", id="a")], ids=["a"])
