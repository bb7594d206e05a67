from typing import Any

import pytest

from lumber_core import Estimate, Group, LumberChunker, ModelJudge, Prices, PromptTemplate
from lumber_core.lumber import Range
from lumber_core.text.source import Source
from tests.core.lumber.support import ScatteredModel, story
from tests.lexical_judge import LexicalJudge


def test_the_estimated_range_for_emma_is_narrow_and_contains_the_published_calls(
    emma: list[str],
) -> None:
    calls = LumberChunker.as_published(LexicalJudge()).estimate(["\n".join(emma)]).calls
    assert calls.low <= 476 <= calls.high
    assert calls.low <= calls.likely <= calls.high <= 2 * calls.low
    assert abs(calls.likely - 476) < 0.15 * 476


def test_estimated_tokens_equal_those_of_the_prompts() -> None:
    template = PromptTemplate(system="One two three.", user="{paragraphs}")
    model = ScatteredModel()
    chunker = LumberChunker(ModelJudge(model, template), theta=60, tokenizer=len)
    text = "Some words here.\n\nAnd some more there."
    (estimated,) = set(chunker.estimate([text]).prompt_tokens)
    prompt = "ID 0: Some words here.\nID 1: And some more there."
    assert estimated == len("One two three.") + len(prompt)


def test_money_follows_from_prices() -> None:
    prices = Prices(prompt=2.0, completion=10.0)
    model = ScatteredModel()
    chunker = LumberChunker(ModelJudge(model), theta=60)
    estimate = chunker.estimate([story(100)], prices=prices)
    assert estimate.cost is not None
    spent = 2 * estimate.prompt_tokens.likely + 10 * estimate.completion_tokens.likely
    assert estimate.cost.likely == pytest.approx(spent / 1e6)
    doubled = chunker.estimate([story(100)], prices=Prices(4.0, 20.0))
    assert doubled.cost.likely == pytest.approx(2 * estimate.cost.likely)
    assert chunker.estimate([story(100)]).cost is None
    assert model.asked == []


def test_the_estimate_simulates_the_walk_exactly(emma: list[str]) -> None:
    """A model that answers late in every group takes as many calls as the lowest estimate."""

    def late(group: Group) -> int | None:
        spans = group.document.units
        first, last = spans[group.start].start, spans[group.stop - 1].end
        target = first + 0.9 * (last - first)
        return min(group.choices, key=lambda unit: abs(spans[unit].start - target))

    chunker = LumberChunker(late)
    text = "\n".join(emma[:500])
    assert chunker.segment(text).usage.calls == chunker.estimate([text]).calls.low


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -1, "1", None, True])
def test_invalid_prices_are_refused(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="completion must be"):
        Prices(prompt=1.0, completion=wrong)


def test_markdown_is_simulated_in_its_own_units() -> None:
    text = "# One\n\nProse.\n\n```\na = 1\n\nb = 2\n```\n\nMore prose.\n"
    chunker = LumberChunker(ModelJudge(ScatteredModel(), PromptTemplate("", "{paragraphs}")))
    plain, marked = (
        chunker.estimate([source]).prompt_tokens.likely
        for source in (text, Source(text, format="markdown"))
    )
    assert marked < plain  # a fence has one label as a single unit


def test_an_estimate_prints_as_a_table_with_units() -> None:
    estimate = Estimate(
        Range(9, 12, 1500), Range(1000, 2000, 30000), Range(72, 96, 12000), Range(0.5, 0.75, 1.25)
    )
    rows = [line.split("  ") for line in str(estimate).splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells == [
        ["lowest", "likely", "highest"],
        ["calls", "9", "12", "1,500"],
        ["prompt tokens", "1,000", "2,000", "30,000"],
        ["completion tokens", "72", "96", "12,000"],
        ["cost", "0.50", "0.75", "1.25"],
    ]
    assert len({len(line) for line in str(estimate).splitlines()}) == 1
    assert repr(estimate) == str(estimate)  # notebooks show the repr
