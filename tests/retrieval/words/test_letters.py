"""Which letters, digits and signs are the same in searches and quotes, and which are not."""

import re
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Span
from lumber_retrieval import cite
from lumber_retrieval.words.keywords import fold, words_in
from tests.growth import check_linear

SAME = [
    # case, accents, width, ligatures
    *(("STRASSE", "straße"), ("ΟΔΟΣ", "οδος"), ("İstanbul", "istanbul"), ("ılık", "ilik")),
    *(
        ("naïve", "naive"),
        ("Τίτλος", "τιτλος"),
        ("ﬁnal", "final"),
        ("ｗｉｄｅ", "wide"),
        ("ｶﾅ", "カナ"),
    ),
    *(
        ("café", unicodedata.normalize("NFD", "café")),
        ("한글", unicodedata.normalize("NFD", "한글")),
    ),
    # letters with strokes and hooks, and two letters in one
    *(("Łódź", "lodz"), ("København", "kobenhavn"), ("Đà Nẵng", "da nang"), ("ɓarawo", "barawo")),
    *(("Ærø", "aero"), ("œuvre", "oeuvre"), ("Þór", "thor"), ("Garðar", "gardar")),
    # Arabic, Persian, Urdu, Kurdish, Hebrew
    *(("کتاب", "كتاب"), ("علی", "علي"), ("على", "علي"), ("مدرسة", "مدرسه"), ("ہم", "هم")),
    *(("أحمد", "احمد"), ("ٱلله", "الله"), ("مُحَمَّد", "محمد"), ("كتـــاب", "كتاب"), ("رحمٰن", "رحمن")),
    *(("می\u200cخواند", "میخواند"), ("خانهٔ", "خانه"), ("ﻛﺘﺎﺏ", "كتاب"), ("שָׁלוֹם", "שלום")),
    # Hindi, Bengali, Malayalam
    *(("हिन्दी", "हिंदी"), ("मुम्बई", "मुंबई"), ("पाँच", "पांच"), ("फ़िल्म", "फिल्म"), ("\u095b", "\u091c")),
    *(("ক্\u200dষ", "ক্ষ"), ("\u09ce", "\u09a4\u09cd\u200d"), ("\u0d7b", "\u0d28\u0d4d\u200d")),
    # digits
    *((digits, "2578") for digits in ("٢٥٧٨", "۲۵۷۸", "२५७८", "২৫৭৮", "๒๕๗๘", "２５７８", "𝟐𝟓𝟕𝟖")),
    # invisible characters inside words
    *(
        (f"Wert{sign}papier", "wertpapier")
        for sign in "\xad\u200b\u200c\u200d\u2060\ufeff\u034f\u200e"
    ),
    ("ไทย\u200bไป", "ไทยไป"),
]
DIFFERENT = [
    *(("bär", "bor"), ("लेख", "लख"), ("कल", "काल"), ("หมา", "หมี"), ("ბანკი", "ბანკა")),
    *(("لڑکی", "لڑکے"), ("بھر", "بہر"), ("دل", "ذل"), ("سر", "شر"), ("پر", "بر"), ("کل", "گل")),
    *(("か", "が"), ("は", "ぱ"), ("かな", "カナ"), ("日", "曰"), ("国", "國")),
    *(("হয়", "হয"), ("১", "২"), ("٢٥", "٥٢"), ("ഹ", "ന"), ("শ", "স"), ("дом", "dom")),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_words_that_are_written_differently_are_the_same(one: str, other: str) -> None:
    assert words_in(one) == words_in(other)
    text = f"xyz {one}, abc."
    (citation,) = cite([f"xyz {other}, abc."], {"a": text})
    assert (citation.kind, citation.similarity, citation.text) == ("aligned", 1, text)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert words_in(one) != words_in(other)
    assert cite([f"xyz {other}"], {"a": f"xyz {one}"})[0].kind == "not found"


def test_all_digits_and_all_invisible_characters_of_unicode_are_known() -> None:
    characters = "".join(map(chr, range(0x110000)))
    assert fold("".join(regex.findall(r"\p{DI}", characters))) == ""
    digits = re.findall(r"\d", characters)
    assert fold("".join(digits)) == "".join(str(unicodedata.digit(digit)) for digit in digits)


LETTERS = st.text(st.characters(categories=("L", "M", "N", "Cf", "Zs", "Po")), max_size=40)


@given(LETTERS)
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert words_in(fold(fold(text))) == words_in(fold(text))


@given(LETTERS, st.integers(1, 4), st.sampled_from("\xad\u200b\u2060"))
def test_a_quote_is_the_slice_whose_words_it_has(text: str, place: int, sign: str) -> None:
    quote = f"boats {text} oars"
    written = quote[:place] + sign + quote[place:]
    (citation,) = cite([quote], {"a": f"Two. {written} Three."})
    assert (citation.span, citation.similarity) == (Span(5, 5 + len(written)), 1)
    assert citation.text == written


def test_folding_takes_linear_time() -> None:
    check_linear(fold, lambda size: "न्\u200b۵é" * size, 5_000)
