"""Running an exported classifier on a GPU with onnxruntime: padded batches, in 32-bit floats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from lumber_core.bert.onnx import check_provider, open_session
from lumber_core.bert.scanning import padded_batch
from lumber_core.bert.windows import Positions, Scores, TokenIds


class OnnxBatchScorer:
    """An exported classifier as a scorer of batches of windows.

    Args:
        path: The `.onnx` file, in floats or in 8 bits.
        cls_id: Token id of [CLS].
        sep_id: Token id of [SEP].
        at_once: Batch size, in windows.

    Raises:
        WeightsError: The file is damaged or is another kind of model.
        ValueError: There is no GPU.
        MissingExtraError: onnx is not installed.
    """

    across_texts = True

    def __init__(self, path: str | Path, *, cls_id: int, sep_id: int, at_once: int) -> None:
        check_provider("cuda")
        from lumber_core.bert.float_graph import float_graph  # deferred: needs onnx

        self.at_once = at_once
        self._model = float_graph(Path(path))
        self._specials = cls_id, sep_id
        self._start()

    def _start(self) -> onnxruntime.InferenceSession:
        session = open_session(self._model, "cuda")
        self._session = os.getpid(), session
        return session

    def score(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        """Return t of each token of each window, or of those at some places, in one batch."""
        process, session = self._session
        if process != os.getpid():
            session = self._start()  # a session belongs to the process that made it
        ids, mask = padded_batch(windows, *self._specials)
        rows = session.run(["t"], {"ids": ids, "mask": mask.astype(np.int32)})[0]
        scored = [row[1 : len(window) + 1] for row, window in zip(rows, windows, strict=True)]
        if places is None:
            return scored
        return [t[at] for t, at in zip(scored, places, strict=True)]
