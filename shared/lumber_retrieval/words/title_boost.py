"""Which documents a question names: of several long reports, those of the company it is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.source import Source
from lumber_core.text.titles import document_title
from lumber_retrieval.words.coverage import content_words, stem
from lumber_retrieval.words.keywords import words_in

LONG = 30_000
"""Characters of a text whose title counts, about ten pages. The chunks of a shorter document are
few: if they came first, they all would."""
_NAMED = 0.4
"""What being in the document that is named counts, beside a score from 0 to 1. From 0.3 to 0.8
FinanceBench has the same recall within a question."""
_SHORTEST = 3  # letters by which a longer word is named, as in "MGM" for "mgmresorts"


def favour_named(
    question: str, scores: Mapping[int, float], titles: Mapping[int, tuple[Hashable, str]]
) -> dict[int, float]:
    """Return scores with more for chunks of documents that a question names, best first.

    A title counts by its words that the question has, each the more, the fewer of the documents
    have it. Names of files are written without spaces at times ("BESTBUY").

    Scores are from 0 to 1, by the numbers of chunks; `titles` has the document of each chunk, and
    its title, or "".
    """
    words = words_in(question)
    asked = {word for word in content_words(words) if not word.isdecimal()}
    joined = {stem(a + b) for a, b in pairwise(words) if len(a + b) > len(stem(a + b))}
    starts = (*{stem(word) for word in asked if len(word) >= _SHORTEST}, *joined)
    said = {
        document: {word for word in words_in(title) if word.startswith(starts) or word in asked}
        for document, title in {*titles.values()}
    }
    counts = Counter(word for known in said.values() for word in known)
    weights = {
        document: math.fsum(math.log(len(said) / counts[word]) for word in known)
        for document, known in said.items()
    }
    most = max(weights.values(), default=0)
    if not most:
        return {**scores}
    favoured = {
        number: (score + _NAMED * weights[titles[number][0]] / most) / (1 + _NAMED)
        for number, score in scores.items()
    }
    return dict(sorted(favoured.items(), key=lambda one: one[1], reverse=True))


def title_of(metadata: Mapping[Any, Any]) -> str:
    """Return the title of a document by the metadata of a chunk, in which headings are no title."""
    own = {CONTEXT_KEY: "", **metadata, "headings": None}
    return document_title(own, Source("", metadata=own).named)
