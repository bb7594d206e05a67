"""After any additions and removals, segments give the results of a search of all chunks."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_retrieval.index import postings, segments, vectors
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.words.keywords import terms
from tests.postgres import Place
from tests.profiles import examples

WIDTH = 70
RNG = np.random.default_rng(7)
CENTRE = 3 * RNG.standard_normal(WIDTH).astype(np.float32)
ROTATED = vectors.rotate(CENTRE)


def unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def vectors_of(count: int, seed: int = 0, centre: Any = CENTRE) -> Any:
    """Vectors of few topics that are close to each other, as those of many models are."""
    rng = np.random.default_rng(seed)
    topics = rng.standard_normal((count, 20)) @ rng.standard_normal((20, len(centre)))
    return unit(topics / 4 + rng.standard_normal(topics.shape) / 2 + centre).astype(np.float32)


def new_document(name: str, words: Sequence[str], seed: int = 0) -> NewDocument:
    spans = [Span(2 * n, 2 * n + 1) for n in range(len(words))]
    return NewDocument(
        name,
        source=name,
        digest="",
        text="ab" * len(words),
        metadata={"name": name},
        spans=spans,
        details=[{"n": n} for n in range(len(words))],
        words=words,
        around=["", *words][: len(words)],
        vectors=vectors_of(len(words), seed) if words else np.zeros((0, 0), np.float32),
    )


def by_brute_force(documents: Sequence[NewDocument], query: str) -> dict[tuple[str, int], float]:
    """BM25 with the words before a chunk counting half, as SQLite's FTS5 computes it."""
    rows = {
        (stored.name, n): (Counter(terms(words)), Counter(terms(around)))
        for stored in documents
        for n, (words, around) in enumerate(zip(stored.words, stored.around, strict=True))
    }
    lengths = {key: words.total() + around.total() for key, (words, around) in rows.items()}
    average = sum(lengths.values()) / max(1, len(rows))
    scores: dict[tuple[str, int], float] = defaultdict(float)
    for term in set(terms(query)):
        having = {key: words[term] + around[term] / 2 for key, (words, around) in rows.items()}
        chunks = sum(count > 0 for count in having.values())
        idf = max(1e-6, math.log((len(rows) - chunks + 0.5) / (chunks + 0.5)))
        for key, count in having.items():
            if count:
                long = 1.2 * (0.25 + 0.75 * lengths[key] / average)
                scores[key] += idf * count * 2.2 / (count + long)
    return dict(scores)


WORDS = st.lists(st.sampled_from(["oak", "elm", "ash", "fir", "yew", "the", "the"]), max_size=6)
TEXTS = st.lists(WORDS.map(" ".join), max_size=12)
STEPS = st.lists(st.tuples(st.sampled_from("abcdefgh"), TEXTS | st.none()), min_size=1, max_size=14)


