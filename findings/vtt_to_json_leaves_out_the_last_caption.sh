#!/usr/bin/env bash
# vtt-to-json 0.1.1 (npm) leaves out the last caption of a WebVTT file if a line end follows it, as in nearly all files: in
# its place is an empty part with the times of the first. The number above a caption, which WebVTT allows, is speech of
# the caption before, also in vtt-2-json 1.1.4. @aj-archipelago/subvibe 1.0.12 leaves out lines that are a number: "Room"
# above "42" is "Room", and "42" alone an empty text.
# Exits 0 while this holds; output: "Is it open?" and "" of two captions, "2" at the time of "Is it open?", "Room" and
# "".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts vtt-to-json@0.1.1 vtt-2-json@1.1.4 \
  @aj-archipelago/subvibe@1.0.12 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { parseVTT } from "@aj-archipelago/subvibe";
import second from "vtt-2-json";
import first from "vtt-to-json";

const caption = (start, text) => `00:00:0${start}.000 --> 00:00:0${start + 1}.000\n${text}`;
const write = (...captions) => `WEBVTT\n\n${captions.join("\n\n")}`;
const parts = async (read, text) => (await read(text)).map(({ start, part }) => [start, part]);
const plain = write(caption(1, "Is it open?"), caption(3, "Not today."));
const numbered = write(`1\n${caption(1, "Is it open?")}`, `2\n${caption(3, "Not today.")}`);
const seen = [
  await parts(first, `${plain}\n`),
  await parts(first, plain),
  await parts(first, numbered),
  await parts(second, numbered),
  parseVTT(write(caption(1, "Room\n42"), caption(3, "42"))).cues.map(({ text }) => text),
];
seen.forEach((each) => console.log(JSON.stringify(each)));
const expected = [
  [[1000, "Is it open?"], [1000, ""]],
  [[1000, "Is it open?"], [1000, ""], [3000, "Not today."]],
  [[1000, "Is it open?"], [1000, "2"], [3000, "Not today."]],
  [[1000, "Is it open?\n2"], [3000, "Not today."]],
  ["Room", ""],
];
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1);
JAVASCRIPT
node see.mjs
