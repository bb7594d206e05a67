#!/usr/bin/env bash
# media-captions 1.0.4 (npm) takes a "Comment:" line of SubStation Alpha (ASS), which players do not show, for a further
# line of the caption above it, with all its fields. A translator's note, or a removed line, then counts as speech. A
# comment above the first caption is left out. Its list of errors, which the script requests, is empty.
# Exits 0 while this holds; output: "Dogs may enter.\nComment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Wrong, cut it."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund media-captions@1.0.4 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { parseText } from "media-captions";

const comment = "Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Wrong, cut it.";
const file = [
  "[Script Info]",
  "ScriptType: v4.00+",
  "",
  "[V4+ Styles]",
  "Format: Name, Fontname, Fontsize",
  "Style: Default,Arial,20",
  "",
  "[Events]",
  "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
  comment,
  "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Dogs may enter.",
  comment,
  "Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,Cats may not.",
];
const { cues, errors } = await parseText(file.join("\n") + "\n", { type: "ass", errors: true });
const texts = cues.map(({ text }) => text);
console.log(JSON.stringify(texts), errors.length);
const seen = JSON.stringify(texts) === JSON.stringify([`Dogs may enter.\n${comment}`, "Cats may not."]);
process.exit(seen && !errors.length ? 0 : 1);
JAVASCRIPT
node see.mjs
