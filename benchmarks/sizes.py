"""How large the chunks of the default splitters are, and what they cut in Markdown.

    python benchmarks/sizes.py ../shared/data                 development corpora, books, formats
    python benchmarks/sizes.py ../shared/data --only greedy --texts pubmed customers
    python benchmarks/sizes.py ../shared/data --keep work.db  keeps Bert's scores, as retrieval.py

Sizes are in tokens of the splitter's own counter, the default estimate; the last column counts the
largest chunk with cl100k_base. Formats are the files in tests/core/formats, Markdown the pages of
this repository's documentation. In Markdown a code fence, or a row of a table, counts as cut if a
chunk starts inside it; those that alone exceed the limit are not counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from kept_scores import KeptScores
from markdown_it import MarkdownIt

from lumber_core import BertChunker, BertJudge, GreedyChunker, LumberChunker
from lumber_core.bert.settings import BertSettings
from lumber_core.chunking.base import Chunker
from lumber_core.lumber.settings import LumberSettings
from lumber_core.spans import Span
from lumber_core.text.source import Source
from lumber_core.tokens import token_counter
from lumber_evaluation.corpora import load_chroma, load_covidqa, load_qmsum

HERE = Path(__file__).parent.parent


def splitters() -> dict[str, tuple[Chunker, int]]:
    """Return the default splitters by name, with the limit that each promises."""
    bert, greedy, lumber = BertChunker(), GreedyChunker(), LumberChunker(BertJudge())
    return {
        "bert": (bert, BertSettings().sizes[0] or 0),
        "greedy": (greedy, greedy.chunk_size or 0),
        "lumber": (lumber, LumberSettings().theta),
    }


def texts(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield names with the texts they stand for."""
    corpora = [
        *load_chroma(data / "chroma_eval"),
        load_covidqa(data / "covidqa"),
        load_qmsum(data / "qmsum"),
    ]
    for corpus in corpora:
        yield corpus.name, [document.text for document in corpus.documents]
    for folder, pattern in ((data / "books", "*.txt"), (HERE / "tests/core/formats", "*")):
        for path in sorted(folder.glob(pattern)):
            yield path.name, [path.read_bytes().decode("utf-8", "replace")]


def blocks(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the code fences and the rows of tables of a Markdown text."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in ("fence", "tr_open") and token.map is not None:
            first, stop = token.map
            kind = "fences" if token.type == "fence" else "rows"
            yield kind, Span(lines[first], lines[min(stop, len(lines) - 1)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", nargs="+", default=[""], help="beginnings of names")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", nargs="+", default=["bert", "greedy", "lumber"])
    options = parser.parse_args()
    real = token_counter("cl100k_base")
    print("text | splitter | chunks | mean | 95 % below | largest | limit | largest, cl100k_base")
    print("--- | --- | --- | --- | --- | --- | --- | ---")
    chosen = splitters()
    kept: KeptScores | None = None
    for name, members in texts(options.data):
        if not name.startswith(tuple(options.texts)):
            continue
        for splitter in options.only:
            chunker, limit = chosen[splitter]
            chunks = []
            for text in members:
                if isinstance(chunker, BertChunker):
                    kept = kept or KeptScores(chunker, options.keep)
                    chunks += chunker.resegment(text, kept(text)).chunks(text)
                else:
                    chunks += chunker.split_text(text)
            counts = chunker.counter.count(chunks)
            print(
                f"{name} | {splitter} | {len(counts)} | {np.mean(counts):.0f} | "
                f"{np.quantile(counts, 0.95):.0f} | {max(counts)} | {limit} | "
                f"{max(real.count(chunks))}",
                flush=True,
            )
    print("\nsplitter | fences | cut | rows | cut | largest chunk | limit")
    print("--- | --- | --- | --- | --- | --- | ---")
    pages = [page.read_text(encoding="utf-8") for page in sorted(HERE.glob("docs/**/*.md"))]
    pages += [(HERE / name).read_text(encoding="utf-8") for name in ("README.md", "CHANGELOG.md")]
    for splitter in options.only:
        chunker, limit = chosen[splitter]
        counted = {"fences": 0, "rows": 0}
        cut, largest = dict(counted), 0
        split = chunker.segment_all([Source(page, format="markdown") for page in pages])
        for page, spans in zip(pages, (one.spans for one in split), strict=True):
            largest = max(largest, *chunker.counter.count([span.of(page) for span in spans]))
            starts = np.array([span.start for span in spans])
            for kind, block in blocks(page):
                counted[kind] += 1
                inside = bool(((starts > block.start) & (starts < block.end)).any())
                cut[kind] += inside and chunker.counter.count([block.of(page)])[0] <= limit
        print(
            f"{splitter} | {counted['fences']} | {cut['fences']} | {counted['rows']} | "
            f"{cut['rows']} | {largest} | {limit}",
            flush=True,
        )


if __name__ == "__main__":
    main()
