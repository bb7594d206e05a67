from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, Source
from lumber_core.text.origin import (
    address_of,
    document_key,
    document_names,
    file_names,
    foreign_headings,
    given_title,
)
from lumber_core.text.pages import join_by_file, number_pages, page_label, place_source

UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
ADDRESSES: list[tuple[dict[str, Any], str, str]] = [
    ({"source": "a/b.md", "path": "/x/a/b.md"}, "a/b.md", "a/b.md"),
    ({"source": "b.md", "path": "vault/a/b.md"}, "vault/a/b.md", "b.md"),
    ({"source": "b.md", "file_directory": "vault/a"}, "vault/a/b.md", "b.md"),
    ({"file_name": "b.md", "folder_path": "/vault/a"}, "/vault/a/b.md", "b.md"),
    ({"file_name": "b.pdf", "file_path": "c/b.pdf"}, "c/b.pdf", "b.pdf"),
    ({"source": "2", "file_name": "b.pdf", "file_path": "c/b.pdf"}, "c/b.pdf", "b.pdf"),
    ({"source": "feed", "link": "https://a.org/b"}, "https://a.org/b", "https://a.org/b"),
    ({"source": "b.csv", "link": "https://a.org/row"}, "b.csv", "b.csv"),
    ({"Source": "https://a.org/b"}, "https://a.org/b", "https://a.org/b"),
    ({"URL": "https://a.org/b", "title": "B"}, "https://a.org/b", "https://a.org/b"),
    ({"sourceURL": "https://a.org/b"}, "https://a.org/b", "https://a.org/b"),
    ({"fileName": "b.md"}, "b.md", "b.md"),
    ({"source": Path("c/b.md")}, "c/b.md", "c/b.md"),
    ({"path": ["a", "b"], "link": float("nan"), "url": ""}, "", ""),
    ({"document_id": UUID, "page_id": "4711"}, "4711", "4711"),
    ({"Entry ID": "http://a.org/abs/1"}, "http://a.org/abs/1", "http://a.org/abs/1"),
    ({"post_url": "https://a.org/b", "post_id": "7"}, "https://a.org/b", "https://a.org/b"),
    ({"id": 7, "location": "pond"}, "7", "7"),
    ({"paperId": "p7", "id": UUID}, "p7", "p7"),
]


@pytest.mark.parametrize(("metadata", "address", "name"), ADDRESSES)
def test_metadata_gives_the_address_name_and_key_of_a_document(
    metadata: dict[str, Any], address: str, name: str
) -> None:
    assert address_of(metadata) == address
    assert document_names([(metadata, "")])[0] in (name, metadata.get("title", ""))
    assert bool(document_key(metadata)) == bool(address)
    assert document_key({**metadata, "headings": "A", "start_index": 3}) == document_key(metadata)


@given(st.dictionaries(st.sampled_from(["source", "file_path", "file_name", "url"]), st.text()))
def test_a_key_distinguishes_addresses(metadata: dict[str, str]) -> None:
    other = {**metadata, "path": "folder/of/its/own.md", "source": "own.md"}
    assert address_of(other) == "folder/of/its/own.md" or "/" in address_of(other)
    assert all(name.strip() for name in file_names(metadata))


@pytest.mark.parametrize(
    ("metadata", "identity", "name"),
    [
        ({"file_name": "a.csv", "row": 0}, "", "a.csv, row 1"),
        ({"file_name": "a.xlsx", "page_name": "Prices"}, "", "a.xlsx, sheet Prices"),
        ({"source": "a.json", "seq_num": 2.0}, "", "a.json, part 2"),
        ({"source": "a.csv", "seq_num": 2}, "", "a.csv, row 2"),
        ({"source": "a.mbox", "seq_num": 2}, "", "a.mbox, mail 2"),
        ({"source": "a.md", "seq_num": 2}, "", "a.md, section 2"),
        ({"title": "Otters"}, UUID, "Otters"),
        ({"title": "Otters"}, "notes-7", "notes-7"),
        ({}, UUID, UUID),
    ],
)
def test_a_citation_names_the_part_of_a_file_or_the_document(
    metadata: dict[str, Any], identity: str, name: str
) -> None:
    assert document_names([(metadata, identity)]) == [name]


def test_equal_file_names_get_their_folders() -> None:
    metadatas = [{"file_name": "a.md", "file_path": f"{folder}/a.md"} for folder in ("x", "y", "x")]
    other = {"file_name": "b.md", "file_path": "x/b.md"}
    names = document_names([(metadata, "") for metadata in (*metadatas, other)])
    assert names == ["x/a.md", "y/a.md", "x/a.md", "b.md"]


