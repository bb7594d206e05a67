#!/usr/bin/env bash
# untruncate-json 0.0.1 (npm) makes invalid JSON of whole JSON in which a string ends with an escape such as \u00e9:
# it takes the character behind for escaped, too, so that the quotation mark closes no string. Its README documents
# valid JSON for any start of JSON. Models and servers that write ASCII alone escape each accent so.
# Exits 0 while this holds; output: {"dish":"caf\u00e9"}"} for the whole, and {"dish":"caf\u00e9","open":[9} for a
# start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts untruncate-json@0.0.1 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const { default: untruncateJson } = require("untruncate-json");

const completed = {
  [String.raw`{"dish":"caf\u00e9"}`]: String.raw`{"dish":"caf\u00e9"}"}`,
  [String.raw`{"dish":"caf\u00e9","open":[9`]: String.raw`{"dish":"caf\u00e9","open":[9}`,
  '{"dish":"café"}': '{"dish":"café"}',
  '{"dish":"café","open":[9': '{"dish":"café","open":[9]}',
};
let same = true;
for (const [start, seen] of Object.entries(completed)) {
  const json = untruncateJson(start);
  console.log(start, "=>", json);
  same = same && json === seen;
}
process.exit(same ? 0 : 1);
JAVASCRIPT
node see.cjs
