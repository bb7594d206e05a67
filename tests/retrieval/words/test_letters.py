import re
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Span
from lumber_retrieval import cite
from lumber_retrieval.words.coverage import QuestionWords
from lumber_retrieval.words.keywords import fold, words_in
from tests.growth import check_linear

SAME = [
    # case, accents, width, ligatures
    *(("STRASSE", "straße"), ("ΟΔΟΣ", "οδος"), ("İstanbul", "istanbul"), ("ılık", "ilik")),
    *(("ё", "е"), ("ＡＢＣ１", "abc1"), ("naïve", "naive"), ("Τίτλος", "τιτλος")),
    *(("ﬁnal", "final"), ("ｗｉｄｅ", "wide"), ("ｶﾅ", "カナ")),
    ("café", unicodedata.normalize("NFD", "café")),
    ("한글", unicodedata.normalize("NFD", "한글")),
    # letters with strokes and hooks, and two letters in one
    *(("Łódź", "lodz"), ("København", "kobenhavn"), ("Đà Nẵng", "da nang"), ("ɓarawo", "barawo")),
    *(("Ærø", "aero"), ("œuvre", "oeuvre"), ("Þór", "thor"), ("Garðar", "gardar")),
    # Arabic, Persian, Urdu, Kurdish, Hebrew
    *(("کتاب", "كتاب"), ("علی", "علي"), ("على", "علي"), ("مدرسة", "مدرسه"), ("ہم", "هم")),
    *(("أحمد", "احمد"), ("ٱلله", "الله"), ("مُحَمَّد", "محمد"), ("كتـــاب", "كتاب"), ("رحمٰن", "رحمن")),
    *(("می\u200cخواند", "میخواند"), ("خانهٔ", "خانه"), ("ﻛﺘﺎﺏ", "كتاب"), ("שָׁלוֹם", "שלום")),
    *(("ھەولێر", "هەولێر"), ("بەھار", "بەهار"), ("ګټه", "گټه"), ("בית־ספר", "בית ספר")),
    *(("ԵՐԵՎԱՆ", "երևան"), ("և", "եւ"), ("№", "no"), ("㈱", "株"), ("㍻", "平成"), ("ⅻ", "xii")),
    *(("װאָרט", "ווארט"), ("Oʻzbekiston", "O'zbekiston"), ("комп\u02bcютер", "комп'ютер")),
    *(("ґанок", "ганок"), ("Ґ", "г"), ("Qur\u02be\u0101n", "Quran"), ("\u02bfUmar", "Umar")),
    # Hindi, Bengali, Malayalam
    *(("हिन्दी", "हिंदी"), ("मुम्बई", "मुंबई"), ("पाँच", "पांच"), ("फ़िल्म", "फिल्म"), ("\u095b", "\u091c")),
    *(("ক্\u200dষ", "ক্ষ"), ("\u09ce", "\u09a4\u09cd\u200d"), ("\u0d7b", "\u0d28\u0d4d\u200d")),
    # digits
    *((digits, "2578") for digits in ("٢٥٧٨", "۲۵۷۸", "२५७८", "২৫৭৮", "๒๕๗๘", "２５７８", "𝟐𝟓𝟕𝟖")),
    # invisible characters inside words
    *((f"A{sign}b", "ab") for sign in "\xad\u200b\u200c\u200d\u2060\ufeff\u034f\u200e"),
    *(("Wert\xad\n  papier", "wertpapier"), ("Acme\u2122", "acme tm"), ("צה\u05f4ל", "צהל")),
    *(("ไทย\u200bไป", "ไทยไป"), ("เเม่", "แม่"), ("ท่\u0e35", "ที่"), ("นํ้า", "น้ำ"), ("ເເມ່", "ແມ່")),
    *(("за\u0301мок", "замок"), ("и\u0306од", "йод"), ("ѝ", "и"), ("Ї", "і\u0308")),
    *(("мѣсто", "место"), ("Ѳёдоръ", "федоръ"), ("col·legi", "coŀlegi")),
]
DIFFERENT = [
    *(("bär", "bor"), ("लेख", "लख"), ("कल", "काल"), ("หมา", "หมี"), ("ბანკი", "ბანკა")),
    *(("لڑکی", "لڑکے"), ("بھر", "بہر"), ("دل", "ذل"), ("سر", "شر"), ("پر", "بر"), ("کل", "گل")),
    *(("ու", "ով"), ("Ⅴ", "5"), ("раса", "paca"), ("か", "が"), ("は", "ぱ"), ("かな", "カナ")),
    *(("日", "曰"), ("国", "國"), ("мой", "мои"), ("й", "и"), ("їх", "іх"), ("ўсё", "усё")),
    *(("হয়", "হয"), ("১", "২"), ("٢٥", "٥٢"), ("ഹ", "ന"), ("শ", "স"), ("дом", "dom")),
]


