"""Recall of what a reader gets: passages, chunks, and what other retrievers return.

    python benchmarks/passages.py ../shared/data
    python benchmarks/passages.py ../shared/data --corpora state wiki pubmed --keep work.db
    python benchmarks/passages.py ../shared/data --only passages "chunks of langchain recursive"
    python benchmarks/passages.py ../shared/data --splitters bert layout random semchunk \
        --words 120 --against bert                       chunks of the same size, by vectors alone
    python benchmarks/passages.py ../shared/data --splitters layout semchunk --words 40 60 75 120 \
        --context context surroundings context,surroundings       with context in their vectors

Every retriever gets the documents of a corpus and returns text for a question, best first: recall
of the reference text among the first 150, 300 and 600 words, whatever is repeated and what stands
above a text counted as read. Questions search their document, those of RAG-Multi-Corpus all
documents, and last all questions about plain texts search all of these; all embed with the bundled
encoder. Passages are asked for with the number of words that is measured. Chunks of other packages
are searched by their vectors, or by these and BM25 with the fusion used here; each has the best of
the sizes `--words`, to which it is brought by its own setting. The chunks of a large language
model, of RAG-Multi-Corpus alone, begin with the path that it wrote. Then how many texts a reader
gets, and their words. Intervals are 95 % bootstrap intervals that draw documents. Needs the extras
`evaluation`, `langchain` and `llama-index`, langchain-classic, and the packages of the splitters;
what is missing is left out, and named.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.corpora import ASKED_OF_ALL, development_corpora
from benchmarks.embedding import Bundled
from benchmarks.packages import OURS
from benchmarks.searches import (
    Build,
    Found,
    chunks_of,
    chunks_of_model,
    llamaindex,
    parent_documents,
    passages,
)
from benchmarks.splitters import PEERS
from lumber_core.text.context import Context
from lumber_evaluation.bootstrap import paired_difference
from lumber_evaluation.comparison import FEWEST
from lumber_evaluation.documents import Corpus, Document, EvaluatedChunk, Question
from lumber_evaluation.retrieval.word_recall import WordRecall

BUDGETS = (150, 300, 600)
SIZES = (40, 60, 120)
OF_MODEL = "chunks of a large language model"
ALL_PLAIN = "all plain texts"
BESIDE = (
    "langchain recursive",
    "llamaindex sentence",
    "llamaindex markdown",
    "semchunk",
    "semantic-text-splitter",
)
"""Splitters of other packages whose chunks are measured beside passages."""
Values = npt.NDArray[np.float64]


@dataclass
class Measured:
    """What a retriever reached.

    Attributes:
        recall: By the number of words, a value for each question.
        documents: The document of each question.
        texts: By the number of words, how many texts a question got within them.
    """

    recall: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    documents: list[str] = field(default_factory=list)
    texts: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def at(self, budget: int) -> Values:
        """Return the recall of each question."""
        return np.array(self.recall[budget])


def measure(corpora: Sequence[Corpus], build: Build) -> Measured:
    """Measure a retriever on corpora."""
    done = Measured()
    for corpus in corpora:
        for documents, questions in groups(corpus):
            search = build(documents)
            Bundled().vectors([question.question for question in questions])
            found = {
                (question.question, budget): search(question.question, budget)
                for question in questions
                for budget in BUDGETS
            }
            score(done, corpus, documents, questions, found)
    return done


def groups(corpus: Corpus) -> Iterator[tuple[Sequence[Document], Sequence[Question]]]:
    """Yield documents with the questions that search them."""
    if corpus.name in (*ASKED_OF_ALL, ALL_PLAIN):
        yield corpus.documents, corpus.questions
        return
    for document in corpus.documents:
        questions = [one for one in corpus.questions if one.document == document.name]
        if questions:
            yield [document], questions


def score(
    done: Measured,
    corpus: Corpus,
    documents: Sequence[Document],
    questions: Sequence[Question],
    found: dict[tuple[str, int], Found],
) -> None:
    """Add the recall of what was found."""
    texts = {document.name: document for document in documents}
    numbers = {place: n for n, place in enumerate({p: 0 for one in found.values() for p in one})}
    chunks = [
        EvaluatedChunk(name, span, span.of(texts[name].text), Context((above,) if above else ()))
        for name, span, above in numbers
    ]
    read = WordRecall(texts, chunks)
    for question in questions:
        done.documents.append(f"{corpus.name}/{question.document}")
        for budget in BUDGETS:
            ranked = [numbers[place] for place in found[question.question, budget]]
            done.recall[budget].append(read(question, ranked, budget))
            words = np.cumsum([read.words[number] for number in ranked])
            done.texts[budget].append(1 + int(np.searchsorted(words, budget)))


def retrievers(data: Path, sizes: Sequence[int]) -> dict[str, list[Build]]:
    """Return the retrievers by name; of several sizes, the best one counts."""
    made: dict[str, list[Build]] = {
        "passages": [passages()],
        "passages, with context": [passages(context=True)],
        "passages, without words": [passages(keywords=False)],
        "passages, hits not joined": [passages(max_gap=0)],
        "ParentDocumentRetriever": [parent_documents],
        "AutoMergingRetriever": [lambda documents: llamaindex(documents, window=False)],
        "SentenceWindowNodeParser": [lambda documents: llamaindex(documents, window=True)],
    }
    for kind in ("agentic", "ids"):
        made[f"{OF_MODEL} ({kind}), and words"] = [chunks_of_model(kind, data)]
    for name in installed(BESIDE):
        for keywords in (False, True):
            row = f"chunks of {name}" + (", and words" if keywords else "")
            made[row] = [chunks_of(name, words, keywords=keywords) for words in sizes]
    return made


def chunks_by_vectors(
    names: Sequence[str], sizes: Sequence[int], contexts: Sequence[Sequence[str]]
) -> dict[str, list[Build]]:
    """Return the chunks of splitters with each context in their vectors, by name."""
    return {
        ", ".join([f"chunks of {name}", *context]): [
            chunks_of(name, words, keywords=False, context=context) for words in sizes
        ]
        for name in installed(names)
        for context in [[], *contexts]
    }


def installed(names: Sequence[str]) -> list[str]:
    """Return those of some splitters that are installed, and name the others."""
    absent = [name for name in names if not PEERS[name].is_installed]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    return [name for name in names if name not in absent]


def table(title: str, rows: dict[str, Measured], against: str | None) -> None:
    """Write a table, with gains over one of the rows."""
    first = next(iter(rows.values()))
    print(f"\n**Passages, {title}** ({len(first.documents)} questions)\n")
    columns = ["retriever", "recall at 150 words", "at 300", "at 600", "texts", "words of each"]
    columns += [f"at 600 more than {against}"] if against else []
    print(" | ".join(columns))
    print(" | ".join(["---"] * len(columns)))
    for name, row in rows.items():
        count = np.mean(row.texts[600])
        cells = [f"{np.nanmean(row.at(budget)):.3f}" for budget in BUDGETS]
        cells += [f"{count:.1f}", f"{600 / count:.0f}"]
        if against and name != against:
            # Of a few documents only the questions can be drawn.
            documents = row.documents if len({*row.documents}) >= FEWEST else None
            gain = paired_difference(row.recall[600], rows[against].recall[600], clusters=documents)
            cells.append(f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})")
        print(" | ".join([name, *cells]), flush=True)


def asked_for() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--only", nargs="+", help="names of retrievers")
    parser.add_argument("--splitters", nargs="+", choices=[*PEERS], help="only their chunks")
    parser.add_argument("--words", type=int, nargs="+", default=SIZES, help="sizes of chunks")
    parser.add_argument("--context", nargs="+", default=[], help="with --splitters: in vectors")
    parser.add_argument("--against", help="compare with this row; default: the best other package")
    parser.add_argument("--keep", type=Path, help="file that keeps vectors")
    return parser.parse_args()


def main() -> None:
    options = asked_for()
    corpora = development_corpora(options.data, options.corpora)
    Bundled.keep(options.keep)
    if options.splitters:
        contexts = [context.split(",") for context in options.context]
        chosen = chunks_by_vectors(options.splitters, options.words, contexts)
    else:
        chosen = retrievers(options.data, options.words)
    if options.only is not None:
        chosen = {name: build for name, build in chosen.items() if name in options.only}
    plain = [corpus for corpus in corpora if corpus.name not in ASKED_OF_ALL]
    rest = [corpus for corpus in corpora if corpus.name in ASKED_OF_ALL]
    together = Corpus(
        ALL_PLAIN,
        tuple(document for corpus in plain for document in corpus.documents),
        tuple(question for corpus in plain for question in corpus.questions),
    )
    for title, some in (
        ("plain texts", plain),
        ("RAG-Multi-Corpus", rest),
        ("all plain texts in one index", [together] if len(plain) > 1 else []),
    ):
        if not some or (options.splitters and some[0] is together):
            continue
        rows = {}
        for name, builds in chosen.items():
            if name.startswith(OF_MODEL) and some is not rest:
                continue
            if some[0] is together and not name.startswith(("passages", "chunks")):
                continue
            done = [measure(some, build) for build in builds]
            rows[name] = max(done, key=lambda one: float(np.nanmean(one.at(600))))
        against = f"chunks of {options.against}" if options.against else best_other(rows)
        table(title, rows, against)


def best_other(rows: Mapping[str, Measured]) -> str | None:
    """Return the row of another package, without context, that has most at 600 words."""
    ours = {name for name, peer in PEERS.items() if peer.package == OURS}
    others = [
        name
        for name in rows
        if not name.startswith("passages")
        and name.partition(",")[2] in ("", " and words")
        and name.removeprefix("chunks of ") not in ours
    ]
    return max(others, key=lambda name: float(np.nanmean(rows[name].at(600))), default=None)


if __name__ == "__main__":
    main()
