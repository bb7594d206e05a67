"""Measures how much this package, markitdown and kreuzberg keep of files in many formats.

    python -m benchmarks.reading_formats ../shared/data/docling
    python -m benchmarks.reading_formats ../shared/data/multi_corpus

The Markdown that a file should give is beside it (`a.docx.md`, as docling's ground truth is), or
the file is in `formats` and was made from a Markdown of that stem. For each format and reader it
prints the number of files, and means over the files: the share of the first 8,000 expected words
that are kept in order; the shares of headings kept with their level, list items with their depth
and kind, and cells with their row and column (in files that have any); the share of headings found
at any level, and the share of invented headings. The last two are also given for titles, headings
without their numbers, because readers differ about a number that is drawn beside its title. A file
that cannot be read keeps nothing. The last column is seconds per file; for the first file, they
include the start of a process. markitdown and kreuzberg are measured if they are installed.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from html import unescape
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

from markdown_it import MarkdownIt
from rapidfuzz.distance import LCSseq

from lumber_files import read_file

MAX_WORDS = 8_000  # words of a file that are compared, which takes quadratic time
KINDS = ("words", "headings", "items", "cells", "found", "invented", "titles", "no title")
# "Chapter 1", "1.2" and "(3)" before or after a title, or alone, as `words` returns them.
_NUMBERS = re.compile(r"^(?:(?:chapter|part|section) )?(?:\d{1,2}(?: |$))+|(?: \d{1,2})+$")
# Characters of Hangul, Chinese, Japanese, Thai and its kin are words of their own: lines of a PDF
# end inside words, where docling's ground truth has spaces.
_ANYWHERE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_ANYWHERE}]|[^\W_{_ANYWHERE}]+")
_PARSER = MarkdownIt("commonmark").enable("table")
Parts = dict[str, Counter[tuple[str, ...]]]
Reader = Callable[[Path], str]


def words(text: str) -> list[str]:
    """Return the words of a Markdown text, without link targets and comments."""
    text = unescape(re.sub(r"\]\([^)]*\)|<!--.*?-->", "]", text))
    return _WORD.findall(text.casefold())


def parts(markdown: str) -> Parts:
    """Return the headings, items and cells of a Markdown text by kind, with their counts."""
    counts: Parts = {kind: Counter() for kind in ("headings", "items", "cells", "found", "titles")}
    lists: list[str] = []
    head: list[str] = []
    row: list[str] = []
    waiting = tag = ""
    for token in _PARSER.parse(markdown):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token.tag)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "tr_open":
            row = []
        elif token.type == "thead_close":
            head = row
        elif token.type == "tr_close" and head:
            for name, text in zip(head, row, strict=False):
                counts["cells"][(name, row[0], text)] += 1
        elif token.type == "table_close":
            head = []
        elif token.type in ("heading_open", "list_item_open", "th_open", "td_open"):
            waiting, tag = token.type, token.tag
        elif token.type == "inline":
            text = " ".join(words(token.content))
            if waiting == "heading_open":
                counts["headings"][(tag, text)] += 1
                counts["found"][(text,)] += 1
                if title := _NUMBERS.sub("", text):
                    counts["titles"][(title,)] += 1
            elif waiting == "list_item_open":
                counts["items"][(*lists, text)] += 1
            elif waiting:
                row.append(text)
            waiting = ""
    return counts


def readers() -> Iterator[tuple[str, Reader]]:
    """Yield the name of each reader that is installed, and the function that reads a file."""
    yield "lumber_files", lambda path: read_file(path).text
    if find_spec("markitdown"):
        from markitdown import MarkItDown  # type: ignore[import-not-found]

        convert = MarkItDown().convert
        yield f"markitdown {version('markitdown')}", lambda path: convert(path).markdown
    if find_spec("kreuzberg"):
        import kreuzberg  # type: ignore[import-not-found]

        config = kreuzberg.ExtractionConfig(output_format="markdown")
        name, read = f"kreuzberg {version('kreuzberg')}", kreuzberg.extract_file_sync
        yield name, lambda path: str(read(str(path), config=config).content)


def pairs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file of a folder, and the Markdown that it should give."""
    sources = {path.stem: path for path in folder.glob("*/*.md")}
    for path in sorted([*folder.iterdir(), *folder.glob("formats/*")]):
        truth = path.with_name(f"{path.name}.md")
        if truth.exists() or (path.is_file() and path.stem in sources):
            yield path, (truth if truth.exists() else sources[path.stem]).read_text("utf-8")


def measure(expected: str, text: str) -> dict[str, float]:
    """Return the share of each kind that a text keeps, for the kinds that are expected."""
    expected_words = words(expected)[:MAX_WORDS]
    shares = {"words": LCSseq.similarity(expected_words, words(text)) / len(expected_words)}
    read, stated = parts(text), parts(expected)
    for kind, count in stated.items():
        if count:
            shares[kind] = (count & read[kind]).total() / count.total()
    for kind, none in (("found", "invented"), ("titles", "no title")):
        if count := read[kind]:
            shares[none] = (count - stated[kind]).total() / count.total()
    return shares


def main() -> None:
    """Measure all readers on all formats."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="docling's files or RAG-Multi-Corpus")
    options = parser.parse_args()
    formats: defaultdict[str, list[tuple[Path, str]]] = defaultdict(list)
    for path, expected in pairs(options.folder):
        suffix = path.suffix.lower()
        formats[".xlsx" if suffix == ".xlsm" else suffix].append((path, expected))
    print(f"{'format':7} {'reader':18} files", *(f"{kind:>8}" for kind in (*KINDS, "seconds")))
    for suffix, files in formats.items():
        for name, read in readers():
            shares: dict[str, list[float]] = {kind: [] for kind in KINDS}
            start = time.perf_counter()
            texts = [_read(read, path) for path, _ in files]
            seconds = (time.perf_counter() - start) / len(files)
            for (_, expected), text in zip(files, texts, strict=True):
                for kind, share in measure(expected, text).items():
                    shares[kind].append(share)
            means = [f"{fmean(values):8.3f}" if values else " " * 8 for values in shares.values()]
            print(f"{suffix:7} {name:18} {len(files):5}", *means, f"{seconds:8.3f}")


def _read(read: Reader, path: Path) -> str:
    try:
        return read(path)
    except Exception as error:  # noqa: BLE001 - readers raise errors of any kind
        print(f"  {path.name}: {str(error)[:100]!r}")
        return ""


if __name__ == "__main__":
    main()
