"""What to embed for the chunks of a document, and how vectors that know the surroundings follow.

A chunk's surroundings are its neighbours, or the larger chunks that it is part of.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lumber_core.chunking.tiling import ChunkCosts, best_cuts
from lumber_core.concurrency import batches
from lumber_core.spans import Span
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounter, token_counter

Vectors = npt.NDArray[np.float32]

_WIDTH = 80.0
"""Standard deviation of the kernel in tokens, about 60 words. The optimum is flat: recall of chunks
of 40 words is the same within noise from 50 to 120."""
_REACH = 3  # standard deviations; the kernel is below 0.012 beyond them
_MOST_NEIGHBOURS = 64  # on either side, so that texts of tiny chunks cost no more than others
_LONGEST = 2  # times the scale: the longest of joined chunks, unless one alone is longer
_AT_ONCE = 256  # texts in a call of an embedding model, which has batches of its own


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The text of a chunk with its place in its document, to be embedded.

    Attributes:
        span: Its place, in characters.
        text: Its text.
        embedded: Returns what is embedded for it, or for a larger text that begins with it.
    """

    span: Span
    text: str
    embedded: Callable[[str], str] = str


class _Scale(NamedTuple):
    """The texts of one size of a document.

    Attributes:
        rows: Where they are among the texts to embed.
        of: For each chunk of the document, which of `rows` it is part of.
    """

    rows: list[int]
    of: list[int]


class _Plan(NamedTuple):
    """How the vectors of the chunks of one document are made."""

    chunks: list[int]
    larger: list[_Scale]
    centres: list[float]
    sizes: list[int]


class VectorPlan:
    """Which texts to embed for the chunks of documents, and how their vectors are made of these.

    Args:
        documents: For each document its chunks, in order.
        surroundings: Whether vectors know what is around a chunk.
        scales: Sizes of larger chunks, in tokens, ascending; without any, the surroundings of a
            chunk are its neighbours.
        counter: Counts the tokens that `scales` are measured in.
    """

    def __init__(
        self,
        documents: Iterable[Sequence[PlacedText]],
        *,
        surroundings: bool = True,
        scales: Sequence[int] = (),
        counter: TokenCounter | None = None,
    ) -> None:
        self._estimate = token_counter(DEFAULT_TOKENIZER)
        self._counter = counter or self._estimate
        self._surroundings = surroundings
        self._scales = scales
        self._rows: dict[str, int] = {}
        self._plans = [self._plan(chunks) for chunks in documents]

    @property
    def texts(self) -> list[str]:
        """The texts to embed, each once, in order of their first use."""
        return [*self._rows]

    def embed(
        self, embed: Callable[[list[str]], object], *, show_progress: bool = False
    ) -> list[Vectors]:
        """Embed the texts, and return the vectors of each document's chunks.

        Args:
            embed: Returns a vector for each of some texts.
            show_progress: Show a progress bar of the texts.

        Returns:
            Arrays of shape (chunks, width). Vectors that know surroundings have length 1; others
            are as `embed` returns them.

        Raises:
            ValueError: There is not a vector for each text, they differ in size, or one has a
                value that is not finite.
        """
        made = []
        with self._bar(show_progress) as bar:
            for some in batches(self.texts, _AT_ONCE):
                made.append(matrix(embed(some), len(some)))
                bar.update(len(some))
        return self._vectors(made)

    async def aembed(
        self, embed: Callable[[list[str]], Awaitable[object]], *, show_progress: bool = False
    ) -> list[Vectors]:
        """Async version of `embed`."""
        made = []
        with self._bar(show_progress) as bar:
            for some in batches(self.texts, _AT_ONCE):
                made.append(matrix(await embed(some), len(some)))
                bar.update(len(some))
        return self._vectors(made)

    def _bar(self, shown: bool) -> tqdm[NoReturn]:
        return tqdm(total=len(self._rows), unit="text", disable=not shown)

    def _vectors(self, made: Sequence[Vectors]) -> list[Vectors]:
        widths = {part.shape[1] for part in made}
        if len(widths) > 1:
            raise ValueError(
                f"the embedding model gives vectors of several widths: {sorted(widths)}"
            )
        embedded = np.concatenate(made) if made else matrix([], 0)
        return [self._combined(plan, embedded) for plan in self._plans]

    def _plan(self, chunks: Sequence[PlacedText]) -> _Plan:
        own = self._rows_of([chunk] for chunk in chunks)
        if not self._surroundings:
            return _Plan(own, [], [], [])
        # In tokens, as if these were spread evenly: offsets tell gaps and overlaps.
        sizes = _sizes(chunks, self._estimate)
        density = sum(sizes) / max(1, sum(len(chunk.text) for chunk in chunks))
        centres = [density * sum(chunk.span) / 2 for chunk in chunks]
        return _Plan(own, list(self._larger(chunks)), centres, sizes)

    def _larger(self, chunks: Sequence[PlacedText]) -> Iterator[_Scale]:
        """Yield larger chunks of each scale, made of neighbours."""
        if not self._scales or not chunks:
            return
        sizes = _sizes(chunks, self._counter)
        for scale in self._scales:
            costs = ChunkCosts(_LONGEST * scale, scale)
            cuts = best_cuts(sizes, np.zeros(len(sizes) - 1), costs)
            edges = [0, *(cut + 1 for cut in cuts), len(chunks)]
            groups = [chunks[start:end] for start, end in pairwise(edges)]
            of = [number for number, group in enumerate(groups) for _ in group]
            yield _Scale(self._rows_of(groups), of)

    def _rows_of(self, groups: Iterable[Sequence[PlacedText]]) -> list[int]:
        """Return where the text of each group of neighbours is among the texts to embed."""
        texts = (group[0].embedded(_join(group)) for group in groups)
        return [self._rows.setdefault(text, len(self._rows)) for text in texts]

    def _combined(self, plan: _Plan, embedded: Vectors) -> Vectors:
        own: Vectors = embedded[plan.chunks]
        if not self._surroundings or not len(own):
            return own
        own = unit_length(own)
        if not self._scales:
            return unit_length(own + neighbours(own, plan.centres, plan.sizes))
        total = own.copy()
        for scale in plan.larger:
            total += unit_length(embedded[scale.rows])[scale.of]
        return unit_length(total)


