"""Greedy splitting: cut at the unit end nearest to a wanted length in tokens.

The algorithm of the article "greedy text segmentation by token length": starting from the last
cut, the candidates are the ends of sentences, and one is taken when it lies nearer to the wanted
length than the next. Its text end counts as a candidate here, so the last one is weighed as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

from lumber_core.checks import check_positive
from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.tokens import TiktokenCounter, TokenCounterSpec
from lumber_core.units import UnitSpec, after_markers

END_SENTENCE = "<|end_sentence|>"
NEW_SECTION = "<|new_section|>"


@dataclass(frozen=True, slots=True)
class GreedySegmentation(Segmentation):
    """A segmentation that also knows where its chunks start in tokens.

    Attributes:
        start_tokens: For each span, the number of tokens before it.
        token_count: Tokens of the whole text, counted unit by unit.
    """

    start_tokens: tuple[int, ...] = ()
    token_count: int = 0


class GreedyChunker(Chunker):
    """Cuts at the sentence end whose distance in tokens is nearest to a wanted length.

    Args:
        target_size: Wanted length of a chunk in tokens.
        tokenizer: Counts tokens: a tiktoken encoding or model, "words", a Hugging Face tokenizer,
            or a function; see `lumber_core.tokens.token_counter`.
        units: Where a cut may fall: at the ends of "sentences", of "paragraphs", or of the units
            that a callable finds.
        end_markers: Explicit ends of sentences written in the text, such as `END_SENTENCE` and
            `NEW_SECTION`. Cuts fall just past them instead of at `units`, and each counts as one
            token of the encoding that `tokenizer` names.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.

    Raises:
        ValueError: A number is out of range, a name is unknown, or `end_markers` come with a
            tokenizer that is not tiktoken's.
        TypeError: An argument has the wrong type.

    Example:
        >>> text = "One two three. Four five six. Seven eight nine."
        >>> GreedyChunker(7, tokenizer="words").segment(text).chunks(text)
        ['One two three. Four five six. ', 'Seven eight nine.']
    """

    def __init__(
        self,
        target_size: int = 400,
        *,
        tokenizer: TokenCounterSpec = "cl100k_base",
        units: UnitSpec = "sentences",
        end_markers: Sequence[str] = (),
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
    ) -> None:
        check_positive("target_size", target_size)
        if end_markers:
            markers = _checked_markers(end_markers)
            if not isinstance(tokenizer, str) or tokenizer == "words":
                raise ValueError(
                    "end_markers extend a tiktoken encoding: pass the name of one as tokenizer, "
                    f"not {tokenizer!r}"
                )
            tokenizer = TiktokenCounter(tokenizer, markers=markers)
            units = partial(after_markers, markers=markers)
        super().__init__(
            tokenizer=tokenizer,
            units=units,
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
        )
        self.target_size = target_size

    def segment(self, text: str) -> GreedySegmentation:
        """Split one text.

        Args:
            text: Any string; `""` gives no span.

        Returns:
            Spans that tile the text, and their starts in tokens.

        Raises:
            TypeError: `text` is not a string.
            ChunkSizeError: A single character counts more than `chunk_size`.
        """
        segmentation = super().segment(text)
        assert isinstance(segmentation, GreedySegmentation)
        return segmentation

    def _segment(self, text: str) -> GreedySegmentation:
        units = self._find_units(text)
        tokens = self._counter.count([text[start:end] for start, end in units])
        before = [0, *accumulate(tokens)]
        cuts = [0, *nearest_cuts(before, self.target_size), len(units)]
        spans = tuple(
            Span(units[first].start, units[last - 1].end)
            for first, last in pairwise(cuts)
            if first < last
        )
        starts = tuple(before[cut] for cut in cuts[: len(spans)])
        greedy = GreedySegmentation(spans, start_tokens=starts, token_count=before[-1])
        bounded = self._bounded(text, greedy, units)
        if bounded.spans == spans:
            return bounded
        return GreedySegmentation(
            bounded.spans,
            start_tokens=self._start_tokens(text, bounded.spans, units, before),
            token_count=before[-1],
        )

    def _start_tokens(
        self, text: str, spans: Sequence[Span], units: Sequence[Span], before: Sequence[int]
    ) -> tuple[int, ...]:
        """Count the tokens before spans that no longer start at units only."""
        unit_starts = [unit.start for unit in units]
        starts = []
        previous_unit, previous_start, previous_tokens = -1, 0, 0
        for span in spans:
            number = bisect_left(unit_starts, span.start)
            if number < len(units) and unit_starts[number] == span.start:
                tokens = before[number]
            else:
                if previous_unit != number:
                    previous_start, previous_tokens = unit_starts[number - 1], before[number - 1]
                    tokens = previous_tokens
                (more,) = self._counter.count([text[previous_start : span.start]])
                # Parts counted apart may exceed the whole: stay below the next unit.
                tokens = min(previous_tokens + more, before[number])
            previous_unit, previous_start, previous_tokens = number, span.start, tokens
            starts.append(tokens)
        return tuple(starts)

    def _shown(self) -> list[str]:
        return [f"target_size={self.target_size}", *super()._shown()]


def nearest_cuts(before: Sequence[int], wanted: int) -> list[int]:
    """Choose cuts so that each lies nearest to `wanted` tokens past the one before.

    Args:
        before: For each unit and for the text's end, the tokens before it; not decreasing.
        wanted: Wanted distance in tokens.

    Returns:
        Numbers of the units that start a chunk, without the first. Of two candidates equally
        near, the later one is taken, as a candidate must be nearer than the next.
    """
    last = len(before) - 1
    cuts: list[int] = []
    start = 0
    while start < last:
        target = before[start] + wanted
        after = bisect_left(before, target, start + 1)
        if after > last:
            break
        cut = after
        if after > start + 1 and target - before[after - 1] < before[after] - target:
            cut = after - 1
        # Units of no tokens stay with what they follow.
        while cut < last and before[cut + 1] == before[cut]:
            cut += 1
        if cut >= last:
            break
        cuts.append(cut)
        start = cut
    return cuts


def _checked_markers(markers: Sequence[str]) -> tuple[str, ...]:
    if isinstance(markers, str) or not all(isinstance(m, str) and m for m in markers):
        raise TypeError(f"end_markers must be a sequence of non-empty strings, not {markers!r}")
    return tuple(markers)
