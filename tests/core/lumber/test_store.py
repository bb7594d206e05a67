"""Answers in every store: none is paid twice or mixed up, and a failing store is reported."""

import asyncio
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.stores import InMemoryByteStore
from llama_index.core.schema import Document
from llama_index.core.storage.kvstore import SimpleKVStore

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import (
    AnswerStore,
    CallPolicy,
    Completion,
    Group,
    LumberChunker,
    ModelJudge,
    PromptTemplate,
    StoreError,
)
from lumber_core.lumber.answer_store import key
from lumber_core.lumber.fallback import GuardedJudge
from lumber_core.segmentation import Usage, Verdict
from lumber_core.storage.cache import CACHE_FORMAT, Cache
from lumber_core.storage.shared_cache import SharedCache
from tests.core.core_support import document
from tests.core.lumber.stores import KINDS, PASSWORD, RedisServer, connect, opener
from tests.core.lumber.support import ActingModel, ScatteredModel, segment, splitter, story

TEXT = story(60)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)
REFUSED = Verdict(0, 4, None, "refused", "declined", "No.")


def some_group(*texts: str, start: int = 0) -> Group:
    units = document([*(texts or ("One. ", "Two. ", "Three. ", "Four."))])
    return Group(units, start, len(units.units))


def ask(model: ScatteredModel, store: object, **options: Any) -> GuardedJudge:
    judge = ModelJudge(model, **options)
    return GuardedJudge(judge, "keep_group", AnswerStore(store))  # type: ignore[arg-type]


