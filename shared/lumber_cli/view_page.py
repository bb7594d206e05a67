"""The page: texts and their chunks as data, and the template that shows them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import Any

from lumber_cli.view_sides import ShownChunk, Side
from lumber_core import Span, __version__
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_files import TextFile

_PLACE = re.compile(r"\{\{(\w+)\}\}")


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

    Its Content-Security-Policy allows only its own style and script, known by their digests.

    Args:
        texts: What `shown_text` returned.
        sides: The splitters.
    """
    style, script = _read("view.css"), _read("view.js")
    data = {"texts": texts, "sides": [_side(side) for side in sides]}
    first = texts[0]["name"]
    filled = {
        "title": escape(first if len(texts) == 1 else f"{first} and {len(texts) - 1} more"),
        "style": style,
        "script": script,
        "style_digest": _digest(style),
        "script_digest": _digest(script),
        "version": __version__,
        # Inside a script element, "<" could end the element.
        "data": json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
    }
    return _PLACE.sub(lambda match: filled[match[1]], _read("view.html"))


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


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return a digest as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
