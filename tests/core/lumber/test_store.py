"""Answers on disk: none is paid for twice, none is lost, none is mixed up."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import time
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from lumber_core import (
    AnswerStore,
    CallPolicy,
    Completion,
    Group,
    Judge,
    LumberChunker,
    ModelJudge,
    PromptTemplate,
)
from lumber_core.lumber.answer_store import key
from lumber_core.lumber.fallback import GuardedJudge
from lumber_core.lumber.grouping import TextUnits
from lumber_core.segmentation import Verdict
from lumber_core.support.cache import Cache
from lumber_core.text.units import paragraphs
from tests.core.lumber.support import (
    LoggedModel,
    ScatteredModel,
    segment,
    segment_all,
    splitter,
    story,
)

TEXT = story(120)


def kept(judge: Judge, store: AnswerStore) -> GuardedJudge:
    return GuardedJudge(judge, "keep_group", judge, store)


def some_group(text: str = "One.\n\nTwo.\n\nThree.\n\nFour.", start: int = 0) -> Group:
    document = TextUnits(text, paragraphs(text))
    return Group(document, start, len(document.units))


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_run_that_was_cut_short_walks_ahead_only_of_what_is_stored(
    tmp_path: Path, way: str
) -> None:
    model = ScatteredModel()
    text = story(300)
    alone = splitter(model, tmp_path / "answers.db").segment(text)
    entries = Cache(tmp_path / "answers.db", "verdicts")
    last = alone.verdicts[-3]
    units = TextUnits(text, paragraphs(text))
    judge = ModelJudge(model).identity
    (missing,) = [k for k in dict(entries.items()) if k == key(judge, Group(units, *last_of(last)))]
    entries.delete([missing])
    model.asked.clear()
    ahead = splitter(model, tmp_path / "answers.db", max_concurrency=16)
    again = segment(ahead, text, way)
    assert again == alone
    assert 1 <= len(model.asked) <= 3  # the missing one, and what is past it


def last_of(verdict: Verdict) -> tuple[int, int]:
    return verdict.start, verdict.stop


def test_the_reason_of_an_equal_group_says_whose_units_it_names(tmp_path: Path) -> None:
    class Outside(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            return Completion("Answer: ID 99")

    def ask(groups: list[Group], store: AnswerStore) -> list[Verdict]:
        judge = kept(ModelJudge(Outside(), policy=CallPolicy(rereads=0)), store)
        return [judge.judge(one) for one in groups]

    text = "One.\n\nTwo.\n\nOne.\n\nTwo.\n\n"
    units = TextUnits(text, paragraphs(text))
    first, second = Group(units, 0, 2), Group(units, 2, 4)
    assert key("j", first) == key("j", second)
    said, moved = ask([first, second], AnswerStore(tmp_path / "answers.db"))
    assert "not of 1 to 1" in said.reason
    assert "equal group" not in said.reason
    assert "equal group, which starts at unit 0" in moved.reason
    again, moved_again = ask([first, second], AnswerStore(tmp_path / "answers.db"))
    assert (again, moved_again) == (said, moved)


def test_an_edit_costs_only_the_groups_it_touches(tmp_path: Path) -> None:
    class ByText(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            return super().complete(system, re.sub(r"ID \d+", "ID", user), answers=answers)

    model = ByText()
    splitter(model, tmp_path / "answers.db").segment(TEXT)
    asked = len(model.asked)
    splitter(model, tmp_path / "answers.db").segment(f"A new beginning.\n\n{TEXT}")
    assert 0 < len(model.asked) - asked < asked / 2


@pytest.mark.parametrize("way", ["sync", "async"])
def test_equal_texts_in_flight_together_are_asked_about_once(tmp_path: Path, way: str) -> None:
    model = ScatteredModel()
    chunker = splitter(model, tmp_path / "answers.db", max_concurrency=8)
    results = segment_all(chunker, [TEXT] * 6, way)
    assert all(result == results[0] for result in results)
    assert len(model.asked) == len(set(model.asked))


def test_another_model_another_prompt_and_another_group_are_asked_anew(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.db")
    model = ScatteredModel()
    kept(ModelJudge(model), store).judge(some_group())
    other = ScatteredModel()
    other.identity = "other"
    kept(ModelJudge(other), store).judge(some_group())
    prompt = PromptTemplate(system="Otherwise.")
    kept(ModelJudge(model, prompt), store).judge(some_group())
    kept(ModelJudge(model), store).judge(some_group(start=1))
    assert len(store) == 4
    kept(ModelJudge(model), store).judge(some_group())
    assert len(model.asked) == 3


def test_failures_are_kept_until_forgotten(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.db")
    refused = Verdict(0, 4, None, "refused", "declined", "No.")
    store.keep("j", some_group(), refused)
    assert store.get("j", some_group()) == refused
    assert store.forget_failures() == 1
    assert store.get("j", some_group()) is None


def test_that_no_answer_came_is_not_kept(tmp_path: Path) -> None:
    class Away(ScatteredModel):
        away = True

        def complete(self, system, user, *, answers=None):
            if self.away:
                raise ConnectionError
            return super().complete(system, user, answers=answers)

    model = Away()
    judge = ModelJudge(model, policy=CallPolicy(attempts=1, give_up_after=None))
    chunker = LumberChunker(judge, theta=60, store=tmp_path / "answers.db")
    assert {v.outcome for v in chunker.segment(TEXT).failures} == {"unavailable"}
    model.away = False
    assert chunker.segment(TEXT).failures == ()


def test_a_file_of_answers_holds_no_text(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    splitter(ScatteredModel(), path).segment("SECRET one.\n\nSECRET two.")
    assert len(AnswerStore(path)) == 1
    assert b"SECRET" not in path.read_bytes()


def test_a_judge_of_ones_own_needs_an_identity(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give it an attribute `identity`"):
        LumberChunker(lambda group: None, store=tmp_path / "answers.db")


def test_a_judge_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    class Failing(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            if not self.asked:
                self.asked.append(user)
                raise RuntimeError("once")
            return super().complete(system, user, answers=answers)

    judge = kept(ModelJudge(Failing()), AnswerStore(tmp_path / "answers.db"))
    with pytest.raises(RuntimeError, match="once"):
        judge.judge(some_group())
    assert judge.judge(some_group()).outcome in ("shift", "no_shift")


def test_a_cancelled_question_is_asked_by_who_waits_for_it(tmp_path: Path) -> None:
    class Slow(ScatteredModel):
        async def acomplete(self, system, user, *, answers=None):
            await asyncio.sleep(0.05)
            return self.complete(system, user, answers=answers)

    model = Slow()
    judge = kept(ModelJudge(model), AnswerStore(tmp_path / "answers.db"))

    async def both() -> Verdict:
        first = asyncio.ensure_future(judge.ajudge(some_group()))
        second = asyncio.ensure_future(judge.ajudge(some_group()))
        await asyncio.sleep(0.01)
        first.cancel()
        return await second

    assert asyncio.run(both()).outcome in ("shift", "no_shift")
    assert len(model.asked) == 1


def split_and_log(
    store: Path, log: Path, concurrency: int, output: Path, seed: int = 0, parts: int = 300
) -> None:
    """Split a story, and write each question's hash as it is answered, and at last the spans."""
    chunker = splitter(LoggedModel(log, 0.002), store, max_concurrency=concurrency)
    output.write_text(str(chunker.segment(story(parts, seed)).spans))


