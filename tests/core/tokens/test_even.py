"""Sizes that mean the same in every alphabet."""

from hypothesis import given
from hypothesis import strategies as st

from lumber_core.tokens import token_counter
from lumber_core.tokens.estimated_counter import EstimatedCounter


def test_english_counts_as_before_and_other_alphabets_as_much() -> None:
    even, estimate = token_counter("even"), EstimatedCounter()
    text = "Otters live along rivers, and hunt fish at dawn. " * 4
    assert even.count([text]) == estimate.count([text])
    greek = text.translate({ord("a") + n: 0x3B1 + n % 17 for n in range(26)})
    assert estimate.count([greek])[0] > 2 * estimate.count([text])[0]
    assert even.count([greek])[0] < 1.5 * estimate.count([text])[0]


@given(st.text(), st.integers(0, 20))
def test_ranges_of_a_text_count_as_the_estimate_does(text: str, place: int) -> None:
    even = token_counter("even")
    cut = min(place, len(text))
    parts = even.of(text).count([(0, cut), (cut, len(text))]) if 0 < cut < len(text) else []  # type: ignore[attr-defined]
    assert parts == (even.count([text[:cut], text[cut:]]) if parts else [])
