"""Prefers documents that a question names, such as one company's among many long reports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import pairwise
from operator import itemgetter
from typing import Any

from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import TITLE_KEY, given_title
from lumber_core.text.source import Source
from lumber_core.text.titles import document_title
from lumber_retrieval.words.coverage import content_words, stem
from lumber_retrieval.words.keywords import words_in

_TITLE_WEIGHT = 0.4
"""Added to scores from 0 to 1 of chunks in the document that the question names. From 0.3 to 0.8,
recall on FinanceBench changes by at most one question."""
_FEWEST_LETTERS = 3  # of a question's word that begins a title's word: "MGM", "mgmresorts"


def favour_named(
    question: str, scores: Mapping[int, float], titles: Mapping[int, tuple[Hashable, str]]
) -> dict[int, float]:
    """Return scores that are higher for chunks of documents that a question names, best first.

    The weight of a title is that of its words in the question. A word weighs more if fewer titles
    have it. Names of files may lack spaces ("BESTBUY").

    Args:
        question: The question.
        scores: Scores from 0 to 1, by the numbers of chunks.
        titles: The document of each chunk, and its title, or "".
    """
    words = words_in(question)
    names = {word for word in content_words(words) if not word.isdecimal()}
    joined = {stem(a + b) for a, b in pairwise(words) if len(a + b) > len(stem(a + b))}
    starts = (*{stem(word) for word in names if len(word) >= _FEWEST_LETTERS}, *joined)
    common = {
        document: {word for word in words_in(title) if word.startswith(starts) or word in names}
        for document, title in {*titles.values()}
    }
    counts = Counter(word for in_title in common.values() for word in in_title)
    weights = {
        document: math.fsum(math.log(len(common) / counts[word]) for word in in_title)
        for document, in_title in common.items()
    }
    highest = max(weights.values(), default=0)
    if not highest:
        return {**scores}
    boosted = {
        number: (score + _TITLE_WEIGHT * weights[titles[number][0]] / highest) / (1 + _TITLE_WEIGHT)
        for number, score in scores.items()
    }
    return dict(sorted(boosted.items(), key=itemgetter(1), reverse=True))


def title_of(metadata: Mapping[Any, Any]) -> str:
    """Return the title of a document from a chunk's metadata, apart from its headings."""
    own = {CONTEXT_KEY: metadata.get(CONTEXT_KEY, ""), TITLE_KEY: given_title(metadata)}
    return document_title(own, Source("", metadata=metadata).named)
