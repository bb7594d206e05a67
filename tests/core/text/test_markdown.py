import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.text.markdown import markdown_blocks
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.place import Kind
from lumber_core.text.source import Source
from lumber_core.text.units import markdown
from lumber_core.tokens import EstimatedCounter
from tests.growth import check_linear

HANDBOOK = """\
---
title: Tide gauge handbook
tags: [sensors, field work]
---

# Tide gauge handbook

This handbook is for the people who look after the gauges. Read it once in the office.
The chapters follow the order of a visit.

## Install

Bring the mast, two clamps and the sealed box.

### From the kit

1. Open the box and check the list:
   - four bolts
   - one cable

   Missing parts are ordered by radio.
2. Fix the mast.

   ```sh
   gauge attach --mast 2
   gauge level

   # a comment, not a heading
   gauge seal
   ```

3. Call the office.

### From source
```python
def level(readings):

    # Mean of the last ten, spikes left out.
    last = [r for r in readings if not r.spike][-10:]
    return sum(r.height for r in last) / len(last)
```
Build it on a machine with the cross compiler.

## Readings

| Station | Height (m) | Note            |
| ------- | ---------: | --------------- |
| North   |       1.24 | after the storm |
| Pier    |       0.97 |                 |
| Lock    |       2.02 | gate closed     |

> A height is a mean over ten minutes.
>
> Spikes are left out.

Faults
------

<details>
<summary>Old boxes</summary>

Boxes made before spring lose time.

</details>

* * *

    indented code
    of two lines

Last words.
"""


Spans = list[tuple[int, int]]


def block_texts(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end].strip()) for block in markdown_blocks(text)]


def unit_texts(text: str) -> list[str]:
    return [text[start:end] for start, end in markdown(text)]


def fences(text: str) -> list[tuple[int, int]]:
    return [(b.start, b.end) for b in markdown_blocks(text) if b.kind == "code"]


def test_a_handbook_is_parsed_into_its_blocks():
    kinds = [kind for kind, _ in block_texts(HANDBOOK)]
    assert kinds == [
        *("front matter", "heading", "paragraph", "heading", "paragraph", "heading"),
        *("list item", "list item", "list item", "paragraph", "list item", "code", "list item"),
        *("heading", "code", "paragraph", "heading", "table", "quote", "quote", "heading"),
        *("html", "paragraph", "html", "rule", "code", "paragraph"),
    ]


def test_code_keeps_its_fences_blank_lines_and_lines_like_headings():
    (shell, python, indented) = [text for kind, text in block_texts(HANDBOOK) if kind == "code"]
    assert shell.startswith("```sh")
    assert "# a comment" in shell
    assert shell.endswith("```")
    assert python.startswith("```python\ndef level")
    assert python.endswith("len(last)\n```")
    assert indented == "indented code\n    of two lines"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("---\n\nNot a key.\n\n---\n", ["rule", "paragraph", "rule"]),
        ("---\nJust words here.\n\n---\n", ["rule", "paragraph", "rule"]),
        ("a\n---\ntitle: x\n---\n", ["heading", "heading"]),
        ("\ufeff+++\ntitle = 'x'\n+++\n# A\n", ["front matter", "heading"]),
        ("a\n\n```\ncode\n\n# code\n", ["paragraph", "code"]),
    ],
)
def test_kinds_of_blocks_follow_from_their_opening_marks(text, kinds):
    assert [block.kind for block in markdown_blocks(text)] == kinds


@pytest.mark.parametrize(
    ("template", "unit"),
    [
        *(("# *{}\n", unit) for unit in ("[", "![", "*a", "](", "&amp;", "`", "<a ", "_a ")),
        ("---\ntitle: tide{}!\n---\n", " "),
        ('---\ntitle: "{}!\n---\n', "tide"),
    ],
)
def test_titles_and_front_matter_take_time_in_proportion_to_them(template: str, unit: str) -> None:
    check_linear(markdown_blocks, lambda n: template.format(unit * n), 2_000)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("\ufeff# A\n", ["A"]),
        ("A title\nof two lines\n====\n", ["A title of two lines"]),
        ("- # a\n- b\n\n> # c\n", []),
        ("## 1. **Oar _and_ net**\n\n# [A &amp; b](c/a_b.md)\n", ["1. Oar and net", "A & b"]),
        ("# ![Logo](a_b.png) Tide\\_log *2*\n", ["Logo Tide_log 2"]),
        ("# `**`, `a_b_c`, x_y_z, Vec<T>, 2 * 3\n", ["`**`, `a_b_c`, x_y_z, Vec<T>, 2 * 3"]),
    ],
)
def test_titles_come_from_headings_at_the_top_level(text, titles):
    assert [block.title for block in markdown_blocks(text) if block.level] == titles


