"""Passages of captions and code: whole cues with their times, and whole lines."""

from __future__ import annotations

import pytest

from lumber_core import LayoutChunker, Source
from lumber_core.spans import Span
from lumber_retrieval import cite
from lumber_retrieval.hits import Hit
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage, join_hits
from lumber_retrieval.passages.sentences import has_content, sentences_of
from lumber_retrieval.words.word_count import count_words
from tests.retrieval.embeddings import WordVectors

SAID = [
    ("Oars are made of ash. Ash", "is light and strong."),
    ("The mast is of spruce,", "and so are the spars."),
    ("Sails were once of flax.", "Now they are of polyester."),
    ("The anchor weighs nine pounds.", "It holds in sand."),
]
SRT = "".join(
    f"{n}\n00:0{n}:30,500 --> 00:0{n}:33,000\n{first}\n{second}\n\n"
    for n, (first, second) in enumerate(SAID, 1)
)


def search(
    name: str, text: str, question: str, words: int, size: int = 30
) -> tuple[list[Passage], WordVectors]:
    """Return the passages of a file, and the model that embedded it."""
    model = WordVectors()
    index = PassageIndex(LayoutChunker(size, tokenizer="even"), model)
    index.add([IndexedDocument(name, name, Source(text, metadata={"source": name}))])
    return index.search(question, budget=words, context=True), model


def test_a_passage_of_captions_has_whole_cues_and_a_budget_of_what_is_said() -> None:
    [passage], model = search("talk.srt", SRT, "What are sails of, flax or polyester?", 10)
    assert passage.text.startswith("3\n00:03:30,500 --> 00:03:33,000\nSails were once")
    assert passage.text.endswith("polyester.")
    assert count_words(passage.text) == 10
    assert not any(character.isdigit() for text in model.texts for character in text)


def test_sentences_of_captions_are_whole_cues() -> None:
    found = [one.text for one in sentences_of(SRT, "en")]
    assert found == SRT.rstrip().split("\n\n")


def test_hits_of_captions_are_joined_by_what_is_said() -> None:
    spans = [one.span for one in sentences_of(SRT, "en")][:3]
    hits = [Hit(n, "a", span, span.of(SRT), 1.0, {}) for n, span in enumerate(spans)]
    [joined] = join_hits(hits, {"a": SRT}, budget=30)
    assert joined.span == Span(0, spans[-1].end)


def test_captions_are_found_by_no_numbers_and_times() -> None:
    index = PassageIndex(LayoutChunker(30), WordVectors())
    index.add([IndexedDocument("a", "a", Source(SRT, metadata={"source": "a.srt"}))])
    with index.store.snapshot() as snapshot:
        assert snapshot.matching("sails", 9, None)
        assert not snapshot.matching("33 000", 9, None)


def test_a_quote_from_captions_is_cited_by_time() -> None:
    found = cite(["holds in sand", "Ash is light"], {"talk.srt": SRT, "notes.txt": "Ash is heavy."})
    assert str(found[0]) == "talk.srt, 00:04:30"
    assert found[1].time == "00:01:30"
    [other] = cite(["Ash is heavy"], {"notes.txt": "Ash is heavy."})
    assert (other.time, other.place) == ("", "line 1")


@pytest.mark.parametrize(
    ("text", "says"),
    [("1\n00:00:01,000 --> 00:00:02,000\nOars float well", True), (SRT[:31] + "Yes", False)],
)
def test_a_time_says_nothing(text: str, says: bool) -> None:
    assert has_content(text) is says


CODE = '''
def weigh(boat):
    """Return the weight. Oars count, too."""
    if boat.Oars:
        return boat.Hull.Mass + boat.Oars.Mass
    return boat.Hull.Mass


def row(boat):
    """Row a boat. It moves."""
    for oar in boat.Oars:
        oar.pull(hard=True)
'''


def test_passages_of_code_have_whole_lines_and_what_they_are_part_of() -> None:
    passages, _ = search("boat.py", CODE, "hull mass of oars", 14, size=12)
    lines = CODE.strip("\n").split("\n")
    for passage in passages:
        assert {line.strip() for line in passage.text.split("\n")} <= {*map(str.strip, lines)}
    assert passages[0].context == "boat > def weigh(boat)"
    inside = [one.text for one in sentences_of(CODE, "en", whole_lines=True)]
    assert all(part.split("\n")[0].strip() in map(str.strip, lines) for part in inside)


NESTED_LINES = {
    "hire.md": "- Boats\n  - canoes, ten pounds a day\n  - rafts, nine pounds a day\n- Bikes\n",
    "hire.txt": "Boats:\n\tcanoes, ten pounds a day\n\trafts, nine pounds a day\nBikes:\n",
    "ci.yaml": "a:\n  rent:\n    - canoes: ten pounds a day\n      rafts: nine\nb:\n  c: 1\n",
    "hire.py": "class A:\n    def f(self):\n        if canoes > rafts:\n            pay(9)\n",
    "hire.rst": "Hire\r\n\r\n   canoes, ten pounds a day\r\n\r\n   rafts, nine pounds\r\n",
}


@pytest.mark.parametrize("name", NESTED_LINES)
def test_the_first_line_of_a_passage_is_indented_as_in_its_file(name: str) -> None:
    text = "Ask at the desk.\n\n" + NESTED_LINES[name]
    for budget in (4, 8, 16):
        [passage, *_], _ = search(name, text, "Are canoes or rafts nine pounds?", budget, size=8)
        before = f"{text[: passage.span.start]}|".splitlines()[-1][:-1]
        assert not before or before.strip()
        assert passage.text == passage.span.of(text)
