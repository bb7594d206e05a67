"""The page of `ask`: a browser shows passages and quotes where they stand in their documents."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.html_pages.answer_page import answer_page
from lumber_cli.html_pages.markdown_styles import HIDDEN_STYLE, find_styles
from lumber_cli.html_pages.page import write_page
from lumber_core.spans import Span
from lumber_core.text.source import Source
from lumber_files import file_link
from lumber_retrieval.citing.citations import Citation
from lumber_retrieval.citing.quoted_answers import CitedAnswer
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import Passage
from tests.browsing import Browser

# The facts that tests read from the page. Its script scrolls in the frames after a click.
LOOK = """
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((each) => each.textContent);
const joined = (selector) => texts(selector).join("");
const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
const seen = (selector) => document.querySelector(selector).checkVisibility();
const frames = () => new Promise((done) => setTimeout(done, 60));
const click = async (selector) => { document.querySelector(selector).click(); await frames(); };
"""
GUIDE = (
    "# 🚣 Boats\n\nIntroduction.\n\n## Care\n\nWax the <b>hull</b> 🕰️ in spring, and\n"
    "dry the sails after rain.\r\n\n"
    "## Rental\n\nA rental lasts seven days at most. The deposit is forty crowns.\n"
)
FERRY = "The ferry sails at noon.\nDogs travel for free.\n"
DOCUMENTS = {
    "docs/guide.md": Source(GUIDE, name="docs/guide.md", format="markdown"),
    "docs/ferry.txt": Source(FERRY, name="docs/ferry.txt"),
}


def passage(name: str, text: str, document_text: str, **metadata: Any) -> Passage:
    span = Span(document_text.index(text), document_text.index(text) + len(text))
    return Passage(name, span, text, (Hit(0, name, span, text, 1.0, metadata),))


CARE = GUIDE[GUIDE.index("Wax") : GUIDE.index("\n## R")]
PASSAGES = [
    passage("docs/guide.md", CARE, GUIDE, line_first=7),
    passage("docs/guide.md", GUIDE[GUIDE.index("## R") : -1], GUIDE, headings="Boats > Rental"),
    passage("docs/ferry.txt", "Dogs travel for free.", FERRY),
]


def citation_of(kind: Any, quote: str, text: str = "", document_text: str = GUIDE) -> Citation:
    if kind == "not found":
        return Citation(quote, kind)
    start = document_text.index(text)
    name = "docs/guide.md" if document_text is GUIDE else "docs/ferry.txt"
    return Citation(quote, kind, name, Span(start, start + len(text)), 1.0, text, (7, 8))


ANSWER = CitedAnswer(
    "Seven days [1]. Forty crowns must be paid [2]. The boats are green [3]. See [4] and [7].",
    (
        citation_of("exact", "seven days at most", "seven days at most"),
        citation_of("aligned", "The deposit is 40 crowns", "The deposit is forty crowns"),
        citation_of("not found", "The boats are green"),
        citation_of("exact", "Dogs travel for free", "Dogs travel for free", FERRY),
    ),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "answer.html"
    write_page(path, answer_page("How long may a rental last?", ANSWER, PASSAGES, DOCUMENTS))
    return path


def look(browser: Browser, page: Path, script: str, **settings: Any) -> Any:
    return browser.evaluate(page, f"(async () => {{{LOOK}{script}}})()", **settings)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a page with passages in their documents, and an answer."""

    def write(passages: list[Passage], *documents: Source, answer: Any = None) -> Path:
        texts = {source.name: source for source in documents} or DOCUMENTS
        write_page(tmp_path / "answer.html", answer_page("Which?", answer, passages, texts))
        return tmp_path / "answer.html"

    return write


def test_each_passage_is_highlighted_in_its_whole_document(browser: Browser, page: Path) -> None:
    script = """
      const found = [];
      for (const card of all("#passages .open")) {
        card.click();
        await frames();
        found.push([joined("mark.chosen"), joined("#text .block"),
          all("mark:not(.chosen)").length > 0]);
      }
      return found;"""
    shown_passages = look(browser, page, script)
    wholes = [GUIDE, GUIDE, FERRY]
    assert [chosen for chosen, _, _ in shown_passages] == [given.text for given in PASSAGES]
    assert [text for _, text, _ in shown_passages] == wholes
    assert [others for _, _, others in shown_passages] == [True, True, False]


MARKED = """# The **fleet** #

Each boat has *one* `mast`, see [the list](https://boats.example/a_list_(2).html) and \\*notes\\*.

* Gull
  * **Tern & Co**

> Quoted *once*,
> and again.

```python
gull = 2 ** 3
```

| Boat | Price |
| :--- | ---: |
| **Gull** | 5 \\| 6 |
| Tern |  |

---

End.
"""