def start(*arguments: object) -> BaseProcess:
    """Start `split_and_log` in a forked process, which is ready at once."""
    child = get_context("fork").Process(target=split_and_log, args=arguments)
    child.start()
    return child


needs_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")


def run_and_kill(store: Path, log: Path, concurrency: int, output: Path) -> int:
    """Split a story in processes that are killed, until one ends; return how many were."""
    chance = random.Random(7)
    kills = 0
    for _ in range(40):
        before = log.stat().st_size if log.exists() else 0
        child = start(store, log, concurrency, output)
        # Kill some calls after it has begun, wherever that may be.
        wanted = before + 65 * chance.randrange(1, 25)
        until = time.monotonic() + 60
        while child.is_alive() and (not log.exists() or log.stat().st_size < wanted):
            if time.monotonic() > until:
                child.kill()
                pytest.fail("a run after a kill asks nothing and does not end")
            time.sleep(0.001)
        if child.is_alive():
            time.sleep(chance.random() * 0.004)
            child.kill()
        child.join(60)
        kills += child.exitcode == -signal.SIGKILL
        if child.exitcode == 0:
            break
    assert child.exitcode == 0
    assert kills >= 5
    return kills


def repeated(log: Path) -> int:
    """Return the number of questions that were asked again."""
    calls = log.read_text().split()
    return len(calls) - len(set(calls))


@needs_forks
@pytest.mark.parametrize("concurrency", [1, 4])
def test_kill_at_random_moments_repeats_only_what_was_in_flight(
    tmp_path: Path, concurrency: int
) -> None:
    store, log, output = (tmp_path / name for name in ("answers.db", "calls.log", "spans"))
    kills = run_and_kill(store, log, concurrency, output)
    assert repeated(log) <= kills * concurrency
    expected = splitter(ScatteredModel(), None).segment(story(300))
    assert output.read_text() == str(expected.spans)


@needs_forks
def test_kills_of_one_process_cost_another_that_shares_the_store_nothing(tmp_path: Path) -> None:
    store, log, output = (tmp_path / name for name in ("answers.db", "calls.log", "spans"))
    other_log, other_output = tmp_path / "other.log", tmp_path / "other"
    other = start(store, other_log, 2, other_output, 1, 700)
    kills = run_and_kill(store, log, 2, output)
    other.join(120)
    assert other.exitcode == 0
    assert repeated(log) <= kills * 2
    assert repeated(other_log) == 0
    for seed, parts, told in ((0, 300, output), (1, 700, other_output)):
        expected = splitter(ScatteredModel(), None).segment(story(parts, seed))
        assert told.read_text() == str(expected.spans)
    assert sorted(tmp_path.glob("answers.db*")) == [store]
    second = ScatteredModel()
    splitter(second, store).segment(story(700, 1))
    assert second.asked == []
