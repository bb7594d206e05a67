#!/usr/bin/env bash
# mailparser 3.14.2 (npm): the text of a mail in HTML alone joins the cells of a table without a space, as html-to-text
# 10.0.1 does by default: of 12 children for 5 euro it makes "125". With html-to-text's format "dataTable" they stay
# apart, and the caption is left out.
# Exits 0 while this holds; output: "ChildrenEuro125345" of a mail, and no caption.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mailparser@3.14.2 html-to-text@10.0.1 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { convert } from "html-to-text";
import { simpleParser } from "mailparser";

const rows = [["Children", "Euro"], [12, 5], [34, 5]].map((cells) => cells.map((cell) => `<td>${cell}</td>`).join(""));
const html = `<table><caption>Fees until May</caption>${rows.map((row) => `<tr>${row}</tr>`).join("")}</table>`;
const mail = ["From: pool@example.com", "Subject: Fees", "Content-Type: text/html; charset=utf-8", "", html];
const { text } = await simpleParser(mail.join("\r\n"));
const table = convert(html, { selectors: [{ selector: "table", format: "dataTable" }] });
console.log(JSON.stringify([text, convert(html), table]));
const glued = [text, convert(html)].every((each) => each.includes("ChildrenEuro125345"));
process.exit(glued && table.includes("12") && !table.includes("125") && !table.includes("Fees") ? 0 : 1);
JAVASCRIPT
node see.mjs
