from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_evaluation.locating import ChunkNotFoundError, locate

# Few characters, so that texts repeat themselves: letters, an ideograph, an emoji of several code
# points, wide and narrow white space.
texts = st.text(alphabet=["a", "b", "春", "👩", "\u200d", "🚀", " ", "\n", "\u3000"], max_size=60)
cuts = st.lists(st.integers(0, 60), max_size=8)


def tiles(text: str, places: list[int]) -> list[Span]:
    edges = sorted({0, len(text), *(place for place in places if place < len(text))})
    return [Span(start, end) for start, end in pairwise(edges)]


@given(texts, cuts)
def test_pieces_are_found_despite_changed_white_space(text, places) -> None:
    spans = [span for span in tiles(text, places) if span.of(text).strip()]
    assert locate(text, [span.of(text) for span in spans]) == spans
    trimmed = [span.strip(text) for span in spans]
    assert locate(text, [span.of(text) for span in trimmed]) == trimmed
    assert locate(text, [" ".join(span.of(text).split()) for span in trimmed]) == trimmed


@given(texts, st.integers(1, 12), st.integers(0, 11))
def test_windows_that_overlap_by_a_known_number_of_characters_are_exact(text, size, overlap):
    visible = "".join(text.split())
    step = max(1, size - overlap)
    last = max(0, len(visible) - size)
    starts = [*range(0, last, step), last] if visible else []
    spans = [Span(start, min(start + size, len(visible))) for start in starts]
    shared = [before.end - span.start for before, span in pairwise(spans)]
    places = locate(visible, [s.of(visible) for s in spans], overlap=max(shared, default=0))
    assert [span.of(visible) for span in places] == [span.of(visible) for span in spans]
    if len(set(shared)) <= 1:
        assert places == spans


@given(texts, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6))
@example("aa ", [(0, 3), (1, 1)])  # the second window is inside the first
@example("aaaa", [(0, 1), (1, 3), (2, 1)])
def test_pieces_that_start_one_after_another_always_find_a_place(text, windows) -> None:
    starts = {start: length for start, length in windows if start < len(text)}
    chunks, seen = [], set()
    for start, length in sorted(starts.items()):
        piece = text[start : start + length]
        first = len("".join(text[:start].split()))
        if piece.strip() and first not in seen:
            seen.add(first)
            chunks.append(piece)
    places = locate(text, chunks)
    located = ["".join(span.of(text).split()) for span in places]
    assert located == ["".join(place.split()) for place in chunks]
    assert all(place.start < following.start for place, following in pairwise(places))


@pytest.mark.parametrize(
    ("text", "chunks", "starts"),
    [
        ("aaa--aa--aaa", ["aaa", "aa", "aaa"], [0, 5, 9]),  # text between pieces was dropped
        ("One two three four five", ["One two three", "two three four", "four five"], [0, 4, 14]),
        ("so. one two", ["so.", "one", "one two"], [0, 4, 4]),  # the last begins where "one" does
        ("One two three.", ["One two three", "two"], [0, 4]),  # "two" is inside the first piece
    ],
)
def test_pieces_with_gaps_and_overlaps_of_unknown_size_are_found(text, chunks, starts) -> None:
    spans = [Span(start, start + len(chunk)) for chunk, start in zip(chunks, starts, strict=True)]
    assert locate(text, chunks) == spans


@pytest.mark.parametrize(
    ("chunks", "number", "beginning"),
    [
        *((["One.", "Five."], 1, "'Five.'"), (["Two.", "One."], 1, "'One.'")),
        (["One. Three."], 0, "'One. Three.'"),
    ],
)
def test_an_error_names_a_piece_that_is_not_in_the_text(
    chunks: list[str], number: int, beginning: str
) -> None:
    with pytest.raises(ChunkNotFoundError, match=f"chunk {number}, which begins {beginning}"):
        locate("One. Two. Three.", chunks)
