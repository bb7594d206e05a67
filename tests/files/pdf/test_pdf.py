import re
from collections.abc import Sequence
from itertools import pairwise, product, zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import LayoutChunker
from lumber_files import TextFile, UnreadableFileError, read_bytes
from lumber_files.pdf.markdown_writer import finish, to_markdown
from lumber_files.pdf.ruled_tables import Rule
from lumber_files.pdf.text_lines import TextLine, Word, join_words
from tests.files.pdf.test_text_repair import pdf_of_text
from tests.growth import check_linear
from tests.making_files import pdf_of, pdf_page

Drawn = tuple[float, float, float, str]
"""What is drawn: left and base in points, the size, which is negative if it is bold, and a text."""
PROSE = [
    "The tide turns at noon, and the boats go out with it until the evening",
    "when the keeper lights the lamp and waits for the last of them to come.",
    "Nobody sails in the dark, since the rocks cannot be seen.",
]


def draw_pdf(pages: Sequence[Sequence[Drawn]], *, outline: str = "", more: str = "") -> bytes:
    """Return a PDF of pages, with a title, bookmarks and further drawing."""
    objects = ["<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>", ""]
    objects += [f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>" for name in FONTS]
    item = "/First 7 0 R /Last 7 0 R /Count 1" if outline else ""
    objects += [f"<< {item} >>", f"<< /Title ({outline}) /Parent 6 0 R /Dest [9 0 R /Fit] >>"]
    kids = []
    for page in pages:
        operators = [
            f"BT /F{int(size < 0)} {abs(size)} Tf {left} {base} Td ({text}) Tj ET"
            for left, base, size, text in page
        ]
        body = "\n".join([*operators, more])
        objects.append(f"<< /Length {len(body)} >>\nstream\n{body}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents "
            f"{len(objects)} 0 R /Resources << /Font << /F0 3 0 R /F1 4 0 R /F2 5 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return pdf_of(objects)


FONTS = ("Helvetica", "Helvetica-Bold", "Courier")


def prose(base: float, lines: Sequence[str] = PROSE) -> list[Drawn]:
    return [(72, base - 14 * number, 11, line) for number, line in enumerate(lines)]


def file_of(content: bytes) -> TextFile:
    return read_bytes(content, name="a", suffix=".pdf")


def read(*pages: Sequence[Drawn], more: str = "") -> str:
    return file_of(draw_pdf(pages, more=more)).text


def read_between(*drawn: Drawn, more: str = "") -> str:
    """Return the text of a page with other content between two paragraphs."""
    return read([*prose(740), *drawn, *prose(400)], more=more)


ROWS = [("Boats", "1,200", "1,100"), ("Nets", "(30)", "45"), ("Hooks", "7", "-")]


def rows_of(
    base: float,
    *rows: Sequence[str],
    lefts: Sequence[float] = (72, 250, 350),
    size: float = 11,
    step: float = 16,
) -> list[Drawn]:
    """Return the cells of rows below each other, each column from its place on."""
    return [
        (left, base - step * number, size, cell)
        for number, row in enumerate(rows or ROWS)
        for left, cell in zip(lefts, row, strict=True)
        if cell
    ]


def rows_between(text: str) -> list[str]:
    """Return the rows of a table in Markdown, as "Boat | Crew", without the row of dashes."""
    head, _, *rows = [line[1:-1].split("|") for line in text.split("\n") if line.startswith("|")]
    return [" | ".join(map(str.strip, cells)) for cells in (head, *rows)]


def table_of(*drawn: Drawn, more: str = "") -> list[str]:
    """Return the rows of a table that is drawn between two paragraphs of a page."""
    return rows_between(read_between(*drawn, more=more))


def test_larger_and_bold_lines_are_headings_by_size() -> None:
    page = [(72, 740, 20, "The harbour of the"), (72, 716, 20, "northern isles"), *prose(680)]
    page += [(72, 620, 14, "Boats"), *prose(600), (72, 540, -11, "Nets and hooks"), *prose(520)]
    body = " ".join(PROSE)
    assert read(page) == (
        f"# The harbour of the northern isles\n\n{body}\n\n## Boats\n\n{body}\n\n"
        f"### Nets and hooks\n\n{body}"
    )
    file = file_of(draw_pdf([[(72, 740, 20, "Boats"), *prose(700)]]))
    assert {chunk.headings for chunk in LayoutChunker(target_size=10).split(file)} == {("Boats",)}


@pytest.mark.parametrize(
    ("size", "line"),
    [
        (-11, "Nobody sails in the dark, and nobody has ever come back who did so."),
        *((-11, "2022 2023 1,234"), (-11, "which nobody had seen"), (-8, "A note of the printer")),
        *((-11, "Table 2: Prices of the boats"), (-11, "Figure 3. The harbour from above")),
        *((-11, "Table A.1: Prices of the boats"), (-11, "Table ES-1 Prices of the boats")),
        *((-11, "TABLE IV Prices of the boats"), (15, "Ann Keeper^1 and Ben Miller^2")),
        *((-11, "Ann Keeper*"), (15, "This page is intentionally left blank")),
        *((-11, "Continued on the next page"), (-11, "Source: the harbour board"), (15, "E = m c")),
        *((15, "a x + b \\263 0"), (-11, "Chart 4: Boats by month"), (-11, "Photo: the keeper")),
        (-11, "(In millions, except for boats)"),
        (15, "The table below shows the prices of boats:"),
        *((11, "SELECT MAX(PRICE) FROM BOAT_LIST"), (15, "* The price has the nets")),
        *((-11, "For more: harbour.org/prices"), (-11, "Write to keeper@harbour.org")),
        *((-11, "Boats of <name of the keeper>"), (15, "Prices of the boats, Page 2 of 3")),
        (16, "The boats of the new harbour are twice as fast as those of the old, and cost less"),
    ],
)
def test_bold_or_larger_lines_may_be_text(size: int, line: str) -> None:
    assert "#" not in read([*prose(740), (72, 640, size, line), *prose(600)])


def test_a_line_beside_other_lines_is_not_a_heading() -> None:
    heads = [["Period"], ["Total number", "of boats"], ["Average price", "of a boat"]]
    drawn = [
        (left, 606 + 12 * (len(cell) - n), -11, line)
        for left, cell in zip((72, 250, 350), heads, strict=True)
        for n, line in enumerate(cell, start=1)
    ]
    rows = [*rows_of(480, ("Decks", "New", "Ash"), ("Hulls", "Old", "Oak")), (250, 451, -11, "Elm")]
    text = read_between((72, 660, -11, "Boats"), *drawn, *rows_of(590), *prose(540), *rows)
    assert re.findall("^#.*", text, re.MULTILINE) == ["# Boats"]
    assert text.count("Average price of a boat") == 1


def test_the_title_of_a_paper_may_be_longer_than_other_headings() -> None:
    lines = ["Of the tides and boats and nets of", "the northern isles in the winters of"] * 2
    page = [(72, 740 - 24 * n, 20, line) for n, line in enumerate(lines)]
    assert read([*page, *prose(600)]).startswith(f"# {' '.join(lines)}\n\n")


@pytest.mark.parametrize(("first", "second"), [(20, 18.5), (-20, 20), (17, -17)])
def test_the_lines_of_a_title_may_differ_a_little(first: float, second: float) -> None:
    page = [(72, 740, first, "The harbour of"), (72, 720, second, "the northern isles")]
    assert read([*page, *prose(680)]).startswith("# The harbour of the northern isles\n\n")


def test_a_line_directly_above_a_larger_heading_is_not_a_heading_unless_it_is_its_number() -> None:
    page = [*prose(740), *((72, 620, 20, "Of boats"), (72, 590, 14, "By the keeper, 4 May"))]
    page += [(72, 560, 15, "Chapter 1"), (72, 520, 20, "Of nets"), *prose(480)]
    heads = ["# Of boats", "## Chapter 1", "# Of nets"]
    assert re.findall("^#.*", read(page), re.MULTILINE) == heads


@pytest.mark.parametrize(
    ("end", "left", "is_heading"),
    [("of the boats sail away", 72, False), ("of the boats sail away", 80, True), ("", 72, True)],
)
def test_a_bold_line_that_continues_in_the_next_line_is_not_a_heading(
    end: str, left: int, is_heading: bool
):
    line = f"Of the hours. The tide turns at noon and all {end}".strip()
    page = [*prose(740), (72, 640, -11, line), (left, 626, 11, "out with it until the evening")]
    assert ("#" in read(page)) == is_heading


def test_a_line_that_ends_early_ends_there() -> None:
    lines = ["Harbour Street 7", "Hull", "The office is in the house of the keeper of the lamp."]
    assert read(prose(740, lines)) == "\n".join(lines)


@pytest.mark.parametrize(
    ("bookmark", "heading"),
    [
        ("BOATS AND  NETS", "Boats and nets"),
        *product(
            ("Care of boats", "2.1 Care of boats"),
            ("Care of boats", "2.1 Care of boats", "2.1. CARE OF BOATS"),
        ),
    ],
)
def test_a_bookmarked_line_is_a_heading_even_if_line_or_bookmark_lacks_the_number(
    bookmark, heading
):
    content = draw_pdf([[*prose(740), (72, 680, 11, heading), *prose(660)]], outline=bookmark)
    assert f"\n\n# {heading}\n\n" in file_of(content).text


def test_the_first_characters_of_a_paragraph_do_not_make_it_a_heading_list_or_rule() -> None:
    lines = ["# of employees: 12", "> 5 % of them sail.", "---", "<b> is bold."]
    page = [*prose(740), *((72, 640 - 40 * n, 11, line) for n, line in enumerate(lines))]
    assert read(page).split("\n\n")[1:] == ["\\" + line for line in lines]


def test_marks_that_are_drawn_later_stand_before_their_items() -> None:
    items = [(90, 640, 11, "Nets of two kinds:"), (110, 626, 11, "fine"), (90, 612, 11, "Hooks")]
    marks = [(76, 640, 11, "-"), (96, 626, 11, "o"), (72, 612, 11, "2.")]
    text = read([*prose(740), *items, *marks])
    assert text.endswith("\n\n- Nets of two kinds:\n    - fine\n2. Hooks")


def test_running_heads_are_kept_once_and_page_numbers_never() -> None:
    top, end = (72, 770, 9, "Harbour report 2023"), (72, 44, 9, "Pay within 30 days")
    pages = [[top, *prose(720 - 20 * n), end, (300, 30, 9, f"Page {n + 1} of 3")] for n in range(3)]
    file = file_of(draw_pdf(pages))
    body = "\n\n\f".join([" ".join(PROSE)] * 3)
    assert file.text == f"{body}\n\nHarbour report 2023\n\nPay within 30 days"
    assert file.metadata["title"] == "Harbour report 2023"
    steps = [[(72, 740, 16, f"Step {n}"), *prose(700 - 20 * n)] for n in (1, 2, 3)]
    assert re.findall("#.*", read(*steps)) == ["# Step 1", "# Step 2", "# Step 3"]


def test_the_columns_of_a_letterhead_are_kept_once_in_order() -> None:
    cells = [["Tide Mill Ltd", "Quay 7"], ["Court of Hull", "VAT 4711"], ["Bank of Hull", "0815"]]
    foot = [
        (72 + 150 * column, 50 - 10 * row, 8, cell)
        for column, column_cells in enumerate(cells)
        for row, cell in enumerate(column_cells)
    ]
    pages = [[*prose(720 - 9 * n), *foot, (72, 26, 8, f"Page {n}")] for n in (1, 2, 3)]
    assert read(*pages).split("\n\n")[3:] == [
        cell for column_cells in cells for cell in column_cells
    ]


def test_a_running_head_that_a_heading_states_is_not_repeated() -> None:
    pages = [[(72, 770, 9, "Of boats"), *prose(700 - 20 * n)] for n in range(3)]
    pages[0].insert(1, (72, 730, 16, "Of Boats"))
    assert read(*pages).startswith("# Of Boats\n\nThe tide")
    assert "Of boats" not in read(*pages)


def test_a_running_head_in_the_type_of_headings_is_kept_where_it_is_first() -> None:
    heads = [(72, 772, 9, "Tide Mill"), (72, 750, 20, "Fourth proof")]
    pages = [[*heads, *prose(724, [f"In {name} {o}" for o in PROSE])] for name in "ABCDE"]
    pages[3].append((72, 640, 20, "Of boats"))
    text = read(*pages)
    assert re.findall(r"# [\w ]+", text) == ["# Fourth proof", "# Of boats"]
    assert (text.index("# Fourth"), text.count("Tide Mill")) == (0, 1)
    cells = [(72, 750, 20, "Fourth"), (300, 750, 20, "proof")]
    assert read(*([*cells, *page[2:]] for page in pages)).count("proof") == len(pages)


@pytest.mark.parametrize("on", [{0, 2, 4}, {0, 1}])
def test_repeated_headings_stay_if_there_are_only_two_or_pages_between_lack_them(on: set[int]):
    count = max(on) + 1
    pages = [[(72, 770, 20, "Prices")] * (n in on) + prose(700 - 20 * n) for n in range(count)]
    assert read(*pages).count("# Prices") == len(on)


def test_changing_running_heads_are_recognised_by_their_page_number() -> None:
    chapters = ("Boats", "Boats", "Nets", "Hooks", "Hooks")
    pages = [
        [(72, 750 - 9 * n, 11, f"Chapter {name}: what is known {n + 3}"), *prose(700 - 20 * n)]
        for n, name in enumerate(chapters)
    ]
    text = read(*pages)
    assert "\n\nChapter Boats: what is known 3\n\nChapter Nets" in text
    assert [text.count(f"Chapter {name}") for name in ("Boats", "Nets", "Hooks")] == [1, 1, 1]
    heads = [(72, 750 - 9 * n, 11, f"In the year 190{n * n}") for n in range(5)]
    other = [[head, *prose(700 - 20 * n)] for n, head in enumerate(heads)]
    assert read(*other).count("In the year") == len(other)


def test_footers_with_page_numbers_of_a_part_of_a_file_are_kept_once() -> None:
    numbers = (2, 4, 11, 15)
    pages = [[*prose(720 - 9 * n), (72, 40, 9, f"{n} Harbours of the north")] for n in numbers]
    assert read(*pages).count("Harbours of the north") == 1


@pytest.mark.parametrize("row", ["2024-03-{0:02d}  {1}", "Lot {1}  sold  {0}", "{1}", "Lot {1}"])
def test_rows_that_differ_only_in_digits_are_not_running_heads(row: str) -> None:
    rows = [row.format(n % 28 + 1, 1000 + 13 * n) for n in range(3 * 40)]
    cells = [text.split("  ") for text in rows]
    lefts = (72, 192, 312)[: len(cells[0])]
    pages = [rows_of(780, *cells[n : n + 40], lefts=lefts, size=10) for n in (0, 40, 80)]
    words = read(*pages).split()
    assert all(str(1000 + 13 * n) in words for n in range(len(rows)))


@pytest.mark.parametrize(
    ("first", "left", "size", "second"), [("Stor-", 72, 10, "age"), ("The speed is", 90, 8, "km")]
)
def test_a_line_that_continues_in_a_cell_or_a_formula_is_not_a_running_head(
    first, left, size, second
):
    pages = [
        [(72, 740, max(size, 10), first), (left, 728, size, f"{second} {n * n}"), *prose(600 - n)]
        for n in (0, 9, 18)
    ]
    assert read(*pages).count(first.strip("-")) == len(pages)


@pytest.mark.parametrize("size", [11, 8])
def test_notes_below_a_column_follow_the_paragraph_that_continues_in_the_next(size: int) -> None:
    left_column = [(72, 740 - 14 * n, 11, f"line {n} of the keeper") for n in range(9)]
    right = [(300, 740 - 14 * n, 11, f"line {n} of the lamp") for n in range(3)]
    right += [(300, 660 - 14 * n, 11, f"Line {n} of the tide") for n in range(3)]
    notes = [(72, 600, size, "1 See the rules of"), (72, 588, size, "the harbour.")]
    rule = "72 612 m 120 612 l S"
    text = read([*left_column, *notes, *right], more=rule).replace("\n", " ")
    places = [text.index(part) for part in ("line 8 of", "line 2 of the lamp", "1 See", "Line 0")]
    assert places == sorted(places)


@pytest.mark.parametrize("split", [0, 2])  # lines of the cell on the page before
@pytest.mark.parametrize("titles", [[], ["Boats of the lake", "as of May", "in crowns"]])
def test_the_headers_of_columns_stay_where_a_table_continues(titles, split) -> None:
    above = [(72, 780 - 14 * place, 11, title) for place, title in enumerate(titles)]
    rows = [[(f"Gull {n}{m}", str(n), "4") for m in range(4)] for n in range(1, 5)]
    rest = [[(f"of bay {n}{m}", "", "") for m in range(split)] for n in range(1, 5)]
    head = ("Boat", "Sold", "Bought")
    pages = [
        above + rows_of(738, head, *r, *more_row, step=22)
        for r, more_row in zip(rest, rows, strict=True)
    ]
    assert read(*pages).count("Bought") == len(pages)


@pytest.mark.parametrize(
    ("operators", "text"),
    [
        ("(About 10) Tj /F0 7 Tf 4 Ts (6) Tj 0 Ts /F0 11 Tf ( boats) Tj", "About 10^6 boats"),
        ("(built in 1998) Tj /F0 7 Tf 4 Ts (3) Tj 0 Ts /F0 11 Tf (.) Tj", "built in 1998^3."),
        ("(10) Tj /F0 7 Tf 4 Ts (-14) Tj 0 Ts /F0 11 Tf ( m) Tj", "10^-14 m"),
        ("(CO) Tj /F0 7 Tf -3 Ts (2) Tj 0 Ts /F0 11 Tf ( and 12) Tj", "CO2 and 12"),
        ("(the 21) Tj /F0 7 Tf 4 Ts (st) Tj 0 Ts /F0 11 Tf ( of May) Tj", "the 21st of May"),
    ],
)
def test_a_raised_number_is_not_joined_with_the_number_before(operators: str, text: str) -> None:
    assert read(prose(740), more=f"BT /F0 11 Tf 72 600 Td {operators} ET").endswith(text)


@pytest.mark.parametrize(("base", "joined"), [(604.5, ["table^1"]), (600, ["table", "1"])])
def test_a_raised_number_may_be_farther_from_its_word_than_a_letter(base: float, joined: list[str]):
    word, mark = Word("table", 72, 100, 600, 11, 0), Word("1", 101.8, 105, base, 9, 0)
    assert [word.text for word in join_words([word], [mark])] == joined


def test_glyphs_that_pdfium_leaves_out_do_not_move_words() -> None:
    """PDFium counts glyphs without characters, but its text has no characters for them."""
    item = "/F2 11 Tf <0002> Tj /F0 11 Tf 9 0 Td ({}) Tj -9 0 Td"
    items = f"{item.format('Nets of two kinds')} T* {item.format('Hooks')}"
    content = draw_pdf([prose(740)], more=f"BT 72 660 Td 14 TL {items} 0 -30 Td (Salt 7) Tj ET")
    system = "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    content = content.replace(
        b"/Type1 /BaseFont /Courier",
        b"/Type0 /BaseFont /Marks /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype "
        b"/CIDFontType2 /BaseFont /Marks /CIDSystemInfo " + system.encode() + b" >>]",
    )
    assert file_of(content).text.endswith("\n\n- Nets of two kinds\n- Hooks\n\nSalt 7")


@pytest.mark.parametrize("letters", ["XX", "071"])
def test_letters_spaced_out_over_columns_become_words(letters: str) -> None:
    text = read(prose(740), more=f"BT /F0 9 Tf 45 Tc 200 600 Td ({letters}) Tj ET")
    assert text.split()[-len(letters) :] == [*letters]


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("(bear) Tj ET BT /F0 9 Tf 219.4 600 Td (this) Tj", "bear this"),
        ("1.22 Tc (bearings) Tj", "bearings"),
        ("(bear) Tj ET BT /F0 9 Tf 218.2 600 Td (ings) Tj", "bearings"),
    ],
)
def test_tightly_set_words_stay_separate(drawn: str, text: str) -> None:
    page = read(prose(740), more=f"BT /F0 9 Tf 200 600 Td {drawn} ET")
    assert page.split("\n\n")[-1] == text


