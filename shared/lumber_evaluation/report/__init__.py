"""The report of a comparison: one HTML file that needs nothing else, and one JSON file."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumber_core.extras import load

if TYPE_CHECKING:
    from lumber_evaluation.comparison import Comparison

HTML_FILE, JSON_FILE = "report.html", "report.json"


def write_report(
    comparison: Comparison, folder: str | Path, *, extra: dict[str, Any] | None = None
) -> Path:
    """Write the HTML and the JSON file of a comparison.

    Args:
        comparison: What to report.
        folder: It is made where it does not exist.
        extra: What a sweep adds: "plots" and "table" for the page, "json" for the file.

    Returns:
        The HTML file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    extra = extra or {}
    page = render(comparison, extra=extra)
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    data = {**comparison.to_json(), **extra.get("json", {})}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    # A lone surrogate in somebody's text must not cost them the report.
    (root / JSON_FILE).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    (root / HTML_FILE).write_text(page, encoding="utf-8", errors="replace")
    return root / HTML_FILE


def render(comparison: Comparison, *, extra: dict[str, Any] | None = None) -> str:
    """Return the page.

    Nothing in it comes from elsewhere, and its Content-Security-Policy allows nothing else: texts
    and names are escaped, and only the page's own style and script, known by their digests, apply.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    jinja2 = load("jinja2", package="jinja2", extra="evaluation")
    from lumber_evaluation.report.view import view

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_read),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style, script = _read("report.css"), _read("report.js")
    page: str = environment.get_template("report.html.jinja").render(
        style=style,
        script=script,
        style_digest=_digest(style),
        script_digest=_digest(script),
        sweep=extra if extra else None,
        **view(comparison),
    )
    return page


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return a digest as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
