"""The order of questions (main chains, further documents, lanes) and the progress bar."""

import asyncio
from dataclasses import replace
from threading import Event, get_ident

import pytest
from tqdm import tqdm

from lumber_core import Group, LumberChunker, ModelJudge, Segmentation, Span
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.runner import Schedule, Task
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Usage
from lumber_core.text.units import paragraphs
from tests.core.lumber.support import ScatteredModel, document, judge_by_hash, segment_all, story


def walks(count: int, lanes: int = 8, length: int = 400) -> list[Walk]:
    stories = (document(story(length, seed)) for seed in range(count))
    return [Walk(*units_and_rules, lanes=lanes, max_extra_calls=0.5) for units_and_rules in stories]


def no_verdict(group: Group) -> None:
    """No verdict is stored."""


def drain(schedule: Schedule) -> list[Task]:
    tasks = []
    while (task := schedule.next_task()) is not None:
        tasks.append(task)
    return tasks


def test_a_walk_is_finished_when_its_last_call_has_ended_and_is_counted() -> None:
    schedule = Schedule(iter(walks(1, length=200)), capacity=8, stored=no_verdict, stop=Event())
    walk, late = None, None
    calls = 0
    while walk is None or not walk.done:
        for task in drain(schedule):
            calls += 1
            walk = task.walk
            if late is None and task.group.start:  # the first group of a lane
                late = task
                continue
            verdict = as_verdict(task.group, judge_by_hash(task.group))
            walk.record(replace(verdict, usage=Usage(1)))
            schedule.give_back(task)
    assert late is not None
    assert schedule.take_finished() == []
    walk.record(replace(as_verdict(late.group, None), usage=Usage(1)))
    schedule.give_back(late)
    assert [finished.usage.calls for _, finished in schedule.take_finished()] == [calls]
    assert schedule.take_finished() == []


@pytest.mark.parametrize("documents", [8, 2])
def test_documents_fill_the_capacity_and_lanes_use_the_rest(documents: int) -> None:
    tasks = drain(Schedule(iter(walks(documents)), capacity=8, stored=no_verdict, stop=Event()))
    assert len(tasks) == 8
    assert [task.number for task in tasks[:documents]] == list(range(documents))
    assert [t.group.start > 0 for t in tasks] == [False] * documents + [True] * (8 - documents)


def test_documents_are_taken_up_only_when_there_is_room() -> None:
    taken = []

    def one_by_one():
        for number, walk in enumerate(walks(50, length=30)):
            taken.append(number)
            yield walk

    schedule = Schedule(one_by_one(), capacity=3, stored=no_verdict, stop=Event())
    drain(schedule)
    assert taken == [0, 1, 2]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_progress_shows_characters_calls_and_tokens(capfd: pytest.CaptureFixture, way: str) -> None:
    chunker = LumberChunker(ModelJudge(ScatteredModel()), theta=60)
    texts = [story(40), story(30, 1), "One unit.", ""]
    results = segment_all(chunker, texts, way, show_progress=True)
    last_line = capfd.readouterr().err.split("\r")[-1]
    calls = sum(result.usage.calls for result in results)
    total = tqdm.format_sizeof(sum(map(len, texts)))
    assert f"{total}/{total}" in last_line
    assert f"calls={calls}" in last_line
    assert f"tokens={105 * calls}" in last_line


def test_the_event_loop_runs_while_long_texts_are_divided_and_limited() -> None:
    threads: dict[str, set[int]] = {"units": set(), "tokens": set()}

    def units(text: str) -> list[Span]:
        threads["units"].add(get_ident())
        return paragraphs(text)

    def tokens(text: str) -> int:
        threads["tokens"].add(get_ident())
        return len(text.split())

    async def split() -> int:
        chunker = LumberChunker(
            ModelJudge(ScatteredModel()), theta=60, units=units, tokenizer=tokens, chunk_size=40
        )
        await chunker.call_async(chunker.segment_all, [story(40), story(40, 1)])
        return get_ident()

    loop = asyncio.run(split())
    assert all(threads.values())
    assert not any(loop in thread_ids for thread_ids in threads.values())


@pytest.mark.parametrize("way", ["sync", "async"])
def test_each_segmentation_is_reported_once_with_its_number_and_text(way: str) -> None:
    reported: dict[int, tuple[str, Segmentation]] = {}

    def report(number: int, text: str, segmentation: Segmentation) -> None:
        assert number not in reported
        reported[number] = text, segmentation

    judge = ModelJudge(ScatteredModel())
    chunker = LumberChunker(judge, theta=60, chunk_size=90, on_segmentation=report)
    texts = [story(40), "", "One unit.", story(30, 1)]
    results = segment_all(chunker, texts, way)
    assert [reported[number] for number in range(4)] == list(zip(texts, results, strict=True))
    assert reported[0][1].usage.calls > 0
    with pytest.raises(TypeError, match="on_segmentation must be callable"):
        LumberChunker(ModelJudge(ScatteredModel()), on_segmentation=3)  # type: ignore[arg-type]


def test_texts_split_before_an_error_are_reported() -> None:
    reported: list[int] = []

    class Failing(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            if "S3" in user:
                raise KeyError("a bug")
            return super().complete(system, user, answers=answers)

    chunker = LumberChunker(
        ModelJudge(Failing()), theta=60, on_segmentation=lambda number, *_: reported.append(number)
    )
    with pytest.raises(KeyError):
        chunker.segment_all([story(20, seed) for seed in range(5)])
    assert reported == [0, 1, 2]
