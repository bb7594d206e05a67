"""Draws the picture, and makes the tables and the text around figures, of README.md and docs/.

    python scripts/draw_readme.py           writes docs/assets/chunks.svg and the pages' blocks
    python scripts/draw_readme.py --time    measures the speeds first (a minute)
    python scripts/draw_readme.py --check   fails if they are out of date

The picture shows the real chunks of two splitters. Recall is copied from docs/results.md, speeds
from docs/assets/speeds.json, which `--time` writes, and megabytes from docs/assets/extras.json,
which `scripts/measure_extras.py` writes. A page has a block wherever it says
`<!-- NAME: made by ... -->`, up to `<!-- end -->`; the names are those of `blocks`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from xml.sax.saxutils import escape

from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_lumber import BertTextSplitter
from lumber_core import BertChunker, GreedyChunker, LayoutChunker, token_counter

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "choosing.md", ROOT / "docs" / "installing.md")
PICTURE = ROOT / "docs" / "assets" / "chunks.svg"
SPEEDS = ROOT / "docs" / "assets" / "speeds.json"
EXTRAS = ROOT / "docs" / "assets" / "extras.json"
RESULTS = ROOT / "docs" / "results.md"
STORY = ROOT / "examples" / "data" / "the_tide_clock.txt"

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
# Rows of docs/results.md, of plain texts and of Markdown, with the names to show.
READ = {
    ("chunks of langchain recursive",) * 2: "LangChain `RecursiveCharacterTextSplitter`, vectors",
    ("chunks of semchunk", "chunks of semantic-text-splitter"): (
        "the best chunks of other splitters, vectors"
    ),
    ("chunks of semantic-text-splitter, and words", "chunks of llamaindex sentence, and words"): (
        "the best chunks of other splitters, vectors and keywords"
    ),
    ("ParentDocumentRetriever",) * 2: "LangChain `ParentDocumentRetriever`",
    ("SentenceWindowNodeParser",) * 2: "LlamaIndex `SentenceWindowNodeParser`",
    ("AutoMergingRetriever",) * 2: "LlamaIndex `AutoMergingRetriever`",
    ("passages, without words",) * 2: "`PassageRetriever(keywords=False)`",
    ("passages",) * 2: "**`PassageRetriever`**",
}
COMPARED = {
    "chonkie recursive": "chonkie `RecursiveChunker`",
    "semantic-text-splitter": "semantic-text-splitter",
    "langchain recursive": "LangChain `RecursiveCharacterTextSplitter`",
    "llamaindex sentence": "LlamaIndex `SentenceSplitter`",
    "semchunk": "semchunk",
    "chonkie semantic": "chonkie `SemanticChunker`",
    "llamaindex semantic": "LlamaIndex `SemanticSplitterNodeParser`",
    "langchain semantic": "LangChain `SemanticChunker`",
}
FOR = {
    "": "every splitter; Bert's models and the encoder are bundled",
    "langchain": "`langchain_lumber`",
    "llama-index": "`llamaindex_lumber`",
    "cli": "the command `lumber-splitters`, which reads HTML, PDF and DOCX",
    "documents": "`lumber_files`: HTML, PDF, DOCX and other encodings",
    "tiktoken": "exact tokens of OpenAI's models",
    "openai": "language and embedding models of OpenAI or any server with its API",
    "gemini": "Google's language models",
    "gemini-legacy": "the same with the retired package `google-generativeai`",
    "evaluation": "comparisons, reports, Parquet",
    "hub": "models and corpora from the Hugging Face hub",
    "sentence-transformers": "embedding models of sentence-transformers in comparisons",
    "torch": "language models and checkpoints on this machine; PyTorch for the CPU",
    "train": "training a classifier of your own",
    "gpu": "Bert's large model on an NVIDIA GPU",
    "ray": "corpora larger than one machine",
}
"""What each extra is for."""
ROUNDS = 3
SAMPLE = 10_000  # characters of the story

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
    """Return an SVG with the chunks of each splitter in a column of their own."""
    body: list[str] = []
    column = _COLUMN_WIDTH * _CHARACTER
    bottom = 0.0
    for number, (title, found) in enumerate(chunks.items()):
        left = _PADDING + number * (column + 2 * _PADDING)
        top = 2.0 * _PADDING
        body.append(f'<text class="title" x="{left:.1f}" y="{top - 6:.1f}">{escape(title)}</text>')
        for index, chunk in enumerate(found):
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
    width = len(chunks) * (column + 2 * _PADDING)
    height = bottom + _PADDING
    label = "The same text in chunks: " + "; ".join(
        f"{title} makes {len(found)}" for title, found in chunks.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">\n<title>{escape(label)}</title>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" '
        'rx="6"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def passages_table(results: str) -> str:
    """Return the table of what a reader gets, from the tables of passages in docs/results.md.

    Raises:
        ValueError: The tables are not there.
    """
    columns = [
        table_of(
            results,
            rf"Passages, {title}\*\* \((\d+) questions\)\n\nretriever \| ",
            f"passages of {title}",
        )
        for title in ("plain texts", "RAG-Multi-Corpus")
    ]
    lines = [
        "| Retrieved | Plain texts | Markdown | Words of each text |",
        "| --- | --- | --- | --- |",
    ]
    for names, shown in READ.items():
        found = [rows[name] for name, (rows, _) in zip(names, columns, strict=True)]
        recall = [f"{float(row[2]):.2f}" for row in found]
        words = " and ".join(dict.fromkeys(row[4] for row in found))
        lines.append(f"| {shown} | {' | '.join(recall)} | {words} |")
    counts = [count for _, count in columns]
    gains = [rows["passages"][5].replace("+", "") for rows, _ in columns]
    lines += [
        "",
        f"Mean over {counts[0]} questions about plain texts and {counts[1]} about Markdown; all "
        "with the bundled embedding model.",
        "Chunks of other splitters have the best of three sizes. `PassageRetriever` has "
        f"{gains[0]} more than the best of them with",
        f"keywords on plain texts, {gains[1]} on Markdown (95 % intervals in brackets).",
    ]
    return "\n".join(lines)


def best_sizes(results: str, title: str) -> dict[str, list[str]]:
    """Return the rows of a table of best sizes by their first cells.

    Raises:
        ValueError: The table is not there.
    """
    rows, _ = table_of(
        results,
        rf"{title}, each at its best size\*\* \((\d+) questions\)\n\n"
        r"splitter \| words \| vectors \| ",
        f"{title} with each splitter at its best size",
    )
    return rows


def table_of(results: str, beginning: str, name: str) -> tuple[dict[str, list[str]], str]:
    """Return the rows of a table by their first cells, and its questions.

    Args:
        results: The page.
        beginning: A pattern of what stands between the title's first two asterisks and the rest of
            the table's head, with a group for the questions.
        name: What the table is of, for errors.

    Raises:
        ValueError: The table is not there.
    """
    found = re.search(rf"^\*\*{beginning}[^\n]*\n[-| ]+\n((?:[^\n]+\n)+)", results, re.MULTILINE)
    if found is None:
        raise ValueError(f"{RESULTS} has no table of {name}")
    rows = [[cell.strip() for cell in line.split("|")] for line in found[2].splitlines()]
    return {row[0]: row for row in rows}, found[1]


def figures(results: str, speeds: Mapping[str, float]) -> str:
    """Return what docs/results.md says about the lead of Bert, its model's scores, and context."""
    lines: list[str] = []
    gains: list[str] = []
    for words in (120, 250):
        rows, questions = table_of(
            results,
            rf"All [^\n]*about {words} words\*\* \((\d+) questions\)\n\n"
            r"splitter \| words \| recall at 600 words",
            f"all corpora with recall at 600 words and chunks of {words} words",
        )
        clear: list[str] = []
        level: list[str] = []
        for name, shown in COMPARED.items():
            ahead = float(interval_of(rows[name])[1]) > 0
            (clear if ahead else level).append(shown)
        lines.append(
            f"- **Chunks of {words} words, without context** ({questions} questions): Bert is "
            f"clearly ahead of {listed(clear)}, and level within noise with {listed(level)}."
        )
        value, low, high = interval_of(rows["layout"])
        kind = "clear" if float(low) > 0 else "within noise"
        gains.append(f"{value} ({low} to {high}, {kind}) with chunks of {words} words")
    times = _rounded(speeds["layout"] / speeds["bert"])
    lines += [
        f"- **Bert's model** adds {' and '.join(gains)} to Layout's recall, for {times} times its "
        "CPU time.",
        topics(results),
        topics_of_the_large_model(results, speeds),
    ]
    for title, without, given in (
        ("plain texts", "layout", "layout, surroundings"),
        ("Markdown", "layout", "layout, headings, surroundings"),
    ):
        sized = best_sizes(results, title.capitalize())
        lines.append(
            f"- **Context in the vectors** raises Layout's recall on {title}, each at "
            f"its best size, from {float(sized[without][4]):.2f} to {float(sized[given][4]):.2f}."
        )
    return "\n".join(textwrap.fill(line, 112, subsequent_indent="  ") for line in lines)


