#!/usr/bin/env bash
# ttconv 1.2.3 writes "<" of a caption as it is into WebVTT, where it begins a tag: of "If x < 5 and y > 7" in SubRip,
# read back by itself, "If x 7" is left.
# Exits 0 while this holds; output: "If x < 5 and y > 7" in the file, and "If x 7" read from it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ttconv==1.2.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import subprocess
import sys
from pathlib import Path

Path("a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nIf x < 5 and y > 7\n")
command = Path(sys.executable).parent / "tt"
for source, target in (("a.srt", "b.vtt"), ("b.vtt", "c.srt")):
    subprocess.run([command, "convert", "-i", source, "-o", target], check=True, capture_output=True)
written, read = (Path(name).read_text().strip().splitlines()[-1] for name in ("b.vtt", "c.srt"))
print(f"{written!r} in the file, and {read!r} read from it")
raise SystemExit((written, read) != ("If x < 5 and y > 7", "If x 7"))
PYTHON
