"""Sweeps over one setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lumber_core import AnswerStore, BertChunker, Group, LumberChunker
from lumber_evaluation.comparison.sweep import THETAS, sweep
from lumber_evaluation.report import write_report
from tests.evaluation.comparing import WordEmbedder, corpus


class CountingJudge:
    """Names the second unit it is shown, and counts how often it is asked."""

    identity = "counting"
    waits = True

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, group: Group) -> int:
        self.asked += 1
        return group.start + 1


def test_a_second_sweep_asks_nothing(tmp_path: Path) -> None:
    judge = CountingJudge()
    store = AnswerStore(tmp_path / "answers.db")

    def swept():
        return sweep(
            corpus(),
            lambda theta: LumberChunker(judge, theta=theta, store=store),
            [60, 40],
            embedder=WordEmbedder(),
        )

    first = swept()
    asked = judge.asked
    assert asked > 0
    assert sum(row["calls"] for row in first.table()) == asked
    second = swept()
    assert judge.asked == asked
    assert [row["calls"] for row in second.table()] == [0, 0]
    spans = [[chunk.span for s in r.splits for chunk in s.chunks] for r in first.comparison.results]
    again = [
        [chunk.span for s in r.splits for chunk in s.chunks] for r in second.comparison.results
    ]
    assert spans == again


def test_the_table_has_a_row_for_each_value_in_rising_order() -> None:
    made = sweep(
        corpus(),
        lambda theta: LumberChunker(lambda group: None, theta=theta),
        THETAS[::-1],
        embedder=WordEmbedder(),
    )
    table = made.table()
    assert [row["theta"] for row in table] == [450, 550, 650, 1000]
    chunks = [row["chunks"] for row in table]
    assert chunks == sorted(chunks, reverse=True)
    for row, result in zip(table, made.comparison.results, strict=True):
        assert row["chunks"] == sum(len(split.chunks) for split in result.splits)
        assert row["recall@5"]["value"] == result.retrieval.recall(5)


def test_the_threshold_of_bert_can_be_swept_and_written(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    made = sweep(
        corpus(3, documents=1),
        lambda threshold: BertChunker(threshold=threshold),
        [-3, 3],
        parameter="threshold",
        embedder=WordEmbedder(),
    )
    low, high = made.table()
    assert low["chunks"] > high["chunks"]
    page = write_report(made, tmp_path).read_text(encoding="utf-8")
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["sweep"]["table"] == json.loads(json.dumps(made.table()))
    assert data["sweep"]["values"] == [-3, 3]
    assert "Recall@5 over threshold" in page


@pytest.mark.parametrize(
    ("values", "reason"),
    [([], "no value of theta"), ([550, 450, 550], "theta 550 is given twice"), ([0], "at least 1")],
)
def test_unfit_values_are_refused_before_any_work(values: list[int], reason: str) -> None:
    judge = CountingJudge()
    with pytest.raises(ValueError, match=reason):
        sweep(corpus(), lambda theta: LumberChunker(judge, theta=theta), values)
    assert judge.asked == 0
