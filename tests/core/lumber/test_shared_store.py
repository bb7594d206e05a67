"""Answers in stores of LangChain and LlamaIndex: the contract is that of the file."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.stores import InMemoryByteStore
from llama_index.core.schema import Document
from llama_index.core.storage.kvstore import SimpleKVStore

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import AnswerStore, Group, LumberChunker, ModelJudge, StoreError
from lumber_core.lumber.shared_store import SharedCache
from lumber_core.segmentation import Usage, Verdict
from lumber_core.support.cache import CACHE_FORMAT
from tests.core.core_support import document
from tests.core.lumber.support import (
    ActingModel,
    ScatteredModel,
    segment,
    splitter,
    story,
    warnings,
)

TEXT = story(60)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)

STORES: list[Callable[[], Any]] = [InMemoryByteStore, SimpleKVStore]


def everything(store: Any) -> str:
    """All that a store holds, keys and collections included."""
    return repr(store.store if isinstance(store, InMemoryByteStore) else store.to_dict())


def some_group() -> Group:
    return Group(document(["One. ", "Two. ", "Three. ", "Four."]), 0, 4)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("make", [*STORES, None])
def test_a_second_run_asks_nothing_and_gives_the_same(
    make: Callable[[], Any] | None, way: str, tmp_path: Path
) -> None:
    store, model = make() if make else tmp_path / "answers.db", ScatteredModel()
    results = []
    for _ in range(2):
        chunker = splitter(model, store)
        results.append(segment(chunker, TEXT, way))
    assert results == [ALONE, ALONE]
    asked = len(model.asked)
    assert asked == ALONE.usage.calls
    assert [result.usage for result in results] == [Usage(asked, 100 * asked, 5 * asked), Usage()]


@pytest.mark.parametrize("make", STORES)
def test_two_machines_share_answers_under_equal_keys(make: Callable[[], Any]) -> None:
    """Keys are the same in every process and of every store, so one run continues another."""
    one, other = make(), make()
    splitter(ScatteredModel(), one).segment(TEXT)
    splitter(ScatteredModel(), other).segment(TEXT)
    assert everything(one) == everything(other)
    assert str(CACHE_FORMAT) in everything(one)


@pytest.mark.parametrize("make", STORES)
def test_answers_of_another_format_are_neither_read_nor_changed(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make()
    with monkeypatch.context() as patch:
        patch.setattr("lumber_core.lumber.shared_store.CACHE_FORMAT", CACHE_FORMAT - 1)
        splitter(ScatteredModel(), store).segment(TEXT)
        old = len(AnswerStore(store))
        assert old == ALONE.usage.calls
    model = ScatteredModel()
    assert len(AnswerStore(store)) == 0
    splitter(model, store).segment(TEXT)
    assert len(model.asked) == old
    monkeypatch.setattr("lumber_core.lumber.shared_store.CACHE_FORMAT", CACHE_FORMAT - 1)
    assert len(AnswerStore(store)) == old


def test_what_else_is_in_a_store_is_left_alone() -> None:
    flat, nested = InMemoryByteStore(), SimpleKVStore()
    flat.mset([("mine", b"1")])
    nested.put("mine", {"a": 1})
    refused = Verdict(0, 4, None, "refused", "declined", "No.")
    for given in (flat, nested):
        store = AnswerStore(given)
        store.keep("j", some_group(), refused)
        assert len(store) == 1
        assert store.forget_failures() == 1
        assert len(store) == 0
    assert flat.mget(["mine"]) == [b"1"]
    assert nested.get("mine") == {"a": 1}


@pytest.mark.parametrize("make", STORES)
def test_answers_that_utf_8_cannot_hold_and_huge_counts_are_stored(
    make: Callable[[], Any],
) -> None:
    store = AnswerStore(make())
    verdict = Verdict(0, 4, 1, "shift", "why", "Answer \ud83d", Usage(1, 10**30, 5))
    store.keep("j", some_group(), verdict)
    assert store.get("j", some_group()) == verdict
    assert store.usage() == verdict.usage


@pytest.mark.parametrize("make", STORES)
def test_any_bytes_survive(make: Callable[[], Any]) -> None:
    cache = SharedCache(make(), "things")
    values = {str(number): bytes(range(number % 256)) for number in range(1203)}
    cache.put_many(values)
    assert dict(cache.items()) == values
    assert cache.get_many([*values, "not there"]) == values
    cache.delete(["1", "2", "not there"])
    assert len(cache) == 1201


def test_clients_that_decode_what_they_read_work_as_well() -> None:
    class Decoding(InMemoryByteStore):
        def mget(self, keys: Sequence[str]) -> list[Any]:
            return [None if value is None else value.decode() for value in super().mget(keys)]

    store = Decoding()
    splitter(ScatteredModel(), store).segment(TEXT)
    again = ScatteredModel()
    assert splitter(again, store).segment(TEXT) == ALONE
    assert again.asked == []


@pytest.mark.parametrize("damage", [b"[]", b"{", 5])
def test_a_damaged_entry_is_reported_and_left_alone(damage: Any) -> None:
    flat = InMemoryByteStore()
    store = AnswerStore(flat)
    store.keep("j", some_group(), Verdict(0, 4, 1, "shift"))
    (name,) = flat.yield_keys()
    flat.mset([(name, damage)])
    with pytest.raises(StoreError, match="InMemoryByteStore contains a damaged v"):
        AnswerStore(flat).get("j", some_group())
    assert flat.mget([name]) == [damage]


class Failing(InMemoryByteStore):
    """A store that cannot be read, or written, while it is down."""

    def __init__(self) -> None:
        super().__init__()
        self.down: tuple[str, ...] = ()
        self.attempts = 0

    def _use(self, how: str) -> None:
        if how in self.down:
            self.attempts += 1
            raise ConnectionError("no route to redis://me:hunter2secret@db:6379")

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        self._use("read")
        return super().mget(keys)

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        self._use("write")
        super().mset(key_value_pairs)


def test_a_store_that_is_down_is_reported_before_the_model_is_asked() -> None:
    given, model = Failing(), ScatteredModel()
    given.down = ("read", "write")
    store = AnswerStore(given)
    for _ in range(2):
        with pytest.raises(StoreError, match="Failing cannot be used: ConnectionError") as raised:
            splitter(model, store).segment(TEXT)
    assert model.asked == []
    assert "hunter2secret" not in str(raised.value)
    assert "hunter2secret" not in str(raised.value.__cause__)


@pytest.mark.parametrize("down", [("read", "write"), ("write",)])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_answers_outlast_a_store_that_goes_down(
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    down: tuple[str, ...],
) -> None:
    monkeypatch.setattr("lumber_core.lumber.answer_store._PAUSE", 0.0)  # or a slow machine waits
    given = Failing()
    model = ActingModel(lambda: setattr(given, "down", down))
    store = AnswerStore(given)

    def run() -> None:
        chunker = splitter(model, store)
        result = segment(chunker, TEXT, way)
        assert result == ALONE

    run()
    *first, last = warnings(caplog)
    assert len(first) == len(down)  # each says once what it means
    assert all("for now: the store Failing cannot be used: ConnectionE" in said for said in first)
    assert f"{len(model.asked) - 9} answers could not be written to Failing" in last
    assert "hunter2secret" not in caplog.text
    given.down = ()
    asked = len(model.asked)
    run()  # what was stored and what is in memory are both known
    store.flush()
    assert len(model.asked) == asked
    again = ScatteredModel()
    assert splitter(again, given).segment(TEXT) == ALONE
    assert again.asked == []


def test_a_store_that_takes_long_to_fail_is_not_tried_for_every_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = [0.0]

    class Slow(Failing):
        def _use(self, how: str) -> None:
            if how in self.down:
                clock[0] += 5.0
            super()._use(how)

    monkeypatch.setattr("lumber_core.lumber.answer_store.time.monotonic", lambda: clock[0])
    given = Slow()
    model = ActingModel(lambda: setattr(given, "down", ("read", "write")))
    assert splitter(model, given).segment(TEXT) == ALONE
    assert given.attempts == 3  # one read, one write, and one when the run ends
    assert clock[0] == 15.0


@pytest.mark.parametrize("bad", [5, object(), [], {}])
@pytest.mark.parametrize("cls", [LumberTextSplitter, LumberNodeParser])
def test_what_is_no_store_is_refused(cls: Callable[..., Any], bad: object) -> None:
    with pytest.raises(TypeError, match=r"store must be a path, a store.*mget.*get_all"):
        cls(store=bad)


def test_a_function_that_returns_something_else_is_named() -> None:
    with pytest.raises(StoreError, match="returned int, not a store"):
        AnswerStore(int).open()


SHARED = InMemoryByteStore()


def open_shared() -> InMemoryByteStore:
    return SHARED


class Locked(InMemoryByteStore):
    """As clients of databases are, not to be pickled."""

    def __getstate__(self) -> Any:
        raise TypeError("cannot pickle '_thread.lock' object")


def test_a_splitter_pickles_with_a_function_that_opens_its_store() -> None:
    SHARED.store.clear()
    splitter(ScatteredModel(), open_shared).segment(TEXT)
    model = ScatteredModel()
    again = pickle.loads(pickle.dumps(AnswerStore(open_shared)))
    assert splitter(model, again).segment(TEXT) == ALONE
    assert model.asked == []
    assert repr(again) == "AnswerStore('open_shared')"


def test_a_store_that_cannot_be_pickled_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"Locked cannot be pickled .*: pass a function"):
        pickle.dumps(AnswerStore(Locked()))
    with pytest.raises(TypeError, match="store cannot be pickled"):
        pickle.dumps(LumberNodeParser(store=Locked()))


@pytest.mark.parametrize("make", [*STORES, lambda: open_shared])
def test_both_adapters_share_a_store(make: Callable[[], Any]) -> None:
    SHARED.store.clear()
    store, first, second = make(), ScatteredModel(), ScatteredModel()
    chunks = LumberTextSplitter(llm=first, theta=60, store=store).split_text(TEXT)
    parser = LumberNodeParser(llm=second, theta=60, store=store)
    nodes = parser.get_nodes_from_documents([Document(text=TEXT)])
    assert len(first.asked) > 0
    assert second.asked == []
    assert [node.get_content().strip() for node in nodes] == chunks


def test_a_store_changes_neither_what_a_parser_serialises_nor_its_hash() -> None:
    plain, with_store = LumberNodeParser(), LumberNodeParser(store=SimpleKVStore())
    assert with_store.to_dict() == plain.to_dict()
    assert json.loads(with_store.to_json()) == json.loads(plain.to_json())
    restored = LumberNodeParser.from_dict(with_store.to_dict(), store=SimpleKVStore())
    assert restored.split_text(TEXT) == plain.split_text(TEXT)
    assert with_store.chunker.identity == plain.chunker.identity
    copied = pickle.loads(pickle.dumps(LumberNodeParser(store=open_shared)))
    assert copied.store is open_shared
