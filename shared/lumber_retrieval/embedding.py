"""Splitting texts, and embedding the chunks so that vectors know what is above and around them.

A small chunk says little on its own. Its vector is found more often if its context is embedded with
the text, and if the vectors of its neighbours are added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.text.captions import without_times
from lumber_core.text.source import Source
from lumber_retrieval.surroundings import PlacedText, Vectors, embed_chunks

_AS_THEY_ARE = Delivery()


def split_and_embed(
    chunker: Chunker,
    sources: Iterable[str | Source],
    embed: Callable[[list[str]], object],
    delivery: Delivery = _AS_THEY_ARE,
    *,
    show_progress: bool = False,
) -> tuple[list[list[Chunk]], list[Vectors]]:
    """Split texts, and embed the chunks so that vectors know their context and surroundings.

    A chunk is embedded below its context: title, headings, header of a table. Its vector is scaled
    to length 1, a weighted mean of its neighbours' vectors is added, and the sum scaled to length
    1. Chunks of about 50 tokens are found more often this way. The mean weighs less beside larger
    chunks, as those of 150 tokens gain nothing.

    Args:
        chunker: Splits the texts.
        sources: Texts or sources; all are checked before the first is split.
        embed: Returns a vector for each of some texts, such as `TextEmbedder().embed`.
        delivery: As for `Chunker.split`.
        show_progress: Show progress bars of splitting and embedding.

    Returns:
        For each text its chunks, as `Chunker.split_all` returns them, and their vectors, shape
        (chunks, width). A text to embed that occurs twice is embedded once.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `embed` returns vectors that differ in number or size from what is expected.
    """
    split = chunker.split_all(sources, delivery, show_progress=show_progress)
    return split, embed_chunks(placed(split), embed, show_progress=show_progress)


def placed(split: Iterable[Sequence[Chunk]]) -> list[list[PlacedText]]:
    """Return the chunks of documents as they are embedded."""
    return [
        [
            PlacedText(chunk.span, chunk.text, without_times(chunk.text_in_context))
            for chunk in chunks
        ]
        for chunks in split
    ]
