#!/usr/bin/env bash
# udsv 0.7.3 (npm) infers types of CSV. A column that begins with "No" and ends with "Yes" is boolean, and every other word in
# it is false: "Maybe", "Unknown" and "Only with a pass". In a column of numbers, a word is null, as is 1 000 with a space;
# room 012 is 12, and batch 1E3 is 1000. No error is raised. If "Maybe" is the last word, all are texts, as is right.
# Exits 0 while this holds; output: false, false, true for "No", "Maybe", "Yes"; 12, null, null and 1000.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund udsv@0.7.3 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { inferSchema, initParser } from "udsv";

const read = (...values) => {
  const csv = ["place,value", ...values.map((value) => `a,${value}`)].join("\n");
  return initParser(inferSchema(csv)).typedObjs(csv).map(({ value }) => value);
};
const seen = [
  read("No", "Maybe", "Yes"),
  read("No", "Only with a pass", "Yes"),
  read("No", "Yes", "Maybe"),
  read("012", "none", "1 000", "1E3"),
];
const expected = [
  [false, false, true],
  [false, false, true],
  ["No", "Yes", "Maybe"],
  [12, null, null, 1000],
];
seen.forEach((values) => console.log(JSON.stringify(values)));
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1);
JAVASCRIPT
node see.mjs
