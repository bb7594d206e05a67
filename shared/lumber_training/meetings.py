"""Transcripts of meetings with annotated topics (QMSum, Zhong et al. 2021), for training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lumber_core.text.units import sentences_and_lines
from lumber_evaluation.corpora.files import (
    existing,
    existing_folder,
    field,
    json_lines,
    read_text,
)
from lumber_evaluation.documents import Document

# Topics that start within this many characters of each other count as one start; a longer gap
# between two topics is a segment of its own.
_SHORTEST = 300


def load_meetings(folder: str | Path) -> list[Document]:
    """Load transcripts of meetings, one speaker turn per paragraph, with their topics.

    In contrast to `lumber_evaluation.corpora.load_qmsum`, units are sentences instead of speaker
    turns, and text outside all topics is a segment of its own.

    Args:
        folder: The folder with the transcripts, `NAME.txt`. Next to it is a file named after it,
            `FOLDER_topics.jsonl`, with lines `{"document": NAME, "topics": [{"start_index": ...,
            "end_index": ...}]}`: character ranges, which may overlap or leave gaps.

    Returns:
        The meetings, in the order of that file. A segment starts where a topic does, and where
        more than 300 characters between topics begin.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A line is malformed, or a range is outside its meeting.
    """
    root = existing_folder(folder, "the transcripts of meetings")
    topics = existing(root.with_name(f"{root.name}_topics.jsonl"), "the topics of the meetings")
    documents = []
    for where, row in json_lines(topics, "topics of meetings"):
        name = field(row, "document", str, where)
        text = read_text(existing(root / f"{name}.txt", f"the meeting {name!r}"))
        ranges = []
        for topic in field(row, "topics", list, where):
            begin = field(topic, "start_index", int, where)
            end = field(topic, "end_index", int, where)
            if not 0 <= begin < end <= len(text):
                raise ValueError(
                    f"{where}: the topic ({begin}, {end}) is outside the meeting {name!r}, "
                    f"which has {len(text)} characters"
                )
            ranges.append((begin, end))
        units = {span.start for span in sentences_and_lines(text)}
        starts = [0, *(start for start in _starts(ranges, text) if start >= _SHORTEST)]
        documents.append(
            Document(name, text, tuple(sorted(units | set(starts))), tuple(starts), "meetings")
        )
    return documents


def _starts(ranges: Iterable[tuple[int, int]], text: str) -> list[int]:
    """Return the segment starts, ascending."""
    starts: list[int] = []
    covered = 0
    for begin, end in sorted(ranges):
        if begin - covered > _SHORTEST:
            starts.append(_content(text, covered))
        if not starts or begin - starts[-1] > _SHORTEST:
            starts.append(begin)
        covered = max(covered, end)
    if len(text) - covered > _SHORTEST:
        starts.append(_content(text, covered))
    return starts


def _content(text: str, place: int) -> int:
    """Return the offset of the first character at or after `place` that is not white space."""
    return place + len(text[place:]) - len(text[place:].lstrip())