@pytest.mark.parametrize(("word", "other"), SAME)
def test_different_spellings_of_a_word_are_equal(word: str, other: str) -> None:
    assert words_in(word) == words_in(other)
    text = f"xyz {word}, abc."
    (citation,) = cite([f"xyz {other}, abc."], {"a": text})
    assert (citation.kind, citation.similarity, citation.text) == ("aligned", 1, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2½ cups, 5⅓", ["2", "1", "2", "cups", "5", "1", "3"]),
        ("10² boats in 1999¹", ["10", "2", "boats", "in", "1999", "1"]),
        ("①② x² H₂O", ["1", "2", "x2", "h2o"]),
    ],
)
def test_a_number_ends_before_a_raised_one_and_a_fraction(text: str, words: list[str]) -> None:
    assert words_in(text) == words


@pytest.mark.parametrize(("word", "other"), DIFFERENT)
def test_different_words_stay_different(word: str, other: str) -> None:
    assert words_in(word) != words_in(other)
    assert cite([f"xyz {other}"], {"a": f"xyz {word}"})[0].kind == "not found"


def test_all_digits_and_invisible_characters_of_unicode_are_folded() -> None:
    characters = "".join(map(chr, range(0x110000)))
    assert fold("".join(regex.findall(r"\p{DI}", characters))) == ""
    digits = re.findall(r"\d", characters)
    assert fold("".join(digits)) == "".join(str(unicodedata.digit(digit)) for digit in digits)


LETTERS = st.text(st.characters(categories=("L", "M", "N", "Cf", "Zs", "Po")), max_size=40)


@given(LETTERS)
def test_folding_twice_equals_folding_once(text: str) -> None:
    assert words_in(fold(fold(text))) == words_in(fold(text))


@given(LETTERS, st.integers(1, 4), st.sampled_from("\xad\u200b\u2060"))
def test_a_quote_is_found_despite_invisible_characters(text: str, place: int, sign: str) -> None:
    quote = f"boats {text} oars"
    written = quote[:place] + sign + quote[place:]
    (citation,) = cite([quote], {"a": f"Two. {written} Three."})
    assert (citation.span, citation.similarity) == (Span(5, 5 + len(written)), 1)
    assert citation.text == written


def test_folding_takes_linear_time() -> None:
    check_linear(fold, lambda size: "न्\u200b۵é" * size + "\u0e48" * size, 5_000)


