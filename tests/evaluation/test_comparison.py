import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lumber_core import GreedyChunker, Prices, StoreError, Usage
from lumber_evaluation.comparison import MIN_FOR_INTERVAL, Comparison, compare
from lumber_evaluation.dataset import Corpus, Document, Question
from lumber_evaluation.report import report_json, write_report
from lumber_evaluation.splitters import wrap_splitter
from tests.evaluation.comparing import PLACES, Every, WordEmbedder, corpus, paragraphs, shreds


def by_key(comparison: Comparison, key: str) -> dict[str, float]:
    return {r.name: comparison.figures[r.name, key].value for r in comparison.results}


def test_a_splitter_that_cuts_answers_apart_is_clearly_worse() -> None:
    comparison = compare(corpus(), [paragraphs(), shreds()], embedder=WordEmbedder())
    assert by_key(comparison, "recall@1") == {"paragraphs": 1.0, "shreds": 0.0}
    metric = next(m for m in comparison.metrics if m.key == "recall@1")
    assert comparison.clearly_best(metric) == "paragraphs"
    difference = next(d for d in comparison.differences if d.metric == "recall@1")
    assert (difference.value, difference.differing, difference.count) == (1.0, 12, 12)


def test_differences_over_few_questions_are_not_clear_and_have_no_interval() -> None:
    comparison = compare(
        corpus(MIN_FOR_INTERVAL - 1), [paragraphs(), shreds()], embedder=WordEmbedder()
    )
    assert all(comparison.clearly_best(metric) is None for metric in comparison.metrics)
    assert comparison.figures["paragraphs", "recall@1"].low is None
    enough = compare(corpus(MIN_FOR_INTERVAL), [paragraphs(), shreds()], embedder=WordEmbedder())
    assert any(enough.clearly_best(metric) for metric in enough.metrics)


def test_equal_splitters_never_differ_clearly() -> None:
    equal = [paragraphs("one"), paragraphs("two"), shreds()]
    comparison = compare(corpus(), equal, embedder=WordEmbedder())
    assert all(comparison.clearly_best(metric) is None for metric in comparison.metrics)
    pairs = {
        frozenset((d.first, d.second)) for d in comparison.differences if d.metric == "recall@5"
    }
    assert pairs == {frozenset(("one", "two")), frozenset(("one", "shreds"))}


def test_a_splitter_that_cuts_at_the_reference_boundaries_has_perfect_scores() -> None:
    documents = corpus(0, segmented=True)
    gold = wrap_splitter(
        lambda text: [
            tuple(span) for span in next(d for d in documents.documents if d.text == text).segments
        ],
        name="gold",
    )
    comparison = compare(documents, [paragraphs(), gold])
    assert by_key(comparison, "f1")["gold"] == 1.0
    pk = by_key(comparison, "pk")
    assert pk["gold"] == 0 < pk["paragraphs"] < 1
    assert comparison.results[1].segmentation.boundaries.precision == 1.0
    assert comparison.results[0].segmentation.boundaries.precision < 1.0
    assert comparison.results[0].segmentation.boundaries.recall == 1.0
    assert {metric.family.sample for metric in comparison.metrics} == {"document"}
    assert comparison.embedder == ""


def test_without_questions_and_segments_sizes_and_times_are_shown() -> None:
    splitters = [paragraphs(), GreedyChunker(60, tokenizer="words")]
    comparison = compare(corpus(0), splitters, tokenizer="words")
    assert comparison.metrics == ()
    assert [len(r.sizes) for r in comparison.results] == [2, 2]
    assert comparison.results[0].seconds == 0.5
    chunks = comparison.results[0].splits[0].chunks
    assert comparison.results[0].sizes[0] == tuple(round(1.2 * len(c.text.split())) for c in chunks)


def test_every_splitter_is_also_measured_in_context() -> None:
    froze = [f"# {name}\n\nIts harbour froze over in {1800 + n}." for n, name in enumerate(PLACES)]
    text = "\n\n".join(froze)
    document = Document("harbours", text, (0,), (0,), "made", "markdown")
    questions = tuple(
        Question(f"{place} harbour froze over in", "harbours", must_contain=str(1800 + n))
        for n, place in enumerate(PLACES)
    )
    lines, embedder = Every(r"\n\n"), WordEmbedder()
    harbours = Corpus("c", (document,), questions)
    comparison = compare(harbours, [lines, paragraphs()], embedder=embedder, context=True)
    names = ["every", "every, context", "paragraphs", "paragraphs, context"]
    assert [result.name for result in comparison.results] == names
    assert lines.asked == 1
    recall = by_key(comparison, "recall@1")
    assert recall["every"] < 0.5
    assert recall["every, context"] == 1.0
    data = report_json(comparison)["splitters"]
    assert [splitter["retrieval"]["vectors"] for splitter in data[:2]] == [24, 24]
    assert data[0]["retrieval"]["texts_embedded"] == 24


