#!/usr/bin/env bash
# langchain-community 0.4.2: TelegramChatFileLoader leaves out each message with a link, a mention, a number of a phone
# or a word in bold. Telegram Desktop exports the text of such a message as a list of its parts, and the loader takes
# only texts that are strings. Answers that link to a page are lost.
# Exits 0 while this holds; output: "read: Where does it leave? Thanks!"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from pathlib import Path

from langchain_community.document_loaders import TelegramChatFileLoader

TEXTS = [
    "Where does it leave?",
    ["From pier 4, see ", {"type": "link", "text": "https://ferry.example"}],
    ["Be there at ", {"type": "bold", "text": "nine"}, "."],
    "Thanks!",
]
messages = [
    {
        "id": number,
        "type": "message",
        "date": f"2026-11-27T14:0{number}:00",
        "from": "Ada" if isinstance(text, str) else "Ben",
        "text": text,
    }
    for number, text in enumerate(TEXTS)
]
chat = {"name": "Ferry", "type": "personal_chat", "id": 1, "messages": messages}
Path("result.json").write_text(json.dumps(chat), encoding="utf-8")
(document,) = TelegramChatFileLoader("result.json").load()
read = [line.partition(":00: ")[2] for line in document.page_content.split("\n\n") if line]
print("read:", *read)
raise SystemExit(read != ["Where does it leave?", "Thanks!"])
PYTHON
