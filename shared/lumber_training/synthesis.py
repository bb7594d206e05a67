"""Synthetic training items, with known segment starts and no manual annotation.

`synthesize` joins pieces of different documents: the topic shifts wherever one document ends and
the next begins (BertChunker's training set). `excerpts` takes runs of sentences from documents
with annotated sections, which are harder and closer to real texts.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from lumber_evaluation.documents import Document, document_from_segments
from lumber_training.items import Item
from lumber_training.pieces import AS_PUBLISHED, Variety, take_piece


def synthesize(
    documents: Sequence[Document],
    *,
    items: int = 30_000,
    segments: int | tuple[int, int] = 4,
    sentences: tuple[int, int] = (1, 5),
    variety: Variety = AS_PUBLISHED,
    seed: int = 0,
) -> list[Item]:
    """Join the first sentences of passages from different documents, as in the paper.

    Args:
        documents: The documents; each of their segments is a passage.
        items: Number of items to make.
        segments: Number of passages in an item, or the smallest and largest number.
        sentences: Smallest and largest number of sentences taken from a passage. A shorter
            passage is taken whole.
        variety: How pieces differ from the paper's.
        seed: Same seed, same items.

    Returns:
        The items. No item has two passages of the same document.

    Raises:
        ValueError: There are fewer documents than segments in an item.
    """
    fewest, most = (segments, segments) if isinstance(segments, int) else segments
    pools = _Pools(documents)
    if pools.count < most:
        raise ValueError(
            f"an item joins up to {most} segments of different documents, but only {pools.count} "
            "documents have text: pass more documents or lower segments"
        )
    rng = random.Random(seed)
    made = []
    for _ in range(items):
        chosen = pools.choose(rng.randint(fewest, most), variety, rng)
        pieces = [take_piece(rng.choice(pool), sentences, variety, rng) for pool in chosen]
        made.append(_joined(pieces))
    return made


def excerpts(
    documents: Sequence[Document],
    *,
    items: int,
    sentences: tuple[int, int] = (8, 40),
    near: float = 0.5,
    seed: int = 0,
) -> list[Item]:
    """Take runs of consecutive sentences from documents with annotated sections.

    Args:
        documents: The documents; those with fewer than two segments are skipped.
        items: Number of items to make.
        sentences: Smallest and largest number of sentences in an item.
        near: Share of the items that contain the start of a section; the others are taken from
            anywhere.
        seed: Same seed, same items.

    Returns:
        The items, each from one document.

    Raises:
        ValueError: No document has two segments.
    """
    marked = [document for document in documents if len(document.starts) > 1]
    if not marked:
        raise ValueError("no document has two segments, so there is no section start to learn from")
    weights = [len(document.units) for document in marked]
    rng = random.Random(seed)
    made = []
    for _ in range(items):
        document = rng.choices(marked, weights)[0]
        length = rng.randint(*sentences)
        last = max(0, len(document.units) - length)
        if rng.random() < near:
            start = bisect_left(document.units, rng.choice(document.starts[1:]))
            first = min(last, max(0, start - rng.randint(1, max(1, length - 1))))
        else:
            first = rng.randint(0, last)
        made.append(_cut(document, first, first + length))
    return made


def notes(
    documents: Sequence[Document],
    *,
    items: int,
    segments: tuple[int, int] = (3, 12),
    sentences: tuple[int, int] = (1, 5),
    seed: int = 0,
) -> list[Item]:
    """Join passages of one document, to be labelled as its notes.

    Boundaries between passages on the same subject are hard to see without labels, so such items
    teach the model to use labels.

    Args:
        documents: The documents; those with fewer passages than an item are skipped.
        items: Number of items to make.
        segments: Smallest and largest number of passages in an item.
        sentences: Smallest and largest number of sentences taken from a passage.
        seed: Same seed, same items.

    Raises:
        ValueError: No document has enough passages.
    """
    rich = [found for d in documents if len(found := _segments_as_sentences(d)) >= segments[0]]
    if not rich:
        raise ValueError(f"no document has {segments[0]} passages to make notes from")
    rng = random.Random(seed)
    made = []
    for _ in range(items):
        passages = rng.choice(rich)
        count = min(len(passages), rng.randint(*segments))
        chosen = sorted(rng.sample(range(len(passages)), count))
        variety = Variety(middles=0.5)
        made.append(_joined([take_piece(passages[n], sentences, variety, rng) for n in chosen]))
    return made


_SENTENCE_END = re.compile(r"[.!?:;][\"\u201d\u2019')\]]*$")


def full_sentences(documents: Sequence[Document]) -> list[Document]:
    """Leave out what is no full sentence: list items, titles and table rows.

    Args:
        documents: The documents.

    Returns:
        The same documents with the sentences that end with a punctuation mark, one a line;
        documents that have none are left out.
    """
    made = []
    for document in documents:
        segments = [
            [sentence for sentence in segment if _SENTENCE_END.search(sentence)]
            for segment in _segments_as_sentences(document)
        ]
        if any(segments):
            made.append(
                document_from_segments(segments, name=document.name, source=document.source)
            )
    return made


def whole(documents: Sequence[Document]) -> list[Item]:
    """Turn whole documents into items, to measure on them."""
    return [Item(document.text, document.units, document.starts) for document in documents]


class _Pools:
    """The passages of every document, to draw from."""

    def __init__(self, documents: Sequence[Document]) -> None:
        by_name = {(document.source, document.name): document for document in documents}
        self._sources: dict[str, list[list[list[str]]]] = {}
        for document in by_name.values():
            passages = _segments_as_sentences(document)
            if passages:
                self._sources.setdefault(document.source, []).append(passages)
        self._all = [pool for pools in self._sources.values() for pool in pools]
        self.count = len(self._all)

    def choose(self, count: int, variety: Variety, rng: random.Random) -> list[list[list[str]]]:
        """Draw distinct documents."""
        if rng.random() < variety.alike:
            rich = {n: pools for n, pools in self._sources.items() if len(pools) >= count}
            if rich:
                return rng.sample(rich[self._source(rich, variety, rng)], count)
        if not variety.balance:
            return rng.sample(self._all, count)
        drawn: list[list[list[str]]] = []
        while len(drawn) < count:
            pool = rng.choice(self._sources[self._source(self._sources, variety, rng)])
            if not any(pool is other for other in drawn):
                drawn.append(pool)
        return drawn

    @staticmethod
    def _source(
        sources: dict[str, list[list[list[str]]]], variety: Variety, rng: random.Random
    ) -> str:
        """Draw a source."""
        weights = [len(pools) ** (1 - variety.balance) for pools in sources.values()]
        return rng.choices(list(sources), weights)[0]


def _segments_as_sentences(document: Document) -> list[list[str]]:
    """Return the sentences of every segment of a document."""
    text, units = document.text, document.units
    found = []
    for start, end in document.segments:
        inner = units[bisect_left(units, start) : bisect_left(units, end)]
        bounds = [*inner, end]
        pieces = [text[a:b].strip() for a, b in pairwise(bounds)]
        if any(pieces):
            found.append([piece for piece in pieces if piece])
    return found


def _joined(segments: Sequence[Sequence[str]]) -> Item:
    """Join sentences with single spaces, so that only the words reveal where segments start."""
    parts: list[str] = []
    sentences: list[int] = []
    starts: list[int] = []
    position = 0
    for segment in segments:
        starts.append(position)
        for sentence in segment:
            sentences.append(position)
            parts.append(sentence)
            position += len(sentence) + 1
    return Item(" ".join(parts), tuple(sentences), tuple(starts))


def _cut(document: Document, first: int, stop: int) -> Item:
    """Return sentences `first` to `stop` (exclusive) of a document as an item."""
    units = document.units
    begin = units[first]
    end = units[stop] if stop < len(units) else len(document.text)
    starts = document.starts
    inner = starts[bisect_right(starts, begin) : bisect_left(starts, end)]
    return Item(
        document.text[begin:end],
        tuple(unit - begin for unit in units[first:stop]),
        (0, *(start - begin for start in inner)),
    )