def test_the_outline_has_levels_and_titles():
    headings = [(b.level, b.title) for b in markdown_blocks(HANDBOOK) if b.level]
    assert headings == [
        *((1, "Tide gauge handbook"), (2, "Install"), (3, "From the kit"), (3, "From source")),
        *((2, "Readings"), (2, "Faults")),
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_gives_the_same_blocks(line_break):
    text = HANDBOOK.replace("\n", line_break)
    assert [kind for kind, _ in block_texts(text)] == [kind for kind, _ in block_texts(HANDBOOK)]
    for block in markdown_blocks(text):
        assert block.start == 0 or text[: block.start].endswith(line_break)


def test_rows_are_the_lines_of_tables_and_code():
    blocks = markdown_blocks(HANDBOOK)
    (table,) = [block for block in blocks if block.kind == "table"]
    assert [HANDBOOK[row : row + 6] for row in table.rows] == ["| Pier", "| Lock"]
    python = next(block for block in blocks if "```python" in HANDBOOK[block.start : block.end])
    lines = HANDBOOK[python.start : python.end].splitlines()
    assert len(python.rows) == len(lines) - 3  # without both marks and the first line


def test_lines_between_bars_are_rows_and_prose_with_bars_is_not():
    def kinds(text: str) -> list[tuple[str, int]]:
        return [(block.kind, len(block.rows)) for block in markdown_blocks(text)]

    assert kinds("| 1 | 2 |\n  | 3 | 4 |  \n|5|6|") == [("table", 2)]
    assert kinds("|x| is the size of x, and\n|y| that of y.") == [("paragraph", 0)]
    assert kinds("| one row |") == [("paragraph", 0)]


def chunks_at(text: str, spans: list[tuple[int, int]], metadata: dict[str, str]) -> list[Chunk]:
    """Deliver these spans of a Markdown text as chunks."""
    source = Source(text, format="markdown", metadata=metadata)
    return GreedyChunker().chunks(source, Segmentation(tuple(Span(*span) for span in spans)))


def heading_paths(
    text: str, spans: list[tuple[int, int]], *, above: tuple[str, ...] = ()
) -> list[tuple[str, ...]]:
    metadata = {"headings": " > ".join(above)} if above else {}
    return [chunk.headings for chunk in chunks_at(text, spans, metadata)]


def heading_metadata(
    text: str, spans: list[tuple[int, int]], metadata: dict[str, str]
) -> list[dict[str, str | int]]:
    return [chunk.metadata() for chunk in chunks_at(text, spans, metadata)]


def test_paths_name_the_headings_in_force():
    def path(words: str) -> tuple[str, ...]:
        at = HANDBOOK.index(words)
        return heading_paths(HANDBOOK, [(at, len(HANDBOOK))])[0]

    top = "Tide gauge handbook"
    assert path("title:") == ()
    assert path("# Tide") == (top,)
    assert path("This handbook") == (top,)
    assert path("Missing parts") == (top, "Install", "From the kit")
    assert path("# a comment") == (top, "Install", "From the kit")
    assert path("Build it") == (top, "Install", "From source")
    assert path("| Pier") == (top, "Readings")
    assert path("Last words") == (top, "Faults")


def test_the_path_of_a_span_is_that_of_its_first_visible_character():
    text = "# A\n\na\n\n# B\n\nb\n"
    at = text.index("\n\n# B")
    assert heading_paths(text, [(at, len(text)), (at, at + 1)]) == [("B",), ("A",)]


def test_titles_of_unknown_levels_hold_up_to_the_first_heading_of_a_part():
    text = "text\n\n## B\n\ntext\n"
    paths = heading_paths(text, [(0, 4), (6, 20)], above=("A", "X"))
    assert paths == [("A", "X"), ("B",)]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.data())
