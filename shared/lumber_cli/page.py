"""A page that needs no other file and no network: data, with the style and script that show it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib.resources import files

from lumber_core import __version__

_PLACE = re.compile(r"\{\{(\w+)\}\}")


def html_page(name: str, title: str, data: object) -> str:
    """Return a page.

    Its Content-Security-Policy allows only its own style and script, known by their digests.

    Args:
        name: The page: its elements, style and script are `name`.html, .css and .js beside this
            file, after those that all pages have.
        title: Its title.
        data: What its script reads as `data`.
    """
    style, script = (_read(f"page.{kind}") + _read(f"{name}.{kind}") for kind in ("css", "js"))
    filled = {
        "title": escape(title),
        "style": style,
        "script": script,
        "style_digest": _digest(style),
        "script_digest": _digest(script),
        "version": __version__,
        "body": _read(f"{name}.html"),
        # Inside a script element, "<" could end the element.
        "data": json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
    }
    return _PLACE.sub(lambda match: filled[match[1]], _read("page.html"))


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return a digest as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
