#!/usr/bin/env bash
# subsrt 1.1.1 (npm) reads a SubRip file with line ends of Unix as one caption: numbers and times of all others are in
# its text, and everything is shown for the second of the first. With line ends of Windows it reads three captions. What
# stands in braces, such as {name}, is left out of both.
# Exits 0 while this holds; output: "captions: 1 and 3", the one from 1000 to 2000 ms, with "00:00:05,000 -->
# 00:00:06,000" in its text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund subsrt@1.1.1 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import subsrt from "subsrt";

const srt = `1
00:00:01,000 --> 00:00:02,000
Do not swim.

2
00:00:03,000 --> 00:00:04,000
Call {name}.

3
00:00:05,000 --> 00:00:06,000
Bring boats.
`;
const unix = subsrt.parse(srt);
const windows = subsrt.parse(srt.replaceAll("\n", "\r\n"));
console.log(`captions: ${unix.length} and ${windows.length}; the first: ${JSON.stringify(unix[0])}`);
const joined = unix.length === 1 && unix[0].end === 2000 && unix[0].text.includes("00:00:05,000");
process.exit(joined && windows.length === 3 && windows[1].text.trim() === "Call ." ? 0 : 1);
JAVASCRIPT
node see.mjs
