"""A progress bar over units, with calls, tokens and cost; shown only where asked for."""

from __future__ import annotations

from types import TracebackType

from tqdm import tqdm

from lumber_core.lumber.estimate import Prices
from lumber_core.lumber.schedule import Task
from lumber_core.segmentation import Usage, Verdict


class Progress:
    """Follows walks.

    Args:
        total: Units of all texts; None shows nothing.
        prices: What the model costs.
    """

    def __init__(self, total: int | None, prices: Prices | None) -> None:
        self._bar = tqdm(total=total, disable=total is None, unit="unit")
        self._prices = prices
        self._usage = Usage()
        self._passed: dict[int, int] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None and self._bar.total is not None:
            self._bar.update(self._bar.total - self._bar.n)
        self._bar.close()

    def starts(self, units: int) -> None:
        """Take notice of a text that has only one unit: nobody is asked about it."""
        if units == 1:
            self._bar.update(1)

    def verdict(self, task: Task, verdict: Verdict) -> None:
        """Take notice of a verdict."""
        if self._bar.disable:
            return
        self._usage += verdict.usage
        passed = task.walk.position
        self._bar.update(passed - self._passed.get(task.number, 0))
        self._passed[task.number] = passed
        tokens = self._usage.prompt_tokens + self._usage.completion_tokens
        shown: dict[str, int | str] = {"calls": self._usage.calls, "tokens": tokens}
        if self._prices is not None:
            shown["cost"] = f"{self._prices.of(self._usage):.2f}"
        self._bar.set_postfix(shown, refresh=False)
