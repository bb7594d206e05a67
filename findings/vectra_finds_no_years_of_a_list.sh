#!/usr/bin/env bash
# vectra 0.15.0 (npm): the filter { year: { $in: [2023, 2024] } } finds nothing, and { year: { $nin: [2023] } } leaves
# nothing out: its types document both for "string or number", its code asks numbers for a part of a string. With $eq, or
# years as strings, it is right. queryItems returns no error.
# Exits 0 while this holds; output: 0 of 2 for $in, 3 instead of 2 for $nin, 1 for $eq, and 2 for strings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts vectra@0.15.0 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const path = require("node:path");
const { LocalIndex } = require("vectra");

(async () => {
  const index = new LocalIndex(path.join(process.cwd(), "index"));
  await index.createIndex();
  for (const year of [2022, 2023, 2024]) {
    await index.insertItem({ vector: [1, 0], metadata: { year, name: String(year) } });
  }
  const filters = [
    { year: { $in: [2023, 2024] } },
    { year: { $nin: [2023] } },
    { year: { $eq: 2023 } },
    { name: { $in: ["2023", "2024"] } },
  ];
  const counts = [];
  for (const filter of filters) {
    counts.push((await index.queryItems([1, 0], "", 10, filter)).length);
    console.log(JSON.stringify(filter), counts.at(-1));
  }
  process.exit(counts.join() === "0,3,1,2" ? 0 : 1);
})();
JAVASCRIPT
node see.cjs
