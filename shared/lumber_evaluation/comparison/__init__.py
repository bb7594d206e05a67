"""Any splitters side by side: `compare` runs them, and returns a `Comparison`.

`running` runs the splitters, `metrics` defines the figures of their results, and `results` holds
them with their intervals.

`lumber_evaluation.report.write_report` shows it.
"""

from lumber_evaluation.comparison.metrics import SplitterResult
from lumber_evaluation.comparison.results import MIN_FOR_INTERVAL, Comparison, Difference, Figure
from lumber_evaluation.comparison.running import check_comparison, compare

__all__ = [
    "MIN_FOR_INTERVAL",
    "Comparison",
    "Difference",
    "Figure",
    "SplitterResult",
    "check_comparison",
    "compare",
]
