#!/usr/bin/env bash
# @solvers-hub/llm-json 0.1.11 (npm) finds no JSON in a reply if a string in it has a brace without its other half, as
# in code or a smiley: it counts braces within strings. It returns no error, and with attemptCorrection the same. The
# JSON standard (RFC 8259, section 7) lets braces stand in strings, and JSON.parse reads each of these.
# Exits 0 while this holds; output: 1 object for {"code":"f() {}"}, and 0 for {"code":"f() {"} and {"note":"No dogs
# :-}"}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @solvers-hub/llm-json@0.1.11 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const { LlmJson } = require("@solvers-hub/llm-json");

const found = { '{"code":"f() {}"}': 1, '{"code":"f() {"}': 0, '{"note":"No dogs :-}"}': 0 };
let same = true;
for (const [json, count] of Object.entries(found)) {
  JSON.parse(json);
  for (const attemptCorrection of [false, true]) {
    const { json: objects, text } = new LlmJson({ attemptCorrection }).extract("Here it is: " + json);
    console.log(json, objects.length, JSON.stringify(objects), JSON.stringify(text));
    same = same && objects.length === count;
  }
}
process.exit(same ? 0 : 1);
JAVASCRIPT
node see.cjs
