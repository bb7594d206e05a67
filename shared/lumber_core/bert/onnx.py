"""Running exported models with onnxruntime: one sequence per thread, reproducible, fork-safe."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime

from lumber_core.bert.model_folder import folder_state
from lumber_core.bert.windows import Positions, Scores, TokenIds
from lumber_core.errors import WeightsError

_MOST_THREADS = 8
# Places are padded to a multiple of this: for a matrix of one row, onnxruntime may use a kernel
# that adds in another order, so that scores would differ.
_ROWS = 8
# What onnxruntime runs a model with, best first: what CUDA has no kernel for runs on the CPU.
DEVICE_PROVIDERS = {
    "cpu": ["CPUExecutionProvider"],
    "cuda": ["CUDAExecutionProvider", "CPUExecutionProvider"],
}


class _Runtime(NamedTuple):
    """What runs a model in one process."""

    process: int
    session: onnxruntime.InferenceSession
    pool: ThreadPoolExecutor | None


# Sessions that a forked process inherits stay unused and are never freed: freeing one takes locks
# that a thread of the parent may have held when it forked.
_inherited: list[_Runtime] = []


class OnnxModel:
    """An exported model that reads one sequence of tokens at a time.

    Sequences run in parallel, each in one thread: on a CPU that is faster than several threads for
    one sequence, and the result does not depend on what else is running. Session and threads
    belong to the process that made them; a forked process opens its own.

    Args:
        path: The `.onnx` file.
        output: Name of its output.
        picking: Whether the model may have a second input, `places`: the positions in the
            sequence to return.
        cls_id: Token id of [CLS].
        sep_id: Token id of [SEP].
        threads: Number of sequences run in parallel. None: all available CPUs, up to 8.

    Raises:
        WeightsError: The file is damaged or is another kind of model.
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
        self.at_once = threads or min(_MOST_THREADS, available_cpus())
        self._path = Path(path)
        self._state = folder_state(self._path.parent)
        self._runtime = self._start()
        inputs = [node.name for node in self._runtime.session.get_inputs()]
        outputs = [node.name for node in self._runtime.session.get_outputs()]
        self._picks = picking and inputs == ["ids", "places"]
        if not (self._picks or inputs == ["ids"]) or outputs != [output]:
            raise WeightsError(
                f"{path} is another kind of model: expected the input ids and the output {output}, "
                f"found {', '.join(inputs)} and {', '.join(outputs)}. Make it with: "
                "lumber-splitters export"
            )
        self._cls = cls_id
        self._sep = sep_id

    def run(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        """Return the output for each sequence.

        Args:
            windows: Token ids of the sequences, without [CLS] and [SEP].
            places: For a model that picks, the positions in each sequence to return; None for
                all.

        Raises:
            WeightsError: The model cannot run these sequences, or a forked process finds that its
                files have changed.
        """
        if places is None:
            places = [np.arange(len(window)) for window in windows]
        runtime = self._own_runtime()
        if runtime.pool is None or len(windows) == 1:
            return list(map(self._run, windows, places))
        return list(runtime.pool.map(self._run, windows, places))

    def _own_runtime(self) -> _Runtime:
        """Return this process's session and threads, which a forked process has to make.

        No lock: two threads may make one each, and either serves.
        """
        runtime = self._runtime
        if runtime.process != os.getpid():
            if folder_state(self._path.parent) != self._state:
                raise WeightsError(
                    f"{self._path.parent} has changed since the process that was forked loaded the "
                    "model from it: make a new splitter or embedder"
                )
            _inherited.append(runtime)
            runtime = self._runtime = self._start()
        return runtime

    def _start(self) -> _Runtime:
        pool = ThreadPoolExecutor(self.at_once) if self.at_once > 1 else None
        return _Runtime(os.getpid(), open_session(self._path), pool)

    def _run(self, window: TokenIds, places: Positions) -> Scores:
        inputs = self._inputs(window, places)
        try:
            result: Scores = self._runtime.session.run(None, inputs)[0][0]
        except Exception as error:  # onnxruntime's errors have no narrower base
            raise WeightsError(
                f"{self._path} cannot run a sequence of {inputs['ids'].shape[1]} tokens; the "
                f"window in its card may be too large for it: {error}"
            ) from error
        return result

    def _inputs(self, window: TokenIds, places: Positions) -> dict[str, npt.NDArray[np.int64]]:
        """Return the model's inputs for a sequence."""
        ids = np.empty((1, len(window) + 2), dtype=np.int64)
        ids[0, 0], ids[0, 1:-1], ids[0, -1] = self._cls, window, self._sep
        if not self._picks:
            return {"ids": ids}
        padded = np.zeros(-(-max(1, len(places)) // _ROWS) * _ROWS, dtype=np.int64)
        padded[: len(places)] = places + 1
        return {"ids": ids, "places": padded}


class OnnxScorer(OnnxModel):
    """An exported classifier as a scorer of windows; arguments as for `OnnxModel`."""

    across_texts = True

    def __init__(
        self, path: str | Path, *, cls_id: int, sep_id: int, threads: int | None = None
    ) -> None:
        super().__init__(path, "t", cls_id=cls_id, sep_id=sep_id, threads=threads, picking=True)

    def score(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        """Return t of each token of each window, or of those at some places."""
        if places is None:
            places = [np.arange(len(window)) for window in windows]
        results = self.run(windows, places)
        if self._picks:
            return [t[: len(at)] for t, at in zip(results, places, strict=True)]
        return [t[1:-1][at] for t, at in zip(results, places, strict=True)]


def open_session(
    model: str | Path | bytes, device: Literal["cpu", "cuda"] = "cpu"
) -> onnxruntime.InferenceSession:
    """Open a model that runs in the calling thread.

    Args:
        model: Its file, or its content.
        device: "cpu" or "cuda".

    Raises:
        WeightsError: The file is missing, damaged, or cannot be run by onnxruntime.
        ValueError: There is no GPU for `device="cuda"`.
    """
    first, *_ = providers = check_provider(device)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised, and would be printed as well
    source, name = (model, "the model") if isinstance(model, bytes) else (str(model), str(model))
    try:
        session = onnxruntime.InferenceSession(source, sess_options=options, providers=providers)
    except Exception as error:
        raise WeightsError(f"onnxruntime cannot open {name}: {error}") from error
    if first not in session.get_providers():  # it goes on without a provider that does not start
        raise ValueError(_no_gpu("onnxruntime finds no GPU, no driver or not the CUDA it needs"))
    return session


def check_provider(device: Literal["cpu", "cuda"]) -> list[str]:
    """Return what onnxruntime is to run a model with, best first.

    Raises:
        ValueError: The installed onnxruntime is not for such a device.
    """
    first, *_ = providers = DEVICE_PROVIDERS[device]
    if first not in onnxruntime.get_available_providers():
        raise ValueError(_no_gpu("the installed onnxruntime is for CPUs only"))
    return providers


def _no_gpu(why: str) -> str:
    return (
        f'device="cuda": {why}. Run pip uninstall onnxruntime, then pip install '
        "'lumber-splitters[gpu]', and see that nvidia-smi shows the GPU; or pass device=\"cpu\""
    )


def available_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
