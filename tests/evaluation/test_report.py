import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from lumber_core.segmentation import Usage
from lumber_core.spans import Span
from lumber_evaluation.bootstrap import mean_interval
from lumber_evaluation.comparison import MIN_FOR_INTERVAL, Comparison, compare
from lumber_evaluation.dataset import Corpus, Document, Question
from lumber_evaluation.report import JSON_FILE, render, report_json, write_report
from lumber_evaluation.report.conclusions import conclusions, explanation
from lumber_evaluation.report.plots import differences_plot, round_ticks
from tests.evaluation.comparing import Every, WordEmbedder, corpus, paragraphs, shreds


def compare_splitters(questions: int = 12, *, segmented: bool = False) -> Comparison:
    return compare(
        corpus(questions, segmented=segmented),
        [paragraphs(), shreds(), Every(r"burning\. ", name="lamps")],
        embedder=WordEmbedder(),
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows does not replace files that are in use")
def test_a_report_replaces_an_older_one_in_one_step(tmp_path: Path) -> None:
    old, new = compare_splitters(), compare_splitters(segmented=True)
    page = write_report(old, tmp_path / "report")
    data = page.with_name(JSON_FILE)
    with page.open("rb") as open_page, data.open("rb") as open_data:
        assert write_report(new, tmp_path / "report") == page
        # A reader that opened the older report reads all of it, and nothing of the new one.
        assert open_page.read() == render(old).encode()
        assert json.load(open_data) == json.loads(json.dumps(report_json(old)))
    assert page.read_bytes() == render(new).encode()
    assert {file.name for file in page.parent.iterdir()} == {page.name, data.name}


def test_an_older_report_is_kept_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write_report(compare_splitters(), tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space"):
            write_report(compare_splitters(segmented=True), page.parent)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def long_comparison(*, documents: int = 8) -> Comparison:
    """Compare on documents with more words than a reader gets, of two questions each."""
    words = [f"w{n} " for n in range(900)]
    texts, questions = [], []
    for number in range(documents):
        text = "".join(words)
        texts.append(Document(f"d{number}", text, (0,), (0,), ""))
        for place in (650 + 10 * number, 850):
            start = len("".join(words[:place]))
            span = Span(start, start + len(words[place]) - 1)
            # Every other document is searched for words far from the answer.
            sought = place if number % 2 else 20
            questions.append(
                Question(f"w{sought} w{sought + 3}?", f"d{number}", references=(span,))
            )
    return compare(
        Corpus("long", tuple(texts), tuple(questions)),
        [Every(r"0 ", name="tens"), Every(r"00 ", name="hundreds")],
        embedder=WordEmbedder(),
        within_document=True,
    )


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare_splitters(segmented=True)


def test_figures_in_the_report_equal_those_of_the_json_file(comparison: Comparison) -> None:
    splitters = report_json(comparison)["splitters"]
    tables = {}
    for table in html.fromstring(render(comparison)).iter("table"):
        tables[table.get("data-table")] = [
            [cell.text_content() for cell in row.xpath(".//*[@class='value' or @class='splitter']")]
            for row in table.findall(".//tbody/tr")
        ]
    for row, splitter in zip(tables["recall"], splitters, strict=True):
        expected = [splitter["figures"][f"recall@{k}"]["value"] for k in (1, 2, 5, 10, 20)]
        assert row[0] == splitter["name"]
        assert [float(cell) for cell in row[1:]] == [round(value, 2) for value in expected]
    for row, splitter in zip(tables["sizes"], splitters, strict=True):
        chunks = [chunk for document in splitter["documents"] for chunk in document["chunks"]]
        assert int(row[1]) == len(chunks)
        assert int(row[-1]) == max(tokens for _, _, tokens in chunks)


def conclusions_by_metric(shown_comparison: Comparison) -> dict[str, str]:
    """Return the conclusion about each leading metric."""
    sentence = (
        tuple(sentence.split(": ", 1))
        for sentence in conclusions(shown_comparison)
        if ": " in sentence
    )
    return dict(sentence)


def test_conclusions_distinguish_clear_and_unclear_differences() -> None:
    few = compare_splitters(5)
    assert conclusions_by_metric(few)["Recall@5"].startswith(
        "no splitter is clearly ahead. paragraphs has the best"
    )
    assert explanation(few) in render(few)
    assert any(sentence.startswith("5 questions prove little") for sentence in conclusions(few))
    many = compare_splitters(12)
    assert "is clearly ahead of shreds" in conclusions_by_metric(many)["Recall@5"]
    assert any(
        "shreds: 12 of 12 questions have an answer" in sentence for sentence in conclusions(many)
    )
    assert explanation(compare_splitters(0)) == ""
    none = conclusions(compare_splitters(0))
    assert none[0].startswith("There are neither questions nor reference segments")


def test_the_bootstrap_draws_documents_if_questions_share_them() -> None:
    few, many = long_comparison(documents=MIN_FOR_INTERVAL - 1), long_comparison()
    assert not few.draws_documents
    assert many.draws_documents
    assert any(
        sentence.startswith("All questions are about 5 documents") for sentence in conclusions(few)
    )
    assert not any(sentence.startswith("All questions are about") for sentence in conclusions(many))
    assert "Documents are drawn" in render(many)
    assert report_json(many)["intervals_draw"] == "documents"
    recall = next(metric for metric in many.metrics if metric.key == "recall@600w")
    independent = mean_interval(recall.values(many.results[0]))
    figure = many.figures["tens", "recall@600w"]
    assert figure.low is not None
    assert figure.high is not None
    assert figure.high - figure.low > 1.2 * (independent.high - independent.low)


def test_the_best_at_k_chunks_is_not_marked_if_sizes_differ_by_more_than_a_third() -> None:
    one_chunk = Every("$^", name="whole")
    shown_comparison = compare(corpus(), [shreds(), one_chunk], embedder=WordEmbedder())
    assert not shown_comparison.sizes_alike
    recall = next(metric for metric in shown_comparison.metrics if metric.key == "recall@5")
    assert all(difference.clear for difference in shown_comparison.against_best(recall))
    assert shown_comparison.clearly_best(recall) is None
    assert "does not show which is better" in conclusions_by_metric(shown_comparison)["Recall@5"]
    assert any(
        sentence.startswith("Mean chunk sizes differ") for sentence in conclusions(shown_comparison)
    )
    page = render(shown_comparison)
    assert "Values at k chunks are not marked" in page


def test_answers_missing_in_the_text_are_distinguished_from_divided_ones() -> None:
    shown_comparison = compare_splitters(12)
    absent = Question("Where?", "harbours-0", must_contain="stands nowhere")
    with_missing = replace(
        shown_comparison.corpus, questions=(*shown_comparison.corpus.questions, absent)
    )
    sentences = conclusions(
        compare(with_missing, [paragraphs(), shreds()], embedder=WordEmbedder())
    )
    assert any(
        conclusion.startswith("The answers to 1 of 13 questions do not occur")
        for conclusion in sentences
    )
    (cut,) = (conclusion for conclusion in sentences if "cut apart" in conclusion)
    assert cut.startswith("shreds: 12 of 13 questions have an answer that no chunk contains")


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (-0.31, 0.02, [-0.4, -0.3, -0.2, -0.1, 0, 0.1]),
        *((0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 0, [0, 0.2])),
    ],
)
def test_ticks_are_round_numbers_and_cover_the_plotted_values(
    low: float, high: float, ticks: list[float]
):
    assert round_ticks(low, high) == ticks


