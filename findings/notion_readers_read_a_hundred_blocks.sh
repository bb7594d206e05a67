#!/usr/bin/env bash
# langchain-community 0.4.2 and llama-index-readers-notion 0.6.0: NotionDBLoader and NotionPageReader read the first
# hundred blocks (paragraphs, items, headings) of a page. Notion sends a hundred at a time and a cursor; both take
# the cursor for the ID of a block and ask for its children, instead of sending it as start_cursor.
# The second load of a database by one process has only its last hundred pages: the cursor of the first load stays
# in the default of a parameter. index(cleanup="full") then deletes the others.
# Exits 0 while this holds; output: "LangChain: 100 of 150 blocks, pages 150, then 50; LlamaIndex: 100 of 150 blocks, pages 150, then
# 50".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 llama-index-readers-notion==0.6.0 llama-index-core==0.14.25 requests==2.34.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from urllib.parse import parse_qs, urlsplit

import requests
from langchain_community.document_loaders import NotionDBLoader
from llama_index.readers.notion import NotionPageReader

AT_ONCE = 100  # as Notion sends them
PAGES = [{"id": f"page-{number}", "properties": {}} for number in range(150)]
BLOCKS = [
    {
        "id": f"block-{number}",
        "type": "paragraph",
        "has_children": False,
        "paragraph": {"rich_text": [{"type": "text", "text": {"content": f"Line {number}."}}]},
    }
    for number in range(150)
]


def answer(method, url, headers=None, json=None, timeout=None, params=None):
    """Answer as Notion's API does: children of the first page, none of blocks."""
    path = urlsplit(url)
    kind, name = path.path.split("/")[2:4]
    asked = {name: values[0] for name, values in parse_qs(path.query).items()}
    cursor = ((json or {}) if method == "POST" else {**asked, **(params or {})}).get("start_cursor")
    rows = PAGES if kind == "databases" else BLOCKS if name == "page-0" else []
    start = next((n for n, row in enumerate(rows) if row["id"] == cursor), 0)
    end = start + AT_ONCE
    more = end < len(rows)
    reply = {"results": rows[start:end], "has_more": more}
    return reply_of({**reply, "next_cursor": rows[end]["id"] if more else None})


def reply_of(value):
    response = requests.Response()
    response.status_code, response._content = 200, json.dumps(value).encode()
    return response


requests.request = answer
loader = NotionDBLoader("token", "database")
reader = NotionPageReader("token")
first = loader.load()
seen = {
    "LangChain": (first[0].page_content.count("Line"), len(first), len(loader.load())),
    "LlamaIndex": (
        reader.read_page("page-0").count("Line"),
        len(reader.query_database("database")),
        len(reader.query_database("database")),
    ),
}
print(
    "; ".join(
        f"{name}: {blocks} of {len(BLOCKS)} blocks, pages {before}, then {after}"
        for name, (blocks, before, after) in seen.items()
    )
)
raise SystemExit({*seen.values()} != {(100, 150, 50)})
PYTHON
