"""Splitters that embed their chunks: what is embedded, and the checks before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lumber_core import BertChunker, Delivery, GreedyChunker, LumberChunker, Source
from lumber_core.bert.onnx import OnnxScorer
from lumber_core.chunking.cutting import cut_larger
from lumber_core.chunking.size_limits import SizeLimits
from lumber_retrieval import asplit_and_embed, split_and_embed
from tests.core.bert.test_bundled import TOPICS

GUIDE = Source(
    "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n",
    format="markdown",
)
TEXT = " ".join(TOPICS)
SPLITTERS: dict[str, Any] = {
    "bert": BertChunker(target_size=20),
    "threshold": BertChunker("large", threshold=0.0),
    "greedy": GreedyChunker(20),
    "lumber": LumberChunker(lambda group: group.start + 1),
}
every_splitter = pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)


class Lengths:
    """Embeds a text as its length, and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [[len(text), 40.0] for text in texts]

    async def later(self, texts: list[str]) -> list[list[float]]:
        return self(texts)


def test_headings_are_the_context_above_the_text() -> None:
    embed = Lengths()
    (chunks,), (vectors,) = split_and_embed(GreedyChunker(8), [GUIDE], embed, context=["headings"])
    assert embed.texts == [chunk.text_in_context for chunk in chunks]
    assert any(text.startswith("Boats > Care\n\nWax") for text in embed.texts)
    assert vectors[:, 0].tolist() == [len(text) for text in embed.texts]


@every_splitter
def test_chunks_are_those_of_split_and_without_context_vectors_those_of_their_texts(
    splitter: Any,
) -> None:
    texts, delivery = [TEXT, "", GUIDE], Delivery(overlap=5, trim=True)
    split, vectors = split_and_embed(splitter, texts, Lengths(), delivery, context=(), scales=())
    assert split == splitter.split_all(texts, delivery)
    assert [v[:, 0].tolist() for v in vectors if len(v)] == [
        [len(chunk.text) for chunk in chunks] for chunks in split if chunks
    ]
    assert [len(v) for v in vectors] == [len(chunks) for chunks in split]


@every_splitter
def test_scales_cut_the_text_to_larger_ranges_as_well(splitter: Any) -> None:
    text = TEXT * 4
    plain, cut = splitter.segment_all([text]), splitter.segment_all([text, ""], scales=[60, 120])
    assert cut[0].spans == plain[0].spans
    assert plain[0].larger == ()
    assert cut[1].larger == ((), ())
    for scale, spans in zip((60, 120), cut[0].larger, strict=True):
        assert "".join(span.of(text) for span in spans) == text
        sizes = splitter.counter.count([span.of(text) for span in spans])
        assert scale / 2 < np.mean(sizes) < 2 * scale
    embed = Lengths()
    (chunks,), _ = split_and_embed(splitter, [text], embed, scales=[60, 120])
    further = {*embed.texts} - {chunk.text for chunk in chunks}
    assert further <= {span.of(text).strip() for spans in cut[0].larger for span in spans}
    assert len(further) > 1


def test_larger_ranges_are_cut_by_the_same_scores_without_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    splitter, runs = BertChunker("large", target_size=20), []
    score = OnnxScorer.score

    def counted(self: Any, *arguments: Any, **own: Any) -> Any:
        runs.append(1)
        return score(self, *arguments, **own)

    monkeypatch.setattr(OnnxScorer, "score", counted)
    (plain,) = splitter.segment_all([TEXT])
    once = len(runs)
    (cut,) = splitter.segment_all([TEXT], scales=[40, 60])
    assert len(runs) == 2 * once > 0
    assert cut.spans == plain.spans
    limits = SizeLimits(None, None, splitter.counter, scales=(40, 60))
    assert cut.larger != cut_larger(splitter.parse(TEXT), limits)
    assert {*TOPICS} <= {span.of(TEXT).strip() for span in cut.larger[1]}


@every_splitter
async def test_asynchronous_calls_give_the_same(splitter: Any) -> None:
    texts = [TEXT, GUIDE]
    split, vectors = split_and_embed(splitter, texts, Lengths(), scales=[40, 80])
    waited = await asplit_and_embed(splitter, texts, Lengths().later, scales=[40, 80])
    assert waited[0] == split
    for one, other in zip(vectors, waited[1], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"context": ["titel"]}, ValueError, "context may have \"headings\" and .* not 'titel'"),
        ({"context": "headings"}, TypeError, r'pass \("headings",\)'),
        ({"scales": [3, 3]}, ValueError, "scales must be positive and ascending"),
        ({"scales": [True]}, TypeError, "scales must be whole numbers"),
        ({"scales": [3], "context": []}, ValueError, 'add "surroundings" to context'),
    ],
)
def test_wrong_arguments_are_refused(wrong: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        split_and_embed(GreedyChunker(), [], Lengths(), **wrong)