def test_plots_show_the_differences_from_the_best(comparison: Comparison) -> None:
    metric = next(metric for metric in comparison.metrics if metric.key == "recall@5")
    plot = differences_plot(comparison, metric)
    assert plot is not None
    (zero,) = (place for place, label in plot.ticks if label == "0")
    rows = {row.name: row for row in plot.rows}
    assert set(rows) == {"shreds", "lamps"}
    # The interval of the worst splitter lies left of the line of no difference.
    assert rows["shreds"].shown == "−1.00, clear"
    assert rows["shreds"].low <= rows["shreds"].value <= rows["shreds"].high < zero
    assert f'cx="{rows["shreds"].value}"' in render(comparison)


def test_the_page_lists_failures() -> None:
    failing = compare(corpus(0), [Every(r"\n\n", name="tired", failures=3)])
    assert "tired: 6 answers of its model could not be used" in render(failing)


def test_a_single_splitter_is_reported() -> None:
    shown_comparison = compare(corpus(), [paragraphs()], embedder=WordEmbedder())
    page = render(shown_comparison)
    assert "There is nothing to compare it with." in page
    assert "If nothing in a column is marked" not in page


def test_a_report_explains_only_displayed_elements(comparison: Comparison) -> None:
    explained = {
        "Below each value is its": 'class="interval"',
        "values are clearly better": 'class="best"',
        "An arrow shows": "\u2191",
        "Calls are questions": ">Calls</th>",
        "Intervals</dt>": "\u2191",
    }
    nothing = compare(corpus(0), [paragraphs(), shreds()])
    few = compare(corpus(2), [paragraphs(), shreds()], embedder=WordEmbedder())
    with_usage = compare(corpus(0), [Every(r"\n\n", name="tired", usage=Usage(calls=2))])
    for shown_comparison in (comparison, nothing, few, with_usage):
        page = render(shown_comparison)
        for explanation_, is_shown in explained.items():
            assert (explanation_ in page) == (is_shown in page), explanation_
