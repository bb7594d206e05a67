"""Completions are kept, asked for once, and asked for patiently; failures are results."""

from __future__ import annotations

import asyncio
import pickle
import random
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openai")

from lumber_core import AnswerStore, CallPolicy, Completion, LumberChunker, ModelJudge, StoreError
from lumber_core.cache import Cache, digest
from lumber_core.errors import ModelSettingsError
from lumber_core.llms import Answers
from lumber_core.lumber.prompt import possible_answers
from lumber_core.segmentation import Usage
from lumber_evaluation.llm.asking import Ask, UnusableReplyError, ask_all, read_object, read_strings
from lumber_evaluation.llm.cached_model import CachedModel, CompletionStore
from tests.core.lumber.interrupting import ANSWERED, interrupted
from tests.core.lumber.support import ScatteredModel, story
from tests.evaluation.asking_support import FAST, model_at
from tests.loopback.faults import Filtered, Malformed, Refusal, Says, Slow, Status, rate_limited
from tests.loopback.server import LoopbackServer, Request


def echo(request: Request) -> str:
    return f"You said {request.user.splitlines()[0]}"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(echo) as running:
        yield running


def upper(reply: str) -> str:
    if not reply.startswith("You said"):
        raise UnusableReplyError("it does not start with what you said")
    return reply.upper()


def asks(count: int) -> list[Ask[str]]:
    return [Ask("Repeat.", f"question {number}", upper) for number in range(count)]


def test_a_second_run_asks_nothing_and_gives_the_same(
    server: LoopbackServer, tmp_path: Path
) -> None:
    first = CachedModel(model_at(server), tmp_path / "kept.db")
    said = first.complete("s", "one")
    assert said.text == "You said one"
    assert (first.paid.calls, first.known.calls) == (1, 0)
    assert first.paid.prompt_tokens == said.prompt_tokens > 0
    second = CachedModel(model_at(server), tmp_path / "kept.db")
    assert second.complete("s", "one") == said
    assert asyncio.run(second.acomplete("s", "one")) == said
    assert server.count == 1
    assert second.paid == Usage()
    assert second.known.calls == 2
    assert CompletionStore(tmp_path / "kept.db").usage() == first.paid


def test_what_determines_an_answer_is_the_key(server: LoopbackServer, tmp_path: Path) -> None:
    store = CompletionStore(tmp_path / "kept.db")
    model = CachedModel(model_at(server), store)
    model.complete("ab", "c")
    model.complete("a", "bc")
    model.complete("a", "bc", answers=Answers(("1", "2")))
    CachedModel(model_at(server, "another"), store).complete("a", "bc")
    assert server.count == len(store) == 4


def test_answers_about_paragraphs_are_found_in_stores_that_know_their_numbers(
    server: LoopbackServer, tmp_path: Path
) -> None:
    model = model_at(server)
    old = Cache(tmp_path / "kept.db", "completions")
    old.put(digest(model.identity, "s", "u", "6,7"), b'{"text": "Answer: ID 7"}')
    cached = CachedModel(model, tmp_path / "kept.db")
    answers = possible_answers(range(6, 8))
    assert cached.complete("s", "u", answers=answers).text == "Answer: ID 7"
    assert server.count == 0


def test_free_text_is_asked_for_without_a_schema_and_without_a_limit(
    server: LoopbackServer,
) -> None:
    model_at(server).complete("s", "one")
    assert not server.requests[0].body.keys() & {
        "response_format",
        "max_tokens",
        "max_completion_tokens",
    }


