"""Vectors of chunks that know what stands above and around them.

A small chunk says little on its own. Its vector is found more often if headings are embedded with
the text, and if the vectors of its neighbours, or of the larger chunks around it, are added to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from lumber_core.chunking.delivery import Chunk
from lumber_core.identity import safe_repr
from lumber_core.settings import Setting

if TYPE_CHECKING:
    from lumber_core.chunking.surroundings import VectorPlan, Vectors

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
        "Sizes in tokens, ascending, such as (80, 160, 320). For each, neighbouring chunks are "
        "joined to larger ones of about this size, which are embedded, too; the surroundings are "
        "then the larger chunks that a chunk is part of. Each size costs as many tokens of "
        "embedding as the chunks alone. Empty: the neighbours' own vectors are used, at no cost.",
        check_scales,
    ),
]


def context_vectors(
    documents: Iterable[Sequence[Chunk]],
    embed: Callable[[list[str]], object],
    *,
    context: Iterable[ContextPart] = ALL_CONTEXT,
    scales: Sequence[int] = (),
    show_progress: bool = False,
) -> list[Vectors]:
    """Embed the chunks of documents so that their vectors know headings and surroundings.

    With "headings", a chunk is embedded with its context before it. With "surroundings", its vector
    is scaled to length 1, a weighted mean of its neighbours' vectors in the document is added, and
    the sum has length 1; no further text is embedded. Chunks of about 50 tokens are found more
    often this way. The mean weighs less beside larger chunks, as those of 150 tokens gain nothing.

    Args:
        documents: For each document its chunks, in order, as `Chunker.split` returns them.
        embed: Returns a vector for each of some texts, such as `TextEmbedder().embed`.
        context: What vectors know beside the text; see above. Empty: nothing, the vectors are the
            model's own.
        scales: Sizes in tokens, as counted by the splitter, ascending. For each, neighbouring
            chunks are joined to larger ones of about this size, which are embedded, too. The
            vectors of those that a chunk is part of, each of length 1, are its surroundings
            instead of its neighbours'.
        show_progress: Show a progress bar of the texts that are embedded, each once.

    Returns:
        For each document the vectors of its chunks, shape (chunks, width).

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `context` or `scales` is wrong, or `embed` returns vectors that differ in
            number or size from what is expected.

    Example:
        >>> from lumber_core import BertChunker, TextEmbedder
        >>> chunks = BertChunker(target_size=50).split("Ann ran. She fell.")
        >>> (vectors,) = context_vectors([chunks], TextEmbedder().embed)
        >>> vectors.shape
        (1, 384)
    """
    plan = plan_of_chunks(documents, context=context, scales=scales)
    return plan.embed(embed, show_progress=show_progress)


async def acontext_vectors(
    documents: Iterable[Sequence[Chunk]],
    embed: Callable[[list[str]], Awaitable[object]],
    *,
    context: Iterable[ContextPart] = ALL_CONTEXT,
    scales: Sequence[int] = (),
    show_progress: bool = False,
) -> list[Vectors]:
    """Async version of `context_vectors`."""
    plan = plan_of_chunks(documents, context=context, scales=scales)
    return await plan.aembed(embed, show_progress=show_progress)


def plan_of_chunks(
    documents: Iterable[Sequence[Chunk]], *, context: Iterable[ContextPart], scales: Sequence[int]
) -> VectorPlan:
    """Return the plan for chunks; see `context_vectors` for the arguments.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `context` or `scales` is wrong.
    """
    from lumber_core.chunking.surroundings import PlacedText, VectorPlan  # deferred: imports numpy

    check_context_and_scales(context, scales)
    split = list(documents)
    counter = next((chunk.counter for chunk in chain.from_iterable(split)), None)
    headings = "headings" in context
    return VectorPlan(
        [
            [
                PlacedText(chunk.span, chunk.text, chunk.outside.above if headings else str)
                for chunk in chunks
            ]
            for chunks in split
        ],
        surroundings="surroundings" in context,
        scales=scales,
        counter=counter,
    )
