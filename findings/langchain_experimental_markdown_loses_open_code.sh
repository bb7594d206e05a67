#!/usr/bin/env bash
# langchain-text-splitters 1.1.3: ExperimentalMarkdownSyntaxTextSplitter leaves out a code block that is
# not closed, and all text after it: CommonMark ends such a block with the document. So does a block in
# "~~~" whose code has a line of "```", which is closed too soon. Both are valid; nothing is raised.
# MarkdownHeaderTextSplitter keeps both.
# Exits 0 while this holds; output: "['# Tide'], ['# Tide', '~~~ ```']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-text-splitters==1.1.3 langchain-core==1.8.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_text_splitters import (
    ExperimentalMarkdownSyntaxTextSplitter,
    MarkdownHeaderTextSplitter,
)

OPEN = "# Tide\n\n```\nhigh = 9\n"
TILDES = "# Tide\n\n~~~\n```\n~~~\n\nHigh at nine.\n"


def texts(markdown):
    splitter = ExperimentalMarkdownSyntaxTextSplitter(strip_headers=False)
    return [" ".join(one.page_content.split()) for one in splitter.split_text(markdown)]


kept = [
    "".join(one.page_content for one in MarkdownHeaderTextSplitter([("#", "h1")]).split_text(text))
    for text in (OPEN, TILDES)
]
assert "high = 9" in kept[0] and "High at nine." in kept[1]
seen = [texts(OPEN), texts(TILDES)]
print("{}, {}".format(*seen))
raise SystemExit(seen != [["# Tide"], ["# Tide", "~~~ ```"]])
PYTHON