def test_costs_follow_from_usage_and_prices() -> None:
    paid = Every(r"\n\n", name="paid", usage=Usage(3, 1_000_000, 500_000))
    unpriced = compare(corpus(0), [paid, paragraphs()])
    assert [unpriced.cost(result) for result in unpriced.results] == [None, 0.0]
    comparison = compare(corpus(0), [paid, paragraphs()], prices=Prices(prompt=0.5, completion=2))
    assert [comparison.cost(result) for result in comparison.results] == [2 * (0.5 + 1.0), 0.0]
    assert comparison.results[0].usage.calls == 6


class KilledError(Exception):
    pass


class Mortal(Every):
    """Raises at the second document."""

    def split(self, document: Document):
        if document.name.endswith("1"):
            raise KilledError
        return super().split(document)


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    first, second = paragraphs(), Mortal(r"\. ", name="second")
    embedder = WordEmbedder()
    with pytest.raises(KilledError):
        compare(corpus(), [first, second], embedder=embedder, folder=tmp_path)
    assert (first.asked, second.asked) == (2, 1)
    healed = Every(r"\. ", name="second")
    resumed = compare(corpus(), [first, healed], embedder=embedder, folder=tmp_path)
    assert (first.asked, healed.asked) == (2, 1)
    fresh = compare(corpus(), [paragraphs(), Every(r"\. ", name="second")], embedder=embedder)
    assert resumed.figures == fresh.figures
    assert resumed.results == fresh.results


def test_other_settings_and_other_texts_are_split_again(tmp_path: Path) -> None:
    splitter = paragraphs()
    compare(corpus(0), [splitter], folder=tmp_path)
    compare(corpus(0), [Every(r"\. ", name="paragraphs")], folder=tmp_path)
    edited = [Document(d.name, d.text + "!", d.units, d.starts, "") for d in corpus(0).documents]
    compare(Corpus("edited", tuple(edited)), [splitter], folder=tmp_path)
    assert splitter.asked == 4


def test_results_of_functions_and_failures_are_not_cached(tmp_path: Path) -> None:
    texts = []
    function = wrap_splitter(lambda text: texts.append(text) or [text], name="function")
    failing = Every(r"\n\n", name="failing", failures=1)
    for _ in range(2):
        compare(corpus(0), [function, failing], folder=tmp_path)
    assert len(texts) == failing.asked == 4


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"corpus": Corpus("none", ())}, ValueError, "contains no text"),
        ({"splitters": []}, ValueError, "no splitter"),
        ({"splitters": [paragraphs(), shreds("paragraphs")]}, ValueError, "2 splitters are named"),
        ({"splitters": [42]}, TypeError, "a splitter is"),
        ({"corpus": corpus(0), "context": True}, ValueError, "no questions, which context needs"),
        ({"corpus": corpus(0), "passages": True}, ValueError, "no questions, which passages needs"),
        (
            {"corpus": replace(corpus(), questions=(Question("Why?", "harbours-0"),))},
            ValueError,
            "has no expected answer",
        ),
        ({"folder": "/dev/null/work"}, StoreError, "cannot be created"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(arguments, error, reason) -> None:
    counting = paragraphs("counting")
    given: dict[str, Any] = {"corpus": corpus(segmented=True), "embedder": WordEmbedder()}
    given |= arguments
    splitters = given.pop("splitters", [])
    if "no splitter" not in reason:
        splitters = [counting, *splitters]
    with pytest.raises(error, match=reason):
        compare(given.pop("corpus"), splitters, **given)
    assert counting.asked == 0


def test_the_repr_of_a_comparison_has_the_names_of_corpus_and_splitters() -> None:
    comparison = compare(corpus(), [paragraphs(), shreds()], embedder=WordEmbedder())
    assert repr(comparison).startswith("<Comparison of paragraphs, shreds on ")
    assert comparison.corpus.documents[0].text not in repr(comparison.corpus)


def test_the_json_file_holds_spans_and_results_and_no_text(tmp_path: Path) -> None:
    comparison = compare(corpus(segmented=True), [paragraphs(), shreds()], embedder=WordEmbedder())
    write_report(comparison, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (data["format"], data["version"]) == ("lumber-comparison", 1)
    assert data == json.loads(json.dumps(report_json(comparison)))
    for splitter, result in zip(data["splitters"], comparison.results, strict=True):
        for document, split in zip(splitter["documents"], result.splits, strict=True):
            assert [row[:2] for row in document["chunks"]] == [list(c.span) for c in split.chunks]
        questions = result.retrieval.questions
        for row, question in zip(splitter["retrieval"]["questions"], questions, strict=True):
            assert row["retrieved"] == list(question.retrieved)
            assert row["first_hit"] == question.first_hit
    assert "Nobody had seen the like" not in json.dumps(data)
