"""The page that asks a folder, as a user sees it in a browser."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import HOSTILE, Browser, Tab
from tests.examples.packages import needs
from tests.loopback.faults import Status
from tests.loopback.server import LoopbackServer, Request
from tests.making_files import pdf

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "How often is the bell of the lighthouse greased?"
BELL = "The bell of the lighthouse is greased on the first Monday of each month."
KEEPER = "The keeper pays for the grease himself."
NOTES = "\n\n".join(
    [*(f"On day {n} the rope of the ferry was dry." for n in range(150)), f"{BELL} {KEEPER}"]
)
REPLY = f"""Once a month [1], at the keeper's cost [2]. Never in winter [3].

[1] "{BELL}"
[2] "The keeper pays for all the grease himself."
[3] "In winter the lighthouse needs neither a bell nor a keeper.\""""
WAIT = """new Promise((done, fail) => {
  const end = Date.now() + 30000;
  const look = () => {
    const value = (%s);
    if (value) done(value);
    else if (Date.now() > end) fail(new Error(document.body.innerText));
    else setTimeout(look, 30);
  };
  look();
})"""
ASK = """(() => {
  const box = document.querySelector("textarea");
  box.value = %s;
  box.dispatchEvent(new Event("input", {bubbles: true}));
  setTimeout(() => document.querySelector(".submit-button").click(), 100);
})()"""
SHOWN = 'document.querySelector("#document .text")?.textContent'
MARKED = 'document.querySelector("#document mark")?.textContent'


@contextmanager
def run_example(dropped: Path, *arguments: str | Path) -> Iterator[str]:
    """Start the example as a user does, for whom files are dropped; yield its page's address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "examples/chat_with_a_folder.py", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={
            **os.environ,
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_TEMP_DIR": str(dropped),
            "PYTHONUNBUFFERED": "1",
        },
    )
    try:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if address := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield address[0]
                break
        else:
            pytest.fail(printed)
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page without a language model."""
    needs("gradio", "langchain-core")
    with run_example(tmp_path_factory.mktemp("dropped")) as address:
        yield address


@pytest.fixture(scope="module")
def model() -> Iterator[LoopbackServer]:
    """A language model that quotes; some questions make it fail or answer without quotes."""

    def fail(request: Request) -> Status | None:
        return Status(500) if "Who fails?" in request.user else None

    def reply(request: Request) -> str:
        if "Who quotes nothing?" in request.user:
            return "Nobody [1]."
        if "Who is hostile?" in request.user:
            quotes = (f'[{number}] "{text}"' for number, text in enumerate(HOSTILE, 1))
            return "\n".join([f"Nobody {HOSTILE[1]} [1].", "", *quotes])
        return REPLY

    with LoopbackServer(reply, faults=fail) as server:
        yield server


