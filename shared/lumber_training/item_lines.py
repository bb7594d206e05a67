"""A training item as lines, and back: what augmentation works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumber_training.items import Item


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A sentence, heading or row, whether a segment starts with it, and the space behind it."""

    text: str
    starts: bool
    gap: str = " "

    def opened(self, label: str) -> ItemLine:
        """Put a label before it."""
        return ItemLine(label + self.text, self.starts, self.gap)

    def rewritten(self, text: str) -> ItemLine:
        """Replace its text; a line is never empty."""
        return ItemLine(text.strip() or ".", self.starts, self.gap)


def lines_of(item: Item) -> list[ItemLine]:
    """Return the sentences of an item as lines."""
    starts = set(item.starts)
    lines = []
    for begin, end in pairwise([*item.sentences, len(item.text)]):
        raw = item.text[begin:end]
        text = raw.strip()
        lines.append(ItemLine(text or ".", begin in starts, raw[len(raw.rstrip()) :] or " "))
    return lines


def item_of(lines: Sequence[ItemLine]) -> Item:
    """Return the item that consists of lines."""
    parts: list[str] = []
    sentences: list[int] = []
    starts: list[int] = []
    position = 0
    for line in lines:
        sentences.append(position)
        if line.starts:
            starts.append(position)
        parts += (line.text, line.gap)
        position += len(line.text) + len(line.gap)
    return Item("".join(parts[:-1]), tuple(sentences), tuple(starts))


def segments_in(lines: Sequence[ItemLine]) -> list[list[ItemLine]]:
    """Return lines by segment."""
    segments: list[list[ItemLine]] = []
    for line in lines:
        if line.starts or not segments:
            segments.append([])
        segments[-1].append(line)
    return segments


def set_gap(lines: list[ItemLine], gap: str) -> None:
    """Change the space before the next line."""
    if lines:
        lines[-1] = ItemLine(lines[-1].text, lines[-1].starts, gap)
