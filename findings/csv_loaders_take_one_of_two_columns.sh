#!/usr/bin/env bash
# langchain-community 0.4.2 and llama-index-readers-file 0.7.0: CSVLoader and PagedCSVReader give "column: value"
# lines of a row, but of columns with the same name, as exports of address books, surveys and joins have
# them, only the last one's value. The first is in no document.
# Exits 0 while this holds; output: "CSVLoader: Name: Ada | Phone: 020 2; PagedCSVReader: Name: Ada | Phone: 020 2".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 llama-index-readers-file==0.7.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import CSVLoader
from llama_index.readers.file import PagedCSVReader

path = Path("contacts.csv")
path.write_text("Name,Phone,Phone\nAda,020 1,020 2\n", encoding="utf-8")
read = {
    "CSVLoader": CSVLoader(path).load()[0].page_content,
    "PagedCSVReader": PagedCSVReader().load_data(path)[0].text,
}
lines = {name: text.replace("\n", " | ") for name, text in read.items()}
print("; ".join(f"{name}: {line}" for name, line in lines.items()))
raise SystemExit({*lines.values()} != {"Name: Ada | Phone: 020 2"})
PYTHON
