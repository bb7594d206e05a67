"""Postings: in which chunks each term occurs; and BM25, which scores chunks by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from math import log

import numpy as np
import numpy.typing as npt

from lumber_core.storage.database import Connection, select, to_bytes

Postings = dict[int, bytes]
"""The stored posting list of each term, by the term's digest: an entry for each chunk with the
term; see `_ENTRY`. Lists with ascending places are joined by joining the bytes. The table
`postings` has a row with the list of a term in a segment; see `keys_in`."""

MAX_SEGMENTS = 1 << 11  # of one index: they have more than 67 million chunks
_DIGEST_BITS = 52
"""Bits of a term's digest. With the number of its segment, it makes the key of a row, of 63 bits.
The table needs no other index, which would be an eighth of the file. Among 200,000 terms, two share
a digest with a probability of 1 in 200,000; a search for one then also finds the other."""

INSIDE, AROUND = 2, 1
"""The weights of a word in a chunk, and of a word in the text around it. Measured: recall on the
development corpora, with and without vectors, is highest if the second is 0.35 to 0.75 of the
first."""

_ENTRY = np.dtype("<u4")  # the place of a chunk * 256 + the weight of the term, at most 255
_K1, _B = 1.2, 0.75  # the parameters of BM25 in Lucene
_MIN_WEIGHT = 1e-6  # of a term in more than half of the chunks
# Posting lists with this many entries are long: they are read on first use, and scored only for
# contenders, because finding these takes as long as scoring this many entries.
_MIN_LONG_ENTRIES = 5_000
PostingList = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.uint64]
_Floats = npt.NDArray[np.float32]
_Places = npt.NDArray[np.intp]


def postings_of(chunks: Sequence[tuple[Sequence[str], Sequence[str]]], first: int = 0) -> Postings:
    """Return the postings of chunks from place `first` on, given the terms in and around them."""
    distinct = [*{*chain.from_iterable(chain.from_iterable(chunks))}]
    digests, numbers = np.unique(keys_of(distinct, _DIGEST_BITS), return_inverse=True)
    term_numbers = dict(zip(distinct, numbers.tolist(), strict=True))
    terms: list[int] = []
    places, counts = [], []
    for weight, part in ((INSIDE, 0), (AROUND, 1)):
        texts = [chunk[part] for chunk in chunks]
        terms += map(term_numbers.__getitem__, chain.from_iterable(texts))
        places.append(
            np.repeat(np.arange(first, first + len(texts)), [len(text) for text in texts])
        )
        counts.append(np.full(len(places[-1]), weight))
    if not terms:
        return {}
    keys = np.array(terms, dtype=np.int64) << 32 | np.concatenate(places)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))  # the first of equal keys
    weights = np.minimum(255, np.add.reduceat(np.concatenate(counts)[order], firsts))
    keys = keys[firsts]
    entries = ((keys & 0xFFFFFFFF) << 8 | weights).astype(_ENTRY)
    return _split_lists(digests.tolist(), np.bincount(keys >> 32), entries)


def with_places(lists: Iterable[tuple[int, bytes]], places: npt.NDArray[np.int64]) -> Postings:
    """Return postings with other places.

    Args:
        lists: The digests of terms with their posting lists.
        places: The new place of each chunk, ascending; -1 for chunks that are left out.
    """
    terms, contents = [*zip(*lists, strict=True)] or ([], [])
    entries = np.frombuffer(b"".join(contents), dtype=_ENTRY)
    new_places = places[entries >> 8]
    remains = new_places >= 0
    of_term = np.repeat(np.arange(len(terms)), [len(raw) // _ENTRY.itemsize for raw in contents])
    counts = np.bincount(of_term[remains], minlength=len(terms))
    return _split_lists(terms, counts, (new_places << 8 | entries & 255)[remains].astype(_ENTRY))


def keys_of(texts: Iterable[str], bits: int = 64) -> Keys:
    """Return a digest of each text; practically no two of a million texts share all 64 bits."""
    digests = [blake2b(to_bytes(text), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u8") >> np.uint64(64 - bits)


def keys_in(segment: int) -> range:
    """Return the keys of a segment's posting lists, by the digests of their terms."""
    first = segment % MAX_SEGMENTS << _DIGEST_BITS
    return range(first, first + (1 << _DIGEST_BITS))


def saturation(lengths: npt.NDArray[np.uint32], average: float) -> _Floats:
    """Return the numbers that BM25 adds to the counts of terms, by the lengths of chunks."""
    return (INSIDE * _K1 * (1 - _B + _B / (average or 1) * lengths)).astype(np.float32)


