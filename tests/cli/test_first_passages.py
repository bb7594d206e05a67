"""`lumber-splitters ask` on a terminal: the first passages are shown before vectors exist."""

import shlex
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.alone import run_python
from tests.cli.running import EACH, run_apart, show_each_on_terminal, show_on_terminal
from tests.loopback.server import LoopbackServer

QUESTION = "Where does the heron land?"
ANSWER = "The heron lands at quay nine."
FIRST, FINAL = "found by words; better ones follow", "found by meaning and by words:"
FROM_ONE_BYTE = "import lumber_cli.file_index; lumber_cli.file_index._LARGE_BYTES = 1\n"


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
        commands = ("docs", QUESTION, "--words", 40, "--embeddings", f"{server.url}/v1#letters")
        first_output = show_on_terminal("ask", *commands, until=ANSWER, then=embedding.set)
        assert all(released)
        before, after = first_output.split(FINAL)
        assert FIRST in before
        assert ANSWER in before[before.index(FIRST) :]
        assert ANSWER in after
        second_output = show_on_terminal("ask", *commands)
    assert FIRST not in second_output
    assert FINAL not in second_output


def test_first_passages_are_only_shown_in_readable_output(docs: Path) -> None:
    are_shown = {
        "": True,
        "--no-cache": True,
        "--index a.db": True,
        "--index b.db --format json": False,
        "--index c.db --output page.html": False,
    }
    commands = [("ask", "docs", QUESTION, *options.split()) for options in are_shown]
    outputs = show_each_on_terminal(*commands, before=FROM_ONE_BYTE)
    last = run_apart("ask", "docs", QUESTION).out.strip()
    for output, (options, is_shown) in zip(outputs, are_shown.items(), strict=True):
        assert (FIRST in output) == (FINAL in output) == is_shown
        assert output.count(ANSWER) == (0 if "page" in options else 1 + is_shown)
        assert output.count("old.txt is not UTF-8") == 1
        assert is_shown is False or output.split(FINAL)[-1].strip() == last


def test_a_pipe_gets_only_the_final_passages(docs: Path) -> None:
    completed = run_python(FROM_ONE_BYTE + EACH, shlex.join(("ask", "docs", QUESTION)))
    out, status, *_ = completed.stdout.split("\0")
    assert (out.count(ANSWER), status) == (1, "0")
    assert FIRST not in completed.stderr


def test_unknown_words_give_no_first_passages(docs: Path) -> None:
    [output] = show_each_on_terminal(("ask", "docs", "Qui peint des zèbres?"), before=FROM_ONE_BYTE)
    assert FIRST not in output
