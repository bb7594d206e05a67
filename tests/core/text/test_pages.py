from collections.abc import Sequence
from typing import Any

import pytest

from lumber_core import GreedyChunker, Source
from lumber_core.chunking.delivery import Delivery
from lumber_core.spans import Span
from lumber_core.text.pages import join_by_file, place_source

Metadatas = Sequence[dict[str, Any]]


def numbers_of(metadatas: Metadatas) -> list[list[int]]:
    """Return the page numbers in each file, none for a document that is not a page."""
    numbers = []
    for _, joined in join_by_file(["x"] * len(metadatas), metadatas):
        source = place_source(*joined) if joined else Source("")
        pages = [source.pages_of(Span(at, at + 1)) for at in range(0, len(source.text), 2)]
        numbers.append([page[0] for page in pages if page])
    return numbers


def joined_pages(texts: Sequence[str], metadatas: Metadatas) -> tuple[str, dict[str, Any]]:
    """Return the only file of some pages."""
    ((_, joined),) = join_by_file(texts, metadatas)
    assert joined is not None
    return joined


def pages_with_labels(*labels: str) -> list[dict[str, Any]]:
    return [{"file_name": "a.pdf", "page_label": label} for label in labels]


def numbered_pages(
    *numbers: Any, name: str | None = "a.pdf", **metadata: Any
) -> list[dict[str, Any]]:
    return [{"source": name, "page": number, **metadata} for number in numbers]


@pytest.mark.parametrize(
    ("metadatas", "numbers"),
    [
        *((numbered_pages(0, 1, 2), [[1, 2, 3]]), (numbered_pages(2, 3, total_pages=9), [[3, 4]])),
        *((numbered_pages(1, 2), [[1, 2]]), (numbered_pages("1", "2", total_pages="2"), [[1, 2]])),
        (numbered_pages(0.0, 1.0, total_pages=9.0), [[1, 2]]),
        ([{"source": "a", "page_number": n, "page": 0} for n in (1, 2)], [[1, 2]]),
        (pages_with_labels("1", "2", "3"), [[1, 2, 3]]),
        (pages_with_labels("355", "356", "358"), [[355, 356, 358]]),
        (pages_with_labels("i", "ii", "1", "2"), [[1, 2, 3, 4]]),
        *(
            (pages_with_labels("4", "A-1", "A-2"), [[4, 5, 6]]),
            (pages_with_labels("1", "1", "2"), [[1, 2, 3]]),
        ),
        *(
            (pages_with_labels("20240101", "20240102"), [[1, 2]]),
            (pages_with_labels("", ""), [[1, 2]]),
        ),
    ],
)
def test_pages_keep_their_numbers_or_are_counted_from_the_first(metadatas, numbers) -> None:
    assert numbers_of(metadatas) == numbers


def test_only_pages_that_follow_each_other_in_a_file_belong_together() -> None:
    text = {"source": "notes.txt"}
    metadatas = [
        *numbered_pages(0, 1),
        *numbered_pages(0, 2, name="b.pdf"),
        text,
        text,
        *numbered_pages(0),
    ]
    assert [first for first, _ in join_by_file(["x"] * 7, metadatas)] == [0, 2, 4, 5, 6]
    assert numbers_of(metadatas) == [[1, 2], [1, 3], [], [], [1]]


def test_a_lower_page_number_begins_another_document() -> None:
    assert numbers_of(numbered_pages(0, 1, 0, 1)) == [[1, 2], [1, 2]]
    assert numbers_of(numbered_pages(2, 0, 1)) == [[3], [1, 2]]
    assert numbers_of(numbered_pages(0, 0, 1, name=None)) == [[1], [1, 2]]


@pytest.mark.parametrize("number", ["iv", "3.5", True, None, 2.5, -1, 100_000])
def test_parts_of_a_page_and_invalid_page_numbers_are_refused(number: Any) -> None:
    with pytest.raises(ValueError, match='"page" in the metadata must be a page number'):
        numbers_of(numbered_pages(number))
    with pytest.raises(ValueError, match=r"two documents are page 2 of a\.pdf.*before sp"):
        numbers_of(numbered_pages(0, 1, 1))


