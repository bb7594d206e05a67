#!/usr/bin/env bash
# chonkie 1.7.0: Pipeline().process_with("markdown").chunk_with(...) makes chunks of the prose only. Tables and fenced
# code are in other lists of the document, so they are missing, without a message, when chunks are refined, exported or
# stored. Without process_with they are in the chunks.
# Exits 0 while this holds; output: "with it ['Prices:\n\n', '\nRun:\n\n', '\n\nThen wait.']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chonkie==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chonkie import Pipeline

TEXT = """Prices:

| Boat | Pounds |
|---|---|
| Gull | 7 |

Run:

```
open --slowly
```

Then wait."""


def chunks(pipeline):
    return [
        chunk.text
        for chunk in pipeline.chunk_with("recursive", chunk_size=100).run(texts=TEXT).chunks
    ]


plain, marked = chunks(Pipeline()), chunks(Pipeline().process_with("markdown"))
print(f"with it {marked}; without {plain}")
whole = "".join(plain) == TEXT
raise SystemExit(not whole or any(word in "".join(marked) for word in ("Gull", "slowly")))
PYTHON
