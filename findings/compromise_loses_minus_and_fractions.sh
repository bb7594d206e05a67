#!/usr/bin/env bash
# compromise 14.17.0 (npm): numbers() reads 5 of "-5 degrees", and "warmer by one" is "-6 degrees". Of "1/2 cup" it
# reads 1, and one more is "2/2 cup". Of "nineteen eighty-four" it makes three numbers. In words, "minus five degrees",
# it is right.
# Exits 0 while this holds; output: [5,"It is -6 degrees."], [1,"Take 2/2 cup."] and [-5,"It is minus four degrees."].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund compromise@14.17.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import nlp from "compromise";

const texts = ["It is -5 degrees.", "Take 1/2 cup.", "It is minus five degrees."];
const seen = texts.map((text) => [nlp(text).numbers().get()[0], nlp(text).numbers().add(1).all().text()]);
const year = nlp("in nineteen eighty-four").numbers().get();
console.log(JSON.stringify(seen), JSON.stringify(year));
const so = [[5, "It is -6 degrees."], [1, "Take 2/2 cup."], [-5, "It is minus four degrees."]];
process.exit(JSON.stringify(seen) === JSON.stringify(so) && year.length === 3 ? 0 : 1);
JAVASCRIPT
node see.mjs