def test_lines_in_a_monospaced_font_are_code_with_its_indentation() -> None:
    code = ["BEGIN", "for boat in boats:", "    sail(boat,    7)", "END"]
    content = " T* ".join(f"({line.replace('(', '[').replace(')', ']')}) Tj" for line in code)
    text = read(prose(740), more=f"BT /F2 10 Tf 12 TL 72 698 Td {content} ET")
    assert text.endswith("\n\n```\nBEGIN\nfor boat in boats:\n    sail[boat,    7]\nEND\n```")


def test_code_with_fences_and_far_to_the_right_is_one_block() -> None:
    def line(base: float, *words: tuple[str, float], fixed: bool = True) -> TextLine:
        return TextLine(
            [Word(text, left, left + 6, base, 10, bold=False, fixed=fixed) for text, left in words]
        )

    page = [line(740, (PROSE[0], 72), fixed=False)]
    page += [line(600, ("```", 72)), line(588, ("a", 72), ("b", 9e9))]
    (text,) = map(finish, to_markdown([page], [[]], {})[0])
    fence, quoted, far, end = text.partition("\n\n")[2].split("\n")
    assert (fence, quoted, end) == ("````", "```", "````")
    assert far.split() == ["a", "b"]
    assert len(far) < 1000


def test_code_at_the_end_of_a_page_ends_there() -> None:
    code = "BT /F2 10 Tf 72 400 Td (sail[boat]) Tj ET"
    both = draw_pdf([prose(740), [(72, 740, 20, "Boats"), *prose(700)]], more=code)
    # The last lines differ: if equal, they would be a running foot.
    content = b"(moor[punt])".join(both.rsplit(b"(sail[boat])", 1))
    chunks = LayoutChunker(target_size=10).split(file_of(content))
    assert {chunk.headings for chunk in chunks if "rocks" in chunk.text} == {(), ("Boats",)}