@pytest.mark.parametrize("way", ["threads", "tasks"])
def test_equal_questions_in_flight_together_are_asked_once(tmp_path: Path, way: str) -> None:
    with LoopbackServer(echo, delay=0.1) as server:
        model = CachedModel(model_at(server), tmp_path / "kept.db")
        if way == "threads":
            threads = [threading.Thread(target=model.complete, args=("s", "u")) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:

            async def together() -> None:
                await asyncio.gather(*(model.acomplete("s", "u") for _ in range(8)))

            asyncio.run(together())
        assert server.count == 1
        assert (model.paid.calls, model.known.calls) == (1, 7)


def test_one_who_stops_waiting_does_not_spoil_it_for_the_others(tmp_path: Path) -> None:
    async def run(model: CachedModel) -> list[Completion]:
        tasks = [asyncio.ensure_future(model.acomplete("s", "u")) for _ in range(3)]
        await asyncio.sleep(0.05)
        tasks[1].cancel()  # it waits for the first
        return list(await asyncio.gather(tasks[0], tasks[2]))

    with LoopbackServer(echo, delay=0.3) as server:
        results = asyncio.run(run(CachedModel(model_at(server), tmp_path / "kept.db")))
        assert [result.text for result in results] == ["You said u"] * 2
        assert server.count == 1


def test_one_who_waits_takes_over_from_one_who_is_cancelled(tmp_path: Path) -> None:
    async def run(model: CachedModel) -> Completion:
        first = asyncio.ensure_future(model.acomplete("s", "u"))
        second = asyncio.ensure_future(model.acomplete("s", "u"))
        await asyncio.sleep(0.05)
        first.cancel()
        return await second

    with LoopbackServer(echo, delay=0.2) as server:
        model = CachedModel(model_at(server), tmp_path / "kept.db")
        assert asyncio.run(run(model)).text == "You said u"


def test_verdicts_and_completions_share_a_file(server: LoopbackServer, tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    chunker = LumberChunker(ModelJudge(ScatteredModel()), theta=60, store=path)
    first = chunker.segment(story(50))
    CachedModel(model_at(server), path).complete("s", "u")
    unasked = ScatteredModel()
    again = LumberChunker(ModelJudge(unasked), theta=60, store=path).segment(story(50))
    assert again == first
    assert unasked.asked == []
    assert len(CompletionStore(path)) == 1
    assert len(AnswerStore(path)) > 1


def test_the_file_holds_no_prompt(server: LoopbackServer, tmp_path: Path) -> None:
    with LoopbackServer("Fine.") as quiet:
        CachedModel(model_at(quiet), tmp_path / "kept.db").complete("SECRET", "SECRET")
    assert b"SECRET" not in (tmp_path / "kept.db").read_bytes()


def test_lone_surrogates_in_an_answer_do_no_harm(tmp_path: Path) -> None:
    class Half(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            return Completion("half \ud83d")

    model = CachedModel(Half(), tmp_path / "kept.db")
    assert model.complete("s", "u") == model.complete("s", "u") == Completion("half \ufffd")


def test_files_that_are_no_stores_are_refused_and_left_alone(tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"this is no database, whatever its name says" * 50)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    newer = tmp_path / "newer.db"
    store = CompletionStore(newer)
    store.put("m", "s", "u", Completion("x"))
    store.close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    damaged = tmp_path / "damaged.db"
    store = CompletionStore(damaged)
    for number in range(200):
        store.put("m", "s", f"{number}", Completion("x" * 100))
    store.close()
    raw = bytearray(damaged.read_bytes())
    raw[4096:8192] = random.Random(0).randbytes(4096)
    damaged.write_bytes(raw)
    for path, said in (
        (noise, "cannot be used"),
        (other, "another program"),
        (newer, "newer version"),
        (damaged, "cannot be used"),
        (tmp_path / "none" / "kept.db", "does not exist"),
    ):
        before = path.read_bytes() if path.exists() else None
        with pytest.raises(StoreError, match=said):
            CompletionStore(path).get("m", "s", "u")
        assert before == (path.read_bytes() if path.exists() else None)


@pytest.mark.parametrize(
    "value",
    [b"{", b"[]", b"[" * 100_000, b'{"text": 5}', b'{"text": "x", "prompt_tokens": "many"}'],
    ids=lambda value: repr(value)[:20],
)
def test_a_damaged_completion_is_reported(tmp_path: Path, value: bytes) -> None:
    store = CompletionStore(tmp_path / "kept.db")
    store.put("m", "s", "u", Completion("x"))
    entries = Cache(tmp_path / "kept.db", "completions")
    ((name, _),) = entries.items()
    entries.put(name, value)
    with pytest.raises(StoreError, match="damaged completion"):
        store.get("m", "s", "u")


def test_it_goes_through_pickle(server: LoopbackServer, tmp_path: Path) -> None:
    model = CachedModel(model_at(server), tmp_path / "kept.db", policy=FAST)
    said = model.complete("s", "u")
    again = pickle.loads(pickle.dumps(model))
    assert again.complete("s", "u") == said
    assert again.policy == FAST
    assert server.count == 1


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_replies_come_in_order_however_many_are_in_flight(concurrency: int) -> None:
    def uneven(request: Request) -> Slow:
        return Slow(0.001 * (7 * request.number % 5))

    with LoopbackServer(echo, faults=uneven) as server:
        replies = ask_all(model_at(server), asks(40), max_concurrency=concurrency)
        assert [reply.value for reply in replies] == [
            f"YOU SAID QUESTION {number}" for number in range(40)
        ]
        assert server.most_at_once <= concurrency
        assert server.count == 40


def test_transient_errors_are_retried() -> None:
    faults = {1: rate_limited(0.01), 3: Status(500), 5: Malformed(), 6: Status(503)}
    with LoopbackServer(echo, faults=faults) as server:
        replies = ask_all(model_at(server), asks(6), policy=FAST)
        assert {reply.outcome for reply in replies} == {"read"}
        assert server.count == 10


def test_failures_are_results_with_a_reason(caplog: pytest.LogCaptureFixture) -> None:
    wrong = {
        "question 1": Refusal("I can't help with that."),
        "question 2": Filtered(),
        "question 3": Says("No idea."),
        "question 4": Status(503, "overloaded"),
        "question 5": Says("I'm sorry, I cannot help with that."),
    }

    def faults(request: Request) -> object:
        return wrong.get(request.user.splitlines()[0])

    with LoopbackServer(echo, faults=faults) as server:
        replies = ask_all(model_at(server), asks(7), policy=FAST)
    assert [reply.outcome for reply in replies] == [
        "read", "refused", "refused", "unusable", "unavailable", "refused", "read",
    ]  # fmt: skip
    assert "refusal" in replies[1].reason
    assert "what you said" in replies[3].reason
    assert replies[3].usage.calls == 2  # told what is wrong, it was asked once more
    assert "3 attempts" in replies[4].reason
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 5


def test_a_useless_answer_is_asked_for_again_with_what_is_wrong() -> None:
    with LoopbackServer(echo, faults={1: Says("Hm.")}) as server:
        (reply,) = ask_all(model_at(server), asks(1))
        assert reply.outcome == "read"
        assert reply.usage.calls == 2
        assert "it does not start with what you said" in server.requests[1].user
        assert server.requests[1].user.startswith("question 0\n")


def test_reasoning_is_not_the_answer() -> None:
    thought = Says("<think>You said? I wonder.</think>You said it.")
    with LoopbackServer(faults={1: thought}) as server:
        (reply,) = ask_all(model_at(server), asks(1))
    assert reply.value == "YOU SAID IT."


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_refused_key_raises_at_once(tmp_path: Path, concurrency: int) -> None:
    faults = dict.fromkeys(range(11, 200), Status(401, "wrong key"))
    with LoopbackServer(echo, faults=faults) as server:
        with pytest.raises(ModelSettingsError, match="Check the key"):
            ask_all(
                model_at(server),
                asks(100),
                store=tmp_path / "kept.db",
                max_concurrency=concurrency,
            )
        assert server.count <= 10 + concurrency
    assert len(CompletionStore(tmp_path / "kept.db")) == 10


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    store = tmp_path / "kept.db"
    barred = dict.fromkeys(range(21, 200), Status(403))
    with LoopbackServer(echo, faults=barred) as server, pytest.raises(ModelSettingsError):
        ask_all(_At(server), asks(50), store=store, max_concurrency=1)
    with LoopbackServer(echo) as server:
        first = ask_all(_At(server), asks(50), store=store)
        assert server.count == 30
        assert ask_all(_At(server), asks(50), store=store) == first
        assert server.count == 30
    assert sum((reply.usage for reply in first), Usage()).calls == 30


class _At:
    """A model whose identity does not tell the server's port."""

    identity = "loopback"

    def __init__(self, server: LoopbackServer) -> None:
        model = model_at(server)
        self.complete, self.acomplete = model.complete, model.acomplete


CHILD = """
import sys
from lumber_evaluation.llm.asking import Ask, ask_all
from tests.core.lumber.interrupting import TroubledModel

asks = [Ask("s", f"question {number}", str) for number in range(100)]
ask_all(TroubledModel(), asks, store=sys.argv[1], max_concurrency=int(sys.argv[2]))
"""


@pytest.mark.parametrize("concurrency", [1, 4])
def test_ctrl_c_ends_the_waiting_and_keeps_the_answers(tmp_path: Path, concurrency: int) -> None:
    store = tmp_path / "kept.db"
    assert "KeyboardInterrupt" in interrupted(CHILD, store, concurrency)
    assert len(CompletionStore(store)) == ANSWERED


def test_a_model_that_remembers_brings_its_own_store(tmp_path: Path) -> None:
    model = CachedModel(ScatteredModel(), tmp_path / "kept.db")
    with pytest.raises(ValueError, match="has its own store"):
        ask_all(model, asks(1), store=tmp_path / "other.db")
    with pytest.raises(ValueError, match="has its own store"):
        ask_all(model, asks(1), policy=CallPolicy())
    with pytest.raises(TypeError, match="model must have identity"):
        ask_all(object(), asks(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_concurrency must be at least 1"):
        ask_all(model, asks(1), max_concurrency=0)


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1, "b": "x"}',
        '```json\n{"a": 1, "b": "x"}\n```',
        'Here it is:\n\n{"A": 1, "B": "x"}\n\nI hope that helps {really}.',
        '{"a": 0, "b": "y"} No, wait: {"a": 1, "b": "x"}',
        '[{"a": 1, "b": "x"}]',
        'The set {1, 2} is no object. {"a": 1, "b": "x", "c": {"a": 5}}',
    ],
)
def test_an_object_is_read_whatever_stands_around_it(reply: str) -> None:
    fields = read_object(reply, ("a", "b"))
    assert (fields["a"], fields["b"]) == (1, "x")


@pytest.mark.parametrize("reply", ["", "none", "{", '{"a": 1}', "{" * 5000, '[{"a":' * 3000, "[]"])
def test_what_holds_no_object_is_unusable(reply: str) -> None:
    with pytest.raises(UnusableReplyError, match='"a", "b"'):
        read_object(reply, ("a", "b"))


def test_a_list_of_strings_is_read_whatever_stands_around_it() -> None:
    assert read_strings('Sure!\n```\n["One.", "Two\nlines."]\n```') == ["One.", "Two lines."]
    assert read_strings('{"propositions": ["One."]}') == ["One."]
    assert read_strings("[]") == []
    with pytest.raises(UnusableReplyError, match="list of strings"):
        read_strings("[1, 2]")
