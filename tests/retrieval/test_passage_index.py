import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lumber_core import GreedyChunker, LayoutChunker, Source
from lumber_retrieval.index.adding import document_digest
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import CANDIDATES, PassageIndex
from tests.postgres import Place
from tests.retrieval.embeddings import WordVectors

RIVER = (
    "Otters live along rivers. They sleep in dens near the bank. They hunt fish at dawn.\n\n"
    "Herons stand in shallow water. They wait for frogs. Their nests are in high trees.\n\n"
    "The mill has a wheel of oak. It grinds rye and barley. The miller sells flour in May."
)
MUSIC = (
    "Violins have four strings. The strings are tuned in fifths. The bow is made of wood.\n\n"
    "A harp has pedals. They change the pitch. Harps are heavy to carry."
)


def document(text: str, name: str, source: str = "", **metadata: Any) -> IndexedDocument:
    all_metadata = {"source": source or name, **metadata}
    return IndexedDocument(name, source or name, Source(text, metadata=all_metadata))


def index_of(path: str | Path | None = None, embedding: WordVectors | None = None) -> PassageIndex:
    chunker = GreedyChunker(6, tokenizer="words", chunk_size=12)
    return PassageIndex(chunker, embedding or WordVectors(), path)


def texts_found(index: PassageIndex, query: str, **options: Any) -> list[str]:
    return [passage.text for passage in index.search(query, **{"max_gap": 0, **options})]


def test_words_find_chunks_that_vectors_miss(place: Place) -> None:
    class Blind(WordVectors):
        def embed_query(self, text: str) -> list[float]:
            return [1.0] * self.width

    index = index_of(place(), Blind())
    index.add([document(RIVER, "river")])
    for keywords in (True, False):
        first = index.search("barley", budget=6, keywords=keywords)[0].text
        assert ("barley" in first) == keywords


