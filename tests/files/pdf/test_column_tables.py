import pytest

from tests.files.pdf.test_pdf import ROWS, read_between, rows_between, rows_of, table_of


def test_a_statement_continues_below_labels_of_many_lines() -> None:
    lines = ["Equity", "Shares of the keepers:", "Those with a vote, of which there may", "be ten"]
    labels = [(72.0, 594.0 - 12 * number, 11.0, line) for number, line in enumerate(lines)]
    rows = [*rows_of(654, *ROWS[:2], *ROWS[:2]), *labels]
    rows += rows_of(546, ("and are six", "40", "30"))
    heads = [(250, 670, 11, "2023"), (350, 670, 11, "2022")]
    rows_read = table_of(*heads, *rows)
    assert rows_read[:3] == [" | 2023 | 2022", "Boats | 1,200 | 1,100", "Nets | (30) | 45"]
    assert [rows_read[5], rows_read[-1][-21:]] == ["Equity |  | ", "and are six | 40 | 30"]
    note = "Boats are those of the harbour."
    apart = [*rows_of(654, *ROWS[:2]), (72, 622, 11, note), *rows_of(592, ("Rent", "7", "5"))]
    assert f"\n\n{note}\n\n" in read_between(*heads, *apart)


def test_shares_stand_below_their_sign_beside_a_year() -> None:
    lefts = (72, 250, 320, 400, 470)
    cells = ("In dollars", "2023", "%", "2022", "%"), ("Hire", "1,200", "95.0%", "1,100", "91.5%")
    rows = rows_of(620, *cells, ("Rent", "60", "5.0%", "100", "8.5%"), lefts=lefts)
    assert table_of(*rows)[:2] == [*map(" | ".join, cells)]


def test_a_header_belongs_to_the_column_below_its_rule() -> None:
    heads = rows_of(616, ("Awards", "Shares", "Price"), lefts=(72, 220, 330))
    rows = rows_of(600, *[("Given", "12", "12")] * 3, lefts=(72, 290, 410))
    rules = "190 613 m 305 613 l S 315 613 m 425 613 l S"
    assert table_of(*heads, *rows, more=rules)[0] == "Awards | Shares | Price"


def test_wrapped_text_of_a_row_is_not_a_header() -> None:
    wide = "Strong in the towns, in which two shops opened in spring"
    heads = rows_of(660, ("Region", "Why", "2023"), lefts=(72, 150, 480))
    first = [(72, 634, 11, "North"), (150, 637, 11, wide), (150, 626, 11, "and others")]
    last = rows_of(600, ("South", "Weak", "41"), lefts=(72, 150, 480))
    rows_read = table_of(*heads, *first, (480, 626, 11, "53"), *last)
    assert rows_read[:2] == ["Region | Why | 2023", f"North | {wide} | "]


@pytest.mark.parametrize(
    ("left", "above", "below", "expected"),
    [
        (247, "In boats", ("2023", "2022", "2021"), "In boats | 2023 | 2022 | 2021"),
        (247, "Net of", ("Cost", "losses", "Price"), " | Cost | Net of losses | Price"),
        (271, "June 30,", ("May 1, 2023", "2022", "2021"), " | May 1, 2023 | June 30, 2022 | 2021"),
        (248, "In 2023", ("Cost", "Loss", "Price"), "In 2023 | Cost | Loss | Price"),
    ],
)
def test_a_centred_header_is_above_all_columns_if_it_or_they_are_years(
    left, above, below, expected
):
    heads = [(left, 632, 11, above), *rows_of(616, below, lefts=(160, 257, 360))]
    rows = rows_of(600, *[("Hire", "162", "260", "362")] * 2, lefts=(72, 162, 260, 362))
    assert table_of(*heads, *rows)[0] == expected


def test_heads_at_the_left_of_their_columns_belong_to_them_in_order() -> None:
    head, row, lefts = ("Kind", "Use", "Spring", "Summer"), ("Hire", "Fun", "12", "30"), (72, 150)
    label = [(72, 586 - 13 * n, 11, words) for n, words in enumerate(["Sale", "of old", "nets"])]
    drawn = [*rows_of(622, head, lefts=(*lefts, 200, 258))]
    for base, cells in (604, row), (586, ("", "Work", "14", "25")), (541, row):
        drawn += label * (cells is not row) + rows_of(base, cells, lefts=(*lefts, 240, 330))
    sale = ("Sale of old nets", "Work", "14", "25")
    assert table_of(*drawn) == [*map(" | ".join, (head, row, sale, row))]


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (("Pier", "Mole"), ["Pier Plan", "Pier Fact", "Mole Plan", "Mole Fact"]),
        (("Net", "Net"), ["Plan", "Net Fact", "Plan", "Net Fact"]),  # "Net Fact" wraps
    ],
)
def test_headers_above_repeated_ones_span_equally_many_columns(above, expected) -> None:
    lefts = (72, 200, 260, 330, 390)
    heads = rows_of(636, ("", "", above[0], "", above[1]), lefts=lefts)
    heads += rows_of(620, ("", *("Plan", "Fact") * 2), lefts=lefts)
    rows = rows_of(604, *[("Hire", "12", "30", "14", "25")] * 2, lefts=lefts)
    assert table_of(*heads, *rows)[0] == " | ".join(["", *expected])


def test_a_year_at_the_right_of_its_numbers_is_only_above_them() -> None:
    heads = [(238, 632, 11, "Price"), (298, 632, 11, "Sum"), (240, 616, 11, "2023")]
    rows = rows_of(600, *[("Hire", "$", "3,656", "12")] * 2, lefts=(72, 200, 237, 300))
    assert table_of(*heads, *rows)[:2] == [" | Price 2023 | Sum", "Hire | $3,656 | 12"]


