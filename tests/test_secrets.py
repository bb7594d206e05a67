"""A planted key is never shown, logged, stored or reported; only pickles contain it.

`langchain-openai` and `llama-index-llms-openai` are not in the environment of the tests: the models
of the frameworks here do what theirs do. They hold the key in a field and in the client of the
`openai` package that they make from it, and let the client's errors through.
"""

import asyncio
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.stores import InMemoryByteStore
from llama_index.core.base.llms.types import CompletionResponseGen
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from pydantic import Field, PrivateAttr, SecretStr

from langchain_lumber import GreedyTextSplitter, LumberTextSplitter
from llamaindex_lumber import GreedyNodeParser, LumberNodeParser
from lumber_core import BertChunker, CallPolicy, Chunker, GreedyChunker, LumberChunker, ModelJudge
from lumber_core.errors import ModelSettingsError
from lumber_core.llms import GeminiModel, OpenAIModel
from lumber_evaluation.comparison import compare
from lumber_evaluation.report import render, report_json
from lumber_evaluation.splitters import readable_repr
from tests.cli.running import run
from tests.core.llms.test_stalled_servers import UsersModel
from tests.evaluation.comparing import WordEmbedder, corpus
from tests.lexical_judge import LexicalJudge
from tests.loopback.faults import Fault, Status
from tests.loopback.server import LoopbackServer, Request

KEY = "planted4711"
TEXT = "\n\n".join(f"Paragraph {number} has some words in it." for number in range(30))
FAST = CallPolicy(attempts=2, initial_backoff=0.001, max_backoff=0.01, give_up_after=None)


def echo(request: Request) -> Fault | None:
    """Fail on every second request, and put the whole request into the error."""
    headers = {name: value for name, value in request.headers.items() if KEY in value}
    return None if request.number % 2 else Status(500, f"cannot serve {headers}")


def client(url: str) -> Any:
    import openai

    return openai.OpenAI(api_key=KEY, base_url=url, max_retries=0)


def answer(receiver: Any, prompt: str) -> str:
    messages: Any = [{"role": "user", "content": prompt}]
    return str(receiver.chat.completions.create(model="m", messages=messages).choices[0].message)


class ChatServer(SimpleChatModel):
    """Like `ChatOpenAI`: the key is a `SecretStr`."""

    base_url: str
    openai_api_key: SecretStr = SecretStr(KEY)
    max_retries: int = 0

    @property
    def _llm_type(self) -> str:
        return "chat-server"

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        return answer(client(self.base_url), str(messages[-1].content))


class ServerLLM(CustomLLM):
    """Like LlamaIndex's `OpenAI`: the key is a string."""

    api_base: str
    api_key: str = KEY
    default_headers: dict[str, str] | None = None
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    max_retries: int = 0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=answer(client(self.api_base), prompt))

    def stream_complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponseGen:
        raise NotImplementedError


class ClientLLM(ServerLLM):
    """Only the client has the key."""

    api_key: str = ""
    _client: Any = PrivateAttr()

    def complete(self, prompt: str, *args: Any, **kwargs: Any) -> CompletionResponse:
        self._client = client(self.api_base)
        return CompletionResponse(text=answer(self._client, prompt))


def of_core(model: Any, policy: CallPolicy = FAST, **more: Any) -> LumberChunker:
    return LumberChunker(ModelJudge(model, policy=policy), **more)


def of_langchain(model: Any, **settings: Any) -> Chunker:
    return LumberTextSplitter(llm=model, **settings).chunker


def of_llama_index(model: Any, **settings: Any) -> Chunker:
    return LumberNodeParser(llm=model, **settings).chunker


MODELS: dict[str, tuple[Callable[..., Chunker], Callable[[LoopbackServer], Any]]] = {
    "OpenAI": (of_core, lambda server: OpenAIModel("m", base_url=server.openai_url, api_key=KEY)),
    "Gemini": (of_core, lambda server: GeminiModel("m", base_url=server.url, api_key=KEY)),
    "custom": (of_core, lambda server: UsersModel(server.openai_url, KEY)),
    "LangChain": (of_langchain, lambda server: ChatServer(base_url=server.openai_url)),
    "LlamaIndex": (of_llama_index, lambda server: ServerLLM(api_base=server.openai_url)),
    "LlamaIndex, client": (of_llama_index, lambda server: ClientLLM(api_base=server.openai_url)),
}
WAYS: dict[int, Callable[[Chunker], Any]] = {
    1: lambda chunker: chunker.segment(TEXT),
    2: lambda chunker: asyncio.run(chunker.call_async(chunker.segment, TEXT)),
}
"""By the number of attempts for a question; one way for each is enough."""


