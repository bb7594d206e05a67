#!/usr/bin/env bash
# pathspec 1.1.1: a pattern of .gitignore with a class of characters (`[[:alpha:]].md`) matches no file that Git
# (2.39.5) ignores by it. With google-re2 installed (1.1.20251105), the same pattern raises an error of re2, which is
# no ValueError. Exits 0 while this holds; output: "ignored by git: True, GitIgnoreSpec: False, with re2: Error".
# Needs git.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pathspec==1.1.1 google-re2==1.1.20251105
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import subprocess
from pathlib import Path

from pathspec import GitIgnoreSpec

PATTERN = "[[:alpha:]].md"
Path("repository").mkdir()
Path("repository/a.md").touch()
Path("repository/.gitignore").write_text(PATTERN + "\n")
subprocess.run(["git", "init", "--quiet", "repository"], check=True)
asked = ["git", "-C", "repository", "check-ignore", "--quiet", "a.md"]
ignored = subprocess.run(asked).returncode == 0
plain = GitIgnoreSpec.from_lines([PATTERN], backend="simple").match_file("a.md")
try:
    GitIgnoreSpec.from_lines([PATTERN])
    raised = "no error"
except Exception as error:
    raised = "ValueError" if isinstance(error, ValueError) else type(error).__name__
print(f"ignored by git: {ignored}, GitIgnoreSpec: {plain}, with re2: {raised}")
raise SystemExit((ignored, plain, raised) != (True, False, "Error"))
PYTHON
