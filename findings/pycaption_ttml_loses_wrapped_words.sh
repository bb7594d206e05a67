#!/usr/bin/env bash
# pycaption 2.3.14 reads of a text in TTML (DFXP) only what stands before the first line end: of "Do not swim" on two
# lines of the file "Do not" is read. In TTML a line end is a space unless xml:space says otherwise, and editors of
# XML wrap long lines. A line break shown in the video is <br/>, which is read.
# Exits 0 while this holds; output: "Do not", "Dogs may swim".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pycaption==2.3.14 ttconv==1.2.3
cd "$folder"
cat > talk.ttml <<'TTML'
<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div>
<p begin="00:00:01.000" end="00:00:03.000">Do not
  swim here.</p>
<p begin="00:00:04.000" end="00:00:06.000"><span>Dogs may
  not</span> swim</p>
</div></body></tt>
TTML
"$folder/venv/bin/tt" convert -i talk.ttml -o talk.srt > log 2>&1  # another reader
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from pycaption import DFXPReader

captions = DFXPReader().read(Path("talk.ttml").read_text()).get_captions("en")
seen = [caption.get_text() for caption in captions]
other = Path("talk.srt").read_text()
print(seen, other, sep="\n")
right = "Do not swim here." in other and "Dogs may not swim" in other
raise SystemExit(seen != ["Do not", "Dogs may swim"] or not right)
PYTHON
