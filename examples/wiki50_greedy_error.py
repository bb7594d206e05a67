"""How far greedy chunks start from an article's sections: the greedy article's experiment.

python examples/wiki50_greedy_error.py wiki50/                 a folder of Wiki-50's files
python examples/wiki50_greedy_error.py wiki50/ --levels 1 2    top-level sections only
python examples/wiki50_greedy_error.py wiki50/ --sizes 100 800 --plot errors.svg

Every splitter gets the articles without their headings. MAE and RMSE are of the start-token error,
the sum over sections of how many tokens too early or too late one starts; F1, Pk and WindowDiff
compare the cuts with the sections, sentence by sentence. "fixed" cuts after any word, its tokens
counted word by word. Offline, given the folder; needs the extra `evaluation`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from lumber_core import BertChunker, Chunker, GreedyChunker
from lumber_evaluation.corpora import iter_wiki
from lumber_evaluation.documents import Document
from lumber_evaluation.report.plots import plot_start_errors
from lumber_evaluation.segmentation import (
    BoundaryScore,
    boundary_score,
    nearest_units,
    pk,
    window_diff,
)
from lumber_evaluation.start_error import (
    StartErrors,
    TokenPositions,
    start_errors,
)

ENCODING = "cl100k_base"
COLUMNS = f"{'splitter':<26}{'MAE':>8}{'RMSE':>8}{'F1':>8}{'Pk':>8}{'WinDiff':>9}{'chunks':>8}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="files of Wiki-50 or Wiki-727K")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 400], metavar="TOKENS")
    parser.add_argument("--levels", type=int, nargs="+", help="which start a section; default all")
    parser.add_argument("--plot", type=Path, help="write the distribution to a .svg file")
    options = parser.parse_args()
    if min(options.sizes) < 1:
        parser.error("--sizes are numbers of tokens, 1 or more")
    if options.plot and options.plot.suffix != ".svg":
        parser.error("--plot writes a .svg file")
    try:
        articles = iter_wiki(options.folder, levels=options.levels)
        documents = [article.document for article in articles]
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    positions = [TokenPositions(document, tokenizer=ENCODING) for document in documents]
    sections = sum(len(document.starts) for document in documents)
    tokens = sum(position.total for position in positions)
    mean = round(tokens / sections)
    print(
        f"{len(documents)} articles, {sections} sections, {tokens:,} tokens ({ENCODING}); "
        f"a section has {mean} on average\n\n{COLUMNS}"
    )
    errors = {}
    for name, chunker in splitters(sorted({*options.sizes, mean}), mean).items():
        cuts = [[span.start for span in chunker.segment(d.text).spans] for d in documents]
        errors[name] = start_errors(
            (document.name, position.at(document.starts), position.at(starts))
            for document, position, starts in zip(documents, positions, cuts, strict=True)
        )
        print(row(name, errors[name], documents, cuts), flush=True)
    best = min(errors, key=lambda name: errors[name].mae)
    print(f"\nLargest errors of {best!r}, which has the smallest MAE:")
    for one in errors[best].worst():
        print(
            f"  {one.document}: {one.error:,} tokens ({one.late:,} late, {one.early:,} early), "
            f"{len(one.actual)} sections, {len(one.predicted)} chunks"
        )
    if options.plot:
        plot_start_errors(errors, options.plot)
        print(f"\nDistribution: {options.plot}")


def splitters(sizes: Sequence[int], mean: int) -> dict[str, Chunker]:
    def named(size: int) -> str:
        return f"{size} (the mean)" if size == mean else str(size)

    made: dict[str, Chunker] = {}
    for size in sizes:
        made[f"greedy {named(size)}"] = GreedyChunker(size, tokenizer=ENCODING)
    for size in sizes:
        made[f"fixed {named(size)}"] = GreedyChunker(size, tokenizer=ENCODING, units=words)
    made["bert"] = BertChunker(threshold=0.0)
    return made


def words(text: str) -> list[tuple[int, int]]:
    """Find words: a fixed length may cut after any of them."""
    return [match.span() for match in re.finditer(r"\s*\S+", text)]


def row(
    name: str, errors: StartErrors, documents: Sequence[Document], cuts: Sequence[Sequence[int]]
) -> str:
    score, pks, diffs = BoundaryScore(), 0.0, 0.0
    for document, starts in zip(documents, cuts, strict=True):
        units = len(document.units)
        true = nearest_units(document.starts, document.units)
        said = nearest_units(starts, document.units)
        score += boundary_score(true, said)
        pks += pk(true, said, units=units) / len(documents)
        diffs += window_diff(true, said, units=units) / len(documents)
    chunks = sum(map(len, cuts))
    return (
        f"{name:<26}{errors.mae:>8,.0f}{errors.rmse:>8,.0f}{score.f1:>8.3f}{pks:>8.3f}"
        f"{diffs:>9.3f}{chunks:>8}"
    )


if __name__ == "__main__":
    main()
