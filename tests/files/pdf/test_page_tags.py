from collections.abc import Sequence

import pytest

from tests.files.pdf.test_pdf import PROSE, file_of, rows_between
from tests.making_files import pdf_page

Element = tuple[str, "Sequence[Element | str]"]
"""Its kind, with further entries, and what is in it: elements, or operators that draw text."""


def text_of_tagged(*elements: Element, untagged: str = "") -> str:
    """Return the text of a page of tagged elements, below untagged content."""
    objects: list[str] = []
    owners: list[str] = []
    contents = [untagged]

    def add(kind: str, inside: Sequence[Element | str], parent: int) -> str:
        number = len(objects) + 8
        objects.append("")
        kids = []
        for child in inside:
            if isinstance(child, str):
                contents.append(f"/P << /MCID {len(owners)} >> BDC {child} EMC")
                kids.append(str(len(owners)))
                owners.append(f"{number} 0 R")
            else:
                kids.append(add(*child, number))
        place, pointers = f"/P {parent} 0 R /Pg 3 0 R", " ".join([*kids, *kids[-1:]])
        objects[number - 8] = f"<< /Type /StructElem /S /{kind} {place} /K [{pointers}] >>"
        return f"{number} 0 R"

    roots = " ".join(add(*element, 6) for element in elements)
    content = pdf_page(
        "\n".join(contents),
        f"<< /Type /StructTreeRoot /K [{roots}] /ParentTree 7 0 R >>",
        f"<< /Nums [0 [{' '.join(owners)}]] >>",
        *objects,
        entries="/StructParents 0",
        catalog="/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R",
    )
    return file_of(content).text


def line(base: float, text: str) -> str:
    return f"BT /F1 11 Tf 72 {base} Td ({text}) Tj ET"


COLUMNS = (72, 180, 300, 420)


def cell(column: int, base: float, text: str, spans: str = "") -> Element:
    """Return a cell with a text of one or more lines, and the spans that it states."""
    lines = [
        f"BT /F1 11 Tf {COLUMNS[column]} {base - 14 * number} Td ({part}) Tj ET"
        for number, part in enumerate(filter(None, text.split("/")))
    ]
    return f"TD /A [<< /O /Layout >> << /O /Table {spans} >>]", lines


def row(base: float, *texts: str) -> Element:
    return "TR", [cell(column, base, text) for column, text in enumerate(texts)]


def prose(base: float) -> Element:
    return "P", [line(base - 14 * n, text) for n, text in enumerate(PROSE)]


def test_tagged_headings_have_their_level_in_any_typeface() -> None:
    boats: Element = ("H2", [line(690, "of boats")])
    nets: Element = ("Sect", [("H3", [("Span", [line(610, "Of nets and")]), line(596, "hooks")])])
    parts = (prose(740), boats, prose(670), nets, prose(570))
    text = text_of_tagged(*parts, untagged=line(766, "Sea"))
    body = " ".join(PROSE)
    assert text.split("\n\n") == [
        *("Sea", body, "## of boats", body, "### Of nets and hooks", body)
    ]


LARGE = {690: "Of boats", 610: "Of nets"}


def test_headings_of_the_size_that_a_tag_states_have_its_level() -> None:
    large = [f"BT /F1 16 Tf 72 {base} Td ({text}) Tj ET" for base, text in LARGE.items()]
    parts = (prose(740), ("H3", large[:1]), prose(660), ("P", large[1:]), prose(580), prose(500))
    text = text_of_tagged(*parts)
    assert "\n\n### Of boats\n\n" in text
    assert "\n\n### Of nets\n\n" in text


def test_labels_of_items_may_be_drawn_as_paths() -> None:
    def item(base: float, label: str, text: str) -> Element:
        link = f"72 {base - 2} 30 0.5 re f {line(base, text)}"
        return "LI", [("Lbl", [label]), ("LBody", [link, line(base - 14, "goes on")])]

    def dot(base: float) -> str:  # Chrome draws a bullet so
        return f"62 {base} 4 4 re 62 {base} 4 4 re f"

    items = [item(690 - 28 * n, dot(693 - 28 * n), f"Knot {n}") for n in range(3)]
    numbered = item(566, line(580, "Last."), "Tide")  # the text of the label is above
    text = text_of_tagged(prose(740), ("L", [*items, numbered]), prose(520))
    listed = [f"- Knot {n} goes on" for n in range(3)]
    assert text.split("\n\n")[1:-1] == ["\n".join(listed), "Last. Tide goes on"]


def test_long_text_tagged_as_a_heading_is_not_a_heading() -> None:
    assert "#" not in text_of_tagged(("H1", [prose(740)]), prose(640))


BOATS = [
    row(700, "Pier", "Large boats", "", "Small boats"),
    row(680, "North", "", "", "$ 30"),
    row(660, "South", "of wood and/of steel", "", "two"),
]
BOATS_AS_TEXT = (
    "| Pier | Large boats | Small boats |\n| --- | --- | --- |\n"
    "| North | | $30 |\n| South | of wood and of steel | two |"
)


def test_a_tagged_table_keeps_its_cells_including_empty_ones() -> None:
    text = text_of_tagged(prose(740), ("Table", [*BOATS[:1], ("TBody", BOATS[1:])]), prose(600))
    body = " ".join(PROSE)
    assert text.split("\n\n") == [body, BOATS_AS_TEXT, body]


