"""Chunks given as strings are located in their text."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_evaluation.locating import ChunkNotFoundError, locate

# Few different characters, so that texts repeat themselves; ideographs, an emoji of several code
# points, wide and narrow white space.
texts = st.text(alphabet=["a", "b", "春", "👩", "\u200d", "🚀", " ", "\n", "\u3000"], max_size=60)
cuts = st.lists(st.integers(0, 60), max_size=8)


def tiles(text: str, places: list[int]) -> list[Span]:
    edges = sorted({0, len(text), *(place for place in places if place < len(text))})
    return [Span(start, end) for start, end in pairwise(edges)]


@given(texts, cuts)
def test_pieces_that_tile_a_text_are_found_where_it_was_cut(text: str, places: list[int]) -> None:
    spans = [span for span in tiles(text, places) if span.of(text).strip()]
    assert locate(text, [span.of(text) for span in spans]) == spans


@given(texts, cuts)
def test_trimmed_pieces_are_found_without_the_white_space(text: str, places: list[int]) -> None:
    spans = [span.stripped(text) for span in tiles(text, places) if span.of(text).strip()]
    assert locate(text, [span.of(text) for span in spans]) == spans


@given(texts, cuts)
def test_pieces_with_other_white_space_are_found_by_what_is_visible(
    text: str, places: list[int]
) -> None:
    spans = [span.stripped(text) for span in tiles(text, places) if span.of(text).strip()]
    rejoined = [" ".join(span.of(text).split()) for span in spans]
    assert locate(text, rejoined) == spans


@given(texts, st.integers(1, 12), st.integers(0, 11))
def test_windows_that_overlap_by_a_known_number_of_characters_are_exact(
    text: str, size: int, overlap: int
) -> None:
    visible = "".join(text.split())
    step = max(1, size - overlap)
    last = max(0, len(visible) - size)
    starts = [*range(0, last, step), last] if visible else []
    spans = [Span(start, min(start + size, len(visible))) for start in starts]
    shared = [before.end - span.start for before, span in pairwise(spans)]
    found = locate(visible, [s.of(visible) for s in spans], overlap=max(shared, default=0))
    assert [span.of(visible) for span in found] == [span.of(visible) for span in spans]
    if len(set(shared)) <= 1:
        assert found == spans


@given(texts, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6))
@example("aa ", [(0, 3), (1, 1)])  # the second is inside the first
@example("aaaa", [(0, 1), (1, 3), (2, 1)])
def test_pieces_that_start_one_after_another_always_find_a_place(
    text: str, windows: list[tuple[int, int]]
) -> None:
    starts = {start: length for start, length in windows if start < len(text)}
    chunks, seen = [], set()
    for start, length in sorted(starts.items()):
        piece = text[start : start + length]
        first = len("".join(text[:start].split()))
        if piece.strip() and first not in seen:
            seen.add(first)
            chunks.append(piece)
    found = locate(text, chunks)
    assert ["".join(span.of(text).split()) for span in found] == [
        "".join(chunk.split()) for chunk in chunks
    ]
    assert all(one.start < other.start for one, other in pairwise(found))


def test_a_gap_of_dropped_text_between_pieces_is_no_obstacle() -> None:
    text = "aaa--aa--aaa"
    assert locate(text, ["aaa", "aa", "aaa"]) == [Span(0, 3), Span(5, 7), Span(9, 12)]


def test_pieces_that_overlap_by_an_unknown_amount_are_found() -> None:
    text = "One two three four five six seven."
    chunks = ["One two three four", "three four five six", "five six seven."]
    assert [text[slice(*span)] for span in locate(text, chunks)] == chunks


def test_a_piece_that_goes_on_where_the_one_before_ended_is_found() -> None:
    assert locate("so. one two", ["so.", "one", "one two"]) == [Span(0, 3), Span(4, 7), Span(4, 11)]


def test_a_piece_inside_the_one_before_is_found() -> None:
    assert locate("One two three.", ["One two three", "two"]) == [Span(0, 13), Span(4, 7)]


@pytest.mark.parametrize(
    ("chunks", "number", "beginning"),
    [
        (["One.", "Five."], 1, "'Five.'"),
        (["Two.", "One."], 1, "'One.'"),
        (["One. Three."], 0, "'One. Three.'"),
    ],
)
def test_a_piece_that_is_nowhere_is_named(chunks: list[str], number: int, beginning: str) -> None:
    with pytest.raises(ChunkNotFoundError, match=f"chunk {number}, which begins {beginning}"):
        locate("One. Two. Three.", chunks)
