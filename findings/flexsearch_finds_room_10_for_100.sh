#!/usr/bin/env bash
# flexsearch 0.8.212 (npm) treats repeated letters and digits as one: by default, bus 11 is bus 1, room 100 is room 10,
# and of "built in 2000" and "built in 2200" each is found for the other with equal rank, even with "tokenize: strict".
# Exits 0 while this holds; output: room 10 and 100, bus 1 and 11, 2000 and 2200 for each question.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund flexsearch@0.8.212 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { Index } from "flexsearch";

const texts = ["Room 10", "Room 100", "Bus 1", "Bus 11", "Built in 2000", "Built in 2200"];
const index = new Index({ tokenize: "strict" });
texts.forEach((text, id) => index.add(id, text));
const questions = ["room 100", "bus 11", "2000"];
const found = {};
for (const question of questions) {
  found[question] = index.search(question).map((id) => texts[id]);
}
console.log(JSON.stringify(found));
const pairs = [texts.slice(0, 2), texts.slice(2, 4), texts.slice(4)];
const same = questions.every((question, at) => found[question].join() === pairs[at].join());
process.exit(same ? 0 : 1);
JAVASCRIPT
node see.mjs
