"""Measures retrieval in languages that the bundled encoder was not trained on.

    python benchmarks/languages.py ../shared/data

XQuAD has the same articles and questions in several languages. All articles of a language are one
index. An answer is found if it is in the best passages, up to 1 % of the characters of all
articles. The baseline is BM25 of character trigrams over the same chunks. Languages that the data
lacks are imitated: "as Georgian" has each letter replaced by one of an alphabet that the model was
not trained on, and "as Thai" also has no blanks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.embedding import Bundled
from lumber_core import LayoutChunker, Source
from lumber_core.spans import Span
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.words.word_count import count_words

READ_SHARE = 0.01  # of all characters
LANGUAGES = ("en", "de", "es", "ru", "zh")
_GEORGIAN = {letter: chr(0x10D0 + n) for n, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
_THAI = {
    **dict(zip("bcdfghjklmnpqrstvwxz\xdf", map(chr, range(0xE01, 0xE20)), strict=False)),
    **dict(zip("aeiouy\xe4\xf6\xfc", map(chr, range(0xE30, 0xE3A)), strict=False)),
}


class Asked(NamedTuple):
    """A question with the place of its answer."""

    question: str
    document: str
    answer: Span


class Texts(NamedTuple):
    """Documents by name, and questions about them."""

    documents: Mapping[str, str]
    questions: Sequence[Asked]


def load(folder: Path, language: str) -> Texts:
    """Return the articles and questions of a language."""
    lines = (folder / f"{language}_documents.jsonl").open(encoding="utf-8")
    documents = {row["document"]: row["text"] for row in map(json.loads, lines)}
    questions = []
    for row in map(json.loads, (folder / f"{language}_questions.jsonl").open(encoding="utf-8")):
        [reference] = row["references"]
        answer = Span(reference["start_index"], reference["end_index"])
        questions.append(Asked(row["question"], row["document"], answer))
    return Texts(documents, questions)


def change_texts(texts: Texts, change: Callable[[str], str]) -> Texts:
    """Return texts with every character changed, or left out."""
    documents = {name: change(text) for name, text in texts.documents.items()}
    questions = [
        Asked(
            change(asked.question),
            asked.document,
            Span(*(len(change(texts.documents[asked.document][:place])) for place in asked.answer)),
        )
        for asked in texts.questions
    ]
    return Texts(documents, questions)


def as_georgian(text: str) -> str:
    """Return a text in letters that the model was not trained on, and that have no case."""
    return "".join(_GEORGIAN.get(letter.lower(), letter) for letter in text)


def as_thai(text: str) -> str:
    """Return a text in Thai letters, without blanks between words."""
    return "".join(_THAI.get(letter.lower(), letter) for letter in text if letter != " ")


def passage_recall(texts: Texts) -> float:
    """Return the share of answers in the passages of `PassageIndex`."""
    index = PassageIndex(LayoutChunker(target_size=50, tokenizer="even"), Bundled())
    index.add(IndexedDocument(name, name, Source(text)) for name, text in texts.documents.items())
    budget = max(1, int(READ_SHARE * sum(map(count_words, texts.documents.values()))))
    is_read = []
    for asked in texts.questions:
        passages = index.search(asked.question, budget=budget)
        ranked = sorted(passages, key=lambda passage: -passage.score)
        is_read.append(_read([(each.document, each.span) for each in ranked], asked, texts))
    return float(np.mean(is_read))


def trigram_recall(texts: Texts) -> float:
    """Return the share of answers in the chunks that BM25 of trigrams ranks first."""
    spans = [
        (name, span)
        for name, text in texts.documents.items()
        for span in LayoutChunker(target_size=50, tokenizer="even").segment(text).spans
    ]
    terms = [_trigrams(span.of(texts.documents[name])) for name, span in spans]
    postings: dict[str, list[tuple[int, int]]] = {}
    for number, own in enumerate(terms):
        for term, count in zip(*np.unique(own, return_counts=True), strict=True):
            postings.setdefault(str(term), []).append((number, int(count)))
    lengths = np.array([len(own) for own in terms])
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    is_read = []
    for asked in texts.questions:
        scores = np.zeros(len(spans))
        for term in {*_trigrams(asked.question)}:
            places, counts = map(np.array, zip(*postings.get(term, [(0, 0)]), strict=True))
            idf = np.log(1 + (len(spans) - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += idf * counts * 2.2 / (counts + norm[places])
        ranked = [spans[number] for number in np.argsort(-scores)[:100]]
        is_read.append(_read(ranked, asked, texts))
    return float(np.mean(is_read))


def _trigrams(text: str) -> list[str]:
    folded = text.casefold()
    return [folded[n : n + 3] for n in range(len(folded) - 2)] or [folded]


def _read(ranked: Sequence[tuple[str, Span]], asked: Asked, texts: Texts) -> bool:
    """Return whether an answer is in the first characters of the ranked spans."""
    left = int(READ_SHARE * sum(map(len, texts.documents.values())))
    for name, span in ranked:
        end = min(span.end, span.start + left)
        if name == asked.document and span.start <= asked.answer.start < asked.answer.end <= end:
            return True
        left -= end - span.start
        if left <= 0:
            break
    return False


def cases(folder: Path) -> Iterator[tuple[str, Texts]]:
    """Yield the texts to measure, by name."""
    for language in LANGUAGES:
        texts = load(folder, language)
        yield language, texts
        if language in ("de", "es"):
            yield f"{language} as Georgian", change_texts(texts, as_georgian)
            yield f"{language} as Thai", change_texts(texts, as_thai)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    print("language | passages | trigrams alone\n--- | --- | ---")
    for name, texts in cases(parser.parse_args().data / "xquad"):
        print(f"{name} | {passage_recall(texts):.3f} | {trigram_recall(texts):.3f}", flush=True)


if __name__ == "__main__":
    main()
