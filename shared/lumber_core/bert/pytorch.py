"""Scoring tokens with PyTorch: for checkpoints as they come, for training, and on accelerators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from lumber_core.bert.model import ChunkTagger
from lumber_core.bert.tokenizer import Numbers
from lumber_core.bert.windows import Places, Scores


class TorchScorer:
    """A `ChunkTagger` as a scorer of windows.

    Args:
        model: The classifier; it is switched to evaluation mode.
        cls_id: Vocabulary number of [CLS].
        sep_id: Vocabulary number of [SEP].
        at_once: How many windows make a batch.
    """

    def __init__(self, model: ChunkTagger, *, cls_id: int, sep_id: int, at_once: int = 8) -> None:
        self.at_once = at_once
        self._model = model.eval()
        self._cls = cls_id
        self._sep = sep_id

    @torch.inference_mode()
    def score(
        self, windows: Sequence[Numbers], places: Sequence[Places] | None = None
    ) -> list[Scores]:
        """Return t for each token of each window, or for those at some places; as one batch."""
        longest = max(len(window) for window in windows) + 2
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, window in enumerate(windows):
            length = len(window) + 2
            ids[number, :length] = [self._cls, *window, self._sep]
            mask[number, :length] = 1
        device = self._model.chunklayer.weight.device
        logits = self._model(torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device))
        scores = (logits[..., 1] - logits[..., 0]).float().cpu().numpy()
        told = [row[1 : len(window) + 1] for row, window in zip(scores, windows, strict=True)]
        if places is None:
            return told
        return [t[at] for t, at in zip(told, places, strict=True)]