def test_a_typewritten_file_is_not_code() -> None:
    content = " T* ".join(f"({line}) Tj" for line in PROSE)
    text = read([], more=f"BT /F2 10 Tf 12 TL 72 600 Td {content} ET")
    assert text.split() == " ".join(PROSE).split()


def test_dot_leaders_before_page_numbers_are_removed() -> None:
    rows = [("1 Boats", " ." * 30, 3), ("2 Nets", " " + "." * 40, 14), ("3 Hooks", "." * 40, 15)]
    page = prose(700, [f"{title}{dots} {number}" for title, dots, number in rows])
    assert read([*page, *prose(600)]).startswith("1 Boats  3\n\n2 Nets  14\n\n3 Hooks  15\n\n")
    glued = prose(700, [f"Boats{'.' * 40}3", f"Nets{'.' * 40}14"])
    assert read([*glued, *prose(600)]).startswith("Boats  3\n\nNets  14\n\n")
    assert "sail ... or not" in read([*prose(700), (72, 600, 11, "They sail ... or not.")])


UPWARDS = "0 1 -1 0 100 72"


@pytest.mark.parametrize(
    ("degrees", "matrix"),
    [(90, UPWARDS), (0, UPWARDS), (270, "0 -1 1 0 500 700"), (180, "-1 0 0 -1 540 100")],
)
def test_a_rotated_page_is_read_like_any_other(degrees: int, matrix: str) -> None:
    shown = " T* ".join(f"({line}) Tj" for line in PROSE)
    title = "/F1 18 Tf (Boats) Tj T* /F0 11 Tf"
    content = draw_pdf([[]], more=f"BT {matrix} Tm 24 TL {title} 14 TL {shown} ET").replace(
        b"/MediaBox", b"/Rotate %d /MediaBox" % degrees
    )
    assert file_of(content).text == "# Boats\n\n" + " ".join(PROSE)


