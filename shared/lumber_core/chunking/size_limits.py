"""Hard limits on chunk sizes: a second pass over spans, the same for every splitter.

Chunks above the maximum are cut at the best place that fits: between units, or else sentences,
lines, words or grapheme clusters, and anywhere as a last resort. Chunks below the minimum are
merged with a neighbour if the result fits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lumber_core.errors import ChunkSizeError
from lumber_core.spans import Span
from lumber_core.text.unicode import grapheme_cuts, line_cuts, space_cuts, word_cuts
from lumber_core.text.units import markdown_parts, sentences
from lumber_core.tokens import TokenCounter

# Characters to look at first per token of room; a window that is too small is doubled.
_CHARACTERS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Limits on the size of a chunk, in tokens.

    The size of a chunk is the larger of its token counts with and without the white space at its
    ends. Trimming can turn one token into several, because many tokenizers have a token for a word
    with the space before it but none for the word alone.

    Attributes:
        chunk_size: Maximum tokens in a chunk. None: no limit.
        min_chunk_size: Smaller chunks are merged with a neighbour, unless that would exceed
            `chunk_size`. None: no limit.
        counter: Counts the tokens.
        language: ISO 639 code to find sentences inside a chunk that is too long.
        target_size: Preferred length of chunks in tokens; None for splitters without one.
        markdown: Whether texts are Markdown, whose tables are cut between rows and whose code is
            cut between lines.
    """

    chunk_size: int | None
    min_chunk_size: int | None
    counter: TokenCounter
    language: str = "en"
    target_size: int | None = None
    markdown: bool = False

    def reserving(self, tokens: int) -> SizeLimits:
        """Return limits that leave room for `tokens` more tokens in each chunk.

        Without a `chunk_size` nothing changes; `target_size` shrinks in proportion to it.

        Raises:
            ValueError: No room is left for the chunk itself.
        """
        if not tokens or self.chunk_size is None:
            return self
        room = self.chunk_size - tokens
        if room < 1:
            raise ValueError(
                f"{tokens} tokens cannot be reserved in chunks of chunk_size={self.chunk_size}: "
                "raise chunk_size"
            )
        low, target = self.min_chunk_size, self.target_size
        return replace(
            self,
            chunk_size=room,
            min_chunk_size=None if low is None else min(low, room),
            target_size=None if target is None else max(1, target * room // self.chunk_size),
        )

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text, with or without outer white space, whichever is more."""
        trimmed = [text.strip() for text in texts]
        differing = [
            number for number, text in enumerate(texts) if len(trimmed[number]) < len(text)
        ]
        counts = self.counter.count([*texts, *(trimmed[number] for number in differing)])
        for number, count in zip(differing, counts[len(texts) :], strict=True):
            counts[number] = max(counts[number], count)
        return counts[: len(texts)]

    def divide(self, text: str) -> list[Span]:
        """Split long text into sentences, or long Markdown into rows, lines and sentences."""
        find = markdown_parts if self.markdown else sentences
        return find(text, self.language)

    def apply(
        self, text: str, spans: Sequence[Span], units: Sequence[Span] = ()
    ) -> tuple[Span, ...]:
        """Return spans within the limits, made by cutting and merging `spans`.

        Args:
            text: The text the spans are of.
            spans: Spans that tile the text.
            units: Units of the text: cuts between them are preferred.

        Raises:
            ChunkSizeError: A single character counts more than `chunk_size`.
        """
        if self.chunk_size is None and self.min_chunk_size is None:
            return tuple(spans)
        counts = self.count([span.of(text) for span in spans])
        pieces: Iterable[tuple[Span, int]] = zip(spans, counts, strict=True)
        if self.chunk_size is not None:
            pieces = self._cut(text, list(pieces), units, self.chunk_size)
        if self.min_chunk_size is not None:
            pieces = self._join(text, list(pieces), self.min_chunk_size)
        return tuple(span for span, _ in pieces)

    def _cut(
        self, text: str, pieces: list[tuple[Span, int]], units: Sequence[Span], limit: int
    ) -> Iterator[tuple[Span, int]]:
        unit_cuts = [unit.start for unit in units]
        for span, count in pieces:
            if count <= limit:
                yield span, count
                continue
            low = bisect_right(unit_cuts, span.start)
            high = bisect_left(unit_cuts, span.end)
            cutter = _SpanCutter(text, span, limit, self)
            yield from cutter.cut(unit_cuts[low:high], count)

    def _join(
        self, text: str, pieces: list[tuple[Span, int]], limit: int
    ) -> list[tuple[Span, int]]:
        """Merge each chunk below `limit` with its smaller neighbour that has room for it."""
        joined: list[tuple[Span, int]] = []
        waiting = list(reversed(pieces))
        while waiting:
            piece = waiting.pop()
            if piece[1] >= limit:
                joined.append(piece)
                continue
            before = joined[-1] if joined else None
            after = waiting[-1] if waiting else None
            backward = before is not None and (after is None or before[1] <= after[1])
            for side in (backward, not backward):
                if side and before is not None:
                    union = self._union(text, before, piece)
                    if union is not None:
                        # The neighbour has reached the limit or has no room, so it stays as it is.
                        joined[-1] = union
                        break
                elif not side and after is not None:
                    union = self._union(text, piece, after)
                    if union is not None:
                        waiting[-1] = union
                        break
            else:
                joined.append(piece)
        return joined

    def _union(
        self, text: str, first: tuple[Span, int], second: tuple[Span, int]
    ) -> tuple[Span, int] | None:
        """Return two neighbours merged, or None if the result exceeds the maximum."""
        span = Span(first[0].start, second[0].end)
        total = first[1] + second[1]
        high = self.chunk_size
        if high is not None and total > 2 * high:
            return None
        (total,) = self.count([span.of(text)])
        return (span, total) if high is None or total <= high else None


class _SpanCutter:
    """Cuts one span that is too long into parts of at most `limit` tokens."""

    def __init__(self, text: str, span: Span, limit: int, limits: SizeLimits) -> None:
        self._text = text
        self._span = span
        self._limit = limit
        self._limits = limits

    def cut(self, unit_cuts: list[int], total: int) -> Iterator[tuple[Span, int]]:
        """Yield the parts with their token counts.

        Args:
            unit_cuts: Offsets strictly inside the span where units start.
            total: Tokens of the whole span.
        """
        body = self._span.of(self._text)
        sentence_cuts = [
            self._span.start + sentence.start for sentence in self._limits.divide(body)[1:]
        ]
        start, end = self._span
        per_character = total / (end - start)
        while start < end:
            window_end, window_count = self._window(start)
            if window_count <= self._limit:
                yield Span(start, end), window_count
                return
            remaining = per_character * (end - start)
            parts = max(2, -int(-remaining // self._limit))
            target = start + (end - start) // parts
            inside = partial(self._inside, start, window_end)
            levels: list[Callable[[], list[int]]] = [
                partial(inside, unit_cuts),
                partial(inside, sentence_cuts),
                partial(self._found, start, window_end, line_cuts),
                partial(self._found, start, window_end, space_cuts),
                partial(self._found, start, window_end, word_cuts),
                partial(self._found, start, window_end, grapheme_cuts),
                partial(self._found, start, window_end, _character_cuts),
            ]
            for level in levels:
                chosen = self._choose(start, level(), target, window_end, window_count)
                if chosen is not None:
                    break
            else:
                raise ChunkSizeError(
                    f"the character {self._text[start]!r} alone counts more than "
                    f"chunk_size={self._limit}: no cut can keep that limit. Raise it"
                )
            cut, count = chosen
            yield Span(start, cut), count
            start = cut

    def _count(self, start: int, end: int) -> int:
        return self._limits.count([self._text[start:end]])[0]

    def _window(self, start: int) -> tuple[int, int]:
        """Return an offset past what fits from `start`, or the span's end, and its count."""
        size = self._limit * _CHARACTERS_PER_TOKEN
        while True:
            stop = min(start + size, self._span.end)
            count = self._count(start, stop)
            if count > self._limit or stop == self._span.end:
                return stop, count
            size *= 2

    @staticmethod
    def _inside(start: int, stop: int, cuts: list[int]) -> list[int]:
        return cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]

    def _found(self, start: int, stop: int, find: Callable[[str], Iterator[int]]) -> list[int]:
        # The window may end inside a word or a cluster, so search a little further.
        body = self._text[start : min(stop + 64, self._span.end)]
        return [start + cut for cut in find(body) if 0 < cut < stop - start]

    def _choose(
        self, start: int, cuts: list[int], target: int, stop: int, stop_count: int
    ) -> tuple[int, int] | None:
        """Return the cut that fits and is nearest to `target`, with the tokens before it.

        The last cut that fits is found by interpolation search, which counts only a few windows.
        `stop` is past that cut and has `stop_count` tokens before it.
        """
        best: tuple[int, int] | None = None
        low, low_count = 0, 0  # cuts[:low] fit
        high, high_count, high_offset = len(cuts), stop_count, stop  # cuts[high:] do not
        step = 0
        while low < high:
            if step % 3 == 2 or high_count <= low_count:
                guess = (low + high) // 2
            else:
                begin = cuts[low - 1] if low else start
                share = (self._limit - low_count) / (high_count - low_count)
                offset = begin + int(share * (high_offset - begin))
                guess = min(max(bisect_right(cuts, offset) - 1, low), high - 1)
            count = self._count(start, cuts[guess])
            if count <= self._limit:
                best = cuts[guess], count
                low, low_count = guess + 1, count
            else:
                high, high_count, high_offset = guess, count, cuts[guess]
            step += 1
        if best is None:
            return None
        position = bisect_left(cuts, target)
        near = [cut for cut in cuts[max(0, position - 1) : position + 1] if cut <= best[0]]
        cut = min(near, key=lambda cut: abs(cut - target), default=best[0])
        if cut != best[0]:
            count = self._count(start, cut)
            if count <= self._limit:
                return cut, count
        return best


def _character_cuts(text: str) -> Iterator[int]:
    """Yield every offset inside `text`."""
    yield from range(1, len(text))
