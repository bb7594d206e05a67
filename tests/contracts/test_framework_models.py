"""A language model of either framework behind a splitter: its identity, retries, time and key."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel, SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableLambda
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from llama_index.core.llms.structured_llm import StructuredLLM
from pydantic import Field, PrivateAttr, SecretStr

from langchain_lumber import LumberTextSplitter
from langchain_lumber.chat_model import ChatModel
from llamaindex_lumber.llm import LlamaIndexModel
from lumber_core import AnswerStore, CallPolicy, ModelUnavailableError
from tests.core.lumber.support import segment

KEY = "planted-4711-0815"


class Threshold(Enum):
    """A value of a setting, as clients have them."""

    NONE = "BLOCK_NONE"
    SOME = "BLOCK_SOME"


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
    _generation: dict[str, Any] = PrivateAttr(default_factory=dict)
    _calls: int = PrivateAttr(0)
    _model_id: str = PrivateAttr("a")
    _cached_content: str | None = PrivateAttr(None)

    def __init__(
        self, client: Any = None, generation: Any = None, private: Any = None, **settings: Any
    ):
        super().__init__(**settings)
        self._client = client
        self._generation = generation or {}
        for name, value in (private or {}).items():
            setattr(self, name, value)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self._calls += 1
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
    (llamaindex, {"generation": {"max_output_tokens": 5}}),
    (llamaindex, {"private": {"_model_id": "b"}}),
    (llamaindex, {"private": {"_cached_content": "cachedContents/9"}}),
    (llamaindex, {"generation": {"thinking_config": {"thinking_budget": 0}}}),
    (llamaindex, {"generation": {"safety": [{"threshold": Threshold.NONE}]}}),
]
CHANGES_NOTHING: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (langchain, {"openai_api_key": SecretStr(KEY)}),
    *((langchain, {"max_retries": 0}), (langchain, {"request_timeout": 3})),
    *((langchain, {"callbacks": []}), (llamaindex, {"api_key": KEY})),
    (llamaindex, {"timeout": 3.0}),
    (langchain, {"model_kwargs": {"stream": True, "max_retries": 4}}),
    (llamaindex, {"generation": {"timeout": 3, "stream_options": {"include_usage": True}}}),
    (llamaindex, {"additional_kwargs": {"request_timeout": 3, "retries": 2}}),
]


def test_the_identity_covers_all_settings_that_change_answers_and_no_others() -> None:
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
    assert len({chat_model.identity for chat_model in (wrap(), model(1), model(2), routed)}) == 4
    assert model(1).identity == model(1, api_key="another-key").identity
    assert model(1).server == "http://127.0.0.1:1/v1/"


def test_asking_does_not_change_the_identity() -> None:
    model = ChatModel(FakeListChatModel(responses=["Answer: none", "Answer: ID 2"]))
    before = model.identity
    model.complete("s", "u")
    assert model.identity == before
    assert before != ChatModel(FakeListChatModel(responses=["Answer: none"])).identity
    counting = llamaindex()
    before = counting.identity
    counting.complete("s", "u")
    assert counting.identity == before


def test_the_models_own_retries_are_counted() -> None:
    for max_retries, counted in ((None, 2), (0, 0), (5, 5)):
        assert langchain(max_retries=max_retries).client_retries == counted
    assert llamaindex(max_retries=5).client_retries == 5
    assert ChatModel(FakeListChatModel(responses=["x"])).client_retries == 0
    assert LlamaIndexModel(MockLLM()).client_retries == 0


def test_only_retries_that_a_failed_call_had_time_for_are_counted() -> None:
    for wrap in (langchain, llamaindex):
        model = wrap(max_retries=5)
        retries = [model.estimate_retries(seconds) for seconds in (0.0, 0.2, 1.2, 12, 600)]
        assert retries == [0, 0, 2, 5, 5]
        assert wrap(max_retries=0).estimate_retries(60.0) == 0


class StatusError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class FailingModel(FakeListChatModel):
    """A model whose client raises errors before it answers, and retries none of them."""

    responses: list[str] = Field(default_factory=lambda: ["Answer: none"])
    errors: list[Any] = Field(default_factory=list)
    max_retries: int = 5

    def _call(self, *args: Any, **kwargs: Any) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return super()._call(*args, **kwargs)


GROUPS = "The tide was low, and nobody came.\n\n" * 300


def test_errors_that_a_client_does_not_retry_are_retried_by_the_library() -> None:
    model = FailingModel(errors=[StatusError(429), StatusError(503), StatusError(429)])
    policy = CallPolicy(initial_backoff=0.01, max_backoff=0.02)
    segmentation = LumberTextSplitter(model, policy=policy).segment(GROUPS)
    assert not segmentation.failures
    assert not model.errors


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION"])
def test_answers_that_a_client_reports_as_errors_become_verdicts(reason: str) -> None:
    errors = [RuntimeError(f"Response was terminated early: {reason}") for _ in range(5)]
    segmentation = LumberTextSplitter(FailingModel(errors=errors)).segment(GROUPS)
    assert [verdict.outcome for verdict in segmentation.failures] == ["refused"] * 5


def test_a_bug_of_a_client_is_raised() -> None:
    with pytest.raises(KeyError, match="choices"):
        LumberTextSplitter(FailingModel(errors=[KeyError("choices")])).segment(GROUPS)


@pytest.mark.parametrize("error", [KeyError("choices"), TypeError("'NoneType'"), IndexError(0)])
def test_a_reply_that_a_providers_client_cannot_read_is_asked_for_again(error: Exception) -> None:
    client = type("Chat", (FailingModel,), {"__module__": "langchain_example"})
    policy = CallPolicy(initial_backoff=0.01)
    segmentation = LumberTextSplitter(client(errors=[error]), policy=policy).segment(GROUPS)
    assert not segmentation.failures
    with pytest.raises(ModelUnavailableError, match=type(error).__name__):
        LumberTextSplitter(client(errors=[error] * 9), policy=policy).segment(GROUPS)


class LoopBoundModel(FakeListChatModel):
    """A model whose asynchronous client belongs to the event loop in which it was first used."""

    responses: list[str] = Field(default_factory=lambda: ["Answer: none"])
    _loop: Any = PrivateAttr(None)

    async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
        self._loop = self._loop or asyncio.get_running_loop()
        if self._loop is not asyncio.get_running_loop():
            raise RuntimeError("Event loop is closed")
        return self._generate(*args[:1])


def test_a_model_works_in_any_event_loop() -> None:
    splitter = LumberTextSplitter(LoopBoundModel(), max_concurrency=16)
    chunker = splitter.chunker
    runs = [asyncio.run(chunker.call_async(chunker.segment, GROUPS)) for _ in range(3)]
    assert not any(run.failures for run in runs)
    assert runs[0].spans == runs[2].spans


FIELD = ConfigurableField("model_name")


def models_by_way() -> dict[str, Any]:
    model = ServerChatModel(messages=iter(()))
    other = ServerChatModel(messages=iter(()), model_name="n")
    chosen = model.configurable_alternatives(FIELD, default_key="m", n=other)
    return {
        "model": model,
        "fallbacks": model.with_fallbacks([other]),
        "other fallbacks": other.with_fallbacks([model]),
        "bound": model.bind(stop=["."]),
        "chosen": chosen.with_config(configurable={"model_name": "n"}),
        "field": model.configurable_fields(temperature=FIELD).with_config(
            configurable={"model_name": 0.7}
        ),
    }


def test_models_with_fallbacks_and_configurations_are_distinguished() -> None:
    identities = {name: ChatModel(model).identity for name, model in models_by_way().items()}
    assert len({*identities.values()}) == len(identities)
    assert identities == {
        name: ChatModel(model).identity for name, model in models_by_way().items()
    }


def test_settings_without_effect_on_answers_are_not_in_the_identity_of_a_model() -> None:
    model = ServerChatModel(messages=iter(()))
    equal_models = [
        model.with_retry(),
        model.with_config(tags=["t"]),
        model.with_retry().with_config({}),
    ]
    assert {ChatModel(equal_model).identity for equal_model in equal_models} == {
        ChatModel(model).identity
    }
    assert ChatModel(model.with_retry(stop_after_attempt=2)).client_retries == 5


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_model_with_fallbacks_answers(way: str) -> None:
    failing = FailingModel(errors=[StatusError(500) for _ in range(99)])
    model = failing.with_fallbacks([FakeListChatModel(responses=["Answer: none"])])
    chunker = LumberTextSplitter(model.with_retry(stop_after_attempt=1)).chunker
    assert not segment(chunker, GROUPS, way).failures


def test_chains_are_refused_with_advice() -> None:
    model = FakeListChatModel(responses=["Answer: none"])
    prompt = ChatPromptTemplate.from_messages([("human", "{x}")])
    for chain in (prompt | model, model | StrOutputParser(), RunnableLambda(str)):
        with pytest.raises(TypeError, match=r"pass the model, not a chain.*prompt=PromptTemplate"):
            LumberTextSplitter(chain)
    with pytest.raises(TypeError, match=r"llm\.llm"):
        LlamaIndexModel(StructuredLLM(llm=MockLLM(), output_cls=CompletionResponse))


BEGUN, CANCELLED = threading.Event(), threading.Event()


class SlowModel(FakeListChatModel):
    """A chat model without asynchronous methods, which answers after a cancellation."""

    responses: list[str] = Field(default_factory=lambda: ["Answer: none"])

    def _call(self, *args: Any, **kwargs: Any) -> str:
        BEGUN.set()
        assert CANCELLED.wait(60)
        return super()._call(*args, **kwargs)


def test_the_answer_of_a_model_without_async_methods_outlasts_a_cancellation(tmp_path: Path):
    store = AnswerStore(tmp_path / "answers.db")
    splitter = LumberTextSplitter(llm=SlowModel(), store=store)

    async def cancelled() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        chunker = splitter.chunker
        task = asyncio.ensure_future(chunker.call_async(chunker.segment, "One.\n\nTwo."))
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


def test_a_model_that_never_answers_is_stopped_at_the_policys_timeout() -> None:
    policy = CallPolicy(attempts=1, call_timeout=0.2)
    chunker = LumberTextSplitter(StalledModel(), policy=policy).chunker
    with pytest.raises(ModelUnavailableError, match=r"no complete answer within 0\.2 s"):
        asyncio.run(chunker.call_async(chunker.segment, "One.\n\nTwo.\n\nThree.\n\nFour."))
    assert not ENDED.is_set()
    ENDED.set()