@pytest.mark.parametrize("sign", ["A", "b", "aB", "A1b", "IPv6"])
def test_the_words_of_one_long_name_take_linear_time(sign: str) -> None:
    check_linear(words_in, lambda size: "aB" + sign * size, 10_000)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getShippingMethodFromCheckout", "get shipping method from checkout"),
        *(("BasketTotal", "basket total"), ("HTTPServer", "http server")),
        *(("parseURLToJSON", "parse url to json tojson"), ("userIDs", "user ids id")),
        *(("utf8", "utf 8"), ("readUtf8File", "read utf 8 file utf8"), ("sha256", "sha 256")),
        *(("dbIo", "db io"), ("S3Bucket", "3 bucket s3")),
        ("IUserService", "user service iuser"),  # "I" is a single letter
        ("MySQLPool", "my sql pool mysql sqlpool"),
        ("getOAuth2Token", "get auth 2 token auth2 oauth2"),
        ("i18nLabels", "18 labels i18n"),
        ("k8sCluster", "8 cluster k8s"),
        ("render3dModel", "render 3 model render3d 3d"),
        ("convert2D", "convert 2 convert2 2d"),
        ("gRPCServer", "rpc server rpcserver grpc"),
        ("größteBootslänge", "grosste bootslange"),
        ("ПолучитьСуммуЗаказа", "получить сумму заказа"),
        ("kullanıcıAdıAl", "kullanici adi al"),
        ("počtyŠtítkůDnů", "pocty stitku dnu"),
    ],
)
def test_the_parts_of_a_name_follow_the_name(name: str, parts: str) -> None:
    assert words_in(name) == [fold(name), *parts.split()]
    assert words_in(f"see {name}(x)") == ["see", fold(name), *parts.split(), "x"]
    question = QuestionWords(parts, dict.fromkeys(words_in(parts), 1), 9)
    assert question.coverages([f"x = {name}(y)"]) == [1.0]
    assert words_in(f"impl {name} for A") == ["impl", fold(name), *parts.split(), "for", "a"]
    assert words_in(f"A\\{name} B") == ["a", fold(name), *parts.split(), "b"]
    asked = QuestionWords(name, dict.fromkeys(words_in(name), 1), 9)
    of_name, of_parts = asked.coverages([name, parts])
    assert of_name == 1.0
    assert 0.5 <= of_parts <= of_name


@pytest.mark.parametrize("name", ["maxRetryCount", "HTTPServer", "utf8"])
def test_a_name_that_no_chunk_has_counts_by_its_parts(name: str) -> None:
    parts = words_in(name)[1:]
    assert QuestionWords(name, dict.fromkeys(parts, 1), 9).coverages([" ".join(parts)]) == [1.0]


@pytest.mark.parametrize(("question", "text"), [("MySQL", "a mysql b"), ("sha256", "SHA256")])
def test_parts_that_no_chunk_has_do_not_count(question: str, text: str) -> None:
    frequencies = dict.fromkeys(words_in(text)[:2], 1)
    assert QuestionWords(question, frequencies, 9).coverages([text]) == [1.0]


@pytest.mark.parametrize(
    "prose",
    [
        *("We use MySQL, GraphQL and OpenAI.", "The 4th of 1990s, B12, 3D and H1N1: ID."),
        *("MAX_RETRY, max_retry", "Straße ÉCOLE №5", "Fly with CloudWay. SkyPoints, too."),
    ],
)
def test_words_of_prose_have_no_parts(prose: str) -> None:
    assert words_in(prose) == words_in(prose.lower())


@pytest.mark.parametrize(
    "code",
    [
        *("class {} {{", "new {}", "{}.of", "a::{}", "`{}`", "{} basketTotal", "{}<T>", "@{}"),
        *("Map<K, {}>", "-> {}", "&{}", "FROM {}", "Get-{} -Path .", "contract {} is Token"),
    ],
)
def test_a_name_of_two_parts_has_parts_among_signs_of_code(code: str) -> None:
    assert {"basket", "total", "baskettotal"} <= {*words_in(code.format("BasketTotal"))}


@given(st.text("aBcD9_ .éЖ", max_size=60))
def test_parts_are_beside_the_words_of_a_text(text: str) -> None:
    remaining = iter(words_in(text))
    assert all(word in remaining for word in re.findall(r"[^\W_]+", fold(text)))  # in order


@pytest.mark.parametrize(
    ("wrapped", "unwrapped"),
    [
        ("语言识\n别图像", "语言识别图像"),
        ("計算 \r\n\u3000機", "計算機"),
        ("カタ\n  カナ", "カタカナ"),
        ("数据\f集合", "数据集合"),
    ],
)
def test_line_ends_do_not_divide_words_of_chinese_and_japanese(
    wrapped: str, unwrapped: str
) -> None:
    assert words_in(wrapped) == words_in(unwrapped)
    assert words_in("학교\n에서") != words_in("학교에서")
