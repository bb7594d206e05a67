"""Settings of the Bert splitter, by whichever framework it is used."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from lumber_core.checks import check_number
from lumber_core.settings import ChunkerSettings, Setting, Threads, one_of

Backend = Literal["onnx", "torch"]
Snap = Literal["sentence"] | None
WindowKind = Literal["overlapping", "moving"]


def _check_model(name: str, model: Any) -> None:
    if not isinstance(model, str) or not model:
        raise TypeError(f'{name} must be "bundled", a folder or a hub id, not {model!r}')


ModelName = Annotated[
    str,
    Setting(
        '"bundled", a folder written by `lumber-splitters export` or `train`, or a hub id.',
        _check_model,
    ),
]


class BertSettings(ChunkerSettings):
    """Settings of the Bert splitter."""

    model: ModelName = field(default="bundled", kw_only=False)
    threshold: Annotated[
        float,
        Setting("t_c: higher gives fewer, longer chunks; lower gives more.", check_number),
    ] = 0.0
    backend: Annotated[
        Backend,
        Setting(
            '"onnx", or "torch" for checkpoints as they come (extra `torch`).',
            one_of("onnx", "torch"),
        ),
    ] = "onnx"
    snap: Annotated[
        Snap,
        Setting(
            '"sentence" lets chunks start at sentences only, and at lines after one that ends '
            "with a mark. None: at any word, as in the paper.",
            one_of("sentence", None),
        ),
    ] = "sentence"
    windows: Annotated[
        WindowKind,
        Setting(
            '"overlapping" averages over windows at even distances; "moving" is the paper\'s: '
            "each window begins at the last start found.",
            one_of("overlapping", "moving"),
        ),
    ] = "overlapping"
    threads: Threads = None