every_model = pytest.mark.parametrize("name", MODELS)


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@every_model
@pytest.mark.parametrize("attempts", WAYS)
def test_splitting_reveals_no_key(name: str, attempts: int, tmp_path: Path, caplog) -> None:
    make, model_at = MODELS[name]
    policy = CallPolicy(attempts=attempts, initial_backoff=0.001, give_up_after=None)
    with LoopbackServer("Answer: none", faults=echo) as server, caplog.at_level(logging.DEBUG):
        chunker = make(model_at(server), theta=40, policy=policy, store=tmp_path / "a.db")
        segmentation = WAYS[attempts](chunker)
    reasons = [verdict.reason for verdict in segmentation.verdicts]
    if attempts == 1:
        assert "[redacted]" in segmentation.failures[0].reason
    else:
        assert segmentation.failures == ()
        assert "attempt 1 failed" in caplog.text
    texts = [repr(chunker), chunker.identity, repr(segmentation), *reasons, caplog.text]
    texts += [str(chunk.metadata(verdict=True)) for chunk in chunker.chunks(TEXT, segmentation)]
    assert KEY not in "".join(texts)
    assert KEY.encode() not in files(tmp_path)
    assert files(tmp_path)


@every_model
@pytest.mark.parametrize("attempts", WAYS)
def test_an_error_about_the_settings_reveals_no_key(name: str, attempts: int, caplog) -> None:
    make, model_at = MODELS[name]
    refusal = Status(401, f"the key {KEY} is not one of ours")
    with (
        LoopbackServer(faults=lambda _: refusal) as server,
        caplog.at_level(logging.INFO),
        pytest.raises(ModelSettingsError) as caught,
    ):
        WAYS[attempts](make(model_at(server), policy=FAST))
    assert "the key [redacted] is not one of ours" in str(caught.value)
    for error in chain(caught.value):
        assert KEY not in f"{error!s} {error!r} {vars(error)}"
    assert KEY not in caplog.text


class Store(InMemoryByteStore):
    """Like a client of a server, with its credentials."""

    url = f"redis://:{KEY}@127.0.0.1"

    def __repr__(self) -> str:
        return f"Store({self.url})"


def test_splitters_of_the_frameworks_and_shared_stores_reveal_no_key() -> None:
    texts, store = [], Store()
    with LoopbackServer("Answer: none") as server:
        chat_model = MODELS["OpenAI"][1](server)
        texts += [
            repr(of_core(chat_model, store=store).segment(TEXT)),
            str(of_core(chat_model).estimate([TEXT])),
        ]
    llm = ServerLLM(
        api_base=f"http://user:{KEY}@127.0.0.1:8000/v1",
        additional_kwargs={"extra_headers": {"Authorization": f"Bearer {KEY}"}},
        default_headers={"X-Gateway-Key": KEY},
    )
    splitter = LumberTextSplitter(llm=chat_model, store=store)
    texts += [repr(splitter), str(vars(splitter))]
    parsers: list[Any] = [LumberNodeParser(llm=llm, store=store), LumberNodeParser(llm=chat_model)]
    for parser in parsers:
        texts += [repr(parser), str(parser), str(parser.to_dict()), parser.to_json()]
        texts += [parser.model_dump_json(), str(parser.model_dump()), parser.chunker.identity]
    assert [text for text in texts if KEY in text] == []
    assert store.store
    assert KEY not in str(store.store)
    # Pickles keep the key, as documented: other processes need it.
    assert pickle.loads(pickle.dumps(parsers[0])).llm.api_key == KEY
    assert KEY.encode() in pickle.dumps(chat_model)


def test_settings_in_a_report_are_without_keys_and_headers() -> None:
    class Client:
        def __init__(self) -> None:
            self.api_key = KEY
            self.default_headers = {"X-Gateway": KEY}
            self.size = 5

    assert readable_repr(Client()) == "Client(size=5)"


