#!/usr/bin/env bash
# langchain-community 0.4.2: FacebookChatLoader joins messages in the order of the file. Facebook's export has the latest
# message first, so a conversation is read backwards: the answer "No." stands before its question, and of several
# answers a reader takes the oldest for the last.
# Exits 0 while this holds; output: "['No.', 'Shall we go?']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from pathlib import Path

from langchain_community.document_loaders import FacebookChatLoader

# As Facebook exports a chat: the latest message first, times in milliseconds.
MESSAGES = [
    {"sender_name": "Ann", "timestamp_ms": 1_700_000_060_000, "content": "No."},
    {"sender_name": "Bob", "timestamp_ms": 1_700_000_000_000, "content": "Shall we go?"},
]
participants = [{"name": "Ann"}, {"name": "Bob"}]
Path("message_1.json").write_text(json.dumps({"participants": participants, "messages": MESSAGES}))
(chat,) = FacebookChatLoader("message_1.json").load()
said = [line.split(": ")[1] for line in chat.page_content.splitlines() if line]
print(said)
raise SystemExit(said != ["No.", "Shall we go?"])
PYTHON
