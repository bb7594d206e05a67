"""Twice the text takes twice the time, whatever is repeated in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker
from lumber_core.text.places import find_places
from lumber_core.text.units import markdown
from tests.core.core_support import PIECES
from tests.core.text.test_growth_of_scripts import PUNCTUATION, SCRIPTS, SEPARATORS
from tests.fuzz.test_files import PIECES as MARKUP
from tests.fuzz.texts import LINES, MARKDOWN
from tests.growth import MOST, growth
from tests.profiles import examples

SIZE = 1_000  # characters
parts = st.sampled_from(
    [*SCRIPTS.values(), *PUNCTUATION, *SEPARATORS, *PIECES, *LINES, *MARKDOWN]
) | st.text(max_size=3)


def repeated(drawn: list[str]) -> str:
    return "".join(drawn) or "x"


def check(work: Callable[[str], object], unit: str) -> None:
    """Check how the time grows; what is not linear is so at larger sizes as well."""
    ratios = []
    for size in (SIZE, 2 * SIZE, 4 * SIZE):
        made = {n: unit * (n // len(unit) + 1) for n in (size, 2 * size)}
        ratios.append(growth(lambda n: lambda: work(made[n]), size))  # noqa: B023
        if ratios[-1] < MOST:
            return
    pytest.fail(f"twice {unit!r} took {ratios} times as long")


@examples(20)
@given(st.lists(parts, min_size=1, max_size=4).map(repeated))
def test_splitting_any_repeated_text_is_linear(unit: str) -> None:
    for work in (
        find_places,
        markdown,
        GreedyChunker(chunk_size=64, target_size=48).segment,
        LayoutChunker(chunk_size=64, target_size=48).segment,
    ):
        check(work, unit)


@examples(20)
@given(st.lists(st.sampled_from(MARKUP), min_size=1, max_size=4).map(repeated))
def test_reading_any_repeated_markup_is_linear(unit: str) -> None:
    pytest.importorskip("lxml")
    from lumber_files.html import read_html

    check(read_html, unit)
