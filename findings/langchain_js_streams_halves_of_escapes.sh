#!/usr/bin/env bash
# @langchain/core 1.4.0 (npm): JsonOutputParser, which streams objects while a reply arrives, shows "cafu00" if a piece
# ends inside the escape of "café" (caf\u00e9), as tokens do in replies in ASCII. Shown text is replaced later, although
# a text otherwise only grows. LangChain for Python (langchain-core 1.8.3) waits for the end of an escape.
# Exits 0 while this holds; output: {"dish":"cafu00"}, then {"dish":"café"}; in Python {} and {'dish': 'café'}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @langchain/core@1.4.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { JsonOutputParser } from "@langchain/core/output_parsers";

async function* pieces() {
  yield String.raw`{"dish":"caf\u00`;
  yield 'e9"}';
}
const shown = [];
for await (const object of new JsonOutputParser().transform(pieces(), {})) shown.push(JSON.stringify(object));
console.log(shown.join(" "));
process.exit(shown.join(" ") === '{"dish":"cafu00"} {"dish":"café"}' ? 0 : 1);
JAVASCRIPT
node see.mjs
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.output_parsers import JsonOutputParser

shown = list(JsonOutputParser().transform(iter([r'{"dish":"caf\u00', 'e9"}'])))
print(*shown)
raise SystemExit(shown != [{}, {"dish": "café"}])
PYTHON
