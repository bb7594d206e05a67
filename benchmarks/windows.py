"""What the two methods of Lumber recover of chunks that are known, at equal calls and tokens.

    python benchmarks/windows.py ../shared/data/gutenqa_emma [--seeds 3]

The chunks are the published ones of *Emma*, which a large language model made group by group with
theta = 550. An oracle knows where they start, and answers with noise:

- missed: share of the starts that it does not see,
- near: share of those it sees that it names one paragraph too early or too late,
- false: share of the other paragraphs that it takes for starts.

Noise is drawn for every question (`question`), or once, so that the oracle makes the same mistakes
whenever it is asked (`text`). The method `paper` gets the first start that the oracle sees in a
group, the method `window` all of a window. With fewer calls or tokens than a method needs, the
bundled model decides about the rest, as it does if a language model is not available. `BertJudge`
takes the oracle's place in the last rows.

This says what the methods make of the same knowledge. It says nothing about how well a language
model answers either question.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from lumber_core import BertJudge, Group, LumberChunker, PromptTemplate
from lumber_core.lumber.prompt import WINDOW_SYSTEM, WINDOW_USER
from lumber_core.lumber.settings import Method
from lumber_core.lumber.windows import WINDOW_TOKENS
from lumber_core.tokens import token_counter
from lumber_evaluation.corpora import load_gutenqa
from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import boundary_score, pk

REST = BertJudge()
PROMPTS = {"paper": PromptTemplate(), "window": PromptTemplate(WINDOW_SYSTEM, WINDOW_USER)}
LISTED = 5  # tokens of a label in a list


class Noise(NamedTuple):
    """How an oracle errs; see above."""

    missed: float
    near: float
    false: float
    per: str


NOISES = (
    Noise(0.0, 0.0, 0.0, "text"),
    Noise(0.1, 0.1, 0.01, "question"),
    Noise(0.25, 0.2, 0.03, "question"),
    Noise(0.5, 0.3, 0.06, "question"),
    Noise(0.1, 0.1, 0.01, "text"),
    Noise(0.25, 0.2, 0.03, "text"),
    Noise(0.5, 0.3, 0.06, "text"),
)


class Oracle:
    """A judge that knows the starts, up to noise, and counts what it is asked.

    Args:
        starts: Offsets where chunks start.
        noise: How it errs.
        method: Of the chunker that asks.
        seed: Of the noise.
        most_calls: After as many questions the bundled model decides.
        most_tokens: After as many tokens it does.
    """

    def __init__(
        self,
        starts: Iterable[int],
        noise: Noise,
        method: Method,
        seed: int,
        most_calls: float = float("inf"),
        most_tokens: float = float("inf"),
    ) -> None:
        self._starts = {*starts}
        self._noise = noise
        self._method = method
        self._seed = seed
        self._most = most_calls, most_tokens
        self.calls = 0
        self.tokens = 0

    def judge(self, group: Group) -> object:
        """Return what the oracle sees in a group or a window."""
        if self.calls >= self._most[0] or self.tokens >= self._most[1]:
            return REST.judge(group)
        self.calls += 1
        self.tokens += _tokens(self._method, group)
        number = self.calls if self._noise.per == "question" else 0
        seen = sorted({unit for unit in self._seen(group, number) if unit in group.choices})
        if self._method == "window":
            self.tokens += LISTED * len(seen)
            return seen
        return seen[0] if seen else None

    def stored(self, group: Group) -> None:
        """Return None: it is asked anew every time."""

    def _seen(self, group: Group, number: int) -> Iterable[int]:
        units = group.document.units
        for unit in range(max(0, group.start - 1), min(group.stop + 1, len(units))):
            draw = Random(f"{self._seed}/{number}/{unit}")
            if units[unit].start not in self._starts:
                if draw.random() < self._noise.false:
                    yield unit
            elif draw.random() >= self._noise.missed:
                near = draw.random() < self._noise.near
                yield unit + (draw.choice((-1, 1)) if near else 0)


class Row(NamedTuple):
    """What a method recovered."""

    calls: float
    tokens: float
    chunks: float
    recovered: float
    precision: float
    recall: float
    f1: float
    pk: float


_counter = token_counter("estimate")
_counted: dict[tuple[str, int, int], int] = {}


def _tokens(method: str, group: Group) -> int:
    key = method, group.start, group.stop
    if key not in _counted:
        _counted[key] = sum(_counter.count(PROMPTS[method].render(group))) + 8
    return _counted[key]


def measure(
    document: Document, judge: object, method: Method, window_tokens: int = WINDOW_TOKENS
) -> Row:
    """Split the document and compare the chunks with the published ones."""
    ends = [*document.units[1:], len(document.text)]
    units = [*zip(document.units, ends, strict=True)]
    # Words, as in the published run, so that theta means the same.
    chunker = LumberChunker(
        judge,
        method=method,
        units=partial(_given, units),
        tokenizer="words",
        window_tokens=window_tokens,
    )
    made = chunker.segment(document.text)
    places = {offset: number for number, offset in enumerate(document.units)}
    said = [places[span.start] for span in made.spans if span.start in places][1:]
    true = [places[start] for start in document.starts[1:]]
    score = boundary_score(true, said)
    known = {*zip(document.starts, [*document.starts[1:], len(document.text)], strict=True)}
    recovered = sum(tuple(span) in known for span in made.spans) / len(known)
    spent = judge if isinstance(judge, Oracle) else None
    return Row(
        spent.calls if spent else made.usage.calls,
        spent.tokens if spent else 0,
        len(made.spans),
        recovered,
        score.precision,
        score.recall,
        score.f1,
        pk(true, said, units=len(units)),
    )


def _given(units: list[tuple[int, int]], _text: str) -> list[tuple[int, int]]:
    return units


def window_of(document: Document, calls: float) -> int:
    """Return the window tokens with which the method `window` needs about as many calls."""
    low, high = 100, 8192
    while high - low > 8:
        middle = (low + high) // 2
        made = measure(document, Oracle((), NOISES[0], "window", 0), "window", middle).calls
        low, high = (middle, high) if made > calls else (low, middle)
    return high


def rows(document: Document, noise: Noise, seeds: int, even: int) -> Iterable[tuple[str, Row]]:
    """Measure both methods with an oracle, each row the mean of several runs."""

    def run(method: Method, seed: int, window_tokens: int = WINDOW_TOKENS, **most: float) -> Row:
        oracle = Oracle(document.starts, noise, method, seed, **most)
        return measure(document, oracle, method, window_tokens)

    def average(make: Callable[[int], Row]) -> Row:
        return Row(*map(mean, zip(*map(make, range(seeds)), strict=True)))

    window = average(lambda seed: run("window", seed))
    yield "paper", average(lambda seed: run("paper", seed))
    yield "window", window
    yield (
        f"window of {even}, calls of paper",
        average(lambda seed: run("window", seed, even)),
    )
    yield (
        "paper, calls of window",
        average(lambda seed: run("paper", seed, most_calls=window.calls)),
    )
    yield (
        "paper, tokens of window",
        average(lambda seed: run("paper", seed, most_tokens=window.tokens)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    logging.getLogger("lumber_core").setLevel(logging.ERROR)  # oracles are warned of, too
    (book,) = load_gutenqa(options.folder).documents
    print("missed, near, false | drawn per | method | calls | tokens | chunks | recovered | "
          "P | R | F1 | Pk")  # fmt: skip
    print(" | ".join(["---"] * 11))
    paper = measure(book, Oracle(book.starts, NOISES[0], "paper", 0), "paper")
    even = window_of(book, paper.calls)
    for noise in NOISES:
        for name, row in rows(book, noise, options.seeds if sum(noise[:3]) else 1, even):
            said = ", ".join(f"{share:.0%}" for share in noise[:3])
            show(said, noise.per, name, row)
    methods: tuple[Method, ...] = ("paper", "window")
    for method in methods:
        show("BertJudge", "", method, measure(book, REST, method))


def show(said: str, per: str, name: str, row: Row) -> None:
    """Print a row of the table."""
    numbers = " | ".join(f"{value:.3f}" for value in row[3:])
    tokens = f"{row.tokens:,.0f}" if row.tokens else ""
    calls = f"{row.calls:.0f}" if row.tokens else "0"
    print(
        f"{said} | {per} | {name} | {calls} | {tokens} | {row.chunks:.0f} | {numbers}", flush=True
    )


if __name__ == "__main__":
    main()
