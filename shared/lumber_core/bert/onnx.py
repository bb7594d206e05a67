"""Running exported models with onnxruntime: one sequence to a thread, always the same results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from lumber_core.bert.tokenizer import Numbers
from lumber_core.bert.windows import Places, Scores
from lumber_core.errors import WeightsError

_MOST_THREADS = 8
# Places are made up to a multiple of this, since a matrix of one row may be multiplied by other
# code than one of several, which adds in another order.
_ROWS = 8


class OnnxModel:
    """An exported model that takes one sequence of tokens at a time.

    Sequences run side by side, each in one thread: on a processor that is faster than several
    threads on one sequence, and what comes out does not depend on what runs beside it.

    Args:
        path: The `.onnx` file.
        output: Name of its output.
        picking: Whether the model may take a second input, `places`: the places in the sequence
            whose output is wanted.
        cls_id: Vocabulary number of [CLS].
        sep_id: Vocabulary number of [SEP].
        threads: How many sequences run at once; None takes as many as there are processors for
            this process, up to 8.

    Raises:
        WeightsError: If the file is damaged or no such model.
    """

    def __init__(
        self,
        path: str | Path,
        output: str,
        *,
        cls_id: int,
        sep_id: int,
        threads: int | None = None,
        picking: bool = False,
    ) -> None:
        self.at_once = threads or min(_MOST_THREADS, available_processors())
        self._session = open_session(path)
        inputs = [node.name for node in self._session.get_inputs()]
        outputs = [node.name for node in self._session.get_outputs()]
        self._picks = picking and inputs == ["ids", "places"]
        if not (self._picks or inputs == ["ids"]) or outputs != [output]:
            raise WeightsError(
                f"{path} is some other model: expected the input ids and the output {output}, "
                f"found {', '.join(inputs)} and {', '.join(outputs)}. Make it with: "
                "lumber-splitters export"
            )
        self._cls = cls_id
        self._sep = sep_id
        self._pool = ThreadPoolExecutor(self.at_once) if self.at_once > 1 else None

    def run(
        self, windows: Sequence[Numbers], places: Sequence[Places] | None = None
    ) -> list[Scores]:
        """Return the output for each sequence of vocabulary numbers, given without specials.

        Args:
            windows: The sequences.
            places: For a model that picks, the places in each sequence whose output is wanted;
                None wants all.
        """
        if places is None:
            places = [np.arange(len(window)) for window in windows]
        if self._pool is None or len(windows) == 1:
            return list(map(self._run, windows, places))
        return list(self._pool.map(self._run, windows, places))

    def _run(self, window: Numbers, places: Places) -> Scores:
        ids = np.empty((1, len(window) + 2), dtype=np.int64)
        ids[0, 0], ids[0, 1:-1], ids[0, -1] = self._cls, window, self._sep
        given: dict[str, npt.NDArray[np.int64]] = {"ids": ids}
        if self._picks:
            padded = np.zeros(-(-max(1, len(places)) // _ROWS) * _ROWS, dtype=np.int64)
            padded[: len(places)] = places + 1
            given["places"] = padded
        result: Scores = self._session.run(None, given)[0][0]
        return result


class OnnxScorer(OnnxModel):
    """An exported classifier as a scorer of windows; arguments as for `OnnxModel`."""

    def __init__(
        self, path: str | Path, *, cls_id: int, sep_id: int, threads: int | None = None
    ) -> None:
        specials = {"cls_id": cls_id, "sep_id": sep_id}
        super().__init__(path, "t", **specials, threads=threads, picking=True)

    def score(
        self, windows: Sequence[Numbers], places: Sequence[Places] | None = None
    ) -> list[Scores]:
        """Return t for each token of each window, or for those at some places in it."""
        if places is None:
            places = [np.arange(len(window)) for window in windows]
        results = self.run(windows, places)
        if self._picks:
            return [t[: len(at)] for t, at in zip(results, places, strict=True)]
        return [t[1:-1][at] for t, at in zip(results, places, strict=True)]


def open_session(path: str | Path) -> onnxruntime.InferenceSession:
    """Open a model to be run in one thread, with no memory kept between runs.

    Raises:
        WeightsError: If the file is missing, damaged or of a kind that onnxruntime cannot run.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise WeightsError(f"onnxruntime cannot open {path}: {error}") from error


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
