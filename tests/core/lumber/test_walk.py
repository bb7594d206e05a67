from bisect import bisect_left
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Group, LumberChunker
from lumber_core.lumber.grouping import MethodRules, PublishedCodeRules
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Verdict
from lumber_core.tokens import token_counter
from tests.core.core_support import document, quick
from tests.lexical_judge import LexicalJudge

sizes = st.lists(st.integers(0, 30), max_size=30)
units = st.integers(-3, 35) | st.sampled_from([10**9, -(10**9)])
answers = st.lists(st.none() | units, max_size=60)
every_rule = pytest.mark.parametrize("rules_of", [MethodRules, PublishedCodeRules])


def walk_of(rules, tokens) -> Walk:
    return Walk(document(["x"] * len(tokens)), rules)


def run(walk: Walk, answers) -> list[tuple[int, int]]:
    """Answer group after group, with None when the answers run out; return the groups."""
    remaining = iter(answers)
    groups = []
    while (group := walk.claim()) is not None:
        groups.append((group.start, group.stop))
        walk.record(Verdict(group.start, group.stop, next(remaining, None), "shift"))
    return groups


def edges(walk: Walk) -> list[int]:
    return [0, *walk.boundaries, walk.rules.units]


def is_increasing(numbers) -> bool:
    return all(number < following for number, following in pairwise(numbers))


@every_rule
@given(tokens=sizes, theta=st.integers(1, 60), replies=answers)
@quick
def test_the_walk_ends_and_tiles_whatever_is_answered(rules_of, tokens, theta, replies):
    walk = walk_of(rules_of(tokens, theta), tokens)
    groups = run(walk, replies)
    assert walk.done
    assert walk.position == walk.rules.units == len(tokens)
    assert len(groups) <= len(walk.verdicts) <= len(tokens)
    assert not tokens or is_increasing(edges(walk))
    assert is_increasing([verdict.start for verdict in walk.verdicts])
    assert all(verdict.start < verdict.stop <= len(tokens) for verdict in walk.verdicts)


@given(tokens=sizes, theta=st.integers(1, 60), replies=answers)
@quick
def test_groups_hold_as_many_units_as_fit(tokens, theta, replies):
    walk = walk_of(MethodRules(tokens, theta), tokens)
    run(walk, replies)
    for verdict in walk.verdicts:
        room = sum(tokens[verdict.start : verdict.stop + 1])
        full = room > theta or verdict.stop - verdict.start == theta
        assert verdict.stop == len(tokens) or full
        held = sum(tokens[verdict.start : verdict.stop])
        assert held <= theta or verdict.stop == verdict.start + 1


@given(tokens=sizes, theta=st.integers(1, 60), replies=answers)
@quick
def test_published_groups_stay_below_theta_unless_they_are_one_unit(tokens, theta, replies):
    walk = walk_of(PublishedCodeRules(tokens, theta), tokens)
    for start, stop in run(walk, replies):
        estimate = round(1.2 * sum(count + 2 for count in tokens[start:stop]))
        assert estimate < theta or stop == start + 1
        assert start < len(tokens) - 5


def test_a_verdict_names_where_the_chunk_ends_and_the_next_group_starts():
    walk = walk_of(MethodRules([10] * 6, 30), [10] * 6)
    assert run(walk, [2, None]) == [(0, 3), (2, 5)]
    assert [*walk.boundaries] == [2, 5]
    assert [verdict.outcome for verdict in walk.verdicts] == ["shift", "shift", "single"]


@pytest.mark.parametrize("unit", [0, 3, 4, -1, 10**9])
def test_a_unit_outside_the_group_counts_as_no_answer(unit):
    walk = walk_of(MethodRules([10] * 6, 30), [10] * 6)
    assert run(walk, [unit]) == run(walk_of(MethodRules([10] * 6, 30), [10] * 6), [None])
    assert [*walk.boundaries] == [3]


def test_a_unit_larger_than_theta_is_a_separate_group_and_is_not_judged():
    tokens = [10, 100, 10, 10]
    walk = walk_of(MethodRules(tokens, 30), tokens)
    assert run(walk, []) == [(2, 4)]
    assert [*walk.boundaries] == [1, 2]
    assert [verdict.outcome for verdict in walk.verdicts] == ["single", "single", "shift"]


def test_the_first_verdict_on_a_group_stands():
    walk = walk_of(MethodRules([1] * 8, 4), [1] * 8)
    walk.record(Verdict(4, 8, 6, "shift"))
    walk.record(Verdict(4, 8, 7, "shift"))
    walk.record(Verdict(0, 4, None, "no_shift"))
    walk.record(Verdict(0, 4, 2, "shift"))
    assert [*walk.boundaries] == [4, 6]