@pytest.mark.parametrize("degrees", [0, 90])
def test_text_outside_of_the_visible_area_of_a_page_is_not_read(degrees: int) -> None:
    matrix = UPWARDS if degrees else "1 0 0 1 72 400"
    beside = "0 1 -1 0 140 2" if degrees else "1 0 0 1 2 360"
    shown = (
        f"BT /F0 11 Tf {matrix} Tm 14 TL (Gull.) Tj T* ({PROSE[0]}) Tj 0 -90 Td (boats.indd) Tj ET"
        f" BT /F0 11 Tf {beside} Tm (beside.indd) Tj ET"
    )
    area = b"80 70 150 792" if degrees else b"70 350 612 410"
    content = draw_pdf([[]], more=shown).replace(
        b"/MediaBox", b"/Rotate %d /CropBox [%b] /MediaBox" % (degrees, area)
    )
    assert "indd" in file_of(content.replace(b"/CropBox", b"/BleedBox")).text
    assert file_of(content).text.split() == f"Gull. {PROSE[0]}".split()


def test_a_drop_cap_belongs_to_its_word() -> None:
    lines = [(105, 400, 11, "nce the tide"), (105, 386, 11, "has turned,")]
    assert read([*prose(740), (72, 372, 36, "O"), *lines]).split("\n\n")[1].startswith("Once the")
    words = read([*prose(740), (72, 372, 36, "A"), *lines[1:]]).split()
    assert words[-3:] == ["A", "has", "turned,"]


def test_a_paragraph_continues_on_the_next_page() -> None:
    expected = f"{PROSE[0]}\n\f{PROSE[1]} {PROSE[2]}"
    assert read(prose(740, PROSE[:1]), prose(740, PROSE[1:])) == expected


@pytest.mark.parametrize("end", ["", '"', "\\)", '"]'])
def test_a_paragraph_may_end_inside_quotes_or_parentheses(end: str) -> None:
    ended = [PROSE[0], f"when the lamp is lit.{end}"]
    ending = ended[1].replace("\\", "")
    assert f"{ending}\n\n\fwhen" in read(prose(740, ended), prose(740, PROSE[1:]))
    assert f"{ending}\n\nNobody" in read(prose(740, [*ended, PROSE[2]]))


@pytest.mark.parametrize(("size", "is_heading"), [(14, True), (12, False)])
def test_a_larger_line_near_a_full_one_is_a_heading(size: int, is_heading: bool) -> None:
    page = [*prose(726, PROSE[:2]), (72, 698, size, "Of nets"), *prose(684)]
    assert ("\n\n# Of nets\n\n" in read(page)) == is_heading


def test_rows_of_numbers_below_headers_are_a_table() -> None:
    text = read_between(*rows_of(600, ("In dollars", "2023", "2022"), *ROWS))
    assert text.split("\n\n")[1] == (
        "| In dollars | 2023 | 2022 |\n| --- | --- | --- |\n| Boats | 1,200 | 1,100 |\n"
        "| Nets | (30) | 45 |\n| Hooks | 7 | - |"
    )
    words = rows_of(600, *[("the keeper", "lights the lamp", "")] * 4)
    assert "|" not in read([*prose(740), *words])
    row = rows_of(600, ["In dollars", "2023", "2022"], ["Boats", "1,200", "1,100"])
    assert table_of(*row)[1] == "Boats | 1,200 | 1,100"
    assert "|" not in read_between(*row[3:])


def test_close_numbers_are_separate_cells_and_text_is_not_a_header() -> None:
    numbers = [(f"Boat {n}", f"{n},753,438", f"{n},799,250", f"{n}2,815") for n in range(4)]
    rows = [("", "2003-04", "2004-05", "2005-06"), *numbers]
    above = "The  tide  turns  at  noon,  and  the  boats  go  out  with  it  until  the  evening"
    drawn = rows_of(600, *rows, lefts=(72, 250, 306, 362), step=14)
    assert table_of((72, 620, 11, above), *drawn) == [*map(" | ".join, rows)]


@pytest.mark.parametrize(
    ("mark", "text"), [("\\(a\\)", "(a)"), ("\\(a\\)\\(b\\)", "(a)(b)"), ("2", "^2")]
)
def test_marks_that_are_drawn_last_are_after_their_word(mark: str, text: str) -> None:
    rows = [("Goods", "2023", "2022"), ("Hire", "12", "11"), ("Rent", "", "7")]
    raised: list[Drawn] = [(275, 604, 7, mark), (92, 588, 7, mark)]
    rows_read = table_of(*rows_of(600, *rows), *raised)
    assert rows_read == [f"Goods | 2023{text} | 2022", f"Hire{text} | 12 | 11", "Rent |  | 7"]


def test_a_statement_is_one_table_with_its_sections_and_empty_cells() -> None:
    statement: list[Drawn] = [
        *((255, 640, 11, "Year ended May 31,"), (250, 626, 11, "2023"), (350, 626, 11, "2022")),
        (72, 610, 11, "Income:"),
        *rows_of(594, ("Hire", "1,200", "1,100"), ("Grants", "", "45"), ("Gifts", "7", "")),
        (72, 546, 11, "Cost:"),
        *rows_of(530, ("Paint and ropes for all of the", "", "")),
        *rows_of(517, ("boats", "(30)", "(28)"), ("Rent", "-", "(4)")),
    ]
    assert table_of(*statement) == [
        *("Year ended May 31, | 2023 | 2022", "Income: |  | ", "Hire | 1,200 | 1,100"),
        *("Grants |  | 45", "Gifts | 7 | ", "Cost: |  | "),
        *("Paint and ropes for all of the boats | (30) | (28)", "Rent | - | (4)"),
    ]


def test_text_below_headers_keeps_its_columns_where_a_row_lacks_a_cell() -> None:
    rows = [("Boat", "Crew", "Quay"), ("Gull", "Ann", "A"), ("Punt", "", "B"), ("Raft", "Ben", "")]
    assert table_of(*rows_of(600, *rows)) == [*map(" | ".join, rows)]
    assert "|" not in read_between(*rows_of(600, *rows[:2], rows[3]))


@pytest.mark.parametrize(
    ("lefts", "heads", "ruled", "expected"),
    [
        ((200, 280, 400, 480), [(215, "Three months"), (415, "Six months")], False, "TTSS"),
        ((150, 220, 290, 480), [(166, "First three months of 2023"), (475, "Six")], False, "FFFS"),
        ((150, 210, 270, 330, 480), [(216, "Three months"), (475, "Six")], True, "TTTTS"),
        ((200, 270, 400, 470), [(270, "Three")], False, "-T--"),
    ],
)  # fmt: skip
def test_a_header_above_several_columns_is_in_each(lefts, heads, ruled, expected) -> None:
    above = [(left, 640, 11, head) for left, head in heads]
    years = [(left, 626, 11, f"202{n % 2}") for n, left in enumerate(lefts)]
    rows = [("Hire", *(str(row * left) for left in lefts)) for row in (1, 2)]
    rules = " ".join(f"{left} 637 m {left + 24} 637 l S" for left in lefts if ruled)
    row = table_of(*above, *years, *rows_of(594, *rows, lefts=(72, *lefts)), more=rules)[0]
    assert "".join(cell[0] if cell[0] != "2" else "-" for cell in row.split(" | ")[1:]) == expected


def test_a_line_below_all_headers_is_not_joined_to_one() -> None:
    heads = ["In dollars", "2023", "Change"]
    rows = table_of(*rows_of(600, heads, *ROWS), more="70 596 m 400 596 l S")
    assert rows[0] == " | ".join(heads)


def test_the_sign_of_a_currency_is_in_the_cell_of_its_number() -> None:
    rows = [(f"Hire {number}", "$", "12", "$", "9") for number in range(3)]
    heads = [(275, 626, 11, "2023"), (375, 626, 11, "2022")]
    drawn = rows_of(610, *rows, lefts=(72, 240, 280, 340, 380))
    assert table_of(*heads, *drawn)[1] == "Hire 0 | $12 | $9"


def test_a_unit_in_parentheses_is_neither_a_header_nor_a_heading() -> None:
    unit = (250, 640, -11, "(In thousands)")
    text = read_between(unit, *rows_of(600, ("Goods", "2023", "2022"), *ROWS))
    assert "\n\n(In thousands)\n\n| Goods | 2023 | 2022 |" in text


def test_headers_of_columns_stand_above_a_unit_and_blank_lines() -> None:
    heads = [(262, 664, 11, "2023"), (362, 664, 11, "2022"), (270, 650, 11, "(In thousands, new)")]
    rows = [(72, 626, 11, "Income:"), *rows_of(604, ("Hire", "1,200", "1,100"), ("Rent", "7", "5"))]
    rows += [*rows_of(572, ("Gifts", "", "9")), (257, 572, 11, "-")]  # next to the 7 above it
    assert table_of(*heads, *rows) == [
        *(" | 2023 | 2022", "Income: |  | ", "Hire | 1,200 | 1,100", "Rent | 7 | 5"),
        "Gifts | - | 9",
    ]


def test_ruled_cells_make_a_table() -> None:
    lefts, bases = (70, 200, 330), (560, 600, 620)
    lines = [f"{left} {bases[0]} m {left} {bases[-1]} l S" for left in lefts]
    lines += [f"{lefts[0]} {base} m {lefts[-1]} {base} l S" for base in bases]
    cells = [
        *((72, 605, 11, "Boat"), (202, 605, 11, "Crew | berths"), (72, 588, 11, "Gull, which")),
        *((72, 574, 11, "is new"), (202, 588, 11, "Ann and Ben")),
    ]
    assert read([*prose(740), *cells], more="\n".join(lines)).split("\n\n")[1] == (
        "| Boat | Crew \\| berths |\n| --- | --- |\n| Gull, which is new | Ann and Ben |"
    )


GRID = ((70, 140, 240, 340), (600, 580, 560, 540))
CELLS = [("Boat", "Seats", "Hour"), ("Gull", "2", "10"), ("Punt", "6", "25")]
HEAD = "Boat | Seats | Hour"


def grid(cells: Sequence[Sequence[str]]) -> list[Drawn]:
    lefts, tops = GRID
    return [
        (left + 4, top - 14, 10, cell)
        for top, row in zip(tops, cells, strict=False)
        for left, cell in zip(lefts, row, strict=False)
        if cell
    ]


def rules_of_grid(*left_out: tuple[float, float, float, float]) -> str:
    """Return a grid's rules, a segment for each side of a cell, but for some."""
    lefts, tops = GRID
    sides = {(x, top, x, low) for x in lefts for top, low in pairwise(tops)}
    sides |= {(left, y, right, y) for y in tops for left, right in pairwise(lefts)}
    return "\n".join("{} {} m {} {} l S".format(*side) for side in sorted(sides - {*left_out}))


def test_the_outer_columns_of_a_ruled_table_may_be_open() -> None:
    rows = [["Boat", "Year", "Crew"], ["Star", "1890", "seven"], ["Moon", "1901", "nine"]]
    drawn = rows_of(605, *rows, lefts=(80, 180, 280), size=10, step=20)
    lines = "".join(f"70 {600 - 20 * row} m 370 {600 - 20 * row} l S " for row in range(3))
    sides = "".join(f"{x} 560 m {x} 620 l S " for x in (170, 270))
    head = "0.8 g 70 600 100 20 re f 170 600 100 20 re f 270 600 100 20 re f 0 g "
    text = read([*prose(740), *drawn], more=head + lines + sides)
    assert rows_between(text) == [*map(" | ".join, rows)]


def test_a_coloured_row_above_a_ruled_table_is_a_row_of_it() -> None:
    lefts = GRID[0]
    band = "".join(f"{x} 580 {y - x} 20 re f " for x, y in pairwise(lefts))
    sides = [*((x, 600, x, 580) for x in lefts), *((a, 600, b, 600) for a, b in pairwise(lefts))]
    text = read([*prose(740), *grid(CELLS)], more=f"0 0.9 0 rg {band} 0 g {rules_of_grid(*sides)}")
    assert rows_between(text)[0] == HEAD


