"""Which splitter brings back the excerpts that answer? Chroma's chunking evaluation, offline.

    python -m benchmarks.papers.chroma ../shared/data/chroma_eval
    python -m benchmarks.papers.chroma ../shared/data/chroma_eval --keep vectors.db

After Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from benchmarks.corpora import load_chroma
from lumber_core import BertChunker
from lumber_evaluation.bootstrap import mean_interval, paired_difference
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.embedders import embedder
from lumber_evaluation.retrieval import QuestionResult, RetrievalResult, retrieve
from lumber_evaluation.splitters import evaluated, preset

Measure = Callable[[QuestionResult], float]

K = 5  # chunks looked at, as in Chroma's own tables
BASE = "recursive:1000"
NAMES = (BASE, "paragraphs", "fixed:200", "semantic", "greedy:200", "greedy:400", "bert", "lumber")
COLUMNS = ("chunks", "words", "Recall@1", "Recall@5", "DCG@20", "token recall", "precision", "IoU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="bundled", help="as for `compare`")
    parser.add_argument("--keep", type=Path, help="file that keeps the vectors")
    arguments = parser.parse_args()
    model = embedder(arguments.embedder)
    if arguments.keep:
        model = CachedEmbedder(model, arguments.keep)
    subjects = [preset(name, embedder=model) for name in NAMES]
    # The bundled embedder reads 254 word pieces of a chunk: longer ones are found by their start.
    limited = BertChunker(tokenizer="words", chunk_size=200)
    subjects.append(evaluated(limited, name="bert, at most 200"))

    everywhere: dict[str, list[RetrievalResult]] = {one.name: [] for one in subjects}
    for corpus in load_chroma(arguments.folder):
        print(f"{corpus.name}, {len(corpus.questions)} questions\n")
        print("splitter |", " | ".join(COLUMNS))
        print(" | ".join(["---"] * (1 + len(COLUMNS))))
        for one in subjects:
            splits = [one.split(document) for document in corpus.documents]
            result = retrieve(corpus, splits, model, show_progress=True)
            everywhere[one.name].append(result)
            print(row(one.name, result), flush=True)
        print()

    measures: list[Measure] = [
        lambda found: found.word_recall(600),
        lambda found: found.recall(K),
        lambda found: found.overlap(K).iou,
    ]
    questions = len(values(everywhere[BASE], measures[0]))
    print(f"All {questions} questions; difference to {BASE} with 95 % bootstrap intervals\n")
    titles = ("Recall, 600 words", f"Recall@{K}", f"token IoU@{K}")
    print("splitter |", " | ".join(f"{title} | difference" for title in titles))
    print(" | ".join(["---"] * 7))
    for name, results in everywhere.items():
        cells = [name]
        for measure in measures:
            own, base = values(results, measure), values(everywhere[BASE], measure)
            average, change = mean_interval(own), paired_difference(own, base)
            cells.append(f"{average.value:.3f} ({average.low:.3f} to {average.high:.3f})")
            cells.append(f"{change.value:+.3f} ({change.low:+.3f} to {change.high:+.3f})")
        print(" | ".join(cells))


def row(name: str, result: RetrievalResult) -> str:
    words = mean(len(chunk.text.split()) for chunk in result.chunks)
    figures = [
        result.recall(1),
        result.recall(K),
        result.dcg(20),
        result.mean(lambda found: found.overlap(K).recall),
        result.mean(lambda found: found.overlap(K).precision),
        result.mean(lambda found: found.overlap(K).iou),
    ]
    shown = " | ".join(f"{figure:.3f}" for figure in figures)
    return f"{name} | {len(result.chunks)} | {words:.0f} | {shown}"


def values(results: list[RetrievalResult], measure: Measure) -> list[float]:
    """Return a measure for each question of every corpus."""
    return [value for result in results for value in result.per_question(measure)]


if __name__ == "__main__":
    main()
