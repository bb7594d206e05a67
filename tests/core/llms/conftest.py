"""The models that talk over HTTP, each with its real package, and both ways to ask them."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lumber_core.llms import Completion, GeminiModel, LegacyGeminiModel, Model, OpenAIModel
from lumber_core.lumber import Group
from lumber_core.lumber.answer_parser import read_answer
from lumber_core.lumber.grouping import TextUnits
from lumber_core.lumber.prompt import possible_answers
from lumber_core.spans import Span
from tests.loopback.server import LoopbackServer

SYSTEM = "You divide a document.\nReply with one line."
USER = "<paragraphs>\nID 5: One.\nID 6: Two.\nID 7: Three.\n</paragraphs>\n\nWhich?"
CHOICES = range(6, 8)
ANSWERS = possible_answers(CHOICES)
KEY = "sk-do-not-tell-4711"
LOG = "lumber_core.llms"

MODELS = {"openai": OpenAIModel, "gemini": GeminiModel, "legacy": LegacyGeminiModel}


def unit_of(text: str) -> int | None:
    """Return the unit that an answer names."""
    return min(read_answer(text, CHOICES).starts, default=None)


def three() -> Group:
    """Units 5 to 7 of a document."""
    starts = range(0, 32, 4)
    text = "".join(f"p{number}. " for number in range(len(starts)))
    return Group(TextUnits(text, [Span(start, start + 4) for start in starts]), 5, 8)


@pytest.fixture(params=["openai", "gemini", pytest.param("legacy", marks=pytest.mark.legacy)])
def api(request: pytest.FixtureRequest) -> str:
    """The name of each API model."""
    return str(request.param)


@pytest.fixture(params=["openai", "gemini"])
def schema_api(request: pytest.FixtureRequest) -> str:
    """The name of each that can restrict the answer."""
    return str(request.param)


@pytest.fixture
def serve() -> Iterator[Callable[..., LoopbackServer]]:
    """Start servers that end with the test."""
    running = []

    def start(*args: Any, **settings: Any) -> LoopbackServer:
        server = LoopbackServer(*args, **settings).__enter__()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


BARE: dict[str, Any] = {"temperature": None, "max_tokens": None}
"""Settings of a model whose questions without allowed answers have no simpler form."""


def model_at(server: LoopbackServer, api: str, **settings: Any) -> Model:
    """Make a model that asks the server."""
    base_url = server.openai_url if api == "openai" else server.url
    return MODELS[api]("a-model", **{"base_url": base_url, "api_key": KEY} | settings)


def _sync(model: Model, system: str = SYSTEM, user: str = USER, **more: Any) -> Completion:
    return model.complete(system, user, **({"answers": ANSWERS} | more))


def _async(model: Model, system: str = SYSTEM, user: str = USER, **more: Any) -> Completion:
    return asyncio.run(model.acomplete(system, user, **({"answers": ANSWERS} | more)))


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Completion]:
    """Return a function that asks a model by one of the two methods of the protocol."""
    return {"sync": _sync, "async": _async}[request.param]


def status_of(error: Exception) -> int:
    """Return the HTTP status of a package's error."""
    return int(getattr(error, "status_code", None) or getattr(error, "code"))  # noqa: B009
