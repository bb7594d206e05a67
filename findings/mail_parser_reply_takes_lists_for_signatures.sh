#!/usr/bin/env bash
# mail-parser-reply 1.36 takes a line that begins with a hyphen for a signature, and leaves it and all below out of `body`:
# "Bring:" has neither its list nor the "Do not dive." under it, and a forecast ends before "-5 degrees". EmailReplyParser
# has no setting for that; with EmailMessage's keep_hyphen_lists both are there, but a mail still ends at a line "Sent from
# my office in May."
# Exits 0 while this holds; output: "Bring:", "Tonight:" and "The parcel was".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mail-parser-reply==1.36
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from mailparser_reply import EmailMessage, EmailReplyParser

MAILS = (
    "Bring:\n- a towel\n- 5 euro\n\nDo not dive.",
    "Tonight:\n-5 degrees.\n\nStay in.",
    "The parcel was\nSent from my office in May.\nIt has not come.",
)
parser = EmailReplyParser(languages=["en"])
plain = [parser.read(text=mail).replies[0].body for mail in MAILS]
messages = [EmailMessage(text=mail, languages=["en"], keep_hyphen_lists=True) for mail in MAILS]
kept = [message.read().replies[0].body for message in messages]
print(plain, kept)
cut = plain == ["Bring:", "Tonight:", "The parcel was"]
raise SystemExit(not cut or kept != [*MAILS[:2], "The parcel was"])
PYTHON
