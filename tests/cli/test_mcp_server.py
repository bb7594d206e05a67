"""Processes that serve agents: how they start, share an index, are killed and end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lumber_core import __version__
from tests.cli.running import run_apart, started
from tests.cli.serving import SERVE, Agent, agent, connected, stored, until

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("harbour", "lighthouse", "orchard", "quarry", "mill", "abbey", "castle", "meadow")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder that takes several seconds to index, in several batches."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(36):
        lines = [
            f"On day {day} keeper {n} of the {PLACES[n % 8]} wrote {day * n} words of weather."
            for day in range(30)
        ]
        text = f"# Log {n}\n\n" + "\n\n".join(lines)
        (folder / f"log{n:02}.md").write_text(text, encoding="utf-8")
        os.utime(folder / f"log{n:02}.md", (10**9, 10**9))
    return folder


def test_the_tools_are_listed_and_answer_before_all_is_indexed(docs: Path, tmp_path: Path) -> None:
    index = tmp_path / "docs.db"
    for n in range(100, 400):
        (docs / f"log{n}.md").write_text("The fog is thick. " * 100, encoding="utf-8")
    with agent(docs, "--index", index) as serving:
        assert len(serving.listed()) == 5
        assert len(stored(index)) < 336
        result = serving.data("search", question="Who wrote at the lighthouse?")
        assert "of 336 files indexed; results may be incomplete" in result["progress"]
        # These need no index.
        assert serving.data("grep", pattern="keeper 35")["count"] == 30
        assert serving.data("read", file="log35.md", last_line=1)["text"] == "# Log 35"
        assert serving.data("status")["indexing"]
        assert serving.data("status")["waiting"] > 0


def test_killed_servers_leave_an_index_that_the_next_one_completes(
    docs: Path, tmp_path: Path
) -> None:
    index = tmp_path / "docs.db"
    with serving_process(docs, "--index", index):  # which is killed
        until(lambda: stored(index), bool)
    before = stored(index)
    assert 0 < len(before) < 36
    with agent(docs, "--index", index) as serving:
        status = serving.wait_until_indexed()
        assert (status["indexed"], status["index"]) == (36, str(index))
        assert serving.data("search", question="Who wrote at the abbey?")["progress"] == ""
    after = stored(index)
    assert len(after) == 36
    assert {name: after[name] for name in before} == before  # none was stored again


def test_servers_of_a_folder_share_an_index_in_the_cache_and_ask_may_use_it(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    question = "Who wrote at the castle?"
    for path in sorted(docs.iterdir())[8:]:
        path.unlink()
    with agent(docs) as one, agent(".", cwd=docs) as two:
        for serving in (one, two):
            serving.data("search", question=question)
        status, same = one.wait_until_indexed(), two.wait_until_indexed()
        assert status["indexed"] == same["indexed"] == 8
        assert status["index"] == same["index"]
        expected = one.data("search", question=question)
        assert two.data("search", question=question) == expected
        (docs / "log00.md").write_text("The castle is empty.\n", encoding="utf-8")
        for serving in (two, one):
            answer = searched(serving, "Is the castle empty?")
            assert answer["passages"][0]["text"] == "The castle is empty."
    index = Path(status["index"])
    assert index.is_relative_to(tmp_path / "cache")
    before = stored(index)
    with agent(docs, "--index", index) as third:
        assert searched(third, question)["passages"]
    done = run_apart("ask", docs, question, "--index", index, "--format", "json")
    assert done.code == 0
    assert json.loads(done.out)["passages"]
    assert stored(index) == before  # nothing was embedded again


def test_an_index_that_cannot_be_used_is_said_and_the_rest_works(
    docs: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.db").write_text("This is no index." * 100, encoding="utf-8")
    with agent(docs, "--index", tmp_path / "notes.db") as serving:
        error = until(lambda: serving.call("search", question="Who?"), lambda found: found.is_error)
        assert "is not a database" in error.content[0].text
        assert "is not a database" in serving.data("status")["note"]
        assert serving.data("grep", pattern="keeper 35")["count"] == 30
    assert (tmp_path / "notes.db").read_text(encoding="utf-8").startswith("This is no index.")


def test_ctrl_c_and_the_end_of_stdin_end_it_quietly(docs: Path, tmp_path: Path) -> None:
    index = tmp_path / "docs.db"
    for n in range(100, 400):
        (docs / f"log{n}.md").write_text("The fog is thick. " * 100, encoding="utf-8")
    with serving_process(docs, "--index", index) as process:
        until(lambda: stored(index), bool)  # in the middle of indexing
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)
        assert (process.returncode, err) == (130, b"")
        only_protocol(out)
    with serving_process(docs, "--index", index) as process:
        out, err = process.communicate(timeout=200)  # closes stdin
        assert (process.returncode, err) == (0, b"")
        only_protocol(out)
    assert len(stored(index)) < 336  # neither indexed the rest first


UNBOUNDED = """
import runpy
from lumber_cli.agents import grep
grep._SECONDS = 1e6
runpy.run_module("lumber_cli", run_name="__main__", alter_sys=True)
"""


def test_the_end_of_stdin_ends_it_while_a_call_runs(docs: Path, tmp_path: Path) -> None:
    (docs / "slow.txt").write_text("a" * 5_000_000, encoding="utf-8")
    slow = {"pattern": "(a?){1000}(b?){1000}x", "regex": True, "files": "slow.txt"}
    call = {"id": 3, "method": "tools/call", "params": {"name": "grep", "arguments": slow}}
    with serving_process(docs, "--index", tmp_path / "docs.db", program=UNBOUNDED) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n")
        process.stdin.flush()
        time.sleep(1)
        out, _ = process.communicate(timeout=100)  # the call would take longer
        assert process.returncode == 0
        only_protocol(out)


def test_http_is_served_on_this_machine_alone(docs: Path, tmp_path: Path) -> None:
    with http(docs, tmp_path / "docs.db") as url:
        with connected(url) as one, connected(url) as two:
            assert serves(one)
            assert serves(two)
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


@pytest.mark.parametrize("options", [(), ("--structured",)])
def test_results_are_text_alone_unless_data_is_asked_for(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Clients that get data show the model only that: without lines, and marks of quotes."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "log.md").write_text("# Log\n\nThe fog is thick.\n\nIt lifts.", encoding="utf-8")
    with serving_process(folder, "--index", tmp_path / "docs.db", *options) as process:
        lists = answer_of(process, "tools/list")
        read = answer_of(process, "tools/call", name="read", arguments={"file": "log.md"})
        asked = {"question": "How thick is the fog?"}
        searched = answer_of(process, "tools/call", name="search", arguments=asked)
    assert not any("outputSchema" in tool for tool in lists["tools"])
    assert read["content"][0]["text"].splitlines()[1:] == [
        *("     1 | # Log", "     2 | ", "     3 | The fog is thick."),
        *("     4 | ", "     5 | It lifts."),
    ]
    assert "\n    The fog is thick." in searched["content"][0]["text"]
    assert ("structuredContent" in read, "structuredContent" in searched) == (bool(options),) * 2


def test_the_list_of_tools_is_short_and_may_be_kept(tmp_path: Path) -> None:
    with agent(tmp_path) as serving:
        listed = serving.list_tools()
    assert listed.ttl_ms == 24 * 3600 * 1000
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
    assert len(json.dumps(shown)) < 4500


def test_the_registry_starts_the_server_that_this_is() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    [package] = entry["packages"]
    assert entry["version"] == package["version"] == __version__
    assert len(entry["description"]) <= 100
    first, folder = package["packageArguments"]
    assert (first["value"], folder["format"]) == ("mcp", "filepath")
    assert package["transport"] == {"type": "stdio"}


@contextmanager
def serving_process(*arguments: object, program: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A server that has answered a call, and is killed in the end."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}},
    ]
    with started("mcp", *arguments, program=program) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            for message in messages:
                process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                process.stdin.flush()
            for number in (1, 2):
                assert json.loads(process.stdout.readline())["id"] == number
            yield process
        finally:
            process.kill()


def answer_of(process: subprocess.Popen[bytes], method: str, **params: object) -> Any:
    """Return the result of a request."""
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": 3, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["result"]


def searched(serving: Agent, question: str) -> dict[str, Any]:
    """Return the answer of a search as soon as all changes are indexed."""
    return until(
        lambda: serving.data("search", question=question), lambda answer: answer["progress"] == ""
    )


def serves(serving: Agent) -> bool:
    return serving.data("grep", pattern="keeper 35")["count"] == 30


@contextmanager
def http(docs: Path, index: Path) -> Iterator[str]:
    """A server over HTTP; its URL."""
    command = [sys.executable, *SERVE, docs, "--index", index, "--http", "0"]
    process = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        said = process.stderr.readline().decode()
        assert "serving http://127.0.0.1:" in said
        yield said.split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=200)
    assert process.returncode == 130
    assert b"Traceback" not in err


def only_protocol(out: bytes) -> None:
    for line in out.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
