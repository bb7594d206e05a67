#!/usr/bin/env bash
# email-reply-parser 0.5.12 leaves out the writer's own words: everything from "On Friday we leave" to "Ann asked, and I
# wrote:", paragraphs apart, is taken for the header of a quote, and everything below for the quote. Prices below zero,
# each a line that begins with "-5", are taken for a signature. mail-parser-reply 1.36 keeps both.
# Exits 0 while this holds; output: "Hello," and "The lake has:".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  email-reply-parser==0.5.12 mail-parser-reply==1.36
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from email_reply_parser import EmailReplyParser
from mailparser_reply import EmailReplyParser as Other

PLAN = """Hello,

On Friday we leave at nine.
Bring boots.

Ann asked for the price, and I wrote:
five pounds.

The ferry does not sail at night."""
LAKE = """The lake has:

-5 at night
-3 at noon"""
seen = [EmailReplyParser.parse_reply(text) for text in (PLAN, LAKE)]
others = [Other(languages=["en"]).parse_reply(text) for text in (PLAN, LAKE)]
print(seen, others, sep="\n")
raise SystemExit(seen != ["Hello,", "The lake has:"] or others != [PLAN, LAKE])
PYTHON
