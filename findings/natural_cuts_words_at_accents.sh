#!/usr/bin/env bash
# natural 8.1.1 (npm) cuts Latin words at accents and umlauts, but not Cyrillic ones: "Café" is "Caf", and "Zürich" two words.
# Its TfIdf, which uses that tokenizer, scores "café" as high in "Caf is closed" as in "Café is open". The one for Treebank
# makes three words of "Zürich". Its SentenceTokenizer ends a sentence in "example.com", and twice in "9 a.m.".
# Exits 0 while this holds; output: "Caf", "Z" and "rich"; equal scores; "Z", "ü" and "rich"; "See example." and "com at 9
# a."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts natural@8.1.1 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const natural = require("natural");

const index = new natural.TfIdf();
index.addDocument("Café is open");
index.addDocument("Caf is closed");
const [open, closed] = index.tfidfs("café");
const seen = [
  new natural.WordTokenizer().tokenize("Café Zürich Кафе"),
  new natural.TreebankWordTokenizer().tokenize("Zürich"),
  new natural.SentenceTokenizer([]).tokenize("See example.com at 9 a.m. today."),
];
console.log(JSON.stringify(seen), open, closed);
const expected = [
  ["Caf", "Z", "rich", "Кафе"],
  ["Z", "ü", "rich"],
  ["See example.", "com at 9 a.", "m.", "today."],
];
process.exit(JSON.stringify(seen) === JSON.stringify(expected) && open > 0 && open === closed ? 0 : 1);
JAVASCRIPT
node see.cjs
