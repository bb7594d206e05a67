"""Quotes are found where they occur, and nowhere else."""

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_core.text.source import Source
from lumber_retrieval.citing.citations import Citation, cite
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import Passage
from tests.core.core_support import quick
from tests.growth import check_linear

TIDES = """\
# The dial

The free end of the ribbon moves by three centimetres a day, "more or less".
It's oiled every
week with the oil of whales, which costs 1,250 crowns a barrel.

The keeper's records of well-known tides go back to 1873; nobody has read them all.
"""
OTTERS = "Otters live along rivers. They hunt fish at dawn, and sleep in dens near the bank."
RIVER = "They fish by the big rivers or by the old mill and slept in everyone of the dry dens."
TEXTS = {"tides.md": TIDES, "otters.txt": OTTERS}


def cite_one(quote: str, texts: object = TEXTS) -> Citation:
    (citation,) = cite([quote], texts)
    return citation


def check(citation: Citation, texts: dict[str, str] = TEXTS) -> None:
    """Check that a citation is a slice of its document, with the right lines."""
    assert citation.document is not None
    assert citation.span is not None
    text = texts[citation.document]
    assert citation.span.of(text) == citation.text
    assert citation.text.strip() == citation.text != ""
    first = text.count("\n", 0, citation.span.start) + 1
    assert citation.lines == (first, first + citation.text.count("\n"))


RIBBON = "The free end of the ribbon moves by three centimetres a day"
QUOTED: dict[str, list[tuple[str, str]]] = {
    "exact": [  # white space and quotation marks may differ
        ("They hunt fish at dawn,", "They hunt fish at dawn,"),
        ("It's oiled every week", "It's oiled every\nweek"),
        ("  It\u2019s   oiled\r\nevery week ", "It's oiled every\nweek"),
        ("\u201cThey hunt fish at dawn\u201d", "They hunt fish at dawn"),
        ("a day, \u201cmore or less\u201d.", 'a day, "more or less".'),
        ("dens", "dens"),
    ],
    "of equal letters": [
        ("THEY HUNT FISH AT DAWN", "They hunt fish at dawn"),
        ("the keeper's records of well known tides", "The keeper's records of well-known tides"),
        ("The keepers records of well-\nknown tides", "The keeper's records of well-known tides"),
        ("They hunt \ufb01sh at dawn", "They hunt fish at dawn"),
        ("They hunt f\u00edsh at da\u00adwn.", "They hunt fish at dawn"),
        ("**They** hunt _fish_ at dawn", "They hunt fish at dawn"),
        ("They hunt fish.", "They hunt fish"),
        ("they hunt fish at dawn, ", "They hunt fish at dawn,"),
    ],
    "changed a little": [
        ("They hunt fish at dusk, and sleep in dens", "They hunt fish at dawn, and sleep in dens"),
        ("They hunt fish, and sleep in dens", "They hunt fish at dawn, and sleep in dens"),
        ("They often hunt fish at dawn", "They hunt fish at dawn"),
        ("They hunt fish at noon", "They hunt fish at dawn"),
        ("which costs 1,350 crowns a barrel", "which costs 1,250 crowns a barrel"),
        ("The fre end of teh ribon moves by thre centimeters a day", RIBBON),
        ("The free end of the ribbon ... a day", RIBBON),
        ("It's oiled […] a barrel.", TIDES[TIDES.index("It's") : TIDES.index("\n\nThe k")]),
    ],
}


@pytest.mark.parametrize(
    ("how", "quote", "text"), [(how, *each) for how, rows in QUOTED.items() for each in rows]
)
def test_a_quote_is_found_at_its_place(how: str, quote: str, text: str) -> None:
    citation = cite_one(quote)
    assert citation.kind == ("exact" if how == "exact" else "aligned")
    assert (citation.quote, citation.text) == (quote, text)
    assert 0.7 < citation.similarity <= 1
    assert citation.similarity == 1 or how == "changed a little"
    assert "written differently" in str(citation) or how != "of equal letters"
    check(citation)


