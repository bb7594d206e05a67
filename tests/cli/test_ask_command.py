import json
import shutil
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.file_index import FileIndex
from lumber_cli.inputs import Inputs
from lumber_core.errors import StoreError
from tests.cli.running import run_apart, show_each_on_terminal
from tests.loopback.faults import Refusal, Status
from tests.loopback.server import LoopbackServer
from tests.making_files import pdf

GUIDE = """# Boats

## Care

Wax the hull in spring. Dry the sails after rain.

## Rental

A rental lasts seven days at most. The deposit is forty crowns.
"""
NOTES = "The ferry to Arden sails at noon.\n\nDogs travel for free on the ferry.\n"


@pytest.fixture
def docs(write_docs: Callable[..., Path]) -> Path:
    return write_docs(guide_md=GUIDE, notes_txt=NOTES)


def ask(*arguments: object, code: int = 0) -> dict[str, Any]:
    outcome = run_apart("ask", *arguments, "--format", "json")
    assert outcome.code == code, outcome.err
    return json.loads(outcome.out)


def documents(*arguments: object, code: int = 0) -> set[str]:
    return {passage["document"] for passage in ask(*arguments, code=code)["passages"]}


def test_the_passage_is_an_exact_slice_with_its_place(docs: Path) -> None:
    answer = ask("docs", "How long may a rental last?", "--words", 20)
    assert answer["question"] == "How long may a rental last?"
    best = max(answer["passages"], key=lambda passage: passage["score"])
    assert best["document"] == "docs/guide.md"
    assert "seven days" in best["text"]
    assert best["text"] == GUIDE[best["start"] : best["end"]]
    first, last = best["lines"]
    assert best["text"] in "\n".join(GUIDE.splitlines()[first - 1 : last])
    assert best["headings"][0] == "Boats"
    assert "pages" not in best


def test_readable_output_has_the_file_lines_and_headings(docs: Path) -> None:
    (docs / "care.md").write_text("# Care -- of sails\n\nSails dry on the line.\n")
    outcome = run_apart("ask", "docs", "Where do sails dry?", "--words", 12, code=0)
    assert outcome.out.startswith(
        "===== [1] docs/care.md | lines 1 to 3 | Care -- of sails\n# Care"
    )
    assert "Sails dry on the line.\n" in outcome.out


def test_a_pdf_is_cited_by_page_without_lines(docs: Path) -> None:
    (docs / "quay.pdf").write_bytes(pdf([["The first page."], ["Anchors rust in the harbour."]]))
    passages = ask("docs/quay.pdf", "What rusts?", "--words", 9)["passages"]
    assert passages[0]["pages"][-1] == 2
    assert "lines" not in passages[0]


def test_rows_of_a_table_come_with_its_header(docs: Path) -> None:
    rows = [f"boat {n},blue,{1000 + n}" for n in range(90)]
    (docs / "fleet.csv").write_text("\n".join(["name,colour,price", *rows]), encoding="utf-8")
    outcome = run_apart("ask", "docs/fleet.csv", "What does boat 70 cost?", "--words", 20)
    assert "boat 70" in outcome.out
    assert outcome.out.splitlines()[0].endswith(" | columns: name,colour,price")
    output = run_apart("ask", "docs/fleet.csv", "What does boat 0 cost?", "--words", 9).out
    assert "columns" not in output.splitlines()[0]


def test_folders_share_an_index_and_lose_nothing(docs: Path, tmp_path: Path) -> None:
    from lumber_retrieval.index.store import PassageStore

    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("The train to Calder leaves at nine.", encoding="utf-8")
    options = ("When does it leave?", "--index", "all.db")
    assert documents("docs", *options) == {"docs/guide.md", "docs/notes.txt"}
    assert documents("other", *options) == {"other/notes.txt"}
    stored = PassageStore(tmp_path / "all.db")
    assert len(stored.sources()) == 3
    (docs / "ferry.log").write_text("Departure: 10:30", encoding="utf-8")
    assert documents("docs/ferry.log", *options) == {"docs/ferry.log"}
    (docs / "guide.md").unlink()
    shutil.rmtree(other)
    assert documents("docs", *options) == {"docs/notes.txt"}
    # The files of a missing folder, such as an unplugged drive, stay in the index.
    indexed = [docs / "notes.txt", other / "notes.txt", docs / "ferry.log"]
    assert stored.sources() == [*map(str, indexed)]


