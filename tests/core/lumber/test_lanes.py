"""Lanes: chains walked ahead of time give the sequential result for few extra calls."""

import random
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Group
from lumber_core.lumber.grouping import PublishedCodeRules, TextUnits
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.walk import Walk
from lumber_core.text.units import paragraphs
from tests.core.lumber.support import document, judge_by_hash, story
from tests.profiles import examples


def run(walk: Walk, judge, capacity: int, order: random.Random) -> tuple[int, int]:
    """Walk with up to `capacity` groups out, answered in random order; return calls and rounds."""
    out: list[Group] = []
    calls = rounds = 0
    while not walk.done:
        while len(out) < capacity:
            group = walk.claim() or walk.claim_ahead()
            if group is None:
                break
            out.append(group)
            calls += 1
        order.shuffle(out)
        rounds += 1
        for group in out[: max(1, len(out) - order.randrange(2))]:
            walk.record(as_verdict(group, judge(group)))
            out.remove(group)
    return calls, rounds


@examples(60)
@given(st.integers(1, 120), st.integers(2, 20), st.sampled_from([0.02, 0.3, 1.0]), st.integers(0))
def test_any_order_and_number_of_lanes_gives_the_sequential_result(length, lanes, extra, seed):
    text = story(length, seed)
    sequential = Walk(*document(text))
    run(sequential, judge_by_hash, 1, random.Random(0))
    many = Walk(*document(text), lanes=lanes, max_extra_calls=extra)
    run(many, judge_by_hash, lanes, random.Random(seed))
    assert [*many.boundaries] == [*sequential.boundaries]
    assert many.verdicts == sequential.verdicts


def test_no_group_is_judged_twice() -> None:
    starts: list[int] = []

    def judge(group: Group) -> int | None:
        starts.append(group.start)
        return judge_by_hash(group)

    run(Walk(*document(story(400)), lanes=16, max_extra_calls=0.5), judge, 16, random.Random(1))
    assert len(starts) == len(set(starts))


def test_the_main_chain_comes_first() -> None:
    walk = Walk(*document(story(400)), lanes=8)
    first = walk.claim()
    assert first is not None
    assert first.start == 0
    assert walk.claim() is None
    ahead = walk.claim_ahead()
    assert ahead is not None
    assert ahead.start > first.stop
    walk.record(as_verdict(first, first.start + 1))
    following = walk.claim()
    assert following is not None
    assert following.start == 1


def test_a_short_text_gets_no_lanes() -> None:
    walk = Walk(*document(story(20)), lanes=16)
    walk.claim()
    assert walk.claim_ahead() is None


@pytest.mark.parametrize("extra", [0.05, 0.2])
def test_lanes_that_never_meet_the_main_chain_are_abandoned(extra: float) -> None:
    """A judge that always moves two units keeps chains of odd and even units apart."""

    def judge(group: Group) -> int:
        return min(group.start + 2, group.stop - 1) if len(group) > 2 else group.start + 1

    text = story(2000)
    walk = Walk(*document(text), lanes=16, max_extra_calls=extra)
    ahead_after_knowing = 0

    def watch(group: Group) -> int:
        nonlocal ahead_after_knowing
        if walk.waste > extra * 1000 and group.start > walk.position:
            ahead_after_knowing += 1
        return judge(group)

    calls, _ = run(walk, watch, 16, random.Random(3))
    sequential_calls, _ = run(Walk(*document(text)), judge, 1, random.Random(3))
    assert sequential_calls == 1000
    assert calls < 1.5 * sequential_calls
    assert ahead_after_knowing <= 16  # groups in flight at that moment


def test_sixteen_lanes_on_emma_cost_at_most_three_percent(emma: list[str], emma_ends: list[int]):
    def published_end(group: Group) -> int | None:
        end = emma_ends[bisect_left(emma_ends, group.start)]
        return end if end <= group.stop else None

    text = "\n".join(emma)
    units = TextUnits(text, paragraphs(text))
    words = [len(paragraph.split()) for paragraph in emma]
    sequential = Walk(units, PublishedCodeRules(words, 550))
    calls, rounds = run(sequential, published_end, 1, random.Random(0))
    assert calls == rounds == 476
    walk = Walk(units, PublishedCodeRules(words, 550), lanes=16, max_extra_calls=0.05)
    calls, rounds = run(walk, published_end, 16, random.Random(0))
    assert [*walk.boundaries] == [*sequential.boundaries]
    assert calls <= 476 * 1.03
    assert rounds * 8 < 476  # answers come in random order, none in every second round


def test_usage_counts_calls_that_lanes_waste() -> None:
    walk = Walk(*document(story(600)), lanes=16, max_extra_calls=0.5)
    calls, _ = run(walk, judge_by_hash, 16, random.Random(5))
    judged = sum(verdict.outcome != "single" for verdict in walk.verdicts)
    assert walk.usage.calls == calls > judged
    assert walk.waste == calls - judged
