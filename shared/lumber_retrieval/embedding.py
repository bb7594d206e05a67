"""Vectors of chunks that know what stands above and around them.

A small chunk says little on its own. Its vector is found more often if headings are embedded with
the text, and if the vectors of its neighbours, or of the larger chunks around it, are added to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.identity import safe_repr
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting
from lumber_core.text.source import Source, as_sources

if TYPE_CHECKING:
    from lumber_retrieval.surroundings import VectorPlan, Vectors

_AS_THEY_ARE = Delivery()

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


def split_and_embed(
    chunker: Chunker,
    sources: Iterable[str | Source],
    embed: Callable[[list[str]], object],
    delivery: Delivery = _AS_THEY_ARE,
    *,
    context: Collection[ContextPart] = ALL_CONTEXT,
    scales: Sequence[int] = (),
    show_progress: bool = False,
) -> tuple[list[list[Chunk]], list[Vectors]]:
    """Split texts, and embed the chunks so that vectors know headings and surroundings.

    With "headings", a chunk is embedded with its context before it. With "surroundings", its vector
    is scaled to length 1, a weighted mean of its neighbours' vectors in the text is added, and the
    sum has length 1; no further text is embedded. Chunks of about 50 tokens are found more often
    this way. The mean weighs less beside larger chunks, as those of 150 tokens gain nothing.

    Args:
        chunker: Splits the texts.
        sources: Texts or sources; all are checked before the first is split.
        embed: Returns a vector for each of some texts, such as `TextEmbedder().embed`.
        delivery: As for `Chunker.split`.
        context: What vectors know beside the text; see above. Empty: nothing, the vectors are the
            model's own.
        scales: Sizes in tokens, ascending, such as (80, 160, 320). The text is cut to each by the
            same scores, and what it is cut to is embedded, too. The vectors of those that a chunk
            lies in, each of length 1, are its surroundings instead of its neighbours'.
        show_progress: Show progress bars of splitting and embedding.

    Returns:
        For each text its chunks, as `Chunker.split_all` returns them, and their vectors, shape
        (chunks, width). A text to embed that occurs twice is embedded once.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `context` or `scales` is wrong, or `embed` returns vectors that differ in number
            or size from what is expected.
    """
    check_context_and_scales(context, scales)
    checked = as_sources(sources)
    made = chunker.segment_all(
        checked, overlap=delivery.overlap, scales=scales, show_progress=show_progress
    )
    split = [chunker.chunks(*each, delivery) for each in zip(checked, made, strict=True)]
    plan = plan_vectors(checked, split, made, context)
    return split, plan.embed(embed, show_progress=show_progress)


async def asplit_and_embed(
    chunker: Chunker,
    sources: Iterable[str | Source],
    embed: Callable[[list[str]], Awaitable[object]],
    delivery: Delivery = _AS_THEY_ARE,
    *,
    context: Collection[ContextPart] = ALL_CONTEXT,
    scales: Sequence[int] = (),
    show_progress: bool = False,
) -> tuple[list[list[Chunk]], list[Vectors]]:
    """Async version of `split_and_embed`.

    Args:
        chunker: As for `split_and_embed`.
        sources: As for `split_and_embed`.
        embed: As for `split_and_embed`, to be awaited.
        delivery: As for `split_and_embed`.
        context: As for `split_and_embed`.
        scales: As for `split_and_embed`.
        show_progress: Show progress bars.
    """
    check_context_and_scales(context, scales)
    checked = as_sources(sources)
    made = await chunker.asegment_all(
        checked, overlap=delivery.overlap, scales=scales, show_progress=show_progress
    )
    split = [chunker.chunks(*each, delivery) for each in zip(checked, made, strict=True)]
    plan = plan_vectors(checked, split, made, context)
    return split, await plan.aembed(embed, show_progress=show_progress)


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
    from lumber_retrieval.surroundings import PlacedDocument, PlacedText, VectorPlan

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
