import pytest

from lumber_core import Chunk, GreedyChunker, Source

ROWS = "".join(f"| tap {number} | {number} pounds |\n" for number in range(12))
GUIDE = f"""\
---
draft: false
---
# Guide

Words before all sections.

## Prices

What things cost in the shop.

### Taps

| Tap \\| valve | Price |
| --- | ---: |
{ROWS}
Taps close to the right.

## Repairs

#### Leaks

Setext titles
-------------

Words before code.

```
# not a heading
```

Last words of this guide, of which there are enough to fill a chunk of twenty tokens.
"""


def chunks_of(text: str, size: int = 20, **options: object) -> list[Chunk]:
    source = Source(text, **{"format": "markdown", **options})
    return GreedyChunker(size, chunk_size=size, tokenizer="words").split(source)


def context_of(words: str, text: str = GUIDE, **options: object) -> str:
    """Return the context of the chunk that has these words."""
    (chunk,) = [chunk for chunk in chunks_of(text, **options) if words in chunk.text]
    return chunk.context


def test_a_context_has_the_headings_above_a_chunk_but_not_those_inside_it():
    assert context_of("Words before all") == ""  # the chunk begins with the title
    assert context_of("What things cost") == "Guide"  # begins with a heading
    assert context_of("Taps close") == "Guide > Prices > Taps"
    assert context_of("Last words") == "Guide > Setext titles"


def test_the_title_in_the_metadata_comes_first_and_is_not_repeated():
    options = {"metadata": {"title": " The shop's\nbook "}}
    assert context_of("What things cost", **options) == "The shop's book > Guide"
    assert context_of("What things cost", metadata={"title": "Guide"}) == "Guide"
    assert context_of("Words before all", metadata={"title": "Guide"}) == ""
    assert context_of("plain", "Some plain words.", format="text", **options) == "The shop's book"
    assert context_of("plain", "Some plain words.", metadata={"title": 7}) == ""


def test_parts_of_a_context_that_are_too_long_are_left_out():
    long = "word " * 80
    below = f"## Part\n\n{'Some words. ' * 40}"
    assert chunks_of(f"# {long}\n\n{below}")[-1].context == "Part"
    assert chunks_of(below, metadata={"title": long})[-1].context == "Part"
    wide = "| one | two " * 300 + "|\n" + "|---|---" * 300 + "|\n" + "| 1 | 2 " * 300 + "|\n"
    assert {chunk.context for chunk in chunks_of(wide)} == {""}


def test_a_title_is_a_first_level_heading_only_if_there_is_a_single_one():
    deep = "{top} A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\nfirst words\n\n" + "more words " * 20
    assert context_of("first words", deep.format(top="#"), size=60) == ""
    (*_, last) = chunks_of(deep.format(top="#"), 16)
    assert last.context == "A > C > D > E"
    (*_, last) = chunks_of(deep.format(top="# Z\n\nz\n\n#"), 16)
    assert last.context == "C > D > E"


@pytest.mark.parametrize(
    ("above", "has_name"),
    [("", False), ('<!-- a -->\n<a id="b"></a>\n\n', False), ("Words.\n\n", True)],
)
def test_a_file_name_is_not_a_title_if_the_text_begins_with_a_heading_above_all_others(
    above, has_name
):
    text = f"{above}## Boats\n\nfirst words\n\n### Oars\n\n" + "more words " * 20
    (*_, last) = chunks_of(text, 16, metadata={"source": "ch02-boats.md"})
    assert last.context == ("ch02 boats > " * has_name) + "Boats > Oars"


def test_a_chunk_that_continues_a_table_gets_its_header():
    above, *others = [chunk for chunk in chunks_of(GUIDE) if "|" in chunk.text]
    assert above.context == "Guide > Prices"
    assert len(others) > 2
    for chunk in others:
        path, *header = chunk.context.splitlines()
        assert path == "Guide > Prices > Taps"
        assert header == ["| Tap \\| valve | Price |", "| --- | ---: |"]
        assert chunk.text_in_context == f"{path}\n\n{header[0]}\n{header[1]}\n{chunk.text}"


def test_a_table_that_begins_inside_a_chunk_needs_no_header():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    text = f"{table}\nbetween\n\n{table.replace('a', 'c')}"
    (chunk,) = chunks_of(text, 60)
    assert chunk.context == ""
    assert chunk.text_in_context == text


