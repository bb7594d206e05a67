#!/usr/bin/env bash
# langchain-community 0.4.2: WhatsAppChatLoader reads a chat line by line, and keeps only lines that begin with
# a date and a sender of letters. So the second line of a message goes, and all messages of those who are
# not among the contacts ("+44 7700 900123"), or whose name has a hyphen, a full stop or an apostrophe.
# Exits 0 while this holds; output: "lost: Not from pier 3. At nine. Bring the tickets. Dr. Cod pays."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import WhatsAppChatLoader

CHAT = """\
27/11/2026, 14:04 - Ada: Where does the ferry leave?
27/11/2026, 14:05 - Ben: From pier 4.
Not from pier 3.
27/11/2026, 14:06 - +44 7700 900123: At nine.
27/11/2026, 14:07 - Mary-Ann: Bring the tickets.
27/11/2026, 14:08 - Dr. Cod: Dr. Cod pays.
27/11/2026, 14:09 - Ben: See you there.
"""
Path("chat.txt").write_text(CHAT, encoding="utf-8")
(document,) = WhatsAppChatLoader("chat.txt").load()
said = [line.rpartition(": ")[2] for line in CHAT.splitlines()]
lost = [words for words in said if words not in document.page_content]
print("lost:", *lost)
raise SystemExit(lost != ["Not from pier 3.", "At nine.", "Bring the tickets.", "Dr. Cod pays."])
PYTHON
