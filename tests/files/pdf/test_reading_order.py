import pytest

from tests.files.pdf.test_pdf import PROSE, prose, read, rows_of

LINES = [f"in row {n} the keeper {n}" for n in range(16)]


@pytest.mark.parametrize("columns", [2, 3])
def test_columns_of_text_drawn_row_by_row_are_read_one_after_the_other(columns: int) -> None:
    cells = [[f"{line} of {column}" for column in range(columns)] for line in LINES]
    rows = rows_of(640, *cells, lefts=(72, 232, 392)[:columns], size=10, step=14)
    text = read([(72, 700, 16, "Of the lamp and its keeper"), *rows, *prose(300)])
    expected = [f"{line} of {column}" for column in range(columns) for line in LINES]
    assert text.split("\n\n")[1].split() == " ".join(expected).split()


def test_rows_of_short_cells_are_not_divided() -> None:
    rows = [[f"{n} of {column}" for column in range(6)] for n in range(9)]
    cells = rows_of(640, *rows, lefts=range(72, 612, 90), size=10, step=14)
    words = read([*prose(740), *cells]).split()
    assert words[words.index("0") :][:18] == " ".join(f"0 of {n}" for n in range(6)).split()


@pytest.mark.parametrize(("cap", "rest"), [("T", "he"), ("A", " tide"), ("\\252O", "nce")])
def test_a_drop_cap_that_is_drawn_first_belongs_to_its_word(cap: str, rest: str) -> None:
    lines = [f"{rest} went out, and the".strip(), "tide and the boats went", "with it."]
    text = [(100, 400 - 14 * n, 11, line) for n, line in enumerate(lines)]
    drawn = read([(72 - 16 * cap.count("O"), 375, 36, cap), *prose(740), *text])
    letter = cap.replace("\\252", "\u201c")
    assert drawn.split("\n\n")[1].startswith(f"{letter}{rest} went out")


def test_a_number_far_from_all_lines_stays_in_its_place() -> None:
    page = [*prose(740), (500, 650, 11, "(2)"), *prose(600)]
    assert read(page).split("(2)")[1].split()[0] == PROSE[0].split()[0]


def test_a_title_and_a_table_drawn_last_are_at_their_visible_place() -> None:
    title, late = [(72, 760, -20, "Tides of Arden")], prose(600, ["High water is at nine."])
    text, end = prose(700), prose(300, ["Boats that leave at six are back at noon."])
    table = [(x, y, 11, cell) for y in (520, 500) for x, cell in ((72, "Boat"), (300, f"{y}"))]
    assert read([*text, *end, *late, *table, *title]) == read([*title, *text, *late, *table, *end])


def test_rows_drawn_late_are_below_their_headers() -> None:
    heads = [*prose(700), *rows_of(660, ("", "Hire", "Rent"), step=14)]
    first = [(72, 645, 11, "Piers"), *rows_of(630, ("North", "12", "15"))]
    rest = rows_of(610, *[("South", "6", "8")] * 5)
    note = prose(400, ["Of boats of the harbour."])
    assert read([*heads, *rest, *note, *first]) == read([*heads, *first, *rest, *note])


def test_columns_drawn_in_reading_order_keep_it() -> None:
    left, right = ([(x, 640 - 14 * n, 10, line) for n, line in enumerate(LINES)] for x in (72, 330))
    text = read([*left, *((x, base, size, line.upper()) for x, base, size, line in right)])
    assert text.split() == " ".join([*LINES, *map(str.upper, LINES)]).split()
