#!/usr/bin/env bash
# @langchain/textsplitters 1.0.2 (npm): CharacterTextSplitter states for a chunk with two blank lines in it lines that the
# text does not have, in metadata.loc, from which citations are made: it joins the parts with one blank line,
# searches for that in the text, and counts on from where it finds nothing.
# Exits 0 while this holds; output: "lines 14 to 19 of 14; lines 23 to 25 of 14".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @langchain/textsplitters@1.0.2 @langchain/core@1.4.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { CharacterTextSplitter } from "@langchain/textsplitters";

const text = `Open at nine.
Closed on Sunday.



Dogs are free.

Cats pay.



Eels swim.

Bring a coat.`;
const splitter = new CharacterTextSplitter({ chunkSize: 60, chunkOverlap: 0 });
const chunks = await splitter.createDocuments([text]);
const lines = chunks.map((chunk) => chunk.metadata.loc.lines);
const most = text.split("\n").length;
console.log(lines.map(({ from, to }) => `lines ${from} to ${to} of ${most}`).join("; "));
const right = lines.every(({ to }) => to <= most);
process.exit(right || text.includes(chunks[0].pageContent) ? 1 : 0);
JAVASCRIPT
node see.mjs
