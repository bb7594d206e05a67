"""A planted key is in nothing that is shown, logged, stored or reported; only in pickles."""

from __future__ import annotations

import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import MockLLM

from langchain_lumber import GreedyTextSplitter, LumberTextSplitter
from llamaindex_lumber import GreedyNodeParser, LumberNodeParser
from lumber_core import BertChunker, CallPolicy, GreedyChunker, LumberChunker, ModelJudge
from lumber_core.llms import GeminiModel, OpenAIModel
from lumber_core.llms.remote import RemoteModel
from lumber_evaluation.comparison import compare
from lumber_evaluation.report import render, report_json
from lumber_evaluation.splitters import readable
from tests.cli.running import run
from tests.core.llms.conftest import need
from tests.evaluation.comparing import WordEmbedder, corpus
from tests.lexical_judge import LexicalJudge
from tests.loopback.faults import Fault, Status
from tests.loopback.server import LoopbackServer, Request

KEY = "planted4711"
TEXT = "\n\n".join(f"Paragraph {number} has some words in it." for number in range(30))
FAST = CallPolicy(attempts=2, initial_backoff=0.001, max_backoff=0.01)


def echo(request: Request) -> Fault | None:
    """Fail on every second request, and tell all about it."""
    headers = {name: value for name, value in request.headers.items() if KEY in value}
    return Status(500, f"cannot serve {headers}") if request.number % 2 else None


