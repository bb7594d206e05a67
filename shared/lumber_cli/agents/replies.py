"""The results of the tools for agents: a text for a model, and the same as data for programs.

Each line of a document is indented or follows its line number, so that it cannot be mistaken for a
message of the server.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp.types import CallToolResult, TextContent

from lumber_core.support.wording import range_with_noun
from lumber_core.text.unicode import printable


def result(text: str, data: dict[str, Any]) -> CallToolResult:
    """Return the result of a tool."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def join_lines(*lines: str) -> str:
    """Join lines, without empty ones."""
    return "\n".join(filter(None, lines))


def indent_text(text: str) -> str:
    """Return a text of a document, indented."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def number_lines(first: int, text: str) -> str:
    """Return lines of a document, each after its number."""
    lines = []
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(normal.split("\n"), first):
        # Characters such as form feeds break a line on screen, but do not end it for `LinedText`.
        begin, *rest = line.splitlines() or [""]
        lines += [f"{number:>6} | {begin}", *(f"{'':>6} | {part}" for part in rest)]
    return "\n".join(lines)


def place_of(data: dict[str, Any]) -> str:
    """Return a citation of lines: file, pages, time and lines."""
    parts = [printable(data["file"])]
    if data["first_page"] is not None:
        parts.append(range_with_noun("page", data["first_page"], data["last_page"]))
    if data["time"]:
        parts.append(data["time"])
    return ", ".join([*parts, range_with_noun("line", data["first_line"], data["last_line"])])


def list_items(title: str, items: Iterable[str]) -> str:
    """Return items below their title; "" if there are none."""
    lines = [f"  {printable(item)}" for item in items]
    return "\n".join([title, *lines]) if lines else ""
