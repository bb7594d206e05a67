"""The report as a browser shows it: headless Chromium opens it, light and dark, wide and narrow."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("nltk")

from lumber_core.text.units import sentences
from lumber_evaluation.comparison import compare
from lumber_evaluation.documents import Corpus, Document, Question
from lumber_evaluation.report import write_report
from tests.browsing import HOSTILE, Browser, contrast, foreign_elements, lightness
from tests.evaluation.comparing import Every, WordEmbedder, corpus, paragraphs, shreds

# Put into a page that frames the report at a phone's width, and tells what it finds.
PROBE = """<!doctype html><meta charset=utf-8><body><iframe src="report.html" width="{width}"
height="800" style="border:0"></iframe><pre id="found"></pre><script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const view = document.querySelector("iframe").contentWindow;
  const look = (selector) => view.getComputedStyle(page.querySelector(selector));
  document.querySelector("#found").textContent = JSON.stringify({{
    width: page.documentElement.scrollWidth,
    tables: Object.fromEntries([...page.querySelectorAll("table[data-table]")].map((table) => [
      table.dataset.table, [...table.rows].map((row) =>
        [...row.querySelectorAll(".value, .splitter")].map((cell) => cell.textContent)),
    ])),
    page: look("body").backgroundColor,
    ink: look("body").color,
    accent: look(".marker").fill,
    requests: view.performance.getEntriesByType("resource").map((entry) => entry.name),
    plots: [...page.querySelectorAll("svg.plot")].map((plot) => plot.getBoundingClientRect().width),
  }});
}};
</script>"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    made = compare(
        corpus(segmented=True),
        [paragraphs(), shreds(), Every(r"burning\. ", name="a-splitter-with-quite-a-long-name")],
        embedder=WordEmbedder(),
    )
    return write_report(made, folder)


def probed(browser: Browser, report: Path, width: int, dark: bool = False) -> dict:
    page = report.with_name(f"probe-{width}.html")
    page.write_text(PROBE.format(width=width), encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', browser.dom(page, dark=dark), re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


def test_the_figures_shown_are_those_of_the_json_file(browser: Browser, report: Path) -> None:
    data = json.loads(report.with_suffix(".json").read_text(encoding="utf-8"))
    tables = probed(browser, report, 900)["tables"]
    rows = tables["recall"][1:]
    assert [row[0] for row in rows] == [splitter["name"] for splitter in data["splitters"]]
    for row, splitter in zip(rows, data["splitters"], strict=True):
        figures = splitter["figures"]
        expected = [figures[f"recall@{k}"]["value"] for k in (1, 2, 5, 10, 20)]
        assert [float(cell) for cell in row[1:]] == [round(value, 2) for value in expected]
    for row, splitter in zip(tables["sizes"][1:], data["splitters"], strict=True):
        chunks = [chunk for document in splitter["documents"] for chunk in document["chunks"]]
        assert int(row[1]) == len(chunks)
        assert int(row[-1]) == max(tokens for _, _, tokens in chunks)


def test_the_page_fits_a_phone_and_asks_for_nothing(browser: Browser, report: Path) -> None:
    found = probed(browser, report, 390)
    assert found["width"] == 390
    assert found["requests"] == []
    assert len(found["plots"]) == 2
    assert all(200 < width <= 390 for width in found["plots"])


def test_hostile_names_questions_and_texts_stay_texts(browser: Browser, tmp_path: Path) -> None:
    made = corpus()
    text = "\n\n".join([*HOSTILE, made.documents[0].text])
    units = tuple(span.start for span in sentences(text))
    names = [f"{place}{name}" for place, name in enumerate(HOSTILE)]
    documents = tuple(Document(name, text, units, (0,), HOSTILE[2]) for name in names)
    questions = tuple(
        Question(f"{evil} Arden?", names[0], evil, "Arden0 froze over in 1800") for evil in HOSTILE
    )
    hostile = Corpus(HOSTILE[1], documents, questions)
    splitters = [Every(r"\n\n", name=HOSTILE[3]), Every(r"\. ", name=HOSTILE[0])]
    page = write_report(compare(hostile, splitters, embedder=WordEmbedder()), tmp_path)
    assert foreign_elements(browser.dom(page)) == []
    found = probed(browser, page, 900)
    assert found["requests"] == []


def test_dark_is_dark_and_all_is_seen(browser: Browser, report: Path) -> None:
    light = probed(browser, report, 800)
    dark = probed(browser, report, 801, dark=True)
    assert lightness(light["page"]) > 0.9 > 0.2 > lightness(dark["page"])
    for found in (light, dark):
        assert contrast(found["ink"], found["page"]) > 7
        assert contrast(found["accent"], found["page"]) > 3