@settings(examples(20, long=60), suppress_health_check=[*HealthCheck])
@given(steps=STEPS, query=WORDS.map(" ".join), most=st.sampled_from([5, 16, 1 << 16]))
def test_searches_by_words_and_vectors_equal_a_search_of_all_chunks(place, steps, query, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_MAX_SEGMENT_CHUNKS", most)
        # Low limits: candidates are chosen by the signs of vectors, and the missed ones come later.
        patch.setattr(segments, "_MAX_COMPARED_CHUNKS", 8)
        patch.setattr(segments, "_MIN_CANDIDATES", 8)
        patch.setattr(postings, "_MIN_LONG_ENTRIES", 1)
        store = PassageStore(place())
        expected_documents: dict[str, NewDocument] = {}
        for step, (name, words) in enumerate(steps):
            if words is None:
                store.remove([name])
                expected_documents.pop(name, None)
            else:
                expected_documents[name] = new_document(name, words, step)
                store.put([expected_documents[name]])
            with store.snapshot() as snapshot:  # the copy in memory is updated
                matching = snapshot.find_by_words(query, 1000, lambda _: True)
                stored_keys = {
                    (hit.document, hit.metadata["n"]): hit.score
                    for hit in snapshot.hits(matching, ROTATED)[0][: len(matching)]
                }
                scores = snapshot.nearest(ROTATED, 1000, lambda _: True)
                nearest, _ = snapshot.hits(scores, ROTATED)
                best, same = (
                    snapshot.find_by_words(query, 3, predicate)
                    for predicate in (None, lambda _: True)
                )
                snapshot.find_by_words("oak fern", 1, None)
                counted = snapshot.frequencies
        expected = by_brute_force([*expected_documents.values()], query)
        assert stored_keys == pytest.approx(expected, rel=1e-4, abs=1e-5)
        assert [*stored_keys.values()] == sorted(stored_keys.values(), reverse=True)
        assert best == same
        similarities = {
            (predicate.name, n): similarity
            for predicate in expected_documents.values()
            if predicate.words
            for n, similarity in enumerate(predicate.vectors @ unit(CENTRE))
        }
        near = {(hit.document, hit.metadata["n"]): hit.score for hit in nearest}
        assert near == pytest.approx(similarities, abs=0.01)
        assert counted == {
            "oak": len(by_brute_force([*expected_documents.values()], "oak")),
            "fern": 0,
        }


def test_candidates_by_signs_include_nearly_all_nearest_vectors() -> None:
    """This holds even if all vectors are close to one vector with one very large number."""
    for centre in (np.zeros(384), np.eye(384)[7] * 60 + 1):
        rows = vectors_of(4000, 1, centre)
        query = vectors.rotate(unit(rows[0] + 0.8 * rows[1]))
        packed = vectors.PackedVectors(vectors.pack(rows), len(rows))
        exact = np.argsort(-(vectors.rotate(rows) @ query))[:100]
        similarities = packed.similarities(vectors.in_two_parts(query), np.arange(len(rows)))
        assert len({*exact} & {*np.argsort(-similarities)[:100]}) >= 99
        chosen = next(vectors.highest(packed.estimates(query), np.arange(len(rows)), 300))
        assert len({*exact} & {*chosen}) >= 98


def test_a_vector_is_stored_and_compared_independently_of_others() -> None:
    rows = vectors_of(700, 3)
    parts = vectors.in_two_parts(vectors.rotate(rows[5]))
    packed_rows = [vectors.pack(rows[n : n + 1]) for n in range(len(rows))]
    assert b"".join(packed_rows) == vectors.pack(rows)
    packed_together = vectors.PackedVectors(vectors.pack(rows), len(rows))
    single = [
        vectors.PackedVectors(packed, 1).similarities(parts, np.arange(1)) for packed in packed_rows
    ]
    assert (
        np.concatenate(single).tolist()
        == packed_together.similarities(parts, np.arange(700)).tolist()
    )


@pytest.mark.parametrize("width", [64, 384, 1024, 3072])
def test_similarities_do_not_depend_on_the_order_of_sums(width: int) -> None:
    """This holds for any width, even if all stored numbers have the largest value."""
    numbers = np.full((2, width), 127, dtype=np.int8)
    numbers[1, ::3] = -101
    query = vectors.rotate(unit(1 + np.random.default_rng(5).random(width)))
    query = np.abs(query)
    there, back = (
        vectors.PackedVectors(rows.tobytes(), 2).similarities(
            vectors.in_two_parts(query_numbers), np.arange(2)
        )
        for rows, query_numbers in ((numbers, query), (numbers[:, ::-1], query[::-1]))
    )
    assert there.tolist() == back.tolist()
    lengths = np.linalg.norm(numbers.astype(np.float64), axis=1)
    assert there == pytest.approx(numbers @ query / lengths, abs=2e-6)


def test_bits_are_counted_the_same_with_every_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    values = RNG.integers(0, 2**64, 500, dtype=np.uint64)
    expected = [int(value).bit_count() for value in values]
    assert vectors._bit_count(values).tolist() == expected
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert vectors._bit_count(values).tolist() == expected


def test_an_addition_writes_only_new_rows_and_segments_stay_few(place: Place) -> None:
    store = PassageStore(place())
    for number in range(100):
        store.put([new_document(str(number), ["oak elm", "ash"])])
    with store.database.transaction() as connection:
        sizes = [size for (size,) in connection.execute("SELECT size FROM segments ORDER BY first")]
    assert sum(sizes) == 200
    assert all(size > sum(sizes[n + 1 :]) for n, size in enumerate(sizes))
    with store.snapshot() as snapshot:
        large = snapshot._segments.segments[0].id
    store.put([new_document("more", ["fir"])])
    with store.snapshot() as snapshot:  # the largest segment is not written or read again
        assert snapshot._segments.segments[0].id == large


def test_removed_chunks_do_not_stay_in_the_store(place: Place) -> None:
    store = PassageStore(place())
    store.put([new_document(str(number), ["oak elm", "ash"]) for number in range(20)])
    store.remove([str(number) for number in range(12)])
    with store.database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM removed").fetchone() == (0,)
        assert connection.execute("SELECT sum(size) FROM segments").fetchone() == (16,)
    store.remove([str(number) for number in range(12, 20)])
    with store.database.transaction() as connection:
        for table in ("segments", "postings", "removed", "chunks", "documents"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_any_bytes_in_a_digest_are_read_as_a_value(place: Place) -> None:
    digests = ["", "NULL", '"', "\\", "{a,b}", "a, b", "'; --", "%s", "?", "å"]
    store = PassageStore(place())
    store.put(
        [new_document(f"{n}", ["oak"])._replace(digest=digest) for n, digest in enumerate(digests)]
    )
    for requested in (digests, digests[:1], ["none", "{}"]):
        versions = store.versions(["absent"], requested)
        assert {digest.digest for digest in versions.values()} == {*digests} & {*requested}


def test_data_in_memory_is_not_used_for_another_file(tmp_path: Path) -> None:
    def answers(store: PassageStore) -> list[tuple[str, float]]:
        with store.snapshot() as snapshot:
            scores = snapshot.nearest(ROTATED, 9, None) | snapshot.find_by_words("oak", 9, None)
            return [(hit.document, hit.score) for hit in snapshot.hits(scores, ROTATED)[0]]

    path, other, copy = (tmp_path / name for name in ("index.db", "other.db", "copy.db"))
    store = PassageStore(path)
    store.put([new_document("a", ["oak"], 1), new_document("b", ["elm"], 2)])
    PassageStore(other).put([new_document("c", ["oak"], 3), new_document("d", ["oak elm"], 4)])
    copy.write_bytes(path.read_bytes())
    assert answers(store) == answers(PassageStore(path))
    other.replace(path)  # the same number of changes, different content
    assert {name for name, _ in answers(store)} == {"c", "d"}
    assert answers(store) == answers(PassageStore(path))
    copy.replace(path)
    assert answers(store) == answers(PassageStore(path))
    store.put([new_document("e", ["oak"], 5)])
    older = path.read_bytes()
    store.put([new_document("f", ["fir"], 6)])
    assert len(answers(store)) == 4
    path.write_bytes(older)  # the inode stays the same
    store.put([new_document("g", ["ash"], 7)])
    assert {name for name, _ in answers(store)} == {"a", "b", "e", "g"}
    assert answers(store) == answers(PassageStore(path))
