"""The result of splitting: spans, the verdicts behind them and their cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from lumber_core.spans import Span
from lumber_core.support.wording import with_noun

Outcome = Literal["shift", "no_shift", "single", "outside", "unreadable", "refused", "unavailable"]
"""How a verdict came about; see `Verdict`. The last four are failures."""

OUTCOMES: frozenset[Outcome] = frozenset(get_args(Outcome))

UNUSABLE: frozenset[Outcome] = frozenset({"outside", "unreadable"})  # the question is repeated
FAILURES: frozenset[Outcome] = UNUSABLE | {"refused", "unavailable"}


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The units that an answer names, or why it cannot be used."""

    starts: tuple[int, ...] = ()  # the units, ascending; at most one for a group
    outcome: Outcome = "unreadable"
    reason: str = ""  # a sentence that explains the outcome


@dataclass(frozen=True, slots=True)
class Usage:
    """What a segmentation cost.

    Attributes:
        calls: Questions to the judge.
        prompt_tokens: Tokens sent, as the model reports them; 0 if it does not.
        completion_tokens: Tokens received, as the model reports them; 0 if it does not.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer about one group, with how it came about.

    Attributes:
        start: Number of the group's first unit in the document.
        stop: Number just past the group's last unit.
        unit: The unit where new content starts, or None; for a window, the first such unit.
        outcome: How the answer came about. "shift": the judge named a unit. "no_shift": it found
            none. "single": the group has one unit, so no judge was asked. The other outcomes are
            failures. "outside": the unit is not in the group. "unreadable": no unit could be read.
            "refused": by the model or its provider. "unavailable": no answer in any attempt.
        reason: One readable sentence: why this unit, or what went wrong.
        answer: The model's answer, verbatim; None if no model was asked.
        usage: What the answer cost this time; zero if it came from a store. Not compared by `==`.
        starts: For a window (`method="window"`), all units where new content starts.
    """

    start: int
    stop: int
    unit: int | None
    outcome: Outcome
    reason: str = ""
    answer: str | None = field(default=None, repr=False)
    usage: Usage = field(default=Usage(), compare=False)
    starts: tuple[int, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the judge gave no usable answer."""
        return self.outcome in FAILURES


@dataclass(frozen=True, slots=True, repr=False)
class Segmentation:
    """The result of splitting one text.

    Attributes:
        spans: Character ranges of the chunks; in order, not empty, they cover the whole text.
        verdicts: One per group, in document order; empty for splitters that ask no judge.
        usage: The total cost, including questions that were asked in advance (`max_concurrency`)
            and not needed. Not compared by `==`.
        start_verdicts: For each span the verdict that set its start; None for the first span and
            for starts set by a size limit. Empty for splitters that ask no judge.
    """

    spans: tuple[Span, ...]
    verdicts: tuple[Verdict, ...] = ()
    usage: Usage = field(default=Usage(), compare=False)
    start_verdicts: tuple[Verdict | None, ...] = ()

    def __repr__(self) -> str:
        parts = [with_noun(len(self.spans), "chunk")]
        if self.spans:
            parts.append(with_noun(self.spans[-1].end, "character"))
        if self.verdicts:
            parts += [with_noun(self.usage.calls, "call"), with_noun(len(self.failures), "failure")]
        return f"{type(self).__name__}({', '.join(parts)})"

    def chunks(self, text: str) -> list[str]:
        """Return the text of every chunk. `text` is the string that was segmented."""
        return [text[start:end] for start, end in self.spans]

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that gave no usable answer, with their reasons."""
        return tuple(verdict for verdict in self.verdicts if verdict.failed)


def read_usage(fields: object) -> Usage:
    """Return the usage from the dictionary that `asdict` returned for it, or raise a ValueError."""
    names = Usage.__dataclass_fields__.keys()
    if not isinstance(fields, dict) or fields.keys() != names:
        raise ValueError(f"usage must have the fields {', '.join(names)}")
    if any(type(count) is not int for count in fields.values()):
        raise ValueError("usage must be whole numbers")
    return Usage(**fields)
