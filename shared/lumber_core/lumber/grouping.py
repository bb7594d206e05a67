"""Two sets of rules for forming groups, and for choosing the next group after an answer.

Both limit a group to theta tokens. `MethodRules` follows section 3 of the LumberChunker paper.
`PublishedCodeRules` follows the code released with it, which produced GutenQA and differs at the
edges of a group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from lumber_core.segmentation import ParsedAnswer
from lumber_core.spans import Span
from lumber_core.text.parsed import ParsedText


@dataclass(frozen=True, eq=False)
class TextUnits:
    """A text divided into units, whose spans tile it."""

    text: str
    units: Sequence[Span]
    parsed: ParsedText | None = None  # the text as a splitter has parsed it


class Group:
    """Consecutive units offered to a judge.

    Attributes:
        start: Number of the first unit in the document.
        stop: Number just past the last unit.
        choices: The units that a judge may name.
        document: The text and all its units.
        is_skipped: Whether no judge is asked about it.
    """

    __slots__ = ("_texts", "choices", "document", "is_skipped", "start", "stop")

    several: ClassVar[bool] = False
    """Whether the judge names all units that start new content, not only the first one."""

    def __init__(
        self, document: TextUnits, start: int, stop: int, choices: range | None = None
    ) -> None:
        self.document = document
        self.start = start
        self.stop = stop
        self.choices = range(start + 1, stop) if choices is None else choices
        self.is_skipped = False
        self._texts: tuple[str, ...] | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each unit, line breaks and separators included."""
        if self._texts is None:
            units = self.document.units[self.start : self.stop]
            self._texts = tuple(span.of(self.document.text) for span in units)
        return self._texts

    def read(self, reply: str) -> ParsedAnswer:
        """Return the units in a language model's reply."""
        # Deferred: its patterns take a tenth of the time of importing the package.
        from lumber_core.lumber.answer_parser import read_answer

        return read_answer(reply, self.choices)

    def __len__(self) -> int:
        return self.stop - self.start

    def __repr__(self) -> str:
        return f"{type(self).__name__}(start={self.start}, stop={self.stop})"


class WalkRules(ABC):
    """Rules for forming groups and choosing the next one; `lengths` has the length of each unit."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self._before = [0, *accumulate(lengths)]
        self.units = len(lengths)

    def unit_at(self, share: float) -> int:
        """Return the unit at a share, from 0 to 1, of the text's length."""
        return bisect_left(self._before, share * self._before[-1], 0, self.units)

    @abstractmethod
    def stop(self, start: int) -> int | None:
        """Return where the group that starts at `start` stops, or None if no group starts there."""

    @abstractmethod
    def choices(self, start: int, stop: int) -> range:
        """Return the possible answers about a group; if there are none, no judge is asked."""

    @abstractmethod
    def step(self, start: int, stop: int, unit: int | None) -> tuple[int | None, int]:
        """Return the consequences of the answer `unit`, one of the choices or None.

        These are the unit where a chunk starts, or None; and the unit where the next group starts,
        which is greater than `start`.
        """


class MethodRules(WalkRules):
    """LumberChunker as the paper describes it, with safeguards.

    A group holds as many units as fit in theta tokens, and at least one. The judge may name any
    of them except the first; the chunk ends there and the next group starts there. Without an
    answer the chunk ends with the group, so only a single unit can exceed theta. A group has at
    most theta units, too: some characters, such as the zero-width space, have no tokens.
    """

    def __init__(self, tokens: Sequence[int], theta: int) -> None:
        super().__init__(tokens)
        self._theta = theta

    def stop(self, start: int) -> int | None:
        """Return where the group that starts at `start` stops; None past the last unit."""
        if not 0 <= start < self.units:
            return None
        fitting = bisect_right(self._before, self._before[start] + self._theta, start + 1) - 1
        return max(start + 1, min(fitting, start + self._theta))

    def choices(self, start: int, stop: int) -> range:
        """Return all units of the group except the first; one unit has no inner boundary."""
        return range(start + 1, stop)

    def step(self, start: int, stop: int, unit: int | None) -> tuple[int | None, int]:
        """End the chunk at `unit`; if `unit` is None, at the end of the group."""
        del start
        end = stop if unit is None else unit
        return (end if end < self.units else None), end


class PublishedCodeRules(WalkRules):
    """LumberChunker as the released code behaves, for reproducing GutenQA.

    `LumberChunker.as_published` describes the rules; `words` has the number of words of each unit,
    without its label. The paragraph that reaches theta is left out of the group unless it is alone,
    and the last two paragraphs are in no group.
    """

    _LABEL_WORDS = 2  # words of a label such as "ID 7:"
    _UNITS_IN_NO_GROUP = 2  # the last units of a text, which no group contains
    _UNITS_WITHOUT_START = 5  # the last units of a text, at which no group starts

    def __init__(self, words: Sequence[int], theta: int) -> None:
        super().__init__([count + self._LABEL_WORDS for count in words])
        self._words_at_theta = next(
            total for total in range(int(theta / 1.2), theta + 2) if round(1.2 * total) >= theta
        )

    def stop(self, start: int) -> int | None:
        """Return where the group that starts at `start` stops; None in the last five units."""
        if not 0 <= start < self.units - self._UNITS_WITHOUT_START:
            return None
        crossed = bisect_left(self._before, self._before[start] + self._words_at_theta, start + 1)
        return max(start + 1, min(crossed - 1, self.units - self._UNITS_IN_NO_GROUP))

    def choices(self, start: int, stop: int) -> range:
        """Return the units of the group and the unit just past it."""
        return range(start, stop + 1)

    def step(self, start: int, stop: int, unit: int | None) -> tuple[int | None, int]:
        """Start a chunk at `unit`, and the next group after it; None skips the group."""
        del start
        if unit is None:
            return None, stop
        return (unit if 0 < unit < self.units else None), unit + 1
