"""The judge without a language model."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Any

import pytest

from lumber_core import BertChunker, LumberChunker, Verdict
from lumber_core.bert import TokenScores
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.text.units import paragraphs


@pytest.fixture
def document(prose: list[str]) -> TextUnits:
    text = "\n\n".join(text.replace("\n", " ").strip() for text in prose[:40])
    return TextUnits(text, paragraphs(text))


def test_the_strongest_start_is_named(exported: Path, document: TextUnits) -> None:
    scores = BertChunker(str(exported)).scores(document.text)
    by_offset = dict(zip(scores.starts.tolist(), scores.t.tolist(), strict=True))
    judge = BertJudge(str(exported), position_penalty=0)
    for start in range(0, 30, 5):
        group = Group(document, start, start + 9)
        expected = max(group.choices, key=lambda unit: by_offset[document.units[unit].start])
        verdict = judge.judge(group)
        assert (verdict.unit, verdict.outcome) == (expected, "shift")
        assert verdict.usage.prompt_tokens == 0


def test_the_penalty_draws_cuts_to_the_target_position(exported: Path, document: TextUnits) -> None:
    group = Group(document, 0, 20)
    share = {}
    for wanted in (0.1, 0.9):
        unit = (
            BertJudge(str(exported), target_position=wanted, position_penalty=1000)
            .judge(group)
            .unit
        )
        assert unit is not None
        length = document.units[19].end
        share[wanted] = document.units[unit].start / length
    assert share[0.1] < 0.3 < 0.7 < share[0.9]


def test_a_document_is_scored_once(
    exported: Path, document: TextUnits, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = BertJudge(str(exported))
    asked = []
    original = BertChunker.scores

    def scores(self: BertChunker, text: str, **options: Any) -> TokenScores:
        asked.append(len(text))
        return original(self, text, **options)

    monkeypatch.setattr(BertChunker, "scores", scores)
    for start in range(20):
        judge.judge(Group(document, start, start + 4))
    assert asked == [len(document.text)]
    judge.judge(Group(TextUnits(document.text, document.units), 0, 4))
    assert len(asked) == 1
    for number in range(9):
        other = TextUnits(f"{number} {document.text}", document.units)
        judge.judge(Group(other, 0, 4))
    judge.judge(Group(TextUnits(document.text, document.units), 0, 4))
    assert len(asked) == 11  # evicted: eight texts are cached


def test_choices_at_the_ends_are_never_named(exported: Path, document: TextUnits) -> None:
    group = Group(document, 3, 7, choices=range(3, 8))
    assert BertJudge(str(exported)).judge(group).unit in (4, 5, 6)
    single = Group(document, 3, 4, choices=range(3, 5))
    verdict = BertJudge(str(exported)).judge(single)
    assert (verdict.unit, verdict.outcome) == (None, "no_shift")


def test_units_without_tokens_are_never_named(exported: Path) -> None:
    text = "the ship\n\n\x01\n\nthe sea\n\nthe king"
    document = TextUnits(text, paragraphs(text))
    assert len(document.units) == 4
    assert BertJudge(str(exported), position_penalty=0).judge(Group(document, 0, 3)).unit == 2


def test_it_drives_a_lumber_chunker_and_survives_pickling(
    exported: Path, document: TextUnits
) -> None:
    judge = BertJudge(str(exported), target_position=0.5, position_penalty=1)
    splitter = LumberChunker(judge, theta=60)
    segmentation = splitter.segment(document.text)
    assert len(segmentation.spans) > 5
    assert not segmentation.failures
    copy = LumberChunker(pickle.loads(pickle.dumps(judge)), theta=60)
    assert copy.segment(document.text) == segmentation
    assert repr(pickle.loads(pickle.dumps(judge))) == repr(judge)


def test_the_rest_of_a_document_is_cut_only_at_a_start(exported: Path, document: TextUnits) -> None:
    scores = BertChunker(str(exported)).scores(document.text)
    by_offset = dict(zip(scores.starts.tolist(), scores.t.tolist(), strict=True))
    judge = BertJudge(str(exported), position_penalty=0)
    seen = set()
    for start in range(len(document.units) - 2):
        group = Group(document, start, len(document.units))
        best = max(by_offset[document.units[unit].start] for unit in group.choices)
        verdict = judge.judge(group)
        assert (verdict.outcome == "shift") == (best > 0)
        seen.add(verdict.outcome)
    assert "shift" in seen
    text = "One. Two."
    assert len(LumberChunker(BertJudge()).segment(text).spans) == 1


@pytest.mark.parametrize(
    "options", [{"target_position": 1.5}, {"position_penalty": -1}, {"threads": 0}]
)
def test_bad_settings_are_refused(options: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        BertJudge(**options)


def test_what_bert_separates_is_not_joined_without_a_model(
    exported: Path, prose: list[str]
) -> None:
    text = "\n\n".join(text.replace("\n", " ").strip() for text in prose[:40])
    by_bert = {span.start for span in BertChunker(str(exported)).segment(text).spans}
    sections = {unit.start for unit in paragraphs(text)} & by_bert
    chunks = LumberChunker(BertJudge(str(exported))).segment(text).spans
    assert len(sections) > 5
    assert sections <= {span.start for span in chunks}


@pytest.mark.parametrize("units", ["paragraphs", "sentences"])
def test_no_chunk_outgrows_theta(exported: Path, units: str) -> None:
    text = "so we should look at the budget again because it does not add up " * 300
    splitter = LumberChunker(BertJudge(str(exported)), theta=200, units=units)
    counts = splitter.counter.count(splitter.split_text(text.strip()))
    assert max(counts) <= 200
    assert len(counts) > 15


def test_threads_that_judge_one_document_score_it_once(
    exported: Path, document: TextUnits, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = BertJudge(str(exported))
    asked, all_wait = [], Barrier(4)
    original = BertChunker.scores

    def scores(self: BertChunker, text: str, **options: Any) -> TokenScores:
        asked.append(len(text))
        sleep(0.2)  # the other threads ask meanwhile
        return original(self, text, **options)

    def ask(start: int) -> Verdict:
        again = TextUnits(document.text, document.units)
        all_wait.wait()
        return judge.judge(Group(again, start, start + 4))

    monkeypatch.setattr(BertChunker, "scores", scores)
    with ThreadPoolExecutor(4) as threads:
        verdicts = [*threads.map(ask, range(4))]
    assert asked == [len(document.text)]
    assert verdicts == [judge.judge(Group(document, start, start + 4)) for start in range(4)]