def test_a_unit_above_a_rule_over_all_columns_is_not_the_header_of_one() -> None:
    heads = rows_of(640, ("", "2023", "2022"), ("In boats", "", ""), step=14)
    rows_read = table_of(*heads, *rows_of(604), more="70 622 m 380 622 l S")
    assert rows_read[:2] == [" | 2023 | 2022", "In boats |  | "]


def test_sums_of_money_without_headers_are_a_table_with_their_total() -> None:
    sums = [("Boats", "$", "120", ""), ("Nets", "", "", "30"), ("", "$", "150", "")]
    rows_read = table_of(*rows_of(620, *sums, lefts=(72, 300, 340, 346)))
    assert rows_read == [" | ", "Boats | $120", "Nets | 30", " | $150"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([(250, "12.5 kg"), (350, "4 m")], [(250, "9 kg"), (350, "3 m")], "9 kg | 3 m"),
        ([(240, r"7\2619"), (276, "360")], [(240, r"(8\2611)"), (276, "3")], "(8\u20131) | 3"),
        (
            [(240, "1,370,000"), (330, "500")],
            [(240, "17,000"), (281, "(1)"), (330, "600")],
            "17,000 (1) | 600",
        ),
        ([(240, "894"), (264, "3,858")], [(240, "(X)"), (264, "6,672")], "(X) | 6,672"),
        ([(246, "45"), (272, "61")], [(240, r"\261237"), (272, r"*\2613")], "\u2013237 | *\u20133"),
    ],
    ids=["units", "ranges", "notes", "signs", "minus signs"],
)
def test_numbers_with_signs_beside_digits_are_in_columns(first, second, expected) -> None:
    rows = [(250, 620, 11, "Goods")]
    for base, cells in ((604, [(72, "Boats"), *first]), (588, [(72, "Nets"), *second])):
        rows += [(left, base, 11, cell) for left, cell in cells]
    assert f"Nets | {expected}" in table_of(*rows)


def test_a_number_close_to_a_long_label_is_in_its_column() -> None:
    rows = ("Hire", "6,090", "12"), ("Hire of boats and nets in the bay", "4,811", "33")
    rows_read = table_of(*rows_of(604, ("", "2023", "2022"), *rows, lefts=(72, 240, 300)))
    assert rows_read[1:] == [" | ".join(row) for row in rows]


def test_headers_may_be_the_numbers_of_their_columns() -> None:
    rows = [("Pier", "1", "2", "3", "4"), *[("North", "10", "14", "12", "18")] * 2]
    rows_read = table_of(*rows_of(620, *rows, lefts=(72, 200, 270, 340, 410)))
    assert rows_read[:2] == ["Pier | 1 | 2 | 3 | 4", " | ".join(rows[1])]


def test_a_unit_in_brackets_above_the_headers_is_not_a_header() -> None:
    rows_read = table_of(
        (270, 642, 11, "[In boats]"), *rows_of(624, ("", "2023", "2022"), *ROWS[:2])
    )
    assert rows_read[0] == " | 2023 | 2022"


def test_the_words_of_a_typewriter_are_one_header() -> None:
    heads = "BT /F2 11 Tf 240 632 Td 2.5 Tw (Three months ended June 30) Tj ET"
    rows = table_of(*rows_of(616, ("Goods", "2023", "2022"), *ROWS[:2]), more=heads)
    assert rows[0] == "Three months ended June 30 Goods | 2023 | 2022"


def test_a_mark_below_numbers_is_not_a_sum() -> None:
    rows = rows_of(600, ("Goods", "2023", ""), ("Boats", "120", ""), ("Nets", "30", ""))
    rows_read = table_of(*rows, (258, 552, 11, "~"))
    assert rows_read == ["Goods | 2023", "Boats | 120", "Nets | 30"]


def test_the_end_of_a_sentence_above_a_table_is_not_a_header() -> None:
    text = "The boats and nets that were let to keepers of the harbour until"
    lines = [(72, 664, 11, text), (72, 650, 11, "spring are these:"), (250, 650, 11, "Hired")]
    rows = rows_of(634, ("In dollars", "2023", "2022"), *ROWS[:2])
    rows_read = read_between(*lines, *rows)
    assert rows_between(rows_read)[0] == "In dollars | 2023 | 2022"
    assert f"{text} spring are these: Hired" in rows_read.replace("  ", " ")
    lines[1] = (72, 650, 11, "Spring")
    assert table_of(*lines, *rows)[0] == "Spring In dollars | Hired 2023 | 2022"


def test_a_line_that_announces_a_table_is_not_a_header() -> None:
    line = "The boats that were let to the keepers of the bay are:"
    heads = [(380, 660, 11, "NOTE 8: BOATS"), (72, 643, 11, line)]
    rows = rows_of(627, ("In dollars", "2023", "2022"), *ROWS[:2], lefts=(72, 400, 480))
    text = read_between(*heads, *rows)
    assert rows_between(text)[0] == "In dollars | 2023 | 2022"
    assert "NOTE 8: BOATS" in text
    assert line in text


def test_roman_page_numbers_of_a_contents_page_are_not_a_running_head() -> None:
    front = ("Notices", "vii"), ("Trademarks", "viii"), ("Preface", "xi")
    rows = [*front, ("1 Boats", "1"), ("1.1 Hire", "2"), ("1.2 Nets", "4"), ("2 Tides", "9")]
    text = read_between(*rows_of(660, *rows, lefts=(72, 400)))
    assert "Notices Trademarks" not in text
    numbers = [line.split()[-1] for line in text.split("\n") if line[:2] in ("No", "Tr", "Pr")]
    assert numbers == ["vii", "viii", "xi"]
