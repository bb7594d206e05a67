"""`lumber-splitters view`: a browser shows the chunks that `split` gives."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from lumber_core import BertChunker, GreedyChunker
from lumber_core.bert.scores import place_scores
from lumber_core.text.places import find_places
from tests.browsing import HOSTILE, Browser, contrast, foreign_elements, lightness
from tests.cli.running import SAMPLE, run_apart

# A page that frames the view at some width, moves the slider, and tells what it finds.
PROBE = """<!doctype html><meta charset=utf-8><body><iframe src="view.html" width="{width}"
height="800" style="border:0"></iframe><pre id="found"></pre><script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const view = document.querySelector("iframe").contentWindow;
  const look = (selector) => view.getComputedStyle(page.querySelector(selector));
  const all = (side) => [...page.querySelectorAll(`.chunk[data-side="${{side}}"]`)];
  const chunks = (side) => all(side).map((chunk) => ({{
    start: Number(chunk.dataset.start), end: Number(chunk.dataset.end),
    text: chunk.querySelector(".body").textContent, meta: chunk.querySelector(".meta").textContent,
    top: chunk.getBoundingClientRect().top, shown: chunk.getClientRects().length > 0,
    titles: chunk.querySelector(".titles")?.textContent ?? "",
  }}));
  const range = page.querySelector("input[type=range]");
  const positions = [];
  const initial = range?.value;
  for (let place = 0; range && place <= Number(range.max); place += 1) {{
    range.value = place;
    range.dispatchEvent(new view.Event("input"));
    const value = Number(page.querySelector("output").textContent);
    positions.push({{ value, chunks: chunks(0) }});
  }}
  if (range) {{ range.value = initial; range.dispatchEvent(new view.Event("input")); }}
  const sides = [chunks(0), chunks(1)];
  page.querySelectorAll("#tabs button")[1]?.click();
  document.querySelector("#found").textContent = JSON.stringify({{
    positions, sides, tapped: [chunks(0), chunks(1)], initial,
    sums: [...page.querySelectorAll(".sum")].map((sum) => sum.textContent),
    width: page.documentElement.scrollWidth,
    requests: view.performance.getEntriesByType("resource").map((entry) => entry.name),
    page: look("body").backgroundColor, ink: look("body").color, soft: look(".meta").color,
    even: look(".chunk.even").backgroundColor, odd: look(".chunk.odd").backgroundColor,
    edges: [look(".chunk.even").borderLeftColor, look(".chunk.odd").borderLeftColor],
  }});
}};
</script>"""

TEXT = SAMPLE.read_bytes().decode()[:5000].replace("clock", "🕰️ <b>clock</b>", 3)
HANDBOOK = "# Boats\n\nOars and sails.\n\n## Care\n\nDry the sails. " + "Wax the oars. " * 40


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


def probed(browser: Browser, width: int, dark: bool = False) -> dict[str, Any]:
    probe = Path.cwd() / f"probe-{width}.html"
    probe.write_text(PROBE.format(width=width), encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', browser.dom(probe, dark=dark), re.DOTALL)
    assert found is not None
    assert found[1], "the script of the page failed"
    made: dict[str, Any] = json.loads(unescape(found[1]))
    return made


def spans(chunks: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(chunk["start"], chunk["end"]) for chunk in chunks]


def split(*options: object) -> list[dict[str, Any]]:
    done = run_apart("split", "text.txt", *options)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize(
    ("options", "slider"),
    [
        (["--method", "bert", "--chunk-size", "200", "--min-chunk-size", "20"], "--target-size"),
        (["--method", "bert", "--threshold", "0.5"], "--threshold"),
        (["--method", "greedy", "--chunk-overlap", "20"], "--target-size"),
    ],
)
def test_positions_of_the_slider_show_what_split_gives(
    browser: Browser, text: Path, options: list[str], slider: str
) -> None:
    assert run_apart("view", text, *options) == (0, "view.html\n", "")
    found = probed(browser, 1000)
    assert len(found["positions"]) >= 5
    values = [position["value"] for position in found["positions"]]
    assert values == sorted(set(values))
    at = options.index(slider) if slider in options else None
    others = options if at is None else options[:at] + options[at + 2 :]
    initial = int(found["initial"])
    for place in sorted({0, initial, (initial + len(values)) // 2, len(values) - 1}):
        position, own = found["positions"][place], place == initial
        rows = split(*(options if own else [*others, f"{slider}={position['value']:g}"]))
        assert spans(position["chunks"]) == [(row["start"], row["end"]) for row in rows]
        assert [chunk["text"] for chunk in position["chunks"]] == [row["text"] for row in rows]
        for chunk, row in zip(position["chunks"], rows, strict=True):
            assert f"{row['tokens']:,} tokens" in chunk["meta"]


def test_the_chunks_are_by_default_those_of_split(browser: Browser, text: Path) -> None:
    run_apart("view", text)
    (chunks, _) = probed(browser, 1000)["sides"]
    assert spans(chunks) == [(row["start"], row["end"]) for row in split()]


def test_scores_are_those_of_the_model(browser: Browser, text: Path) -> None:
    run_apart("view", text, "--method", "bert")
    chunker = BertChunker()
    places = find_places(TEXT)
    scores = place_scores(chunker.scores(TEXT), places)
    known = {place.offset: float(t) for place, t in zip(places, scores, strict=True)}
    (chunks, _) = probed(browser, 1000)["sides"]
    assert "t =" not in chunks[0]["meta"]
    for chunk in chunks[1:]:
        assert f"t = {known[chunk['start']]:.2f}".replace("-", "\u2212") in chunk["meta"]


def test_two_splitters_stand_side_by_side_and_common_cuts_at_one_height(
    browser: Browser, text: Path
) -> None:
    assert run_apart("view", text, "--method", "bert", "--beside", "greedy:100").code == 0
    found = probed(browser, 1200)
    own, other = found["sides"]
    assert spans(own) == [*BertChunker().segment(TEXT).spans]
    assert spans(other) == [*GreedyChunker(100).segment(TEXT).spans]
    tops = {chunk["start"]: chunk["top"] for chunk in own}
    common = [chunk for chunk in other if chunk["start"] in tops]
    assert common
    assert all(chunk["top"] == tops[chunk["start"]] for chunk in common)
    assert f"{len(common) - 1} of {len(other) - 1} cuts shared" in found["sums"][1]


def test_a_phone_shows_one_splitter_at_a_time(browser: Browser, text: Path) -> None:
    run_apart("view", text, "--beside", "greedy:100")
    found = probed(browser, 390)
    assert found["width"] == 390
    for sides, visible in ((found["sides"], (True, False)), (found["tapped"], (False, True))):
        for chunks, shown in zip(sides, visible, strict=True):
            assert {chunk["shown"] for chunk in chunks} == {shown}
    assert found["requests"] == []


def test_dark_is_dark_and_neighbours_differ(browser: Browser, text: Path) -> None:
    run_apart("view", text)
    light = probed(browser, 800)
    dark = probed(browser, 801, dark=True)
    assert lightness(light["page"]) > 0.9 > 0.2 > lightness(dark["page"])
    for found in (light, dark):
        for tint in ("even", "odd"):
            assert contrast(found["ink"], found[tint]) > 7
            assert contrast(found["soft"], found[tint]) > 4.5
        assert found["even"] != found["odd"]
        assert found["edges"][0] != found["edges"][1]


def test_markdown_and_other_documents_can_be_chosen(browser: Browser, text: Path) -> None:
    Path("b.md").write_text(HANDBOOK, encoding="utf-8")
    assert run_apart("view", "b.md", text, "--chunk-size", 60).code == 0
    (chunks, _) = probed(browser, 800)["sides"]
    assert chunks[-1]["titles"] == "Boats > Care"
    page = Path("view.html").read_text(encoding="utf-8")
    assert "b.md and 1 more" in page
    assert "text.txt" in page


def test_lumber_says_why_a_chunk_starts(browser: Browser, text: Path) -> None:
    assert run_apart("view", text, "--method", "lumber", "--theta", 200).code == 0
    (chunks, _) = probed(browser, 1000)["sides"]
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert "t = " in chunk["meta"] or "the group is one unit" in chunk["meta"]


def test_hostile_names_titles_and_texts_stay_texts(browser: Browser, text: Path) -> None:
    evil = "\n\n".join(f"# {piece.strip()}\n\n{piece}\n\n{'word ' * 40}" for piece in HOSTILE)
    path = Path(
        "</title><svg onload=document.title='broken'><u-foreign>\"'.md".replace("/", "\u2215")
    )
    path.write_bytes(evil.encode())
    other = Path("<img src=x onerror=document.title='broken'>.txt")
    other.write_bytes(evil.encode())
    assert run_apart("view", path, other, "--chunk-size", 60, "--beside", "greedy:50").code == 0
    assert foreign_elements(browser.dom(Path("view.html").resolve())) == []
    found = probed(browser, 800)
    assert "".join(chunk["text"] for chunk in found["sides"][0]) == evil
    assert any("<img src=x" in chunk["titles"] for chunk in found["sides"][0])
    assert found["requests"] == []
