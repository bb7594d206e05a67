"""Trials of one client in each case of the table: `row_of` runs them all.

A trial splits a text with the client's defaults, against a server on this machine.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from lumber_core import LumberChunker, LumberError
from lumber_core.llms.model import Model
from lumber_core.segmentation import Segmentation
from tests.clients.clients import Client
from tests.loopback.providers import ProviderServer, Step
from tests.loopback.wires import READ, WRITTEN

TEXT = "\n\n".join(
    f"Entry {n}. The tide was low, and nobody came to the harbour." for n in range(30)
)
THETA = 130  # about ten questions

THOUGHT = "The turn may be at ID 2, or at ID 3."


@dataclass(frozen=True)
class Row:
    """The observations of a client, a cell for each case."""

    client: str
    plain: str
    cut: str
    refused: str
    one_429: str
    always_429: str
    always_503: str
    settings: str
    usage: str
    loops: str
    fallbacks: str
    identity: str


HEADER = Row(
    *("client", "plain; thought before", "cut by length", "refused", "one 429, then well"),
    *("always 429", "always 503", "401, 404", "tokens", "two event loops", "with fallbacks"),
    "settings told apart",
)


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    segmentation: Segmentation | None
    error: Exception | None
    requests: int
    seconds: float

    @property
    def words(self) -> str:
        """The outcomes of the failures, or the error."""
        if self.error is not None:
            return words_of(self.error)
        assert self.segmentation is not None
        failures = sorted({verdict.outcome for verdict in self.segmentation.failures})
        return ", ".join(failures) or "none"


def words_of(error: Exception) -> str:
    """Return how a cell shows an error: this library's have one sentence, others their class."""
    return "one error" if isinstance(error, LumberError) else f"**{type(error).__name__}**"


def model_of(client: Client, url: str, **more: Any) -> Model:
    """Return the client as the library takes it."""
    llm = client.make(url, **more)
    return wrap(client, llm)


def wrap(client: Client, llm: Any) -> Model:
    """Return a framework's model as a model of the library."""
    if client.is_ours:
        return llm  # type: ignore[no-any-return]
    if client.package.startswith("langchain"):
        from langchain_lumber.chat_model import ChatModel

        return ChatModel(llm)
    from llamaindex_lumber.llm import LlamaIndexModel

    return LlamaIndexModel(llm)


def split(client: Client, steps: Sequence[Step], **settings: Any) -> Outcome:
    """Split the text once."""
    with ProviderServer(steps, client.wire) as server:
        began = time.monotonic()
        segmentation, error = None, None
        try:
            chunker = LumberChunker(model_of(client, server.url), theta=THETA, **settings)
            segmentation = chunker.segment(TEXT)
        except Exception as caught:  # noqa: BLE001 - the error is shown in the cell
            error = caught
        return Outcome(segmentation, error, len(server.asked), time.monotonic() - began)


def row_of(client: Client) -> Row:
    """Try a client in all cases."""
    plain = split(client, [Step()])
    thoughtful = split(client, [Step(thought=THOUGHT)])
    cut = split(client, [Step(end="cut")], method="window")
    refused = split(client, [Step(end="refused")])
    one_429 = split(client, [Step(429, retry_after=1), Step()])
    return Row(
        f"`{client.name}`, {client.package} {version(client.package)}",
        f"{_same(plain, plain)}; {_same(thoughtful, plain)}",
        cut.words,
        refused.words,
        f"{_same(one_429, plain)}, {one_429.requests - plain.requests} more"
        if plain.segmentation
        else one_429.words,
        _lasting(split(client, [Step(429)])),
        _lasting(split(client, [Step(503)])),
        ", ".join(dict.fromkeys(split(client, [Step(status)]).words for status in (401, 404))),
        _usage(plain),
        _loops(client),
        _fallbacks(client, plain),
        _identity(client),
    )


def _same(outcome: Outcome, plain: Outcome) -> str:
    if outcome.segmentation is None or plain.segmentation is None:
        return outcome.words
    are_same = outcome.segmentation.spans == plain.segmentation.spans
    return "same chunks" if are_same and not outcome.segmentation.failures else "**other chunks**"


def _lasting(outcome: Outcome) -> str:
    """Round a duration: clients and this library wait for random times."""
    if outcome.requests == 0 or not isinstance(outcome.error, LumberError):
        return outcome.words
    limit = next((limit for limit in (6, 12) if outcome.requests <= limit), outcome.requests)
    return f"up to {limit} requests"


def _usage(outcome: Outcome) -> str:
    if outcome.segmentation is None:
        return outcome.words
    usage = outcome.segmentation.usage
    counted = usage.prompt_tokens / usage.calls, usage.completion_tokens / usage.calls
    return (
        "all" if counted == (READ, WRITTEN) else f"{counted[0]:g} of {READ}, {counted[1]:g} of 50"
    )


def _loops(client: Client) -> str:
    with ProviderServer([Step()], client.wire) as server:
        try:
            chunker = LumberChunker(model_of(client, server.url), theta=THETA, max_concurrency=8)
            runs = [asyncio.run(chunker.call_async(chunker.segment, TEXT)) for _ in range(2)]
        except Exception as error:  # noqa: BLE001 - the error is shown in the cell
            return words_of(error)
    return "well" if not any(run.failures for run in runs) else "**failures**"


def _fallbacks(client: Client, plain: Outcome) -> str:
    if not client.package.startswith("langchain"):
        return ""
    with (
        ProviderServer([Step(401)], client.wire) as failing,
        ProviderServer([Step()], client.wire) as server,
    ):
        model = client.make(failing.url).with_fallbacks([client.make(server.url)])
        try:
            segmentation = LumberChunker(wrap(client, model), theta=THETA).segment(TEXT)
        except Exception as error:  # noqa: BLE001 - the error is shown in the cell
            return words_of(error)
    return _same(Outcome(segmentation, None, 0, 0.0), plain)


def _identity(client: Client) -> str:
    with ProviderServer([Step()], client.wire) as server:
        try:
            identity_of_client = model_of(client, server.url).identity
            changed = model_of(client, server.url, **client.changing).identity
            unchanged = [
                model_of(client, server.url, **{name: value}).identity
                for name, value in client.keeping.items()
            ]
        except Exception as error:  # noqa: BLE001 - the error is shown in the cell
            return words_of(error)
    return (
        "yes"
        if changed != identity_of_client
        and all(identity == identity_of_client for identity in unchanged)
        else "**no**"
    )


def table_of(rows: Sequence[Row]) -> str:
    """Return the rows as a table in Markdown: clients with the same cells share a row."""
    clients: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        client, *cells = asdict(row).values()
        clients.setdefault(tuple(cells), []).append(client)
    lines = [["; ".join(names), *cells] for cells, names in clients.items()]
    header = [*asdict(HEADER).values()]
    return "".join(
        f"| {' | '.join(line)} |\n".replace("|  |", "| |")
        for line in (header, ["---"] * len(header), *lines)
    )