@pytest.mark.parametrize(
    "quote",
    [
        "Badgers dig their setts in dry banks of earth.",
        "The ribbon is replaced once a year by the youngest keeper.",
        "Otters hunt whales at the bank every three centimetres.",
        "hunt fish at dusk",  # similar words occur, as for any short quote
        "tters live",  # begins inside a word
        "They hunt f",
        "the keeper ... at dawn",  # the parts are in two documents
        "a barrel ... The dial",  # the parts are in another order
        *("1,250", "", " \n", "\u2014", "..."),
    ],
)
def test_a_quote_that_is_in_no_document_is_not_found(quote: str) -> None:
    texts = {**TEXTS, "tides.md": TIDES.replace("1,250", "1250")}
    assert cite_one(quote, texts) == Citation(quote, "not found")
    assert str(cite_one(quote, texts)) == "not found in the documents"


@pytest.mark.parametrize(
    ("quote", "text", "cited"),
    [
        ("der grosse fluss", "Dort liegt der große Fluß.", "der große Fluß"),
        ("a fine cafe\u0301", "It was a \ufb01ne café there.", "a \ufb01ne café"),
        ("A FINE CAFE", "It was a fine cafe\u0301 there.", "a fine cafe\u0301"),
        ("\"I'll not sell the boat", "said, “I’ll not sell the _boat_", "“I’ll not sell the _boat"),
    ],
)
def test_letters_that_case_folding_expands_are_kept_whole(
    quote: str, text: str, cited: str
) -> None:
    assert cite_one(quote, {"a": text}).text == cited


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        *(("costs 125 crowns", "It costs 1.25 crowns."), ("1.25", "It costs 11.25 crowns.")),
        ("3 million people", "In all 1.3 million people came."),
        *(("500 euros", "It costs 1,500 euros."), ("grew by 1", "It grew by 1.5 percent.")),
        *(("costs $5", "It costs $5.99 now."), ("5 degrees", "It was -5 degrees.")),
        *(("5 degrees", "\u22125 degrees."), ("75 litres", "It holds .75 litres.")),
        *(("400 miles", "It is 1'400 miles away."), ("400 miles", "It is 2\u2019400 miles away.")),
        ("400 miles", "It is 12\u00a0400 miles away."),
        ("400 miles", "It is 12\u2009400,5 miles away."),
        *(("400 miles", "It is 7 400 miles away."), ("8 inches", "It is 5/8 inches wide.")),
        ("1/2 inches", "It is 3 1/2 inches wide."),
        ("\u00bd inches", "It is 3\u00bd inches wide."),
        *(("7 ounces", "It weighs 0\u00b77 ounces."), ("30 sharp", "They met at 11:30 sharp.")),
        *(("6 cells", "It has 10^6 cells."), ("by 10", "It shrinks by 10\u207b\u2074.")),
        *(("4 moles", "It is 2e-4 moles."), ("\u0968\u096b \u0917", "\u0967,\u0968\u096b \u0917")),
        *(("\u0665 g", "\u0663\u066b\u0665 g"), ("\u4e09\u4eba", "\u4e8c\u5341\u4e09\u4eba")),
    ],
)
def test_a_number_does_not_match_a_different_number(quote: str, text: str) -> None:
    assert cite_one(quote, {"a": text}).kind == "not found"


@pytest.mark.parametrize("quote", ["-5 degrees", "10-20", "20 ships", "grew by 1.5", "It was -5"])
def test_numbers_are_found_with_their_signs(quote: str) -> None:
    assert (
        cite_one(quote, {"a": "It was -5 degrees. 10-20 ships came. It grew by 1.5."}).kind
        == "exact"
    )
    assert cite_one("\u22125 DEGREES", {"a": "It was -5 degrees."}).text == "-5 degrees"


