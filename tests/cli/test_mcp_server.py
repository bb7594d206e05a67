"""Processes that serve agents: how they start, share an index, are killed and end."""

import itertools
import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from lumber_cli.file_index import MAX_BATCH_FILES, FileIndex, ReadFile
from lumber_core import __version__
from tests.cli.running import run_apart, start
from tests.cli.serving import Agent, agent, connect, stored_files, wait_for

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("harbour", "lighthouse", "orchard", "quarry", "mill", "abbey", "castle", "meadow")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder that is indexed in two batches."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(MAX_BATCH_FILES + 4):
        lines = [
            f"On day {day} keeper {n} of the {PLACES[n % 8]} wrote {day * n} words of weather."
            for day in range(3)
        ]
        text = f"# Log {n}\n\n" + "\n\n".join(lines)
        (folder / f"log{n:02}.md").write_text(text, encoding="utf-8")
        os.utime(folder / f"log{n:02}.md", (10**9, 10**9))
    return folder


def test_tools_answer_before_all_files_are_indexed(docs: Path, tmp_path: Path, monkeypatch) -> None:
    batches, go_on, add = itertools.count(), Event(), FileIndex.add

    def add_later(self: FileIndex, files: Iterable[ReadFile]) -> None:
        if next(batches):
            assert go_on.wait(200)
        add(self, files)

    monkeypatch.setattr(FileIndex, "add", add_later)
    with agent(docs, index=tmp_path / "docs.db") as serving:
        result = serving.data("search", question="Who wrote at the lighthouse?")
        assert "of 36 files indexed; results may be incomplete" in result["progress"]
        # These tools need no index.
        assert serving.data("grep", pattern="keeper 35")["count"] == 3
        assert serving.data("read", file="log35.md", last_line=1)["text"] == "# Log 35"
        assert serving.data("status")["indexing"]
        assert serving.data("status")["waiting"] >= 4
        go_on.set()
        assert search_when_indexed(serving, "Who wrote at the lighthouse?")["passages"]


KILLED = """
import os, runpy, signal
from lumber_cli.file_index import FileIndex
add, batches = FileIndex.add, []
def add_one_batch(self, files):
    if batches:
        os.kill(os.getpid(), signal.SIGKILL)
    batches.append(add(self, files))
FileIndex.add = add_one_batch
runpy.run_module("lumber_cli", run_name="__main__", alter_sys=True)
"""


def test_killed_servers_leave_an_index_that_the_next_one_completes(docs: Path, tmp_path: Path):
    index = tmp_path / "docs.db"
    with start("mcp", docs, "--index", index, program=KILLED) as process:
        assert process.wait(200) == -signal.SIGKILL  # the server indexes before any call
    before = stored_files(index)
    assert len(before) == MAX_BATCH_FILES
    with agent(docs, index=index) as serving:
        assert search_when_indexed(serving, "Who wrote at the abbey?")["passages"]
        status = serving.data("status")
        assert (status["indexed"], status["index"]) == (36, str(index))
    after = stored_files(index)
    assert len(after) == 36
    assert {name: after[name] for name in before} == before  # no file was stored again


