"""Measures retrieval in languages that the bundled encoder was not trained on.

    python benchmarks/languages.py ../shared/data

XQuAD has the same articles and questions in several languages. All articles of a language are one
index. An answer is found if it is in the best passages, up to 1 % of the characters of all
articles. The baseline is BM25 of character trigrams over the same chunks. A language that the data
lacks is imitated: "as Georgian" has each letter replaced by a letter of an alphabet that the model
was not trained on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.corpora import load_xquad
from benchmarks.embedding import index_of
from lumber_core import LayoutChunker, Source
from lumber_core.spans import Span
from lumber_evaluation.dataset import Corpus, Question
from lumber_retrieval.words.keywords import count_words

READ_SHARE = 0.01  # share of the words, or of the characters, of a corpus that is read
LANGUAGES = ("en", "de", "es", "ru", "zh")
_GEORGIAN = {letter: chr(0x10D0 + n) for n, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}


def as_georgian(text: str) -> str:
    """Return a text in letters that the model was not trained on, and that have no case."""
    return "".join(_GEORGIAN.get(letter.lower(), letter) for letter in text)


def passage_recall(corpus: Corpus) -> float:
    """Return the share of answers in the passages of `PassageIndex`."""
    index = index_of((document.name, Source(document.text)) for document in corpus.documents)
    words = sum(count_words(document.text) for document in corpus.documents)
    budget = max(1, int(READ_SHARE * words))
    is_read = []
    for question in corpus.questions:
        passages = index.search(question.question, budget=budget)
        ranked = sorted(passages, key=lambda passage: -passage.score)
        spans = [(passage.document, passage.span) for passage in ranked]
        is_read.append(_read(spans, question, corpus))
    return float(np.mean(is_read))


def trigram_recall(corpus: Corpus) -> float:
    """Return the share of answers in the chunks that BM25 of trigrams ranks first."""
    chunker = LayoutChunker(target_size=50, tokenizer="even")
    spans = [
        (document.name, span)
        for document in corpus.documents
        for span in chunker.segment(document.text).spans
    ]
    terms = [_trigrams(span.of(corpus.by_name[name].text)) for name, span in spans]
    postings: dict[str, list[tuple[int, int]]] = {}
    for number, trigrams in enumerate(terms):
        for term, count in zip(*np.unique(trigrams, return_counts=True), strict=True):
            postings.setdefault(str(term), []).append((number, int(count)))
    lengths = np.array([len(trigrams) for trigrams in terms])
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    is_read = []
    for question in corpus.questions:
        scores = np.zeros(len(spans))
        for term in {*_trigrams(question.question)}:
            places, counts = map(np.array, zip(*postings.get(term, [(0, 0)]), strict=True))
            idf = np.log(1 + (len(spans) - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += idf * counts * 2.2 / (counts + norm[places])
        ranked = [spans[number] for number in np.argsort(-scores)[:100]]
        is_read.append(_read(ranked, question, corpus))
    return float(np.mean(is_read))


def _trigrams(text: str) -> list[str]:
    folded = text.casefold()
    return [folded[n : n + 3] for n in range(len(folded) - 2)] or [folded]


def _read(ranked: Sequence[tuple[str, Span]], question: Question, corpus: Corpus) -> bool:
    """Return whether an answer is in the first characters of the ranked spans."""
    remaining = int(READ_SHARE * sum(len(document.text) for document in corpus.documents))
    [answer] = question.references
    for name, span in ranked:
        end = min(span.end, span.start + remaining)
        if name == question.document and span.start <= answer.start < answer.end <= end:
            return True
        remaining -= end - span.start
        if remaining <= 0:
            break
    return False


def cases(folder: Path) -> Iterator[tuple[str, Corpus]]:
    """Yield the corpora to measure, by name."""
    for language in LANGUAGES:
        corpus = load_xquad(folder, language)
        yield language, corpus
        if language in ("de", "es"):
            questions = (
                replace(question, question=as_georgian(question.question))
                for question in corpus.questions
            )
            documents = (
                replace(document, text=as_georgian(document.text)) for document in corpus.documents
            )
            changed = Corpus(corpus.name, tuple(documents), tuple(questions))
            yield f"{language} as Georgian", changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    print("language | passages | trigrams alone\n--- | --- | ---")
    for name, corpus in cases(parser.parse_args().data / "xquad"):
        print(f"{name} | {passage_recall(corpus):.3f} | {trigram_recall(corpus):.3f}", flush=True)


if __name__ == "__main__":
    main()
