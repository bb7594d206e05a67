#!/usr/bin/env bash
# @iarna/rtf-to-html 1.1.0 (npm) leaves out a last paragraph that is not closed with \par, which RTF does not ask for. It
# glues the cells of a table ("9-12" and "14-18" are "9-1214-18"), puts a footnote amid the text ("Fee 5" with note 1 is "Fee
# 511 Only on Mondays."), and keeps words that are tracked as deleted, or hidden.
# Exits 0 while this holds; output: "Open." of "Open." and "No dogs.", "9-1214-18", "Fee 511 Only on Mondays." and "Do
# not swim now" for "Do swim".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @iarna/rtf-to-html@1.1.0 > log 2>&1 || { cat log; exit 1; }
cat > see.cjs <<'JAVASCRIPT'
const rtf = require("@iarna/rtf-to-html");

const texts = {
  "{\\rtf1\\ansi Open.\\par No dogs.}": "Open.",
  "{\\rtf1\\ansi\\trowd\\cellx1000\\cellx2000\\intbl 9-12\\cell 14-18\\cell\\row\\pard\\par}": "9-1214-18",
  "{\\rtf1\\ansi Fee 5{\\super 1}{\\footnote {\\super 1} Only on Mondays.}\\par}": "Fee 511 Only on Mondays.",
  "{\\rtf1\\ansi Do {\\deleted not }swim{\\v  now}\\par}": "Do not swim now",
};
const read = (text) => new Promise((resolve, reject) => {
  rtf.fromString(text, (error, html) => (error ? reject(error) : resolve(html)));
});

(async () => {
  const seen = [];
  for (const text of Object.keys(texts)) {
    const body = (await read(text)).split("<body>")[1].split("</body>")[0];
    seen.push(body.replace(/<[^>]*>/g, "").trim());
  }
  console.log(JSON.stringify(seen));
  process.exit(JSON.stringify(seen) === JSON.stringify(Object.values(texts)) ? 0 : 1);
})();
JAVASCRIPT
node see.cjs