@pytest.fixture(params=["openai", "gemini"])
def model(request: pytest.FixtureRequest) -> Iterator[RemoteModel]:
    need(request.param)
    with LoopbackServer("Answer: none", faults=echo) as server:
        if request.param == "openai":
            yield OpenAIModel("m", base_url=server.openai_url, api_key=KEY)
        else:
            yield GeminiModel("m", base_url=server.url, api_key=KEY)


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_walk_tells_no_key(
    model: RemoteModel, attempts: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    policy = CallPolicy(attempts=attempts, initial_backoff=0.001, give_up_after=None)
    judge = ModelJudge(model, policy=policy)
    chunker = LumberChunker(judge, theta=40, store=tmp_path / "answers.db")
    with caplog.at_level(logging.DEBUG):
        segmentation = chunker.segment(TEXT)
    assert bool(segmentation.failures) == (attempts == 1)
    told = [repr(chunker), chunker.identity, repr(judge), repr(segmentation)]
    told += [verdict.reason for verdict in segmentation.verdicts]
    assert KEY not in "".join([*told, caplog.text])
    assert KEY.encode() not in files(tmp_path)
    assert files(tmp_path)
    assert KEY.encode() in pickle.dumps(model)  # as documented: other processes need it


def test_splitters_of_the_frameworks_tell_no_key(model: RemoteModel) -> None:
    splitter = LumberTextSplitter(llm=model)
    parser: Any = LumberNodeParser(llm=model)
    told = [repr(splitter), str(vars(splitter)), repr(parser), str(parser)]
    told += [str(parser.to_dict()), parser.to_json(), parser.model_dump_json()]
    assert KEY not in "".join(told)


def test_settings_in_a_report_are_without_keys_and_headers() -> None:
    class Client:
        def __init__(self) -> None:
            self.api_key = KEY
            self.default_headers = {"X-Gateway": KEY}
            self.size = 5

    assert readable(Client()) == "Client(size=5)"


def test_a_report_tells_no_key(model: RemoteModel, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    chunker = LumberChunker(ModelJudge(model, policy=FAST), theta=60)
    made = compare(corpus(4), [chunker], embedder=WordEmbedder(), folder=tmp_path)
    assert KEY not in f"{render(made)} {report_json(made)}"
    assert KEY.encode() not in files(tmp_path)
    assert files(tmp_path)


class Holder:
    """A custom object whose `repr` tells its key."""

    identity = "holder"

    def __init__(self, key: str = KEY) -> None:
        self.key = key

    def __call__(self, given: Any) -> Any:
        return len(given) if isinstance(given, str) else None

    def __repr__(self) -> str:
        return f"Holder({self.key!r})"


def named(given: Any, api_key: str) -> Any:
    return Holder(api_key)(given)


CUSTOM = [Holder(), partial(named, api_key=KEY), partial(named, KEY), Holder().__call__]


@pytest.mark.parametrize("custom", CUSTOM, ids=lambda custom: type(custom).__name__)
def test_custom_objects_tell_no_key(custom: Any) -> None:
    chunkers = [LumberChunker(custom), GreedyChunker(tokenizer=custom), GreedyChunker(units=custom)]
    told = [repr(chunker) + chunker.identity for chunker in chunkers]
    told += [repr(LumberTextSplitter(llm=custom)), repr(GreedyTextSplitter(tokenizer=custom))]
    parsers: list[Any] = [
        LumberNodeParser(llm=custom),
        GreedyNodeParser(tokenizer=custom),
        GreedyNodeParser(units=custom),
        LumberNodeParser(store=custom),
    ]
    for parser in parsers:
        told += [repr(parser), str(parser), parser.to_json(), parser.model_dump_json()]
    assert KEY not in "".join(told)


def test_what_is_serialised_tells_custom_objects_apart() -> None:
    def key(judge: Any) -> str:
        return str(LumberNodeParser(llm=judge).to_dict())

    assert key(Holder()) == key(Holder())
    assert key(Holder()) != key(Holder("other"))
    assert key(partial(named, 1)) == key(partial(named, 1)) != key(partial(named, 2))


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
def test_a_model_of_a_framework_in_the_wrong_place_tells_no_key(
    pass_it: Callable[[Any], object],
) -> None:
    class KeyedLLM(MockLLM):
        api_key: str = KEY

    model = KeyedLLM(max_tokens=None)
    assert KEY in repr(model)
    with pytest.raises((TypeError, ValueError)) as caught:
        pass_it(model)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown


def test_commands_tell_no_key(tmp_path: Path) -> None:
    need("openai")
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    made = tmp_path / "made"
    made.mkdir()
    with LoopbackServer("Answer: none", faults=echo) as server:
        url = server.openai_url.replace("://", f"://user:{KEY}@")
        asks = ["--theta", "60", "--model", f"{url}#m", "--key-variable", "PLANTED"]
        lumber, store = ["--method", "lumber"], ["--store", made / "answers.db"]
        for command in (
            ["split", text, "--output", made / "chunks.jsonl", *lumber, *asks, *store],
            ["split", text, *lumber, *asks, *store],
            ["view", text, "--output", made / "view.html", *lumber, *asks, *store],
            ["estimate", text, *asks],
            ["split", text, *lumber, "--model", url, "--key-variable", "PLANTED"],
        ):
            code, said = run(*command, PLANTED=KEY)
            assert code == (1 if url in command else 0), said
            assert KEY not in said
        assert len(server.requests) > 5
    assert KEY.encode() not in files(made)
    assert len(list(made.iterdir())) >= 3


def test_estimates_views_and_shared_stores_tell_no_key(model: RemoteModel) -> None:
    written: dict[str, bytes] = {}

    class Store:
        """As a client of a server, with its credentials."""

        url = f"redis://:{KEY}@127.0.0.1"

        def mget(self, keys: list[str]) -> list[bytes | None]:
            return [written.get(key) for key in keys]

        def mset(self, pairs: list[tuple[str, bytes]]) -> None:
            written.update(pairs)

        def mdelete(self, keys: list[str]) -> None:
            for key in keys:
                written.pop(key, None)

        def yield_keys(self, *, prefix: str | None = None) -> list[str]:
            return [key for key in written if key.startswith(prefix or "")]

        def __repr__(self) -> str:
            return f"Store({self.url})"

    chunker = LumberChunker(ModelJudge(model, policy=FAST), theta=40, store=Store())
    segmentation = chunker.segment(TEXT)
    estimate = chunker.estimate([TEXT])
    parser: Any = LumberNodeParser(llm=model, store=Store())
    told = [repr(segmentation), repr(estimate), str(estimate)]
    told += [repr(chunker)]
    told += [repr(parser), parser.to_json(), repr(chunker.split(TEXT))]
    told += [str(chunk.metadata(verdict=True)) for chunk in chunker.split(TEXT)]
    assert KEY not in "".join(told)
    assert written
    assert KEY.encode() not in b"".join(written.values())
    assert KEY not in "".join(written)
