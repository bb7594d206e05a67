"""Measures how chunks of code fit its definitions, compared with chunks of syntax trees (cAST).

    python benchmarks/code_chunks.py ../poi ../pdf.js    # pip install astchunk

It reads the files in Python, Java and JavaScript of the packages here and of the folders, except
files that are shorter than 500 bytes, longer than 100,000, or not ASCII. Layout cuts chunks of
about 300 tokens. astchunk has the `max_chunk_size` that gives the same number of chunks within 2 %.
For each language it prints the mean length of a chunk, the share of definitions of at most 900
characters that are in one chunk, and the share of chunks that begin with a bracket or a comma.
"""

from __future__ import annotations

import argparse
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import tree_sitter  # type: ignore[import-not-found]
from astchunk import ASTChunkBuilder  # type: ignore[import-not-found]

from lumber_core import LayoutChunker, Source

TOKENS = 300  # of a chunk of Layout
MAX_DEFINITION = 900  # characters; longer definitions fit into few chunks
MIN_BYTES, MAX_BYTES = 500, 100_000  # of a file
CAST_SIZES = range(400, 4_000, 10)  # characters, without blanks
BRACKETS = ("{", "}", ")", "]", ",")
LANGUAGES = {  # by suffix: the module of the grammar, astchunk's name, definitions
    ".py": ("python", "python", ("function_definition", "class_definition")),
    ".java": (
        "java",
        "java",
        ("method_declaration", "constructor_declaration", "class_declaration"),
    ),
    ".js": (
        "typescript",
        "typescript",
        ("function_declaration", "method_definition", "class_declaration"),
    ),
}
Cut = Callable[[str], list[int]]
"""Returns where the chunks of a text begin, the first at 0."""


def read_code(folders: Sequence[Path], suffix: str) -> list[str]:
    """Return the files with a suffix in some folders, and in the packages here."""
    root = Path(__file__).parents[1]
    ours = [root / name for name in ("shared", "langchain_lumber", "llamaindex_lumber")]
    texts = []
    for path in sorted(path for folder in (*ours, *folders) for path in folder.rglob(f"*{suffix}")):
        content = path.read_bytes()
        if content.isascii() and MIN_BYTES < len(content) < MAX_BYTES:
            texts.append(content.decode("ascii"))
    return texts


def find_definitions(text: str, parser: Any, kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the definitions of at most `MAX_DEFINITION` characters."""
    nodes = [parser.parse(text.encode("ascii")).root_node]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        if node.type in kinds and node.end_byte - node.start_byte <= MAX_DEFINITION:
            yield node.start_byte, node.end_byte


def cut_by_layout(text: str) -> list[int]:
    """Return where chunks of Layout begin."""
    chunker = LayoutChunker(target_size=TOKENS, chunk_size=2 * TOKENS)
    return [span.start for span in chunker.segment(Source(text, format="code")).spans]


def make_cast(language: str, size: int) -> Cut:
    """Return the cut of astchunk, whose chunks are found by their first lines."""
    builder = ASTChunkBuilder(max_chunk_size=size, language=language, metadata_template="none")

    def cut(text: str) -> list[int]:
        starts, end = {0}, 0
        for chunk in builder.chunkify(text):
            first = next(filter(None, map(str.strip, chunk["content"].split("\n"))), "")
            place = text.find(first, end)
            if first and place >= 0:
                starts.add(place)
                end = place + len(first)
        return sorted(starts)

    return cut


def measure(texts: Sequence[str], places: Sequence[Sequence[tuple[int, int]]], cut: Cut) -> str:
    """Return the mean length, and the shares of whole definitions and of brackets at the start."""
    whole = chunks = brackets = 0
    for text, definitions in zip(texts, places, strict=True):
        starts = cut(text)
        ends = [*starts[1:], len(text)]
        whole += sum(ends[bisect_right(starts, a) - 1] >= b for a, b in definitions)
        chunks += len(starts)
        brackets += sum(text[start:].lstrip().startswith(BRACKETS) for start in starts[1:])
    length, count = sum(map(len, texts)) / chunks, sum(map(len, places))
    return f"{length:.0f} | {whole / count:.3f} | {brackets / chunks:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="*", type=Path, help="folders with more code")
    folders = parser.parse_args().folders
    print("code | chunks | characters | definitions whole | bracket first")
    print("--- | --- | --: | --: | --:")
    for suffix, (module, language, kinds) in LANGUAGES.items():
        if not (texts := read_code(folders, suffix)):
            continue
        grammar = import_module(f"tree_sitter_{module}")
        language_of = getattr(grammar, "language", None) or grammar.language_typescript
        syntax = tree_sitter.Parser(tree_sitter.Language(language_of()))
        places = [[*find_definitions(text, syntax, kinds)] for text in texts]
        label = f"{suffix}: {len(texts)} files, {sum(map(len, places)):,} definitions"
        chunk_count = sum(len(cut_by_layout(text)) for text in texts)

        def fewer(size: int, language: str = language, texts: Sequence[str] = texts) -> int:
            return -sum(map(len, map(make_cast(language, size), texts)))

        size = CAST_SIZES[bisect_left(CAST_SIZES, -chunk_count, key=fewer)]
        for name, cut in (("Layout", cut_by_layout), ("cAST", make_cast(language, size))):
            print(f"{label} | {name} | {measure(texts, places, cut)}", flush=True)


if __name__ == "__main__":
    main()
