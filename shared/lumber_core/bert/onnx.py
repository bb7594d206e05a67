"""Running exported models with onnxruntime: one sequence per thread, reproducible, fork-safe."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Newer versions of onnxruntime send telemetry on import, unless this variable prevents it. This
# library makes no network requests of its own; to allow telemetry, set the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime

from lumber_core.bert.moving_window import Positions, Scores, TokenIds
from lumber_core.errors import WeightsError

ModelInputs = Mapping[str, npt.NDArray[np.int64]]

_MAX_THREADS = 8  # threads of one model, by default
# The number of places is padded to a multiple of this: for a matrix of one row, onnxruntime may use
# a kernel that adds in another order, and scores would differ.
_PLACES_MULTIPLE = 8


class _Runtime(NamedTuple):
    """The session and threads that run a model in one process."""

    process: int
    session: onnxruntime.InferenceSession
    pool: ThreadPoolExecutor | None


# Sessions that a forked process inherits stay unused and are never freed: freeing a session takes
# locks that a thread of the parent may have held during the fork.
_parents_runtimes: list[_Runtime] = []


class OnnxModel:
    """An exported model that reads one sequence of tokens at a time.

    Sequences run in parallel, each in one thread. On a CPU this is faster than several threads for
    one sequence, and the result does not depend on the other sequences. Session and threads belong
    to the process that created them; a forked process creates its own.

    `inputs` and `output` are the names of the model's tensors. `threads` is the number of sequences
    run in parallel; None: all available CPUs, up to 8. A file that is damaged or another kind of
    model raises a WeightsError.
    """

    def __init__(
        self, path: str | Path, inputs: Sequence[str], output: str, *, threads: int | None = None
    ) -> None:
        self.batch_size = threads or min(_MAX_THREADS, available_cpus())
        self._path = Path(path)
        self._runtime = self._start()
        session = self._runtime.session
        input_names, output_names = (
            [node.name for node in side] for side in (session.get_inputs(), session.get_outputs())
        )
        if input_names != list(inputs) or output_names != [output]:
            raise WeightsError(
                f"{path} is another kind of model: expected {', '.join(inputs)} in and {output} "
                f"out, found {', '.join(input_names)} and {', '.join(output_names)}. Make it with: "
                "python -m lumber_training export"
            )

    def run(self, sequences: Sequence[ModelInputs]) -> list[npt.NDArray[np.float32]]:
        """Return the output for the inputs of each sequence, or raise a WeightsError."""
        runtime = self._runtime
        # No lock: two threads may each create a runtime, and both work.
        if runtime.process != os.getpid():
            _parents_runtimes.append(runtime)
            runtime = self._runtime = self._start()
        if runtime.pool is None or len(sequences) == 1:
            return list(map(self._run, sequences))
        return list(runtime.pool.map(self._run, sequences))

    def _start(self) -> _Runtime:
        options = onnxruntime.SessionOptions()
        # A sequence runs in the thread that calls the session.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised; a lower level would print them as well
        try:
            session = onnxruntime.InferenceSession(
                str(self._path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise WeightsError(f"onnxruntime cannot open {self._path}: {error}") from error
        pool = ThreadPoolExecutor(self.batch_size) if self.batch_size > 1 else None
        return _Runtime(os.getpid(), session, pool)

    def _run(self, inputs: ModelInputs) -> npt.NDArray[np.float32]:
        try:
            result: npt.NDArray[np.float32] = self._runtime.session.run(None, inputs)[0][0]
        except Exception as error:  # onnxruntime's errors have no narrower base
            raise WeightsError(
                f"{self._path} cannot run a sequence of {inputs['ids'].shape[1]} tokens; the "
                f"window in its card may be too large for it: {error}"
            ) from error
        return result


class OnnxTokenScorer(OnnxModel):
    """An exported classifier of tokens as a scorer of windows."""

    def __init__(
        self, path: str | Path, *, cls_id: int, sep_id: int, threads: int | None = None
    ) -> None:
        super().__init__(path, ["ids", "places"], "t", threads=threads)
        self._specials = cls_id, sep_id

    def score(self, windows: Sequence[TokenIds], places: Sequence[Positions]) -> list[Scores]:
        """Return the scores of the tokens at `places` of each window."""
        scores = self.run(list(map(self._inputs, windows, places)))
        return [t[: len(at)] for t, at in zip(scores, places, strict=True)]

    def _inputs(self, window: TokenIds, places: Positions) -> ModelInputs:
        count = -(-max(1, len(places)) // _PLACES_MULTIPLE) * _PLACES_MULTIPLE
        padded = np.zeros(count, dtype=np.int64)
        padded[: len(places)] = places + 1
        return {"ids": sequence(window, *self._specials), "places": padded}


class OnnxPlaceScorer(OnnxModel):
    """An exported classifier of places as a scorer of windows.

    The score of a place depends on the other places, because the model reads the tokens between two
    places as a unit.
    """

    def __init__(self, path: str | Path, *, threads: int | None = None) -> None:
        super().__init__(path, ["ids", "places"], "t", threads=threads)

    def score(self, windows: Sequence[TokenIds], places: Sequence[Positions]) -> list[Scores]:
        """Return the score of each place of each window, given the first token of each place."""
        # The tokens before the first place of a window are read, but not scored.
        added = [int(not len(at) or at[0] > 0) for at in places]
        inputs = [
            {
                "ids": window[None].astype(np.int64),
                "places": np.append([0] * count, at).astype(np.int64),
            }
            for window, at, count in zip(windows, places, added, strict=True)
        ]
        return [t[count:] for t, count in zip(self.run(inputs), added, strict=True)]


def sequence(window: TokenIds, cls_id: int, sep_id: int) -> npt.NDArray[np.int64]:
    """Return the token IDs of a window with [CLS] and [SEP], shape (1, length)."""
    ids = np.empty((1, len(window) + 2), dtype=np.int64)
    ids[0, 0], ids[0, 1:-1], ids[0, -1] = cls_id, window, sep_id
    return ids


def available_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