def topics(results: str) -> str:
    """Return what docs/results.md says about the boundaries of topics."""
    section = results.partition("\n## Boundaries\n")[2].partition("\n## ")[0]
    rows = {row[0]: row for row in (line.split(" | ") for line in section.splitlines())}
    choi, notes, articles = (float(rows[name][1]) for name in ("choi", "notes", "wiki50"))
    others = [rows[f"{package} semantic"] for package in ("langchain", "llamaindex")]
    scores = [float(row[column]) for row in others for column in (1, 3)]
    return (
        f"- **It finds topics**: boundary F1 {choi:.2f} on joined texts (Choi), {notes:.2f} on "
        f"labelled notes and {articles:.2f} on articles (Wiki-50), where splitters by embedding "
        f"distance have {min(scores):.2f} to {max(scores):.2f}."
    )


def topics_of_the_large_model(results: str, speeds: Mapping[str, float]) -> str:
    """Return what docs/results.md says about the boundaries of topics by the large model."""
    section = results.partition("\n## The large model\n")[2].partition("\n## ")[0]
    rows = {row[0]: row for row in (line.split(" | ") for line in section.splitlines())}
    choi, notes, articles = (float(rows[name][1]) for name in ("choi", "notes", "wiki50"))
    return (
        f"- **The large model** finds them better: {choi:.2f}, {notes:.2f} and {articles:.2f}, in "
        f"{_rounded(speeds['bert'] / speeds['large'])} times the time."
    )


