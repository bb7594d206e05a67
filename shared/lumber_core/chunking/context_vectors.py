"""Vectors of chunks that know what stands above and around them.

A small chunk says little on its own. Its vector is found more often if headings are embedded with
the text, and if the vectors of its neighbours, or of the larger chunks around it, are added to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from lumber_core.chunking.delivery import Chunk
from lumber_core.identity import safe_repr
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting
from lumber_core.text.source import Source

if TYPE_CHECKING:
    from lumber_core.chunking.surroundings import VectorPlan

ContextPart = Literal["headings", "surroundings"]
"""A part of what the vector of a chunk knows beside its text."""
ALL_CONTEXT: tuple[ContextPart, ...] = get_args(ContextPart)


def check_context(name: str, value: Any) -> None:
    """Raise unless a value is a list of parts of the context.

    Raises:
        TypeError: It is no list.
        ValueError: A part is unknown.
    """
    known = " and ".join(f'"{part}"' for part in ALL_CONTEXT)
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        hint = f': pass ("{value}",)' if value in ALL_CONTEXT else ""
        raise TypeError(f"{name} must be a list with any of {known}, not {safe_repr(value)}{hint}")
    for part in value:
        if part not in ALL_CONTEXT:
            raise ValueError(f"{name} may have {known}, not {safe_repr(part)}")


def check_scales(name: str, value: Any) -> None:
    """Raise unless a value is a list of ascending sizes.

    Raises:
        TypeError: It is no list of whole numbers.
        ValueError: A size is below 1, or not above the one before.
    """
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise TypeError(
            f"{name} must be a list of sizes in tokens, such as (80, 160, 320), not "
            f"{safe_repr(value)}"
        )
    if any(isinstance(size, bool) or not isinstance(size, int) for size in value):
        raise TypeError(f"{name} must be whole numbers of tokens, not {safe_repr(value)}")
    if any(size < 1 for size in value) or any(low >= high for low, high in pairwise(value)):
        raise ValueError(f"{name} must be positive and ascending, not {safe_repr(value)}")


def check_context_and_scales(context: Any, scales: Any) -> None:
    """Raise unless the arguments `context` and `scales` are right, alone and together.

    Raises:
        TypeError: One has the wrong type.
        ValueError: One is wrong, or there are scales but no surroundings.
    """
    check_context("context", context)
    check_scales("scales", scales)
    if scales and "surroundings" not in context:
        raise ValueError(
            'scales are the sizes of surroundings: add "surroundings" to context, or leave scales '
            "out"
        )


ContextSetting = Annotated[
    tuple[ContextPart, ...],
    Setting(
        'What vectors know beside the text of a chunk: "headings", its context is embedded before '
        'it (title, headings, header of a table); "surroundings", vectors of its neighbours in '
        "the document are added, which helps to find chunks of about 50 tokens, and not those of "
        "150. Empty: nothing.",
        check_context,
    ),
]
ScalesSetting = Annotated[
    tuple[int, ...],
    Setting(
        "Sizes in tokens, ascending, such as (80, 160, 320). The text is cut to each as well, by "
        "the same scores, and what it is cut to is embedded, too: the surroundings are then those "
        "that a chunk lies in. Each size costs as much embedding as the chunks alone. Empty: the "
        "neighbours' own vectors are used, at no cost.",
        check_scales,
    ),
]


def plan_vectors(
    sources: Iterable[Source],
    split: Iterable[Sequence[Chunk]],
    made: Iterable[Segmentation],
    context: Collection[ContextPart],
) -> VectorPlan:
    """Return the plan for the vectors of the chunks of texts.

    Args:
        sources: The texts.
        split: The chunks of each.
        made: How each is cut; its larger ranges, if there are any, are the surroundings.
        context: What vectors know beside the text of a chunk.
    """
    # Deferred: imports numpy.
    from lumber_core.chunking.surroundings import PlacedDocument, PlacedText, VectorPlan

    headings = "headings" in context
    documents = [
        PlacedDocument(
            [
                PlacedText(chunk.span, chunk.text, chunk.outside.above if headings else str)
                for chunk in chunks
            ],
            source.text,
            segmentation.larger,
        )
        for source, chunks, segmentation in zip(sources, split, made, strict=True)
    ]
    return VectorPlan(documents, surroundings="surroundings" in context)
