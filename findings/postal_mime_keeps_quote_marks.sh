#!/usr/bin/env bash
# postal-mime 4.0.0 (npm) joins the lines of a quote in a mail with "format=flowed", and leaves the mark ">" of each
# line inside the text, where it is read as "more than": "children of 5 > 7 of them come". A list of HTML becomes one of
# stars: clause 5 has no number.
# Exits 0 while this holds; output: "> The pool is open to children of 5 > 7 of them come > today." and "* Do not dive."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund postal-mime@4.0.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import PostalMime from "postal-mime";

const head = "From: pool@example.com\r\nSubject: Pool\r\nMIME-Version: 1.0\r\n";
const type = "Content-Type: text/plain; charset=utf-8; format=flowed\r\n\r\n";
const quote = "> The pool is open to children of 5 \r\n> 7 of them come \r\n> today.\r\n";
const flowed = (await PostalMime.parse(head + type + quote)).text.trim();
const html = '<ol start="5"><li>Do not dive.</li></ol>';
const texts = [`text/html\r\n\r\n${html}`, "text/plain\r\n\r\nThe pool"];
const parts = texts.map((text) => `--b\r\nContent-Type: ${text}\r\n`);
const mixed = `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`;
const list = (await PostalMime.parse(mixed)).text.trim();
console.log(JSON.stringify([flowed, list]));
const marks = flowed === "> The pool is open to children of 5 > 7 of them come > today.";
process.exit(marks && list.startsWith("* Do not dive.") ? 0 : 1);
JAVASCRIPT
node see.mjs
