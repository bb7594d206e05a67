"""A self-contained HTML page, which needs no other file and no network."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from importlib.resources import files
from pathlib import Path

from lumber_core import __version__
from lumber_files import replacing

_PLACE = re.compile(r"\{\{(\w+)\}\}")


def html_page(name: str, title: str, body: str, script: str = "") -> str:
    """Return a page, with the style of page.css and `name`.css, beside this file.

    Its Content-Security-Policy allows only its own style and script, by their digests.
    """
    style = read_part("page.css") + read_part(f"{name}.css")
    filled = {
        "title": escape(title),
        "style": style,
        "style_digest": _digest(style),
        "script_digest": _digest(script),
        "version": __version__,
        "body": f"{body}\n<script>{script}</script>" if script else body,
    }
    return _PLACE.sub(lambda match: filled[match[1]], read_part("page.html"))


def write_page(path: Path, page: str) -> None:
    """Write a page; characters that UTF-8 cannot encode are replaced."""
    with replacing(path) as part:
        part.write_text(page, encoding="utf-8", errors="replace", newline="")


def read_part(name: str) -> str:
    """Return a part of a page, which lies beside this file."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return a digest as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
