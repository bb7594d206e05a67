"""The benchmark's counting of chunks over the limit, lost characters and wrong offsets."""

import pytest

from benchmarks.suite.pieces import Piece
from benchmarks.suite.quality import examine, wrong_offsets

TEXT = "One two. One two. Three four."


def pieces(*parts: tuple[str, int | None]) -> list[Piece]:
    return [
        Piece(text, start, None if start is None else start + len(text)) for text, start in parts
    ]


def test_chunks_that_tile_the_text_have_no_findings():
    found = examine(TEXT, pieces((TEXT[:9], 0), (TEXT[9:], 9)), (len, 20))
    assert found.as_dict() == {
        "chunks": 2,
        "over": 0,
        "largest": 20,
        "lost": 0,
        "blanks_lost": 0,
        "invented": 0,
        "offsets_wrong": 0,
    }


def test_a_chunk_above_the_limit_is_counted():
    found = examine(TEXT, pieces((TEXT[:9], 0), (TEXT[9:], 9)), (len, 19))
    assert (found.over, found.largest) == (1, 20)


def test_stripped_white_space_is_counted_apart_from_lost_characters():
    found = examine(TEXT, pieces(("One two.", 0), ("One two.", 9), ("Three four.", 18)), None)
    assert (found.lost, found.blanks_lost, found.invented, found.offsets_wrong) == (0, 2, 0, 0)


def test_a_missing_sentence_is_lost():
    found = examine(TEXT, pieces(("One two.", 0), ("Three four.", 18)), None)
    assert (found.lost, found.invented) == (len("Onetwo."), 0)


def test_a_character_that_is_replaced_is_lost_and_invented():
    found = examine("a🙂b", pieces(("a\ufffd", 0), ("\ufffdb", 1)), None)
    assert (found.lost, found.invented) == (1, 2)


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ([("One two.", 0), ("One two.", 9)], 0),
        ([("One two.", 0), ("One two.", 0)], 1),  # the second one's text, the first one's place
        ([("One two.", 0), ("One two.", None)], 1),
        ([("One two.", 1)], 1),
        ([("One two.", -1)], 1),
        ([("One two.", 0), ("two.", 4)], 1),  # overlaps the one before
    ],
)
def test_wrong_offsets_are_counted(parts: list[tuple[str, int | None]], wrong: int):
    assert wrong_offsets(TEXT, pieces(*parts)) == wrong


def test_an_end_that_does_not_fit_the_start_is_wrong():
    assert wrong_offsets(TEXT, [Piece("One two.", 0, 7)]) == 1


def test_a_splitter_without_offsets_has_none_wrong():
    assert wrong_offsets(TEXT, pieces(("One two.", None))) is None