class TermLists(dict[str, list[PostingList]]):
    """The posting lists of terms in each segment; removed chunks are left out.

    Lists of terms that most chunks have are long and seldom needed: they are read on first use.

    Attributes:
        counts: How many chunks have each term.

    Args:
        connection: Has an open transaction.
        removed: Which chunks of each segment are removed, by its ID; None: no chunk is.
        terms: The terms.
        size: Number of chunks of the largest segment.
    """

    def __init__(
        self,
        connection: Connection,
        removed: Mapping[int, npt.NDArray[np.bool_] | None],
        terms: Iterable[str],
        size: int,
    ) -> None:
        self.counts: dict[str, int] = {}
        self._connection, self._removed = connection, removed
        # If chunks are removed, live chunks can only be counted in the lists.
        some_removed = any(mask is not None for mask in removed.values())
        longest = max(_MIN_LONG_ENTRIES, size // 2)
        self._read(terms, f"{some_removed} OR length(chunks) <= {_ENTRY.itemsize * longest}")

    def __missing__(self, term: str) -> list[PostingList]:
        self._read([term], "TRUE")
        return self[term]

    def _read(self, terms: Iterable[str], condition: str) -> None:
        """Read the lists that meet a condition in SQL; only count the entries of other lists."""
        columns = f"key, length(chunks), CASE WHEN {condition} THEN chunks END"
        query = f"{columns} FROM postings WHERE key"
        lists = {term: [np.zeros(0, dtype=_ENTRY)] * len(self._removed) for term in terms}
        self.counts |= dict.fromkeys(lists, 0)
        by_key, long = dict[int, tuple[str, int, int]](), set()
        digests = keys_of(lists, _DIGEST_BITS).tolist()
        for place, segment in enumerate(self._removed):
            keys = map(keys_in(segment).__getitem__, digests)
            by_key |= {key: (term, place, segment) for key, term in zip(keys, lists, strict=True)}
        for key, size, chunks in select(self._connection, query, by_key):
            term, place, segment = by_key[key]
            if chunks is None:
                long.add(term)
                self.counts[term] += size // _ENTRY.itemsize
                continue
            entries, removed = np.frombuffer(chunks, dtype=_ENTRY), self._removed[segment]
            live = entries if removed is None else entries[~removed[entries >> 8]]
            lists[term][place] = live
            self.counts[term] += len(live)
        self.update((term, term_lists) for term, term_lists in lists.items() if term not in long)


def bm25(
    lists: Mapping[str, Sequence[PostingList]],
    counts: Mapping[str, int],
    lengths: Sequence[_Floats],
    total: int,
    wanted: int,
    *,
    every: bool,
) -> tuple[_Places, _Floats]:
    """Return the places of chunks, ascending, and their BM25 scores.

    Args:
        lists: The posting lists of the terms of the query in each part of the chunks.
        counts: How many chunks have each term.
        lengths: The result of `saturation` for each part.
        total: Number of live chunks.
        wanted: How many chunks are wanted. If other terms find as many, terms in most chunks are
            skipped: their weight is close to 0.
        every: Whether all chunks with a term are returned. False: at least the `wanted` best.
    """
    ends = np.cumsum([len(part) for part in lengths])
    scores = np.zeros(ends[-1], dtype=np.float32)
    parts = np.split(scores, ends[:-1])  # views
    ordered = sorted(counts, key=counts.__getitem__)
    weights = [log((total - counts[term] + 0.5) / (counts[term] + 0.5)) for term in ordered]
    factors = [max(weight, _MIN_WEIGHT) * (_K1 + 1) for weight in weights]
    best: _Places | None = None  # the chunks that may be among the `wanted`; None: all
    for number, term in enumerate(ordered):
        if weights[number] <= 0 and (best is not None or np.count_nonzero(scores) >= wanted):
            break
        most_added = sum(factors[number:])  # by this and all later terms
        is_long = counts[term] >= _MIN_LONG_ENTRIES
        # If these can add more than a fifth of the first factor, nearly all chunks contend.
        if best is None and not every and is_long and most_added * 5 <= factors[0]:
            best = _contenders(scores, wanted, most_added)
        factor = np.float32(factors[number])
        for entries, part, sums, end in zip(lists[term], lengths, parts, ends, strict=True):
            if not len(entries):
                continue
            if best is not None:
                part_places = (
                    best[slice(*np.searchsorted(best, (end - len(part), end)))] - end + len(part)
                )
                next_entries = np.searchsorted(entries[:-1], (part_places << 8).astype(_ENTRY))
                entries = entries[next_entries]
                entries = entries[entries >> 8 == part_places]
            places, occurring = (entries >> 8).astype(np.intp), (entries & 255).astype(np.float32)
            added = factor * occurring
            added /= occurring + part.take(places)
            sums[places] = added + sums.take(places)
    places = np.flatnonzero(scores > 0) if best is None else best
    return places, scores[places]


def _contenders(scores: _Floats, wanted: int, most_added: float) -> _Places | None:
    """Return the places that may be best if up to `most_added` is added to scores; None: all."""
    places = np.flatnonzero(scores > 0)
    values = scores.take(places)
    if len(values) < wanted:
        return None
    lowest = np.partition(values, -wanted)[-wanted] - most_added
    return places[values >= lowest] if lowest > 0 else None


def _split_lists(terms: Iterable[int], counts: _Places, entries: PostingList) -> Postings:
    """Return the posting list of each term, given how many of the entries it has."""
    content = entries.tobytes()
    ends = np.cumsum(counts * _ENTRY.itemsize).tolist()
    return {
        term: content[start:end]
        for term, start, end in zip(terms, [0, *ends], ends, strict=False)
        if end > start
    }
