"""Running exported models that score places: they read the text between two places as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lumber_core.bert.onnx import OnnxModel
from lumber_core.bert.windows import Positions, Scores, TokenIds


class PlaceScorer(OnnxModel):
    """An exported classifier of places as a scorer of windows.

    The score of a place depends on where the other places are, as the model reads the tokens from
    one to the next together.

    Args:
        path: The `.onnx` file.
        threads: Number of windows scored in parallel. None: all available CPUs, up to 8.

    Raises:
        WeightsError: The file is damaged or is another kind of model.
    """

    across_texts = True

    def __init__(self, path: str | Path, *, threads: int | None = None) -> None:
        super().__init__(path, "t", cls_id=0, sep_id=0, threads=threads, picking=True)

    def score(
        self, windows: Sequence[TokenIds], places: Sequence[Positions] | None = None
    ) -> list[Scores]:
        """Return t of each place of each window.

        Args:
            windows: Token ids of each window.
            places: Indices of the first token of each place in each window; None for all tokens.
        """
        if places is None:
            places = [np.arange(len(window)) for window in windows]
        # What precedes the first place of a window is read as well, but not scored.
        added = [int(not len(at) or at[0] > 0) for at in places]
        whole = [np.append([0] * more, at) for more, at in zip(added, places, strict=True)]
        return [t[more:] for more, t in zip(added, self.run(windows, whole), strict=True)]

    def _inputs(self, window: TokenIds, places: Positions) -> dict[str, npt.NDArray[np.int64]]:
        return {"ids": window[None].astype(np.int64), "places": places.astype(np.int64)}
