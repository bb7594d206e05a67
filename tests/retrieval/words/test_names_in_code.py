"""Names in code are found by the words that they are made of, and prose stays as it is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_retrieval.words.coverage import QuestionWords
from lumber_retrieval.words.keywords import fold, words_in


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getShippingMethodFromCheckout", "get shipping method from checkout"),
        ("BasketTotal", "basket total"),
        ("HTTPServer", "http server"),
        ("parseURLToJSON", "parse url to json"),
        ("userIDs", "user ids"),
        ("utf8", "utf 8"),
        ("readUtf8File", "read utf 8 file"),
        ("sha256", "sha 256"),
        ("dbIo", "db io"),
        ("IUserService", "user service"),  # one letter is no word
        ("größteBootslänge", "grosste bootslange"),
        ("ПолучитьСуммуЗаказа", "получить сумму заказа"),
    ],
)
def test_the_parts_of_a_name_follow_it(name: str, parts: str) -> None:
    assert words_in(name) == [fold(name), *parts.split()]
    assert words_in(f"see {name}(x)") == ["see", fold(name), *parts.split(), "x"]
    question = QuestionWords(parts, lambda words: dict.fromkeys(words, 1), 9)
    assert question.coverages([f"x = {name}(y)"]) == [1.0]
    asked = QuestionWords(name, lambda words: dict.fromkeys(words, 1), 9)
    whole, apart = asked.coverages([name, parts])
    assert whole == 1.0
    assert 0.5 <= apart <= whole


@pytest.mark.parametrize(
    "prose",
    [
        "The 4th of 1990s, B12, 3D and H1N1: IDs.",
        "MAX_RETRY, max_retry",
        "Straße ÉCOLE №5",
        "Fly with CloudWay. SkyPoints, too.",
    ],
)
def test_prose_has_no_parts_of_names(prose: str) -> None:
    assert words_in(prose) == words_in(prose.lower())


@pytest.mark.parametrize(
    "code", ["class {} {{", "new {}", "{}.of", "a::{}", "`{}`", "{} basketTotal", "{}<T>", "@{}"]
)
def test_a_name_of_two_parts_has_parts_among_signs_of_code(code: str) -> None:
    assert {"basket", "total", "baskettotal"} <= {*words_in(code.format("BasketTotal"))}


@given(st.text("aBcD9_ .éЖ", max_size=60))
def test_parts_are_beside_the_words_of_a_text(text: str) -> None:
    remaining = iter(words_in(text))
    assert all(word in remaining for word in re.findall(r"[^\W_]+", fold(text)))  # in order
