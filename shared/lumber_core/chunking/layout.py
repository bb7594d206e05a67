"""Layout splitting: chunks of a target size, cut at the best places of the text's layout.

As in `BertChunker`, but without a model, all cuts of a text are chosen together: at headings,
paragraphs, list items and sentences, so that chunks have about the target size.
"""

from __future__ import annotations

from lumber_core.chunking.chunker import Chunker, enforce_limits
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.chunking.size_settings import ChunkSize, layout_sizes
from lumber_core.segmentation import Segmentation
from lumber_core.spans import spans_from_starts
from lumber_core.text.parsed import ParsedText
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec


class LayoutChunker(Chunker):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval, its chunks are as good
    as those of `BertChunker` (docs/results.md). Without headings or paragraphs, cuts fall between
    sentences by size alone; `BertChunker` detects topics there. A text of at most `target_size`
    tokens is one chunk.

    Args:
        target_size: Preferred length of chunks in tokens; a heading outweighs a difference in size.
            None: 60 % of `chunk_size`.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in
            proportion to `target_size`. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Where chunks may start: at "sentences_and_lines" (also at list items, rows, headings
            and lines of code), "sentences", "paragraphs", "markdown" (paragraphs, list items,
            tables, code, a heading with the block below it, and sentences inside prose), or at the
            `(start, end)` offsets that a callable returns for a text. Chunks start elsewhere only
            inside units that exceed `chunk_size` and sentences that exceed `target_size`.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> text = "Ann ran. She fell.\n\nBob sat. He slept."
        >>> LayoutChunker(target_size=5, tokenizer="words").split_text(text)
        ['Ann ran. She fell.\n\n', 'Bob sat. He slept.']
    """

    def __init__(
        self,
        target_size: int | None = None,
        *,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "sentences_and_lines",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
    ) -> None:
        most, target = layout_sizes(chunk_size, target_size)
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
        if not parsed.text:
            return Segmentation(())
        if limits.fits_target(parsed):
            return Segmentation(spans_from_starts([0], len(parsed.text)))
        units = self._chosen_units(parsed)
        cutter = Cutter(parsed, limits)
        places = cutter.places(units)
        cuts = Segmentation(spans_from_starts([0, *cutter.cut(places)], len(parsed.text)))
        return enforce_limits(cuts, parsed, limits, units or (), parts=places)
