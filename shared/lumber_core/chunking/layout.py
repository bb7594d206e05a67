"""Layout splitting: chunks of a target size, cut at the best places of the text's layout.

What `BertChunker` does with a model, done without: all cuts of a text are chosen together, at
headings, paragraphs, list items and sentences, so that chunks have about the target size.
"""

from __future__ import annotations

from dataclasses import field

from lumber_core.chunking.base import Chunker, enforce_limits
from lumber_core.chunking.settings import BestCutSettings, FreeTargetSize
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.settings import takes
from lumber_core.spans import spans_from_starts
from lumber_core.text.parsed import ParsedText


class LayoutSettings(BestCutSettings):
    """Settings of the layout splitter in every framework."""

    target_size: FreeTargetSize = field(default=None, kw_only=False)


class LayoutChunker(Chunker):
    r"""Cuts at headings, paragraphs and lines into chunks of about `target_size` tokens.

    No model is run: a megabyte takes a fraction of a second. In retrieval chunks are level with
    those of `BertChunker` (docs/results.md). Where a text has no headings or paragraphs, cuts fall
    at sentences by size alone; `BertChunker` sees topics there. A text of at most `target_size`
    tokens is one chunk.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> text = "Ann ran. She fell.\n\nBob sat. He slept."
        >>> LayoutChunker(target_size=5, tokenizer="words").split_text(text)
        ['Ann ran. She fell.\n\n', 'Bob sat. He slept.']
    """

    @takes(LayoutSettings)
    def __init__(self, settings: LayoutSettings) -> None:
        super().__init__(settings, units=settings.units)

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        if not parsed.text:
            return Segmentation(())
        if not parsed.section_starts and limits.fits_target(parsed):
            return Segmentation(spans_from_starts([0], len(parsed.text)))
        from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

        units = self._own_units(parsed)
        cutter = Cutter(parsed, limits)
        found = cutter.places(units)
        spans = spans_from_starts([0, *cutter.cut(found)], len(parsed.text))
        made = Segmentation(spans)
        return enforce_limits(made, parsed, limits, units or (), parts=found.counted())
