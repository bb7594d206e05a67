"""Which splitter finds the answers in a novel? Recall@k and DCG@k on *Emma*, as GutenQA has it.

python examples/emma_retrieval.py FOLDER                        a folder of GutenQA's Emma
python examples/emma_retrieval.py FOLDER --cache vectors.db     embeds nothing twice
python examples/emma_retrieval.py FOLDER --embedder contriever  the paper's retriever (extra: torch)

FOLDER holds `paragraphs.jsonl`, `published_chunk_ends.json` and `questions.jsonl`. Needs the extra
`evaluation`; no key and, with the bundled embedder, no network.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from lumber_core import BertChunker
from lumber_evaluation.bootstrap import mean_interval, paired_difference
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.corpora import load_gutenqa
from lumber_evaluation.embedders import embedder
from lumber_evaluation.retrieval import CUTOFFS, QuestionResult, RetrievalResult, retrieve
from lumber_evaluation.splitters import MarkedSegments, evaluated, preset

BASE = "recursive:1000"
NAMES = (BASE, "recursive:1800", "paragraphs", "fixed:200", "semantic", "greedy:200", "greedy:400")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="bundled", help="bundled, contriever[:FOLDER]")
    parser.add_argument("--cache", type=Path, help="file that keeps the vectors")
    arguments = parser.parse_args()
    model = embedder(arguments.embedder)
    if arguments.cache:
        model = CachedEmbedder(model, arguments.cache)
    corpus = load_gutenqa(arguments.folder)
    subjects = [preset(name, embedder=model) for name in (*NAMES, "bert", "lumber")]
    # The bundled embedder reads 254 word pieces of a chunk: longer ones are found by their start.
    limited = BertChunker(tokenizer="words", chunk_size=200)
    subjects += [evaluated(limited, name="bert, at most 200"), MarkedSegments("published chunks")]
    results = {}
    for one in subjects:
        splits = [one.split(document) for document in corpus.documents]
        results[one.name] = retrieve(corpus, splits, model, show_progress=True)

    print(f"{len(corpus.questions)} questions, {model.identity}\n")
    show(results, "Recall", QuestionResult.recall)
    show(results, "DCG", QuestionResult.dcg)
    print(f"Difference to {BASE}, with 95 % bootstrap intervals over the questions\n")
    print("splitter | Recall@5 | DCG@20\n--- | --- | ---")
    for name, result in results.items():
        if name != BASE:
            recall = difference(result, results[BASE], lambda found: found.recall(5))
            dcg = difference(result, results[BASE], lambda found: found.dcg(20))
            print(f"{name} | {recall} | {dcg}")
    print("\nQuestions whose string is in no chunk count as misses above. Without them:\n")
    print("splitter | such questions | Recall@5 | DCG@20\n--- | --- | --- | ---")
    for name, result in results.items():
        recall_5 = result.recall(5, unanswerable="skip")
        dcg_20 = result.dcg(20, unanswerable="skip")
        print(f"{name} | {len(result.unanswerable)} | {recall_5:.2f} | {dcg_20:.2f}")


def _at(
    measure: Callable[[QuestionResult, int], float], k: int
) -> Callable[[QuestionResult], float]:
    return lambda question: measure(question, k)


def show(
    results: dict[str, RetrievalResult], title: str, measure: Callable[[QuestionResult, int], float]
) -> None:
    """Print a table of a measure at all cutoffs, with an interval at 20."""
    print("splitter | chunks |", " | ".join(f"{title}@{k}" for k in CUTOFFS), "| interval at 20")
    print(" | ".join(["---"] * (len(CUTOFFS) + 3)))
    at = {k: _at(measure, k) for k in CUTOFFS}
    for name, result in results.items():
        means = " | ".join(f"{result.mean(at[k]):.2f}" for k in CUTOFFS)
        last = mean_interval(result.per_question(at[CUTOFFS[-1]]))
        print(f"{name} | {len(result.chunks)} | {means} | {last.low:.2f} to {last.high:.2f}")
    print()


def difference(
    first: RetrievalResult, second: RetrievalResult, measure: Callable[[QuestionResult], float]
) -> str:
    found = paired_difference(first.per_question(measure), second.per_question(measure))
    return f"{found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f})"


if __name__ == "__main__":
    main()
