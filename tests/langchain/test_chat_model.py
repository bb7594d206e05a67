"""A LangChain chat model as the model of a splitter: its identity, its retries, its secrets."""

from __future__ import annotations

import asyncio
import threading
import time
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
from pydantic import Field, SecretStr

from langchain_lumber import LumberTextSplitter
from langchain_lumber.chat_model import ChatModel
from lumber_core import AnswerStore, CallPolicy

KEY = "planted-4711-0815"


class ServerModel(GenericFakeChatModel):
    """With the settings that chat models of OpenAI-style servers have."""

    model_name: str = "m"
    openai_api_base: str | None = None
    openai_api_key: SecretStr | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    model_kwargs: dict[str, Any] = Field(default_factory=dict)
    default_headers: dict[str, str] | None = None
    extra_body: dict[str, Any] | None = None
    max_retries: int | None = 2
    request_timeout: float | None = None


def model(**settings: Any) -> ServerModel:
    return ServerModel(messages=iter(()), **settings)


def identity(**settings: Any) -> str:
    return ChatModel(model(**settings)).identity


@pytest.mark.parametrize(
    "settings",
    [
        {"openai_api_base": "http://127.0.0.1:8000/v1"},
        {"model_name": "n"},
        {"temperature": 0.5},
        {"model_kwargs": {"seed": 1}},
        {"default_headers": {"X-Model": "other"}},
        {"extra_body": {"provider": {"order": ["a", "b"]}}},
    ],
)
def test_the_identity_covers_what_changes_answers(settings: dict[str, Any]) -> None:
    assert identity(**settings) != identity()
    assert identity(**settings) == identity(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"openai_api_key": SecretStr(KEY)},
        {"max_retries": 0},
        {"request_timeout": 3},
        {"callbacks": []},
    ],
)
def test_the_identity_is_that_of_another_key(settings: dict[str, Any]) -> None:
    assert identity(**settings) == identity()


def test_asking_does_not_change_the_identity() -> None:
    llm = FakeListChatModel(responses=["Answer: none", "Answer: ID 2"])
    asked = ChatModel(llm)
    before = asked.identity
    asked.complete("s", "u")
    assert asked.identity == before
    assert before != ChatModel(FakeListChatModel(responses=["Answer: none"])).identity


@pytest.mark.parametrize(("own", "counted"), [(None, 2), (0, 0), (5, 5)])
def test_the_models_own_retries_are_counted(own: int | None, counted: int) -> None:
    assert ChatModel(model(max_retries=own)).client_retries == counted
    assert ChatModel(FakeListChatModel(responses=["x"])).client_retries == 0


BEGUN = threading.Event()


class SlowModel(FakeListChatModel):
    """A chat model without asynchronous methods, which takes its time."""

    responses: list[str] = Field(default_factory=lambda: ["Answer: none"])

    def _call(self, *args: Any, **kwargs: Any) -> str:
        BEGUN.set()
        time.sleep(0.3)
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
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert len(store) == 1


class StalledModel(SimpleChatModel):
    """A chat model whose server dribbles: its client never gives up."""

    @property
    def _llm_type(self) -> str:
        return "stalled"

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        time.sleep(20)
        return "too late"


def test_a_chat_model_that_never_answers_ends_with_the_policys_time() -> None:
    splitter = LumberTextSplitter(StalledModel(), policy=CallPolicy(attempts=1, call_timeout=0.2))
    begun = time.monotonic()
    segmentation = asyncio.run(splitter.chunker.asegment("One.\n\nTwo.\n\nThree.\n\nFour."))
    assert time.monotonic() - begun < 10
    assert "no complete answer within 0.2 s" in segmentation.failures[0].reason
