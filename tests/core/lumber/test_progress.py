"""Progress is shown only where asked for, and says what matters to who pays."""

from __future__ import annotations

import asyncio

import pytest

from lumber_core import LumberChunker, ModelJudge, Prices
from tests.core.lumber.support import ScatteredModel, story


@pytest.mark.parametrize("way", ["sync", "async"])
def test_progress_shows_units_calls_tokens_and_cost(capfd: pytest.CaptureFixture, way: str) -> None:
    prices = Prices(prompt=1000.0, completion=0.0)
    chunker = LumberChunker(ModelJudge(ScatteredModel()), theta=60, prices=prices)
    texts = [story(40), story(30, 1), "One unit.", ""]
    if way == "sync":
        results = chunker.segment_all(texts, show_progress=True)
    else:
        results = asyncio.run(chunker.asegment_all(texts, show_progress=True))
    shown = capfd.readouterr().err.split("\r")[-1]
    calls = sum(result.usage.calls for result in results)
    assert "71/71" in shown
    assert f"calls={calls}" in shown
    assert f"tokens={105 * calls}" in shown
    assert f"cost={0.1 * calls:.2f}" in shown


def test_nothing_is_shown_unasked(capfd: pytest.CaptureFixture) -> None:
    LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment_all([story(40)])
    assert capfd.readouterr() == ("", "")
