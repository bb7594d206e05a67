"""All pages: hostile texts stay text, no address is requested, and all text is legible."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lumber_cli.html_pages.answer_page import answer_page
from lumber_cli.html_pages.page import write_page
from lumber_cli.html_pages.view_page import chunk_page
from lumber_core import GreedyChunker, Source, Span
from lumber_evaluation.comparison import compare
from lumber_evaluation.dataset import Corpus, Document, Question
from lumber_evaluation.report import render
from lumber_retrieval.citing.citations import Citation
from lumber_retrieval.citing.quoted_answers import CitedAnswer
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import Passage
from tests.browsing import HOSTILE, Browser, contrast, foreign_elements, lightness
from tests.evaluation.comparing import Every, WordEmbedder

TITLE = HOSTILE[0] + HOSTILE[3]
EVIL = "\n\n".join(f"# {piece.strip()}\n\n{piece}" for piece in HOSTILE)
NAMES = [TITLE, *(piece.replace("/", "\u2215") + ".md" for piece in HOSTILE)]
DOCUMENTS = {name: Source(EVIL, name=name, format="markdown") for name in NAMES}


def view_page() -> str:
    splitter = GreedyChunker(20)
    return chunk_page([(name, splitter.split(source)) for name, source in DOCUMENTS.items()])


def answer_page_of_hostile_texts() -> str:
    spans = [Span(EVIL.index(piece), EVIL.index(piece) + len(piece)) for piece in HOSTILE]
    passages = [
        Passage(name, span, piece, (Hit(0, name, span, piece, 1.0, {"headings": piece}),))
        for name, span, piece in zip(NAMES, spans, HOSTILE, strict=False)
    ]
    quotes = [Citation(piece, "not found") for piece in HOSTILE]
    span = Span(2, 12)
    quotes.append(Citation(HOSTILE[1], "aligned", NAMES[0], span, 0.9, span.of(EVIL)))
    quotes.append(Citation(span.of(EVIL), "exact", NAMES[0], span, 1.0, span.of(EVIL)))
    answer = CitedAnswer(" ".join([*HOSTILE, "[7] [8]"]), tuple(quotes))
    return answer_page(TITLE, answer, passages, DOCUMENTS)


def report_page() -> str:
    starts = tuple(EVIL.index(piece) for piece in HOSTILE)
    documents = tuple(Document(name, EVIL, starts, starts[:1], HOSTILE[2]) for name in NAMES)
    questions = tuple(Question(piece, NAMES[0], piece, HOSTILE[2]) for piece in HOSTILE)
    splitters = [Every(r"\n\n", name=piece) for piece in HOSTILE]
    return render(compare(Corpus(TITLE, documents, questions), splitters, embedder=WordEmbedder()))


every_page = pytest.mark.parametrize("make", [view_page, answer_page_of_hostile_texts, report_page])


@pytest.fixture
def page(make: Callable[[], str], tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    write_page(path, make())
    return path


class Elements(HTMLParser):
    """The elements of a page, and its title and own text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.kinds: set[str] = set()
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "src"]


@every_page
def test_hostile_texts_do_not_become_elements(make: Callable[[], str]) -> None:
    page = make()
    elements = Elements(page)
    assert not elements.kinds & {"img", "base", "form", "u-foreign", "iframe", "link"}
    assert elements.handlers == []
    assert re.search("default-src 'none'; style-src 'sha256-[^']+'", page)


@every_page
def test_hostile_texts_do_nothing_in_a_browser_and_nothing_is_requested(page, browser) -> None:
    script = """(async () => {
      const tried = [];
      addEventListener("securitypolicyviolation", (event) => tried.push(event.effectiveDirective));
      const shown = document.body.textContent;
      for (const [tag, given] of [["img", { src: "http://127.0.0.1:9/" }],
          ["script", { textContent: "document.title = 'broken'" }]]) {
        document.body.append(Object.assign(document.createElement(tag), given));
      }
      await fetch("http://127.0.0.1:9/").catch(() => {});
      await new Promise((done) => setTimeout(done, 60));
      return [shown, tried, document.title];
    })()"""
    assert foreign_elements(browser.dom(page)) == []
    shown_texts, tried, title = browser.evaluate(page, script)
    assert all(piece.strip() in shown_texts for piece in HOSTILE[:5])
    assert {"img-src", "connect-src", "script-src-elem"} <= set(tried)
    assert title.endswith(TITLE) or title.startswith("Chunks of ")
    assert title != "broken"


@every_page
@pytest.mark.parametrize("dark", [False, True])
def test_all_texts_have_enough_contrast(page: Path, dark: bool, browser: Browser) -> None:
    script = """(async () => {
      const solid = (each) => {
        for (; each; each = each.parentElement) {
          const { backgroundColor: colour } = getComputedStyle(each);
          if (colour !== "rgba(0, 0, 0, 0)") return colour;
        }
      };
      document.querySelector("#passages > li + li .open")?.click();
      await new Promise((done) => setTimeout(done, 60));
      const pairs = new Map();
      for (const each of document.querySelectorAll("body *")) {
        const drawn = each.matches(".marker");
        if (!each.checkVisibility() || !(drawn || /\\S/.test(each.textContent))) continue;
        const name = `${each.localName}.${each.getAttribute("class")}`;
        const { color, fill } = getComputedStyle(each);
        pairs.set(name, [drawn ? fill : color, solid(each)]);
      }
      return [getComputedStyle(document.body).backgroundColor, ...pairs];
    })()"""
    background, *pairs = browser.evaluate(page, script, dark=dark)
    assert (lightness(background) < 0.2) is dark
    assert len(pairs) > 10
    poor = {name: colours for name, colours in pairs if contrast(*colours) < 4.5}
    poor = {name: colours for name, colours in poor.items() if not name.startswith("button")}
    assert poor == {}


@every_page
def test_pages_do_not_scroll_sideways_on_a_phone(page: Path, browser: Browser) -> None:
    assert browser.evaluate(page, "document.documentElement.scrollWidth", width=390) == 390
