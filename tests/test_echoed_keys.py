"""A key that a server echoes in an error is not told by splitters that ask a framework's model.

`langchain-openai` and `llama-index-llms-openai` are not in the environment of the tests: these
models do what theirs do. They hold the key in a field and in the client of the `openai` package
that they make from it, and let the client's errors through.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from llama_index.core.base.llms.types import CompletionResponseGen
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from pydantic import PrivateAttr, SecretStr

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import CallPolicy, Chunker, Completion, LumberChunker, ModelJudge
from lumber_core.errors import ModelSettingsError
from tests.core.llms.conftest import need
from tests.loopback.faults import Status
from tests.loopback.server import LoopbackServer

KEY = "planted4711"
TEXT = "\n\n".join(f"Paragraph {number} has some words in it." for number in range(30))
POLICY = CallPolicy(attempts=2, initial_backoff=0.001, max_backoff=0.01, give_up_after=1)


def client(url: str) -> Any:
    import openai

    return openai.OpenAI(api_key=KEY, base_url=url, max_retries=0)


def answer(asked: Any, prompt: str) -> str:
    messages: Any = [{"role": "user", "content": prompt}]
    return str(asked.chat.completions.create(model="m", messages=messages).choices[0].message)


class ChatServer(SimpleChatModel):
    """As `ChatOpenAI`: the key is a `SecretStr`."""

    base_url: str
    openai_api_key: SecretStr = SecretStr(KEY)
    max_retries: int = 0

    @property
    def _llm_type(self) -> str:
        return "chat-server"

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        return answer(client(self.base_url), str(messages[-1].content))


class ServerLLM(CustomLLM):
    """As LlamaIndex's `OpenAI`: the key is a string."""

    api_base: str
    api_key: str = KEY
    max_retries: int = 0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=answer(client(self.api_base), prompt))

    def stream_complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponseGen:
        raise NotImplementedError


class ClientLLM(ServerLLM):
    """The key is known to the client alone."""

    api_key: str = ""
    _client: Any = PrivateAttr()

    def complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponse:
        self._client = client(self.api_base)
        return CompletionResponse(text=answer(self._client, prompt))


class UsersModel:
    """A custom model, with a client of its own."""

    identity = "user's"

    def __init__(self, url: str) -> None:
        self.client = client(url)

    def complete(self, system: str, user: str, *, answers: object = None) -> Completion:
        return Completion(answer(self.client, user))

    async def acomplete(self, system: str, user: str, *, answers: object = None) -> Completion:
        return self.complete(system, user)


def llama_index(model: type[ServerLLM]) -> Callable[[str], Chunker]:
    return lambda url: LumberNodeParser(llm=model(api_base=url), policy=POLICY).chunker


SPLITTERS: dict[str, Callable[[str], Chunker]] = {
    "LangChain": lambda url: LumberTextSplitter(ChatServer(base_url=url), policy=POLICY).chunker,
    "LlamaIndex": llama_index(ServerLLM),
    "LlamaIndex, client": llama_index(ClientLLM),
    "custom": lambda url: LumberChunker(ModelJudge(UsersModel(url), policy=POLICY)),
}
WAYS: dict[str, Callable[[Chunker], Any]] = {
    "sync": lambda chunker: chunker.segment(TEXT),
    "async": lambda chunker: asyncio.run(chunker.asegment(TEXT)),
}


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.fixture(params=SPLITTERS)
def make(request: pytest.FixtureRequest) -> Callable[[str], Chunker]:
    need("openai")
    return SPLITTERS[request.param]


@pytest.mark.parametrize("way", WAYS)
def test_an_error_about_the_settings_tells_no_key(
    make: Callable[[str], Chunker], way: str, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = Status(401, f"the key {KEY} is not one of ours")
    with (
        LoopbackServer(faults=lambda _: refusal) as server,
        caplog.at_level(logging.INFO),
        pytest.raises(ModelSettingsError) as caught,
    ):
        WAYS[way](make(server.openai_url))
    assert "the key [redacted] is not one of ours" in str(caught.value)
    for error in chain(caught.value):
        assert KEY not in f"{error!s} {error!r} {vars(error)}"
    assert KEY not in caplog.text


@pytest.mark.parametrize("way", WAYS)
def test_a_reason_and_the_log_tell_no_key(
    make: Callable[[str], Chunker], way: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Status(500, f"the key {KEY} broke something")
    with LoopbackServer(faults=lambda _: broken) as server, caplog.at_level(logging.INFO):
        segmentation = WAYS[way](make(server.openai_url))
    reasons = [verdict.reason for verdict in segmentation.failures]
    assert "the key [redacted] broke something" in reasons[0]
    assert "attempt 1 failed" in caplog.text
    assert "in a row without a usable answer" in caplog.text
    assert KEY not in f"{reasons} {segmentation!r} {caplog.text}"
