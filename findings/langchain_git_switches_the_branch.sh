#!/usr/bin/env bash
# langchain-community 0.4.2: GitLoader, which reads the files of a repository on disk, checks its branch "main" out in
# the user's own folder, and leaves it there. Users of another branch have main's files afterwards, and commit to main.
# Uncommitted changes are read as if they were in the branch.
# Exits 0 while this holds; output: "on draft, loads ['High at nine.'], on main; then loads ['Not committed.']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 gitpython==3.2.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import subprocess
from pathlib import Path

from langchain_community.document_loaders import GitLoader

tide = Path("notes/tide.txt")
tide.parent.mkdir()


def git(*arguments):
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd="notes", check=True, capture_output=True, text=True).stdout.strip()


def loaded():
    return [document.page_content for document in GitLoader("notes").load()]


git("init", "--initial-branch=main")
tide.write_text("High at nine.")
git("add", ".")
git("commit", "--message=A")
git("checkout", "-b", "draft")
tide.write_text("High at ten.")
git("commit", "--all", "--message=B")
before, texts, after = git("branch", "--show-current"), loaded(), git("branch", "--show-current")
tide.write_text("Not committed.")
seen = f"on {before}, loads {texts}, on {after}; then loads {loaded()}"
print(seen)
raise SystemExit(seen != "on draft, loads ['High at nine.'], on main; then loads ['Not committed.']")
PYTHON
