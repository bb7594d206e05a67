from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, Source
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.greedy import nearest_cuts
from tests.core.core_support import RecordingCounter, quick


def cuts_of(tokens: list[int], target: int) -> list[int]:
    return nearest_cuts([0, *accumulate(tokens)], target)


def cuts_of_the_article(tokens: list[int], target: int) -> list[int]:
    """Walk over the candidates one by one: take one when it is nearer than the next."""
    before = [0, *accumulate(tokens)]
    cuts, start = [], 0
    for candidate in range(1, len(tokens)):
        distance = abs(before[candidate] - before[start] - target)
        following = abs(before[candidate + 1] - before[start] - target)
        if candidate > start and distance < following:
            cuts.append(candidate)
            start = candidate
    return cuts


@pytest.mark.parametrize(
    ("tokens", "target", "cuts"),
    [
        *(([], 5, []), ([3, 3, 3, 3], 6, [2]), ([4, 4, 4], 5, [1, 2])),
        # The end of the text is a candidate: 8 lies nearer to 7 than 5 does.
        ([5, 3], 7, []),
        # ... and 9 does not.
        ([5, 5], 7, [1]),
        # Both are equally near: a candidate must be nearer than the next, so the next is taken.
        ([5, 4], 7, []),
        # A first unit longer than the target is a separate chunk.
        ([50, 5, 5], 10, [1]),
        # Units without tokens stay with the unit before.
        ([5, 0, 0, 5], 5, [3]),
        ([0, 0], 5, []),
        # A short rest is a chunk if the cut before it lay nearer.
        ([10, 10, 1], 10, [1, 2]),
    ],
)
def test_a_candidate_is_taken_when_nearer_than_the_next(tokens, target, cuts):
    assert cuts_of(tokens, target) == cuts
    assert cuts_of_the_article(tokens, target) == cuts


@given(tokens=st.lists(st.integers(0, 40), min_size=1, max_size=30), target=st.integers(1, 60))
@example(tokens=[35, 30, 35, 30], target=40)
@quick
def test_a_candidate_above_the_maximum_is_not_taken(tokens, target):
    before, maximum = [0, *accumulate(tokens)], max(target, 51)
    edges = [0, *nearest_cuts(before, target, maximum), len(tokens)]
    assert all(before[stop] - before[start] <= maximum for start, stop in pairwise(edges))


@given(tokens=st.lists(st.integers(0, 12), max_size=40), target=st.integers(1, 40))
@example(tokens=[5, 4], target=7)
@quick
def test_cuts_equal_those_of_the_article(tokens, target):
    assert cuts_of(tokens, target) == cuts_of_the_article(tokens, target)


def test_each_unit_is_counted_once_and_with_a_limit_each_chunk():
    counter = RecordingCounter()
    units = [f"Sentence {number} stands here. " for number in range(500)]
    text = "".join(units)
    GreedyChunker(100, tokenizer=counter, chunk_size=None).segment(text)
    assert counter.seen == units
    counter.seen.clear()
    chunks = GreedyChunker(100, tokenizer=counter).split_text(text)
    assert counter.seen[:500] == units
    assert sorted(counter.seen[500:]) == sorted([*chunks, *map(str.strip, chunks)])


@pytest.mark.parametrize(
    ("sizes", "target", "limit"),
    [
        *(({}, 400, 512), ({"chunk_size": 400}, 312, 400), ({"chunk_size": 2048}, 1600, 2048)),
        *(({"chunk_size": None}, 400, None), ({"chunk_size": 1}, 1, 1)),
        *(({"target_size": 30}, 30, 512), ({"target_size": 900}, 900, 1152)),
        ({"chunk_size": "auto"}, 400, 512),
        ({"target_size": 900, "chunk_size": 1000}, 900, 1000),
        ({"target_size": 900, "chunk_size": None}, 900, None),
    ],
)
def test_the_target_follows_the_limit_unless_it_is_given(sizes, target, limit):
    text = "x" * 5000
    greedy = GreedyChunker(tokenizer=len, units=lambda t: [*pairwise(range(len(t) + 1))], **sizes)
    chunks = greedy.split_text(text)
    assert {len(chunk) for chunk in chunks[:-2]} == {target}
    assert greedy.chunk_size == limit


def test_a_very_long_unit_that_fits_is_kept_whole_and_another_is_cut():
    text = "a" * 40_000
    greedy = GreedyChunker(2, chunk_size=4, tokenizer=lambda part: 1 + part.count(" "))
    assert [*greedy.split_text(text)] == [text]
    spaced = "b " * 20_000
    assert all(part.count(" ") < 4 for part in greedy.split_text(spaced))


def test_rows_of_separated_values_are_not_cut():
    rows = [f'{n},"Came at dawn. Left at noon.\nSaid no word.",boat {n}\n' for n in range(9)]
    text = "number,note,name\n" + "".join(rows)
    chunks = GreedyChunker(30, chunk_size=60).split(Source(text, format="csv"), Delivery(20))
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith((*rows, "number"))
        assert chunk.text.endswith((*rows,))
