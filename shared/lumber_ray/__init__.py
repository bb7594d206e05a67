"""Splitting corpora that are too large for one process, on Ray Data.

`split_corpus` reads Parquet, JSON Lines or text files and writes chunks as Parquet or JSON Lines;
it can be interrupted and run again. `split_dataset` is a step of a Ray Data pipeline of your own.

Both need the extra `ray`. Ray itself is imported when one of them is called.
"""

from lumber_core.support.extras import require

require("pyarrow", package="pyarrow", extra="ray")

from lumber_core import __version__  # noqa: E402 - after the check that names the extra
from lumber_ray.corpus import CorpusSummary, split_corpus  # noqa: E402
from lumber_ray.datasets import split_dataset  # noqa: E402

__all__ = ["CorpusSummary", "__version__", "split_corpus", "split_dataset"]
