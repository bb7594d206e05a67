"""A judge without a model, for tests: its answers depend only on the words of the texts."""

import re
from itertools import pairwise
from statistics import mean

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.unit_windows import UnitWindow
from lumber_core.segmentation import Usage, Verdict

MANY = 0.2
"""The share of words that makes a unit go on with what is before it."""


class LexicalJudge(Judge):
    """Names the unit that shares the fewest words with the unit before it.

    In a window it names every unit that shares few. If all units share many, it names none.
    """

    waits = False

    def judge(self, group: Group) -> Verdict:
        words = [{*re.findall(r"\w{4,}", text.casefold())} for text in group.texts]
        shares = [len(before & after) / (1 + len(after)) for before, after in pairwise(words)]
        shared = dict(zip(range(group.start + 1, group.stop), shares, strict=True))
        if isinstance(group, UnitWindow):
            starts = tuple(unit for unit in shared if shared[unit] < mean(shares))
        else:  # the longest of several best units
            best = min(shared, key=lambda unit: (shared[unit], -len(words[unit - group.start])))
            starts = (best,) if shared[best] < MANY else ()
        outcome = "shift" if starts else "no_shift"
        unit = min(starts, default=None)
        return Verdict(group.start, group.stop, unit, outcome, usage=Usage(1), starts=starts)

    def __repr__(self) -> str:
        return "LexicalJudge()"
