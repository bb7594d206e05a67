"""Greedy splitting: cut at the unit end nearest to a target length in tokens.

The algorithm is that of the article "greedy text segmentation by token length". After a cut, the
candidates are the ends of sentences and of the text. The next cut is the first candidate that is
nearer to the target length than the next candidate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from lumber_core.chunking.chunker import Chunker, enforce_limits
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.chunking.size_settings import ChunkSize, greedy_sizes
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec, tokens_of


class GreedyChunker(Chunker):
    """Cuts at the sentence end nearest to a target length in tokens.

    Args:
        target_size: Preferred length of chunks in tokens; at most `chunk_size`. None: in proportion
            to `chunk_size`, 400 for 512.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 512, or more for
            a `target_size` above 400. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Units that are cut only if they exceed `chunk_size`: "sentences", "paragraphs",
            "sentences_and_lines", "markdown", or a callable from a text to `(start, end)` offsets.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.

    Raises:
        ValueError: A number is out of range, a name is unknown, or `target_size` is above
            `chunk_size`.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> text = "One two three. Four five six. Seven eight nine."
        >>> GreedyChunker(7, tokenizer="words").split_text(text)
        ['One two three. Four five six. ', 'Seven eight nine.']
    """

    default_units = "sentences"

    def __init__(
        self,
        target_size: int | None = None,
        *,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "sentences",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
    ) -> None:
        most, target = greedy_sizes(chunk_size, target_size)
        super().__init__(
            chunk_size=most,
            target_size=target,
            min_chunk_size=min_chunk_size,
            units=units,
            merge_sections=merge_sections,
            tokenizer=tokenizer,
            language=language,
        )

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        assert limits.target_size is not None
        text, units = parsed.text, parsed.units()
        counter = parsed.compute_once(limits.counter, tokens_of)
        edges = [*[start for start, _ in units], len(text)]
        tokens = counter.count(units)
        if limits.chunk_size is not None and max(tokens, default=0) > limits.chunk_size:
            long = [
                unit for unit, count in zip(units, tokens, strict=True) if count > limits.chunk_size
            ]
            shorter = Cutter(parsed, limits).shorten(long)  # cut at lines, clauses or words
            by_start = dict(zip(edges, tokens, strict=False))
            counts = counter.count(shorter)
            by_start.update(zip((part.start for part in shorter), counts, strict=True))
            edges = [*sorted(by_start), len(text)]
            tokens = [by_start[start] for start in edges[:-1]]
        before = [0, *accumulate(tokens)]
        fixed = [bisect_left(edges, start) for start in parsed.section_starts]
        # Chunks of Markdown that are too long are cut later, where a section or a block starts.
        most = None if isinstance(parsed, MarkdownText) else limits.chunk_size
        cuts = [0]
        for first, last in pairwise([0, *fixed, len(tokens)]):
            inside = nearest_cuts(before[first : last + 1], limits.target_size, most)
            cuts += [*(first + cut for cut in inside), last]
        spans = tuple(
            Span(edges[first], edges[last]) for first, last in pairwise(cuts) if first < last
        )
        parts = CountedParts(edges, tokens)
        return enforce_limits(Segmentation(spans), parsed, limits, units, parts=parts)


def nearest_cuts(
    before: Sequence[int], target_size: int, chunk_size: int | None = None
) -> list[int]:
    """Return the units that start a chunk, except the first; each is nearest to `target_size`.

    Of two candidates equally near to `target_size` tokens after the last cut, the later one is
    taken. The distance is at most `chunk_size`, unless a single unit has more. `before` has the
    tokens before each unit and before the text's end, not decreasing.
    """
    most = before[-1] if chunk_size is None else chunk_size
    last = len(before) - 1
    cuts: list[int] = []
    start = 0
    while start < last:
        target = before[start] + target_size
        after = bisect_left(before, target, start + 1)
        if after > last:
            break
        cut = after
        nearer = target - before[after - 1] < before[after] - target
        if after > start + 1 and (nearer or before[after] - before[start] > most):
            cut = after - 1
        # Units without tokens stay with the unit before.
        while cut < last and before[cut + 1] == before[cut]:
            cut += 1
        if cut >= last:
            break
        cuts.append(cut)
        start = cut
    return cuts
