import json
from itertools import pairwise, permutations
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import Passage, join_hits
from lumber_retrieval.words.keywords import count_words
from tests.core.core_support import quick

TEN = "one two three four five six seven eight nine ten"


def hit_at(document: str, start: int, text: str, score: float = 0) -> Hit:
    return Hit(0, document, Span(start, start + len(text)), text, score, {})


def hit(words: str, text: str = TEN, document: str = "a", score: float = 0) -> Hit:
    return hit_at(document, text.index(words), words, score)


def texts_of(passages: list[Passage]) -> list[str]:
    return [passage.text for passage in passages]


@st.composite
def searches(draw):
    """Texts, and hits in them: spans, each with a score."""
    word = st.sampled_from(["a", "bb ", "ccc ", "d.\n\n", " ", "e f g ", "otter "])
    words = st.lists(word, min_size=1, max_size=40).map("".join)
    texts = {name: draw(words) for name in ("one", "two")}
    hits = []
    for name, text in texts.items():
        for _ in range(draw(st.integers(0, 6))):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            score = draw(st.sampled_from([-inf, 0.1, 0.2, 0.3, 0.4]))
            hits.append(hit_at(name, start, text[start:end], score))
    hits = draw(st.permutations(hits))
    return texts, [hit._replace(number=number) for number, hit in enumerate(hits)]


def passages_around(hit: Hit, passages: list[Passage]) -> list[Passage]:
    around = [p for p in passages if p.span.start <= hit.span.start and hit.span.end <= p.span.end]
    return [passage for passage in around if passage.document == hit.document]


def check_slices(passages: list[Passage], texts: dict[str, str], hits: list[Hit]) -> None:
    order = sorted(hits, key=lambda hit: -hit.score)
    ranks = {hit.number: rank for rank, hit in enumerate(order)}
    for passage in passages:
        assert passage.text == passage.span.of(texts[passage.document])
        assert list(passage.hits) == sorted(passage.hits, key=lambda hit: ranks[hit.number])
        assert all(passage in passages_around(hit, passages) for hit in passage.hits)
        # Only the text between hits and the indentation of the first line are added.
        begin = min(hit.span.start for hit in passage.hits)
        before = f"{texts[passage.document][:begin]}|".splitlines()[-1][:-1]
        assert passage.span.start == begin - (0 if before.strip() else len(before))
        assert passage.span.end == max(hit.span.end for hit in passage.hits)
    for first, second in pairwise(by_place(passages)):
        if first.document == second.document:
            assert first.span.end <= second.span.start
    best = [min(ranks[hit.number] for hit in passage.hits) for passage in passages]
    assert best == sorted(best)