@pytest.mark.parametrize(
    ("text", "exact", "cut"),
    [
        ("बारिश आज तेज़ है। कल १.५ घंटे धूप थी॥", ["बारिश आज तेज़ है।", "तेज़ है", "१.५ घंटे"], ["बारि", "५ घंटे"]),
        ("আকাশ মেঘলা। পাখি গান গায়।", ["আকাশ মেঘলা।", "গান গায়"], ["আকা", "গান গা"]),
        ("மழை பெய்கிறது. குடை எங்கே?", ["மழை பெய்கிறது.", "குடை"], ["மழ", "பெய்"]),
        ("ฝนตก ๑๒ วัน น้ำท่วม", ["ฝนตก", "ฝน ตก", "น้ำ"], ["๒ วัน", "น้"]),
        ("ཆར་པ་བབས། ཉི་མ་ཤར།", ["ཆར་པ་བབས།", "ཉི་མ"], ["ཆ", "ཉ"]),
        ("ዝናብ፡ዘነበ። ፀሐይ ወጣች።", ["ዝናብ፡ዘነበ።", "ፀሐይ"], ["ዝና", "ወጣ"]),
        ("ធ្លាក់ភ្លៀង។ សម្អាត", ["ធ្លាក់ភ្លៀង។"], ["ធ្", "ភ្ល"]),
        ("יָרַד גֶּשֶׁם׃", ["יָרַד", "גֶּשֶׁם׃"], ["יָרַ", "יָ"]),
        ("نَزَلَ المَطَرُ، می‌بارد", ["نَزَلَ المَطَرُ،", "می‌بارد"], ["نَزَ", "می"]),
        ("비가 온다. カタカナ", ["비가 온다.", "비가"], ["비", "カタ"]),
        ("the créme brûlée", ["the créme"], ["the cré", "the cre"]),
        ("a rain­coat, worn", ["a rain­coat", "worn"], ["a rain", "coat"]),
        ("they don't, x²", ["they don't", "x²"], ["they don", "x"]),
        ("it grew by 6%", ["grew by 6%"], ["grew by 6"]),
    ],
)
def test_words_of_any_script_are_quoted_whole(text: str, exact: list[str], cut: list[str]) -> None:
    assert [cite_one(quote, {"a": text}).kind for quote in exact] == ["exact"] * len(exact)
    assert "exact" not in [cite_one(quote, {"a": text}).kind for quote in cut]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("big river or by the old mill", "big rivers or by the old mill"),
        ("fishs by the big rivers or by the old mills", RIVER[5:46]),
        ("They fish by the big river or by the old mills", RIVER[:46]),
        ("They fish by the big rivers or by the olda", RIVER[:41]),
        ("fish by the big rivers or by the odl", "fish by the big rivers or by the old"),
        ("fish by the big rivers or by the new", "fish by the big rivers or by the old"),
        ("and slept in everyone of the dry dent", "and slept in everyone of the dry dens"),
    ],
)
def test_an_aligned_quote_ends_at_its_last_word(quote: str, text: str) -> None:
    assert cite_one(quote, {"a": RIVER}).text == text


def test_the_parts_around_an_ellipsis_are_in_different_places() -> None:
    quote = "they rest for a day ... they rest for a day"
    assert cite_one(quote, {"a": "Then they rest for a day. Soon."}).kind == "not found"
    assert (
        cite_one(quote, {"a": "They rest for a day. Then they rest for a day."}).kind == "aligned"
    )


def test_the_first_of_several_places_is_returned_and_the_others_are_counted() -> None:
    texts = {"a": "It rains. It rains again.", "b": "It rains."}
    citation = cite_one("It rains", texts)
    assert (citation.document, citation.span, citation.places) == ("a", Span(0, 8), 3)
    assert "the first of 3 places" in str(citation)
    assert cite_one("It rains again", texts).places == 1


def passage(document: str, words: str, **metadata: object) -> Passage:
    text = TEXTS[document]
    span = Span(text.index(words), text.index(words) + len(words))
    hit = Hit(0, document, span, words, 1.0, metadata)
    return Passage(document, span, words, (hit,))


def test_passages_give_places_in_their_documents() -> None:
    words = TIDES[TIDES.index("It's") : TIDES.index("\n\nThe k")]
    given_passage = passage("tides.md", words, line_first=4, line_last=5, page_first=2, page_last=2)
    citation = cite_one("week with the oil of whales", [given_passage])
    check(citation)
    assert citation.lines == (5, 5)
    assert citation.page == 2
    assert str(citation) == "tides.md, page 2"
    assert citation.link == "tides.md#page=2"


def test_a_passage_comes_before_its_document_and_counts_once() -> None:
    texts = {"a": "It rains. It pours. It rains."}
    late = Passage("a", Span(20, 29), "It rains.", (Hit(0, "a", Span(20, 29), "It rains.", 1, {}),))
    citation = cite_one("It rains.", [late, Source(texts["a"], name="a")])
    assert (citation.span, citation.places) == (Span(20, 29), 2)
    assert cite_one("It pours. It rains.", [late, Source(texts["a"], name="a")]).span == Span(
        10, 29
    )