def _sizes(chunks: Sequence[PlacedText], counter: TokenCounter) -> list[int]:
    """Return the tokens of each chunk, at least 1 so that no two are at one place."""
    return [max(1, size) for size in counter.count([chunk.text for chunk in chunks])]


def _join(chunks: Sequence[PlacedText]) -> str:
    """Return the text of neighbours: an overlap once, a line break for what is left out."""
    parts = [chunks[0].text]
    for before, chunk in pairwise(chunks):
        distance = chunk.span.start - before.span.end
        parts.append(f"\n{chunk.text}" if distance > 0 else chunk.text[-distance:])
    return "".join(parts)


def neighbours(vectors: Vectors, centres: Sequence[float], sizes: Sequence[float]) -> Vectors:
    """Return for each chunk of a document what its neighbours add to its vector.

    That is the mean of their vectors. The weight of a neighbour falls with its distance as a
    Gaussian does, and rises with its size. The mean has length 1 at most, and less, the smaller its
    weights are beside the chunk itself: it matters to small chunks, and hardly to large ones or at
    the ends of a document. The time is linear in the chunks.

    Args:
        vectors: The vectors of the chunks, of length 1, shape (chunks, width).
        centres: Their places in tokens, ascending.
        sizes: Their sizes in tokens.
    """
    places, tokens = np.asarray(centres), np.asarray(sizes, dtype=np.float64)
    sums, weights = np.zeros_like(vectors), tokens.copy()
    for step in range(1, min(len(vectors), _MOST_NEIGHBOURS + 1)):
        distances = places[step:] - places[:-step]
        (before,) = np.nonzero(distances <= _REACH * _WIDTH)
        if not len(before):
            break
        after = before + step
        kernel = np.exp(-0.5 * (distances[before] / _WIDTH) ** 2)
        for here, there in ((before, after), (after, before)):
            weight = kernel * tokens[there]
            sums[here] += weight[:, None].astype(np.float32) * vectors[there]
            weights[here] += weight
    means: Vectors = sums / weights[:, None].astype(np.float32)
    return means


def unit_length(vectors: Vectors) -> Vectors:
    """Return the vectors scaled to length 1; those of length 0 stay as they are."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors / lengths


def matrix(vectors: object, count: int) -> Vectors:
    """Return vectors as a matrix, shape (count, width).

    Raises:
        ValueError: There are not `count` vectors of the same width, or one has a value that is not
            finite.
    """
    if count == 0:
        return np.zeros((0, 0), dtype=np.float32)
    try:
        made: Vectors = np.asarray(vectors, dtype=np.float32)
    except ValueError:
        raise ValueError(
            f"the embedding model should give {count} vectors of the same width, found several "
            "widths"
        ) from None
    if made.ndim != 2 or len(made) != count:
        raise ValueError(
            f"the embedding model should give {count} vectors of the same width, found an array of "
            f"shape {made.shape}"
        )
    if not np.isfinite(made).all():
        raise ValueError("the embedding model returned a vector with values that are not finite")
    return made
