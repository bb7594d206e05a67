"""The report of a comparison: one self-contained HTML file, and one JSON file.

`conclusions` states what follows from the figures, `table_rows` and `plots` show them,
`template_values` fills the page, and `json_file` writes the same as data.

>>> page = write_report(comparison, "report")  # doctest: +SKIP
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path

from lumber_core.support.extras import load
from lumber_evaluation.comparison import Comparison
from lumber_evaluation.report.json_file import report_json
from lumber_evaluation.report.template_values import template_values
from lumber_files import replacing

__all__ = ["HTML_FILE", "JSON_FILE", "render", "report_json", "write_report"]

HTML_FILE, JSON_FILE = "report.html", "report.json"


def write_report(comparison: Comparison, folder: str | Path) -> Path:
    """Write `report.html` and `report.json` into a folder, which is created if it does not exist.

    Each file replaces an older one in one step, so it is complete even if two processes write into
    one folder. An error or an interruption leaves the older files.

    Returns:
        The HTML file. It needs no other file and no network.

    Raises:
        MissingExtraError: jinja2 is not installed.
        OSError: The files cannot be written.
    """
    page = render(comparison)
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report_json(comparison), ensure_ascii=False, allow_nan=False, indent=1)
    # A lone surrogate in a text must not make the report fail.
    with replacing(root / JSON_FILE) as part:
        part.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))
    with replacing(root / HTML_FILE) as part:
        part.write_bytes(page.encode("utf-8", "replace"))
    return root / HTML_FILE


def render(comparison: Comparison) -> str:
    """Return the page.

    The page loads nothing. Texts and names are escaped, and its Content-Security-Policy allows only
    its own style, by its digest.
    """
    jinja2 = load("jinja2", package="jinja2", extra="evaluation")
    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_read),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style = _read("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page: str = environment.get_template("report.html.jinja").render(
        style=style, style_digest=f"sha256-{digest}", **template_values(comparison)
    )
    return page


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
