"""Any splitters side by side: `compare` runs them, and returns a `Comparison`.

`running` runs the splitters, `results` holds the figures with their intervals, and `metrics`
defines each of them.

`lumber_evaluation.report.write_report` shows it.
"""

from lumber_evaluation.comparison.results import (
    MIN_FOR_INTERVAL,
    Comparison,
    Difference,
    Figure,
    SplitterResult,
)
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
