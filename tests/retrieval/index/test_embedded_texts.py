"""Nothing is embedded twice: not after edits, moves and kills, nor by another writer."""

import os
import random
import sqlite3
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any, cast

import pytest

from lumber_core import GreedyChunker, Source
from lumber_core.segmentation import Segmentation
from lumber_core.text.parsed import ParsedText
from lumber_retrieval.embedders import FrameworkEmbedder
from lumber_retrieval.index import embedded_texts
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.index.postings import keys_of
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.passage_index import Changes, PassageIndex
from tests.core.forking import works_in_a_fork
from tests.fuzz.test_index import answer
from tests.postgres import Place
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import MUSIC, RIVER, document, index_of

PROBE = "Which words does this text have?"
QUESTIONS = ("Where do otters hunt?", "strings and pedals", "nests in high trees")
BOOK = "\n\n".join(f"On day {n} the otters of den {n} hunt. They sleep by {n}." for n in range(120))


class Recording(GreedyChunker):
    """A chunker that may read metadata."""

    def __init__(self, reads: str = "") -> None:
        self.reads = reads
        super().__init__(6, tokenizer="words", chunk_size=12)

    def _segment(self, parsed: ParsedText, *args: Any, **kwargs: Any) -> Segmentation:
        if self.reads == "*":
            dict(parsed.source.metadata)
        elif self.reads:
            parsed.source.metadata.get(self.reads)
        return super()._segment(parsed, *args, **kwargs)


def texts_embedded_by(index: PassageIndex) -> list[str]:
    """Return the texts that the model of an index has embedded, without the probe."""
    model = cast("FrameworkEmbedder", index._embedder)._model
    return [text for text in model.texts if text != PROBE]


def count_embedded(
    index: PassageIndex, *documents: IndexedDocument, remove_others: bool = True
) -> int:
    """Return how many texts are embedded for documents; the model and `Changes` agree on it."""
    before = len(texts_embedded_by(index))
    changes = index.add(documents, remove_others=remove_others)
    assert changes.embedded == len(texts_embedded_by(index)) - before
    assert_made_anew(index, *documents)
    return changes.embedded


def assert_made_anew(index: PassageIndex, *documents: IndexedDocument) -> None:
    anew = PassageIndex(index._chunker, WordVectors())
    anew.add(documents)
    for question in QUESTIONS:
        assert answer(index, question, budget=90) == answer(anew, question, budget=90)


