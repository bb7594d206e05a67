from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lumber_core.errors import ModelSettingsError
from lumber_core.segmentation import Usage
from lumber_core.storage.cache import Cache
from lumber_evaluation.llm.batch_asking import Prompt, UnusableReplyError, ask_all, read_object
from lumber_evaluation.llm.cached_model import CachedModel
from tests.evaluation.asking_support import FAST, model_at
from tests.loopback.faults import Filtered, Refusal, Says, Slow, Status
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


def prompts(count: int) -> list[Prompt[str]]:
    return [Prompt("Repeat.", f"question {number}", upper) for number in range(count)]


def test_a_second_run_asks_nothing_and_gives_the_same(server: LoopbackServer, tmp_path: Path):
    answer, usage = CachedModel(model_at(server), tmp_path / "kept.db").ask("s", "one")
    assert answer.text == "You said one"
    assert usage == Usage(1, answer.prompt_tokens, answer.completion_tokens)
    assert answer.prompt_tokens > 0
    second = CachedModel(model_at(server), tmp_path / "kept.db")
    assert second.ask("s", "one") == (answer, Usage())
    assert server.count == 1
    assert second.ask("other instructions", "one")[1].calls == 1


def test_equal_questions_in_flight_together_are_asked_once() -> None:
    with LoopbackServer(echo, delay=0.1) as server:
        model = CachedModel(model_at(server))
        with ThreadPoolExecutor(8) as pool:
            costs = [cost.calls for _, cost in pool.map(lambda _: model.ask("s", "u"), range(8))]
        assert server.count == 1
        assert sorted(costs) == [0] * 7 + [1]


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_replies_come_in_order_however_many_are_in_flight(concurrency: int) -> None:
    def uneven(request: Request) -> Slow:
        return Slow(0.001 * (7 * request.number % 5))

    with LoopbackServer(echo, faults=uneven) as server:
        replies = ask_all(model_at(server), prompts(40), max_concurrency=concurrency)
        assert [reply.value for reply in replies] == [f"YOU SAID QUESTION {n}" for n in range(40)]
        assert server.most_at_once <= concurrency
        assert server.count == 40


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
        replies = ask_all(model_at(server), prompts(7), policy=FAST)
    assert [reply.outcome for reply in replies] == [
        "read", "refused", "refused", "unusable", "unavailable", "refused", "read",
    ]  # fmt: skip
    assert "refusal" in replies[1].reason
    assert "what you said" in replies[3].reason
    assert replies[3].usage.calls == 2  # asked once more, with the mistake
    assert "3 attempts" in replies[4].reason
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 5


def test_a_useless_answer_is_asked_for_again_with_the_mistake() -> None:
    with LoopbackServer(echo, faults={1: Says("Hm.")}) as server:
        (reply,) = ask_all(model_at(server), prompts(1))
        assert reply.outcome == "read"
        assert reply.usage.calls == 2
        assert "it does not start with what you said" in server.requests[1].user
        assert server.requests[1].user.startswith("question 0\n")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_refused_key_raises_at_once_and_the_next_run_resumes(tmp_path: Path, concurrency: int):
    refused = [Status(401, "wrong key")]
    options = {"store": tmp_path / "kept.db", "max_concurrency": concurrency}

    def faults(request: Request) -> object:
        return refused[0] if refused and request.number > 10 else None

    with LoopbackServer(echo, faults=faults) as server:
        with pytest.raises(ModelSettingsError, match="Check the key"):
            ask_all(model_at(server), prompts(100), **options)
        count = server.count
        assert count <= 10 + concurrency
        assert len(Cache(tmp_path / "kept.db", "completions")) == 10
        refused.clear()
        replies = ask_all(model_at(server), prompts(100), **options)
        assert ask_all(model_at(server), prompts(100), **options) == replies
        assert server.count - count == 90
    assert sum((reply.usage for reply in replies), Usage()).calls == 90


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1, "b": "x"}',
        '```json\n{"a": 1, "b": "x"}\n```',
        'Here it is:\n\n{"A": 1, "B": "x"}\n\nI hope that helps {really}.',
        '{"a": 0, "b": "y"} No, wait: {"a": 1, "b": "x"}',
        'The set {1, 2} is no object. {"a": 1, "b": "x", "c": {"a": 5}}',
    ],
)
def test_an_object_is_read_whatever_stands_around_it(reply: str) -> None:
    fields = read_object(reply, ("a", "b"))
    assert (fields["a"], fields["b"]) == (1, "x")


@pytest.mark.parametrize("reply", ["", "none", "{", '{"a": 1}', "{" * 5000, '[{"a":' * 3000, "[]"])
def test_an_answer_without_an_object_is_unusable(reply: str) -> None:
    with pytest.raises(UnusableReplyError, match='"a", "b"'):
        read_object(reply, ("a", "b"))