def test_a_repeated_question_is_embedded_once_and_finds_what_was_added(monkeypatch) -> None:
    class Paid(WordVectors):
        calls = 0

        def embed_query(self, text: str) -> list[float]:
            type(self).calls += 1
            if type(self).calls == 1:
                return [float("nan")] * self.width  # a failed answer is not kept
            return super().embed_query(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [WordVectors.embed_query(self, text) for text in texts]

    monkeypatch.setattr("lumber_retrieval.passage_index._MAX_QUERY_VECTORS", 2)
    index = index_of(None, Paid())
    index.add([document(RIVER, "river")])
    with pytest.raises(ValueError, match="not finite"):
        index.search("pedals")
    assert "pedals" not in " ".join(texts_found(index, "pedals"))
    index.add([document(MUSIC, "music")])
    assert "pedals" in texts_found(index, "pedals")[0]
    assert Paid.calls == 2
    for question in ("otters", "herons", "herons"):
        assert texts_found(index, question)
    assert Paid.calls == 4


def test_words_around_a_chunk_count_less_than_its_own(place: Place) -> None:
    index = index_of(place())
    text = "Ada met Ben. They spoke at length. It was raining in Oslo. All went home."
    index.add([document(text, "a"), document("Ada sang. " * 30, "b")])
    with index.store.snapshot() as snapshot:
        scores = snapshot.find_by_words("Oslo", 10, None)
        hits, _ = snapshot.hits(scores, np.ones(WordVectors().width))
    texts = [hit.text for hit in hits][: len(scores)]
    assert "Oslo" in texts[0]
    assert len(texts) > 1
    assert not any("Oslo" in text for text in texts[1:])


def test_a_query_of_words_in_every_chunk_finds_chunks(place: Place) -> None:
    index = index_of(place())
    index.add([document("the cat and the dog. " * 200, "a")])
    with index.store.snapshot() as snapshot:
        assert len(snapshot.find_by_words("the and", 7, None)) == 7


def test_a_question_takes_one_transaction_of_two_statements(place: Place, monkeypatch) -> None:
    index = index_of(place())
    equal = [document(RIVER, f"river {number}") for number in range(CANDIDATES + 9)]
    index.add([*equal, document(MUSIC, "music")])
    index.search("barley")  # reads segments and checks the model
    open_transaction = index.store.database.transaction
    statements: list[list[str]] = []

    class Counting:
        def __init__(self, connection: Any) -> None:
            self._connection = connection
            self.about = connection.about

        def execute(self, statement: str, *values: Any) -> Any:
            statements[-1].append(statement)
            return self._connection.execute(statement, *values)

    @contextmanager
    def transaction(*, write: bool = False) -> Iterator[Any]:
        statements.append([])
        with open_transaction(write=write) as connection:
            yield Counting(connection)

    monkeypatch.setattr(index.store.database, "transaction", transaction)
    for _ in range(2):  # the second search reads no texts
        assert index.search("Where do otters hunt fish?")
    assert [len(queries) for queries in statements] == [
        2,
        1,
    ]  # 4 round trips with BEGIN and the end


@pytest.mark.parametrize("limit", ["_MAX_CACHED_CHUNKS", "_MAX_CACHED_CHARACTERS"])
def test_an_answer_does_not_depend_on_earlier_ones(place: Place, monkeypatch, limit: str) -> None:
    index = index_of(place())
    index.add([document(RIVER, "river", tags=["a"]), document(MUSIC, "music")])
    (first, *_), second_result = index.search("otters"), index.search("otters")
    first.hits[0].metadata["tags"].append("b")  # callers may change their results
    assert index.search("otters")[0].hits[0].metadata["tags"] == ["a"]
    monkeypatch.setattr(f"lumber_retrieval.index.rows.{limit}", 1)
    assert [index.search("otters") for _ in range(3)] == [second_result] * 3
    index.add([document(f"New. {RIVER}", "river", tags=["c"])])
    assert index.search("otters")[0].hits[0].metadata["tags"] == ["c"]


def test_the_choice_among_equal_chunks_does_not_depend_on_the_order_of_addition(
    place: Place,
) -> None:
    results = []
    for numbers in (range(30), reversed(range(30))):
        index = index_of(place())
        for number in numbers:
            index.add([document(RIVER, f"river {number}")])
        with index.store.snapshot() as snapshot:
            hits, _ = snapshot.hits(snapshot.find_by_words("otters", 5, None), np.ones(128))
        results.append([hit.document for hit in hits[:5]])
    assert results[0] == results[1]


def _read_often(path: str | Path, failures: Any, ready: Any, stop: Any) -> None:
    index = index_of(path)
    ready.release()
    while not stop.is_set():
        numbers = {
            int(word)
            for passage in index.search("version otters", budget=10_000)
            for word in passage.text.split()
            if word.isdigit()
        }
        if len(numbers) != 1:
            failures.put(sorted(numbers))
            return


def test_readers_find_one_version_while_another_process_writes(place: Place) -> None:
    def version(number: int) -> list[IndexedDocument]:
        text = f"Otters of version {number} swim . " * 10
        return [document(f"{text}{part}", f"{part}", "book") for part in "abc"]

    path = place()
    writer = index_of(path)
    writer.add(version(0))
    context = multiprocessing.get_context("spawn")
    failures, ready, stop = context.Queue(), context.Semaphore(0), context.Event()
    reader = context.Process(target=_read_often, args=(path, failures, ready, stop))
    reader.start()
    try:
        assert ready.acquire(timeout=120)
        for number in range(1, 20):
            writer.add(version(number))
    finally:
        stop.set()
        reader.join(120)
    assert failures.empty()
    assert reader.exitcode == 0


def test_an_invalid_filter_and_a_limit_out_of_range_are_refused() -> None:
    index = index_of()
    with pytest.raises(ValueError, match="budget"):
        index.search("otters", budget=0)
    with pytest.raises(TypeError, match="a filter must map"):
        index.search("otters", where=["a"])  # type: ignore[arg-type]


def test_any_text_and_name_is_stored_unchanged(place: Place) -> None:
    index = PassageIndex(LayoutChunker(target_size=10), WordVectors(), place())
    text = "Half a \ud83d pair.\x00 Otters \U0001f9a6 swim.\r\n\r\n" * 3
    index.add([document(text, "odd \udcff name"), document("", "empty")])
    passages = index.search("otters", budget=1000)
    assert {passage.document for passage in passages} == {"odd \udcff name"}
    assert all(passage.text == text[slice(*passage.span)] for passage in passages)
    assert index.delete(["odd \udcff name", "empty"]) == 2


_ADD_FOR_EVER = """
import sys
from tests.retrieval.test_passage_index import document, index_of
index = index_of(sys.argv[1])
for number in range(1000):
    index.add([document(f"Otters of den {number} sleep. " * 30, f"{number}")])
    print(number, flush=True)
"""


def test_documents_added_before_a_kill_are_there_and_the_rest_can_follow(place: Place) -> None:
    path = place()
    command = [sys.executable, "-c", _ADD_FOR_EVER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        count = next(int(line) for line in process.stdout if int(line) >= 5)
        process.kill()
    index = index_of(path)
    sources = index.store.sources()
    assert set(map(str, range(count + 1))) <= set(sources)
    documents = [document(f"Otters of den {n} sleep. " * 30, f"{n}") for n in range(count + 5)]
    changes = index.add(documents)
    assert changes.unchanged == len([name for name in sources if int(name) < count + 5]) > count
    assert {str(n) for n in range(count + 5)} <= set(index.store.sources())
    assert str(count + 3) in texts_found(index, f"{count + 3}", budget=10)[0]


def test_a_document_under_another_name_is_stored_again_if_that_is_its_title() -> None:
    def digest_of(name: str) -> str:
        content = Source("They hunt at dawn.", name=name)
        return document_digest(IndexedDocument("a", "a", content), "splitter")

    assert (
        digest_of("river_otters.txt") == digest_of("river otters.txt") != digest_of("martens.txt")
    )
    assert digest_of("1.txt") == digest_of("2.txt")


def test_progress_counts_a_document_only_after_it_is_embedded() -> None:
    counts: list[float] = []

    class Watched(WordVectors):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            assert sum(counts) == (32 if any("Otter 0 " in text for text in self.texts) else 0)
            return super().embed_documents(texts)

    documents = [document(f"Otter {n} sleeps. " * (1 + 9 * (n % 5)), f"{n}") for n in range(40)]
    index = index_of(embedding=Watched())
    index.add([*documents, document("", "empty")], advance=counts.append)
    assert 30 < sum(counts) <= 41


def test_one_bar_shows_how_far_all_documents_are(capsys: pytest.CaptureFixture[str]) -> None:
    documents = [document(f"Otter {n} sleeps in a den.", f"{n}") for n in range(40)]
    index = index_of()
    index.add([*documents, document("", "empty")], show_progress=True)
    output = capsys.readouterr().err
    assert output.count("100%") <= 2  # when it is reached, and when the bar is closed
    assert output.rstrip().splitlines()[-1].count("41.0/41.0") >= 1
    index.add(documents, show_progress=True)
    assert capsys.readouterr().err == ""