@pytest.mark.parametrize("mark", ["  ", "> ", "- "])
def test_the_header_of_a_table_in_a_list_or_quote_has_no_list_or_quote_marks(mark):
    rest = "> " if mark == "> " else "  "
    rows = "".join(f"{rest}| {number} | word word |\n" for number in range(9))
    text = f"{mark}| a | b |\n{rest}|---|---|\n{rows}"
    first, *others = chunks_of(text, 20)
    assert first.context == ""
    assert {chunk.context for chunk in others} == {"| a | b |\n|---|---|"}


@pytest.mark.parametrize("title", ["Pub", None])
@pytest.mark.parametrize(
    ("kind", "head", "row"),
    [
        ("markdown", "| Tap | Price |\n| --- | --- |\n", "| tap number {} of a pub | {} pence |\n"),
        ("csv", "tap,price,left\n", '"tap number {0} of the old, old pub",{0},7\n'),
        ("csv", 'tap,"price\nin pounds",left\n', '"tap number {0} of the old, old pub",{0},7\n'),
    ],
)
def test_a_part_of_a_table_is_cut_between_rows_when_split_again(kind, head, row, title):
    rows = [row.format(number, number) for number in range(40)]
    parts = chunks_of(head + "".join(rows), 100, format=kind, metadata={"title": title})
    part = parts[1]
    context = f"Pub\n{head.rstrip()}" if title else head.rstrip()
    assert part.context == context
    metadata = {"title": title, "context": part.context, "start_index": part.span.start}
    children = chunks_of(part.text, 25, format=kind, metadata=metadata)
    assert len(children) > 2
    for child in children:
        assert child.context == context
        assert set(child.text.splitlines(keepends=True)) <= {*rows}


def test_a_table_without_a_header_is_cut_between_rows():
    lines = ["# Taps\n", "\n", *["| tap number one of the pub | 2 pounds |\n"] * 9, "\n", "End."]
    chunks = chunks_of("".join(lines), 16)
    assert len(chunks) > 4
    for chunk in chunks:
        assert set(chunk.text.splitlines(keepends=True)) <= {*lines}


def test_the_header_of_a_table_is_given_without_its_padding():
    rows = "".join(f"| {number}        | word word   |\n" for number in range(9))
    *_, last = chunks_of(f"| Number    | A -- B      |\n|----------:|-------------|\n{rows}", 20)
    assert last.context == "| Number | A -- B |\n|---:|---|"


VALUES = '\ufeffname,"street\nand town",price\n' + "".join(
    f'Ann {number},"Pier Road {number}\nHull",{number}\n' for number in range(9)
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "options",
    [
        {"format": "csv"},
        {"format": None, "metadata": {"source": "data/12.CSV"}},
        {"format": None, "metadata": {"file_type": "text/tab-separated-values"}},
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "sep={}\r\n",
        "# exported{0} today\n\n# by Ann{0} Bob{0} Cid\n",
        "Quay prices\n\nfrom{}2024-05-01\n",
    ],
)
def test_a_chunk_of_separated_values_gets_the_names_of_the_columns(separator, options, before):
    text = f"\ufeff{before.format(separator)}{VALUES[1:].replace(',', separator)}"
    first, *others = chunks_of(text, **options)
    assert first.context == ""
    header = f'name{separator}"street\nand town"{separator}price'
    assert {chunk.context for chunk in others} == {header}
    assert others[0].text_in_context == f"{header}\n{others[0].text}"


AGES = [f"Ann {number},Leeds,{number}" for number in range(9)]
PHONES = [f"Ann {number},020 {number},077 {number}" for number in range(9)]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        *(
            ("name,town,age", [*AGES[:at], row, *AGES[at:]])
            for row in ("0", "0,Hull", "0,Hull,3,", "0,Hull,3,4,5")
            for at in (0, 4, 9)
        ),
        *((header, PHONES) for header in ("name,phone,phone", ",phone,mail")),
        ("name,phone,mail,", [f"{row}," for row in PHONES]),
        *(("age,town,notes", [cells] * 19) for cells in ("0,Hull", "0,Hull,,")),
        ("country,2020,2021", ["UK,3.5,4", "Italy,2,1"]),
        *(
            (header, ["Ann,Hull", "Bob,York,late", "Cid,Ely"] * 6)
            for header in ("name,town", "#name,town")
        ),
        ("name,town", ["Ann,Hull", "Bob,York"] * 9 + ["name,town"]),
        *(
            (header, [f"{n},{n},0" for n in range(99)])
            for header in ("#,age,sons", "#, age, sons", "# id,age,sons")
        ),
    ],
)
def test_column_names_may_be_missing_repeated_or_years(header, rows) -> None:
    _, *others = chunks_of("\n".join([header, *rows]), 15 if len(rows) > 2 else 2, format="csv")
    assert {chunk.context for chunk in others} == {header}


