"""Numbers in the formats of sheets: as LibreOffice and Excel show them."""

import pytest

from lumber_files.formats.number_formats import BUILT_IN, show_number


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("General", 4.4000000000000004, "4.4"),
        ("[$-411]ge.m.d;@", 43585, "2019.4.30"),
        ('e"年"m"月"', 43831, "2020年1月"),
        ("0.0 kg", 12.5, "12.5 kg"),
        ("General", 1.2345e-7, "1.2345E-07"),
        ('General" kg"', 0.1, "0.1 kg"),
        ("0.00E+00", 1234.567, "1.23E+03"),
        ("##0.0E+0", 99999, "1.0E+5"),
        ("0.0E-00", 366, "3.7E02"),
        ("#,##0.00", -9876543.21, "-9,876,543.21"),
        ("#,##0.0#", 12.005, "12.01"),
        ("0.##", 5, "5"),
        ("# ##0", -1, "-1"),
        ("#,##0,", 1234567, "1,235"),
        ('0.0,,"M"', 1234567, "1.2M"),
        ("00000", 42, "00042"),
        ("000-00-0000", 123456789, "123-45-6789"),
        ("0.0%", 0.256, "25.6%"),
        ("# ?/?", -1.5, "-1.5"),
        ('0.00 / "kg"', 1.5, "1.50 / kg"),
        ("#,##0;(#,##0)", -9876543, "(9,876,543)"),
        ('0;-0;"none"', 0, "none"),
        (";;;", 7, ""),
        ('_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', 0, "-"),
        ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
        ('[>=1000]#,##0,"K";0', 12345, "12K"),
        ('[>=1000]#,##0,"K";0', 12, "12"),
        ('[<50]"low";0', 25, "low"),
        ("mmm-yy", 45352, "Mar-24"),
        (BUILT_IN[31], 45352, "2024-03-01"),
        ("h:mm AM/PM", 0.7604166666666666, "6:15 PM"),
        ("dddd d mmmm yyyy", 45352, "Friday 1 March 2024"),
        ("yyyy-mm-dd hh:mm:ss.00", 45352.760416, "2024-03-01 18:14:59.94"),
        ("[h]:mm", 1.5, "36:00"),
        ("yyyy-mm-dd", 59, "1900-02-28"),
        ("yyyy-mm-dd", 61, "1900-03-01"),
    ],
)
def test_a_number_is_shown_in_its_format(code: str, value: float, shown: str) -> None:
    assert show_number(value, code) == shown


def test_dates_may_count_from_1904() -> None:
    assert show_number(43890, "yyyy-mm-dd", from_1904=True) == "2024-03-01"
    assert show_number(1.25, "[h]:mm", from_1904=True) == "30:00"