@pytest.fixture(scope="module")
def answering(model: LoopbackServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page with that model, and documents of a folder, of which the first one is hostile."""
    needs("gradio", "langchain-core", "openai")
    folder = tmp_path_factory.mktemp("folder")
    texts = "\n\n".join(["Who is hostile? These texts are:", *HOSTILE])
    (folder / f"{HOSTILE[1]}.txt").write_text(texts, encoding="utf-8")
    (folder / "notes.txt").write_text(NOTES, encoding="utf-8")
    dropped = tmp_path_factory.mktemp("dropped")
    with run_example(dropped, folder, "--llm", f"{model.openai_url}#m") as address:
        yield address


@contextmanager
def open_page(browser: Browser, address: str) -> Iterator[Tab]:
    with browser.tab(address) as tab:
        wait(tab, 'document.querySelector("input[type=file]")')
        yield tab


def wait(tab: Tab, expression: str) -> Any:
    """Return the value of an expression as soon as it is true."""
    return tab.evaluate(WAIT % expression)


def ask(tab: Tab, question: str) -> None:
    tab.evaluate(ASK % json.dumps(question))


def page_text(tab: Tab, part: str) -> str:
    """Return the text of the page as soon as it contains a part."""
    text = 'document.querySelector("#results .said")?.textContent'
    return str(wait(tab, f"({text} ?? '').includes({json.dumps(part)}) && {text}"))


def cards(tab: Tab, kind: str) -> list[str]:
    """Return the text of each passage or quote of a kind, once there are any."""
    all_of = f'[...document.querySelectorAll("#results .card.{kind}")]'
    wait(tab, f"{all_of}.length")
    texts: list[str] = tab.evaluate(f"{all_of}.map((card) => card.textContent)")
    return texts


def in_view(tab: Tab) -> bool:
    """Return whether the mark is seen in the document, whose text is scrolled."""
    return bool(
        wait(
            tab,
            """(() => {
              const mark = document.querySelector("#document mark").getBoundingClientRect();
              const text = document.querySelector("#document .text").getBoundingClientRect();
              return text.top <= mark.top && mark.top < text.bottom;
            })()""",
        )
    )


def test_a_dropped_file_is_searched_and_its_passage_is_marked(browser, page, tmp_path) -> None:
    (tmp_path / "notes of the keeper.txt").write_text(NOTES, encoding="utf-8")
    with open_page(browser, page) as tab:
        tab.choose_files("input[type=file]", tmp_path / "notes of the keeper.txt")
        page_text(tab, "notes of the keeper.txt is added.")
        ask(tab, QUESTION)
        first, second, *_ = cards(tab, "passage")
        title, passage = first.split("\n", 1)
        assert re.fullmatch(r"passage notes of the keeper\.txt, line \d+", title)
        assert BELL in passage
        assert wait(tab, MARKED) == passage
        assert in_view(tab)
        assert tab.evaluate(SHOWN) == NOTES

        tab.evaluate('document.querySelectorAll("#results .card")[1].click()')
        wait(tab, f"{MARKED} === {json.dumps(second.split(chr(10), 1)[1])}")
        assert in_view(tab)
        elsewhere = """performance.getEntriesByType("resource").map((each) => each.name)
          .filter((name) => !name.startsWith(location.origin))"""
        assert tab.evaluate(elsewhere) == []


def test_a_passage_of_a_pdf_has_its_page(browser: Browser, page: str, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra documents")
    (tmp_path / "lamps.pdf").write_bytes(pdf([["Lamps burn oil."], ["Wicks are cut at dusk."]]))
    with open_page(browser, page) as tab:
        tab.choose_files("input[type=file]", tmp_path / "lamps.pdf")
        page_text(tab, "lamps.pdf is added.")
        ask(tab, "When are the wicks of the lamps cut?")
        assert any(card.startswith("passage lamps.pdf, page ") for card in cards(tab, "passage"))


def test_unreadable_files_and_failed_questions_are_reported_and_the_page_continues(
    browser, page, tmp_path
):
    (tmp_path / "broken.txt").write_bytes(b"\xff\x00\xff")
    with open_page(browser, page) as tab:
        ask(tab, " ")
        page_text(tab, "Type a question")
        tab.choose_files("input[type=file]", tmp_path / "broken.txt")
        assert page_text(tab, "Not added").startswith("Not added: broken.txt is neither text")
        ask(tab, "How does the machine add up the tides?")
        assert len(cards(tab, "passage")) > 1


def test_an_answer_shows_which_quotes_are_found_and_where(browser, answering, model) -> None:
    with open_page(browser, answering) as tab:
        ask(tab, QUESTION)
        assert page_text(tab, "Once a month").startswith(
            "Once a month [1], at the keeper's cost [2]."
        )
        assert len(cards(tab, "passage")) >= 1
        (exact,) = cards(tab, "exact")
        assert re.fullmatch(rf"\[1\] exact \S+notes\.txt, line 301\n“{BELL}”", exact)
        assert wait(tab, MARKED) == BELL
        assert in_view(tab)
        (aligned,) = cards(tab, "aligned")
        assert aligned.endswith(f"“{KEEPER}”")
        assert "changed (" in aligned
        (missing,) = cards(tab, "not.found")
        assert missing.startswith("[3] not found")
        assert tab.evaluate('document.querySelector("#results .not").disabled')

        tab.evaluate('document.querySelectorAll("#results .said button")[1].click()')
        wait(tab, f"{MARKED} === {json.dumps(KEEPER)}")
    request = model.requests[-1]
    assert BELL in request.user
    assert "copied word for word" in request.system


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who fails? The lighthouse?", "The language model has not answered: "),
        ("Who quotes nothing? The lighthouse?", "The answer quotes nothing"),
    ],
)
def test_a_model_that_does_not_quote_leaves_the_passages(browser, answering, question, sentence):
    with open_page(browser, answering) as tab:
        ask(tab, question)
        page_text(tab, sentence)
        assert cards(tab, "passage")


def test_names_texts_questions_and_answers_do_not_add_elements(
    browser, answering, tmp_path
) -> None:
    (tmp_path / f"dropped {HOSTILE[1]}.txt").write_text(HOSTILE[0], encoding="utf-8")
    with open_page(browser, answering) as tab:
        # The page begins with the hostile document.
        first = wait(tab, SHOWN)
        assert all(text in first for text in HOSTILE)
        tab.choose_files("input[type=file]", tmp_path / f"dropped {HOSTILE[1]}.txt")
        page_text(tab, "onerror")
        ask(tab, "Who is hostile? " + " ".join(HOSTILE))
        page_text(tab, "Nobody")
        assert any(HOSTILE[1] in card for card in cards(tab, "exact"))
        assert wait(tab, MARKED) in HOSTILE
        foreign = "u-foreign, img[src=x], svg[onload], base[href*=':9/'], #results form"
        assert tab.evaluate(f'document.querySelectorAll("{foreign}").length') == 0
        assert tab.evaluate("document.title") == "Ask a folder"
