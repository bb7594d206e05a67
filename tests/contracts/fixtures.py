"""Documents of every format that users split, for tests that compare chunks across interfaces."""

from pathlib import Path
from textwrap import wrap

from tests.making_files import docx, pdf

_ROOT = Path(__file__).resolve().parents[2]
_STORY = _ROOT / "examples" / "data" / "the_tide_clock.txt"
_HANDBOOK = _ROOT / "examples" / "handbook" / "tide_house.md"
_FORMATS = _ROOT / "tests" / "core" / "formats"

_HTML = """<!doctype html><html><head><title>Boats</title></head><body>
<h1>Boats</h1><p>The harbour rents rowing boats by the hour. Life jackets are free.</p>
<h2>Prices</h2><table><tr><th>Boat</th><th>An hour</th><th>A day</th></tr>
{rows}</table>
<h2>Safety</h2><ul><li>Stay inside the buoys.</li><li>Come back before the tide turns.</li></ul>
<p>In fog, the bell rings every minute. Row towards it, and shout at the second buoy.</p>
<h2>Repairs</h2><pre><code>def is_dry(boat):
    return boat.planks.all(tight)
</code></pre><p>Wet planks swell until they are tight. That takes two days.</p></body></html>"""
_ROWS = "".join(
    f"<tr><td>number {number}</td><td>{number + 4} pounds</td><td>{number * 9} pounds</td></tr>\n"
    for number in range(1, 16)
)


def _pages(text: str, *, lines: int) -> list[list[str]]:
    """Lay a text out in pages of short lines, each with a running title and a number."""
    rows = wrap(" ".join(text.split()), 70, break_on_hyphens=False)
    starts = range(0, len(rows), lines)
    return [
        ["THE TIDE CLOCK", *rows[start : start + lines], str(number)]
        for number, start in enumerate(starts, start=1)
    ]


def write_fixtures(folder: Path) -> list[Path]:
    """Write one file of each format into a folder, and return their paths in order of name.

    Markdown, plain text, HTML, PDF, DOCX, CSV, TSV, JSON, code, a log, a chat, and others that
    lie in tests/core/formats.
    """
    story = _STORY.read_text(encoding="utf-8")
    contents: dict[str, bytes] = {
        "handbook.md": _HANDBOOK.read_bytes(),
        "story.txt": story[:6_000].encode(),
        "boats.html": _HTML.replace("{rows}", _ROWS).encode(),
        "story.pdf": pdf(_pages(story[:4_000].encode("ascii", "ignore").decode(), lines=20)),
        "story.docx": docx(
            [("Heading1", "The Tide Clock"), *[("", part) for part in story[:2_500].split("\n\n")]]
        ),
        **{path.name: path.read_bytes() for path in sorted(_FORMATS.iterdir())},
    }
    paths = []
    for name, content in sorted(contents.items()):
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths
