"""Settings of the Bert splitter in every framework."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from lumber_core.bert.model_folder import check_model_name
from lumber_core.checks import check_number, check_positive
from lumber_core.chunking.settings import (
    FITTING_CHUNK_SIZE,
    AutoSize,
    BestCutSettings,
    Threads,
    chunk_size_setting,
)
from lumber_core.settings import Setting, one_of, optional
from lumber_core.support.identity import safe_repr

Device = Literal["cpu", "cuda"]


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
        "by `lumber_training export`, a checkpoint in PyTorch (extra `torch`), or the hub id of "
        "either (extra `hub`).",
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
            "cut at the best places by score and layout; 0 with `paper`.",
            optional(check_number),
        ),
    ] = None
    paper: Annotated[
        bool,
        Setting(
            "Split as in the paper: a chunk starts at any word whose score is above the "
            "`threshold`, and each window begins at the last start found. Needs a model that "
            "scores tokens, such as the large one."
        ),
    ] = False
    threads: Threads = None
    device: Annotated[
        Device | None,
        Setting(
            'What a checkpoint in PyTorch runs on: "cpu", or "cuda", an NVIDIA GPU. None: a GPU '
            "if there is one. Exported models run on the CPU.",
            optional(one_of("cpu", "cuda")),
            changes_result=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` comes with a `threshold` or `paper`, or is above `chunk_size`;
                or `units` or the bundled model come with `paper`.
        """
        if self.target_size is not None and self.t_c is not None:
            raise ValueError(
                "a threshold ignores the size of chunks, as the paper does: pass target_size, or "
                "threshold or paper, not both"
            )
        if self.paper and not self.starts_by_layout:
            raise ValueError("paper=True starts chunks at any word: pass units or paper, not both")
        if self.paper and self.model == "bundled":
            raise ValueError(
                "the bundled model scores places such as sentences, not words: pass model="
                '"large" or paper=False'
            )
        super().__post_init__()

    @property
    def t_c(self) -> float | None:
        """The threshold, which is 0 in the paper; None: cuts are chosen by size."""
        return 0.0 if self.paper and self.threshold is None else self.threshold

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit and the target size that these settings give; None: there is none."""
        if self.t_c is None:
            return super().sizes
        return (None if self.chunk_size == "auto" else self.chunk_size), None
