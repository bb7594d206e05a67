#!/usr/bin/env bash
# chrono-node 2.10.3 (npm) reads "Return it in 5 to 7 days" as from five to seven o'clock today, "Rest for 2 1/2 hours"
# as 2 January, and "5 days before Christmas" as five days ago. It knows "in 5 days" and "10 days before 1 June".
# Exits 0 while this holds; output of 15 May 2024: 15 May 05:00 to 15 May 07:00, 2 January, and 10 May.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund chrono-node@2.10.3 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import * as chrono from "chrono-node";

const now = new Date(2024, 4, 15, 12);
const texts = ["Return it in 5 to 7 days.", "Rest for 2 1/2 hours.", "Apply 5 days before Christmas."];
const name = (each) => each && `${each.get("month")}-${each.get("day")} ${each.get("hour")}:00`;
const found = texts.map((text) => chrono.parse(text, now).map(({ start, end }) => [name(start), name(end)]));
console.log(JSON.stringify(found));
const dates = [[["5-15 5:00", "5-15 7:00"]], [["1-2 12:00", null]], [["5-10 12:00", null]]];
process.exit(JSON.stringify(found) === JSON.stringify(dates) ? 0 : 1);
JAVASCRIPT
node see.mjs
