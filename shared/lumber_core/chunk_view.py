"""Chunks in colours, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from lumber_core.spans import Span

MOST_CHARACTERS = 100_000
"""More text than this is not shown: browsers become slow."""

# Translucent, so that the notebook's own text colour is readable on light and dark pages.
_COLOURS = (
    "rgba(66, 133, 244, .25)",
    "rgba(251, 188, 4, .25)",
    "rgba(52, 168, 83, .25)",
    "rgba(234, 67, 53, .25)",
)
_LABEL = "font-size: .7em; opacity: .7; user-select: none"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 chunk" or "1,200 chunks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class ChunkView:
    """A text with its chunks, displayed by notebooks in alternating colours.

    Args:
        text: The text.
        spans: Its chunks, in order.
        tokens: The size of each chunk in tokens; None if it is not known.
    """

    def __init__(
        self, text: str, spans: Sequence[Span], tokens: Sequence[int] | None = None
    ) -> None:
        self.text = text
        self.spans = tuple(spans)
        self.tokens = None if tokens is None else tuple(tokens)

    def __repr__(self) -> str:
        return (
            f"ChunkView({counted(len(self.spans), 'chunk')}, "
            f"{counted(len(self.text), 'character')})"
        )

    def _repr_html_(self) -> str:
        """Return the first `MOST_CHARACTERS` characters as HTML, and how many chunks are left."""
        shown = [number for number, s in enumerate(self.spans) if s.start < MOST_CHARACTERS]
        parts = [self._chunk(number) for number in shown]
        left = len(self.spans) - len(shown)
        if len(self.text) > MOST_CHARACTERS:
            parts.append(
                f'<div style="{_LABEL}">The first {MOST_CHARACTERS:,} of {len(self.text):,} '
                f"characters are shown; {counted(left, 'chunk')} left out.</div>"
            )
        body = "".join(parts)
        return (
            '<div dir="auto" style="white-space: pre-wrap; overflow-wrap: anywhere; '
            f'line-height: 1.6">{body}</div>'
        )

    def _chunk(self, number: int) -> str:
        from html import escape  # deferred: only notebooks need it

        start, end = self.spans[number]
        title = f"chunk {number}: characters {start:,} to {end:,}"
        label = str(number)
        if self.tokens is not None:
            title += f", {counted(self.tokens[number], 'token')}"
            label += f": {counted(self.tokens[number], 'token')}"
        # A lone surrogate cannot be sent to a browser.
        piece = self.text[start : min(end, MOST_CHARACTERS)].encode("utf-8", "replace").decode()
        return (
            f'<span title="{title}" style="background: {_COLOURS[number % len(_COLOURS)]}">'
            f'<span style="{_LABEL}">{label} </span>{escape(piece)}</span>'
        )