@pytest.mark.parametrize(("left", "base", "marks"), [(72, 590, 0), (190, 640, 0), (72, 575, 1)])
def test_text_below_or_beside_a_picture_is_not_a_heading(left: int, base: int, marks: int) -> None:
    caption = (left, base, -11, "The pier from the west")
    text = read([*prose(740), caption, *prose(560)], more="0 1 0 rg 72 605 100 80 re f")
    assert text.count("# The pier") == marks


def test_a_row_without_upright_rules_has_the_columns_of_the_others() -> None:
    band = [(x, 600, x, 580) for x in GRID[0][1:-1]]
    assert rows_between(read([*prose(740), *grid(CELLS)], more=rules_of_grid(*band)))[0] == HEAD
    title = [("Boats of the lake",), *CELLS[1:]]
    rows = rows_between(read([*prose(740), *grid(title)], more=rules_of_grid(*band)))
    assert rows[0] == "Boats of the lake |  | "


def test_a_cell_that_spans_rows_or_columns_is_in_each() -> None:
    cells = [("Boat", "Seats and hour", ""), ("Gull", "2", "10"), ("", "6", "25")]
    spans = [(240, 600, 240, 580), (70, 560, 140, 560)]
    rows = rows_between(read([*prose(740), *grid(cells)], more=rules_of_grid(*spans)))
    assert rows == ["Boat | Seats and hour | Seats and hour", "Gull | 2 | 10", "Gull | 6 | 25"]
    cells[2], spans[1:] = ("At sea", "", ""), [(x, 560, x, 540) for x in (140, 240)]
    drawn = [*prose(740), *grid(cells)]
    assert rows_between(read(drawn, more=rules_of_grid(*spans)))[1:] == [
        "Gull | 2 | 10",
        "At sea |  | ",
    ]
    cover = (74, 548, 1, "Lines of a cover are around long texts. " * 12)
    assert "|" not in read([*drawn, cover], more=rules_of_grid(*spans))


@pytest.mark.parametrize(
    ("label", "values", "count"),
    [
        (["Gull", "Punt", "Raft"], ["2", "61", "44"], 3),
        (["Gull", "Punt"], ["2", "61"], 2),
        (["Boats"], ["2", "61", "44"], 3),  # one label for all numbers
        (["Gull"], ["2", "(0.1)"], 1),  # a number and its error
        (["Gull of", "the lake"], ["2 and", "then 61"], 1),  # text that wraps
    ],
)
def test_numbers_below_each_other_between_two_rules_are_rows(label, values, count) -> None:
    stacks = [label, values, values]
    lefts = [left + 4 for left in GRID[0][:3]]
    cells = rows_of(604, *zip_longest(*stacks, fillvalue=""), lefts=lefts, size=10, step=12)
    drawn = rows_of(626, CELLS[0], lefts=lefts, size=10)
    levels = "".join(f"70 {y} m 340 {y} l S " for y in (640, 620, 570))
    sides = "".join(f"{x} 570 m {x} 640 l S " for x in GRID[0])
    rows = rows_between(read([*prose(740), *drawn, *cells], more=levels + sides))
    expected = zip(*(s * count if len(s) == 1 else s for s in stacks), strict=True)
    assert rows[1:] == [*map(" | ".join, expected if count > 1 else [map(" ".join, stacks)])]


LEFTS = 72, 150, 230
NOTES = (618, "Above"), (530, "Below")
OPEN_ROWS = [("Term", "Meaning"), ("Ebb", "From high to low"), ("Slack", "Between the two")]


@pytest.mark.parametrize(
    ("heights", "parts"),
    [
        ((622, 604, 562, 544), 1),  # rules above the header and below each row
        ((604, 562, 544), 1),  # rules below each row
        ((622, 604, 562, 544), 2),  # a rule for each cell
        ((622, 604, 562), 2),  # rules above each row
        ((622, 604, 544), 1),  # rules around the header and below the last row
    ],
)
def test_a_cell_that_wraps_between_rules_is_one_cell(heights: Sequence[int], parts: int) -> None:
    cells = rows_of(610, *OPEN_ROWS[:2], lefts=(72, 150), step=18)
    cells += [(150, 579, 11, "water, which takes"), (150, 566, 11, "six hours.")]
    cells += rows_of(550, OPEN_ROWS[2], lefts=(72, 150))
    places = (70, 145, 260)[:: 1 if parts == 2 else 2]
    rules = "".join(f"{x} {y} m {z} {y} l S\n" for y in heights for x, z in pairwise(places))
    expected = "Ebb | From high to low water, which takes six hours."
    assert table_of(*cells, more=rules) == ["Term | Meaning", expected, "Slack | Between the two"]


def test_text_close_to_a_table_with_rules_between_rows_is_not_a_cell() -> None:
    rows = [("Term", "Way", "Use"), ("Ebb", "Out", "Sail"), ("Flow", "In", "Row"), ("Neap", "", "")]
    rules = "".join(f"70 {y} m 300 {y} l S\n" for y in (600, 584, 568, 552))
    notes = [(72, base, 11, f"{side} these are the words of sailors") for base, side in NOTES]
    drawn = [notes[0], *rows_of(606, *rows, ("Slack", "None", "Rest"), lefts=LEFTS), notes[1]]
    assert rows_between(read([*prose(740), *drawn], more=rules))[0] == "Term | Way | Use"
    assert rows_between(read([*prose(740), *drawn], more=rules))[-1] == "Slack | None | Rest"


def test_a_table_of_numbers_with_backgrounds_may_be_drawn_by_columns() -> None:
    rows = [("Of the lake", "In May", "In June"), ("Boats that", "12", "14"), ("sail", "", "")]
    rows += [("Nets", "30", "45"), ("Rafts", "7", "8")]
    bases = 610, 592, 579, 561, 543
    drawn = [
        (left, base, 11, row[column])
        for column, left in enumerate(LEFTS)
        for base, row in zip(bases, rows, strict=True)
        if row[column]
    ]
    bands = "".join(f"70 {y} 230 {h} re f\n" for y, h in ((605, 18), (556, 18)))
    expected = ["Of the lake | In May | In June", "Boats that sail | 12 | 14", "Nets | 30 | 45"]
    rows_read = rows_between(read([*prose(740), *drawn], more=f"0.9 g\n{bands}0 g"))
    assert rows_read == [*expected, "Rafts | 7 | 8"]


def test_a_heading_between_two_ruled_tables_is_not_a_row() -> None:
    rows = [rows_of(base, *OPEN_ROWS, lefts=(72, 150), step=18) for base in (606, 528)]
    rules = "".join(f"70 {y - 6} m 260 {y - 6} l S\n" for y in (606, 588, 570, 528, 510, 492))
    text = read_between(*rows[0], (72, 550, 14, "Of the moon"), *rows[1], more=rules)
    assert [block[:6] for block in text.split("\n\n")[1:-1]] == ["| Term", "# Of t", "| Term"]