@pytest.mark.parametrize("above", ["Crew", "# made, by hand, in May"])
@pytest.mark.parametrize(("header", "row"), [("name,town", "Ann,Hull"), (",name,qty", "{},Ann,7")])
def test_a_title_or_a_comment_above_a_header_is_not_the_header(
    above: str, header: str, row: str
) -> None:
    text = "\n".join([above, header, *map(row.format, range(40))])
    _, *others = chunks_of(text, 15, format="csv")
    assert {chunk.context for chunk in others} == {header}


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n5,6\n",
        "Ann, Hull\nBob, Leeds\nCid, York\n",  # rows of pandas without a header
        *("Ann,,1\nBob,x,2\nCid,y,3\n", "Ann,Ann,1\nBob,Bob,2\nCid,Cid,3\n"),
        *("1,Ann\nx,Bob\n2,Cid\n3,Eve\n4,Fay\n", "Ann,Hull\nBob,York\nCid,Hull\n"),
        *("red,red,sea\nred,blue,lake\nblue,red,sea\n", "Ann,,\nBob,,\nCid,,\n"),
        "name: Ann, Bob\nage: 3\nname: Cid, Dan\nage: 4\n",  # rows as a loader writes them
        "name,,price\nAnn,Hull,cheap\nBob,York,dear\nCid,Ely,dear\n",
        *("name\nAnn\nBob\n", "a,b\n1,2,3\n4,5,6\n", '"never closed,1\nb,2\n'),
        f"{'a long sentence ' * 9},b\nx,1\n",
    ],
)
def test_a_first_row_that_names_no_columns_is_not_a_header(text):
    chunks = chunks_of(text, 3, format="csv")
    assert len(chunks) > 1
    assert {chunk.context for chunk in chunks} == {""}


def test_a_chunk_that_continues_a_table_of_html_gets_its_header():
    rows = "".join(f"<tr><td>tap {n}</td><td>{n} pounds in all</td></tr>" for n in range(12))
    for header in ("<tr><th>Tap</th>\n<th>20</th></tr>", "<tr><td>Tap</td> <td>Price</td></tr>"):
        text = f"# Guide\n\n<table><tbody>{header}{rows}</tbody></table>\n"
        first, *others = [chunk.context_parts.table for chunk in chunks_of(text, 40)]
        assert first == ""
        assert {*others} == {" ".join(header.split())}
    two = "<tr><td rowspan=2>Tap<td>Price</tr><tr><td>a day</tr>"
    text = f"<table><thead>{two}</thead>{rows}</table>\n"
    first, *others = [chunk.context_parts.table for chunk in chunks_of(text, 40)]
    assert (first, {*others}) == ("", {two})
    bare = f"# Guide\n\n<table>{rows}</table>\n".replace("tap ", "")
    assert {chunk.context_parts.table for chunk in chunks_of(bare, 40)} == {""}


@pytest.mark.parametrize(
    "options",
    [
        {"format": "text"},
        {"format": None, "metadata": {"source": "12.txt"}},
        {"format": "csv", "first_line": 30},
        {"format": "csv", "metadata": {"start_index": 400}},
    ],
)
def test_a_text_that_does_not_begin_with_separated_values_has_no_header(options):
    assert {chunk.context for chunk in chunks_of(VALUES, **options)} == {""}


def test_headings_inside_a_chunk_exclude_the_one_at_its_start():
    (chunk,) = chunks_of(GUIDE, 500)
    assert chunk.headings == ()
    titles = ["Guide", "Prices", "Taps", "Repairs", "Leaks", "Setext titles"]
    assert chunk.headings_inside == (*titles,)
    assert chunk.metadata()["headings_inside"] == " | ".join(titles)
    part = next(chunk for chunk in chunks_of(GUIDE) if "Repairs" in chunk.text)
    assert part.headings == ("Guide", "Repairs")
    assert part.headings_inside == ("Leaks", "Setext titles")
