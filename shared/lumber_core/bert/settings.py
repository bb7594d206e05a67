"""Settings of the Bert splitter in every framework."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from lumber_core.bert.model_folder import require_hub
from lumber_core.checks import check_number, check_positive
from lumber_core.chunking.settings import (
    AutoSize,
    TargetSettings,
    Threads,
    chunk_size_setting,
)
from lumber_core.identity import safe_repr
from lumber_core.settings import Setting, one_of, optional
from lumber_core.text.units import UnitName, UnitSpec

Backend = Literal["onnx", "torch"]
Snap = Literal["sentence", "word"]
WindowKind = Literal["overlapping", "moving"]


def _check_model(name: str, model: Any) -> None:
    if not isinstance(model, str) or not model:
        hint = f"; a size is named: target_size={model}" if type(model) is int else ""
        raise TypeError(
            f'{name} must be "bundled", a folder or a hub id, not {safe_repr(model)}{hint}'
        )
    require_hub(model)


BERT_CHUNK_SIZE = 256
"""Fits common embedding models: most read 512 tokens, all-MiniLM-L6-v2 reads 256."""
_TARGET_SHARE = 0.6  # of chunk_size
_DEFAULT_UNITS: UnitName = "sentences_and_lines"


ModelName = Annotated[
    str,
    Setting(
        '"bundled", a folder written by `lumber-splitters export` or `train`, or a hub id (extra '
        "`hub`).",
        _check_model,
    ),
]


class BertSettings(TargetSettings):
    """Settings of the Bert splitter."""

    model: ModelName = field(default="bundled", kw_only=False)
    chunk_size: Annotated[
        AutoSize,
        chunk_size_setting(
            f"{BERT_CHUNK_SIZE}, or in proportion to `target_size`; no limit with a `threshold`"
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
    units: Annotated[
        UnitSpec,
        Setting(
            'Where chunks may start: at "sentences_and_lines" (also at list items, rows, headings '
            'and lines of code), "sentences", "paragraphs" or "markdown" (paragraphs, list items, '
            "tables, code, a heading with the block below it, and sentences inside prose). "
            "Anywhere else only in what fits in no chunk, or in a sentence of more than "
            "`target_size` tokens.",
            objects="Also a callable from a text to `(start, end)` offsets.",
        ),
    ] = _DEFAULT_UNITS
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

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` comes with a `threshold`, or is above `chunk_size`; or
                `units` come with `snap="word"`.
        """
        if self.target_size is not None and self.threshold is not None:
            raise ValueError(
                "a threshold ignores the size of chunks: pass target_size or threshold, not both"
            )
        if self.snap == "word" and self.units != _DEFAULT_UNITS:
            raise ValueError('snap="word" starts chunks at any word: pass units or snap, not both')
        super().__post_init__()

    @property
    def starts_by_layout(self) -> bool:
        """Whether chunks may start at any sentence, line, paragraph or heading."""
        return self.units == _DEFAULT_UNITS

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit and the target size that these settings give; None: there is none."""
        given, target = self.chunk_size, self.target_size
        high = None if isinstance(given, str) else given
        if self.threshold is not None:
            return high, None
        if given == "auto":
            high = BERT_CHUNK_SIZE if target is None else round(target / _TARGET_SHARE)
        return high, target or max(1, round(_TARGET_SHARE * (high or BERT_CHUNK_SIZE)))
