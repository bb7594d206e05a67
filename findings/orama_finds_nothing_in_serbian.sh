#!/usr/bin/env bash
# @orama/orama 3.1.18 (npm) with the language "serbian" finds no word of a text in Cyrillic, and none in Sanskrit with
# "sanskrit": its tokenizer for each takes all such letters for spaces. In "nepali" it leaves out vowels at the ends of
# words, so that "husband" and "address" are one word. There is no error.
# Exits 0 while this holds; output: {"serbian":[],"sanskrit":[],"nepali":["पति","पता"]}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @orama/orama@3.1.18 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { create, insertMultiple, search } from "@orama/orama";

const cases = [
  ["serbian", ["Забрањено пливање", "Базен"], "пливање"],
  ["sanskrit", ["संस्कृत भाषा", "गृहम्"], "भाषा"],
  ["nepali", ["पति", "पता"], "पता"],
];
const found = {};
for (const [language, texts, term] of cases) {
  const store = create({ schema: { text: "string" }, language });
  await insertMultiple(store, texts.map((text) => ({ text })));
  found[language] = (await search(store, { term })).hits.map((hit) => hit.document.text);
}
console.log(JSON.stringify(found));
const none = found.serbian.length === 0 && found.sanskrit.length === 0;
process.exit(none && found.nepali.length === 2 ? 0 : 1);
JAVASCRIPT
node see.mjs
