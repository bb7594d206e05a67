#!/usr/bin/env bash
# langchain-community 0.4.2: SlackDirectoryLoader returns an empty text for a message of an app, which is in blocks or
# attachments, and keeps Slack's escapes: "R&amp;D", so that no search for R&D finds it.
# Exits 0 while this holds; output: "['R&amp;D meets at nine.', '', '']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import zipfile

from langchain_community.document_loaders import SlackDirectoryLoader

BLOCK = {"type": "section", "text": {"type": "mrkdwn", "text": "The release failed."}}
BOT = {"type": "message", "subtype": "bot_message", "text": "", "bot_id": "B1"}
MESSAGES = [
    {"type": "message", "user": "U1", "text": "R&amp;D meets at nine.", "ts": "1700000000.000100"},
    {**BOT, "blocks": [BLOCK], "ts": "1700000001.000100"},
    {**BOT, "attachments": [{"text": "Disk 4 is full.", "id": 1}], "ts": "1700000002.000100"},
]
with zipfile.ZipFile("export.zip", "w") as export:
    export.writestr("channels.json", json.dumps([{"id": "C1", "name": "general"}]))
    export.writestr("general/2023-11-14.json", json.dumps(MESSAGES))
texts = [document.page_content for document in SlackDirectoryLoader("export.zip").load()]
print(texts)
raise SystemExit(texts != ["R&amp;D meets at nine.", "", ""])
PYTHON
