#!/usr/bin/env bash
# @mastra/rag 2.6.4 (npm, @mastra/core 1.71.0): the strategy "markdown", which is documented as aware of Markdown, writes
# the regular expression "#{1,6}" of its own code for "##" in chunks, and leaves the mark out where a chunk begins, so
# that the level of no heading is known. It does so with comments in code. Chunks of JavaScript (strategy "recursive" with
# a language) begin without their "class" or "const".
# Exits 0 while this holds; output: "#{1,6} Rules", "install the tools", "Pool {" and "fee = 3;".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @mastra/rag@2.6.4 @mastra/core@1.71.0 > log 2>&1 || { cat log; exit 1; }
cat > see.mjs <<'JAVASCRIPT'
import { MDocument } from "@mastra/rag";

async function chunks(document, settings) {
  const found = (await document.chunk({ overlap: 0, ...settings })).map((chunk) => chunk.text);
  console.log(JSON.stringify(found));
  return found;
}
const headings = await chunks(
  MDocument.fromMarkdown("The pool opens at nine.\n\n## Rules\n\nDo not dive.\n\n### Fees\n\nThree euro.\n"),
  { strategy: "markdown", maxSize: 200 },
);
const comments = await chunks(
  MDocument.fromMarkdown("Run these commands:\n\n```bash\n# install the tools\nmake tools\n```\n"),
  { strategy: "markdown", maxSize: 40 },
);
const code = await chunks(
  MDocument.fromText("function open() {\n  return 9;\n}\nclass Pool {\n  close() { return 10; }\n}\nconst fee = 3;\n"),
  { strategy: "recursive", language: "js", maxSize: 40 },
);
const asStated =
  headings[0].includes("\n\n#{1,6} Rules\n\n") && headings[0].includes("\n\n#{1,6} Fees\n\n") &&
  comments[1].startsWith("install the tools") &&
  code[1].startsWith("Pool {") && code.at(-1) === "fee = 3;";
process.exit(asStated ? 0 : 1);
JAVASCRIPT
node see.mjs