def test_passages_of_a_file_that_became_unreadable_are_not_returned(docs: Path) -> None:
    options = ("docs", "Do dogs travel for free?", "--index", "docs.db")
    assert "docs/notes.txt" in documents(*options)
    (docs / "notes.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe")
    assert documents(*options) == {"docs/guide.md"}
    outcome = run_apart("ask", *options)
    assert outcome.err.count("docs/notes.txt") == 1
    assert "docs/notes.txt is neither text" in outcome.err
    assert "1 of 2 documents could not be read: 1 txt" in outcome.err


def test_a_message_about_many_unreadable_files_names_some_and_counts_all(docs: Path) -> None:
    for number in range(12):
        (docs / f"{number}.{'pdf' if number % 4 else 'docx'}").write_bytes(b"no document")
    outcome = run_apart("ask", "docs", "Do dogs travel for free?", code=0)
    assert outcome.err.count("cannot be read") == 5
    assert "12 of 14 documents could not be read: 9 pdf, 3 docx" in outcome.err


@pytest.mark.parametrize("command", ["ask", "split"])
def test_files_that_git_ignores_are_left_out_unless_requested(docs: Path, command: str) -> None:
    (docs / ".gitignore").write_text("built/\n", encoding="utf-8")
    for name in ("built/copy.md", "node_modules/pkg/README.md"):
        (docs / name).parent.mkdir(parents=True)
        (docs / name).write_text("Dogs travel for free on all boats.", encoding="utf-8")
    arguments = ["Do dogs travel for free?", "--format", "json"] if command == "ask" else []
    output = run_apart(command, "docs", *arguments).out
    assert "copy.md" not in output
    assert "README.md" not in output
    output = run_apart(command, "docs", *arguments, "--no-ignore").out
    assert "docs/built/copy.md" in output
    assert "docs/node_modules/pkg/README.md" in output


def test_control_characters_of_a_text_do_not_reach_a_terminal(docs: Path) -> None:
    (docs / "evil.txt").write_text("A red \x1b[31mherring\x07 swims\x9b2J.", encoding="utf-8")
    arguments = ("ask", "docs/evil.txt", "What swims?")
    split = ("split", "docs/evil.txt", "--format", "text")
    for output in show_each_on_terminal(arguments, [*arguments, "--format", "json"], split):
        assert not any(control in output for control in ("\x1b[31m", "\x07", "\x9b"))
        assert "[31mherring" in output
        assert "docs/evil.txt" in output


def test_a_model_answers_with_quotes_that_are_looked_up(docs: Path) -> None:
    text = (docs / "guide.md").read_text()
    quote = text[text.index("seven days") :].splitlines()[0]
    with LoopbackServer(f"Seven days [1].\n\n[1] “{quote}”") as server:
        options = ("docs", "How long may a rental last?", "--words", 30)
        model = ("--model", f"{server.openai_url}#any", "--set", "temperature=0.5")
        answer = ask(*options, *model)
        output = run_apart("ask", *options, *model)
    assert answer["answer"] == "Seven days [1]."
    (citation,) = answer["citations"]
    assert citation["kind"] == "exact"
    assert citation["document"] == "docs/guide.md"
    assert text[citation["start"] : citation["end"]] == quote == citation["text"]
    line = text.count("\n", 0, citation["start"]) + 1
    assert citation["lines"] == [line, line]
    assert output.out.startswith(
        f'Seven days [1].\n\n[1] docs/guide.md, line {line}: "{quote}"\n\n===== docs/guide.md | '
    )
    assert output.code == 0
    (request, _) = server.requests
    assert "Question: How long may a rental last?" in request.user
    assert "\ndocs/guide.md:\n    " in request.user
    assert "seven days at most" in request.user
    assert request.temperature == 0.5


