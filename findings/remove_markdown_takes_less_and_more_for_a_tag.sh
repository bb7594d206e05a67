#!/usr/bin/env bash
# remove-markdown 0.7.0 (npm) takes what stands between "<" and ">" for a tag: of "Dives of < 18 m need no permit, dives
# of > 30 m need two." it leaves "Dives of 30 m need two." In Markdown neither is a tag. The text of a note is left out
# as well.
# Exits 0 while this holds; output: "Dives of 30 m need two." and "The pool is open."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund remove-markdown@0.7.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import removeMarkdown from "remove-markdown";

const dives = removeMarkdown("Dives of < 18 m need no permit, dives of > 30 m need two.");
const note = removeMarkdown("The pool is open.[^1]\n\n[^1]: Not on Monday.").trim();
console.log(JSON.stringify([dives, note]));
process.exit(dives === "Dives of  30 m need two." && note === "The pool is open." ? 0 : 1);
JAVASCRIPT
node see.mjs