def interval_of(row: Sequence[str]) -> list[str]:
    """Return a difference and the ends of its interval, as in "0.69 (+0.01, -0.01 to +0.03)".

    Raises:
        ValueError: The row has none.
    """
    found = re.search(r"\((\S+), (\S+) to (\S+)\)", row[2])
    if found is None:
        raise ValueError(f"{RESULTS}: {row[0]} has no interval")
    return [*found.groups()]


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence: "A, B and C"."""
    *first, last = names or ["none of them"]
    return f"{', '.join(first)} and {last}" if first else last


def extras_table(extras: Mapping[str, Mapping[str, int]]) -> str:
    """Return what each extra brings beyond an installation without one."""
    alone = extras[""]
    lines = [
        "| Extra | For | Brings, MB | Packages |",
        "| --- | --- | --- | --- |",
        f"| none | {FOR['']} | {alone['mb']} in all | {alone['packages']} |",
    ]
    for name, found in extras.items():
        if name:
            more = found["mb"] - alone["mb"], found["packages"] - alone["packages"]
            lines.append(f"| `{name}` | {FOR[name]} | {max(0, more[0])} | {more[1]} |")
    return "\n".join(lines)


def speed_table(speeds: Mapping[str, float]) -> str:
    """Return the table of speeds, in characters a second of one CPU core."""
    greedy, layout, bert, large = (speeds[name] for name in ("greedy", "layout", "bert", "large"))
    recursive = _rounded(speeds["langchain recursive"])
    return "\n".join(
        (
            "| You want | Use | Characters a second, one core |",
            "| --- | --- | --- |",
            f"| even chunks, fastest | Greedy | about {_rounded(greedy)} |",
            f"| headings, paragraphs and lists kept whole | Layout | about {_rounded(layout)} |",
            "| for comparison | LangChain's recursive splitter, counting tokens with tiktoken "
            f"| about {recursive} |",
            f"| topic shifts as well, without a language model | Bert | about {_rounded(bert)} |",
            '| topic shifts found better | Bert with `model="large"` | about '
            f"{_rounded(large)}: {_rounded(bert / large)} times slower than Bert |",
            "| a language model's judgement of each boundary | Lumber with a language model | one "
            "model call per chunk, or a tenth of that, many in flight |",
        )
    )


def measured() -> dict[str, float]:
    """Measure characters a second of CPU time, in turns, on the bundled story."""
    text = STORY.read_text(encoding="utf-8")[:SAMPLE]
    token_counter("cl100k_base").count([text])  # finds the vocabulary without a network
    recursive = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=154, chunk_overlap=0
    )
    runs: dict[str, tuple[Callable[[str], object], int]] = {
        "greedy": (GreedyChunker().segment, 20),
        "layout": (LayoutChunker().segment, 5),
        "langchain recursive": (recursive.split_text, 5),
        "bert": (BertChunker(threads=1).segment, 2),
        "large": (BertChunker("large", threads=1).segment, 1),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for name, (split, _) in runs.items():
        split(text[:2000])
        seconds[name].clear()
    for _ in range(ROUNDS):
        for name, (split, times) in runs.items():
            start = time.process_time()
            for _ in range(times):
                split(text)
            seconds[name].append((time.process_time() - start) / times)
    return {name: round(len(text) / median(taken)) for name, taken in seconds.items()}


def with_block(page: str, name: str, content: str) -> str:
    """Return a page with the content between its two marks replaced.

    Raises:
        ValueError: The page has no such marks.
    """
    pattern = re.compile(rf"(<!-- {name}: .*? -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"expected a block from <!-- {name}: ... --> to <!-- end -->")
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", page, count=1)


def outputs() -> dict[Path, str]:
    """Return the content of each file that this script writes."""
    chunks = {title: splitter.split_text(TEXT) for title, splitter in COLUMNS.items()}
    written = {PICTURE: picture(chunks)}
    made = blocks()
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        for name in re.findall(r"<!-- (\w+): made by ", page):
            page = with_block(page, name, made[name]())
        written[path] = page
    return written


def blocks() -> dict[str, Callable[[], str]]:
    """Return the blocks that pages may have, by name."""
    results = RESULTS.read_text(encoding="utf-8")
    speeds = json.loads(SPEEDS.read_text(encoding="utf-8"))
    return {
        "passages": lambda: passages_table(results),
        "figures": lambda: figures(results, speeds),
        "speed": lambda: speed_table(speeds),
        "extras": lambda: extras_table(json.loads(EXTRAS.read_text(encoding="utf-8"))),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", action="store_true", help="measure the speeds first")
    parser.add_argument("--check", action="store_true", help="fail if a file is out of date")
    options = parser.parse_args(arguments)
    PICTURE.parent.mkdir(exist_ok=True)
    if options.time:
        SPEEDS.write_text(json.dumps(measured(), indent=2) + "\n", encoding="utf-8")
    for path, content in outputs().items():
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if content == current:
            continue
        if options.check:
            sys.exit(f"{path.name} is out of date: run python scripts/draw_readme.py")
        path.write_text(content, encoding="utf-8")


def _rounded(number: float) -> str:
    """Round to one significant digit, or two below twenty, with thousands separated."""
    power = 10 ** max(0, len(str(int(number))) - (2 if str(int(number))[0] == "1" else 1))
    return f"{round(number / power) * power:,}"


if __name__ == "__main__":
    main()
