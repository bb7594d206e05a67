#!/usr/bin/env bash
# @plussub/srt-vtt-parser 2.0.5 (npm) states no end (null) for a caption whose times are without hours, as WebVTT
# allows, if settings such as "align:start" stand behind them. With hours, or without settings, it states the end.
# Exits 0 while this holds; output: [[1000,null],[3000,4500],[5000,6000]].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @plussub/srt-vtt-parser@2.0.5 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { parse } from "@plussub/srt-vtt-parser";

const times = [
  "00:01.000 --> 00:02.000 align:start",
  "00:03.000 --> 00:04.500",
  "00:00:05.000 --> 00:00:06.000 align:start",
];
const { entries } = parse(["WEBVTT", ...times.map((time) => `${time}\nDo not swim.`)].join("\n\n") + "\n");
const seen = JSON.stringify(entries.map(({ from, to }) => [from, to]));
console.log(seen);
process.exit(seen === "[[1000,null],[3000,4500],[5000,6000]]" ? 0 : 1);
JAVASCRIPT
node see.mjs
