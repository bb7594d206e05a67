"""Any splitters side by side: `compare` runs them, a `Comparison` holds what was found.

`lumber_evaluation.report.write_report` shows it.
"""

from lumber_evaluation.comparison.results import (
    FEWEST,
    Comparison,
    Difference,
    Figure,
    SplitterResult,
)
from lumber_evaluation.comparison.running import check_comparison, compare

__all__ = [
    "FEWEST",
    "Comparison",
    "Difference",
    "Figure",
    "SplitterResult",
    "check_comparison",
    "compare",
]
