"""A planted key is in nothing that is shown, logged, stored or reported; only in pickles."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import CallPolicy, LumberChunker, ModelJudge, ModelSettingsError
from lumber_core.llms import GeminiModel, OpenAIModel
from lumber_core.llms.remote import RemoteModel
from lumber_evaluation.comparison import compare
from lumber_evaluation.report import render, report_json
from tests.core.llms.conftest import need
from tests.evaluation.comparing import WordEmbedder, corpus
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
    splitter = LumberTextSplitter(judge=model)
    parser: Any = LumberNodeParser(judge=model)
    told = [repr(splitter), str(vars(splitter)), repr(parser), str(parser)]
    told += [str(parser.to_dict()), parser.to_json(), parser.model_dump_json()]
    assert KEY not in "".join(told)


def test_an_error_tells_no_key(model: RemoteModel) -> None:
    with LoopbackServer(faults=lambda request: Status(400, f"bad {request.headers}")) as server:
        asked = OpenAIModel("m", base_url=server.openai_url, api_key=KEY)
        with pytest.raises(ModelSettingsError) as caught:
            LumberChunker(asked).segment(TEXT)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in f"{error!s} {error!r}"
        error = error.__cause__


def test_a_report_tells_no_key(model: RemoteModel, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    chunker = LumberChunker(ModelJudge(model, policy=FAST), theta=60)
    made = compare(corpus(4), [chunker], embedder=WordEmbedder(), folder=tmp_path)
    assert KEY not in f"{render(made)} {report_json(made)}"
    assert KEY.encode() not in files(tmp_path)
    assert files(tmp_path)
