"""Part 2: Lumber, a plain loop and chonkie's SlumberChunker on one scripted server.

The server speaks OpenAI's format on this machine, takes 50 ms for every reply, and answers from the
words of the question alone: the first passage that names another topic than the first one does. So
all three could find the same topics, and differ in what they ask, how long they wait, and what they
do when something goes wrong.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.suite.pieces import Piece
from benchmarks.suite.quality import examine
from benchmarks.suite.report import Chart, Section, Table, spread
from benchmarks.suite.texts import TOPICS, english
from lumber_core import CallPolicy, LumberChunker, ModelJudge
from lumber_core.llms.openai import OpenAIModel
from tests.loopback.faults import Fault, Malformed, Refusal, Says, rate_limited
from tests.loopback.server import LoopbackServer, Request

LATENCY = 0.05
SIZE = 60_000
ROUNDS = 3
IN_FLIGHT = 16
STORM = 2.0  # seconds

_LABELS = re.compile(r"^ID (\d+): (.*)$", re.MULTILINE)
_TOPIC = re.compile(rf"\b({'|'.join(TOPICS)})\b")


@dataclass(frozen=True)
class Outcome:
    """What one run came to.

    Attributes:
        seconds: Wall time.
        calls: Requests that reached the server.
        prompt: Words sent, which the server counts as tokens.
        cuts: Text numbers and character offsets where chunks start; empty after an error.
        chunks: Number of chunks.
        lost: Visible characters missing from the chunks.
        said: What a caller learns of failures.
    """

    seconds: float
    calls: int
    prompt: int
    cuts: frozenset[tuple[int, int]]
    chunks: int
    lost: int
    said: str


Spans = list[tuple[int, int]]
Splitter = Callable[[Sequence[str], str], tuple[list[Spans], str]]
"""A function of the texts and the server's URL: the spans, and what a caller learns of failures."""


def topic_change(question: str) -> tuple[int | None, int]:
    """Return the first label whose passage has another topic, and the one after the last."""
    labels = [(int(number), _TOPIC.search(said)) for number, said in _LABELS.findall(question)]
    topics = [(number, found[1]) for number, found in labels if found]
    changed = (number for number, topic in topics if topic != topics[0][1])
    return next(changed, None), labels[-1][0] + 1


def answer(request: Request) -> str:
    """Answer as Lumber's prompt and the published one ask for it."""
    number, _ = topic_change(request.user)
    return "Answer: none" if number is None else f"Answer: ID {number}"


@dataclass(frozen=True)
class Scenario:
    """What goes wrong at the server.

    Attributes:
        fault: The reply that is not an answer; None if nothing goes wrong.
        every: Which replies it takes the place of: one in so many.
        seconds: For how long it does, from the first request on.
    """

    fault: Fault | None = None
    every: int = 1
    seconds: float = float("inf")


SCENARIOS: dict[str, Scenario] = {
    "one reply in ten is a refusal": Scenario(Refusal(), every=10),
    "one reply in ten names no passage": Scenario(Says("Somewhere in the middle."), every=10),
    "one reply in ten is broken JSON": Scenario(Malformed(), every=10),
    f"status 429 for the first {STORM:g} s": Scenario(rate_limited(0.5), seconds=STORM),
    "all replies are refusals": Scenario(Refusal()),
}


class Script:
    """The server's faults, and its answers to chonkie, which expects a form of its own."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._began: float | None = None

    def __call__(self, request: Request) -> Fault | None:
        """Return the fault for a request, or chonkie's answer."""
        self._began = self._began or perf_counter()
        due = request.number % self._scenario.every == self._scenario.every // 2
        passing = perf_counter() - self._began < self._scenario.seconds
        if due and passing and self._scenario.fault is not None:
            return self._scenario.fault
        if "split_index" not in json.dumps(request.body):
            return None
        number, after = topic_change(request.user)
        return Says(json.dumps({"split_index": after if number is None else number}))


def plain_loop(texts: Sequence[str], url: str) -> tuple[list[Spans], str]:
    """Split as the paper describes it, in the fewest lines: no check, no second try."""
    client = import_module("openai").OpenAI(base_url=url, api_key="none")
    return [_walk(text, client) for text in texts], "no failure"


def _walk(text: str, client: Any) -> Spans:
    starts = [0, *(match.end() for match in re.finditer(r"\n\n", text))]
    ends = [*starts[1:], len(text)]
    units = [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]
    cuts, first = [0], 0
    while first < len(units):
        last, words = first, 0.0
        while last < len(units) and (last == first or words < 550):
            words += 1.2 * len(text[slice(*units[last])].split())
            last += 1
        passages = "\n".join(
            f"ID {number}: {text[slice(*units[number])].strip()}" for number in range(first, last)
        )
        reply = client.chat.completions.create(
            model="any",
            temperature=0.1,
            messages=[
                {"role": "system", "content": "Find the first passage with another topic."},
                {"role": "user", "content": passages},
            ],
        )
        said = reply.choices[0].message.content
        found = re.search(r"Answer: ID (\d+)", said)
        if found is None and "none" not in said:
            raise ValueError(f"no answer in {said!r}")
        first = int(found[1]) if found else last
        if first < len(units):
            cuts.append(units[first][0])
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def slumber(texts: Sequence[str], url: str) -> tuple[list[Spans], str]:
    """Split with chonkie's SlumberChunker and its defaults: 2,048 characters a question."""
    chunker = import_module("chonkie").SlumberChunker(
        genie=import_module("chonkie.genie").OpenAIGenie("any", base_url=url, api_key="none"),
        verbose=False,
    )
    found = [[(one.start_index, one.end_index) for one in chunker.chunk(text)] for text in texts]
    return found, "nothing"


