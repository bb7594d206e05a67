import functools

import pytest
import regex
import sentencex
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.text.unicode import breaks
from lumber_core.text.units import paragraphs, sentences, sentences_and_lines, unit_finder
from tests.core.core_support import nasty_texts, pieces, quick
from tests.tiling import check_tiling

BREAKS = {
    "LF": "\n",
    "CRLF": "\r\n",
    "CR": "\r",
    "form feed": "\f",
    "NEL": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
}


def unit_texts(finder, text: str) -> list[str]:
    return pieces(text, finder(text))


@pytest.fixture
def handed_over(monkeypatch):
    """The strings that are given to sentencex, which works as usual."""
    real = sentencex.segment
    seen: list[str] = []

    @functools.wraps(real)
    def segment(language, text):
        seen.append(text)
        return real(language, text)

    monkeypatch.setattr(sentencex, "segment", segment)
    return seen


@given(text=nasty_texts)
@quick
def test_separators_and_line_breaks_belong_to_the_unit_before(text):
    assert not any(text[unit.start].isspace() for unit in sentences(text)[1:])
    assert not any(text[unit.start] in "".join(BREAKS.values()) for unit in paragraphs(text)[1:])


@pytest.mark.parametrize("finder", [paragraphs, sentences])
@pytest.mark.parametrize("text", [" ", "\n\n\n", "\r\n \r\n", "\ufeff", "\ufeff\n\n", "\f"])
def test_a_text_of_white_space_is_one_unit(finder, text):
    assert unit_texts(finder, text) == [text]


@pytest.mark.parametrize("line_break", BREAKS.values(), ids=BREAKS)
def test_every_kind_of_line_break_divides_paragraphs_and_sentences(line_break):
    wrapped = f"One{line_break}two{line_break}{line_break}"
    assert unit_texts(paragraphs, wrapped + "three") == [wrapped, "three"]
    assert unit_texts(sentences, wrapped + "three") == [wrapped, "three"]
    assert unit_texts(paragraphs, f"One. Two.{line_break}3.") == [f"One. Two.{line_break}", "3."]


def test_without_line_breaks_paragraphs_are_sentences():
    text = "First one here. Second one there. Third one."
    assert unit_texts(paragraphs, text) == unit_texts(sentences, text)
    assert len(unit_texts(paragraphs, text)) == 3


@pytest.mark.parametrize(
    "units",
    [["\n\n\nOne.\n", "Two.\n\n\n"], ["\n\nOne is. ", "He is.\n\n"], ["\ufeff\n\nOne\n\n", "Two"]],
)
def test_line_breaks_and_marks_at_the_ends_of_a_text_are_not_blank_lines(units):
    assert unit_texts(paragraphs, "".join(units)) == units


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Mr. Smith came at 3.15 p.m. today. ", "He left."]),
        ("en", ["Is it? ", "Yes! ", "Well."]),
        ("en", ["\ufeff \r\n\n He is.  ", "I am.\n   \n", "it is"]),
        ("en", ["One \ud83d here. ", "Two \udc00 there. ", "Three."]),
        ("en", ["(It was late.) ", "He left. ", "(Was he up?) ", "\u201cYes.\u201d"]),
        ("en", ["(Prof.) Lee came."]),
        ("en", ["(So it was.) and so on."]),
        ("en", ["(See the map.)\nand so on."]),
        ("en", ["As others found.12 and so on."]),
        ("ru", ["И так далее… и ещё."]),
        ("de", ["Öffne die Tür. ", "2. Schließe sie."]),
        ("de", ["Das ist z.B. gut. ", "Er ging."]),
        ("es", ["\u00bfQui\u00e9n es? ", "No lo s\u00e9."]),
        ("fr", ["Il est parti \u00e0 3.15 h. ", "O\u00f9 va-t-il\u202f? ", "Il pleut."]),
        ("zh", ["你好。", "今天天气很好。"]),
        ("ja", ["これは本です。", "そうです。"]),
        ("zh", ["他說：「好。", "走吧！』\n", "『真的？』他問。", "結束。"]),
        ("zh", ["（完。）", "「好。」", "結束（他說真的！）了。"]),
        ("ja", ["（これは例です。）\n", "次です。", "（本当？）と言った。"]),
        ("ja", ["第一章 はじめに\n\u3000", "これは本だ。\n\u3000", "「そうか」\n\u3000", "次。"]),
        ("ja", ["・これは長い\n\u3000項目である。", "「そうか」\n\u3000と言った。"]),
        *(("hi", ["यह एक है। ", "वह दो।"]), ("tr", ["O geldi. ", '"Ben gittim.'])),
        *(("fr", ["Il est parti. ", "« Tu es las."]), ("ar", ["ما هذا؟ ", "هذا كتاب."])),
        ("he", ["זה ספר. ", "זה ילד."]),
    ],
)
def test_sentences_of_many_languages_are_found(language, expected):
    assert pieces("".join(expected), sentences("".join(expected), language)) == expected


