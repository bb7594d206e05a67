"""Limits on chunk sizes, by which `chunker.enforce_limits` cuts and merges chunks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING

from lumber_core.chunking.metadata_room import Room
from lumber_core.spans import Span
from lumber_core.tokens import TokenCounter, tokens_of

if TYPE_CHECKING:
    from lumber_core.text.parsed import ParsedText

MAX_CHARACTERS_PER_TOKEN = 16
"""More than the average length of the tokens of any text without runs of a repeated character."""


@dataclass(frozen=True, slots=True)
class CountedParts:
    """Parts that tile a text or a range of it, with their tokens."""

    edges: Sequence[int]  # where each part starts, ascending, and where the last part ends
    tokens: Sequence[int]  # the number of tokens in each part


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Limits on the size of a chunk, in tokens.

    The size of a chunk is the larger of its token counts with and without the white space at its
    ends. Trimming can turn one token into several, because many tokenizers have a token for a word
    with the space before it but none for the word alone. None is no limit.
    """

    chunk_size: int | None
    min_chunk_size: int | None  # smaller chunks are merged, unless that exceeds `chunk_size`
    counter: TokenCounter
    target_size: int | None = None  # None for splitters without a target size
    room: Room | None = None  # counts metadata and context, for which `chunk_size` leaves room

    def reserve(self, tokens: int) -> SizeLimits:
        """Return limits that leave room for `tokens` more tokens in each chunk.

        Without a `chunk_size` nothing changes; `target_size` shrinks in proportion to it. A
        ValueError is raised if no room is left for the chunk itself.
        """
        if self.chunk_size is None:
            return self
        room = self.chunk_size - tokens
        if room < 1:
            raise ValueError(
                f"{tokens} tokens cannot be reserved in chunks of chunk_size={self.chunk_size}: "
                "raise chunk_size"
            )
        least, target = self.min_chunk_size, self.target_size
        least = None if least is None else min(least, room)
        target = None if target is None else max(1, target * room // self.chunk_size)
        return replace(self, chunk_size=room, min_chunk_size=least, target_size=target)

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """Return the size of each text: the larger count with and without outer white space.

        With `room`, a text is counted together with its metadata, which may change the count.
        """
        forms = [dict.fromkeys((text, text.strip())) for text in texts]
        variants = [form for both in forms for form in both]
        if self.room is None:
            counts = iter(self.counter.count(variants))
        else:
            around = self.room.tokens_around
            counts = iter([max(0, count - around) for count in self.room.sizes(variants)])
        return [max(next(counts) for _ in both) for both in forms]

    def fits_target(self, parsed: ParsedText) -> bool:
        """Return whether a text has at most `target_size` tokens and needs no cut."""
        most, text = self.target_size, parsed.text
        if not most or parsed.section_starts:
            return False
        # Most texts are too long, and counting their beginning is enough to see it.
        begin = most * MAX_CHARACTERS_PER_TOKEN
        if begin < len(text):
            (count,) = parsed.compute_once(self.counter, tokens_of).count([(0, begin)])
            if count > most:
                return False
        return self.sizes([text])[0] <= most

    def find_too_long(
        self, parsed: ParsedText, spans: Sequence[Span], parts: CountedParts | None = None
    ) -> list[Span]:
        """Return the spans of more than `chunk_size` tokens; `spans` are consecutive.

        A span whose `parts` are certainly small enough is not counted again.
        """
        most = self.chunk_size
        if most is None or not spans:
            return []
        waiting = [*spans]
        if parts is not None and self.room is None:
            edges, most_added = parts.edges, parsed.compute_once(self.counter, tokens_of).most_added
            sums = [*accumulate(parts.tokens, initial=0)]
            waiting, last = [], bisect_left(edges, spans[0].start)
            for span in spans:
                first, last = last, bisect_left(edges, span.end, last)
                added = None
                if last < len(edges) and (edges[first], edges[last]) == span:
                    added = most_added(*span, last - first)
                if added is None or sums[last] - sums[first] + added > most:
                    waiting.append(span)
        counts = self.sizes([span.of(parsed.text) for span in waiting]) if waiting else []
        return [span for span, count in zip(waiting, counts, strict=True) if count > most]

    def merge(
        self, text: str, spans: Sequence[Span], fixed: Sequence[int] = ()
    ) -> tuple[Span, ...]:
        """Merge each span below `min_chunk_size` with its smaller neighbour that has room.

        The spans tile the text; those that start at one of `fixed` are not merged with the span
        before.
        """
        starts = [span.start for span in spans]
        cuts = [0, *(bisect_left(starts, start) for start in fixed), len(spans)]
        return tuple(
            span for first, last in pairwise(cuts) for span in self._merge(text, spans[first:last])
        )

    def _merge(self, text: str, spans: Sequence[Span]) -> Iterator[Span]:
        least, most = self.min_chunk_size or 0, self.chunk_size or inf
        counts = self.sizes([span.of(text) for span in spans])
        merged: list[tuple[Span, int]] = []
        waiting = list(zip(spans, counts, strict=True))[::-1]
        while waiting:
            piece = waiting.pop()
            neighbours = [stack for stack in (merged, waiting) if stack and piece[1] < least]
            for stack in sorted(neighbours, key=lambda stack: stack[-1][1]):
                first, second = sorted((stack[-1][0], piece[0]))
                union = Span(first.start, second.end)
                if stack[-1][1] + piece[1] > 2 * most:  # far too much: not worth counting
                    continue
                (count,) = self.sizes([union.of(text)])
                if count <= most:
                    stack[-1] = union, count
                    break
            else:
                merged.append(piece)
        for span, _ in merged:
            yield span
