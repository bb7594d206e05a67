"""A judge without a model, for tests: lexical cohesion, after TextTiling (Hearst 1997).

If two neighbouring passages share few words, the topic has probably changed. The score of a
candidate is its depth: how far the similarity of the two sides falls from the nearest peak on
either side. The judge names the candidate with the greatest depth.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from statistics import mean, pstdev

import regex

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.unit_windows import UnitWindow
from lumber_core.segmentation import Usage, Verdict

_BLOCK = 120  # words compared on each side
_FULL_WEIGHT_SHARE = 0.25  # of a group's words on the smaller side of a gap
# In scripts without spaces each character is a word; short words are mostly function words.
_WORDS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}]{4,}"
)


class LexicalJudge(Judge):
    """Names the unit where the vocabulary changes most; in a window, those where it changes much.

    Its answers depend on the texts alone and cost nothing.
    """

    waits = False

    def judge(self, group: Group) -> Verdict:
        words = [_WORDS.findall(text.casefold()) for text in group.texts]
        depths = _depths([_similarity(words, number) for number in range(1, len(words))])
        if isinstance(group, UnitWindow):
            return _deepest(group, depths)
        balance = _balance([len(part) for part in words])
        scores = {
            unit: depths[unit - group.start - 1] * balance[unit - group.start - 1]
            for unit in group.choices
            if group.start < unit < group.stop
        }
        unit = max(scores, key=lambda unit: (scores[unit], -unit), default=None)
        if unit is None or scores[unit] <= 0:
            return Verdict(group.start, group.stop, None, "no_shift", usage=Usage(1))
        return Verdict(group.start, group.stop, unit, "shift", usage=Usage(1))

    def __repr__(self) -> str:
        return "LexicalJudge()"


def _similarity(words: Sequence[Sequence[str]], number: int) -> float:
    """Return the cosine between the words before unit `number` of the group and from it on."""
    before, after = _side(reversed(words[:number])), _side(words[number:])
    product = sum(count * after[word] for word, count in before.items())
    lengths = math.sqrt(_square(before) * _square(after))
    return product / lengths if lengths else 0.0


def _side(parts: Iterable[Sequence[str]]) -> Counter[str]:
    return Counter(islice(chain.from_iterable(parts), _BLOCK))


def _square(side: Counter[str]) -> int:
    return sum(count * count for count in side.values())


def _deepest(window: UnitWindow, depths: Sequence[float]) -> Verdict:
    """Name the units of a window at more than mean depth and half a standard deviation."""
    limit = mean(depths) + pstdev(depths) / 2
    starts = [unit for unit, depth in zip(window.choices, depths, strict=True) if depth > limit]
    return Verdict(
        window.start,
        window.stop,
        min(starts, default=None),
        "shift" if starts else "no_shift",
        usage=Usage(1),
        starts=tuple(starts),
    )


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
