"""The room that metadata and context take in each chunk: they are written around its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from lumber_core.text.outline import Context
from lumber_core.text.source import Forms
from lumber_core.tokens import TokenCounter

_PARTS_PER_CONTEXT = 4  # a context takes at most 1/4 of the room
_NO_CONTEXT = Context()
_SAMPLE = "A"  # a text of one token, to count the text written around it


class Room:
    """Counts chunks of at most `most` tokens with metadata and context around them.

    `forms` are those of `Source`.
    """

    def __init__(self, forms: Forms, counter: TokenCounter, most: int) -> None:
        self._forms = forms
        self._counter = counter
        self._most = most
        self._sizes: dict[str, int] = {}

    @cached_property
    def tokens_around(self) -> int:
        """Tokens written around a text that has no context."""
        empty, filled = ([*{*self._forms(text, _NO_CONTEXT)}] for text in ("", _SAMPLE))
        bare, *counts = self._counter.count([_SAMPLE, *empty, *filled])
        # Separators may be left out around an empty text.
        return max(*counts[: len(empty)], max(counts[len(empty) :]) - bare)

    def sizes(self, texts: Sequence[str], contexts: Sequence[Context] = ()) -> list[int]:
        """Return the tokens of the longest form in which each text is written, with its context."""
        pairs = zip(texts, contexts or [_NO_CONTEXT] * len(texts), strict=True)
        forms = [{*self._forms(text, context)} for text, context in pairs]
        counts = iter(self._counter.count([form for several in forms for form in several]))
        return [max(next(counts) for _ in several) for several in forms]

    def reserve(self, contexts: Sequence[Context], overlap: int) -> int:
        """Return the tokens to leave free in each chunk for metadata and context.

        `contexts` are the longest of the document; `overlap` tokens are left free for the overlap.
        """
        distinct = [*{*self._shorten_all(contexts)}.difference([_NO_CONTEXT])]
        if not distinct:
            return self.tokens_around
        samples = [_SAMPLE] * (len(distinct) + 1)
        bare, *counts = self.sizes(samples, [_NO_CONTEXT, *distinct])
        longest = max(*counts, bare) - bare
        share = max(0, self._most - overlap - self.tokens_around) // _PARTS_PER_CONTEXT
        return self.tokens_around + min(longest, share)

    def fit(self, texts: Sequence[str], contexts: Sequence[Context]) -> list[Context]:
        """Return the context of each text, shortened until text and context fit.

        A context has at most a quarter of the room. The outermost titles are left out first; the
        header of a table stays unless it alone takes more than this quarter.
        """
        fitted = self._shorten_all(contexts)
        waiting = [number for number, context in enumerate(fitted) if context != _NO_CONTEXT]
        while waiting:
            counts = self.sizes([texts[n] for n in waiting], [fitted[n] for n in waiting])
            waiting = [n for n, c in zip(waiting, counts, strict=True) if c > self._most]
            for number in waiting:
                context = fitted[number]
                shorter = replace(context, titles=context.titles[1:])
                fitted[number] = shorter if context.titles else _NO_CONTEXT
        return fitted

    def _shorten_all(self, contexts: Sequence[Context]) -> list[Context]:
        """Return each context, shortened to at most a quarter of the room."""
        parts = {part for context in contexts for part in (*context.titles, context.table) if part}
        uncounted = parts.difference(self._sizes)
        if uncounted:
            counts = self._counter.count([f"{part}\n\n" for part in uncounted])
            self._sizes.update(zip(uncounted, counts, strict=True))
        most = max(0, self._most - self.tokens_around) // _PARTS_PER_CONTEXT
        shortened = []
        for context in contexts:
            table = context.table if self._sizes.get(context.table, 0) <= most else ""
            room = most - (self._sizes[table] if table else 0)
            titles: list[str] = []
            for title in reversed(context.titles):
                room -= self._sizes[title]
                if room < 0:
                    break
                titles.append(title)
            shortened.append(Context((*reversed(titles),), table))
        return shortened
