import asyncio
import pickle
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMCompletionStartEvent
from llama_index.core.llms import CustomLLM, LLMMetadata, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, Document, NodeRelationship
from pydantic import Field, PrivateAttr

from llamaindex_lumber import GreedyNodeParser, LumberNodeParser
from tests.langchain.test_text_splitters import TEXT


class ScriptedLLM(CustomLLM):
    """A chat model that gives the same answers, one after the other, in every conversation."""

    answers: list[str] = Field(default_factory=list)
    _asked: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", is_chat_model=True)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("a chat model is asked in chat form")

    stream_complete = complete

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        self._asked.append(list(messages))
        answer = self.answers[(len(self._asked) - 1) % len(self.answers)]
        return ChatResponse(
            message=ChatMessage.from_str(answer, "assistant"),
            raw={"usage": {"prompt_tokens": 70, "completion_tokens": 5}},
        )

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        await asyncio.sleep(0)
        return self.chat(messages, **kwargs)


def model_with_answers(*answers: str) -> ScriptedLLM:
    return ScriptedLLM(answers=list(answers))


def number_node(i: int, doc: BaseNode) -> str:
    return f"{doc.node_id}/{i}"


class InstrumentedLLM(MockLLM):
    """A model with the decorators of LlamaIndex, which report each call."""

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="Answer: ID 2" if "ID 0:" in prompt else "Answer: none")


class TestLumber:
    def test_callbacks_and_instrumentation_see_each_model_call(self) -> None:
        seen: list[LLMCompletionStartEvent] = []

        class Watcher(BaseEventHandler):
            def handle(self, event: Any, **kwargs: Any) -> None:
                if isinstance(event, LLMCompletionStartEvent):
                    seen.append(event)

        dispatcher = get_dispatcher("root")
        watcher = Watcher()
        dispatcher.add_event_handler(watcher)
        handler = LlamaDebugHandler(print_trace_on_end=False)
        llm = InstrumentedLLM(max_tokens=None, callback_manager=CallbackManager([handler]))
        try:
            LumberNodeParser(llm=llm)([Document(text=TEXT)])
        finally:
            dispatcher.event_handlers.remove(watcher)
        assert len(seen) == 2
        assert len(handler.get_event_pairs(CBEventType.LLM)) >= 2

    async def test_the_model_decides_where_nodes_start(self) -> None:
        llm, documents = model_with_answers("Answer: ID 2", "Answer: none"), [Document(text=TEXT)]
        parser = LumberNodeParser(llm=llm)
        nodes = parser.get_nodes_from_documents(documents)
        assert [node.start_char_idx for node in nodes] == [0, TEXT.index("At sea")]
        system, user = llm._asked[0]
        assert system.role == "system"
        assert "ID 3: The mate went below." in (user.content or "")
        texts = [node.text for node in nodes]
        assert [node.text for node in await parser.aget_nodes_from_documents(documents)] == texts
        assert [node.text for node in await parser.acall(documents)] == texts

    def test_usage_is_in_the_segmentation(self) -> None:
        usage = LumberNodeParser(llm=model_with_answers("Answer: none")).segment(TEXT).usage
        assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 70, 5)


@pytest.mark.parametrize("make", [GreedyNodeParser, LumberNodeParser])
class TestBoth:
    def test_metadata_is_included_or_not_by_the_setting(self, make: Any) -> None:
        document = Document(text=TEXT, metadata={"source": "a"})
        nodes = make()([document])
        assert {key: value for key, value in nodes[0].metadata.items() if value} == {"source": "a"}
        assert all(node.metadata == nodes[0].metadata for node in nodes)
        assert all(node.metadata == {} for node in make(include_metadata=False)([document]))

    def test_neighbours_are_linked_or_not_by_the_setting(self, make: Any) -> None:
        settings = {"chunk_size": 8, "tokenizer": "words"}
        first, second, *_ = make(**settings)([Document(text=TEXT)])
        assert first.next_node.node_id == second.node_id
        assert second.prev_node.node_id == first.node_id
        node, *_ = make(**settings, include_prev_next_rel=False)([Document(text=TEXT)])
        assert NodeRelationship.NEXT not in node.relationships

    def test_id_func_names_the_nodes(self, make: Any) -> None:
        nodes = make(id_func=number_node, chunk_size=8)([Document(text=TEXT, id_="d")])
        assert [node.node_id for node in nodes] == [f"d/{n}" for n in range(len(nodes))]

    def test_callbacks_see_parsing_and_chunking(self, make: Any) -> None:
        handler = LlamaDebugHandler(print_trace_on_end=False)
        parser = make(callback_manager=CallbackManager([handler]))
        nodes = parser.get_nodes_from_documents([Document(text=TEXT), Document(text="Two.")])
        chunked = handler.get_event_pairs(CBEventType.CHUNKING)
        assert len(chunked) == 2
        assert chunked[1][1].payload == {"chunks": ["Two."]}
        assert len(handler.get_event_pairs(CBEventType.NODE_PARSING)) == 1
        assert nodes

    def test_unknown_keyword_arguments_of_parse_nodes_are_accepted(self, make: Any) -> None:
        documents = [Document(text=TEXT), Document(text="Two.")]
        nodes = make().get_nodes_from_documents(documents, unknown=1)
        assert [node.text for node in nodes] == [node.text for node in make()(documents)]

    def test_nodes_of_nodes_without_offsets_get_no_offsets(self, make: Any) -> None:
        parent = SentenceSplitter()([Document(text=TEXT)])[0]
        parent.start_char_idx = None
        assert {node.start_char_idx for node in make()([parent])} == {None}

    def test_a_setting_that_cannot_be_pickled_is_named(self, make: Any) -> None:
        parser = make(tokenizer=lambda text: len(text))
        with pytest.raises(TypeError, match="tokenizer cannot be pickled"):
            pickle.dumps(parser)

    def test_a_cache_of_calls_treats_a_used_parser_like_a_new_one(self, make: Any) -> None:
        parser = make()
        before = pickle.dumps(parser)
        assert parser([Document(text=TEXT)])
        assert pickle.dumps(parser) == before != pickle.dumps(make(chunk_size=99))


def test_a_text_that_llamaindex_cannot_hash_is_refused_before_any_work() -> None:
    calls: list[str] = []
    good, bad = Document(text="One. " * 90), Document(text="Half \ud83d a pair.", id_="notes.txt")
    parser = GreedyNodeParser(tokenizer=lambda text: calls.append(text) or len(text))
    with pytest.raises(ValueError, match=r"'notes.txt' has a lone surrogate.*encode"):
        parser.get_nodes_from_documents([good, bad])
    assert calls == []
    mended = bad.text.encode("utf-8", "replace").decode()
    assert GreedyNodeParser().get_nodes_from_documents([good, Document(text=mended)])
