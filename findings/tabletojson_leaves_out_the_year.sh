#!/usr/bin/env bash
# tabletojson 4.1.15 (npm) takes the header cell at the start of each row for the name of a column, in the place of the one
# above: below the header "2023", the row "Dogs" with 5 is { Dogs: 5 }, and the year is nowhere. Behind a cell that spans
# columns, a value moves to another name: 80 is a loan of 2023, not of 2024. Lines, items and paragraphs of a cell are glued.
# It does read cells that span rows.
# Exits 0 while this holds; output: { Dogs: "5" }, { Item: "Loans", 2023: "80" } and "9-1214-18".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tabletojson@4.1.15 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { tabletojson } from "tabletojson";

const hours = ["9-12<br>14-18", "<ul><li>9-12</li><li>14-18</li></ul>", "<p>9-12</p><p>14-18</p>"];
const tables = {
  years: "<tr><th></th><th>2023</th></tr><tr><th>Dogs</th><td>5</td></tr>",
  loans: '<tr><th>Item</th><th>2023</th><th>2024</th></tr><tr><td colspan="2">Loans</td><td>80</td></tr>',
  hours: `<tr><th>Hours</th></tr>${hours.map((cell) => `<tr><td>${cell}</td></tr>`).join("")}`,
};
const seen = Object.values(tables).map((rows) => tabletojson.convert(`<table>${rows}</table>`)[0]);
seen.forEach((rows) => console.log(JSON.stringify(rows)));
const expected = [
  [{ Dogs: "5" }],
  [{ 2023: "80", Item: "Loans" }],
  [{ Hours: "9-1214-18" }, { Hours: "9-1214-18" }, { Hours: "9-1214-18" }],
];
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1);
JAVASCRIPT
node see.mjs