@pytest.mark.parametrize("bands", ["", "0.9 g 70 582 300 18 re f 70 528 300 18 re f 0 g"])
def test_rows_are_divided_by_rules_or_by_alternating_backgrounds(bands: str) -> None:
    lines = [
        *(("Terms used", "Meaning", "Depth"), ("At sea", "", ""), ("Ebb", "From high to low", "8")),
    ]
    lines += [("", "water", ""), ("Slack", "", "5"), ("Neap", "Of half a moon", "")]
    drawn = rows_of(606, *lines, lefts=(72, 134, 330), step=18)
    rules = "".join(f"70 {y} m 370 {y} l S\n" for y in (618, 600, 582, 546, 528, 510))
    rows_read = table_of(*drawn, more=bands or rules)
    lines[2:4] = [("Ebb", "From high to low water", "8")]
    assert rows_read == [*map(" | ".join, lines)]


@given(missing=st.sets(st.integers(0, 23)))
def test_words_of_a_table_are_kept_with_any_rules(missing: set[int]) -> None:
    lefts, bottoms = (70, 140, 240, 340), (540, 560, 580, 600)
    sides = [(x, low, x, low + 20) for x in lefts for low in bottoms[:-1]]
    sides += [(left, y, right, y) for y in bottoms for left, right in pairwise(lefts)]
    rules = [Rule(*side) for number, side in enumerate(sides) if number not in missing]
    words = [
        Word(f"w{left}{low}", left + 4, left + 40, low + 6, 10, bold=False)
        for low in bottoms[:-1]
        for left in lefts[:-1]
    ]
    page = [TextLine([word]) for word in words]
    (text,) = map(finish, to_markdown([page], [rules], {})[0])
    assert {word.text for word in words} <= {*re.findall(r"\w+", text)}


def test_two_columns_of_text_between_rules_are_not_a_table() -> None:
    row = ("The keeper lights the lamp when it", "is dark, and puts it out at dawn.")
    rules = "".join(f"70 {y} m 520 {y} l S\n" for y in (660, 350, 300))
    assert "|" not in read(rows_of(640, *[row] * 20, lefts=(72, 320), step=14), more=rules)


def test_sentences_that_continue_in_two_columns_are_not_cells() -> None:
    def drawn(row: tuple[str, str]) -> list[Drawn]:
        lines = rows_of(595, *[row] * 6, lefts=(72, 320), step=14)
        return [(72, 622, 11, "The lamp"), (320, 622, 11, "The horn"), *lines]

    rules = "".join(f"70 {y} m 520 {y} l S\n" for y in (640, 612, 510))
    sentences = ("it is dark, and puts it out", "the fog lifts, and then it")
    assert "|" not in read_between(*drawn(sentences), more=rules)
    rows_read = table_of(*drawn(("Ebb", sentences[1])), more=rules)
    assert rows_read == ["The lamp | The horn", *["Ebb | the fog lifts, and then it"] * 6]


@pytest.mark.parametrize(("left", "is_table"), [(211, False), (202, True)])
def test_justified_words_with_wide_gaps_are_not_cells(left: int, is_table: bool) -> None:
    lines = [(72, 600, 11, "Fourteen"), (150, 600, 11, "Rules"), (190, 600, 11, "of")]
    lines += [(left, 600, 11, "ports"), (150, 588, 11, "Boats"), (200, 588, 11, "overnight")]
    assert ("|" in read_between(*lines)) == is_table
    lines += [(150, 576, 11, "Oars"), (200, 576, 11, "for all")]  # usual gaps between words
    lines += [(150, 564, 11, "Ox"), (190, 564, 11, "of"), (left, 564, 11, "seals")]
    assert "| Fourteen | Rules | of ports |" in read_between(*lines)


def test_turned_headers_stay_in_their_table() -> None:
    turned = "".join(
        f"BT /F0 8 Tf 0 1 -1 0 {left + 14} 583 Tm ({name}) Tj ET\n"
        for left, name in zip(GRID[0][1:], ("Seats", "Hour"), strict=False)
    )
    cells = grid([("Boat",), *CELLS[1:]])
    for rules in (rules_of_grid(), ""):
        rows = "".join(f"BT /F0 {size} Tf {x} {y} Td ({cell}) Tj ET " for x, y, size, cell in cells)
        assert rows_between(read(prose(740), more=turned + rows + rules))[0] == HEAD


def test_fields_of_a_form_stand_beside_their_labels() -> None:
    field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (f{0}) /V ({1}) /F 4 /DA (/F1 12 Tf)"
    content = pdf_page(
        "BT /F1 12 Tf 72 700 Td (Name:) Tj 0 -40 Td (Town:) Tj ET",
        field.format(1, "Ann") + " /Rect [120 695 320 715] /P 3 0 R >>",
        field.format(2, "Hull") + " /Rect [120 655 320 675] /P 3 0 R >>",
        catalog="/AcroForm << /Fields [6 0 R 7 0 R] /DR << /Font << /F1 5 0 R >> >> "
        "/NeedAppearances true >>",
        entries="/Annots [6 0 R 7 0 R]",
    )
    assert file_of(content).text.split() == ["Name:", "Ann", "Town:", "Hull"]


def glyphs_of(word: str) -> str:
    """Return the drawing of a glyph for each letter; the page gives the letters."""
    return "".join(
        f"/Span <</ActualText <FEFF{ord(letter):04X}>>> BDC (o) Tj EMC\n" for letter in word
    )


@pytest.mark.parametrize(
    ("drawn", "word"),
    [
        ("\u0628\u062d\u0631", "\u0628\u062d\u0631"),
        ("\u0644\u0627", "\u0644\u0627"),  # the letters lam and alef
        ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        ("\u0661\u0662", "\u0662\u0661"),  # digits run from left to right
    ],
)
def test_right_to_left_letters_drawn_from_the_left_are_put_in_reading_order(
    drawn: str, word: str
) -> None:
    content = f"BT /F0 12 Tf 300 300 Td /ReversedChars BMC\n{glyphs_of(drawn[::-1])}EMC ET"
    assert read(prose(740), more=content).split()[-1] == word


@pytest.mark.parametrize(
    ("letters", "text"),
    [  # letters, with the offsets of the second glyph and of the next letter, in points
        ([("মা", 7, 7), ("নু", 7, 7), ("ষ", 0, 7)], "মানুষ"),
        ([("মা", 7, 7), (" ", 0, 2), ("ষ", 0, 7)], "মা ষ"),
        ([("মা", 7, 11), ("ষ", 0, 7)], "মা ষ"),  # no space is drawn
        ([("ห่", 9, -1), ("ง", 0, 7), ("ภ", 0, 7)], "ห่งภ"),
        ([("ห่", 9, -1), ("ง", 0, 7), ("ห่", 7, 7)], "ห่งห่"),
    ],
)
def test_a_letter_of_several_glyphs_is_read_once_and_no_space_is_added_after_it(letters, text):
    """As Chrome draws letters from Devanagari to Khmer."""
    content = ""
    for letter, second, width in letters:
        glyphs = (
            f"(o) Tj {second} 0 Td (n) Tj" if second else f"({' ' if letter == ' ' else 'o'}) Tj"
        )
        stated = letter.encode("utf-16-be").hex()
        content += f"/Span <</ActualText <FEFF{stated}>>> BDC {glyphs} EMC {width} 0 Td\n"
    assert read(prose(740), more=f"BT /F0 12 Tf 100 300 Td {content} ET").endswith(f"\n\n{text}")


