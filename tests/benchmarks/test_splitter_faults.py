"""The benchmark's counting of chunks over the limit, lost characters and wrong offsets."""

import pytest

from benchmarks.faults import examine, wrong_offsets
from benchmarks.packages import Piece

TEXT = "One two. One two. Three four."


def pieces(*parts: tuple[str, int | None]) -> list[Piece]:
    return [Piece(text, at, None if at is None else at + len(text)) for text, at in parts]


@pytest.mark.parametrize(
    ("text", "parts", "limit", "counts"),
    [
        (TEXT, [(TEXT[:9], 0), (TEXT[9:], 9)], 20, {}),
        (TEXT, [(TEXT[:9], 0), (TEXT[9:], 9)], 19, {"over": 1}),
        # White space that is stripped is not lost.
        (TEXT, [("One two.", 0), ("One two.", 9), ("Three four.", 18)], 20, {}),
        (TEXT, [(TEXT[:9], 0), (TEXT[18:], 18)], 20, {"lost": len("Onetwo.")}),
        ("a🙂b", [("a\ufffd", 0), ("\ufffdb", 1)], 20, {"lost": 1, "invented": 2}),
    ],
)
def test_chunks_over_the_limit_and_lost_or_invented_characters_are_counted(
    text, parts, limit, counts
):
    counted = examine(text, pieces(*parts), (len, limit))
    kinds = ("over", "lost", "invented")
    assert {kind: counted[kind] for kind in kinds} == dict.fromkeys(kinds, 0) | counts


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ([("One two.", 0), ("One two.", 9)], 0),
        ([("One two.", 0), ("One two.", 0)], 1),  # the second text has the place of the first
        ([("One two.", 0), ("One two.", None)], 1),
        ([("One two.", 1)], 1),
        ([("One two.", -1)], 1),
        ([("One two.", 0), ("two.", 4)], 1),  # the second chunk overlaps the first
    ],
)
def test_wrong_offsets_are_counted(parts: list[tuple[str, int | None]], wrong: int):
    assert wrong_offsets(TEXT, pieces(*parts)) == wrong


def test_an_end_that_does_not_match_start_and_length_is_wrong():
    assert wrong_offsets(TEXT, [Piece("One two.", 0, 7)]) == 1


def test_a_splitter_without_offsets_has_no_count_of_wrong_offsets():
    assert wrong_offsets(TEXT, pieces(("One two.", None))) is None
