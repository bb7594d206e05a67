"""Chunks in colours, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from lumber_core.spans import Span

MOST_CHARACTERS = 100_000
"""More text than this is not shown: browsers become slow."""

# Translucent, so that the notebook's own text colour is readable on light and dark pages.
_COLOURS = ("66, 133, 244", "251, 188, 4", "52, 168, 83", "234, 67, 53")
_BLOCK = "padding: .5em 1em .6em; margin: 0 0 3px; max-width: 60em; line-height: 1.5"
_LABEL = "font-size: .85em; opacity: .75; user-select: none"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 chunk" or "1,200 chunks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def ranged(noun: str, first: int, last: int) -> str:
    """Return numbers with their noun, as "line 3" or "lines 3 to 5"."""
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


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
        return f'<div style="font-family: system-ui, sans-serif">{body}</div>'

    def _chunk(self, number: int) -> str:
        from html import escape  # deferred: only notebooks need it

        start, end = self.spans[number]
        label = f"#{number}"
        if self.tokens is not None:
            label += f" \u00b7 {counted(self.tokens[number], 'token')}"
        label += f" \u00b7 characters {start:,} to {end:,}"
        # A lone surrogate cannot be sent to a browser.
        piece = self.text[start : min(end, MOST_CHARACTERS)].encode("utf-8", "replace").decode()
        colour = _COLOURS[number % len(_COLOURS)]
        return (
            f'<div style="{_BLOCK}; background: rgba({colour}, .14); '
            f'border-left: 5px solid rgb({colour})"><div style="{_LABEL}">{label}</div>'
            '<div dir="auto" style="white-space: pre-wrap; overflow-wrap: anywhere">'
            f"{escape(piece.rstrip())}</div></div>"
        )
