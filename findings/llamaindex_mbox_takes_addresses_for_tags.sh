#!/usr/bin/env bash
# llama-index-readers-file 0.7.0: MboxReader reads plain texts of mails as HTML, so that text in angle brackets is lost:
# addresses ("Ann <ann@boats.example>") and links, which RFC 3986 recommends to write so. Line ends go as well, so that
# quoted lines cannot be told from answers.
# Exits 0 while this holds; output: "Write to Ann or see ."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import mailbox
from email.message import EmailMessage
from pathlib import Path

from llama_index.readers.file import MboxReader

mail = EmailMessage()
mail["From"], mail["Subject"] = "Ben <ben@boats.example>", "Fares"
mail["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
mail.set_content(
    "Write to Ann <ann@boats.example>\nor see <https://boats.example/fares>.\n"
)
box = mailbox.mbox("a.mbox")
box.add(mailbox.mboxMessage(mail))
box.flush()
(document,) = MboxReader().load_data(Path("a.mbox"))
content = document.text.split("Content: ")[1]
print(content)
raise SystemExit(content.split() != ["Write", "to", "Ann", "or", "see", "."])
PYTHON