def test_markdown_is_rendered_without_losing_its_marks(browser: Browser, write: Any) -> None:
    table = MARKED[MARKED.index("| Boat") : MARKED.index("---\n\nE")]
    passages = [passage("fleet.md", text, MARKED) for text in ("has *one* `mast`", table)]
    page = write(passages, Source(MARKED, name="fleet.md", format="markdown"))
    script = """
      const shown = (selector) => all(selector).map((each) => each.innerText.trim());
      return [joined("#text .block"), shown("#text .block"), shown("#text .row .cell"),
        shown("#text .strong, #text .em, #text .link, #text .code:not(.block)"),
        texts("mark[data-passage='1']"), shown(".excerpt")];"""
    shown_text, blocks, cells, styled, marked, (first, second) = look(browser, page, script)
    assert shown_text == MARKED
    assert blocks[0] == "The fleet"
    assert blocks[1] == "Each boat has one mast, see the list and *notes*."
    assert blocks[2:6] == ["* Gull", "* Tern & Co", "Quoted once, and again.", "gull = 2 ** 3"]
    assert cells == ["Boat", "Price", "Gull", "5 | 6", "Tern", ""]
    assert styled == ["fleet", "one", "mast", "the list", "Tern & Co", "once", "Gull"]
    assert "".join(marked) == "has *one* `mast`"
    assert first == "has one mast"
    assert second.split() == ["Boat", "Price", "Gull", "5", "|", "6", "Tern"]


def test_a_click_on_a_quote_scrolls_to_its_place(browser: Browser, page: Path) -> None:
    script = """
      const found = [];
      for (const number of all("#said a.number")) {
        number.click();
        await frames();
        found.push([number.textContent, joined(".cited.chosen"), joined("#name"), joined("#at"),
          getComputedStyle(document.querySelector(".chosen"), "::after").content]);
      }
      return found;"""
    assert look(browser, page, script) == [
        ["1", "seven days at most", "docs/guide.md", "Quote 1 of 3", '"[1]"'],
        ["2", "The deposit is forty crowns", "docs/guide.md", "Quote 2 of 3", '"[2]"'],
        ["4", "Dogs travel for free", "docs/ferry.txt", "Quote 3 of 3", '"[4]"'],
    ]


def test_kinds_of_quotes_are_distinguished(browser: Browser, page: Path) -> None:
    script = """
      return [texts("#citations > li"), all("#citations .missing a").length, joined("#said"),
        ...["exact", "aligned", "missing"].map((kind) =>
          getComputedStyle(document.querySelector(`#said .${kind}`)).color)];"""
    (exact, aligned, missing, _), links, answer, *colours = look(browser, page, script)
    assert "seven days at most" in exact
    assert exact.endswith("guide.md · lines 7 to 8 · word for word")
    assert "The deposit is forty crowns" in aligned
    assert "The model’s wording: “The deposit is 40 crowns”" in aligned
    assert "worded differently" in aligned
    assert "“The boats are green”These words stand in none of the documents below." in missing
    assert links == 0
    assert answer.endswith("See 4 and [7].")
    assert len(set(colours)) == 3


def test_markdown_of_an_answer_is_rendered(browser: Browser, write: Any) -> None:
    table = "| Boat | Days |\n| --- | --- |\n| Gull | 7 [1] |\n"
    answer = f"**Seven** days [1].\nNo more.\n\n1. See [7].\n\n{table}"
    page = write(PASSAGES, answer=CitedAnswer(answer, ANSWER.citations))
    script = """
      const shown = document.querySelector("#said");
      const weight = (which) => getComputedStyle(all("#said .row .cell")[which]).fontWeight;
      return [shown.innerText.split(/\\s+/), texts("#said .strong"),
        all("#said .row .cell").length,
        all("#said a.number").length, weight(0) > weight(2), joined("#said .list").trim()];"""
    words, strong, cells, links, bold, item = look(browser, page, script)
    assert words[:8] == ["Seven", "days", "1.", "No", "more.", "1.", "See", "[7]."]
    assert (strong, cells, links, bold, item) == (["Seven"], 4, 2, True, "1. See [7].")
    lines = "const box = all('#said .paragraph')[0]; return box.innerText.trim().split('\\n');"
    assert len(look(browser, page, lines)) == 2  # a line ends where the model ended it


def test_hard_wrapped_prose_is_joined_into_full_lines(browser: Browser, write: Any) -> None:
    prose = (
        "The ferry sails at noon, and whoever has come to the quay\n"
        "by then is taken over, with a dog or a bicycle or a small\n"
        "boat. In winter it sails once a day, because the ice lies\n"
        "before the harbour, and the skipper has to wait for those\n"
        "who break it.\n"
    )
    text = f"{prose}\n\n\n\n{prose}\nOars: 5\nSails: 3\n"
    page = write([passage("ferry.txt", text, text)], Source(text, name="ferry.txt"))
    script = """
      const lines = (selector) => document.querySelector(selector).innerText.trim().split("\\n");
      return [joined("#text .block"), lines("#text .block"), lines(".excerpt")];"""
    shown_text, lines, excerpt = look(browser, page, script)
    assert shown_text == text
    filled = prose.replace("\n", " ").strip()
    assert lines == [filled, "", "", "", "", filled, "", "Oars: 5", "Sails: 3"]
    assert excerpt == [filled, "", filled, "", "Oars: 5", "Sails: 3"]