@pytest.mark.parametrize(
    ("reply", "kept", "message"),
    [
        ('Nine [1].\n\n[1] "It may last nine whole weeks."', "not found", "not found in the files"),
        ("Seven days.", "Seven days.", "the model quotes nothing"),
        ('Seven [1], or [2].\n\n[1] "seven days"', "or [?].", "gave no quote where [?] stands"),
        ("UNKNOWN", "", "no answer from the model: it finds none in these passages"),
        ("", "", "no answer from the model: the reply is empty"),
        ("I cannot help with that.", "", "no answer from the model: the model declined to answer"),
    ],
)
def test_a_warning_marks_an_answer_without_quotes_from_the_files(
    docs, reply, kept, message
) -> None:
    with LoopbackServer(reply) as server:
        options = ("docs", "How long may a rental last?", "--model", f"{server.openai_url}#any")
        outcome = run_apart("ask", *options)
    assert outcome.code == 1
    assert message in outcome.err
    assert kept in outcome.out
    assert "===== " in outcome.out
    assert len(server.requests) == 1 + (reply in ("Seven days.", "") or "[1]" in reply)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Status(401), "401"),
        (Status(500), "500"),
        (Refusal(), "the provider blocked it: refusal"),
        (None, "http://127.0.0.1:9 returns no list of models"),
    ],
)
def test_passages_are_shown_if_the_model_fails(docs: Path, fault: Any, message: str) -> None:
    with LoopbackServer("Any.", faults=lambda _: fault) as server:
        url = "http://127.0.0.1:9" if fault is None else f"{server.openai_url}#any"
        options = ("--model", url, "--set", "attempts=1")
        outcome = run_apart("ask", "docs", "How long may a rental last?", *options)
    assert outcome.code == 1
    assert outcome.out.startswith("===== [1] docs/guide.md")
    assert "no answer from the model: " in outcome.err
    assert message in outcome.err


def test_a_question_that_the_files_do_not_answer_is_reported(docs: Path) -> None:
    outcome = run_apart("ask", "docs", "Who discovered quantum chromodynamics?", code=0)
    assert "nothing in these files seems to answer this" in outcome.err
    outcome = run_apart("ask", "docs", "How long may a rental last?")
    assert "nothing" not in outcome.err


def test_a_page_can_be_written_instead_of_printed_output(docs: Path) -> None:
    reply = 'Seven days at most [1].\n\n[1] "seven days at most"'
    with LoopbackServer(reply) as server:
        model = ("--model", f"{server.openai_url}#any")
        outcome = run_apart("ask", "docs", "How long?", "-o", "a.html", "--no-cache", *model)
    assert outcome == (0, "a.html\n", "")
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<title>How long?</title>" in page
    assert '"answer": [["paragraph", ["Seven days at most [1]."], 0]]' in page
    assert '"kind": "exact"' in page
    assert (docs / "guide.md").as_uri() in page
    # The page is not read as a document for the next question.
    Path("a.html").rename(docs / "a.html")
    assert "docs/a.html" not in documents("docs", "How long may a rental last?", "--words", 900)


def test_a_page_has_the_whole_files_of_a_stored_index_and_of_stdin(docs: Path) -> None:
    days = [f"On day {n} the tide is written into the book of the house." for n in range(20)]
    (docs / "quay.pdf").write_bytes(pdf([days, ["Anchors rust in the harbour."]]))
    command = ("ask", "docs", "-", "Hulls and anchors rust?", "--index", "docs.db", "-o", "a.html")
    for _ in range(2):  # the second time, files are not read
        assert run_apart(*command, "--words", 12, stdin=b"Hulls rust, too.").code == 0
        page = Path("a.html").read_text(encoding="utf-8")
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        blocks = {document["name"]: document["blocks"] for document in data["documents"]}
        assert [block[2] for block in blocks["docs/quay.pdf"] if block[0] == "page"] == [1, 2]
        links = {document["blocks"][0][1][0]: document["link"] for document in data["passages"]}
        assert links == {
            "Anchors rust in the harbour.": f"{(docs / 'quay.pdf').as_uri()}#page=2",
            "Hulls rust, too.": None,
        }


def test_a_passage_is_not_shown_in_a_document_that_has_changed_since(docs: Path) -> None:
    ours, theirs = FileIndex(Path("docs.db")), FileIndex(Path("docs.db"))
    ours.update(Inputs(["docs"]))
    passages = ours.search("Do dogs travel for free?", 12)
    assert ours.documents(passages)["docs/notes.txt"].text == NOTES
    (docs / "notes.txt").write_text(f"New. {NOTES}", encoding="utf-8")
    theirs.update(Inputs(["docs"]))
    with pytest.raises(StoreError, match="has just changed in the index: ask again"):
        ours.documents(passages)


def test_the_browser_opens_the_page(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = docs.parent / "viewer"
    viewer.write_text(f'#!/bin/sh\necho "$1" > {docs.parent}/opened\n')
    viewer.chmod(0o755)
    monkeypatch.setattr(webbrowser, "_tryorder", None)  # as in a new process
    monkeypatch.setenv("BROWSER", f"{viewer} %s")
    outcome = run_apart("ask", "docs", "How long may a rental last?", "--open", code=0)
    page = Path(outcome.out.strip())
    assert page.name == "answer.html"
    assert Path("opened").read_text().strip() == page.as_uri()
    shutil.rmtree(page.parent)
