#!/usr/bin/env bash
# okapibm25 1.4.1 (npm), an "implementation of the Okapi BM25 algorithm", a model of bags of words: it counts a keyword
# inside other words and numbers, as a regular expression. For "1" it ranks bus 11 above bus 1, for "pain" a text with
# two paintings above the one about pain, and for "3.5" room 345 has a score.
# Exits 0 while this holds; output: "Bus 11 to Rome", "Paintings of paintings" and "Room 345" first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund okapibm25@1.4.1 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const BM25 = require("okapibm25").default;

const first = {};
for (const [keyword, texts] of [
  ["1", ["Bus 1 to Rome", "Bus 11 to Rome", "Bus 2 to Rome"]],
  ["pain", ["Help for back pain", "paintings about paintings", "Fish soup"]],
  ["3.5", ["The fee is 3.5 euro", "Room 345", "Room 12"]],
]) {
  const ranked = BM25(texts, [keyword], undefined, (one, other) => other.score - one.score);
  console.log(keyword, JSON.stringify(ranked));
  first[keyword] = ranked[0].document;
}
const asStated =
  first["1"] === "Bus 11 to Rome" && first.pain === "paintings about paintings" && first["3.5"] === "Room 345";
process.exit(asStated ? 0 : 1);
JAVASCRIPT
node see.cjs
