"""Servers of folders, in memory or as processes, and the SDK's client for them."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.types import CallToolResult

from lumber_cli.agents.server import FolderServer
from lumber_cli.agents.tools import FolderTools


class Agent:
    """A client for tests without coroutines, so that several tests can share a server."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.client = client
        self._portal = portal

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        result = self._portal.call(partial(self.client.call_tool, tool, arguments))
        assert isinstance(result, CallToolResult)
        return result

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured content of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def text(self, tool: str, **arguments: Any) -> str:
        """Return the text of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def error(self, tool: str, **arguments: Any) -> str:
        """Return the message of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def list_tools(self) -> Any:
        return self._portal.call(self.client.list_tools)

    def wait_until_indexed(self) -> dict[str, Any]:
        return wait_for(lambda: self.data("status"), lambda status: status["waiting"] == 0)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return content.text


def wait_for(find: Callable[[], Any], fits: Callable[[Any], bool], seconds: float = 200) -> Any:
    """Return the result of a call as soon as it meets a condition."""
    deadline = time.monotonic() + seconds
    while not fits(result := find()):
        assert time.monotonic() < deadline, result
        time.sleep(0.05)
    return result


def stored_files(index: Path) -> dict[str, int]:
    """Return the files in an index, with the numbers under which they were stored."""
    if not index.exists():
        return {}
    with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True, timeout=30)) as connection:
        try:
            rows = connection.execute("SELECT name, id FROM documents").fetchall()
        except sqlite3.OperationalError:  # the file has no tables yet
            return {}
    return {Path(os.fsdecode(name)).name: number for name, number in rows}


@contextmanager
def connect(server: FolderServer | str) -> Iterator[Agent]:
    """A client of a server in memory, or of one at a URL."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as client,
    ):
        yield Agent(portal, client)


@contextmanager
def agent(
    *folders: str | Path,
    index: Path | None = None,
    cwd: Path | None = None,
    structured: bool = True,
) -> Iterator[Agent]:
    """A client with its own server in memory: a process would take seconds to start."""
    with pytest.MonkeyPatch.context() as patched:
        if cwd is not None:
            patched.chdir(cwd)
        tools = FolderTools([*map(str, folders)], index)
    with connect(FolderServer(tools, structured=structured)) as client:
        yield client