def test_pages_come_from_the_source() -> None:
    first, second = "Hulls are waxed in spring.", "Sails are mended in autumn."
    source = Source(f"{first}\f{second}", pages=(0, len(first) + 1))
    assert cite_one(second, {"b oats.pdf": source}).pages == (2, 2)
    assert cite_one(second, {"b oats.pdf": source}).link == "b%20oats.pdf#page=2"
    assert cite_one(f"{first} {second}", {"b": source}).pages == (1, 2)


def test_quotes_in_scripts_without_spaces_are_found_across_lines() -> None:
    text = "水獭生活在河边。它们在黎明\n时捕鱼，睡在岸边的洞穴里。"
    assert (
        cite_one("河边。\n它们", {"a": text}).kind
        == cite_one("1990年", {"a": "1990\n年"}).kind
        == "exact"
    )
    citation = cite_one("它们在黎明时捕鱼", {"a": text})
    assert (citation.kind, citation.text) == ("exact", "它们在黎明\n时捕鱼")
    changed = cite_one("它们在黄昏时捕鱼，睡在岸边的洞穴里。", {"a": text})
    assert (changed.kind, changed.text) == ("aligned", text[text.index("它们") :])


@pytest.mark.parametrize(
    ("quotes", "texts", "error", "message"),
    [
        ("They hunt", TEXTS, TypeError, "list of str"),
        ([3], TEXTS, TypeError, "str"),
        (["a"], ["a text"], TypeError, "by their names"),
        (["a"], [Source("a text")], ValueError, "no name"),
    ],
)
def test_wrong_types_of_quotes_and_texts_are_refused(quotes, texts, error, message) -> None:
    with pytest.raises(error, match=message):
        cite(quotes, texts)


WORDS = st.sampled_from(
    ["otters", "hunt", "fish", "at", "dawn", "水", "獭", "1.5", "don't", "naïve", "ﬁn", "🦦", "a-b"]
)
SPACES = st.sampled_from([" ", "\n", "  ", "\r\n", "\u00a0", "\t"])


@st.composite
def slices(draw):
    """A text, and a range of its words with other white space."""
    words = draw(st.lists(WORDS, min_size=1, max_size=30))
    first = draw(st.integers(0, len(words) - 1))
    last = draw(st.integers(first + 1, len(words)))
    spaced = [word + draw(SPACES) for word in words]
    quote = "".join(word + draw(SPACES) for word in words[first:last])
    return "".join(spaced), quote


@quick
@given(slices())
def test_every_range_of_words_is_found_exactly(drawn) -> None:
    text, quote = drawn
    citation = cite_one(quote, {"a": text})
    assert citation.kind == "exact"
    assert citation.span is not None
    assert citation.text == citation.span.of(text)
    space_between = re.compile(r"(?<=[水獭])\s+(?=[水獭])")
    assert space_between.sub("", citation.text).split() == space_between.sub("", quote).split()


@quick
@given(st.text(max_size=60), st.text(max_size=200))
def test_any_quote_gives_a_slice_or_is_not_found(quote: str, text: str) -> None:
    citation = cite_one(quote, {"a": text})
    if citation.span is None:
        assert citation == Citation(quote, "not found")
    else:
        assert citation.text == citation.span.of(text) != ""
        assert 0 < citation.similarity <= 1


def words(count: int) -> str:
    return " ".join(random.Random(0).choices(TIDES.split(), k=count))


LONG: dict[str, Callable[[int], tuple[list[str], str]]] = {
    "text": lambda n: (["The keeper's ribbon goes back to the week of all tides"], words(n)),
    "gap": lambda n: (["the ... tides"], words(n)),
    "quote": lambda n: ([words(20_000)[1000 : 1000 + n].replace("tides", "ebbs")], words(20_000)),
    **{
        f"repeated {part!r}": lambda n, part=part: ([part * (n // 10) + "b"], part * n)  # type: ignore[misc]
        for part in ("a ", "a", ". ", " ", '"', "a ... ")
    },
}
"""A quote, and the text in which it is looked for, by size."""


@pytest.mark.parametrize("kind", LONG)
def test_time_is_linear_in_the_text_and_in_the_quote(kind: str) -> None:
    check_linear(lambda given: cite(given[0], {"a": given[1]}), LONG[kind], 20_000)
