"""Measures whether changed quotes are found, and quotes from other documents are not found.

    python benchmarks/citations.py ../shared/data

Quotes are sentences and ranges of words of the development corpora, and of XQuAD's articles in five
languages, from 8 words on (in Chinese, characters), changed in one way each. A quote is searched in
ten documents of its corpus (one if a corpus is a single document). The table has the shares that
are found exactly, by alignment and not at all; precision, the share of quotes at the right place
among those found; and recall, the same share among all quotes. The baseline is common code: the
partial ratio of rapidfuzz, at least 80, over each document in lower case, for every fifth quote.

A place is right if it shares four fifths of its characters with the place of the quote, or has the
same letters.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rapidfuzz.fuzz import partial_ratio_alignment

from benchmarks.corpora import development_corpora, load_xquad
from benchmarks.languages import LANGUAGES
from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_evaluation.dataset import Corpus, Document
from lumber_retrieval.citing.citations import cite

QUOTES_PER_CORPUS = 250
BASELINE_EVERY = 5  # every fifth quote is also searched by rapidfuzz, which takes ten times as long
DOCUMENTS_SEARCHED = 10  # for each quote
MIN_WORDS, MAX_WORDS = 8, 60  # words of a quote
HAN = "[\u4e00-\u9fff]"
WORD = re.compile(rf"{HAN}|(?:(?!{HAN})\S)+")
MIN_SIMILARITY = 80  # of the baseline, from 0 to 100
ELSEWHERE = "a quote of another document"
KINDS = ("exact", "aligned", "not found")
Change = Callable[[list[str], random.Random], list[str]]


class Quote(NamedTuple):
    """A place in a document, and all documents that are searched for it."""

    document: Document
    span: Span
    among: Sequence[Document]

    @property
    def text(self) -> str:
        """The text at this place."""
        return self.span.of(self.document.text)


class Outcome(NamedTuple):
    """How a quote was found, and whether its place and the baseline's (None: not run) are right."""

    kind: str
    right: bool
    baseline_right: bool | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quotes", type=int, default=QUOTES_PER_CORPUS, help="of each corpus")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    corpora = development_corpora(options.data, None)
    for group in (corpora, *([load_xquad(options.data / "xquad", name)] for name in LANGUAGES)):
        measure(group, options.quotes, chance)


def measure(corpora: Sequence[Corpus], count: int, chance: random.Random) -> None:
    """Print how many quotes of some corpora are found."""
    quotes = [quote for corpus in corpora for quote in quotes_of(corpus, count, chance)]
    ways = changes([word for quote in quotes for word in words_of(quote.text)])
    rows: dict[str, list[Outcome]] = {name: [] for name in [*ways, ELSEWHERE]}
    for number, quote in enumerate(quotes):
        for name, row in outcomes(ways, quote, chance, with_baseline=number % BASELINE_EVERY == 0):
            rows[name].append(row)
    print(f"\n{len(quotes)} quotes of {', '.join(corpus.name for corpus in corpora)}\n")
    print("changed | quotes | exact | aligned | not found | precision | recall | ", end="")
    print("baseline: recall")
    print("--- | ---: | ---: | ---: | ---: | ---: | ---: | ---:")
    for name, outcomes_of_change in rows.items():
        show(name, outcomes_of_change)


def quotes_of(corpus: Corpus, count: int, chance: random.Random) -> Iterator[Quote]:
    """Yield places in the documents of a corpus."""
    for number in range(count):
        document = chance.choice(corpus.documents)
        fitting = sentences_of(document) if number % 2 else []
        if fitting:
            span = chance.choice(fitting)
        else:
            words = [match.span() for match in WORD.finditer(document.text)]
            size = chance.randint(MIN_WORDS, 30)
            first = chance.randrange(max(1, len(words) - size))
            span = Span(words[first][0], words[min(first + size, len(words)) - 1][1])
        elsewhere = [other for other in corpus.documents if other is not document]
        among = chance.sample(elsewhere, min(DOCUMENTS_SEARCHED - 1, len(elsewhere)))
        chance.shuffle(among)
        yield Quote(document, span, [*among, document])


@cache
def sentences_of(document: Document) -> list[Span]:
    """Return the sentences of a document that are neither short nor very long."""
    spans = [span.strip(document.text) for span in sentences(document.text)]
    sizes = [len(words_of(span.of(document.text))) for span in spans]
    return [span for span, size in zip(spans, sizes, strict=True) if MIN_WORDS <= size <= MAX_WORDS]


def words_of(text: str) -> list[str]:
    """Return the words of a text, with their marks."""
    return WORD.findall(text)


