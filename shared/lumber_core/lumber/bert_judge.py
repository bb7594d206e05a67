"""A judge without a language model: the strongest start among a group's units."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from lumber_core.bert.chunker import BertChunker, TokenScores
from lumber_core.checks import check_positive
from lumber_core.lumber.grouping import Document, Group
from lumber_core.lumber.judges import Judge
from lumber_core.segmentation import Usage, Verdict

if TYPE_CHECKING:
    from lumber_core.lumber.unit_scores import UnitScores

K = TypeVar("K")
V = TypeVar("V")


class BertJudge(Judge):
    """Names the unit of a group that a BertChunker model thinks most likely to start something.

    A document is scored once; after that every group is answered at no cost. Ends of a group are
    disliked: of two units equally likely, the one nearer to `wanted` is named, so that chunks are
    neither tiny nor always full groups. A group that reaches the document's end is not cut unless
    the model sees a start there (t above 0): nothing forces a cut on it.

    Args:
        model: "bundled", a folder made by `lumber-splitters export`, or a hub id.
        wanted: Where in a group, as a share of its tokens, a new chunk is most welcome.
        pull: How much t must be higher for a unit at the far end of the group to be named all the
            same; it falls with the square of the distance. 0 looks at t alone.
        remembered: Texts whose scores are kept; no fewer than are split at once.
        threads: Windows scored at once; None takes the processors there are.

    Raises:
        ValueError: A number is out of range.
        TypeError: An argument has the wrong type.
    """

    waits = False

    def __init__(
        self,
        model: str = "bundled",
        *,
        wanted: float = 0.8,
        pull: float = 4.0,
        remembered: int = 8,
        threads: int | None = None,
    ) -> None:
        if not 0 <= wanted <= 1:
            raise ValueError(f"wanted must be a share between 0 and 1, not {wanted}")
        if pull < 0:
            raise ValueError(f"pull must be at least 0, not {pull}")
        check_positive("remembered", remembered)
        if threads is not None:
            check_positive("threads", threads)
        self.wanted = float(wanted)
        self.pull = float(pull)
        self._chunker = BertChunker(model, threads=threads)
        self._remembered = remembered
        self._texts: OrderedDict[str, TokenScores] = OrderedDict()
        self._units: OrderedDict[int, UnitScores] = OrderedDict()
        self._lock = Lock()

    @property
    def model(self) -> str:
        """The model's name, as given."""
        return self._chunker.model

    def judge(self, group: Group) -> Verdict:
        """Name the unit most likely to start something new; none where there is no choice."""
        usage = Usage(calls=1)
        choices = [unit for unit in group.choices if group.start < unit < group.stop]
        if not choices:
            reason = "there is nothing to choose"
            return Verdict(group.start, group.stop, None, "no_shift", reason, usage=usage)
        scores = self._scores_of(group.document)
        unit = scores.best(group.start, group.stop, choices, wanted=self.wanted, pull=self.pull)
        t = float(scores.t[unit])
        if group.stop == len(group.document.units) and t <= 0:
            reason = f"no start in what is left of the document (t = {t:.2f})"
            return Verdict(group.start, group.stop, None, "no_shift", reason, usage=usage)
        reason = f"strongest start of the group (t = {t:.2f})"
        return Verdict(group.start, group.stop, unit, "shift", reason, usage=usage)

    def _scores_of(self, document: Document) -> UnitScores:
        """Return the scores of a document's units, from memory where they are."""
        with self._lock:
            known = self._units.get(id(document))
            if known is not None and known.document is document:
                return known
            scores = self._texts.get(document.text)
        if scores is None:
            scores = self._chunker.scores(document.text)
        from lumber_core.lumber.unit_scores import UnitScores  # deferred: brings numpy

        units = UnitScores(document, scores)
        with self._lock:
            _remember(self._texts, document.text, scores, self._remembered)
            _remember(self._units, id(document), units, self._remembered)
        return units

    def __getstate__(self) -> dict[str, object]:
        return {
            "model": self.model,
            "wanted": self.wanted,
            "pull": self.pull,
            "remembered": self._remembered,
            "threads": self._chunker.threads,
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        model = state.pop("model")
        self.__init__(model, **state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"BertJudge({self.model!r}, wanted={self.wanted:g}, pull={self.pull:g})"


def _remember(memory: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Keep a value, and forget what was kept longest ago where there are too many."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > most:
        memory.popitem(last=False)
