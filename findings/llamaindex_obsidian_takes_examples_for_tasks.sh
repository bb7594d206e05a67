#!/usr/bin/env bash
# llama-index-readers-obsidian 0.8.0: ObsidianReader with extract_tasks=True takes lines in a block of code for tasks,
# where a note shows how to write one, and does not state which tasks are done: "[x] Call Ann" is a task like "[ ] Pay".
# Exits 0 while this holds; output: "['Pay the rent', 'Call Ann', 'An example']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-obsidian==0.8.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from llama_index.readers.obsidian import ObsidianReader

Path("vault").mkdir()
NOTE = """# Plan

- [ ] Pay the rent
- [x] Call Ann

How to write a task:

```markdown
- [ ] An example
```
"""
Path("vault/plan.md").write_text(NOTE)
(document,) = ObsidianReader("vault", extract_tasks=True).load_data()
print(document.metadata["tasks"])
raise SystemExit(document.metadata["tasks"] != ["Pay the rent", "Call Ann", "An example"])
PYTHON