def test_a_full_stop_ends_a_right_to_left_line() -> None:
    """PDFium returns it first, as it is drawn."""
    glyphs = glyphs_of("\u05d1\u05d0")
    content = f"BT /F0 12 Tf 296 300 Td (.) Tj 4 0 Td {glyphs} ET"
    assert read(prose(740), more=content).endswith("\n\n\u05d0\u05d1.")


@pytest.mark.parametrize(
    ("drawn", "text"),
    [  # in the order of a page, from left to right
        ("03-1234567 \u05d5\u05e7", "\u05e7\u05d5 03-1234567"),
        ("5678-234 \u0641\u062a\u0627\u0647", "\u0647\u0627\u062a\u0641 234-5678"),
        ("%15.5 \u0629\u062f\u0627\u064a\u0632", "\u0632\u064a\u0627\u062f\u0629 15.5%"),
        ("\u05d1\u05d0 15.5% \u05d3\u05d2", "\u05d2\u05d3 15.5% \u05d0\u05d1"),
        (
            "\u05d5\u05d4\u05d3\u05d2\u05d1\u05d0 (.Acme Corp) \u05d4\u05d3\u05d2",
            "\u05d2\u05d3\u05d4 (Acme Corp.) \u05d0\u05d1\u05d2\u05d3\u05d4\u05d5",
        ),
        (
            "\u05d5\u05d4\u05d3\u05d2\u05d1\u05d0 ).Acme Corp( \u05d4\u05d3\u05d2",
            "\u05d2\u05d3\u05d4 (Acme Corp.) \u05d0\u05d1\u05d2\u05d3\u05d4\u05d5",
        ),
        (".[1] \u05d1\u05d0", "\u05d0\u05d1 [1]."),
        ("\u05e8\u05de 123 \u05dd\u05e2", "\u05e2\u05dd 123 \u05de\u05e8"),
        ("\u0646 \u060c2023 \u0645\u0627\u0639", "\u0639\u0627\u0645 2023\u060c \u0646"),
    ],
)
def test_numbers_signs_and_latin_are_in_reading_order_in_right_to_left_lines(drawn, text) -> None:
    assert file_of(pdf_of_text([drawn])).text == text


def draw_from_right(right: float, base: float, text: str) -> str:
    """Return the drawing of letters that end at a place, each as wide as an "o"."""
    left = right - 0.556 * 12 * len(text)
    return f"BT /F0 12 Tf {left} {base} Td\n{glyphs_of(text[::-1])}ET\n"


def test_the_first_column_of_a_right_to_left_table_is_the_rightmost() -> None:
    labels = (f"\u05d0\u05d1\u05d2{letter}" for letter in "\u05d4\u05d0\u05d1\u05d2\u05d3")
    rows = [[label, f"{n}71", f"{n}82", f"{n}93"] for n, label in enumerate(labels, start=1)]
    drawn = ((" " * 12).join([*row[:0:-1], row[0][::-1]]) for row in rows)
    text = file_of(pdf_of_text(["\n".join(drawn)])).text
    cells = [re.findall(r"[^|\s]+", line) for line in text.split("\n")]
    assert [row for row in cells if row and "---" not in row] == rows


def test_a_right_to_left_paragraph_ends_after_a_short_line() -> None:
    long = " ".join(["\u05d0\u05d1\u05d2\u05d3"] * 12)
    lines = [long, f"{long[:14]}?", long, f"{long[:24]}\u061f", long]
    content = (draw_from_right(540, 700 - 14 * number, line) for number, line in enumerate(lines))
    text = read([], more="".join(content))
    ends = [paragraph.split()[-1][-1] for paragraph in text.split("\n\n")]
    assert ends == ["?", "\u061f", "\u05d3"]


def test_reading_a_page_takes_linear_time() -> None:
    def page_of(count: int) -> list[TextLine]:
        places = [(number % 60 * 48.0, number // 60 * 24.0) for number in range(count)]
        words = [Word("word", left, left + 20, base, 10, 0) for left, base in places]
        marks = [Word("1", left + 21, left + 24, base + 4, 5, 0) for left, base in places]
        return [TextLine([word]) for word in [*words, *marks]]

    check_linear(lambda page: to_markdown([page], [[]], {}), page_of, 1_000)


def test_an_error_states_that_a_file_needs_a_password() -> None:
    rules = f"/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'00' * 32}> /U <"
    root = f"/Root 1 0 R {rules}{'00' * 32}> >>"
    encrypted = draw_pdf([prose(740)]).replace(b"/Root 1 0 R", root.encode())
    with pytest.raises(UnreadableFileError, match=r"^a cannot be read as PDF: it needs a password"):
        file_of(encrypted)
    damaged = draw_pdf([prose(740)]).replace(b"/Pages 2 0 R", b" " * 12)  # sets no error
    with pytest.raises(UnreadableFileError, match="it is damaged"):  # in the same process
        file_of(damaged)


def test_a_notice_names_pages_that_may_be_scans() -> None:
    pages = [prose(740), [], prose(740), []]
    assert file_of(draw_pdf(pages)).notices == ()  # some pages are blank
    file = file_of(draw_pdf(pages, more="9 9 99 99 re f"))
    assert file.notices == ("2 of 4 pages without text: 2, 4 (scans need OCR)",)


@pytest.mark.parametrize(("number", "notice"), [(1, "1 attached file"), (2, "2 attached files")])
def test_a_notice_counts_attached_files(number: int, notice: str) -> None:
    names = " ".join(f"({place}) << /Type /Filespec /F (a) >>" for place in range(number))
    attached = f"/Catalog /Names << /EmbeddedFiles << /Names [{names}] >> >>".encode()
    content = draw_pdf([prose(740)]).replace(b"/Catalog", attached)
    assert file_of(content).notices == (f"{notice} not read",)
    cover = draw_pdf([[]]).replace(b"/Catalog", attached)
    with pytest.raises(UnreadableFileError, match=rf"no page has text.*; {notice} not read$"):
        file_of(cover)
    assert file_of(draw_pdf([prose(740)])).notices == ()


def test_a_notice_states_that_only_adobe_shows_a_form() -> None:
    """The pages of such a file ask for a newer program, and its text is in XML beside them."""
    form = b"/Catalog /NeedsRendering true /AcroForm << /Fields [] /XFA [(template) (a)] >>"
    content = draw_pdf([prose(740)])
    notice = "a form that only programs of Adobe show (XFA): print it to a PDF there"
    for catalog, notices in ((form, (notice,)), (form.replace(b"true", b"false"), ())):
        assert file_of(content.replace(b"/Catalog", catalog)).notices == notices


def test_the_longest_line_of_an_address_is_not_joined_with_the_next() -> None:
    address = ["Harbour Board of the Lake", "Pier 7", "12345 Lake Town"]
    verse = ["So white", "The salt of the sea and the sun", "So blue"]
    hours = ["The office is open at noon:", "On Monday to 3", "On Tuesday, too, to 4", "No calls"]
    blocks = [*prose(660, address), *prose(600, verse), *prose(480, hours)]
    blocks += [(120, base, size, line) for _, base, size, line in prose(400, verse)]
    text = read([*prose(740), *blocks, *prose(300)])
    expected = ["\n".join(lines) for lines in (address, verse, hours, verse)]
    assert text.split("\n\n")[1:5] == expected
    narrow = ["The harbour of the isles is", "closed at night."]
    assert "The harbour of the isles is closed" in read([*prose(740), *prose(660, narrow)])
