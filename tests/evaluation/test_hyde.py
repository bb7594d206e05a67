"""Hypothetical passages replace questions; a question without one is used itself."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("openai")

from lumber_core.errors import ModelSettingsError
from lumber_evaluation.documents import Corpus, Question
from lumber_evaluation.llm.asking import Template
from lumber_evaluation.llm.hyde import hypothetical_passages
from lumber_evaluation.retrieval import retrieve
from tests.evaluation.asking_support import FAST, facts, model_at
from tests.loopback.faults import Refusal, Says, Status
from tests.loopback.server import LoopbackServer, Request

QUESTIONS = [Question(f"When was lamp {n} lit?", "north", must_contain=f"17{n}") for n in range(6)]


def passage(request: Request) -> str:
    return f"It is told that:\n{request.user.removeprefix('Question: ')}"


@pytest.mark.parametrize("concurrency", [1, 16])
def test_there_is_a_passage_for_each_question_in_order(concurrency: int) -> None:
    with LoopbackServer(passage) as server:
        made = hypothetical_passages(QUESTIONS, model_at(server), max_concurrency=concurrency)
    assert made.texts == tuple(f"It is told that: {q.question}" for q in QUESTIONS)
    assert made.failures == ()
    assert made.usage.calls == 6


def test_a_question_is_used_itself_if_the_model_fails() -> None:
    def faults(request: Request) -> object:
        wrong = {"lamp 1": Refusal(), "lamp 2": Says(" \n"), "lamp 3": Status(500)}
        return next((fault for words, fault in wrong.items() if words in request.user), None)

    with LoopbackServer(passage, faults=faults) as server:
        made = hypothetical_passages(QUESTIONS, model_at(server), policy=FAST)
    assert made.texts[1:4] == tuple(question.question for question in QUESTIONS[1:4])
    assert [number for number, _ in made.failures] == [1, 2, 3]
    assert "empty" in made.failures[1][1]


def test_a_second_run_costs_nothing(tmp_path: Path) -> None:
    with LoopbackServer(passage) as server:
        first, second = (
            hypothetical_passages(QUESTIONS, model_at(server), store=tmp_path / "kept.db")
            for _ in range(2)
        )
        assert server.count == 6
    assert first == second
    assert second.usage.calls == 0


def test_wrong_settings_raise() -> None:
    with LoopbackServer(faults=lambda request: Status(404, "no such model")) as server:
        model = model_at(server)
        with pytest.raises(ModelSettingsError):
            hypothetical_passages(QUESTIONS, model)
        with pytest.raises(ValueError, match=r"no \{question\}"):
            hypothetical_passages(QUESTIONS, model, prompt=Template("a", "b"))


def test_retrieval_embeds_them_instead_of_the_questions() -> None:
    import numpy as np

    class Recording:
        identity = "recording"
        similarity = "cosine"
        queries: list[str] = []  # noqa: RUF012

        def embed_documents(self, texts):
            return np.ones((len(texts), 2), dtype=np.float32)

        def embed_queries(self, texts):
            self.queries += texts
            return np.ones((len(texts), 2), dtype=np.float32)

    document, split = facts("north", 0, 6)
    corpus = Corpus("made", (document,), tuple(QUESTIONS))
    embedder = Recording()
    with LoopbackServer(passage) as server:
        made = hypothetical_passages(corpus.questions, model_at(server))
    retrieve(corpus, [split], embedder, query_texts=made.texts)
    assert embedder.queries == list(made.texts)
