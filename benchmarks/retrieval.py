"""Recall of splitters at the same chunk size, on development data.

    python benchmarks/retrieval.py ../shared/data                   everything, at 120 and 250 words
    python benchmarks/retrieval.py ../shared/data --words 120 --only bert recursive
    python benchmarks/retrieval.py ../shared/data --keep work.db    keeps vectors and splits
    python benchmarks/retrieval.py ../shared/data --words 40 60 120 --context context,surroundings
                                    with context in the vectors as well, and at the best size
    python benchmarks/retrieval.py ../shared/data --versus FOLDER   with weights of your own

Every splitter of `sized_splitters` is brought to the same mean number of words a chunk by its own
size setting, for each corpus apart; how near it came is in the table. Questions search the chunks
of their document, those of RAG-Multi-Corpus all documents, with the bundled embedder. Differences
are between Bert and each other splitter over the same questions; their 95 % intervals draw
documents, and questions within them if a corpus is one document. With several sizes or a context,
the last tables have each splitter at its best size, by recall at 600 words over these questions,
and what it has more than the best splitter of another package without context; the words of
headings count as retrieved. Splitters that are not installed are left out, and named. Needs the
extra `evaluation`; the others: pip install langchain-experimental llama-index-core semchunk
semantic-text-splitter chonkie.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sized_splitters import OURS, Bert, Embeddings, Peer, Starts, peers

from benchmarks.corpora import load_chroma, load_covidqa, load_multi_corpus, load_qmsum
from lumber_core.spans import Span
from lumber_core.support.cache import Cache, digest
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.documents import Corpus, EvaluatedChunk, SplitDocument
from lumber_evaluation.embedders import Embedder, embedder
from lumber_evaluation.retrieval import QuestionResult, RetrievalResult, retrieve

FIGURES: tuple[tuple[str, Callable[[QuestionResult], float]], ...] = (
    ("recall at 300 words", lambda question: question.word_recall(300)),
    ("recall at 600 words", lambda question: question.word_recall(600)),
    ("recall at 1,200 words", lambda question: question.word_recall(1200)),
    ("Recall@5", lambda question: question.recall(5)),
)
AT_600 = 1
ASKED_OF_ALL = ("multi_corpus",)
"""Corpora whose questions search all documents."""
Values = npt.NDArray[np.float64]


def split(corpus: Corpus, starts: Starts) -> dict[str, list[int]]:
    """Return where the chunks of each document start."""
    return {
        document.name: sorted({0, *map(int, starts(document))}) for document in corpus.documents
    }


def chunked(corpus: Corpus, starts: dict[str, list[int]]) -> list[SplitDocument]:
    """Return the chunks of a corpus; white space around them is trimmed."""
    splits = []
    for document in corpus.documents:
        edges = [*starts[document.name], len(document.text)]
        spans = [Span(a, b).stripped(document.text) for a, b in pairwise(edges) if a < b]
        chunks = [
            EvaluatedChunk(document.name, span, span.of(document.text))
            for span in spans
            if span.start < span.end
        ]
        splits.append(SplitDocument(document.name, tuple(chunks), 0.0))
    return splits


def sized(
    corpus: Corpus, name: str, peer: Peer, words: int, kept: Cache | None
) -> tuple[list[SplitDocument], float]:
    """Split a corpus with the setting that comes nearest to `words` a chunk; return the mean.

    The splits of other packages are kept in `kept`; ours are always made.
    """
    key = digest(
        name,
        importlib.metadata.version(peer.distribution),
        json.dumps([d.text for d in corpus.documents]),
        str(words),
    )
    stored = kept.get(key) if kept and peer.distribution != OURS else None
    if stored is not None:
        best = json.loads(stored)
    else:
        best = split(corpus, peer.make(setting_for(corpus, peer, words)))
        if kept and peer.distribution != OURS:
            kept.put(key, json.dumps(best).encode())
    splits = chunked(corpus, best)
    return splits, words_of(corpus) / sum(len(one.chunks) for one in splits)


def setting_for(corpus: Corpus, peer: Peer, words: int) -> float:
    """Return the size setting that comes nearest to `words` a chunk."""
    low, high = peer.low, peer.high
    best, nearest = float(low), float("inf")
    for _ in range(11):
        setting = (low + high) / 2
        mean = words_of(corpus) / sum(map(len, split(corpus, peer.make(setting)).values()))
        if abs(mean - words) < nearest:
            nearest, best = abs(mean - words), setting
        if nearest < 0.01 * words:
            break
        low, high = (setting, high) if mean < words else (low, setting)
    return best


def words_of(corpus: Corpus) -> int:
    return sum(len(document.text.split()) for document in corpus.documents)


@dataclass(frozen=True)
class Measured:
    """What one splitter scored on one corpus.

    Attributes:
        words: Mean words of a chunk.
        vectors: Number of vectors stored.
        embedded: Number of texts embedded.
        values: For each of `FIGURES`, a value for each question.
        documents: The document of each question.
    """

    words: float
    vectors: int
    embedded: int
    values: list[Values]
    documents: list[str]


Everything = dict[str, dict[int, list[Measured]]]
"""What was scored: for each row of a table and each size in words, by corpus."""


def measured(corpus: Corpus, result: RetrievalResult, words: float) -> Measured:
    values = [np.array(result.per_question(measure)) for _, measure in FIGURES]
    names = [f"{corpus.name}/{question.document}" for question in corpus.questions]
    return Measured(words, len(result.chunks), result.texts_embedded, values, names)


def interval(difference: Values, documents: Sequence[str]) -> tuple[float, float]:
    """Return the 95 % interval of a mean difference.

    Documents are drawn, then questions within each: those of one document share its difficulty.
    """
    generator = np.random.default_rng(0)
    names = np.array(documents)
    groups = [difference[names == one] for one in sorted(set(documents))]
    draws = (2000, len(groups))
    # A corpus of a few documents has no others to be drawn: only its questions are.
    drawn = (
        np.broadcast_to(np.arange(len(groups)), draws)
        if len(groups) < 5
        else generator.integers(len(groups), size=draws)
    )
    totals, counts = np.zeros(draws[0]), np.zeros(draws[0])
    for number, group in enumerate(groups):
        rows = np.nonzero(drawn == number)[0]
        values = group[generator.integers(len(group), size=(len(rows), len(group)))]
        np.add.at(totals, rows, np.nansum(values, axis=1))
        np.add.at(counts, rows, np.isfinite(values).sum(axis=1))
    low, high = np.quantile(totals / counts, [0.025, 0.975])
    return float(low), float(high)


def table(title: str, rows: dict[str, Measured]) -> None:
    """Write a table in Markdown: means, and differences to Bert with their intervals."""
    print(f"\n**{title}** ({len(next(iter(rows.values())).documents)} questions)\n")
    print(" | ".join(["splitter", "words", *(name for name, _ in FIGURES)]))
    print(" | ".join(["---"] * (2 + len(FIGURES))))
    bert = rows.get("bert")
    for name, row in rows.items():
        cells = []
        for number in range(len(FIGURES)):
            mean = f"{np.nanmean(row.values[number]):.3f}"
            if bert is not None and row is not bert:
                gain = bert.values[number] - row.values[number]
                low, high = interval(gain, row.documents)
                mean += f" ({np.nanmean(gain):+.3f}, {low:+.3f} to {high:+.3f})"
            cells.append(mean)
        print(" | ".join([name, f"{row.words:.0f}", *cells]), flush=True)


def best_sizes(title: str, rows: dict[str, dict[int, Measured]], peers: Sequence[str]) -> None:
    """Write a table of each splitter at its best size, and its gain over the best of `peers`.

    Args:
        title: What was measured.
        rows: For each splitter, with its context, what it scored at each size asked for.
        peers: Splitters of other packages, without context.
    """

    def at_600(row: Measured) -> float:
        return float(np.nanmean(row.values[AT_600]))

    best: dict[str, Measured] = {}
    shown: set[tuple[str, bytes]] = set()
    for name, sizes in rows.items():
        row = max(sizes.values(), key=at_600)
        scored = name.split(",")[0], row.values[AT_600].tobytes()
        if scored not in shown:  # a context changes nothing where there is none
            best[name] = row
            shown.add(scored)
    against = max(
        (name for name in peers if name in best), key=lambda n: at_600(best[n]), default=""
    )
    count = len(next(iter(best.values())).documents)
    print(f"\n**{title}, each at its best size** ({count} questions)\n")
    columns = ["splitter", "words", "vectors", "texts embedded", *(name for name, _ in FIGURES)]
    columns += [f"at 600 more than {against}"] if against else []
    print(" | ".join(columns))
    print(" | ".join(["---"] * len(columns)))
    for name, row in best.items():
        cells = [f"{row.words:.0f}", f"{row.vectors:,}", f"{row.embedded:,}"]
        cells += [f"{np.nanmean(values):.3f}" for values in row.values]
        if against and name != against:
            gain = row.values[AT_600] - best[against].values[AT_600]
            low, high = interval(gain, row.documents)
            cells.append(f"{np.nanmean(gain):+.3f} ({low:+.3f} to {high:+.3f})")
        print(" | ".join([name, *cells]), flush=True)


def parts_of(corpus: Corpus) -> dict[str, list[int]]:
    """Return the numbers of the questions about each source of documents, if there are several."""
    parts: dict[str, list[int]] = {}
    for number, question in enumerate(corpus.questions):
        parts.setdefault(corpus.by_name[question.document].source, []).append(number)
    return parts if len(parts) > 1 else {}


def part_of(row: Measured, numbers: Sequence[int]) -> Measured:
    """Return what a splitter scored on some of the questions."""
    return replace(
        row,
        values=[values[numbers] for values in row.values],
        documents=[row.documents[number] for number in numbers],
    )


def context_in(text: str) -> list[str]:
    """Return what vectors know: "context", "surroundings" or "context,surroundings"."""
    parts = text.split(",")
    if set(parts) - {"context", "surroundings"}:
        raise argparse.ArgumentTypeError("expected context,surroundings or one of them")
    return sorted(parts)


def installed(distribution: str) -> bool:
    """Return whether a distribution is installed."""
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def pooled(parts: Sequence[Measured]) -> Measured:
    """Return several corpora as one."""
    return Measured(
        sum(part.words for part in parts) / len(parts),
        sum(part.vectors for part in parts),
        sum(part.embedded for part in parts),
        [np.concatenate([part.values[number] for part in parts]) for number in range(len(FIGURES))],
        [name for part in parts for name in part.documents],
    )


def development_corpora(data: Path, beginnings: Sequence[str] | None) -> list[Corpus]:
    """Return the corpora whose names begin so; None for all. Ends the program if there are none."""
    corpora = [
        *load_chroma(data / "chroma_eval"),
        load_covidqa(data / "covidqa"),
        load_qmsum(data / "qmsum"),
        load_multi_corpus(data / "multi_corpus"),
    ]
    if beginnings is None:
        return corpora
    chosen = [corpus for corpus in corpora if corpus.name.lower().startswith(tuple(beginnings))]
    if not chosen:
        sys.exit(f"no corpus begins so; there are: {', '.join(corpus.name for corpus in corpora)}")
    return chosen


def main() -> None:
    options = asked_for()
    corpora = development_corpora(options.data, options.corpora)
    embeds = embedder("bundled")
    if options.keep is not None:
        embeds = CachedEmbedder(embeds, options.keep)
    Embeddings.kept = embeds
    chosen = {
        name: peer for name, peer in peers().items() if options.only is None or name in options.only
    }
    if options.versus is not None:
        chosen["other weights"] = Peer(Bert(model=options.versus), 30, 1500)
    absent = [name for name, peer in chosen.items() if not installed(peer.distribution)]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    chosen = {name: peer for name, peer in chosen.items() if name not in absent}
    others = [name for name, peer in chosen.items() if peer.distribution != OURS]
    tables(corpora, measure(corpora, chosen, embeds, options), others)


def asked_for() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, nargs="+", default=[120, 250])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--keep", type=Path)
    parser.add_argument(
        "--context", type=context_in, nargs="+", default=[], help="also measure with these contexts"
    )
    parser.add_argument("--versus", help="folder of other weights, measured as one more splitter")
    return parser.parse_args()


def measure(
    corpora: Sequence[Corpus],
    chosen: dict[str, Peer],
    embeds: Embedder,
    options: argparse.Namespace,
) -> Everything:
    """Measure every splitter at every size with every context."""
    kept = None if options.keep is None else Cache(options.keep, "starts")
    everything: Everything = {}
    for words in options.words:
        for name, peer in chosen.items():
            for corpus in corpora:
                splits, mean = sized(corpus, name, peer, words, kept)
                for context in [[], *options.context]:
                    row = ", ".join([name, *context])
                    result = retrieve(
                        corpus,
                        splits,
                        embeds,
                        context="context" in context,
                        surroundings="surroundings" in context,
                        within_document=corpus.name not in ASKED_OF_ALL,
                    )
                    done = measured(corpus, result, mean)
                    everything.setdefault(row, {}).setdefault(words, []).append(done)
                    means = " ".join(f"{np.nanmean(values):.3f}" for values in done.values)
                    said = f"{words} {row}, {corpus.name}: {mean:.0f} words, {means}"
                    print(said, file=sys.stderr)
    return everything


def tables(corpora: Sequence[Corpus], everything: Everything, others: Sequence[str]) -> None:
    """Write the tables of each corpus, of the plain texts, and of all."""
    plain = [number for number, corpus in enumerate(corpora) if corpus.name not in ASKED_OF_ALL]
    groups = {corpus.name: [number] for number, corpus in enumerate(corpora)}
    if 1 < len(plain) < len(corpora):
        groups["all plain texts"] = plain
    if len(corpora) > 1:
        groups["all"] = list(range(len(corpora)))
    for title, numbers in groups.items():
        rows = {
            row: {words: pooled([found[n] for n in numbers]) for words, found in sizes.items()}
            for row, sizes in everything.items()
        }
        sizes = [*next(iter(rows.values()))]
        for words in sizes:
            table(f"{title}, about {words} words", {row: at[words] for row, at in rows.items()})
        if len(sizes) == 1 and not any(", " in row for row in rows):
            continue
        best_sizes(title, rows, others)
        sources = parts_of(corpora[numbers[0]]) if len(numbers) == 1 else {}
        for part, asked in sources.items():
            of_part = {
                row: {words: part_of(one, asked) for words, one in at.items()}
                for row, at in rows.items()
            }
            best_sizes(part, of_part, others)


if __name__ == "__main__":
    main()