def test_chunks_of_a_part_that_starts_inside_a_section_keep_its_titles(levels, data):
    titles = [f"Title {number}" for number in range(len(levels))]
    text = "".join(f"{'#' * n} {t}\n\ntext\n\n" for n, t in zip(levels, titles, strict=True))
    paragraphs = [match.start() for match in re.finditer("text", text)]
    first, second = sorted(data.draw(st.tuples(*[st.sampled_from(paragraphs)] * 2)))
    (part,) = heading_metadata(text, [(first, len(text))], {})
    (inner,) = heading_metadata(text[first:], [(second - first, len(text) - first)], part)
    metadata = {**part, **inner}
    (full,) = heading_paths(text, [(second, len(text))])
    assert metadata["headings"] == " > ".join(full)
    last = text[second:]
    (of_part,) = heading_metadata(last, [(len(last) - 6, len(last))], metadata)
    (of_text,) = heading_paths(text, [(len(text) - 6, len(text))])
    assert {**metadata, **of_part}["headings"] == " > ".join(of_text)


def test_levels_are_given_only_where_a_heading_follows_inside_a_section():
    text = "# A\n\none\n\n## B\n\ntwo\n\nthree\n"
    spans = [(0, len(text)), (5, len(text)), (text.index("two"), len(text))]
    assert heading_metadata(text, spans, {}) == [
        {"headings": "A", "headings_inside": "B"},
        {"headings": "A", "heading_levels": "1", "headings_inside": "B"},
        {"headings": "A > B"},
    ]


def test_levels_may_be_left_out_and_come_back():
    text = "### C\n\nc\n\n# A\n\na\n\n### D\n\nd\n\n## E\n\ne\n"
    spans = [(text.index(f"\n{letter}\n"), len(text)) for letter in "cade"]
    assert heading_paths(text, spans) == [("C",), ("A",), ("A", "D"), ("A", "E")]


def test_a_heading_stays_with_its_first_block():
    units = unit_texts(HANDBOOK)
    assert "## Install\n\nBring the mast, two clamps and the sealed box.\n\n" in units
    assert any(u.startswith("### From source\n```python") and "len(last)" in u for u in units)
    assert any(u.startswith("## Readings\n\n| Station") and "Lock" in u for u in units)


@pytest.mark.parametrize("units", [["# A\n## B\n\nc\n\n", "d"], ["- a\n", "- b\n  c\n", "  - d\n"]])
def test_headings_in_a_row_and_items_with_their_bullets_are_units(units):
    assert unit_texts("".join(units)) == units


@pytest.mark.parametrize("size", [20, 40, 80, 160])
def test_fences_and_rows_are_only_cut_if_one_alone_exceeds_the_limit(size):
    chunker = GreedyChunker(size, units="markdown", tokenizer="estimate", chunk_size=size)
    cuts = [span.start for span in chunker.segment(HANDBOOK).spans]
    for start, end in fences(HANDBOOK):
        if chunker.counter.count([HANDBOOK[start:end]])[0] <= size:
            assert not [cut for cut in cuts if start < cut < end]
    rows = [at for at in range(len(HANDBOOK)) if HANDBOOK.startswith("| ", at)]
    starts = {0, *(at + 1 for at, mark in enumerate(HANDBOOK) if mark == "\n")}
    lines = sorted(at for at in rows if at in starts)
    for at in lines:
        assert not [cut for cut in cuts if at < cut < HANDBOOK.index("\n", at)]


def test_a_heading_without_a_title_only_ends_sections():
    text = "# A\n\none\n\n## B\n\ntwo\n\n##\n\nthree\n\n### C\n\nfour\n\n#\n\nfive\n"
    words = ("one", "two", "##\n\nthree", "three", "four", "#\n\nfive")
    spans = [(text.index(f"\n{word}") + 1, len(text)) for word in words]
    outline = MarkdownText(Source(text, metadata={"headings": ""})).outline
    places = outline.places(text, spans)
    assert [place.titles for place in places] == [
        ("A",),
        ("A", "B"),
        ("A",),
        ("A",),
        ("A", "C"),
        (),
    ]
    assert [place.context.titles for place in places] == [place.titles for place in places]
    assert places[0].inside == ("B", "C")
    assert MarkdownText(text).title == "A"


def test_places_have_the_kinds_of_the_markdown():
    places = {HANDBOOK[p.offset : p.offset + 8]: p for p in MarkdownText(HANDBOOK).places()}
    assert places["## Insta"].kind is Kind.HEADING
    assert places["   - fou"].kind is Kind.LINE
    assert places["Read it "].kind is Kind.SENTENCE
    assert places["> Spikes"].kind is Kind.PARAGRAPH
    assert places["2. Fix t"].first_word == places["2. Fix t"].offset + 3
    assert not {"    # Me", "| Pier  ", "| Statio", "Bring th"} & set(places)


