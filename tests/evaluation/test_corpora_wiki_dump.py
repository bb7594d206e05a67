"""Dumps of Wikipedia: articles as prose, with the sections of all levels."""

from __future__ import annotations

import bz2
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import check_tiling
from lumber_evaluation.corpora import iter_wiki_dump
from lumber_evaluation.documents import Document
from tests.core.core_support import memory_folder
from tests.evaluation.writing import write
from tests.fuzz.texts import texts
from tests.profiles import examples

pytest.importorskip("mwparserfromhell")

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">'


def page(text: str, *, title: str = "Otters", namespace: int = 0, redirect: str = "") -> str:
    return (
        f"<page><title>{escape(title)}</title><ns>{namespace}</ns>{redirect}<revision>"
        f"<text>{escape(text)}</text></revision></page>"
    )


def dump(folder: Path, *pages: str) -> Path:
    return write(folder / "dump.xml", f"{HEAD}{''.join(pages)}</mediawiki>")


def read(folder: Path, text: str) -> Document:
    (document,) = iter_wiki_dump(dump(folder, page(text)))
    return document


def test_sections_of_all_levels_start_segments(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "Otters swim. They eat fish.\n\n== Life ==\n=== Young ===\nPups float.\n\nThey squeak.\n"
        "=== Adults ===\nAdults dive.\n==Threats==\nOil harms them.",
    )
    assert document.name == "Otters"
    assert document.source == "wikipedia"
    assert [span.of(document.text).split("\n") for span in document.segments] == [
        ["Otters swim.", "They eat fish.", ""],
        ["Pups float.", "They squeak.", ""],
        ["Adults dive.", ""],
        ["Oil harms them."],
    ]
    assert len(document.units) == 6


@pytest.mark.parametrize(
    ("markup", "prose"),
    [
        ("The '''otter''' eats ''fish''.", "The otter eats fish."),
        ("It lives in [[Asia]] and [[the Alps|mountains]].", "It lives in Asia and mountains."),
        ('Otters swim.<ref name="a">Brown, 2001.</ref> They dive.', "Otters swim.\nThey dive."),
        ('Otters swim.<ref name="a"/> They dive.', "Otters swim.\nThey dive."),
        ("{{Infobox|name={{nested}}}}Otters swim.", "Otters swim."),
        ("[[File:Otter.jpg|thumb|An otter near [[Oslo]].]]\nOtters swim.", "Otters swim."),
        ("Otters swim.\n* one\n# two\n: three\n; four\nThey dive.", "Otters swim.\nThey dive."),
        ('{| class="wikitable"\n| a || b\n|}\nOtters swim.', "Otters swim."),
        ("Otters <!-- check\n== not a heading ==\n -->swim.", "Otters swim."),
        ("Otters swim.\n==\nThey dive. ==", "Otters swim.\n==\nThey dive.\n=="),
        ("Otters swim.\n[[Category:Otters]]\n[[de:Otter]]", "Otters swim."),
    ],
)
def test_only_prose_is_kept(markup: str, prose: str, tmp_path: Path) -> None:
    assert read(tmp_path, markup).text == prose


def test_appendices_are_left_out_with_their_subsections(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "Otters swim.\n== Notes ==\nA note.\n=== More ===\nA remark.\n== Threats ==\nOil.\n"
        "== See also ==\nThe mink.\n==References==\nBrown, 2001.",
    )
    assert document.text == "Otters swim.\nOil."


def test_a_tag_that_is_not_closed_hides_no_later_section(tmp_path: Path) -> None:
    document = read(tmp_path, "Otters swim.\n== Life ==\nPups <ref>float.\n== Threats ==\nOil.")
    assert document.text.endswith("Oil.")
    assert document.text[document.starts[-1] :] == "Oil."


def test_only_articles_with_text_are_read(tmp_path: Path) -> None:
    path = dump(
        tmp_path,
        page("See otters.", title="Otter", redirect='<redirect title="Otters" />'),
        page("Let us talk.", title="Talk:Otters", namespace=1),
        page("{{stub}}", title="Weasels"),
        page("Minks swim.", title="Minks"),
    )
    assert [document.name for document in iter_wiki_dump(path)] == ["Minks"]


def test_dumps_may_be_compressed(tmp_path: Path) -> None:
    plain = dump(tmp_path, page("Otters swim."))
    packed = tmp_path / "dump.xml.bz2"
    packed.write_bytes(bz2.compress(plain.read_bytes()))
    assert list(iter_wiki_dump(packed)) == list(iter_wiki_dump(plain))


def test_articles_come_before_the_file_is_read_to_its_end(tmp_path: Path) -> None:
    whole = dump(tmp_path, *(page("Otters swim. " * 500, title=str(n)) for n in range(30)))
    text = whole.read_text(encoding="utf-8")
    broken = write(tmp_path / "broken.xml", text[: len(text) - 3000])
    articles = iter_wiki_dump(broken)
    assert next(articles).name == "0"
    with pytest.raises(ValueError, match=r"broken\.xml is no XML export of MediaWiki, or only"):
        list(articles)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("plain text", "is no XML export"),
        ("<html><body/></html>", "has no articles"),
        ('<?xml version="1.0" encoding="none"?><mediawiki/>', "is no XML export"),
        (f"{HEAD}<page><title>A</title></page></mediawiki>", "is no XML export"),
    ],
)
def test_other_files_are_refused(content: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path / "dump.xml", content)
    with pytest.raises(ValueError, match=reason):
        list(iter_wiki_dump(path))


MARKUP = st.lists(
    st.sampled_from(
        [
            *("{{", "}}", "[[", "]]", "<ref>", "</ref>", "{|", "|}", "|", "\n== A ==\n", "\n* "),
            *("== ", "'''", "<!--", "-->", "File:", "&lt;", "One. ", "two. ", "\n\n"),
        ]
    )
    | texts,
    max_size=12,
).map("".join)


@given(MARKUP)
@examples(60)
def test_any_markup_gives_segments_that_tile_the_text(markup: str) -> None:
    printable = "".join(c for c in markup if c.isprintable() or c == "\n")
    with memory_folder() as folder:
        path = dump(Path(folder), page(f"Otters swim.\n== B ==\n{printable}"))
        (document,) = iter_wiki_dump(path)
    check_tiling(document.segments, len(document.text))
    assert document.text.startswith("Otters swim.")
    assert set(document.starts) <= set(document.units)