def test_the_page_itself_does_not_scroll(browser: Browser, write: Any) -> None:
    page = write(PASSAGES, answer=CitedAnswer(f"{ANSWER.text}\n\n" * 30, ANSWER.citations))
    script = """
      const page = document.scrollingElement;
      return [page.scrollHeight - innerHeight, page.scrollTop];"""
    assert look(browser, page, script) == [0, 0]


def test_a_place_in_a_long_document_is_scrolled_to(browser: Browser, write: Any) -> None:
    lines = "".join(f"Line {n}, which says the same again.\n" * 3 for n in range(4600))
    text = f"{lines}Here it stands.\n{lines}"
    assert len(text) > 1_000_000
    passages = [passage("long.txt", words, text) for words in ("Line 9,", "Here it stands.")]
    page = write(passages, Source(text, name="long.txt"))
    script = """
      const tops = [top("mark.chosen") - top("#pane")];
      await click("#next");
      return [...tops, top("mark.chosen") - top("#pane"), joined("mark.chosen"),
        document.querySelectorAll("#text *").length];"""
    *tops, chosen, elements = look(browser, page, script)
    assert all(0 < top < 400 for top in tops)
    assert chosen == "Here it stands."
    assert elements < 2500
    assert page.stat().st_size < 1.1 * len(text)


def test_files_can_be_chosen(browser: Browser, page: Path) -> None:
    script = """
      const found = [];
      const note = () => found.push([all("#passages > li:not([hidden]) bdi").map((each) =>
        each.textContent), joined("#count")]);
      const [guide, ferry] = all("#files input");
      for (const box of [ferry, guide, ferry]) { box.click(); note(); }
      await click("#passages .open");
      return [...found, joined("#at")];"""
    *shown_files, at = look(browser, page, script)
    assert shown_files == [
        [["ferry.txt"], "1 of 3"],
        [["guide.md", "guide.md", "ferry.txt"], "3"],
        [["guide.md", "guide.md"], "2 of 3"],
    ]
    assert at == "Passage 1 of 2"


def test_a_phone_shows_the_list_and_then_the_document(browser: Browser, page: Path) -> None:
    script = """
      const note = () => [seen("#reader"), document.documentElement.scrollWidth];
      const before = note();
      await click("#passages .open");
      const during = [...note(), joined("mark.chosen"), document.activeElement.id,
        byId("reader").getBoundingClientRect().width, byId("pane").scrollWidth];
      history.back();
      await frames();
      await click("#said .number");
      await click("#back");
      return [before, during, note(), document.activeElement.className];"""
    before, during, after, focus = look(browser, page, script, width=390)
    assert before == after == [False, 390]
    assert during == [True, 390, PASSAGES[0].text, "name", 390, 390]
    assert focus == "open"


def test_a_pdf_opens_at_the_page(browser: Browser, tmp_path: Path, write: Any) -> None:
    file = tmp_path / "50% of #1?.pdf"
    file.write_bytes(b"")
    text = "One.\fTwo.\fThree."
    metadata = {"source": str(file), "page_first": 3, "page_last": 3}
    source = Source(text, name="r.pdf", metadata=metadata, pages=(0, 5, 10))
    page = write([passage("r.pdf", "Three.", text, **metadata)], source)
    script = 'return [texts(".page"), byId("file").href, joined("#file"), joined("#place")];'
    pages, link, label, place = look(browser, page, script)
    assert pages == ["Page 1", "Page 2", "Page 3"]
    assert link == f"{tmp_path.as_uri()}/50%25%20of%20%231%3F.pdf#page=3"
    assert (label, place) == ("Open page 3 ↗", "page 3")


def test_page_separators_are_hidden() -> None:
    text = "```\na\n```\n\f\n\nTwo.\fThree."
    blocks = ("code", "paragraph", "paragraph")
    spans = (Span(0, 10), Span(10, 13), Span(13, len(text)))
    hidden = {
        styled.span.of(text)
        for kind, span in zip(blocks, spans, strict=True)
        for styled in find_styles(text, kind, span)
        if styled.style == HIDDEN_STYLE
    }
    assert hidden == {"```\n", "\f"}


def test_only_documents_from_files_have_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stdin").write_text("A file.")
    assert file_link("stdin", 2) is None
    assert file_link(tmp_path) is None
    assert file_link(tmp_path / "gone.pdf", 2) is None
    assert file_link(tmp_path / "stdin", 2) == f"{tmp_path.as_uri()}/stdin"
