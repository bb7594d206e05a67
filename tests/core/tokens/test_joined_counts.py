"""What a text counts at most is known from its parts, so that chunks are not counted again."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker
from lumber_core.tokens import EstimatedCounter, TiktokenCounter
from tests.core.core_support import nasty_texts, quick

PROSE = (
    'He said: "Stop."\n\n- Why? \u201cNo.\u201d\r\nIt\'s 12.5 /usr/bin.\t McDonald ran. '
    "\u4e2d\u6587\u3002\u597d \u6570\u3002\u6570\uff0c\u8bf7\uff0c\u8fd9\u300d\u3068"
    "\n    print(0)\n\t}\n"
)
COUNTERS = [EstimatedCounter(), TiktokenCounter("cl100k_base"), TiktokenCounter("o200k_base")]


@st.composite
def texts_in_parts(draw):
    text = draw(st.one_of(nasty_texts, st.text(alphabet=PROSE, min_size=1, max_size=80)))
    text += draw(st.sampled_from(("", PROSE, PROSE * 2)))
    cuts = draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8))
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges) if start < end]


@pytest.mark.parametrize("counter", COUNTERS, ids=repr)
@given(parts=texts_in_parts())
@quick
def test_no_text_counts_more_than_its_parts_and_what_joining_adds(counter, parts):
    added = counter.most_added(parts)
    if added is None:
        return
    counts = counter.count(parts)
    for start, stop in combinations(range(len(parts) + 1), 2):
        whole = "".join(parts[start:stop])
        most = sum(counts[start:stop]) + sum(added.joined[start:stop]) + added.trimmed(stop - 1)
        assert max(counter.count([whole, whole.strip()])) <= most


def test_what_a_blank_adds_to_a_word_is_counted():
    counter = TiktokenCounter("cl100k_base")
    words = [f"{word} " for word in ("herself", "Zygote", "\u597d", "(12.5)", "kqxw")]
    apart = [1 + count for count in counter.count([word.strip() for word in words])]
    together = counter.count([f" {word.strip()}" for word in words])
    added = counter.most_added(["a ", *words])
    assert added is not None
    assert list(added.joined[1:]) == [max(0, b - a) for a, b in zip(apart, together, strict=True)]


def test_what_leaving_out_an_indentation_adds_is_counted():
    counter = TiktokenCounter("cl100k_base")
    added = counter.most_added(["a\n", " herself went\n"])
    whole, trimmed = counter.count([" herself", "herself"])
    assert added is not None
    assert list(added.joined[1:]) == [trimmed - whole] == [2]


def test_nothing_is_known_of_an_encoding_with_markers():
    assert TiktokenCounter("cl100k_base", markers=["<|end|>"]).most_added(["a ", "b"]) is None


class Recording(TiktokenCounter):
    """Remembers how many characters it was asked to count."""

    def __init__(self) -> None:
        super().__init__("cl100k_base")
        self.characters = 0

    def count(self, texts):
        self.characters += sum(map(len, texts))
        return super().count(texts)


@pytest.mark.parametrize("chunker", [GreedyChunker, LayoutChunker])
def test_a_text_is_counted_about_once(chunker):
    counter = Recording()
    text = "\n\n".join(
        f"The ferry left at {hour} and came back. Nobody saw it. Ann wrote that down. " * 3
        for hour in range(200)
    )
    assert len(chunker(tokenizer=counter).segment(text).spans) > 10
    assert counter.characters <= 1.2 * len(text)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(parts=texts_in_parts())
@quick
def test_a_text_counts_no_less_than_what_is_said_to_be_the_least(name, parts):
    counter = TiktokenCounter(name)
    text = "".join(parts)
    assert counter.least(text) <= counter.count([text])[0]


def test_one_token_may_have_the_marks_of_two_lines():
    counter = TiktokenCounter("o200k_base")
    assert counter.least(" );\n//") <= counter.count([" );\n//"])[0] == 1


def test_the_least_is_the_number_of_words():
    assert TiktokenCounter("cl100k_base").least("Ann ran,\nshe fell.") == 4
    assert TiktokenCounter("cl100k_base", markers=["fell. B"]).least("She fell. Bob sat.") == 0