@pytest.mark.parametrize("space", ["\u00a0", "\u1680", "\u2003", "\u2009", "\u202f", "\u3000"])
def test_wide_spaces_among_initials_do_not_lose_text(space):
    # "J{space}." makes sentencex 1.0 panic where the space takes more than one byte.
    text = f"J{space}. So said{space}A.{space}B.{space}Smith.{space}J. came.{space}Then all left."
    units = sentences(text)
    check_tiling(units, len(text))
    assert units[-1].of(text) == "Then all left."


def test_a_long_run_without_spaces_is_not_cut_inside_a_word():
    text = "x" * 200_000 + " end."
    assert unit_texts(sentences, text)[0].startswith("x" * 200_000)


def test_sentences_of_chinese_without_line_breaks_take_linear_time(handed_over):
    text = "\u6211\u4eec\u5b66\u4e60\u3002" * 20_000
    assert len(sentences(text, "zh")) == 20_000
    assert sum(map(len, handed_over)) <= 2 * len(text)
    # sentencex takes quadratic time where there is no blank.
    assert sum(len(block) ** 2 for block in handed_over) <= 2_100 * len(text)


CHINESE_PIECES = st.sampled_from(
    [*"渡在。た。！？，、；：…—ノー々aÉİ_ก١나Ⅳ", *("Yahoo", "No", "Dr", "12", "第5", "！！")]
)


@given(st.lists(CHINESE_PIECES, min_size=1, max_size=20), st.sampled_from(["en", "zh", "ja", "de"]))
@quick
def test_chinese_without_line_breaks_has_the_sentences_that_sentencex_finds(drawn, language):
    text = "渡船。" + "".join(drawn * 40)
    assert pieces(text, sentences(text, language)) == sentencex.segment(language, text)


def test_many_sentences_do_not_cross_to_sentencex_one_by_one(handed_over):
    sentences("Sentence of some length here. " * 7_000)
    assert len(handed_over) < 120


@pytest.mark.parametrize(
    ("finder", "expected"),
    [
        (lambda text: [(2, 4), (6, 8)], ["..ab..", "cd.."]),
        (lambda text: ((n, n + 1) for n in range(len(text))), [*"..ab..cd.."]),
        (lambda text: [], ["..ab..cd.."]),
    ],
)
def test_given_units_are_used_and_gaps_go_to_the_unit_before(finder, expected):
    assert unit_texts(unit_finder(finder), "..ab..cd..") == expected


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([(0, 3), (2, 5)], r"\(2, 5\) as unit 1 .* ends at 3"),
        ([(3, 5), (0, 3)], r"\(0, 3\) as unit 1 .* ends at 5"),
        ([(0, 2), (2, 2)], r"\(2, 2\) as unit 1"),
        ([(-1, 2)], r"\(-1, 2\) as unit 0"),
        ([(0, 9)], r"\(0, 9\) as unit 0 of a text of 6 characters"),
        ([(4, 2)], r"\(4, 2\) as unit 0"),
    ],
)
def test_given_units_that_overlap_or_exceed_the_text_are_refused(units, message):
    with pytest.raises(ValueError, match=f"the unit finder returned {message}"):
        unit_finder(lambda text: units)("abcdef")


@pytest.mark.parametrize("finder", [paragraphs, sentences, sentences_and_lines])
def test_units_are_chosen_by_name(finder):
    text = "At 9 p.m.\n14 go. Two come.\n\nThree."
    assert unit_texts(unit_finder(finder.__name__), text) == unit_texts(finder, text)


def test_long_texts_keep_their_sentences_in_place() -> None:
    # sentencex loses a blank line about every 10,000 bytes; no later sentence may shift for it.
    paragraphs = [f"Ship {n} left at dawn. It’s said that {n} men saw it." for n in range(1_500)]
    text = "\n\n".join(paragraphs)
    starts = {span.start for span in sentences(text)}
    assert starts == {match.start() for match in regex.finditer("Ship|It’s", text)}


def test_a_mark_at_a_lines_end_ends_a_sentence() -> None:
    text = (
        "Doors open at 9 p.m.\n14 people came.\nThey sang:\n\u201cOh\u201d\nand left. "
        "He said \u201cNo.\u201d\n  they agreed"
    )
    starts = [unit[:6] for unit in unit_texts(sentences_and_lines, text)]
    assert starts == ["Doors ", "14 peo", "They s", "\u201cOh\u201d\na", "He sai", "they a"]