def join_words(words: Sequence[str]) -> str:
    """Join words into a text, those of Chinese without spaces."""
    return re.sub(f" (?={HAN})|(?<={HAN}) ", "", " ".join(words))


def changes(vocabulary: Sequence[str]) -> dict[str, Change]:
    """Return ways to change the words of a quote, from none to a paraphrase."""

    def drop_word(words: list[str], chance: random.Random) -> list[str]:
        dropped = chance.choice(range(1, len(words) - 1))
        return [*words[:dropped], *words[dropped + 1 :]]

    def replace_words(share: float) -> Change:
        def change(words: list[str], chance: random.Random) -> list[str]:
            replaced = set(chance.sample(range(len(words)), max(1, round(share * len(words)))))
            return [
                chance.choice(vocabulary) if number in replaced else word
                for number, word in enumerate(words)
            ]

        return change

    def leave_out_middle(words: list[str], _: random.Random) -> list[str]:
        third = max(2, len(words) // 3)
        return [*words[:third], "...", *words[-third:]]

    def paraphrase(words: list[str], chance: random.Random) -> list[str]:
        turned = words[len(words) // 2 :] + words[: len(words) // 2]
        return replace_words(0.3)([word for word in turned if chance.random() > 0.2], chance)

    return {
        "nothing": lambda words, _: words,
        "line breaks": lambda words, _: ["\n".join(words)],
        "hyphens": lambda words, _: [_divide(word) for word in words],
        "punctuation": lambda words, _: re.sub(r"[^\w\s]", " ", " ".join(words)).split(),
        "a word dropped": drop_word,
        "a word replaced": replace_words(0.0),
        "the middle left out": leave_out_middle,
        "three words in ten replaced": replace_words(0.3),
        "paraphrased": paraphrase,
    }


def outcomes(
    ways: Mapping[str, Change], quote: Quote, chance: random.Random, *, with_baseline: bool
) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcome of each change of a quote, and of a search without its document."""
    words = words_of(quote.text)
    changed = [join_words(change(words, chance)) for change in ways.values()]
    texts = {document.name: document.text for document in quote.among}
    yield from zip(ways, find_quotes(changed, texts, quote, with_baseline), strict=True)
    del texts[quote.document.name]
    letters = _letters(quote.text)
    if texts and not any(letters in _letters(text) for text in texts.values()):
        (row,) = find_quotes([join_words(words)], texts, None, with_baseline)
        yield ELSEWHERE, row


def find_quotes(
    quotes: Sequence[str], texts: Mapping[str, str], true: Quote | None, with_baseline: bool
) -> Iterator[Outcome]:
    """Yield the outcome of each quote. `true` is its place; None: it is in none of the texts."""

    def is_right(name: str | None, span: Span | None) -> bool:
        if name is None or span is None or true is None:
            return False
        if _letters(span.of(texts[name])) == _letters(true.text):
            return True
        shared = span.within(true.span)
        union = max(span.end, true.span.end) - min(span.start, true.span.start)
        return name == true.document.name and shared.end - shared.start >= 0.8 * union

    for quote, citation in zip(quotes, cite(quotes, texts), strict=True):
        baseline_right = is_right(*find_by_baseline(quote, texts)) if with_baseline else None
        yield Outcome(citation.kind, is_right(citation.document, citation.span), baseline_right)


def find_by_baseline(quote: str, texts: Mapping[str, str]) -> tuple[str | None, Span | None]:
    """Return the place with the highest partial ratio of rapidfuzz."""
    best = float(MIN_SIMILARITY)
    place: tuple[str | None, Span | None] = None, None
    for name, text in texts.items():
        match = partial_ratio_alignment(quote.lower(), text.lower(), score_cutoff=best)
        if match is not None and (place[0] is None or match.score > best):
            best, place = match.score, (name, Span(match.dest_start, match.dest_end))
    return place


def show(name: str, rows: Sequence[Outcome]) -> None:
    """Print a row of the table."""

    def share(values: Sequence[bool | None]) -> str:
        return f"{fmean(map(bool, values)):.1%}" if values else ""

    kinds = (share([row.kind == kind for row in rows]) for kind in KINDS)
    precision = share([row.right for row in rows if row.kind != "not found"])
    recall = share([row.right for row in rows])
    baseline = share([row.baseline_right for row in rows if row.baseline_right is not None])
    print(" | ".join([name, f"{len(rows)}", *kinds, precision, recall, baseline]))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _divide(word: str) -> str:
    """Return a word without its hyphens, and divided at the end of a line if it is long."""
    bare = word.replace("-", " ")
    return f"{bare[:4]}-\n{bare[4:]}" if len(bare) > 7 and bare.isalpha() else bare


if __name__ == "__main__":
    main()
