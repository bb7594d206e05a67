from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep
from typing import Any

import pytest

from lumber_core import BertChunker, LumberChunker, Verdict
from lumber_core.bert import TokenScores
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.text.parsed import ParsedText, PlainText
from lumber_core.text.place import Places
from lumber_core.text.units import paragraphs


@pytest.fixture
def document(prose: list[str]) -> TextUnits:
    text = "\n\n".join(text.replace("\n", " ").strip() for text in prose[:40])
    return TextUnits(text, paragraphs(text))


def test_without_a_cut_of_bert_the_strongest_start_near_the_end_is_named(document: TextUnits):
    chunker = BertChunker()
    scores = chunker.scores(document.text)
    cuts = {*chunker.cuts(document.text, scores)}
    starts = [unit.start for unit in document.units]
    token_of = {start: n for n, start in enumerate(scores.starts.tolist())}
    seen = 0
    for first in range(30):
        group = Group(document, first, first + 4)
        if any(starts[unit] in cuts for unit in group.choices):
            continue
        low, high = token_of[starts[first]], token_of[starts[first + 4]]

        def worth(unit: int, low: int = low, high: int = high) -> float:
            share = (token_of[starts[unit]] - low) / (high - low)
            return float(scores.t[token_of[starts[unit]]]) - 4 * (share / 0.8 - 1) ** 2

        verdict = BertJudge().judge(group)
        assert (verdict.unit, verdict.outcome) == (max(group.choices, key=worth), "shift")
        seen += 1
    assert seen > 2


def test_choices_at_the_ends_are_never_named(document: TextUnits) -> None:
    group = Group(document, 3, 7, choices=range(3, 8))
    assert BertJudge().judge(group).unit in (4, 5, 6)
    single = Group(document, 3, 4, choices=range(3, 5))
    verdict = BertJudge().judge(single)
    assert (verdict.unit, verdict.outcome) == (None, "no_shift")


def test_units_without_tokens_are_never_named() -> None:
    text = "the ship\n\n\x01\n\nthe sea\n\nthe king"
    document = TextUnits(text, paragraphs(text))
    assert len(document.units) == 4
    assert BertJudge().judge(Group(document, 0, 3)).unit == 2


def test_units_that_bert_separates_are_not_joined_without_a_model(prose: list[str]) -> None:
    text = "\n\n".join(text.replace("\n", " ").strip() for text in prose[:40])
    by_bert = {span.start for span in BertChunker().segment(text).spans}
    sections = {unit.start for unit in paragraphs(text)} & by_bert
    chunks = LumberChunker(BertJudge()).segment(text).spans
    assert len(sections) > 5
    assert sections <= {span.start for span in chunks}


def test_threads_that_judge_one_document_score_it_once(document: TextUnits, monkeypatch) -> None:
    judge = BertJudge()
    asked, all_wait = [], Barrier(4)
    original = BertChunker.scores

    def scores(self: BertChunker, text: ParsedText, **options: Any) -> TokenScores:
        asked.append(len(text.text))
        sleep(0.2)  # time for the other threads to ask
        return original(self, text, **options)

    def ask(start: int) -> Verdict:
        all_wait.wait()
        return judge.judge(Group(document, start, start + 4))

    monkeypatch.setattr(BertChunker, "scores", scores)
    with ThreadPoolExecutor(4) as threads:
        verdicts = [*threads.map(ask, range(4))]
    assert asked == [len(document.text)]
    assert verdicts == [judge.judge(Group(document, start, start + 4)) for start in range(4)]


def test_without_a_model_a_text_is_read_once(document: TextUnits, monkeypatch) -> None:
    read = []
    original = PlainText.places

    def places(self: PlainText, start: int = 0, stop: int | None = None) -> Places:
        read.append(len(self.text[start:stop]))
        return original(self, start, stop)

    monkeypatch.setattr(PlainText, "places", places)
    for method in ("paper", "window"):
        read.clear()
        LumberChunker(BertJudge(), method=method).segment(document.text)  # type: ignore[arg-type]
        assert read.count(len(document.text)) == 1