@every_rule
@pytest.mark.parametrize(
    ("start", "stop"), [(0, 2), (0, 4), (1, 3), (6, 9), (8, 8), (9, 12), (-1, 2), (-8, 3), (-1, 0)]
)
def test_a_verdict_that_matches_no_group_of_the_walk_is_refused(rules_of, start, stop):
    walk = walk_of(rules_of([1] * 8, 3 if rules_of is MethodRules else 99), [1] * 8)
    with pytest.raises(ValueError, match=f"no group of this walk goes from {start} to {stop}"):
        walk.record(Verdict(start, stop, None, "no_shift"))
    assert walk.verdicts == []


def published_walk(units: int, theta: int = 550) -> Walk:
    """Ten words a unit, so twelve with the label: 44 units stay below 550."""
    return walk_of(PublishedCodeRules([10] * units, theta), [10] * units)


@pytest.mark.parametrize(
    ("words", "theta", "stop"),
    [
        ([3] * 20, 12, 1),  # 5 words are estimated at 6; 10 at 12, which reaches theta
        ([3] * 20, 13, 2),
        ([100] * 20, 12, 1),  # a single unit above theta
    ],
)
def test_the_published_estimate_is_rounded_over_the_whole_group(words, theta, stop):
    assert PublishedCodeRules(words, theta).stop(0) == stop


@pytest.mark.parametrize(
    ("answers", "groups", "boundaries"),
    [
        # 38 labelled units are 456 words, estimated at 547; 39 would be 562 and reach theta.
        ([], [(0, 38), (38, 76)], ()),  # no answer: the group passes without a boundary
        ([20], [(0, 38), (21, 59)], (20,)),  # the next group starts one unit later
        ([20, 21], [(0, 38), (21, 59), (22, 60)], (20, 21)),  # the first unit is a valid answer
        ([38], [(0, 38), (39, 77)], (38,)),  # the ID just past the group: a boundary at its end
        ([0], [(0, 38), (1, 39)], ()),  # unit 0 is accepted, but sets no boundary
    ],
)
def test_answers_set_boundaries_and_next_groups_by_the_published_rules(answers, groups, boundaries):
    walk = published_walk(100)
    assert run(walk, answers)[: len(groups)] == groups
    assert (*walk.boundaries,) == boundaries


@pytest.mark.parametrize(("units", "groups"), [(5, []), (6, [(0, 4)]), (7, [(0, 5)])])
def test_no_published_group_starts_in_the_last_five_units(units, groups):
    walk = published_walk(units)
    assert run(walk, []) == groups
    assert walk.position == units


def test_units_without_tokens_do_not_make_groups_endless() -> None:
    text = "\u200b\n\n" * 2000
    sizes: list[int] = []

    def judge(group: Group) -> None:
        sizes.append(len(group))

    tokenizer = lambda text: len(text.replace("\u200b", "").split())  # noqa: E731
    LumberChunker(judge, theta=100, tokenizer=tokenizer).segment(text)
    assert max(sizes) <= 100
    assert sum(sizes) <= 2000


PROSE = [*("Otters swim. ", "They hunt! ", "\n\n", "no refunds.\n", "7.50 EUR, "), "word " * 300]


@given(st.lists(st.sampled_from(PROSE), max_size=80), st.sampled_from([20, 60]))
@quick
def test_no_chunk_is_longer_than_theta(parts: list[str], theta: int) -> None:
    count = token_counter("estimate").count
    for context in (False, True):
        chunker = LumberChunker(LexicalJudge(), theta=theta, tokenizer="estimate")
        chunks = chunker.split("# Animals of rivers\n\n" * context + "".join(parts))
        tokens = count([chunk.text for chunk in chunks])
        assert max(tokens, default=0) <= theta


def test_published_answers_give_the_published_chunks(emma: list[str], emma_ends: list[int]) -> None:
    """GutenQA's Emma was cut into 476 chunks; a judge that knows their ends gives them back."""

    def judge(group: Group) -> int | None:
        end = emma_ends[bisect_left(emma_ends, group.start)]
        return end if end <= group.stop else None

    text = "\n".join(emma)
    segmentation = LumberChunker.as_published(judge).segment(text)
    starts = [0, *accumulate(len(paragraph) + 1 for paragraph in emma)]
    edges = pairwise([0, *emma_ends])
    published = ["\n".join(emma[first:last]) for first, last in edges]
    assert [starts.index(span.start) for span in segmentation.spans] == [0, *emma_ends[:-1]]
    assert [chunk.rstrip("\n") for chunk in segmentation.chunks(text)] == published
    assert len(segmentation.spans) == 476
    assert segmentation.failures == ()
