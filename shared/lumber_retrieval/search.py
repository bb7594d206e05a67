"""From a question to passages: vectors and words propose chunks, and the best are ranked once more.

Both rankings become one. Its best chunks and their neighbours are ranked by how much of the
question they cover, and become passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from lumber_retrieval.hits import Accepts, Hit
from lumber_retrieval.index.snapshot import Snapshot
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import BESIDE, SearchSettings, passages_of
from lumber_retrieval.words.coverage import AskedWords
from lumber_retrieval.words.title_boost import LONG, favour_named, title_of

CANDIDATES = 100
"""Chunks taken from each ranking. Recall on the development corpora is the same from 30 to 300."""
_RANKED = 40
"""Chunks that are ranked again, with their neighbours. With 60 or 100 recall is the same, with 25
0.002 less at 600 words."""


def find_passages(
    snapshot: Snapshot,
    query: str,
    vector: Sequence[float],
    settings: SearchSettings,
    *,
    accepts: Accepts | None = None,
    language: str = "en",
) -> list[Passage]:
    """Return the passages that fit a question; see `passages_of`."""
    rankings = [snapshot.nearest(vector, CANDIDATES, accepts)]
    if settings.keywords:
        rankings.append(snapshot.matching(query, CANDIDATES, accepts))
    asked = query if settings.keywords else ""
    question = AskedWords(asked, snapshot.frequencies, len(snapshot))
    scores = fused(rankings)
    if settings.keywords:
        documents = snapshot.documents_of(scores, least_length=LONG)
        titles = {
            number: (document, title_of(metadata) if metadata else "")
            for number, (document, metadata) in documents.items()
        }
        scores = favour_named(query, scores, titles)
    found = [*scores.items()][:_RANKED]
    chunks, texts = _with_neighbours(snapshot, found, accepts)
    similarities = snapshot.similarities(vector, [chunk.number for chunk in chunks])
    least = settings.min_similarity
    chunks = [
        chunk._replace(similarity=similarity)
        for chunk, similarity in zip(chunks, similarities, strict=True)
        if least is None or similarity >= least
    ]
    return passages_of(question, chunks, texts, settings, language)


def fused(rankings: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the scores of all that is in any ranking, from 0 to 1, best first.

    Relative score fusion: the scores of each ranking are scaled to 0 for its last and 1 for its
    first. What a ranking lacks has 0 there. The mean is that of the rankings that have anything.
    """
    known = [ranking for ranking in rankings if ranking]
    total: dict[int, float] = {}
    for ranking in known:
        low, high = min(ranking.values()), max(ranking.values())
        for number, score in ranking.items():
            scaled = (score - low) / (high - low) if high > low else 1.0
            total[number] = total.get(number, 0.0) + scaled / len(known)
    return dict(sorted(total.items(), key=itemgetter(1), reverse=True))


def _with_neighbours(
    snapshot: Snapshot, found: Sequence[tuple[int, float]], accepts: Accepts | None
) -> tuple[list[Hit], dict[str, str]]:
    """Return chunks and those beside them, in reading order, and the texts of their documents."""
    own = dict(found)
    around = {number + step for number in own for step in (-1, 0, 1)}
    hits, texts = snapshot.hits(dict.fromkeys(around, 0.0))  # of the numbers that there are
    documents = {hit.number: hit.document for hit in hits}
    kept = []
    for hit in sorted(hits, key=lambda hit: (hit.document, hit.number)):
        beside = [
            own[number]
            for number in (hit.number - 1, hit.number + 1)
            if number in own and documents[number] == hit.document
        ]
        if hit.number in own or (beside and (accepts is None or accepts(hit.metadata))):
            score = max(own.get(hit.number, 0.0), BESIDE * max(beside, default=0.0))
            kept.append(hit._replace(score=score))
    return kept, texts