@given(st.text(alphabet="aB.:?\u201d\u0301\r\n \t\u3042\u3002", max_size=60))
def test_lines_subdivide_sentences(text: str) -> None:
    finer = sentences_and_lines(text)
    assert "".join(span.of(text) for span in finer) == text
    assert all(span.start < span.end for span in finer)
    assert {span.start for span in sentences(text)} <= {span.start for span in finer}
    assert all(breaks(text, [span.start]) for span in finer)


def test_wrapped_lines_without_blank_lines_are_one_paragraph() -> None:
    pumps = "The pump station was built in 1968 and has been repaired\n" * 3 + "by both.\n"
    ledger = "The ledger is sent to the office in March. Entries older\n" * 2 + "are burnt.\n"
    assert unit_texts(paragraphs, pumps + ledger) == [pumps, ledger]


def test_sentences_of_a_paragraph_do_not_depend_on_other_paragraphs():
    paragraph = 'She said: "Go on. Wait!" It was 5 p.m. by then.\n\n'
    text = paragraph * 60 + "   \n" + "    Indented. Twice.\n\n\n" + paragraph * 60
    alone = [span.start for span in sentences(paragraph)]
    starts = {span.start for span in sentences(text)}
    for match in regex.finditer(regex.escape(paragraph), text):
        assert {match.start() + start for start in alone} <= starts
    assert len(starts) == 120 * len(alone) + 2


@pytest.mark.parametrize("mark", ["(1)", "(b)", "(iv)", "(X)", "•", "◦", "▪", "-", "1.", "a)"])
@pytest.mark.parametrize("language", ["en", "de", "xx"])
@pytest.mark.parametrize(("end", "long"), [("\n\n", ""), ("\n", " and here" * 40)])
def test_sentences_of_an_item_are_divided_whatever_its_mark(mark, language, end, long) -> None:
    text = (
        f"Die Boote\n\n{mark} The boat is out{long}. The oars are in.{end}"
        f"{mark} They are new{long}. Then go.\n"
    )
    expected = ["Die", mark, "The oars", mark, "Then"]
    texts = pieces(text, sentences(text, language))
    assert [
        sentence.startswith(words) for sentence, words in zip(texts, expected, strict=True)
    ] == [True] * 5
    below = [f"{mark} The boat is out. ", "The oars are in."]
    assert pieces("".join(below), sentences("".join(below), language)) == below


def test_paragraphs_of_a_law_are_divided_between_sentences_and_before_section_signs() -> None:
    long = "Es hat " + "neue " * 40 + "Ruder."
    text = (
        "(1) Das Boot wird verliehen. § 10 Abs. 3 gilt.\n\n"
        "(2a) Wie § 4. Vgl. § 5 dazu; s. §\n7. Ende.\n\n"
        f"(3) {long} Ende.\n(4) {long} Ende.\n(b) Nein. Doch.\n"
    )
    assert [text[start:end].strip() for start, end in sentences(text, "de")] == [
        *("(1) Das Boot wird verliehen.", "§ 10 Abs. 3 gilt.", "(2a) Wie § 4."),
        *("Vgl. § 5 dazu; s. §\n7.", "Ende.", f"(3) {long}", "Ende.", f"(4) {long}", "Ende."),
        "(b) Nein. Doch.",
    ]


@pytest.mark.parametrize(
    "reference", ["(Lee, 2010)", "(Lee et al., 2010) ", "(Fig. 5) ", "(72) ", "(3) (4) ", "(46) ,"]
)
def test_a_reference_neither_begins_a_sentence_nor_an_item(reference: str) -> None:
    sentence = f"The tide was measured as in (Roe, 1998) and again {reference}"
    text = f"{sentence}. Then it turned. It rose (Lee, 2011) again."
    starts = [0, text.index("Then"), text.index("It rose")]
    assert [start for start, _ in sentences(text)] == starts


@pytest.mark.parametrize("marks", ['""', "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb"])
def test_a_long_speech_is_divided_between_its_sentences_and_a_short_one_is_not(marks: str) -> None:
    opening, closing = marks[0], marks[1]
    said = ["The tide turns at noon, and the boats don't wait for anybody who comes late."] * 5
    text = (
        f"He rose. {opening}{' '.join(said)}{closing} Ann left. {opening}Go. Now!{closing} he said."
    )
    texts = [text[start:end].strip() for start, end in sentences(text)]
    first, *others = said
    spoken = [f"{opening}{first}", *others[:-1], f"{others[-1]}{closing}"]
    assert texts == ["He rose.", *spoken, "Ann left.", f"{opening}Go. Now!{closing} he said."]


def test_a_string_of_json_is_not_divided() -> None:
    text = '{"id": 1, "text": "It rains. It is late. ' + "and so on " * 40 + '"}'
    assert sentences(text) == [(0, len(text))]