def lumber(texts: Sequence[str], url: str, *, in_flight: int | None) -> tuple[list[Spans], str]:
    """Split with LumberChunker and its defaults: theta 550."""
    model = OpenAIModel("any", base_url=url, api_key="none")
    chunker = LumberChunker(ModelJudge(model, policy=CallPolicy()), max_concurrency=in_flight)
    results = chunker.segment_all(texts)
    failed = sum(len(result.failures) for result in results)
    said = f"{failed} verdicts with a reason" if failed else "no failure"
    return [[(start, end) for start, end in result.spans] for result in results], said


SPLITTERS: dict[str, Splitter] = {
    "plain loop": plain_loop,
    "chonkie Slumber": slumber,
    "lumber, one at a time": partial(lumber, in_flight=None),
    f"lumber, {IN_FLIGHT} in flight": partial(lumber, in_flight=IN_FLIGHT),
}


def run(splitter: Splitter, texts: Sequence[str], scenario: Scenario) -> Outcome:
    """Split texts while the server plays a scenario."""
    with LoopbackServer(answer, faults=Script(scenario), delay=LATENCY) as server:
        began = perf_counter()
        try:
            found, said = splitter(texts, server.openai_url)
        except Exception as error:  # noqa: BLE001 - how a splitter fails is the finding
            found, said = [[] for _ in texts], f"raises {type(error).__name__}"
        seconds = perf_counter() - began
        prompt = sum(len(f"{one.system} {one.user}".split()) for one in server.requests)
        calls = server.count
    lost = sum(
        examine(text, [Piece(text[start:end], start, end) for start, end in spans], None).lost
        for text, spans in zip(texts, found, strict=True)
    )
    cuts = frozenset((number, start) for number, spans in enumerate(found) for start, _ in spans)
    return Outcome(seconds, calls, prompt, cuts, sum(map(len, found)), lost, said)


def language_models(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure the ways to split with a language model.

    Args:
        log: Called with a line on progress.
        scale: Factor for the sizes of the texts.
    """
    size = int(SIZE * scale)
    long, several = [english(size * 4)], [english(size // 4, seed) for seed in range(16)]
    blocks: list[str | Table | Chart] = [
        f"Every reply takes {LATENCY * 1000:.0f} ms. A token is a word here. Slumber keeps its "
        "defaults (2,048 characters a question, candidates of 128), Lumber too (paragraphs, theta "
        "550); the plain loop groups as Lumber does and has the OpenAI client's two retries.",
    ]
    levels = {name: logging.getLogger(name).level for name in ("lumber_core", "chonkie")}
    for name in levels:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for title, texts in (("One long document", long), ("Sixteen documents", several)):
        log(f"language models: {title.lower()}")
        runs: dict[str, list[Outcome]] = {name: [] for name in SPLITTERS}
        for _ in range(ROUNDS):
            for name, splitter in SPLITTERS.items():
                runs[name].append(run(splitter, texts, Scenario()))
        characters = sum(map(len, texts))
        blocks += [f"### {title}, {characters:,} characters, every reply good", _speed(runs)]
    blocks.append(
        "### When something goes wrong\n\n"
        f"One document of {size:,} characters. *Same cuts*: the share of the cuts made without "
        "trouble that are still there. *Said*: what the caller learns. After a refusal Lumber lets "
        "the bundled model decide, which reads the document once."
    )
    short = [english(size)]
    clean = {name: run(splitter, short, Scenario()) for name, splitter in SPLITTERS.items()}
    for title, scenario in SCENARIOS.items():
        log(f"language models: {title}")
        faulty = {name: run(splitter, short, scenario) for name, splitter in SPLITTERS.items()}
        blocks += [f"{title[0].upper()}{title[1:]}:", _trouble(faulty, clean)]
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    return Section("Language models", blocks, frozenset({"lumber-splitters", "chonkie", "openai"}))


def _speed(runs: Mapping[str, Sequence[Outcome]]) -> Table:
    loop = [outcome.seconds for outcome in runs["plain loop"]]
    rows = []
    for name, outcomes in runs.items():
        seconds = [outcome.seconds for outcome in outcomes]
        ratios = [base / own for base, own in zip(loop, seconds, strict=True)]
        rows.append([name, f"{median(seconds):.1f}", *_counts(outcomes[-1]), spread(ratios)])
    return Table([*_HEADERS, "times as fast as the loop"], rows)


def _trouble(faulty: Mapping[str, Outcome], clean: Mapping[str, Outcome]) -> Table:
    rows = []
    for name, outcome in faulty.items():
        before = clean[name].cuts
        kept = f"{len(before & outcome.cuts) / len(before):.0%}"
        rows.append([name, f"{outcome.seconds:.1f}", *_counts(outcome), kept, outcome.said])
    return Table([*_HEADERS, "same cuts", "said"], rows)


_HEADERS = ("", "seconds", "calls", "prompt tokens", "chunks", "characters lost")


def _counts(outcome: Outcome) -> list[str]:
    return [f"{n:,}" for n in (outcome.calls, outcome.prompt, outcome.chunks, outcome.lost)]
