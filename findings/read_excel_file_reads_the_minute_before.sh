#!/usr/bin/env bash
# read-excel-file 9.3.17 (npm) cuts the fraction of a day to milliseconds instead of rounding it: 13:45 in an XLSX is a
# Date of 13:44:59.999, so that its hours and minutes are those of the minute before. Of the 1440 minutes of 1 May 2024,
# 448 are so, each stored as the closest number there is. exceljs 4.4.0 reads all of them as they are.
# Exits 0 while this holds; output: 2024-05-01T13:44:59.999Z, 448 of 1440, and 0 of 1440.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund read-excel-file@9.3.17 exceljs@4.4.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import exceljs from "exceljs";
import { readSheet } from "read-excel-file/node";

const MINUTES = 1440; // of a day
const MAY_1 = 45413; // days since the start of 1900 as spreadsheets count them
const written = new exceljs.Workbook();
const column = written.addWorksheet("Times").getColumn(1);
column.values = Array.from({ length: MINUTES }, (_, minute) => (MAY_1 * MINUTES + minute) / MINUTES);
column.numFmt = "yyyy-mm-dd hh:mm";
await written.xlsx.writeFile("times.xlsx");
const reread = new exceljs.Workbook();
await reread.xlsx.readFile("times.xlsx");

const times = (await readSheet("times.xlsx")).map(([time]) => time);
const others = reread.worksheets[0].getColumn(1).values.slice(1);
const isOther = (time, minute) => time.getUTCHours() * 60 + time.getUTCMinutes() !== minute;
const counts = [times.filter(isOther).length, others.filter(isOther).length];
const quarterToTwo = times[13 * 60 + 45].toISOString();
console.log(quarterToTwo, counts, times.length, others.length);
const seen = quarterToTwo === "2024-05-01T13:44:59.999Z" && counts.join() === "448,0";
process.exit(seen && times.length === MINUTES && others.length === MINUTES ? 0 : 1);
JAVASCRIPT
node see.mjs
