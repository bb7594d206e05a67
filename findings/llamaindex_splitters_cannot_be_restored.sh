#!/usr/bin/env bash
# llama-index-core 0.14.25 with pydantic 2.14.4: SentenceSplitter, TokenTextSplitter and MarkdownNodeParser cannot be
# restored from the result of their to_dict or to_json. It writes a dict for the function that names nodes, "id_func",
# and reads a function alone. With pydantic 2.13.5 and 2.12.5 it is the same.
# Exits 0 while this holds; output: the three names, ": id_func, Input should be callable".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 pydantic==2.14.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter, TokenTextSplitter
from pydantic import ValidationError

failed, reasons = [], set()
for parser in (SentenceSplitter(), TokenTextSplitter(), MarkdownNodeParser()):
    for read, written in ((parser.from_dict, parser.to_dict()), (parser.from_json, parser.to_json())):
        try:
            read(written)
        except ValidationError as error:
            failed.append(type(parser).__name__)
            reasons |= {f"{each['loc'][0]}, {each['msg']}" for each in error.errors()}
print(f"{', '.join(dict.fromkeys(failed))}: {'; '.join(reasons)}")
raise SystemExit(len(failed) != 6 or reasons != {"id_func, Input should be callable"})
PYTHON