def count_stored(place: Path | str) -> int:
    """Return how many texts an index has the vectors of."""
    with PassageStore(place).database.transaction() as connection:
        rows = connection.execute("SELECT keys, vectors FROM embedded").fetchall()
    assert all(len(vectors) == len(keys) // 8 * 128 for keys, vectors in rows)
    return sum(len(keys) for keys, _ in rows) // 8


def test_an_edit_embeds_only_changed_texts(place: Place) -> None:
    index = index_of(place())
    whole_count = count_embedded(index, document(BOOK, "book"))
    assert whole_count >= 240
    edited = BOOK.replace("On day 60 the", "On day 60 all the")
    assert count_embedded(index, document(edited, "book")) <= 3
    assert count_embedded(index, document(f"A first line.\n\n{edited}", "book")) <= 3
    assert count_embedded(index, document(BOOK, "book")) <= 3
    assert count_embedded(index, document(BOOK, "book", last_accessed=1)) == 0


def test_text_that_moves_between_documents_is_not_embedded_again(place: Place) -> None:
    index = index_of(place())
    both = document(RIVER, "4.txt"), document(MUSIC, "5.txt")
    assert count_embedded(index, *both) > 8
    moved = document(f"{RIVER}\n\n{MUSIC}", "1.txt")
    assert count_embedded(index, moved) == 0
    assert index.sources == ["1.txt"]
    assert count_embedded(index, document(MUSIC, "2.txt"), document(RIVER, "3.txt")) == 0


def test_a_text_is_embedded_once_however_often_it_occurs(place: Place) -> None:
    index = index_of(place())
    assert (
        count_embedded(index, document(f"{RIVER}\n\n{RIVER}", "1.txt"), document(RIVER, "2.txt"))
        == 9
    )
    assert count_embedded(index, document(RIVER, "2.txt")) == 0


def test_a_changed_setting_of_the_splitter_embeds_only_new_texts(place: Place) -> None:
    path, documents = place(), [document(BOOK, "book"), document(RIVER, "river")]
    index_of(path).add(documents)
    model = WordVectors()
    index = PassageIndex(GreedyChunker(6, tokenizer="words", chunk_size=13), model, path)
    changes = index.add(documents, remove_others=True)
    assert changes.added == 2
    assert changes.embedded < changes.chunks / 10
    assert_made_anew(index, *documents)


@pytest.mark.parametrize("reads", ["", "genre", "*"])
def test_changed_metadata_is_stored_without_splitting_unless_the_splitter_reads_it(
    reads: str, place: Place
) -> None:
    def notes(**metadata: Any) -> list[IndexedDocument]:
        return [document(RIVER, "river", **metadata), document(MUSIC, "music", genre="a")]

    index = PassageIndex(Recording(reads), WordVectors(), place())
    index.add(notes(genre="b", seen=1))
    revisions: list[dict[str, Any]] = [{"seen": 2}, {}, {"genre": "c", "seen": 1}]
    for number, metadata in enumerate(revisions, start=1):
        changes = index.add(notes(**metadata))
        assert (changes.added, changes.unchanged, changes.embedded) == (1, 1, 0)
        is_split = reads == "*" or (reads == "genre" and number != 2)
        assert bool(changes.chunks) == is_split
        (passage,) = index.search("otters", budget=6, where={"source": "river"})
        assert {key: passage.metadata[key] for key in metadata} == metadata
        assert {*passage.metadata}.isdisjoint({"seen", "genre"} - {*metadata})
        assert not index.search("otters", where={"seen": {"$eq": 9}})
        for key, value in metadata.items():
            assert index.search("otters", where={key: value})
    assert index.add(notes(genre="c", seen=1)) == Changes(0, 2, 0, 0)


def test_a_new_title_is_embedded(place: Place) -> None:
    index = index_of(place())
    index.add([document(RIVER, "a", title="Rivers")])
    changes = index.add([document(RIVER, "a", title="Brooks")])
    assert changes.embedded == changes.chunks > 0
    assert "Brooks" in texts_embedded_by(index)[-1]


def test_vectors_returned_before_a_failure_are_not_computed_again(place: Place, monkeypatch):
    class Failing(WordVectors):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            if len(self.texts) > 200:
                raise OSError("the server of the model is away")
            return super().embed_documents(texts)

    monkeypatch.setattr(embedded_texts, "TEXTS_PER_CALL", 100)
    path, book = place(), document(BOOK, "book")
    model = Failing()
    with pytest.raises(OSError, match="is away"):
        index_of(path, model).add([book])
    assert len(model.texts) == 201  # 200 texts and the probe
    second_index = index_of(path)
    assert second_index.sources == []
    changes = second_index.add([book])
    assert changes.embedded == len({*texts_embedded_by(second_index)} - {*model.texts})
    assert_made_anew(second_index, book)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_vectors_are_kept_after_a_kill_before_their_documents_are_stored(
    place: Place, monkeypatch
) -> None:
    path, both = place(), [document(BOOK, "book"), document(RIVER, "river")]
    whole_count = index_of().add(both).embedded

    def add() -> None:
        monkeypatch.setattr(PassageStore, "put", lambda *_: os._exit(0))
        index_of(path).add(both)

    assert works_in_a_fork(add)
    assert count_stored(path) == whole_count
    assert count_embedded(index_of(path), *both) == 0


def test_vectors_of_a_killed_run_outlast_changes_by_others(place: Place, monkeypatch):
    path, book = place(), document(BOOK, "book")
    index_of(path).add([document(RIVER, "river")])
    with monkeypatch.context() as patch:
        patch.setattr(PassageStore, "put", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            index_of(path).add([book])
    index = index_of(path)
    index.add([document(f"It rains.\n\n{RIVER}", "river")])
    assert index.add([book]).embedded == 0


def test_damaged_vectors_are_computed_again(tmp_path: Path, caplog) -> None:
    path, book = tmp_path / "notes.db", document(BOOK, "book")
    first = "id = (SELECT min(id) FROM embedded)"
    whole_count = index_of(path).add([book]).embedded
    for damage in ("vectors = zeroblob(length(vectors))", "vectors = x'00'", "keys = x'0102'"):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE embedded SET {damage} WHERE {first}")
        index = index_of(path)
        assert index.search("otters")  # the vectors of other texts
        if "keys" in damage:
            with pytest.raises(Exception, match=r"notes\.db is damaged .*delete it"):
                index.add([document(RIVER, "river")])
            return
        caplog.clear()
        changes = index.add([document(f"{BOOK}\n\nThe end of {damage}.", "book")])
        assert 64 <= changes.embedded <= 66 < whole_count
        assert "64 stored vectors are damaged" in caplog.text
        assert_made_anew(index, document(f"{BOOK}\n\nThe end of {damage}.", "book"))
        caplog.clear()
        assert count_embedded(index_of(path), book) <= 1
        assert "damaged" not in caplog.text


def test_vectors_that_no_chunk_uses_are_removed(place: Place) -> None:
    path = place()
    index = index_of(path)
    texts = {str(n): f"Otters of den {n} sleep. They hunt in pond {n}." for n in range(200)}

    def notes(names: Mapping[str, str]) -> list[IndexedDocument]:
        return [document(text, name) for name, text in names.items()]

    index.add(notes(texts))
    whole_count = count_stored(path)
    index.delete([str(n) for n in range(50)])
    assert count_stored(path) == whole_count
    index.delete([str(n) for n in range(50, 150)])
    assert count_stored(path) == whole_count / 4
    kept = notes({name: texts[name] for name in random.Random(1).sample([*texts][150:], 20)})
    assert count_embedded(index, *kept) == 0
    assert count_stored(path) == whole_count / 10
    for number in range(30):
        index.add([document(f"Bees of hive {number} hum.", "bees")])
    assert count_stored(path) < whole_count / 5


def test_vectors_of_small_additions_are_stored_in_large_rows(place: Place) -> None:
    path = place()
    index = index_of(path)
    for number in range(70):
        index.add([document(f"Otters of den {number} sleep.", str(number))])
    with index.store.database.transaction() as connection:
        assert len(connection.execute("SELECT id FROM embedded").fetchall()) == 2


def test_two_writers_of_the_same_documents_share_the_embedding(place: Place, monkeypatch) -> None:
    monkeypatch.setattr(embedded_texts, "TEXTS_PER_CALL", 20)
    path, together = place(), Barrier(2, timeout=60)
    documents = [document(text, str(n)) for n, text in enumerate(BOOK.split("\n\n"))]

    class Together(WordVectors):
        """Two instances answer at the same moment, as long as both have texts to embed."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            with suppress(BrokenBarrierError):
                together.wait()
            return super().embed_documents(texts)

    def add(model: WordVectors) -> Changes:
        try:
            return index_of(path, model).add(documents)
        finally:
            together.abort()

    with ThreadPoolExecutor() as pool:
        counts = [*pool.map(add, [Together(), Together()])]
    whole_count = index_of().add(documents).embedded
    assert whole_count <= sum(changes.embedded for changes in counts) < 2 * whole_count
    assert count_stored(path) == whole_count
    assert_made_anew(index_of(path), *documents)


def test_vectors_of_another_writer_are_used(place: Place) -> None:
    path = place()
    first, second = index_of(path), index_of(path)
    assert count_embedded(first, document(RIVER, "1.txt"), remove_others=False) > 0
    assert count_embedded(second, document(RIVER, "1.txt"), remove_others=False) == 0
    assert second.add([document(RIVER, "2.txt")]).embedded == 0


def test_keys_of_vectors_depend_only_on_the_texts() -> None:
    texts = ["", "a", "a\0", "ab", "\ud83d", "\U0001f9a6"]
    assert len({*keys_of(texts).tolist()}) == len(texts)
    assert keys_of(texts[::-1]).tolist() == keys_of(texts).tolist()[::-1]
    assert len(keys_of([])) == 0


def test_a_source_keeps_its_metadata_unchanged() -> None:
    index = index_of()
    metadata = {"source": "river", "tags": ["a", {"b": 1}]}
    index.add([IndexedDocument("river", "river", Source(RIVER, metadata=metadata))])
    assert index.store.contents(["river"])["river"][1] == metadata
