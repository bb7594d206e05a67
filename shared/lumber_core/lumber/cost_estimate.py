"""Estimates the cost before any call.

An estimate simulates the run with judges that cost nothing and name the unit at a fixed share of
the group's length. The number of calls depends only on the position of answers in their groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumber_core.checks import check_number
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.runner import AnyWalk
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Usage, Verdict
from lumber_core.support.wording import align_columns
from lumber_core.tokens.counter import TokenCounter

# The average position of a model's answers, as a share of the group's length. In the published run
# on Emma it is 0.61. With 0.6 for every answer, that run takes 468 calls; it took 476.
_ANSWER_POSITIONS = (0.9, 0.6, 0.4)  # late, likely, early
_TOKENS_PER_ANSWER = 8  # "Answer: ID 1234" and the end of the message
_TOKENS_PER_START = 5  # ", ID 1234" in the list of a window's starts


class Range(NamedTuple):
    """The lowest, most likely and highest value of a quantity."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model, in any currency.

    Attributes:
        prompt: Price of a million prompt tokens.
        completion: Price of a million completion tokens.

    Raises:
        TypeError: A price is not a number.
        ValueError: A price is negative or not finite.
    """

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        for name in ("prompt", "completion"):
            check_number(name, getattr(self, name), lambda price: price >= 0, "at least 0")

    def of(self, usage: Usage) -> float:
        """Return the price of a usage."""
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / 1_000_000


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """The expected cost of splitting some texts; `print` and notebooks show it as a table.

    Attributes:
        calls: Calls to the model.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cost: Cost in the currency of the prices, or None without prices.
    """

    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    cost: Range | None

    def __repr__(self) -> str:
        rows: list[tuple[str, ...]] = [("", "lowest", "likely", "highest")]
        counts = {"calls": self.calls, "prompt tokens": self.prompt_tokens}
        counts["completion tokens"] = self.completion_tokens
        rows += [(name, *map("{:,.0f}".format, values)) for name, values in counts.items()]
        if self.cost is not None:
            places = 2 if self.cost.high >= 1 else 4
            rows.append(("cost", *(f"{value:,.{places}f}" for value in self.cost)))
        return align_columns(rows)


def estimate(usages: Iterable[tuple[Usage, ...]], prices: Prices | None) -> Estimate:
    """Return the expected cost of several texts; `usages` has the `expected_usages` of each."""
    runs = [sum(by_text, Usage()) for by_text in zip(*usages, strict=True)] or [Usage()] * 3
    return Estimate(
        calls=Range(*(usage.calls for usage in runs)),
        prompt_tokens=Range(*(usage.prompt_tokens for usage in runs)),
        completion_tokens=Range(*(usage.completion_tokens for usage in runs)),
        cost=None if prices is None else Range(*(prices.of(usage) for usage in runs)),
    )


def expected_usages(
    walk: AnyWalk, questions: Callable[[Group], tuple[str, str]], counter: TokenCounter, theta: int
) -> tuple[Usage, ...]:
    """Return the usage for a text if answers are late, at a likely place, and early in groups.

    `walk` is a new walk, and `questions` returns the system prompt and the question about a group.
    `theta` is the maximum number of tokens in a group. In windows, chunks are expected to be as
    long as with such groups.
    """

    def usage(groups: Sequence[Group]) -> Usage:
        prompts = [part for group in groups for part in questions(group)]
        return Usage(len(groups), sum(counter.count(prompts)), _TOKENS_PER_ANSWER * len(groups))

    if isinstance(walk, Walk):
        runs = [Walk(walk.document, walk.rules) for _ in _ANSWER_POSITIONS]
        return tuple(usage(_simulate(*run)) for run in zip(runs, _ANSWER_POSITIONS, strict=True))
    questions_usage = usage(walk.groups)
    (tokens,) = counter.count([walk.document.text]) if walk.groups else (0,)
    return tuple(
        questions_usage + Usage(0, 0, _TOKENS_PER_START * round(tokens / (share * theta)))
        for share in _ANSWER_POSITIONS
    )


def _simulate(walk: Walk, share: float) -> list[Group]:
    """Return the groups of a walk whose answers are all at one share of their group's length."""
    groups = []
    while (group := walk.claim()) is not None:
        groups.append(group)
        spans = group.document.units
        first, last = spans[group.start].start, spans[group.stop - 1].end
        target = first + share * (last - first)
        choices = [unit for unit in group.choices if unit < len(spans)]
        distances = {unit: abs(spans[unit].start - target) for unit in choices}
        unit = min(distances, key=distances.__getitem__, default=None)
        walk.record(Verdict(group.start, group.stop, unit, "shift"))
    return groups
