"""The page: texts and their chunks as data, and the template that shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lumber_cli.page import html_page
from lumber_cli.view_sides import ShownChunk, Side
from lumber_core import Span
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_files import TextFile


def shown_text(file: TextFile, sides: Sequence[Side]) -> dict[str, Any]:
    """Split a text with each side, and return it as the page's script reads it.

    The text is divided into *atoms*, at every place where some chunk starts or ends. So the script
    needs no offsets, which JavaScript counts differently from Python.

    Args:
        file: The text.
        sides: The splitters.

    Returns:
        `name`; `atoms`: the strings; `starts`: their offsets; `pages`: their pages, or None;
        `sides`: for each side its `scores`, one for each atom or None, and its `positions`, each a
        list of chunks `[first atom, just past the last, tokens, titles, reason]`, where titles and
        reasons are numbers in `words`.
    """
    text = file.text
    split = [side.split(file) for side in sides]
    edges = {0, len(text)}
    for made in split:
        for chunks in made.positions:
            edges.update(edge for chunk in chunks for edge in (chunk.start, chunk.end))
    offsets = sorted(edges)
    number = {offset: place for place, offset in enumerate(offsets)}
    starts = offsets[:-1]
    words: dict[str, int] = {"": 0}
    return {
        "name": file.name,
        "atoms": [text[start:end] for start, end in pairwise(offsets)],
        "starts": starts,
        "length": len(text),
        "pages": [_page(file, start) for start in starts] if file.pages else None,
        "sides": [
            {
                "scores": _rounded(made.scores_at(starts)),
                "positions": [
                    [_chunk(chunk, number, words) for chunk in chunks] for chunks in made.positions
                ],
            }
            for made in split
        ],
        "words": list(words),
    }


def chunk_page(texts: Sequence[dict[str, Any]], sides: Sequence[Side]) -> str:
    """Return the page.

    Args:
        texts: What `shown_text` returned.
        sides: The splitters.
    """
    first = texts[0]["name"]
    title = f"Chunks of {first if len(texts) == 1 else f'{first} and {len(texts) - 1} more'}"
    return html_page("view", title, {"texts": texts, "sides": [_side(side) for side in sides]})


def _chunk(chunk: ShownChunk, number: dict[int, int], words: dict[str, int]) -> list[int]:
    titles, why = HEADING_SEPARATOR.join(chunk.headings), chunk.why
    return [
        number[chunk.start],
        number[chunk.end],
        chunk.tokens,
        words.setdefault(titles, len(words)),
        words.setdefault(why, len(words)),
    ]


def _side(side: Side) -> dict[str, Any]:
    slider = side.slider
    if slider is None:
        return {"title": side.title, "slider": None}
    return {
        "title": side.title,
        "slider": {
            "setting": slider.setting,
            "values": list(slider.values),
            "initial": slider.initial,
        },
    }


def _rounded(scores: Sequence[float] | None) -> list[float | None] | None:
    """Return scores with two digits; None for one that is minus infinity."""
    if scores is None:
        return None
    return [round(score, 2) if math.isfinite(score) else None for score in scores]


def _page(file: TextFile, offset: int) -> int:
    pages = file.pages_of(Span(offset, offset + 1))
    assert pages is not None
    return pages[0]
