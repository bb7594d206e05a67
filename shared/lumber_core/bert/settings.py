"""Settings of the Bert splitter in every framework."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from lumber_core.bert.model_folder import require_hub
from lumber_core.checks import check_number, check_positive
from lumber_core.chunking.settings import ChunkerSettings, Threads
from lumber_core.identity import safe_repr
from lumber_core.settings import Setting, one_of, optional

Backend = Literal["onnx", "torch"]
Snap = Literal["sentence"] | None
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


ModelName = Annotated[
    str,
    Setting(
        '"bundled", a folder written by `lumber-splitters export` or `train`, or a hub id (extra '
        "`hub`).",
        _check_model,
    ),
]


class BertSettings(ChunkerSettings):
    """Settings of the Bert splitter."""

    model: ModelName = field(default="bundled", kw_only=False)
    target_size: Annotated[
        int | None,
        Setting(
            "Preferred length of chunks in tokens; a clear start or a heading outweighs a "
            "difference in size. None: 60 % of `chunk_size`. Not with "
            "`threshold`.",
            optional(check_positive),
        ),
    ] = None
    chunk_size: Annotated[
        int | None,
        Setting(
            "Maximum tokens in a chunk, for any text: a hard limit. None: in "
            f"proportion to `target_size`, {BERT_CHUNK_SIZE} without one; no limit with a "
            "`threshold`.",
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
            'Where chunks may start with a `threshold`. "sentence": at sentences only, and at '
            "lines after one that ends with a mark. None: at any word, as in the paper.",
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

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` comes with a `threshold`, or is above `chunk_size`.
        """
        super().__post_init__()
        target, high = self.target_size, self.chunk_size
        if target is not None and self.threshold is not None:
            raise ValueError(
                "a threshold ignores the size of chunks: pass target_size or threshold, not both"
            )
        if target is not None and high is not None and target > high:
            raise ValueError(
                f"target_size ({target}) must not be above chunk_size ({high}), the most tokens a "
                "chunk may have: raise chunk_size as well"
            )
        low, (high, _) = self.min_chunk_size, self.sizes
        if low is not None and high is not None and low > high:
            raise ValueError(
                f"min_chunk_size ({low}) must not be above chunk_size ({high} unless given)"
            )

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The chunk size and the target size that these settings give."""
        if self.threshold is not None:
            return self.chunk_size, None
        if self.chunk_size is None and self.target_size is not None:
            return round(self.target_size / _TARGET_SHARE), self.target_size
        high = self.chunk_size or BERT_CHUNK_SIZE
        return high, self.target_size or max(1, round(_TARGET_SHARE * high))
