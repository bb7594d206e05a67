"""Makes the table and the picture of README.md.

    python scripts/draw_readme.py             writes docs/assets/chunks.svg and README.md
    python scripts/draw_readme.py TABLES      first puts the tables of a file, as printed by
                                              benchmarks/passages.py, into docs/results.md
    python scripts/draw_readme.py --check     fails if they are out of date

The picture shows the real chunks of two splitters; recall is that of docs/results.md.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_lumber import BertTextSplitter

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "assets" / "chunks.svg"
RESULTS = ROOT / "docs" / "results.md"

TEXT = (
    "The harbour clock keeps two times. Its upper dial shows the hour, its lower dial the tide. "
    "Divers check both before they leave the quay. "
    "Rye bread needs a sour dough. Flour and water are left to ferment for three days. "
    "The loaf is baked in a falling oven, first very hot, then barely warm. "
    "A loose brake cable is easy to mend. Turn the barrel adjuster until the pads almost touch "
    "the rim. If they still drag, centre the caliper with the small screw. "
    "Bats find their way by sound. They call too high for our ears and listen to the echoes. "
    "A moth with soft scales can hide from them, because its wings return no echo."
)
COLUMNS = {
    "RecursiveCharacterTextSplitter(chunk_size=180)": RecursiveCharacterTextSplitter(
        chunk_size=180, chunk_overlap=0
    ),
    "BertTextSplitter(target_size=40)": BertTextSplitter(target_size=40),
}
BEST = "best chunks"  # in each column, the best row of other packages
# Rows of docs/results.md about plain texts and about Markdown, with the names to show.
READ = {
    ("chunks of langchain recursive",) * 2: "LangChain `RecursiveCharacterTextSplitter`, vectors",
    (f"{BEST}, and words",) * 2: "the best chunks of other splitters, vectors and keywords",
    ("", "chunks of a large language model (agentic), and words"): (
        "chunks that a large language model made, vectors and keywords"
    ),
    ("passages, with context",) * 2: "**`PassageRetriever`**",
}

TABLE = re.compile(
    r"^\*\*(?P<title>Passages, [^*\n]+)\*\* \((?P<questions>\d+) questions\)\n\n"
    r"retriever [^\n]*\n[-| ]+\n(?P<rows>(?:[^\n]+\n)+)",
    re.MULTILINE,
)
_COLUMN_WIDTH = 46  # characters
_CHARACTER, _LINE, _PADDING = 7.4, 19, 16
_STYLE = """
.page{fill:#ffffff;stroke:#d5d9de}
text{font:12.3px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}
.title{font-weight:600}
.c0{fill:#cfe3ff}.c1{fill:#ffe2bd}.c2{fill:#d3f0d0}.c3{fill:#f3d3ea}
@media (prefers-color-scheme:dark){
.page{fill:#16191d;stroke:#3a4048}
text{fill:#e6e9ed}
.c0{fill:#1d3f6e}.c1{fill:#6a431a}.c2{fill:#23542a}.c3{fill:#5d2b52}
}
"""


def picture(chunks: Mapping[str, Sequence[str]]) -> str:
    """Return an SVG with a column of chunks for each splitter."""
    body: list[str] = []
    column = _COLUMN_WIDTH * _CHARACTER
    bottom = 0.0
    for number, (title, texts) in enumerate(chunks.items()):
        left = _PADDING + number * (column + 2 * _PADDING)
        top = 2.0 * _PADDING
        body.append(f'<text class="title" x="{left:.1f}" y="{top - 6:.1f}">{escape(title)}</text>')
        for index, chunk in enumerate(texts):
            lines = textwrap.wrap(" ".join(chunk.split()), _COLUMN_WIDTH)
            box = len(lines) * _LINE + 8
            top += 8
            body.append(
                f'<rect class="c{index % 4}" x="{left - 6:.1f}" y="{top:.1f}" rx="4" '
                f'width="{column + 12:.1f}" height="{box}"/>'
            )
            body.extend(
                f'<text x="{left:.1f}" y="{top + 17 + row * _LINE:.1f}">{escape(line)}</text>'
                for row, line in enumerate(lines)
            )
            top += box
        bottom = max(bottom, top)
    width, height = len(chunks) * (column + 2 * _PADDING), bottom + _PADDING
    counts = "; ".join(f"{title} makes {len(texts)}" for title, texts in chunks.items())
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">\n'
        f"<title>{escape(f'The same text in chunks: {counts}')}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" '
        'rx="6"/>\n' + "\n".join([*body, "</svg>", ""])
    )


def passages_table(results: str) -> str:
    """Return the table of recall in README.md, from the tables of passages in docs/results.md."""
    columns = [
        table_of(results, f"Passages, {title}") for title in ("plain texts", "RAG-Multi-Corpus")
    ]
    lines = [
        "| Retrieved | Plain texts, 150 words | 600 words | Markdown, 150 words | 600 words |",
        "| --- | --- | --- | --- | --- |",
    ]
    for names, label in READ.items():
        cells = [
            f"{recall(rows, name, at):.2f}" if name else ""
            for name, (rows, _) in zip(names, columns, strict=True)
            for at in (1, 3)
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    counts = [count for _, count in columns]
    lines += [
        "",
        f"Means over {counts[0]} questions about plain texts and {counts[1]} about Markdown, with "
        "the bundled embedding model.",
        "The second row has the best of the other splitters in each column, at its best of three "
        "sizes.",
        "Words include headings.",
    ]
    return "\n".join(lines)


def recall(rows: Mapping[str, Sequence[str]], name: str, at: int) -> float:
    """Return a recall of a row, or of the best row of chunks of other packages."""
    if not name.startswith(BEST):
        return float(rows[name][at])
    ending = name.removeprefix(BEST)
    return max(
        float(row[at])
        for row_name, row in rows.items()
        if row_name.startswith("chunks of ")
        and "language model" not in row_name
        and row_name.endswith(", and words") == bool(ending)
    )


def table_of(results: str, title: str) -> tuple[dict[str, list[str]], str]:
    """Return the rows of a table of passages by their first cells, and its questions."""
    match = next((table for table in TABLE.finditer(results) if table["title"] == title), None)
    if match is None:
        raise ValueError(f"{RESULTS} has no table of {title}")
    rows = [[cell.strip() for cell in line.split("|")] for line in match["rows"].splitlines()]
    return {row[0]: row for row in rows}, match["questions"]


def with_tables(results: str, printed: str) -> str:
    """Return docs/results.md with the printed figures in the rows that its tables already have."""
    tables = {table["title"]: table for table in TABLE.finditer(printed)}

    def renew(match: re.Match[str]) -> str:
        if match["title"] not in tables:
            return match[0]
        table = tables[match["title"]]
        cells = {line.partition(" |")[0] for line in match["rows"].splitlines()}
        rows = [line for line in table["rows"].splitlines(True) if line.partition(" |")[0] in cells]
        return table[0].replace(table["rows"], "".join(rows))

    return TABLE.sub(renew, results)


def with_table(page: str, table: str) -> str:
    """Return a page with a new table between the two marks."""
    pattern = re.compile(r"(<!-- passages: .*? -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"{README} has no place for the table of passages")
    return pattern.sub(lambda match: f"{match[1]}{table}\n{match[2]}", page, count=1)


def main(arguments: Sequence[str]) -> None:
    """Write the files, or check them."""
    results = RESULTS.read_text(encoding="utf-8")
    contents = {}
    if arguments and arguments != ["--check"]:
        results = with_tables(results, Path(arguments[0]).read_text(encoding="utf-8"))
        contents[RESULTS] = results
    contents[PICTURE] = picture({name: column.split_text(TEXT) for name, column in COLUMNS.items()})
    contents[README] = with_table(README.read_text(encoding="utf-8"), passages_table(results))
    for path, content in contents.items():
        if path.read_text(encoding="utf-8") == content:
            continue
        if arguments == ["--check"]:
            sys.exit(f"{path.name} is out of date: run python scripts/draw_readme.py")
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
