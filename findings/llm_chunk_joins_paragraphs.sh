#!/usr/bin/env bash
# llm-chunk 0.0.1 (npm), by default, joins paragraphs of a chunk without anything between them: "Room 12" above "34
# seats" is "Room 1234 seats", and the last word of a paragraph is one with the first of the next.
# Exits 0 while this holds; output: ["Room 1234 seats are free.","Bring a coat."].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund llm-chunk@0.0.1 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { chunk } from "llm-chunk";

const chunks = chunk("Room 12\n\n34 seats are free.\n\nBring a coat.");
console.log(JSON.stringify(chunks));
process.exit(chunks.join("") === "Room 1234 seats are free.Bring a coat." ? 0 : 1);
JAVASCRIPT
node see.mjs
