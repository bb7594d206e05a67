#!/usr/bin/env bash
# words-to-numbers 1.5.1 (npm) adds the ends of a range: "between one hundred and two hundred" is "between 300". It reads the
# article as a number ("in a second" is "in 1 2") and "no one" as "no 1", and "one point five million" is null. "From one
# thousand to two thousand" is right.
# Exits 0 while this holds; output: "between 300", "in 1 2", "no 1 may enter", null and "from 1000 to 2000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts words-to-numbers@1.5.1 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const { wordsToNumbers } = require("words-to-numbers");

const texts = {
  "between one hundred and two hundred": "between 300",
  "in a second": "in 1 2",
  "no one may enter": "no 1 may enter",
  "one point five million": null,
  "from one thousand to two thousand": "from 1000 to 2000",
};
const seen = Object.keys(texts).map((text) => wordsToNumbers(text));
console.log(JSON.stringify(seen));
process.exit(JSON.stringify(seen) === JSON.stringify(Object.values(texts)) ? 0 : 1);
JAVASCRIPT
node see.cjs
