"""Opens pages in headless Chromium, and measures colours."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--allow-file-access-from-files", "--virtual-time-budget=4000"),
)

HOSTILE = (
    "</script><script>document.title = 'broken'</script>",
    """<img src=x onerror="document.title = 'broken'">""",
    """'"><svg onload="document.title = 'broken'">""",
    "</title></textarea></pre></style><base href='http://127.0.0.1:9/'><form><u-foreign>",
    "<!-- {{ 7 * 7 }} {% raw %} ${7 * 7} &lt;b&gt; &#0; ]]>",
    "\u202e right to left \u2028 \x1b[31m \x07",
)
"""What a file name, a title or a text may contain, to leave its place in a page."""
_FOREIGN = ("<u-foreign", "<img", "<svg onload", "<base", "<form")


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    return found


def dom(browser: str, page: Path, *flags: str) -> str:
    """Return what the browser makes of a page once it is loaded."""
    profile = page.parent / f"profile-{len(list(page.parent.iterdir()))}"
    done = subprocess.run(
        [browser, *FLAGS, *flags, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def foreign_elements(shown: str) -> list[str]:
    """Return what a page, as `dom` returns it, has that only hostile texts bring."""
    found = [mark for mark in _FOREIGN if mark in shown]
    return found + (["<title>broken</title>"] if "<title>broken</title>" in shown else [])


def channels(colour: str) -> list[float]:
    return [float(value) / 255 for value in re.findall(r"[\d.]+", colour)[:3]]


def lightness(colour: str) -> float:
    """Relative luminance, as the web's accessibility guidelines define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    one, other = sorted([lightness(first), lightness(second)])
    return (other + 0.05) / (one + 0.05)
