#!/usr/bin/env bash
# astchunk 0.1.0: a docstring, string or comment that alone has more characters, white space aside, than max_chunk_size
# is in no chunk. Only the quotation marks of the docstring stay, so a search does not find its words. Two lines of text
# exceed the README's size of 100.
# Exits 0 while this holds; output: "Python: def fee(boats): """ """ return 34 * boats; Java: class Harbour { int fee()
# { return 34; } }".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  astchunk==0.1.0 tree-sitter==0.26.1 tree-sitter-python==0.25.0 tree-sitter-java==0.23.5
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from astchunk import ASTChunkBuilder

RULE = """Never call this for boats that are drafts: the office charges
    them again, and nobody pays the money back. See rule 12 of the harbour."""
CODES = {
    "Python": f'def fee(boats):\n    """{RULE}"""\n    return 34 * boats\n',
    "Java": f"class Harbour {{\n    /* {RULE} */\n    int fee() {{ return 34; }}\n}}\n",
}

seen = {}
for language, code in CODES.items():
    builder = ASTChunkBuilder(
        max_chunk_size=100, language=language.lower(), metadata_template="default"
    )
    seen[language] = " ".join(" ".join(c["content"] for c in builder.chunkify(code)).split())
print("; ".join(f"{language}: {text}" for language, text in seen.items()))
raise SystemExit(
    seen
    != {
        "Python": 'def fee(boats): """ """ return 34 * boats',
        "Java": "class Harbour { int fee() { return 34; } }",
    }
)
PYTHON
