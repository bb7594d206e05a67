#!/usr/bin/env bash
# langchain-community 0.4.2: DiscordChatLoader raises NameError for every table, because it imports pandas only for type
# checkers. With the name injected, it takes the column of IDs for the text, and the message for metadata. The table is
# as in a package of data that Discord gives its users.
# Exits 0 while this holds; output: "NameError: name 'pd' is not defined; then the text is '1066'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 pandas==2.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io

import pandas
from langchain_community.document_loaders import DiscordChatLoader, discord

TABLE = "ID,Timestamp,Contents,Attachments\n1066,2026-05-01 09:00:00,The ferry leaves at nine.,\n"
messages = pandas.read_csv(io.StringIO(TABLE), dtype=str)
try:
    DiscordChatLoader(messages)
except NameError as error:
    raised = str(error)
else:
    raised = ""
discord.pd = pandas
(document,) = DiscordChatLoader(messages).load()
print(f"NameError: {raised}; then the text is {document.page_content!r}")
assert document.metadata["Contents"] == "The ferry leaves at nine."
raise SystemExit(raised != "name 'pd' is not defined" or document.page_content != "1066")
PYTHON
