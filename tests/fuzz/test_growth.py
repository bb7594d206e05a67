"""Twice the text takes twice the time, for any repeated text."""

from collections.abc import Callable
from functools import partial

from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker
from lumber_core.text.units import markdown
from tests.core.core_support import PIECES
from tests.core.text.test_unicode import PUNCTUATION, SCRIPTS, SEPARATORS
from tests.fuzz.test_files import PIECES as MARKUP
from tests.fuzz.texts import LINES, MARKDOWN
from tests.growth import MOST, growth, seconds
from tests.profiles import examples

SIZE = 4_000  # characters
parts = st.sampled_from(
    [*SCRIPTS.values(), *PUNCTUATION, *SEPARATORS, *PIECES, *LINES, *MARKDOWN]
) | st.text(max_size=3)


def repeated(drawn: list[str]) -> str:
    return "".join(drawn) or "x"


def check(work: Callable[[str], object], unit: str) -> None:
    """Check how the time grows; a measurement that is not linear is repeated."""

    def repeat(size: int) -> Callable[[], object]:
        return partial(work, unit * (size // len(unit) + 1))

    once, twice = seconds(repeat(SIZE)), seconds(repeat(2 * SIZE))
    if twice >= MOST * once:
        # Sentences are found in windows; within a window, the time may grow faster.
        repeated_growth = [growth(repeat, size) for size in (8 * SIZE, 16 * SIZE)]
        assert min(repeated_growth) < MOST, f"twice {unit!r} took {repeated_growth} times as long"


@examples(4)
@example("\u3001")
@given(st.lists(parts, min_size=1, max_size=4).map(repeated))
def test_splitting_any_repeated_text_is_linear(unit: str) -> None:
    for work in (
        markdown,
        GreedyChunker(chunk_size=64, target_size=48).segment,
        LayoutChunker(chunk_size=64, target_size=48).segment,
    ):
        check(work, unit)


@examples(20)
@given(st.lists(st.sampled_from(MARKUP), min_size=1, max_size=4).map(repeated))
def test_reading_any_repeated_markup_is_linear(unit: str) -> None:
    from lumber_files.formats.html import read_html

    check(read_html, unit)