def test_cells_that_touch_each_other_are_separate() -> None:
    def narrow(base: float, name: str, text: str) -> Element:
        return "TR", [cell(0, base, name), ("TD", [f"BT /F1 11 Tf 116 {base} Td ({text}) Tj ET"])]

    rows = [narrow(700, "Region", "Growth"), narrow(680, "Northern", "Strong in all quarters")]
    text = text_of_tagged(("Table", [*rows, narrow(660, "South", "Weak")]))
    assert "| Northern | Strong in all quarters |\n| South | Weak |" in text


def test_a_spanning_cell_is_repeated_in_its_rows_and_columns() -> None:
    corner = cell(0, 660, "corner", "/RowSpan 1000000000 /ColSpan 2")
    rows: list[Element] = [
        ("TR", [cell(0, 700, "all", "/ColSpan 4")]),
        row(680, "a", "b", "c", "d"),
        ("TR", [corner, cell(2, 660, ""), cell(3, 660, "x")]),
        ("TR", [cell(2, 640, "e"), cell(3, 640, "f")]),
    ]
    assert rows_between(text_of_tagged(("Table", rows))) == [
        *("all |  |  | ", "a | b | c | d", "corner | corner |  | x", "corner | corner | e | f")
    ]


@pytest.mark.parametrize(
    ("head", "above", "below"),
    [("Pier", (2,), "Pier | | Small boats"), ("Oak", (), "North | | elm")],
    ids=["without its spans", "without its empty cells"],
)
def test_cells_are_placed_in_columns_without_spans_or_empty_cells(head, above, below) -> None:
    """Some programs do not state spans or empty cells."""
    apart: Element = ("TR", [cell(0, 720, "Pier"), *(cell(n, 720, "Small boats") for n in above)])
    full = row(700, head, "Ash", "Fir")
    sparse: Element = ("TR", [cell(0, 680, "North"), cell(2, 680, "elm")])
    text = text_of_tagged(("Table", [apart, full, sparse] if above else [full, sparse]))
    assert f"| {below} |" in text.split("\n")


def test_a_row_of_numbers_and_text_may_lack_a_cell() -> None:
    """Chrome does not state empty cells."""
    rows = [row(700, "Boat", "Built", "Crew"), row(680, "Gull", "in Hull/by Ann", "7")]
    sparse: Element = ("TR", [cell(0, 650, "Punt"), cell(2, 650, "2")])
    text = text_of_tagged(("Table", [*rows, sparse]))
    assert text.split("\n")[2:4] == ["| Gull | in Hull by Ann | 7 |", "| Punt | | 2 |"]


def test_a_currency_sign_in_a_cell_of_its_own_belongs_to_its_number() -> None:
    rows: list[Element] = [
        ("TR", [cell(0, 700, "Pier"), cell(1, 700, "2022", "/ColSpan 2"), cell(3, 700, "2021")]),
        row(680, "North", "$", "7", "9"),
        ("TR", [cell(0, 660, "South"), cell(1, 660, "5", "/ColSpan 2"), cell(3, 660, "6")]),
    ]
    rows_read = rows_between(text_of_tagged(("Table", rows)))
    assert rows_read == ["Pier | 2022 | 2021", "North | $7 | 9", "South | 5 | 6"]


def test_text_beside_a_table_stays_outside() -> None:
    beside: Element = ("P", ["BT /F1 11 Tf 470 660 Td (Mind the tide) Tj ET"])
    assert text_of_tagged(("Table", BOATS), beside).split("\n\n") == [
        BOATS_AS_TEXT,
        "Mind the tide",
    ]


QUARTER = "BT /F1 11 Tf 200 720 Td (Three months ended) Tj ET"
YEARS: list[Element] = [
    ("TR", [("TH", []), ("TH", [QUARTER])]),
    row(700, "", "2022", "2021"),
    row(680, "Boats", "7", "9"),
    row(660, "Nets", "5", "6"),
]
HIRE = ((0, "Hire"), (1, "2022"), (3, "2021"))
SPANS: list[Element] = [  # a table of a web page, without its empty cells
    ("TR", [cell(column, 700, text, "/ColSpan 3") for column, text in HIRE]),
    ("TR", [cell(0, 680, "Boats", "/ColSpan 3"), *(cell(n, 680, "$7$9"[n]) for n in (1, 2, 3))]),
    ("TR", [cell(n, 660, text, "/ColSpan 2") for n, text in ((0, "Nets"), (2, "5"), (3, "6"))]),
]
HUGE: list[Element] = [
    ("TR", [cell(n, base, f"{base}", "/RowSpan 100 /ColSpan 100") for n in range(2)])
    for base in (700, 680)
]


@pytest.mark.parametrize(
    ("rows", "untagged"),
    [
        (BOATS, "BT /F1 11 Tf 190 680 Td (of a form) Tj ET"),
        *((YEARS, ""), (SPANS, ""), (HUGE, ""), ([*BOATS[:1], BOATS[2], BOATS[1]], "")),
        ([("TR", [*BOATS[0][1]][::-1]), *BOATS[1:]], ""),
        (BOATS[:1], ""),
        ([row(700 - 20 * n, text) for n, text in enumerate(("Name", "Ann", "Bea"))], ""),
        ([*BOATS, row(600, "/".join([*PROSE] * 3))], ""),
        ([*BOATS, *(row(600 - 20 * n, "", "the end") for n in range(2))], ""),
    ],
    ids=[
        *("other text", "heads without spans", "spans of other cells", "huge", "rows", "columns"),
        *("one row", "one column", "a form", "lines as rows"),
    ],
)
def test_a_tagged_table_whose_text_does_not_fit_is_read_without_its_tags(rows, untagged) -> None:
    as_groups = text_of_tagged(("Div", rows), untagged=untagged)
    assert text_of_tagged(("Table", rows), untagged=untagged) == as_groups