@pytest.fixture(params=KINDS)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Any]]:
    with opener(request.param, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_second_run_asks_nothing_and_gives_the_same(open_store: Callable[[], Any], way: str):
    model = ScatteredModel()
    results = [segment(splitter(model, open_store()), TEXT, way) for _ in range(2)]
    assert results == [ALONE, ALONE]
    calls = ALONE.usage.calls
    assert len(model.asked) == calls
    assert [result.usage for result in results] == [Usage(calls, 100 * calls, 5 * calls), Usage()]
    assert len(AnswerStore(open_store())) == AnswerStore(open_store()).usage().calls == calls


def test_one_store_serves_several_event_loops(open_store: Callable[[], Any]) -> None:
    model = ScatteredModel()
    chunker = splitter(model, AnswerStore(open_store()), max_concurrency=8)
    for _ in range(2):
        assert asyncio.run(chunker.call_async(chunker.segment_all, [TEXT, TEXT])) == [ALONE, ALONE]
    assert len(model.asked) == len({*model.asked})  # equal groups in flight are asked about once


def test_failures_are_kept_until_forgotten(open_store: Callable[[], Any]) -> None:
    store = AnswerStore(open_store())
    store.put("j", some_group(), REFUSED)
    assert AnswerStore(open_store()).get("j", some_group()) == REFUSED
    assert store.forget_failures() == 1
    assert store.get("j", some_group()) is None
    assert store.forget_failures() == len(store) == 0


def test_any_text_any_count_and_any_bytes_survive(open_store: Callable[[], Any]) -> None:
    store = AnswerStore(open_store())
    verdict = Verdict(0, 4, 1, "shift", "why", "Answer \ud83d", Usage(1, 10**30, 5))
    store.put("j", some_group(), verdict)
    assert store.get("j", some_group()) == verdict
    assert store.usage() == verdict.usage
    place = open_store()
    cache = Cache(place, "things") if isinstance(place, Path) else SharedCache(place, "things")
    values = {str(number): bytes(range(number % 256)) for number in range(603)}
    cache.put_many(values)
    assert dict(cache.items()) == cache.get_many([*values, "not there"]) == values
    cache.delete(["1", "2", "not there"])
    assert len(cache) == 601
    assert store.get("j", some_group()) == verdict  # verdicts outlast other kinds of entries


def test_both_adapters_share_a_store(open_store: Callable[[], Any]) -> None:
    first, second = ScatteredModel(), ScatteredModel()
    chunks = LumberTextSplitter(llm=first, theta=60, store=open_store()).split_text(TEXT)
    parser = LumberNodeParser(llm=second, theta=60, store=open_store())
    nodes = parser.get_nodes_from_documents([Document(text=TEXT)])
    assert len(first.asked) > 0
    assert second.asked == []
    assert [node.get_content().strip() for node in nodes] == chunks


def test_another_model_another_prompt_and_another_group_are_asked_anew(tmp_path: Path) -> None:
    path, model, other = tmp_path / "answers.db", ScatteredModel(), ScatteredModel()
    other.identity = "other"
    ask(model, path).judge(some_group())
    ask(other, path).judge(some_group())
    ask(model, path, prompt=PromptTemplate(system="Otherwise.")).judge(some_group())
    ask(model, path).judge(some_group(start=1))
    assert len(AnswerStore(path)) == 4
    ask(model, path).judge(some_group())
    assert len(model.asked) == 3


def test_an_equal_group_elsewhere_has_the_same_answer_and_states_whose_it_is(tmp_path: Path):
    class Outside(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            return Completion("Answer: ID 99")

    units = document(["One. ", "Two. ", "One. ", "Two. "])
    first, second = Group(units, 0, 2), Group(units, 2, 4)
    assert key("j", first) == key("j", second)
    for _ in range(2):
        judge = ask(Outside(), tmp_path / "answers.db", policy=CallPolicy(repeats=0))
        verdict, moved = judge.judge(first), judge.judge(second)
        assert "not one of 1 to 1" in verdict.reason
        assert "equal group" not in verdict.reason
        assert "equal group, which starts at unit 0" in moved.reason


def test_an_edit_asks_only_about_the_groups_it_touches(tmp_path: Path) -> None:
    class ByText(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            return super().complete(system, re.sub(r"ID \d+", "ID", user), answers=answers)

    model = ByText()
    splitter(model, tmp_path / "answers.db").segment(TEXT)
    calls = len(model.asked)
    splitter(model, tmp_path / "answers.db").segment(f"A new beginning.\n\n{TEXT}")
    assert 0 < len(model.asked) - calls < calls / 2


def test_an_unanswered_question_is_not_stored(tmp_path: Path) -> None:
    class Away(ScatteredModel):
        away = False

        def complete(self, system, user, *, answers=None):
            if self.away:
                raise ConnectionError
            return super().complete(system, user, answers=answers)

    model = Away()
    judge = ModelJudge(model, policy=CallPolicy(attempts=1, give_up_after=None))
    chunker = LumberChunker(judge, theta=60, store=tmp_path / "answers.db")
    chunker.segment(story(20, seed=7))
    model.away = True
    assert {v.outcome for v in chunker.segment(TEXT).failures} == {"unavailable"}
    model.away = False
    assert chunker.segment(TEXT).failures == ()


def test_a_file_of_answers_holds_no_text(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    splitter(ScatteredModel(), path).segment("SECRET one.\n\nSECRET two.")
    assert len(AnswerStore(path)) == 1
    assert b"SECRET" not in path.read_bytes()


def test_a_custom_judge_needs_an_identity(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give the judge an attribute `identity`"):
        LumberChunker(lambda group: None, store=tmp_path / "answers.db")


def test_a_cancelled_or_failed_question_is_asked_by_the_call_that_waits_for_it(
    tmp_path: Path,
) -> None:
    class Slow(ScatteredModel):
        async def acomplete(self, system, user, *, answers=None):
            await asyncio.sleep(0.05)
            return self.complete(system, user, answers=answers)

    model = Slow()
    judge = ask(model, tmp_path / "answers.db")

    async def both() -> Verdict:
        first = asyncio.ensure_future(judge.ajudge(some_group()))
        second = asyncio.ensure_future(judge.ajudge(some_group()))
        await asyncio.sleep(0.01)
        first.cancel()
        return await second

    assert asyncio.run(both()).outcome in ("shift", "no_shift")
    assert len(model.asked) == 1


class Failing(InMemoryByteStore):
    """A store that cannot be read, or written, while it is down."""

    down: tuple[str, ...] = ()

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        self._use("read")
        return super().mget(keys)

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        self._use("write")
        super().mset(key_value_pairs)

    def _use(self, how: str) -> None:
        if how in self.down:
            raise ConnectionError("no route to redis://me:hunter2secret@db:6379")


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("down", [("read", "write"), ("write",)])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_store_that_fails_stops_the_run_and_keeps_its_answers(way, down, concurrency) -> None:
    failing = Failing()
    model = ActingModel(lambda: setattr(failing, "down", down))
    with pytest.raises(StoreError, match="Failing cannot be used: ConnectionError") as raised:
        segment(splitter(model, failing, max_concurrency=concurrency), TEXT, way)
    assert "hunter2secret" not in f"{raised.value} {raised.value.__cause__}"
    assert 10 <= len(model.asked) < 10 + concurrency + 1
    failing.down = ()
    stored, second_model = len(AnswerStore(failing)), ScatteredModel()
    assert stored >= 10 - concurrency
    assert splitter(second_model, failing).segment(TEXT) == ALONE
    assert len(second_model.asked) == ALONE.usage.calls - stored or concurrency > 1


def test_a_store_that_is_down_is_reported_before_the_model_is_asked() -> None:
    failing, model = Failing(), ScatteredModel()
    failing.down = ("read",)
    with pytest.raises(StoreError, match="Failing cannot be used"):
        splitter(model, failing).segment(TEXT)
    assert model.asked == []


def test_a_redis_that_dies_stops_the_run_and_has_the_answers_after_a_restart(tmp_path: Path):
    server = RedisServer(tmp_path)
    with server:
        model = ActingModel(lambda: server.__exit__())
        with pytest.raises(StoreError, match="Redis") as raised:
            splitter(model, connect("langchain-redis", server.url)).segment(TEXT)
        assert PASSWORD not in str(raised.value)
        with server:
            second_model = ScatteredModel()
            store = connect("langchain-redis", server.url)
            assert splitter(second_model, store).segment(TEXT) == ALONE
            assert len(second_model.asked) == ALONE.usage.calls - 9


@pytest.mark.parametrize("damage", [b"[]", b"{", 5])
def test_a_damaged_entry_is_reported_and_left_alone(damage: Any) -> None:
    flat = InMemoryByteStore()
    AnswerStore(flat).put("j", some_group(), Verdict(0, 4, 1, "shift"))
    (name,) = flat.yield_keys()
    flat.mset([(name, damage)])
    with pytest.raises(StoreError, match="InMemoryByteStore contains a damaged v"):
        AnswerStore(flat).get("j", some_group())
    assert flat.mget([name]) == [damage]


# The following tests are about stores of the frameworks.

STORES: list[Callable[[], Any]] = [InMemoryByteStore, SimpleKVStore]


@pytest.mark.parametrize("make", STORES)
def test_keys_are_the_same_on_every_machine_and_for_each_format_version(
    make: Callable[[], Any], monkeypatch
):
    def everything(store: Any) -> str:
        return repr(store.store if isinstance(store, InMemoryByteStore) else store.to_dict())

    first, second = make(), make()
    splitter(ScatteredModel(), first).segment(TEXT)
    splitter(ScatteredModel(), second).segment(TEXT)
    assert everything(first) == everything(second)
    monkeypatch.setattr("lumber_core.storage.shared_cache.CACHE_FORMAT", CACHE_FORMAT + 1)
    assert len(AnswerStore(first)) == 0
    splitter(ScatteredModel(), first).segment(TEXT)
    monkeypatch.undo()
    assert len(AnswerStore(first)) == ALONE.usage.calls


def test_other_entries_of_a_store_are_left_alone() -> None:
    flat, nested = InMemoryByteStore(), SimpleKVStore()
    flat.mset([("mine", b"1")])
    nested.put("mine", {"a": 1})
    for framework_store in (flat, nested):
        store = AnswerStore(framework_store)
        store.put("j", some_group(), REFUSED)
        assert (len(store), store.forget_failures(), len(store)) == (1, 1, 0)
    assert flat.mget(["mine"]) == [b"1"]
    assert nested.get("mine") == {"a": 1}


def test_redis_clients_that_decode_responses_work() -> None:
    class Decoding(InMemoryByteStore):
        def mget(self, keys: Sequence[str]) -> list[Any]:
            return [None if value is None else value.decode() for value in super().mget(keys)]

    store = Decoding()
    splitter(ScatteredModel(), store).segment(TEXT)
    second_model = ScatteredModel()
    assert splitter(second_model, store).segment(TEXT) == ALONE
    assert second_model.asked == []


@pytest.mark.parametrize("bad", [5, object(), [], {}])
@pytest.mark.parametrize("cls", [LumberTextSplitter, LumberNodeParser])
def test_an_object_that_is_not_a_store_is_refused(cls: Callable[..., Any], bad: object) -> None:
    with pytest.raises(TypeError, match=r"store must be a path, a store.*mget.*get_all"):
        cls(store=bad)
    with pytest.raises(StoreError, match="returned int, not a store"):
        AnswerStore(int).open()


SHARED = InMemoryByteStore()


def open_shared() -> InMemoryByteStore:
    return SHARED


class Locked(InMemoryByteStore):
    """Cannot be pickled, like clients of databases."""

    def __getstate__(self) -> Any:
        raise TypeError("cannot pickle '_thread.lock' object")


def test_a_function_that_opens_a_store_can_be_pickled_unlike_a_client() -> None:
    splitter(ScatteredModel(), open_shared).segment(TEXT)
    model = ScatteredModel()
    copy = pickle.loads(pickle.dumps(AnswerStore(open_shared)))
    assert splitter(model, copy).segment(TEXT) == ALONE
    assert model.asked == []
    assert repr(copy) == "AnswerStore('open_shared')"
    with pytest.raises(TypeError, match=r"Locked cannot be pickled .*: pass a function"):
        pickle.dumps(AnswerStore(Locked()))
    with pytest.raises(TypeError, match="store cannot be pickled"):
        pickle.dumps(LumberNodeParser(store=Locked()))


def test_a_store_does_not_change_the_serialised_parser_or_its_hash() -> None:
    plain, with_store = LumberNodeParser(), LumberNodeParser(store=SimpleKVStore())
    assert with_store.to_dict() == plain.to_dict()
    restored = LumberNodeParser.from_dict(with_store.to_dict(), store=SimpleKVStore())
    assert restored.split_text(TEXT) == plain.split_text(TEXT)
    copied = pickle.loads(pickle.dumps(LumberNodeParser(store=open_shared)))
    assert copied.store is open_shared