def test_metadata_that_is_equal_on_all_pages_is_kept() -> None:
    equal = {"source": "a.pdf", "total_pages": 2, "tags": ["x"]}
    first, second = {"page": 0, "page_label": "1"}, {"page": 1, "page_label": "2", "own": 1}
    text, metadata = joined_pages(["One.", "Two."], [{**equal, **first}, {**equal, **second}])
    assert (text, metadata) == ("One.\fTwo.", {**equal, "page_starts": [0, 5]})


def test_every_part_of_joined_pages_is_found_again_with_empty_and_missing_pages() -> None:
    texts, numbers = ["One.", "", "Four.\fFour too.", "Seven."], [2, 3, 4, 7]
    text, metadata = joined_pages(texts, [{"page_number": number} for number in numbers])
    source = place_source(text, metadata)
    for page, number in zip(texts, numbers, strict=True):
        if page:
            start = text.index(page)
            for at in (start, start + len(page) - 1):
                assert source.pages_of(Span(at, at + 1)) == (number, number)
    assert source.pages_of(Span(0, len(text))) == (2, 7)


def test_form_feeds_and_spaces_at_the_ends_of_a_chunk_do_not_count_for_its_pages() -> None:
    text = "One.\f\n\fThree.\f \fFive."
    source = place_source(text, {})
    assert source.pages_of(Span(0, text.index("Three"))) == (1, 1)
    assert source.pages_of(Span(4, text.index("Five"))) == (3, 3)
    assert source.pages_of(Span(0, len(text))) == (1, 5)


@pytest.mark.parametrize(
    ("metadata", "pages"),
    [
        *(({"page": 6, "total_pages": 9}, (7, 7)), ({"page": 6}, (6, 6))),
        *(({"page": 6.0, "total_pages": 9.0}, (7, 7)), ({"page": "6", "total_pages": "6"}, (6, 6))),
        *(({"page_number": 6}, (6, 6)), ({"page_label": "6"}, (6, 6))),
        *(({"page_label": "vi"}, None), ({"page": "Otters"}, None), ({"source": "a.txt"}, None)),
    ],
)
def test_a_single_page_has_its_number(metadata: dict[str, Any], pages: Any) -> None:
    assert place_source("Otters swim.", metadata).pages_of(Span(0, 6)) == pages


@pytest.mark.parametrize("overlap", [0, 6])
@pytest.mark.parametrize("trim", [True, False])
def test_chunks_of_chunks_have_pages_and_lines_of_their_document(overlap: int, trim: bool) -> None:
    page = "\n\nOtters swim.\r\nThey  dive.\n\nThey sleep on a bank.\rSo it is. \n"
    text, metadata = joined_pages([page, page, "", page], [{"page_number": n} for n in range(3, 7)])
    document = place_source(text, metadata)
    coarse, fine = GreedyChunker(20, tokenizer="words"), GreedyChunker(7, tokenizer="words")
    for chunk in coarse.split(document, Delivery(overlap, trim)):
        said = chunk.metadata(pages=True, lines=True)
        for part in fine.split(place_source(chunk.text, said), Delivery(trim=True)):
            span = part.span.shift(chunk.span.start)
            assert part.pages == document.pages_of(span)
            before = text[: span.start].replace("\r\n", "\n").replace("\r", "\n")
            assert part.lines[0] == before.count("\n") + 1


def test_page_starts_of_another_text_are_refused() -> None:
    for starts in ([0, 4], [5, 0], "05", [0, 99], [0.0], None):
        with pytest.raises(ValueError, match='"page_starts" in the metadata does not fit the text'):
            place_source("One.\fTwo.", {"page_starts": starts})
    assert place_source("One.\fTwo.", {"page_starts": [0, 5]}).pages == (0, 5)
