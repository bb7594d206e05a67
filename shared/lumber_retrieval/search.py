"""From a question to passages: vectors and words propose chunks, which are then reranked.

The rankings by vectors and by words are fused. The best chunks and their neighbours are ranked by
how much of the question they contain, and become passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import numpy as np

from lumber_retrieval.hits import Accepts, Hit
from lumber_retrieval.index.snapshot import Snapshot
from lumber_retrieval.index.vectors import Vectors, rotate
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import NEIGHBOUR_SHARE, SearchSettings, select_passages
from lumber_retrieval.words.coverage import QuestionWords
from lumber_retrieval.words.title_boost import favour_named, title_of

CANDIDATES = 100
"""Chunks taken from each ranking of up to 8,000. Recall on the development corpora is the same from
30 to 100; with 300 it is 0.007 less at 600 words on RAG-Multi-Corpus."""
_CANDIDATE_SHARE, _MOST_CANDIDATES = 80, 200
"""Of a larger index each 80th chunk is taken, up to 200: a chunk counts nothing in a ranking that
it is not taken from. Of 24,000 chunks of annual reports 300 instead of 100 touch the page of the
evidence for 0.04 more of the questions; from 200 to 1,500 it is the same within 0.015. A search of
100,000 chunks takes 1.06 times as long with 200, and 1.6 times with 600."""
_MOST_RERANKED = 40
"""Chunks that are reranked, with their neighbours. Recall is the same with 60 or 100. With 25 it is
0.002 less at 600 words."""


def find_passages(
    snapshot: Snapshot,
    query: str,
    vector: Sequence[float] | Vectors,
    settings: SearchSettings,
    *,
    accepts: Accepts | None = None,
    language: str = "en",
) -> list[Passage]:
    """Return the passages that fit a question; see `select_passages`."""
    count = min(max(CANDIDATES, snapshot.size // _CANDIDATE_SHARE), _MOST_CANDIDATES)
    wanted = rotate(np.asarray(vector, dtype=np.float32))
    by_words = snapshot.matching(query, count, accepts) if settings.keywords else {}
    nearest = snapshot.nearest(wanted, count, accepts) if wanted.any() or not by_words else {}
    if by_words and len(nearest) > 1 == len({*nearest.values()}):
        nearest = {}  # mocks of models return zeros, or the same vector for all texts
    scores = fuse([nearest, by_words])
    question = QuestionWords(
        query if settings.keywords else "", snapshot.frequencies, snapshot.size
    )
    if settings.keywords:
        long = snapshot.long_documents(scores)
        names = {document: title_of(metadata) for document, metadata in long.items()}
        documents = snapshot.documents_of(scores) if any(names.values()) else {}
        titles = {n: (document, names.get(document, "")) for n, document in documents.items()}
        scores = favour_named(query, scores, titles) if titles else scores
    best = snapshot.first(scores.items(), _MOST_RERANKED)
    hits, texts = snapshot.hits(best, wanted)
    hits = [hit for hit in hits if hit.number in best or accepts is None or accepts(hit.metadata)]
    chunks = _score_neighbours(hits, best, settings.min_similarity)
    return select_passages(question, chunks, texts, settings, language)


def fuse(rankings: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the scores of all numbers in any ranking, from 0 to 1, best first.

    Relative score fusion: the scores of each ranking are scaled to 0 for its last number and 1 for
    its first. A number that a ranking lacks has 0 there. The result is the mean over the rankings
    that are not empty.
    """
    rankings = [ranking for ranking in rankings if ranking]
    total: dict[int, float] = {}
    for ranking in rankings:
        low, high = min(ranking.values()), max(ranking.values())
        if high == low:
            scaled = dict.fromkeys(ranking, 1 / len(rankings))
        else:
            width = (high - low) * len(rankings)
            scaled = {number: (score - low) / width for number, score in ranking.items()}
        total |= {number: score + total.get(number, 0.0) for number, score in scaled.items()}
    return dict(sorted(total.items(), key=itemgetter(1), reverse=True))


def _score_neighbours(
    hits: Iterable[Hit], scores: Mapping[int, float], least: float | None
) -> list[Hit]:
    """Return the chunks that have scores, and their neighbours with shares of these, in order."""
    documents = {hit.number: hit.document for hit in hits}
    chunks = []
    for hit in sorted(hits, key=lambda hit: hit[1::-1]):
        shares = [
            NEIGHBOUR_SHARE * scores[near]
            for near in (hit.number - 1, hit.number + 1)
            if near in scores and documents[near] == hit.document
        ]
        if hit.number in scores:
            shares.append(scores[hit.number])
        if shares and (least is None or (hit.similarity or 0.0) >= least):
            chunks.append(hit._replace(score=max(shares)))
    return chunks
