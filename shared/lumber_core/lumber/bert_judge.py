"""A judge without a language model: it names the unit with the strongest start score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lumber_core.bert import BertChunker, TokenScores
from lumber_core.bert.model_folder import weights_digest
from lumber_core.calls.forks import ForkSafeLock
from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.lumber.judges import Judge
from lumber_core.segmentation import Outcome, Usage, Verdict

if TYPE_CHECKING:  # numpy is imported when a text is first scored
    import numpy as np
    import numpy.typing as npt

# If BertChunker cuts at no unit of a group, the start with the highest score is named. A penalty
# for early starts avoids tiny chunks: it is 4, in units of t, at the start of the group.
_TARGET_POSITION = 0.8  # share of the group's tokens
_POSITION_PENALTY = 4.0


class BertJudge(Judge):
    """Names the first unit of a group at which a BertChunker would cut.

    So units that `BertChunker` separates are never joined. If it cuts at none of them, the judge
    names the unit with the highest start score t, minus a penalty for the distance from four fifths
    of the group, so that chunks are neither tiny nor always full groups. The last group of a
    document stays whole if BertChunker does not cut it.

    In a window, the judge names all units at which a BertChunker would cut.

    Each document is scored only once, even with several threads.

    Args:
        model: The classifier: "bundled", or another value of `BertChunker`'s `model`.
        threads: See `BertChunker`.

    Raises:
        ValueError: A number is out of range.
        TypeError: A setting has the wrong type.
        MissingExtraError: `model` is a Hugging Face ID, and huggingface_hub is not installed.
    """

    waits = False

    def __init__(self, model: str = "bundled", *, threads: int | None = None) -> None:
        self._chunker = BertChunker(model, threads=threads)
        self._lock = ForkSafeLock()
        self._scores: WeakKeyDictionary[TextUnits, UnitScores] = WeakKeyDictionary()

    @property
    def model(self) -> str:
        """The argument `model`."""
        return self._chunker.model

    @property
    def identity(self) -> str:
        """The model's weights."""
        return f"BertJudge(weights={weights_digest(self.model)})"

    def judge(self, group: Group) -> Verdict:
        """Return the verdict on a group; see the class."""

        def verdict(unit: int | None, reason: str, starts: tuple[int, ...] = ()) -> Verdict:
            outcome: Outcome = "no_shift" if unit is None else "shift"
            span, usage = (group.start, group.stop), Usage(calls=1)
            return Verdict(*span, unit, outcome, reason, usage=usage, starts=starts)

        choices = [unit for unit in group.choices if group.start < unit < group.stop]
        if not choices:
            return verdict(None, "the group has no unit to choose")
        scores = self._scores_of(group.document)
        starts = tuple(unit for unit in choices if unit in scores.cuts)
        cut = min(starts, default=None)
        if group.several:
            return verdict(cut, f"BertChunker cuts at {len(starts)} units", starts)
        if cut is not None:
            return verdict(cut, f"BertChunker cuts here (t = {scores.t[cut]:.2f})")
        unit = scores.best(group.start, group.stop, choices)
        t = float(scores.t[unit])
        if group.stop == len(group.document.units):
            return verdict(None, f"no start in the rest of the document (t = {t:.2f})")
        return verdict(unit, f"strongest start of the group (t = {t:.2f})")

    def _scores_of(self, document: TextUnits) -> UnitScores:
        """Return the scores of a document's units, which are computed once."""
        with self._lock:
            unit_scores = self._scores.get(document)
            if unit_scores is None:
                # The splitter may have parsed the text already.
                parsed = document.parsed or self._chunker.parse(document.text)
                scores = self._chunker.scores(parsed, also=[unit.start for unit in document.units])
                cuts = self._chunker.cuts(parsed, scores)
                unit_scores = self._scores[document] = UnitScores(document, scores, cuts)
            return unit_scores

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self.model, threads=self._chunker.threads), ()

    def __repr__(self) -> str:
        return f"BertJudge({self.model!r})"


class UnitScores:
    """Start scores of a document's units, and the units at which a BertChunker cuts."""

    def __init__(self, document: TextUnits, scores: TokenScores, cuts: Sequence[int]) -> None:
        import numpy as np

        starts = [unit.start for unit in document.units]
        offsets = frozenset(cuts)
        self.cuts = {number for number, start in enumerate(starts) if start in offsets}
        # Tokens before each unit and before the text's end, shape (units + 1,).
        before = np.searchsorted(scores.starts, [*starts, len(document.text)], side="left")
        self.tokens_before: npt.NDArray[np.intp] = before
        # The score of each unit's first token, shape (units,); very low if it has no token.
        lowest = np.finfo(np.float32).min / 2
        self.t: npt.NDArray[np.float32] = np.full(len(starts), lowest, dtype=np.float32)
        has_tokens = before[:-1] < before[1:]
        self.t[has_tokens] = scores.t[before[:-1][has_tokens]]

    def best(self, start: int, stop: int, choices: Sequence[int]) -> int:
        """Return the choice with the highest score minus the penalty for its position.

        The group goes from `start` to `stop`, exclusive; all choices, at least one, are inside it.
        """
        import numpy as np

        units = np.asarray(choices)
        before = self.tokens_before[start]
        total = max(1, int(self.tokens_before[stop] - before))
        shares = (self.tokens_before[units] - before) / total
        penalty = _POSITION_PENALTY * ((shares - _TARGET_POSITION) / _TARGET_POSITION) ** 2
        return int(units[int(np.argmax(self.t[units] - penalty))])