@pytest.mark.parametrize(
    ("metadata", "headings"),
    [
        ({"Header 2": "B", "Header 1": "A"}, ("A", "B")),
        ({"h1": "A", "h3": "C"}, ("A", "C")),
        ({"header_1": "A", "heading-2": "B"}, ("A", "B")),
        ({"Subsection": "B", "Section": "A"}, ("A", "B")),
        ({"section_title": "A", "section_number": 3}, ("A",)),
        ({"header_path": "/A/B/"}, ("A", "B")),
        ({"header_path": "/"}, ()),
        ({"headings": ["A", "B"]}, ("A", "B")),
        ({"Header 1": "12", "level": 2, "section": "x" * 400}, ()),
        ({}, ()),
    ],
)
def test_headings_are_read_from_metadata_of_other_splitters(
    metadata: dict[str, Any], headings: tuple[str, ...]
) -> None:
    assert foreign_headings(metadata) == headings
    for name in ("a.md", "a.html"):
        source = Source("Text of it.", metadata={**metadata, "source": name})
        (chunk,) = GreedyChunker().split(source)
        assert chunk.headings == headings
        assert all(heading in chunk.context for heading in headings)


def test_headings_in_the_text_are_below_those_in_the_metadata() -> None:
    text = "### Seal\n\nIt is 12 mm wide.\n\n#### Oil\n\nA spoon.\n"
    metadata = {"Header 1": "A", "Header 2": "B", "Header 3": "Seal", "source": "a.md"}
    chunks = GreedyChunker(target_size=8).split(Source(text, metadata=metadata))
    assert [chunk.headings for chunk in chunks] == [("A", "B", "Seal"), ("A", "B", "Seal", "Oil")]


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"Title": "Otters", "subject": "Mills"}, "Otters"),
        ({"subject": "Mills"}, "Mills"),
        ({"page_title": "Mills"}, "Mills"),
        ({"title": None, "Subject": "Mills"}, None),
        ({"channel": "general", "timestamp": "1609459200.000200"}, ""),
    ],
)
def test_titles_are_read_from_keys_of_loaders(metadata: dict[str, Any], title: str | None) -> None:
    assert given_title(metadata) == title


@pytest.mark.parametrize(
    "name",
    ["general - U0123 - 1609459200.000200", "https://a.slack.com/archives/C01/p1609459200000200"],
)
def test_the_channel_and_time_of_a_message_are_not_a_title(name: str) -> None:
    assert Source("Lunch?", metadata={"source": name}).file_title == ""


LABELLED = [{"file_path": "b.pdf", "page_label": label} for label in ("i", "ii", "1", "2", "A")]


def test_pages_with_only_labels_are_numbered_by_their_order() -> None:
    numbered = number_pages([*LABELLED, {"file_path": "c.pdf", "page_label": "1"}])
    pages = [len(place_source("Text.", metadata).pages) for metadata in numbered]
    assert pages == [1, 2, 3, 4, 5, 1]
    assert [page_label(metadata, n) for metadata, n in zip(numbered, pages, strict=True)] == [
        *("i", "ii", "1", "2", "A"),
        "",
    ]
    assert "page_first" not in LABELLED[0]
    twice = number_pages([metadata for metadata in LABELLED for _ in range(2)])
    assert [metadata["page_first"] for metadata in twice[::2]] == [1, 2, 3, 4, 5]


def test_pages_of_a_joined_document_keep_their_labels() -> None:
    [(_, joined)] = join_by_file(["a", "b", "c", "d", "e"], LABELLED)
    assert joined is not None
    assert joined[1]["page_labels"] == "1=i 2=ii 3=1 5=A"
    labels = [page_label(joined[1], page) for page in (1, 2, 3, 4, 5, 6)]
    assert labels == ["i", "ii", "1", "2", "A", ""]


@pytest.mark.parametrize("other", [None, ["iv"], 4, "four"])
def test_page_labels_in_an_unknown_form_are_ignored(other: Any) -> None:
    assert page_label({"page": 4, "page_labels": other}, 4) == ""


@pytest.mark.parametrize(
    "metadata",
    [
        {"source": "{}", "file_path": "b.pdf", "total_pages": 3},
        {"page": "{}", "total_pages": 3, "file_path": "b.pdf"},
        {"Page Number": "{}", "url": "https://a.org/b.pdf"},
        {"slide_number": "{}", "file_name": "b.pptx"},
    ],
)
def test_page_numbers_are_read_from_all_known_keys(metadata: dict[str, Any]) -> None:
    pages = [
        {k: (n if k == "page" else str(n)) if v == "{}" else v for k, v in metadata.items()}
        for n in (1, 2, 3)
    ]
    numbered = number_pages(pages)
    assert [len(place_source("Text.", metadata).pages) for metadata in numbered] == [1, 2, 3]
    [(_, joined)] = join_by_file(["a", "b", "c"], pages)
    assert joined is not None
    assert joined[1]["page_starts"] == [0, 2, 4]
    assert len({document_key(metadata) for metadata in pages}) == 3
