#!/usr/bin/env bash
# parse-duration 2.1.9 and timestring 7.0.0 (npm) read every number of a text and add them. Asked for hours, the first reads
# "1/2 hour" as 3 and "1 1/2 hours" as 13, the second as 12 and 112. A pause of "2-3 hours" is 5 hours, or 3; one of
# "2h – 3h" is 5. Asked for nothing, parse-duration adds milliseconds: "1/2 hour" is 7200001. No error is raised.
# Exits 0 while this holds; output: 3 and 12, 13 and 112, 5 and 3, 5 and 5; "1.5 hours" is 1.5 with both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts parse-duration@2.1.9 timestring@7.0.0 > log 2>&1 \
  || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import parse from "parse-duration";
import timestring from "timestring";

const texts = ["1/2 hour", "1 1/2 hours", "2-3 hours", "2h – 3h", "1.5 hours"];
const seen = texts.map((text) => [parse(text, "hour"), timestring(text, "hours")]);
texts.forEach((text, place) => console.log(text, ...seen[place]));
const expected = [[3, 12], [13, 112], [5, 3], [5, 5], [1.5, 1.5]];
const milliseconds = parse("1/2 hour");
console.log(milliseconds);
process.exit(JSON.stringify(seen) === JSON.stringify(expected) && milliseconds === 7200001 ? 0 : 1);
JAVASCRIPT
node see.mjs
