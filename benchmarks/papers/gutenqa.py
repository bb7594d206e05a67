"""Recall@k and DCG@k on GutenQA (LumberChunker, arXiv 2406.17526, section 4).

    python -m benchmarks.papers.gutenqa ../shared/data/gutenqa_emma
    python -m benchmarks.papers.gutenqa FOLDER --embedder contriever --keep work.db
    python -m benchmarks.papers.gutenqa FOLDER --model openai:gpt-4o-mini

FOLDER is a book as in `../shared/data`, or contains `GutenQA` and `GutenQA_Paragraphs`, downloaded
by `hf download --repo-type dataset LumberChunker/GutenQA --local-dir FOLDER/GutenQA` and so on.
Then `--books` selects books. A question searches its own book. Gemini made the "published chunks".

LumberChunker asks the model of `--model`; without it, the bundled classifier decides.
`--embedder contriever` is the paper's embedder: facebook/contriever, compared by the dot product.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.corpora import book_of, load_emma
from lumber_cli.language_models import language_model
from lumber_core import LumberChunker
from lumber_core.llms import Model
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.dataset import Corpus, Document, Question
from lumber_evaluation.retrieval import CUTOFFS, QuestionResult, retrieve
from lumber_evaluation.splitters import preset, wrap_splitter
from lumber_retrieval.embedders import Embedder, SentenceTransformersEmbedder, embedder

NAMES = ("recursive:1000", "paragraphs", "semantic", "fixed:200", "greedy:400", "bert")


class Contriever(SentenceTransformersEmbedder):
    """The mean of the last hidden states, compared by the dot product."""

    similarity = "dot"


def load_books(folder: Path, names: Sequence[str] = ()) -> Corpus:
    """Load one book, or books from the tables that the authors publish."""
    if (folder / "paragraphs.jsonl").exists():
        return load_emma(folder)
    texts: dict[str, list[str]] = {}
    for row in _rows(folder / "GutenQA_Paragraphs"):
        texts.setdefault(row["Book Name"], []).append(row["Chunk"])
    chosen = {name for name in texts if not names or name in names}
    questions: dict[tuple[str, str], Question] = {}
    chunks: dict[str, list[str]] = {}
    for row in _rows(folder / "GutenQA"):
        if row["Book Name"] not in chosen:
            continue
        if row.get("Chunk"):
            chunks.setdefault(row["Book Name"], []).append(row["Chunk"])
        if row.get("Question"):
            questions[row["Book Name"], row["Question"]] = Question(
                row["Question"], row["Book Name"], row["Answer"], row["Chunk Must Contain"]
            )
    documents = [
        with_chunks(book_of(name, texts[name]), chunks.get(name, ())) for name in sorted(chosen)
    ]
    return Corpus("gutenqa", tuple(documents), tuple(questions.values()))


def with_chunks(book: Document, chunks: Sequence[str]) -> Document:
    """Mark where the published chunks start, if they are the book's paragraphs joined."""
    starts, position = [], 0
    for chunk in chunks:
        starts.append(position)
        position += len(chunk) + 1
    return replace(book, starts=tuple(starts)) if "\n".join(chunks) == book.text else book


def measures(results: Sequence[QuestionResult]) -> list[float]:
    """Return Recall@k, then DCG@k, for each of `CUTOFFS`."""
    recall = [fmean(result.recall(k) for result in results) for k in CUTOFFS]
    return [*recall, *(fmean(result.dcg(k) for result in results) for k in CUTOFFS)]


def rows(
    corpus: Corpus, embedding: Embedder, model: Model | None, store: Path | None
) -> Iterator[tuple[str, int, list[float]]]:
    """Yield name, number of chunks and measures of each splitter."""
    subjects = [preset(name, embedder=embedding) for name in NAMES]
    judged = preset("lumber") if model is None else LumberChunker(model, store=store)
    subjects.append(wrap_splitter(judged, name="lumber"))
    marked = [document for document in corpus.documents if document.is_segmented]
    if len(marked) == len(corpus.documents):
        segments = {document.text: document.segments for document in marked}
        subjects.append(wrap_splitter(segments.__getitem__, name="published chunks"))
    for subject in subjects:
        splits = [subject.split(document) for document in corpus.documents]
        result = retrieve(corpus, splits, embedding, show_progress=True)
        yield subject.name, len(result.chunks), measures(result.questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--books", nargs="+", default=(), help="as in Emma_-_Jane_Austen")
    parser.add_argument("--embedder", default="bundled", help="as for `compare`, or contriever")
    parser.add_argument("--model", help="as for `lumber-splitters compare`")
    parser.add_argument("--keep", type=Path, help="file that keeps vectors and answers")
    options = parser.parse_args()
    model = None if options.model is None else language_model(options.model)
    embedding: Embedder = (
        Contriever("facebook/contriever")
        if options.embedder == "contriever"
        else embedder(options.embedder)
    )
    if options.keep:
        embedding = CachedEmbedder(embedding, options.keep)
    corpus = load_books(options.folder, options.books)
    titles = [f"{measure}@{k}" for measure in ("Recall", "DCG") for k in CUTOFFS]
    print(f"{len(corpus.questions)} questions, {embedding.identity}\n")
    print("splitter | chunks |", " | ".join(titles))
    print(" | ".join(["---"] * (len(titles) + 2)))
    for name, count, values in rows(corpus, embedding, model, options.keep):
        print(f"{name} | {count:,} |", " | ".join(f"{value:.2f}" for value in values), flush=True)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    from pyarrow.parquet import read_table

    for path in sorted(folder.rglob("*.parquet")):
        yield from read_table(path).to_pylist()


if __name__ == "__main__":
    main()
