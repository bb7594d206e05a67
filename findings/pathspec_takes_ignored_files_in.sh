#!/usr/bin/env bash
# pathspec 1.1.1: PathSpec with patterns of the kind "gitignore" includes a file again if a later pattern
# includes its folder again. Git (2.39.5) still ignores the file, and so does GitIgnoreSpec.
# Exits 0 while this holds; output: "ignored by git: True, GitIgnoreSpec: True, PathSpec: False". Needs git.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pathspec==1.1.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import subprocess
from pathlib import Path

from pathspec import GitIgnoreSpec, PathSpec

PATTERNS = ["*.log", "!logs/"]
Path("repository/logs").mkdir(parents=True)
Path("repository/logs/a.log").touch()
Path("repository/.gitignore").write_text("\n".join(PATTERNS) + "\n")
subprocess.run(["git", "init", "--quiet", "repository"], check=True)
asked = ["git", "-C", "repository", "check-ignore", "--quiet", "logs/a.log"]
ignored = [
    subprocess.run(asked).returncode == 0,
    GitIgnoreSpec.from_lines(PATTERNS).match_file("logs/a.log"),
    PathSpec.from_lines("gitignore", PATTERNS).match_file("logs/a.log"),
]
print("ignored by git: {}, GitIgnoreSpec: {}, PathSpec: {}".format(*ignored))
raise SystemExit(ignored != [True, True, False])
PYTHON