def test_a_report_reveals_no_key(tmp_path: Path) -> None:
    with LoopbackServer("Answer: none", faults=echo) as server:
        chunker = of_core(MODELS["OpenAI"][1](server), theta=60)
        comparison = compare(corpus(4), [chunker], embedder=WordEmbedder(), folder=tmp_path)
    assert KEY not in f"{render(comparison)} {report_json(comparison)}"
    assert KEY.encode() not in files(tmp_path)
    assert files(tmp_path)


class Holder:
    """A custom object whose `repr` contains its key."""

    identity = "holder"

    def __init__(self, key: str = KEY) -> None:
        self.key = key

    def __call__(self, given: Any) -> Any:
        return len(given) if isinstance(given, str) else None

    def __repr__(self) -> str:
        return f"Holder({self.key!r})"


def make_holder(given: Any, api_key: str) -> Any:
    return Holder(api_key)(given)


CUSTOM = [Holder(), partial(make_holder, api_key=KEY), partial(make_holder, KEY), Holder().__call__]


@pytest.mark.parametrize("custom", CUSTOM, ids=lambda custom: type(custom).__name__)
def test_custom_objects_reveal_no_key(custom: Any) -> None:
    chunkers = [LumberChunker(custom), GreedyChunker(tokenizer=custom), GreedyChunker(units=custom)]
    texts = [repr(chunker) + chunker.identity for chunker in chunkers]
    texts += [repr(LumberTextSplitter(llm=custom)), repr(GreedyTextSplitter(tokenizer=custom))]
    parsers: list[Any] = [
        LumberNodeParser(llm=custom),
        GreedyNodeParser(tokenizer=custom),
        GreedyNodeParser(units=custom),
        LumberNodeParser(store=custom),
    ]
    for parser in parsers:
        texts += [repr(parser), str(parser), parser.to_json(), parser.model_dump_json()]
    assert KEY not in "".join(texts)


def test_serialised_settings_distinguish_custom_objects() -> None:
    def key(judge: Any) -> str:
        return str(LumberNodeParser(llm=judge).to_dict())

    assert key(Holder()) == key(Holder())
    assert key(Holder()) != key(Holder("other"))
    assert (
        key(partial(make_holder, 1)) == key(partial(make_holder, 1)) != key(partial(make_holder, 2))
    )


WRONG: list[Callable[[Any], object]] = [
    lambda wrong: LumberChunker(wrong),
    lambda wrong: GreedyChunker(tokenizer=wrong),
    lambda wrong: GreedyChunker(units=wrong),
    lambda wrong: BertChunker(wrong),
    lambda wrong: LumberChunker(LexicalJudge(), method=wrong),
    lambda wrong: LumberChunker(LexicalJudge(), store=wrong),
    lambda wrong: LumberTextSplitter(wrong),
    lambda wrong: LumberNodeParser(llm=wrong, language="english"),
]


@pytest.mark.parametrize("pass_it", WRONG)
def test_a_model_of_a_framework_in_the_wrong_place_reveals_no_key(pass_it: Callable[[Any], object]):
    class KeyedLLM(MockLLM):
        api_key: str = KEY

    model = KeyedLLM(max_tokens=None)
    assert KEY in repr(model)
    with pytest.raises((TypeError, ValueError)) as caught:
        pass_it(model)
    text = "".join(traceback.format_exception(caught.value))
    assert KEY not in text


def test_commands_reveal_no_key(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    folder = tmp_path / "made"
    folder.mkdir()
    with LoopbackServer("Answer: none", faults=echo) as server:
        url = server.openai_url.replace("://", f"://user:{KEY}@")
        asks = ["--theta", "60", "--model", f"{url}#m", "--key-variable", "PLANTED"]
        lumber, store = ["--method", "lumber"], ["--store", folder / "answers.db"]
        for command in (
            ["split", text, "--output", folder / "chunks.jsonl", *lumber, *asks, *store],
            ["split", text, *lumber, *asks, *store],
            ["view", text, "--output", folder / "view.html", *lumber, *asks, *store],
            ["estimate", text, *asks[:4]],
            ["split", text, *lumber, "--model", url, "--key-variable", "PLANTED"],
        ):
            code, output = run(*command, PLANTED=KEY)
            assert code == (1 if url in command else 0), output
            assert KEY not in output
        assert len(server.requests) > 5
    assert KEY.encode() not in files(folder)
    assert len(list(folder.iterdir())) >= 3
