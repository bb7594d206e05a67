#!/usr/bin/env bash
# wtf_wikipedia 10.4.2 (npm) replaces the templates "val" and "convert", which it knows, by less than their content: of
# 5.3 million kg and of 5.3 millionths it makes "5.3 kg", of "20 to 25 m" (val) "20 m", of "6 ft 2 in" "6 ft", and of "5
# by 7 m" "5 by". Templates that it does not know, it leaves out, as documented.
# Exits 0 while this holds; output: "5.3 kg", "5.3 kg", "20 m", "6 ft" and "5 by".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts wtf_wikipedia@10.4.2 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import wtf from "wtf_wikipedia";

const expected = {
  "{{val|5.3|e=6|u=kg}}": "5.3 kg",
  "{{val|5.3|e=-6|u=kg}}": "5.3 kg",
  "{{val|20|-|25|u=m}}": "20 m",
  "{{convert|6|ft|2|in|m}}": "6 ft",
  "{{convert|5|by|7|m}}": "5 by",
};
let asStated = true;
for (const [template, seen] of Object.entries(expected)) {
  const text = wtf(`It is ${template} in all.`).text();
  console.log(template, JSON.stringify(text));
  asStated &&= text === `It is ${seen} in all.`;
}
process.exit(asStated ? 0 : 1);
JAVASCRIPT
node see.mjs
