from collections.abc import Callable
from importlib import import_module
from itertools import accumulate, combinations, pairwise
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker
from lumber_core.tokens import EstimatedCounter, TiktokenCounter, TokenCounter, tokens_of
from lumber_core.tokens.encoded_text import encoded_text
from tests.core.core_support import nasty_texts, quick


def with_pattern_of_gpt2() -> TiktokenCounter:
    """Return a counter with the pattern of gpt2, without its vocabulary."""
    patterns: Any = import_module("tiktoken_ext.openai_public")
    encoding = TiktokenCounter("cl100k_base").encoding
    counter = TiktokenCounter("gpt2")
    counter.encoding = tiktoken.Encoding(
        "gpt2",
        pat_str=patterns.r50k_pat_str,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens=encoding._special_tokens,
    )
    return counter


TIKTOKEN: dict[str, Callable[[], TiktokenCounter]] = {
    "cl100k_base": lambda: TiktokenCounter("cl100k_base"),
    "o200k_base": lambda: TiktokenCounter("o200k_base"),
    "pattern of gpt2": with_pattern_of_gpt2,
}
COUNTERS: dict[str, Callable[[], TokenCounter]] = {"estimate": EstimatedCounter, **TIKTOKEN}


PIECES = (
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "    ", "\u00a0", "\u3000", "\u2028", "\x85"),
    *(".", '"', "'", "'s", "(", ")", "/", "//", "-", "--", "|", "#", "*", "{", "};", "_", "=>"),
    *("\u3002", "\uff0c", "\uff01", "\u201c", "\u201d", "\U0001f642", "\U0001f35e", "\u200d"),
    *("\x1c", "a", "The", "herself", "McDonald", "kqxw", "12", "3456", "\u00e9", "\u0301"),
    "\u00df",
    *("\u4e2d\u6587", "\u8bf7", "\u597d", "\u6570", "\u3068", "\u043d\u0430", "\u0e01\u0e32"),
)


@st.composite
def texts_and_edges(draw):
    pieces = st.sampled_from(draw(st.lists(st.sampled_from(PIECES), min_size=2, max_size=9)))
    mixed = st.lists(pieces, min_size=30, max_size=120).map("".join)
    text = "".join(draw(st.lists(st.one_of(nasty_texts, mixed), min_size=2, max_size=3)))
    cuts = draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=12))
    return text, [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]


@pytest.fixture(scope="module", params=COUNTERS)
def counter(request):
    return COUNTERS[request.param]()


@given(drawn=texts_and_edges())
@quick
def test_a_range_counts_at_most_its_parts_and_the_bound_of_added_tokens(counter, drawn):
    text, edges = drawn
    tokens = tokens_of(text, counter)
    counts = tokens.count([*pairwise(edges)])
    for first, last in combinations(range(len(edges)), 2):
        start, end = edges[first], edges[last]
        added = tokens.most_added(start, end, last - first) if start < end else 0
        if added is not None:
            count = max(counter.count([text[start:end], text[start:end].strip()]))
            assert count <= sum(counts[first:last]) + added


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(drawn=texts_and_edges())
@quick
def test_a_range_has_the_tokens_that_start_in_it(name, drawn):
    text, edges = drawn
    counter = TiktokenCounter(name)
    tokens = encoded_text(text, counter.encoding)
    if tokens is None:
        return
    numbers = counter.encoding.encode_ordinary(text)
    lengths = [len(counter.encoding.decode_single_token_bytes(token)) for token in numbers]
    starts = [*accumulate(lengths, initial=0)][:-1]
    offsets = [len(text[:edge].encode()) for edge in edges]
    spans = [*pairwise(offsets)]
    expected = [sum(start <= token < end for token in starts) for start, end in spans]
    assert tokens.count([*pairwise(edges)]) == expected


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("He went. The rest of the day he slept. " * 40, "slept. "),
        ("He went.\nThe rest of the day he slept.\n" * 40, "slept.\n"),
        ("He went. The rest of the day: \U0001f35e\n" * 40, "\U0001f35e\n"),
        ("\u4ed6\u8d70\u4e86\u3002\u4f60\u597d\u5417\u3002" * 60, "\u5417\u3002"),
    ],
    ids=["a blank", "a line break", "an emoji and a line break", "an ideographic full stop"],
)
def test_the_tokens_that_a_cut_adds_are_bounded_closely(text, end):
    counter = TiktokenCounter("cl100k_base")
    tokens = tokens_of(text, counter)
    cuts = [at + len(end) for at in range(len(text)) if text.startswith(end, at)]
    spans = [*pairwise(cuts[::10])]
    assert len(spans) > 1
    assert max(tokens.most_added(start, stop, 1) or 0 for start, stop in spans) <= 12


@pytest.mark.parametrize(
    "text",
    ["a \ud83d b", "a" + " " * (1 << 13) + "b", "a" + "\u3000" * (1 << 13) + "b"],
    ids=["a lone surrogate", "long blanks", "long wide blanks"],
)
def test_texts_that_tiktoken_reads_in_parts_have_no_bound_of_added_tokens(text):
    counter = TiktokenCounter("cl100k_base")
    tokens = tokens_of(text, counter)
    assert tokens.most_added(0, len(text), 2) is None
    assert tokens.count([(0, 2), (2, len(text))]) == counter.count([text[:2], text[2:]])


def test_other_counters_count_each_range_as_a_separate_text():
    class Custom:
        def count(self, texts):
            return [len(text) + 1 for text in texts]

    tokens = tokens_of("abcdef", Custom())
    assert tokens.count([(0, 1), (1, 6)]) == [2, 6]
    assert tokens.most_added(0, 6, 2) is None


class Recording(TiktokenCounter):
    """Remembers how many characters it was asked to count."""

    def __init__(self) -> None:
        super().__init__("cl100k_base")
        self.characters = 0

    def count(self, texts):
        self.characters += sum(map(len, texts))
        return super().count(texts)

    def of(self, text):
        self.characters += len(text)
        return super().of(text)


@pytest.mark.parametrize("chunker", [GreedyChunker, LayoutChunker])
@pytest.mark.parametrize(
    "sentence",
    ["The ferry left at {} and came back. None saw it.\n\n", "ben: see {} \U0001f642\U0001f35e\n"],
    ids=["prose", "lines with emoji"],
)
def test_a_text_is_counted_about_once(chunker, sentence):
    counter = Recording()
    text = "".join(sentence.format(hour) for hour in range(600))
    assert len(chunker(tokenizer=counter).segment(text).spans) > 10
    assert counter.characters <= 1.2 * len(text)
