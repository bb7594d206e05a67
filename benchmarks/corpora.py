"""Loads the published corpora that the benchmarks read, from `../shared/data`."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from lumber_core.spans import Span
from lumber_core.text.source import Source
from lumber_core.text.units import sentences
from lumber_evaluation.corpora import load_folder, load_questions
from lumber_evaluation.dataset import Corpus, Document, Question, document_from_segments
from lumber_files import TextFile, read_file

ASKED_OF_ALL = ("multi_corpus",)
"""Corpora whose questions search all documents."""


def load_choi(folder: Path) -> list[Document]:
    """Load Choi's set: `.ref` files whose segments are between lines of `==========`."""
    documents = []
    for path in sorted(folder.rglob("*.ref")):
        parts = _read(path).split("==========")
        source = f"choi/{path.parent.name}"
        segments = [part.splitlines() for part in parts]
        documents.append(document_from_segments(segments, name=path.stem, source=source))
    return documents


def load_chroma(folder: Path) -> list[Corpus]:
    """Load the corpora of Chroma's evaluation: a document each, questions with their excerpts."""
    by_corpus: dict[str, list[Question]] = {}
    for row in _lines(folder / "questions.jsonl"):
        question = Question(row["question"], row["corpus"], references=_spans(row["references"]))
        by_corpus.setdefault(row["corpus"], []).append(question)
    corpora = []
    for name, questions in by_corpus.items():
        text = _read(folder / "corpora" / f"{name}.md")
        units = tuple(span.start for span in sentences(text))
        document = Document(name, text, units, (0,), "chroma")
        corpora.append(Corpus(name, (document,), tuple(questions)))
    return corpora


def load_covidqa(folder: Path) -> Corpus:
    """Load COVID-QA: scientific papers, and questions with the excerpts that answer them."""
    questions = folder / "questions.jsonl"
    loaded = load_folder(folder / "documents", pattern="*.txt", questions=questions)
    return replace(loaded, name="covidqa")


def load_multi_corpus(folder: Path) -> Corpus:
    """Load RAG-Multi-Corpus: Markdown of three companies, with questions that search all of it."""
    loaded = load_folder(folder, pattern="*/*.md", questions=folder / "questions.jsonl")
    documents = tuple(
        replace(doc, source=f"multi_corpus/{doc.name.split('/')[0]}") for doc in loaded.documents
    )
    return Corpus("multi_corpus", documents, loaded.questions)


@dataclass(frozen=True, slots=True)
class Report(Document):
    """A report with the file that it was read from, which has its pages."""

    file: TextFile = field(kw_only=True)

    def to_split(self) -> Source:
        """Return the report with the metadata of its file."""
        return replace(self.file, metadata={"source": self.name, **self.file.metadata})

    @property
    def stem(self) -> str:
        """Its name in the questions."""
        return Path(self.name).stem

    def pages(self, spans: Sequence[Span]) -> list[tuple[int, int]]:
        """Return the first and the last page of each span."""
        return [pages for span in spans if (pages := self.file.pages_of(span))]


def load_financebench(folder: Path) -> tuple[list[Report], list[dict[str, Any]]]:
    """Load annual and quarterly reports, and questions with the pages of their evidence."""
    files = [read_file(path, name=path.name) for path in sorted((folder / "pdfs").iterdir())]
    reports = [
        Report(file.name, file.text, (0,), (0,), "financebench", file=file) for file in files
    ]
    return reports, [*_lines(folder / "questions.jsonl")]


def load_qmsum(folder: Path) -> Corpus:
    """Load QMSum: transcripts of meetings with annotated topics, whose units are speaker turns."""
    questions = folder / "val_questions.jsonl"
    loaded = load_folder(folder / "val", pattern="*.txt", questions=questions, units="paragraphs")
    topics = {}
    for row in _lines(folder / "val_topics.jsonl"):
        starts = {0, *(span.start for span in _spans(row["topics"]))}
        topics[f"{row['document']}.txt"] = tuple(sorted(starts))
    documents = tuple(
        replace(doc, starts=topics.get(doc.name, (0,)), source="qmsum") for doc in loaded.documents
    )
    return Corpus("qmsum val", documents, loaded.questions)


def load_xquad(folder: Path, language: str) -> Corpus:
    """Load the articles of XQuAD in a language, and its questions with their answers."""
    documents = tuple(
        Document(row["document"], row["text"], (0,), (0,), "xquad")
        for row in _lines(folder / f"{language}_documents.jsonl")
    )
    questions = tuple(
        Question(row["question"], row["document"], references=_spans(row["references"]))
        for row in _lines(folder / f"{language}_questions.jsonl")
    )
    return Corpus(f"xquad {language}", documents, questions)


def load_emma(folder: Path) -> Corpus:
    """Load a book of GutenQA: its units are paragraphs, and its segments the published chunks."""
    paragraphs = [row["text"] for row in _lines(folder / "paragraphs.jsonl")]
    ends = json.loads(_read(folder / "published_chunk_ends.json"))["ends"]
    book = book_of(folder.resolve().name, paragraphs)
    document = replace(book, starts=tuple(book.units[first] for first in [0, *ends[:-1]]))
    questions = load_questions(folder / "questions.jsonl", documents=[document])
    return Corpus(document.name, (document,), tuple(questions))


def book_of(name: str, paragraphs: list[str]) -> Document:
    """Join the paragraphs of a book by line breaks; they are its units."""
    lengths = [len(paragraph) + 1 for paragraph in paragraphs[:-1]]
    units = tuple(accumulate(lengths, initial=0))
    return Document(name, "\n".join(paragraphs), units, (0,), "gutenqa")


def iter_wiki(folder: Path, levels: Collection[int] | None = None) -> Iterator[Document]:
    """Read Wiki-50 or Wiki-727K (Koshorek et al. 2018), one file at a time.

    A file has one sentence per line; `========,LEVEL,TITLE.` starts a section, where level 1 is the
    preface, and `***LIST***.` replaces a list, which is left out. Articles have no headings, and
    sections only of the given levels; None: of all levels.
    """
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from iter_wiki(path, levels)
        elif (original := _read(path)).startswith("========,"):
            yield _article(path, original, levels)


def development_corpora(data: Path, beginnings: Sequence[str] | None) -> list[Corpus]:
    """Return the corpora whose names begin with one of `beginnings`; exit if there are none."""
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
        names = ", ".join(corpus.name for corpus in corpora)
        sys.exit(f"no corpus has a name that begins with one of these; there are: {names}")
    return chosen


def _article(path: Path, original: str, levels: Collection[int] | None) -> Document:
    segments: list[list[str]] = []
    for line in original.split("\n"):
        if line.startswith("========,"):
            level = int(line.split(",")[1])
            if levels is None or level in levels or not segments:
                segments.append([])
        elif line.strip() != "***LIST***.":
            segments[-1].append(line)
    return document_from_segments(segments, name=path.name, source="wiki")


def _spans(references: list[dict[str, Any]]) -> tuple[Span, ...]:
    return tuple(Span(excerpt["start_index"], excerpt["end_index"]) for excerpt in references)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in _read(path).split("\n"):
        if line.strip():
            yield json.loads(line)


def _read(path: Path) -> str:
    """Read a text without translating line ends, so that offsets stay valid."""
    return path.read_bytes().decode()