def test_servers_of_a_folder_share_an_index_in_the_cache_and_ask_may_use_it(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    question = "Who wrote at the castle?"
    for path in sorted(docs.iterdir())[8:]:
        path.unlink()
    with agent(docs) as first, agent(".", cwd=docs) as second:
        for serving in (first, second):
            serving.data("search", question=question)
        status, second_status = first.wait_until_indexed(), second.wait_until_indexed()
        assert status["indexed"] == second_status["indexed"] == 8
        assert status["index"] == second_status["index"]
        expected = first.data("search", question=question)
        assert second.data("search", question=question) == expected
        (docs / "log00.md").write_text("The castle is empty.\n", encoding="utf-8")
        for serving in (second, first):
            answer = search_when_indexed(serving, "Is the castle empty?")
            assert answer["passages"][0]["text"] == "The castle is empty."
    index = Path(status["index"])
    assert index.is_relative_to(tmp_path / "cache")
    before = stored_files(index)
    with agent(docs, index=index) as third:
        assert search_when_indexed(third, question)["passages"]
    outcome = run_apart("ask", docs, question, "--index", index, "--format", "json", code=0)
    assert json.loads(outcome.out)["passages"]
    assert stored_files(index) == before  # nothing was embedded again


def test_an_index_that_cannot_be_used_is_reported_and_the_rest_works(docs: Path, tmp_path: Path):
    (tmp_path / "notes.db").write_text("This is no index." * 100, encoding="utf-8")
    with agent(docs, index=tmp_path / "notes.db") as serving:
        error = wait_for(
            lambda: serving.call("search", question="Who?"), lambda result: result.is_error
        )
        assert "is not a database" in error.content[0].text
        assert "is not a database" in serving.data("status")["note"]
        assert serving.data("grep", pattern="keeper 35")["count"] == 3
    assert (tmp_path / "notes.db").read_text(encoding="utf-8").startswith("This is no index.")


HANGING = """
import runpy, time
from lumber_cli.agents.texts import FileTexts
FileTexts.read = lambda self, file: time.sleep(10_000)
runpy.run_module("lumber_cli", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(("end", "status"), [("Ctrl-C", 130), ("end of stdin", 0)])
def test_ctrl_c_and_the_end_of_stdin_stop_a_busy_server_quietly(
    docs: Path, tmp_path: Path, end: str, status: int
) -> None:
    with serving_process(docs, "--index", tmp_path / "docs.db", program=HANGING) as process:
        send(process, "tools/call", id=3, name="read", arguments={"file": "log00.md"})
        if end == "Ctrl-C":
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)  # closes stdin
    assert (process.returncode, out, err) == (status, b"", b"")


def test_http_is_served_only_on_this_machine(docs: Path, tmp_path: Path) -> None:
    with http(docs, tmp_path / "docs.db") as url:
        with connect(url) as first, connect(url) as second:
            assert serves(first)
            assert serves(second)
        host = url.split("/")[2]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            request.add_header("Content-Type", "application/json")
            request.add_header("Accept", "application/json, text/event-stream")
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code in (403, 421)
            refused.value.close()
        port = host.split(":")[1]
        taken = run_apart("mcp", docs, "--http", port)
        assert taken.code == 2
        assert f"port {port} of this machine cannot be used" in taken.err


@pytest.mark.parametrize("structured", [False, True])
def test_results_are_only_text_unless_data_is_requested(structured: bool, tmp_path: Path) -> None:
    """Clients that get data show the model only that, without line numbers and quote marks."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "log.md").write_text("# Log\n\nThe fog is thick.\n\nIt lifts.", encoding="utf-8")
    with agent(folder, index=tmp_path / "docs.db", structured=structured) as serving:
        read = serving.call("read", file="log.md")
        found = serving.call("search", question="How thick is the fog?")
    assert read.content[0].text.splitlines()[1:] == [
        *("     1 | # Log", "     2 | ", "     3 | The fog is thick."),
        *("     4 | ", "     5 | It lifts."),
    ]
    assert "\n    The fog is thick." in found.content[0].text
    for result in (read, found):
        assert (result.structured_content is not None) == structured


def test_the_registry_entry_matches_the_version_and_starts_the_server() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    [package] = entry["packages"]
    assert entry["version"] == package["version"] == __version__
    assert len(entry["description"]) <= 100
    first, folder = package["packageArguments"]
    assert (first["value"], folder["format"]) == ("mcp", "filepath")
    assert package["transport"] == {"type": "stdio"}


@contextmanager
def serving_process(*arguments: object, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server that has answered a call with text only, and is killed at the end."""
    client = {"name": "test", "version": "1"}
    with start("mcp", *arguments, program=program) as process:
        try:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            send(process, "initialize", id=1, **hello)
            send(process, "notifications/initialized")
            send(process, "tools/call", id=2, name="status", arguments={})
            assert process.stdout is not None
            first, second = (json.loads(process.stdout.readline()) for _ in range(2))
            assert (first["id"], second["id"]) == (1, 2)
            assert "structuredContent" not in second["result"]
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], method: str, **params: object) -> None:
    """Send a request, or without an `id` a notification."""
    number = {"id": params.pop("id")} if "id" in params else {}
    message = {"jsonrpc": "2.0", **number, "method": method, "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def search_when_indexed(serving: Agent, question: str) -> dict[str, Any]:
    """Return the answer of a search as soon as all changes are indexed."""
    return wait_for(
        lambda: serving.data("search", question=question), lambda answer: answer["progress"] == ""
    )


def serves(serving: Agent) -> bool:
    return serving.data("grep", pattern="keeper 35")["count"] == 3


@contextmanager
def http(docs: Path, index: Path) -> Iterator[str]:
    """A server over HTTP; its URL."""
    process = start("mcp", docs, "--structured", "--index", index, "--http", 0)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        assert "serving http://127.0.0.1:" in line
        yield line.split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=200)
    assert process.returncode == 130
    assert b"Traceback" not in err
