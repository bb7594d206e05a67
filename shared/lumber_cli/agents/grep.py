"""Finds lines that contain a text or match a regular expression, in linear time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import re2
from mcp.types import CallToolResult

from lumber_cli.agents.folders import ServedFile
from lumber_cli.agents.replies import join_lines, number_lines, result
from lumber_cli.agents.texts import FileTexts
from lumber_core.support.wording import with_noun
from lumber_core.text.markdown import LINE_BREAK
from lumber_core.text.unicode import printable

_MAX_MATCHES = 100  # lines in a result; the others are only counted
_MAX_LINE_CHARACTERS = 240  # in a result; longer lines are cut around the match
_CHARACTERS_BEFORE_MATCH = 80  # of a long line
_MAX_SEARCH_SECONDS = 20.0  # of a search, which then stops: clients wait for a minute
_MAX_EXPRESSION_BYTES = 1 << 21  # size when compiled; a larger one takes minutes per part of a line
_PART_SIZE, _PART_OVERLAP = 10_000, 1000  # characters of the parts in which lines are searched


def find_lines(
    texts: FileTexts,
    files: Sequence[ServedFile],
    pattern: str,
    *,
    regex: bool,
    ignore_case: bool,
    notes: Sequence[str] = (),
) -> CallToolResult:
    """Return the lines of some files that contain a text or match an expression of RE2.

    `notes` are added to the note of the result.
    """
    expression = _compile(pattern, regex=regex, ignore_case=ignore_case)
    deadline = time.monotonic() + _MAX_SEARCH_SECONDS
    matches: list[dict[str, Any]] = []
    output: list[str] = []
    count = searched = unread = 0
    divided = False
    try:
        for file in files:
            _check_deadline(deadline)
            try:
                lines = texts.read(file).lines
            except ValueError:
                unread += 1
                continue
            for number, line in enumerate(lines, 1):
                if regex and len(line) > _PART_SIZE:
                    divided = True
                    start = _start_in_parts(expression, line, deadline)
                else:
                    _check_deadline(deadline)
                    start = _start_of(expression.search(line))
                if start is None:
                    continue
                count += 1
                if len(matches) < _MAX_MATCHES:
                    if not matches or matches[-1]["file"] != file.name:
                        output.append(printable(file.name))
                    text = _excerpt(line, start)
                    matches.append({"file": file.name, "line": number, "text": text})
                    output.append(number_lines(number, text))
            searched += 1
    except TimeoutError:
        pass
    rest = len(files) - searched - unread
    more = count > len(matches)
    notices = {
        f"only the first {len(matches)} lines are shown: narrow the search with files or another "
        "pattern": more,
        f"stopped after {_MAX_SEARCH_SECONDS:g} s with {with_noun(rest, 'file')} left: narrow the "
        "search with files": rest,
        f"matches longer than {_PART_OVERLAP:,} characters may be missing in lines longer than "
        f"{_PART_SIZE:,}": divided,
        f"{with_noun(unread, 'file')} could not be read: see status": unread,
    }
    note = "; ".join([*notes, *(notice for notice, applies in notices.items() if applies)])
    data = {
        "matches": matches,
        "count": count,
        "files_searched": searched,
        "truncated": rest > 0 or more,
        "note": note,
    }
    title = f"{with_noun(count, 'matching line')} in {with_noun(searched, 'file')} searched"
    return result(join_lines(title, *output, note), data)


def _check_deadline(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError


def _start_of(match: Any) -> int | None:
    return None if match is None else match.start()


def _start_in_parts(expression: Any, line: str, deadline: float) -> int | None:
    """Return where a long line matches; the deadline is checked after each part of it."""
    for begin in range(0, len(line) - _PART_OVERLAP, _PART_SIZE - _PART_OVERLAP):
        _check_deadline(deadline)
        # One more character on each side, for \b, ^ and $.
        before = min(begin, 1)
        part = line[begin - before : begin + _PART_SIZE + 1]
        start = _start_of(expression.search(part, before, min(len(part), before + _PART_SIZE)))
        if start is not None:
            return begin - before + start
    return None


def _compile(pattern: str, *, regex: bool, ignore_case: bool) -> Any:
    if not pattern:
        raise ValueError("the pattern is empty: pass a word, or an expression with regex=true")
    if not regex and LINE_BREAK.search(pattern):
        raise ValueError("the pattern has a line break, but grep matches within one line")
    options = re2.Options()
    options.literal = not regex
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.max_mem = _MAX_EXPRESSION_BYTES
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raw = error.args[0]
        reason = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
        raise ValueError(
            f"the pattern is not valid RE2 syntax: {reason}. RE2 has no back references and no "
            "look-around; regex=false searches for the pattern as text"
        ) from None


def _excerpt(line: str, match_start: int) -> str:
    if len(line) <= _MAX_LINE_CHARACTERS:
        return line
    start = max(0, match_start - _CHARACTERS_BEFORE_MATCH)
    end = start + _MAX_LINE_CHARACTERS
    return f"{'…' * (start > 0)}{line[start:end]}{'…' * (end < len(line))}"
