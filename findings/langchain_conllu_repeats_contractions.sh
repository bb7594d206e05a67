#!/usr/bin/env bash
# langchain-community 0.4.2: CoNLLULoader writes a contraction and its parts ("zum zu dem"), puts a
# space before "?" if SpaceAfter=No is not alone in its column, and fails at a quotation mark.
# Exits 0 while this holds; output: "Er geht zum zu dem Hafen, oder ?", and IndexError for '"Gut."'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import CoNLLULoader

QUESTION = """\
# text = Er geht zum Hafen, oder?
1 Er er PRON _ _ 2 nsubj _ _
2 geht gehen VERB _ _ 0 root _ _
3-4 zum _ _ _ _ _ _ _ _
3 zu zu ADP _ _ 5 case _ _
4 dem der DET _ _ 5 det _ _
5 Hafen Hafen NOUN _ _ 2 obl _ SpaceAfter=No
6 , , PUNCT _ _ 7 punct _ _
7 oder oder CCONJ _ _ 2 discourse _ Gloss=or|SpaceAfter=No
8 ? ? PUNCT _ _ 2 punct _ _
"""
ANSWER = """\
# text = "Gut."
1 " " PUNCT _ _ 2 punct _ SpaceAfter=No
2 Gut gut ADJ _ _ 0 root _ SpaceAfter=No
3 . . PUNCT _ _ 2 punct _ SpaceAfter=No
4 " " PUNCT _ _ 2 punct _ _
"""


def load(sentence):
    lines = sentence.splitlines()
    lines = [line if line.startswith("#") else line.replace(" ", "\t") for line in lines]
    Path("sentence.conllu").write_text("\n".join([*lines, "", ""]))
    try:
        return CoNLLULoader("sentence.conllu").load()[0].page_content
    except IndexError:
        return "IndexError"


texts = [load(QUESTION), load(ANSWER)]
print(texts)
raise SystemExit(texts != ["Er geht zum zu dem Hafen, oder ?", "IndexError"])
PYTHON