def test_a_block_below_a_colon_is_deeper_and_a_heading_has_its_level():
    blocks = [*("Run:", "```sh\nmake\n```", "Or:", "- a\n- b", "Go.", "### Next", "So:", "# End")]
    text = "\n\n".join([*blocks, "x"])
    places = {text[place.offset :].split("\n")[0]: place for place in MarkdownText(text).places()}
    assert [start for start, place in places.items() if place.depth] == ["```sh", "- a"]
    levels = {start: place.level for start, place in places.items() if place.level}
    assert levels == {"### Next": 3, "# End": 1}


def test_a_thematic_break_ends_the_block_before_it():
    blocks = ["# A", "One. Two.", "---", "Three.", "- four", "***", "- five", "# B", "---", "Six."]
    text = "\n\n".join(blocks)
    places = {text[p.offset :].split("\n")[0]: p.kind for p in MarkdownText(text).places()}
    assert places == {
        "Two.": Kind.SENTENCE,
        "Three.": Kind.HEADING,
        "- four": Kind.LINE,
        "- five": Kind.HEADING,
        "# B": Kind.HEADING,
    }


def test_long_code_is_divided_between_its_blocks():
    code = "".join(f"def f{n}(a):\n    b = a + {n}\n    return b\n\n" for n in range(12))
    text = f"```python\n{code}```\n"
    cutter = Cutter(MarkdownText(text), SizeLimits(90, None, EstimatedCounter(), 60))
    cuts = cutter.cut(cutter.places())
    assert len(cuts) > 2
    assert all(text.startswith("def ", cut) for cut in cuts)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ('<h1 align="center">Otter Kit</h1>\n\ntext', [(1, "Otter Kit", 0)]),
        ("text\n\n<h2\n  id=food>\n Food &amp; <em>tea</em>\n</h2>\nfish", [(2, "Food & tea", 6)]),
        ("# Otter {#kit .wide}\n\ntext", [(1, "Otter", 0)]),
        ("# Otter { #kit }\n\ntext", [(1, "Otter", 0)]),
        ("# Otter {/* #kit */}\n\ntext", [(1, "Otter", 0)]),
        ('# <a name="otter"></a>Otter {#kit}\n\ntext', [(1, "Otter", 0)]),
        ("<div align=center>\n<H3>Otter<br>Kit</H3>\n</div>\n", [(3, "Otter Kit", 0)]),
        ("<h1>\n\n![logo](a.png)\n\nOtter\n\n</h1>\n\n# Next", [(1, "Otter", 0), (1, "Next", 36)]),
        ("<img src=a>\n<h1><img src=b> A</h1>\nfish\n<h2>B</h2>", [(1, "A", 12), (2, "B", 40)]),
        ("<h1>One</h1><h1>Two</h1>\n<h2>Three</h2>\n", [(1, "One", 0), (2, "Three", 25)]),
        ("<h1><a href=x><img src=y alt=Otter></a></h1>\n\ntext", []),
        ("```html\n<h1>Code</h1>\n```\n\n    <h1>Code</h1>\n", []),
        ("<!-- <h1>Old</h1> -->\n\n<pre>\n<h1>Code</h1>\n</pre>\n", []),
        ("<table><tr><td><h3>Cell</h3></td></tr></table>\n", []),
        ("- item\n\n  <h2>Item</h2>\n\n> <h2>Quote</h2>\n", []),
        ("`<h2>` opens what `</h2>` ends\n\n**Bold**\n\n<h2>open\n\ntext\n\n# Go", [(1, "Go", 58)]),
    ],
)
def test_html_headings_are_headings_in_markdown(
    text: str, headings: list[tuple[int, str, int]]
) -> None:
    blocks = markdown_blocks(text)
    assert [(block.level, block.title, block.start) for block in blocks if block.level] == headings
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert all(block.start < row < block.end for block in blocks for row in block.rows)
    assert [block.kind == "heading" for block in blocks] == [bool(block.level) for block in blocks]


def test_an_html_heading_stays_with_its_text_and_is_its_title() -> None:
    text = '<h1 align="center">Otter Kit</h1>\n\nIt has food.\n\n<h2>Bath</h2>\n\nA tub of tin.\n'
    source = Source(text, format="markdown")
    chunks = LayoutChunker(12, merge_sections=False).split(source, Delivery(trim=True))
    assert [chunk.headings for chunk in chunks] == [("Otter Kit",), ("Otter Kit", "Bath")]
    assert chunks[1].text.startswith("<h2>Bath</h2>")
