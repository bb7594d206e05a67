"""Fixtures of several test folders: the data beside the project, and scripted judges."""

import asyncio
import gc
import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import certifi
import pytest

from lumber_core.bert.model_folder import folder_state
from lumber_core.bert.moving_window import Scores
from lumber_core.bert.onnx import ModelInputs, OnnxModel

# Fixtures of several test folders: small BERT models, numbers of examples, a browser, a database.
pytest_plugins = ["tests.tiny_bert", "tests.profiles", "tests.browsing", "tests.postgres"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude modules and tests from garbage collection.

    Searching them for garbage during collection would take seconds.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let clients trust one certificate authority: to read all of them takes most of a short call.

    The tests' servers speak plain HTTP.
    """
    (first,) = re.findall(r"-----BEGIN .*?-----END CERTIFICATE-----", certifi.contents(), re.S)[:1]
    path = tmp_path_factory.mktemp("authorities") / "one.pem"
    path.write_text(first, encoding="ascii")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(path))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the indexes of `ask` out of the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_loop() -> None:
    """State that the main thread has no event loop.

    In one that has none yet, LlamaIndex's synchronous methods make one, and leave it unclosed to
    the garbage collector, which warns of it in whatever test comes next.
    """
    asyncio.set_event_loop(None)


DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of texts that lies beside the project; tests that need it skip without it."""
    if not DATA.is_dir():
        pytest.skip("the data folder ../shared/data is not beside the project")
    return DATA


@pytest.fixture(scope="session")
def emma(data: Path) -> list[str]:
    """The 2,287 paragraphs of Emma as GutenQA cuts it."""
    lines = (data / "gutenqa_emma" / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.fixture(scope="session")
def emma_ends(data: Path) -> list[int]:
    """Paragraph numbers where the published chunks of Emma end."""
    path = data / "gutenqa_emma" / "published_chunk_ends.json"
    ends: list[int] = json.loads(path.read_text(encoding="utf-8"))["ends"]
    return ends


_outputs: dict[tuple[object, ...], Scores] = {}


@pytest.fixture(scope="module")
def scored_once() -> Iterator[None]:
    """Let exported models read each sequence once, in modules that test the use of the scores.

    The result does not depend on other sequences; other modules test that.
    """
    run = OnnxModel._run

    def remember(self: OnnxModel, inputs: ModelInputs) -> Scores:
        key = (
            self._path,
            folder_state(self._path.parent),
            *(values.tobytes() for values in inputs.values()),
        )
        if key not in _outputs:
            _outputs[key] = run(self, inputs)
        return _outputs[key].copy()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OnnxModel, "_run", remember)
        yield


def read_book(path: Path) -> str:
    """Read a book with its line endings; two of them are not UTF-8."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