def by_place(passages: list[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: (passage.document, passage.span))


@given(search=searches(), max_gap=st.integers(0, 6))
@quick
def test_passages_consist_of_hits_and_the_short_gaps_between_them(search, max_gap):
    texts, hits = search
    passages = join_hits(hits, texts, max_gap=max_gap)
    check_slices(passages, texts, hits)
    joined = [hit.number for passage in passages for hit in passage.hits]
    assert sorted(joined) == [*range(len(hits))]
    for first, second in pairwise(by_place(passages)):
        if first.document == second.document:
            between = texts[first.document][first.span.end : second.span.start]
            assert len(between.split()) > max_gap
    for passage in passages:
        text, end = texts[passage.document], passage.span.start
        for span in sorted(hit.span for hit in passage.hits):
            gap = text[end : max(end, span.start)]
            # A word that the hit before divides is counted with that hit.
            cut = bool(end and gap) and not (text[end - 1].isspace() or gap[0].isspace())
            assert len(gap.split()) - cut <= max_gap
            end = max(end, span.end)


@given(search=searches(), max_gap=st.integers(0, 6), budget=st.integers(1, 30))
@quick
def test_passages_stay_within_the_budget_and_always_include_the_best_hit(search, max_gap, budget):
    texts, hits = search
    passages = join_hits(hits, texts, max_gap=max_gap, budget=budget)
    check_slices(passages, texts, hits)
    words = sum(len(passage.text.split()) for passage in passages)
    if hits:
        best = max(hits, key=lambda hit: hit.score)
        assert words <= max(budget, len(best.text.split()))
        assert passages_around(best, passages)
        # A hit without additional words is never left out.
        left_out = [hit for hit in hits if not any(hit in passage.hits for passage in passages)]
        assert words <= budget or len(passages) == 1
        every = join_hits(hits, texts, max_gap=max_gap)
        if words == sum(len(passage.text.split()) for passage in every) <= budget:
            assert all(passages_around(hit, passages) for hit in left_out)


def test_a_hit_whose_gap_does_not_fit_is_left_out_and_the_next_one_tried():
    hits = [hit("one", score=0.9), hit("five", score=0.8), hit("two", score=0.7)]
    passages = join_hits(hits, {"a": TEN}, max_gap=3, budget=4)
    assert [(passage.text, passage.hits) for passage in passages] == [
        ("one two", (hits[0], hits[2]))
    ]
    passages = join_hits(hits, {"a": TEN}, max_gap=3, budget=5)
    assert [(passage.text, passage.hits) for passage in passages] == [
        ("one two three four five", (*hits,))
    ]


def test_a_hit_that_joins_two_passages_is_charged_for_both_gaps():
    hits = [hit("one"), hit("nine ten"), hit("five")]
    apart, joined = (join_hits(hits, {"a": TEN}, max_gap=3, budget=budget) for budget in (9, 10))
    assert texts_of(apart) == ["one", "nine ten"]
    assert texts_of(joined) == [TEN]


def test_a_budget_applies_to_text_without_spaces():
    rows = json.dumps([{"id": n, "town": f"Town{n}"} for n in range(200)], separators=(",", ":"))
    lines = "\n".join(["deadbeef01234567" * 5] * 40)
    for text in (rows, rows.replace("},", "}\n"), lines):
        hits = [hit_at("a", n, text[n : n + 40]) for n in range(0, len(text), 40)]
        passages = join_hits(hits, {"a": text}, budget=50)
        assert 400 < sum(len(passage.text) for passage in passages) < 650


def test_a_link_in_prose_is_one_word():
    link = "https://doi.org/10.1016/S0140-6736(20)30183-5/fulltext?utm_source=mail&medium=e"
    text = (
        f"Huang and others describe what the first of these patients had ({link}), and where each "
        "of them had been in the week before."
    )
    assert count_words(text) == len(text.split()) == 23
    (passage,) = join_hits([hit_at("a", 0, text)] * 2, {"a": text}, budget=23)
    assert passage.text == text


def test_each_chinese_character_counts_as_a_word():
    text = "水獭生活在河边。它们吃鱼。"
    hits = [hit_at("a", 0, "水獭"), hit_at("a", 11, "鱼")]
    assert len(join_hits(hits, {"a": text}, max_gap=9)) == 1
    assert len(join_hits(hits, {"a": text}, max_gap=8)) == 2


@pytest.mark.parametrize(
    ("text", "syllables"), [("ภาษาไทยเป็นภาษา", 7), ("ພາສາລາວ", 4), ("ភាសាខ្មែរ", 4), ("བོད་ཡིག་", 3)]
)
def test_about_each_syllable_counts_as_a_word_in_scripts_without_spaces(text, syllables):
    hits = [hit_at("a", place, letter) for place, letter in enumerate(text * 5)]
    (passage, *_) = join_hits(hits, {"a": text * 5}, budget=2 * syllables)
    assert 1.5 * len(text) < len(passage.text) < 3 * len(text)


def test_words_that_hits_divide_are_counted_once():
    text = "otters swim"
    hits = [hit_at("a", 0, "ot"), hit_at("a", 2, "ters"), hit_at("a", 6, " swim")]
    for order in permutations(hits):
        assert texts_of(join_hits(order, {"a": text}, budget=2)) == [text]


def test_metadata_of_a_passage_is_true_for_all_of_it():
    def hit_with(word: str, page: int, score: int, **headings: str) -> Hit:
        metadata = {**headings, "page_first": page, "page_last": page + 1, "score": score}
        return hit(word, score=score)._replace(metadata=metadata)

    hits = [
        hit_with("one", 1, 3, headings="Boats > Prices", headings_inside="Repairs"),
        hit_with("two", 2, 9, headings="Boats > Repairs > Oars", context="Boats > Repairs"),
        hit_with("three", 3, 1, headings="Boats > Sails"),
    ]
    (passage,) = join_hits(hits, {"a": TEN})
    assert passage.score == 9
    headings = {"headings": "Boats > Prices", "headings_inside": "Repairs | Oars | Sails"}
    assert passage.metadata == headings | {"page_first": 1, "page_last": 4, "score": 9}
