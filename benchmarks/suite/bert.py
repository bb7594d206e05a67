"""Part 3: BertChunker against the published algorithm in PyTorch, with the same weights.

    python -m benchmarks.suite --parts bert --checkpoint FOLDER --text FILE

Without a checkpoint, the weights are all-MiniLM-L6-v2 with a random linear layer on both sides, and
the threshold is one that gives a start for every 150 tokens or so. Starts may be at any word, as
published, or at sentences only, which needs no scores elsewhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.suite.report import Section, Table, spread
from benchmarks.suite.texts import english
from benchmarks.suite.timing import Taken, interleaved
from lumber_core import BertChunker

WINDOW = 255
SIZE = 60_000
ROUNDS = 7
PUBLISHED = "published, PyTorch, 32 bits"
SETTINGS: dict[str, dict[str, Any]] = {
    "moving, sentences": {"windows": "moving"},
    "moving, any word": {"windows": "moving", "snap": "word"},
    "moving, sentences, one thread": {"windows": "moving", "threads": 1},
    "overlapping, sentences": {"windows": "overlapping"},
    "overlapping, any word": {"windows": "overlapping", "snap": "word"},
}


def bert(
    log: Callable[[str], None],
    *,
    scale: float = 1.0,
    checkpoint: Path | None = None,
    text: str | None = None,
) -> Section:
    """Measure BertChunker and the published algorithm by turns.

    Args:
        log: Called with a line on progress.
        scale: Factor for the size of the generated text.
        checkpoint: Weights for both sides, in the published format.
        text: The text to split.
    """
    text = english(int(SIZE * scale)) if text is None else text
    with tempfile.TemporaryDirectory() as folder:
        log("bert: exporting the weights")
        threshold = 0.0
        exported = Path(folder) / "exported"
        weights = checkpoint or random_weights(Path(folder) / "checkpoint")
        import_module("lumber_training.export").export(weights, output=exported)
        if checkpoint is None:
            t = BertChunker(str(exported), threshold=0.0).scores(text).t
            threshold = float(np.quantile(t, 1 - 1 / 150))
        published = Published(weights)
        runs: dict[str, Callable[[], object]] = {
            PUBLISHED: partial(published.starts, text, threshold)
        }
        for name, setting in SETTINGS.items():
            splitter = BertChunker(str(exported), threshold=threshold, **setting)
            runs[name] = partial(splitter.segment, text)
        log("bert: by turns")
        found = interleaved(runs, rounds=ROUNDS)
        tokens, starts = published.count(text), len(published.starts(text, threshold))
    prose = (
        f"From text to starts, {tokens:,} tokens, {starts} starts; the same weights on both sides: "
        + (
            "all-MiniLM-L6-v2 with a random linear layer."
            if checkpoint is None
            else "a checkpoint."
        )
        + " *Any word* finds starts where the published algorithm does; by default they are at "
        "sentences, and other tokens are not scored. PyTorch uses all cores, and so does "
        "BertChunker unless one thread is named."
    )
    headers = ("", "tokens/s", "times as fast, wall", "times as fast, CPU")
    rows = [
        [
            name,
            f"{tokens / median(one.wall for one in spent):,.0f}",
            spread(_ratios(found, name, "wall")),
            spread(_ratios(found, name, "cpu")),
        ]
        for name, spent in found.items()
    ]
    versions = frozenset({"lumber-splitters", "onnxruntime", "torch"})
    return Section("Bert against its published algorithm", [prose, Table(headers, rows)], versions)


class Published:
    """The published algorithm: one window of 255 tokens after the other, in PyTorch.

    Args:
        checkpoint: Weights in the published format.
    """

    def __init__(self, checkpoint: Path) -> None:
        self._torch = import_module("torch")
        self._model = import_module("lumber_core.bert.pytorch").load_tagger(checkpoint)
        kind = import_module("lumber_core.bert.tokenizer").WordPieceTokenizer
        self._tokenizer = kind.from_folder(checkpoint)

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._tokenizer(text).ids)

    def starts(self, text: str, threshold: float) -> list[int]:
        """Return the numbers of the tokens that start a chunk."""
        ids = self._tokenizer(text).ids.tolist()
        starts: list[int] = []
        begin, step = 0, WINDOW - 2
        with self._torch.inference_mode():
            while True:
                inner = ids[begin : begin + step]
                x = self._torch.tensor([[self._tokenizer.cls_id, *inner, self._tokenizer.sep_id]])
                logits = self._model(x, self._torch.ones_like(x))[0, 1:-1]
                above = self._torch.where(logits[:, 1] - logits[:, 0] > threshold)[0].tolist()
                found = [begin + place for place in above if place > 0]
                starts += found
                if begin + step >= len(ids):
                    return starts
                begin = found[-1] if found else begin + step


def random_weights(folder: Path) -> Path:
    """Write a checkpoint with the bundled encoder and a random linear layer."""
    import_module("torch").manual_seed(0)
    pytorch = import_module("lumber_core.bert.pytorch")
    pytorch.tagger_from_encoder(pytorch.bundled_base()).save(folder)
    kind = import_module("lumber_core.bert.tokenizer").WordPieceTokenizer
    tokenizer = kind.from_folder(pytorch.bundled_base())
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    return folder


def _ratios(found: dict[str, list[Taken]], name: str, clock: str) -> list[float]:
    pairs = zip(found[PUBLISHED], found[name], strict=True)
    return [getattr(base, clock) / getattr(own, clock) for base, own in pairs]
