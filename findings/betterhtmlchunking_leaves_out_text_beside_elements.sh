#!/usr/bin/env bash
# betterhtmlchunking 0.13.3 leaves out text that stands beside elements once their parent exceeds the limit: of a page with
# the lines "Closed on Mondays." and "No dogs." between elements, no region has either, as text or as HTML. With a limit
# that the whole page fits, both are there. No warning is given.
# Exits 0 while this holds; output: two regions, "Pool" and "Open from nine.", and one with all four lines.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check betterhtmlchunking==0.13.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from betterhtmlchunking import DomRepresentation
from betterhtmlchunking.main import ReprLengthComparisionBy

PAGE = """<html><body>Closed on Mondays.<h1>Pool</h1>
No dogs.
<p>Open from nine.</p></body></html>"""


def split(limit):
    """Return the regions of the page as text and as HTML."""
    page = DomRepresentation(
        MAX_NODE_REPR_LENGTH=limit,
        website_code=PAGE,
        repr_length_compared_by=ReprLengthComparisionBy.TEXT_LENGTH,
    )
    page.start()
    system = page.render_system
    return [*system.text_render_roi.values()], "".join(system.html_render_roi.values())


(parts, html), (whole, _) = split(15), split(1000)
print(parts, html, whole, sep="\n")
lost = not any(text in html for text in ("Closed", "dogs"))
raise SystemExit(
    parts != ["Pool", "Open from nine."]
    or not lost
    or whole != ["Closed on Mondays.\nPool\nNo dogs.\nOpen from nine."]
)
PYTHON
