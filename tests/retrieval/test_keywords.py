"""Words as they are compared: the same in any case, form and script."""

from __future__ import annotations

import pytest

from lumber_retrieval.keywords import words_in


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Straße", "STRASSE"),
        ("café", "Cafe\u0301"),
        ("ﬁnance", "finance"),
        ("ＡＢＣ１", "abc1"),
        ("ё", "е"),
        ("مُحَمَّد", "محمد"),
    ],
)
def test_forms_of_a_word_are_the_same(text: str, other: str) -> None:
    assert words_in(text) == words_in(other) != []


def test_words_are_found_in_any_script() -> None:
    assert words_in("Don't set max_gap=3.5!") == ["don", "t", "set", "max", "gap", "3", "5"]
    assert words_in("हिन्दी में") == ["हिन्दी", "में"]
    assert words_in("धूप है।") == ["धूप", "है"]
    assert words_in("រាត្រី។ ညနေ။") == [*words_in("រាត្រី"), *words_in("ညနေ")]
    assert words_in("ཉི་མ།") == ["ཉི", "མ"]
    assert words_in("東京都庁へ、行く") == ["東京", "京都", "都庁", "庁へ", "行く"]
    assert words_in("한국어에 x") == ["한국", "국어", "어에", "x"]
    assert words_in("\ud800 \x00 … 🙂") == []
