"""Settings of the Bert splitter in every framework."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from lumber_core.bert.model_folder import OWN_FOLDERS, check_model_name
from lumber_core.checks import check_number, check_positive
from lumber_core.chunking.settings import (
    FITTING_CHUNK_SIZE,
    AutoSize,
    BestCutSettings,
    Threads,
    chunk_size_setting,
)
from lumber_core.identity import safe_repr
from lumber_core.settings import Setting, one_of, optional

Backend = Literal["onnx", "torch"]
Device = Literal["cpu", "cuda"]
Snap = Literal["sentence", "word"]
WindowKind = Literal["overlapping", "moving"]


def _check_model(name: str, model: Any) -> None:
    if not isinstance(model, str) or not model:
        hint = f"; a size is named: target_size={model}" if type(model) is int else ""
        raise TypeError(
            f'{name} must be "bundled", "large", a folder or a hub id, not {safe_repr(model)}{hint}'
        )
    check_model_name(model)


ModelName = Annotated[
    str,
    Setting(
        '"bundled"; "large", which finds topics better at twenty times the cost; a folder written '
        "by `lumber-splitters export` or `train`, or a hub id (extra `hub`).",
        _check_model,
    ),
]


class BertSettings(BestCutSettings):
    """Settings of the Bert splitter."""

    model: ModelName = field(default="bundled", kw_only=False)
    chunk_size: Annotated[
        AutoSize,
        chunk_size_setting(
            f"{FITTING_CHUNK_SIZE}, or in proportion to `target_size`; no limit with a `threshold`"
        ),
    ] = "auto"
    target_size: Annotated[
        int | None,
        Setting(
            "Preferred length of chunks in tokens; a clear start or a heading outweighs a "
            "difference in size. None: 60 % of `chunk_size`. Not with a `threshold`.",
            optional(check_positive),
        ),
    ] = None
    threshold: Annotated[
        float | None,
        Setting(
            "t_c of the paper: a chunk starts wherever the score is above it, at any size; higher "
            "values give fewer, longer chunks. None: chunks of about `target_size`, "
            "cut at the best places by score and layout.",
            optional(check_number),
        ),
    ] = None
    backend: Annotated[
        Backend,
        Setting(
            '"onnx", or "torch" for checkpoints that are not exported (extra `torch`).',
            one_of("onnx", "torch"),
        ),
    ] = "onnx"
    snap: Annotated[
        Snap,
        Setting(
            'Where chunks may start with a `threshold`. "sentence": at `units`; of '
            '"sentences_and_lines", at sentences, and at lines after one that ends with a mark. '
            '"word": at any word, as in the paper.',
            one_of("sentence", "word"),
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
    device: Annotated[
        Device | None,
        Setting(
            'What the model runs on: "cpu", or "cuda", an NVIDIA GPU (extra `gpu`, or `torch`). '
            "A GPU calculates in 32 bits, so one cut in a hundred may differ. None: the CPU, but "
            "with `torch` a GPU, if any.",
            optional(one_of("cpu", "cuda")),
            changes_result=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` comes with a `threshold`, or is above `chunk_size`;
                `units` or the bundled model come with `snap="word"`; or a model of the library
                with `backend="torch"`.
        """
        if self.target_size is not None and self.threshold is not None:
            raise ValueError(
                "a threshold ignores the size of chunks: pass target_size or threshold, not both"
            )
        if self.snap == "word" and not self.starts_by_layout:
            raise ValueError('snap="word" starts chunks at any word: pass units or snap, not both')
        if self.snap == "word" and self.model == "bundled":
            raise ValueError(
                'the bundled model scores places such as sentences, not words: pass model="large" '
                'or snap="sentence"'
            )
        if self.model in OWN_FOLDERS and self.backend == "torch":
            raise ValueError(
                'the models of the library are for backend="onnx". For backend="torch" pass a '
                "folder with config.json and model.safetensors, as lumber-splitters train writes "
                "it, or a hub id"
            )
        super().__post_init__()

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit and the target size that these settings give; None: there is none."""
        if self.threshold is None:
            return super().sizes
        return (None if self.chunk_size == "auto" else self.chunk_size), None
