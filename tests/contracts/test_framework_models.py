"""A language model of either framework behind a splitter: its identity, retries, time and key."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import (
    FakeListChatModel,
    GenericFakeChatModel,
    SimpleChatModel,
)
from langchain_core.messages import BaseMessage
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from pydantic import Field, PrivateAttr, SecretStr

from langchain_lumber import LumberTextSplitter
from langchain_lumber.chat_model import ChatModel
from llamaindex_lumber.llm import LlamaIndexModel
from lumber_core import AnswerStore, CallPolicy, ModelUnavailableError

KEY = "planted-4711-0815"


class ServerChatModel(GenericFakeChatModel):
    """With the settings that chat models of OpenAI-style servers have."""

    model_name: str = "m"
    openai_api_base: str | None = None
    openai_api_key: SecretStr | None = None
    temperature: float | None = None
    model_kwargs: dict[str, Any] = Field(default_factory=dict)
    default_headers: dict[str, str] | None = None
    extra_body: dict[str, Any] | None = None
    client: Any = None
    max_retries: int | None = 2
    request_timeout: float | None = None


class ServerLLM(CustomLLM):
    """With the settings that LLMs of OpenAI-style servers have."""

    model: str = "m"
    api_key: str | None = None
    api_base: str | None = None
    temperature: float = 0.1
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    default_headers: dict[str, str] | None = None
    max_retries: int = 3
    timeout: float = 60.0
    max_tokens: int | None = None
    _client: Any = PrivateAttr(None)

    def __init__(self, client: Any = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._client = client

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="Answer: none")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("nothing is streamed")


def langchain(**settings: Any) -> ChatModel:
    return ChatModel(ServerChatModel(messages=iter(()), **settings))


def llamaindex(**settings: Any) -> LlamaIndexModel:
    return LlamaIndexModel(ServerLLM(**settings))


CHANGES_ANSWERS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (langchain, {"openai_api_base": "http://127.0.0.1:8000/v1"}),
    (langchain, {"model_name": "n"}),
    (langchain, {"temperature": 0.5}),
    (langchain, {"model_kwargs": {"seed": 1}}),
    (langchain, {"default_headers": {"X-Model": "other"}}),
    (langchain, {"extra_body": {"provider": {"order": ["a", "b"]}}}),
    (llamaindex, {"api_base": "http://127.0.0.1:8000/v1"}),
    (llamaindex, {"model": "n"}),
    (llamaindex, {"max_tokens": 5}),
    (llamaindex, {"system_prompt": "Be brief."}),
    (llamaindex, {"additional_kwargs": {"seed": 1}}),
]
CHANGES_NOTHING: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (langchain, {"openai_api_key": SecretStr(KEY)}),
    (langchain, {"max_retries": 0}),
    (langchain, {"request_timeout": 3}),
    (langchain, {"callbacks": []}),
    (llamaindex, {"api_key": KEY}),
    (llamaindex, {"timeout": 3.0}),
]


def test_the_identity_covers_what_changes_answers_and_nothing_else() -> None:
    for wrap, settings in CHANGES_ANSWERS:
        assert wrap(**settings).identity != wrap().identity, settings
        assert wrap(**settings).identity == wrap(**settings).identity, settings
    for wrap, settings in CHANGES_NOTHING:
        assert wrap(**settings).identity == wrap().identity, settings


@pytest.mark.parametrize("wrap", [langchain, llamaindex])
def test_the_clients_that_a_model_holds_are_part_of_its_identity(wrap: Callable[..., Any]) -> None:
    import openai

    def model(port: int, **settings: Any) -> Any:
        url = f"http://user:{KEY}@127.0.0.1:{port}/v1"
        return wrap(client=openai.OpenAI(base_url=url, **{"api_key": KEY, **settings}))

    routed = model(1, default_headers={"X-Route": "other"})
    assert len({each.identity for each in (wrap(), model(1), model(2), routed)}) == 4
    assert model(1).identity == model(1, api_key="another-key").identity
    assert model(1).server == "http://127.0.0.1:1/v1/"


def test_asking_does_not_change_the_identity() -> None:
    asked = ChatModel(FakeListChatModel(responses=["Answer: none", "Answer: ID 2"]))
    before = asked.identity
    asked.complete("s", "u")
    assert asked.identity == before
    assert before != ChatModel(FakeListChatModel(responses=["Answer: none"])).identity


def test_the_models_own_retries_are_counted() -> None:
    for own, counted in ((None, 2), (0, 0), (5, 5)):
        assert langchain(max_retries=own).client_retries == counted
    assert llamaindex(max_retries=5).client_retries == 5
    assert ChatModel(FakeListChatModel(responses=["x"])).client_retries == 0
    assert LlamaIndexModel(MockLLM()).client_retries == 0


BEGUN, CANCELLED = threading.Event(), threading.Event()


class SlowModel(FakeListChatModel):
    """A chat model without asynchronous methods, which answers after a cancellation."""

    responses: list[str] = Field(default_factory=lambda: ["Answer: none"])

    def _call(self, *args: Any, **kwargs: Any) -> str:
        BEGUN.set()
        assert CANCELLED.wait(60)
        return super()._call(*args, **kwargs)


def test_the_answer_of_a_model_without_async_methods_outlasts_a_cancellation(
    tmp_path: Path,
) -> None:
    store = AnswerStore(tmp_path / "answers.db")
    splitter = LumberTextSplitter(llm=SlowModel(), store=store)

    async def cancelled() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        task = asyncio.ensure_future(splitter.chunker.asegment("One.\n\nTwo."))
        while not BEGUN.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0)
        CANCELLED.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert len(store) == 1


ENDED = threading.Event()


class StalledModel(SimpleChatModel):
    """A chat model whose server dribbles: its client never gives up."""

    @property
    def _llm_type(self) -> str:
        return "stalled"

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        ENDED.wait(120)
        ENDED.set()
        return "too late"


def test_a_model_that_never_answers_ends_with_the_policys_time() -> None:
    policy = CallPolicy(attempts=1, call_timeout=0.2)
    splitter = LumberTextSplitter(StalledModel(), policy=policy)
    with pytest.raises(ModelUnavailableError, match=r"no complete answer within 0\.2 s"):
        asyncio.run(splitter.chunker.asegment("One.\n\nTwo.\n\nThree.\n\nFour."))
    assert not ENDED.is_set()
    ENDED.set()
