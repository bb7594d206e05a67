"""`lumber-splitters ask` on a terminal: the first passages come before vectors are made."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.cli.running import run_apart, shown_on_terminal, started
from tests.loopback.server import LoopbackServer

QUESTION = "Where does the heron land?"
ANSWER = "The heron lands at quay nine."
FIRST, FINAL = "found by words; better ones follow", "found by meaning and by words:"
FROM_ONE_BYTE = """
import lumber_cli.file_index
from lumber_cli import main
lumber_cli.file_index._LARGE_BYTES = 1
main()
"""


@pytest.fixture
def docs(write_docs: Callable[..., Path]) -> Path:
    birds = f"# Birds\n\n{ANSWER} Gulls sleep on the roof.\n"
    old = "Das Fährhaus schließt früh am Abend.".encode("latin-1")
    boats = "# Boats\n\nA rental lasts seven days at most.\n"
    return write_docs(birds_md=birds, boats_md=boats, old_txt=old)


def test_a_large_folder_answers_by_words_before_any_text_is_embedded(docs: Path) -> None:
    story = " ".join(f"Keeper {n} paints the long wall of the old mill grey." for n in range(600))
    for number in range(25):
        (docs / f"story-{number}.txt").write_text(f"Story {number}.\n\n{story}\n")
    embedding = Event()
    released = []
    with LoopbackServer(faults=lambda _: released.append(embedding.wait(60))) as server:
        asked = ("docs", QUESTION, "--words", 40, "--embeddings", f"{server.url}/v1#letters")
        shown = shown_on_terminal("ask", *asked, until=ANSWER, then=embedding.set)
        assert all(released)
        before, after = shown.split(FINAL)
        assert FIRST in before
        assert ANSWER in before[before.index(FIRST) :]
        assert ANSWER in after
        again = shown_on_terminal("ask", *asked)
    assert FIRST not in again
    assert FINAL not in again


@pytest.mark.parametrize(
    ("options", "is_shown"),
    [
        ("", True),
        ("--no-cache", True),
        ("--index own.db", True),
        ("--format json", False),
        ("--output page.html", False),
    ],
)
def test_first_passages_are_for_people_who_read_passages(docs: Path, options: str, is_shown: bool):
    shown = shown_on_terminal("ask", "docs", QUESTION, *options.split(), program=FROM_ONE_BYTE)
    assert (FIRST in shown) == (FINAL in shown) == is_shown
    assert shown.count(ANSWER) == (0 if "page" in options else 1 + is_shown)
    assert shown.count("old.txt is not UTF-8") == 1
    final = shown.split(FINAL)[-1]
    assert is_shown is False or final.strip() == run_apart("ask", "docs", QUESTION).out.strip()


def test_a_pipe_gets_the_final_passages_alone(docs: Path) -> None:
    with started("ask", "docs", QUESTION, program=FROM_ONE_BYTE) as done:
        out, err = done.communicate(timeout=60)
    assert done.returncode == 0
    assert out.decode().count(ANSWER) == 1
    assert FIRST not in err.decode()


def test_words_that_no_file_has_give_no_first_passages(docs: Path) -> None:
    shown = shown_on_terminal("ask", "docs", "Qui peint des zèbres?", program=FROM_ONE_BYTE)
    assert FIRST not in shown
