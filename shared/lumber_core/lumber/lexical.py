"""A judge without a model: lexical cohesion, after TextTiling (Hearst 1997).

If two neighbouring passages share few words, the topic has probably changed. The score of a
candidate is its depth: how far the similarity of the two sides falls from the nearest peak on
either side. The judge names the candidate with the greatest depth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from statistics import mean, pstdev
from typing import Any

from lumber_core.checks import check_positive
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.windows import UnitWindow, scores_of
from lumber_core.segmentation import Outcome, Usage, Verdict

_FULL_WEIGHT_SHARE = 0.25  # of a group's words on the smaller side of a gap


class LexicalJudge(Judge):
    """Names the unit where the vocabulary changes most; in a window, those where it changes much.

    It costs nothing and needs no model: a baseline for other judges.

    Args:
        block: Number of words compared on each side of a candidate.

    Raises:
        ValueError: `block` is below 1.
        TypeError: `block` is not a whole number.
    """

    waits = False

    def __init__(self, *, block: int = 120) -> None:
        check_positive("block", block)
        self._block = block

    def judge(self, group: Group) -> Verdict:
        """Name the candidate with the greatest depth, if any side differs."""
        words = [_words(text) for text in group.texts]
        similarities = [self._similarity(words, number) for number in range(1, len(words))]
        depths = _depths(similarities)
        candidates = [unit for unit in group.choices if 0 < unit - group.start < len(words)]
        balance = _balance([len(part) for part in words])
        gaps = {unit: unit - group.start - 1 for unit in candidates}
        if isinstance(group, UnitWindow):
            return _deepest(group, depths)
        scores = {unit: depths[gap] * balance[gap] for unit, gap in gaps.items()}
        unit = max(scores, key=lambda unit: (scores[unit], -unit), default=None)
        if unit is None or scores[unit] <= 0:
            reason = "word use does not change"
            return Verdict(group.start, group.stop, None, "no_shift", reason, usage=Usage(1))
        reason = f"word use changes most here (depth {depths[gaps[unit]]:.2f})"
        return Verdict(group.start, group.stop, unit, "shift", reason, usage=Usage(1))

    async def ajudge(self, group: Group) -> Verdict:
        """Async version of `judge`, which takes well under a millisecond."""
        return self.judge(group)

    def _similarity(self, words: Sequence[Sequence[str]], number: int) -> float:
        """Return the cosine between the words before unit `number` of the group and from it on."""
        before = self._side(reversed(words[:number]))
        after = self._side(words[number:])
        product = sum(count * after[word] for word, count in before.items())
        lengths = math.sqrt(_square(before) * _square(after))
        return product / lengths if lengths else 0.0

    def _side(self, parts: Iterable[Sequence[str]]) -> Counter[str]:
        side: Counter[str] = Counter()
        room = self._block
        for part in parts:
            side.update(part[:room] if room < len(part) else part)
            room -= len(part)
            if room <= 0:
                break
        return side

    def __repr__(self) -> str:
        return f"LexicalJudge(block={self._block})"


def _deepest(window: UnitWindow, depths: Sequence[float]) -> Verdict:
    """Name the units of a window at more than mean depth and half a standard deviation."""
    # Hearst 1997, section 5.4, subtracts it, to cut more: she looks for subtopics, not topics.
    limit = mean(depths) + pstdev(depths) / 2
    starts = [unit for unit, depth in zip(window.choices, depths, strict=True) if depth > limit]
    outcome: Outcome = "shift" if starts else "no_shift"
    return Verdict(
        window.start,
        window.stop,
        min(starts, default=None),
        outcome,
        f"word use changes at {len(starts)} of {len(depths)} units",
        usage=Usage(1),
        scores=tuple(scores_of(window, starts)),
    )


def _square(side: Counter[str]) -> int:
    return sum(count * count for count in side.values())


def _depths(similarities: Sequence[float]) -> list[float]:
    """Return how far each gap lies below the nearest peaks to its left and right."""
    return [
        _climb(reversed(similarities[:number]), here) + _climb(similarities[number + 1 :], here)
        for number, here in enumerate(similarities)
    ]


def _climb(values: Iterable[float], start: float) -> float:
    """Return the rise from `start` to the first peak of `values`."""
    peak = start
    for value in values:
        if value < peak:
            break
        peak = value
    return peak - start


def _balance(lengths: Sequence[int]) -> list[float]:
    """Return a weight for each gap; below 1 if one side of it is a small part of the group."""
    total = sum(lengths) or 1
    weights, before = [], 0
    for length in lengths[:-1]:
        before += length
        share = min(before, total - before) / total
        weights.append(min(1.0, share / _FULL_WEIGHT_SHARE))
    return weights


@cache
def _word_pattern() -> Any:
    import regex  # deferred: only this judge needs it

    # In scripts without spaces each character is a word.
    return regex.compile(
        r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
        r"|[\p{L}\p{M}\p{N}]{4,}"
    )


def _words(text: str) -> list[str]:
    """Return the content words: words of one to three letters are mostly function words."""
    words: list[str] = _word_pattern().findall(text.casefold())
    return words
