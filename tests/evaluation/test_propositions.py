"""Propositions keep the spans of their passages; a passage without propositions is a chunk
itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("openai")

from lumber_core import GreedyChunker
from lumber_core.errors import ModelSettingsError
from lumber_evaluation.documents import Document, EvaluatedSplitter
from lumber_evaluation.llm.asking import Template
from lumber_evaluation.llm.propositions import PropositionSplitter
from lumber_evaluation.splitters import evaluated
from tests.evaluation.asking_support import FAST, facts, model_at, passage_of
from tests.loopback.faults import Refusal, Says, Status
from tests.loopback.server import LoopbackServer, Request

DOCUMENT, _ = facts("north", 0, 8)


def two_each(request: Request) -> str:
    (number,) = re.findall(r"lighthouse (\d+)", passage_of(request))
    return f'```json\n["Lighthouse {number} had a keeper.", "Lamp {number} was\\nlit."]\n```'


def test_each_proposition_keeps_the_span_of_its_passage() -> None:
    with LoopbackServer(two_each) as server:
        split = PropositionSplitter(model_at(server)).split(DOCUMENT)
        assert server.count == 8
    assert len(split.chunks) == 16
    assert split.document == "north"
    assert split.failures == 0
    assert split.usage.calls == 8
    assert split.seconds > 0
    for number, chunk in enumerate(split.chunks):
        passage = chunk.span.of(DOCUMENT.text)
        assert passage == passage.strip()
        assert f"lighthouse {number // 2} " in passage
        assert chunk.text in (
            f"Lighthouse {number // 2} had a keeper.",
            f"Lamp {number // 2} was lit.",
        )
    assert [c.span for c in split.chunks] == sorted(c.span for c in split.chunks)


def test_a_passage_is_a_chunk_itself_if_the_model_fails() -> None:
    def faults(request: Request) -> object:
        wrong = {
            "lighthouse 1 ": Refusal(),
            "lighthouse 2 ": Says("There are two facts."),
            "lighthouse 3 ": Status(500),
            "lighthouse 4 ": Says("[]"),
            "lighthouse 5 ": Says('["", " "]'),
        }
        return next((fault for words, fault in wrong.items() if words in request.user), None)

    with LoopbackServer(two_each, faults=faults) as server:
        split = PropositionSplitter(model_at(server), policy=FAST).split(DOCUMENT)
    assert split.failures == 3  # that a passage states nothing is an answer
    whole = [c.text for c in split.chunks if c.text == c.span.of(DOCUMENT.text)]
    assert [re.findall(r"lighthouse (\d)", text)[0] for text in whole] == list("12345")
    assert len(split.chunks) == 2 * 3 + 5


def test_passages_may_be_cut_by_any_chunker() -> None:
    chunker = GreedyChunker(60, tokenizer="words")
    spans = [span.stripped(DOCUMENT.text) for span in chunker.segment(DOCUMENT.text).spans]
    with LoopbackServer('["One."]') as server:
        split = PropositionSplitter(model_at(server), passages=chunker).split(DOCUMENT)
    assert [chunk.span for chunk in split.chunks] == spans
    assert {chunk.text for chunk in split.chunks} == {"One."}


def test_a_second_run_costs_nothing_and_gives_the_same(tmp_path: Path) -> None:
    with LoopbackServer(two_each) as server:

        def split(concurrency: int):
            splitter = PropositionSplitter(
                model_at(server), store=tmp_path / "kept.db", max_concurrency=concurrency
            )
            return splitter.split(DOCUMENT)

        first, second = split(1), split(16)
        assert server.count == 8
    assert second.chunks == first.chunks
    assert (first.usage.calls, second.usage.calls) == (8, 0)


def test_it_is_a_subject_whose_settings_say_what_changes_the_result() -> None:
    with LoopbackServer() as server:
        model = model_at(server)
        splitter = PropositionSplitter(model)
        assert isinstance(splitter, EvaluatedSplitter)
        assert evaluated(splitter) is splitter
        assert splitter.name == "propositions"
        others = [
            PropositionSplitter(model_at(server, "another")),
            PropositionSplitter(model, passages=GreedyChunker(60)),
            PropositionSplitter(model, prompt=Template("x", "Passage: {passage}")),
        ]
        assert len({one.settings for one in [splitter, *others]}) == 4
        assert PropositionSplitter(model, max_concurrency=2).settings == splitter.settings
        assert "a-key" not in splitter.settings


def test_wrong_settings_raise_and_empty_documents_ask_nothing() -> None:
    with LoopbackServer(faults={1: Status(401)}) as server:
        splitter = PropositionSplitter(model_at(server), max_concurrency=1)
        assert splitter.split(Document("e", " \n\n ", (0,), (0,), "made")).chunks == ()
        assert server.count == 0
        with pytest.raises(ModelSettingsError):
            splitter.split(DOCUMENT)
        with pytest.raises(ValueError, match=r"no \{passage\}"):
            PropositionSplitter(model_at(server), prompt=Template("a", "b"))


def test_a_list_inside_an_object_is_read() -> None:
    reply = json.dumps({"propositions": ["One.", "Two."]})
    with LoopbackServer(reply) as server:
        split = PropositionSplitter(model_at(server)).split(DOCUMENT)
    assert [chunk.text for chunk in split.chunks[:2]] == ["One.", "Two."]
