"""Transcripts with annotated topics: overlaps and gaps, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lumber_training.meetings import load_meetings

TURN = "Anna: We talk about it at length. Then we go on.\n\n"


def written(folder: Path, topics: list[tuple[int, int]]) -> Path:
    """Write one meeting of 40 turns."""
    root = folder / "train"
    root.mkdir()
    (root / "M1.txt").write_text(TURN * 40, encoding="utf-8")
    ranges = [{"start_index": begin, "end_index": end} for begin, end in topics]
    row = json.dumps({"document": "M1", "topics": ranges})
    (folder / "train_topics.jsonl").write_text(row + "\n", encoding="utf-8")
    return root


def turns(*numbers: int) -> tuple[int, ...]:
    return tuple(number * len(TURN) for number in numbers)


@pytest.mark.parametrize(
    ("topics", "starts"),
    [
        pytest.param([(0, 10), (10, 40)], (0, 10), id="topics that tile"),
        pytest.param([(0, 12), (10, 40)], (0, 10), id="topics that overlap"),
        pytest.param([(0, 40), (20, 30)], (0, 20), id="a topic inside another"),
        pytest.param([(0, 10), (20, 40)], (0, 10, 20), id="a gap"),
        pytest.param([(0, 10), (12, 40)], (0, 12), id="a short gap"),
        pytest.param([(0, 10), (10, 20)], (0, 10, 20), id="a gap at the end"),
        pytest.param([(10, 40)], (0, 10), id="a gap at the start"),
        pytest.param([(0, 20), (10, 30), (11, 40)], (0, 10), id="starts next to each other"),
        pytest.param([(2, 40)], (0,), id="a few turns before the first topic"),
    ],
)
def test_segments_start_at_topics_and_at_long_gaps(
    tmp_path: Path, topics: list[tuple[int, int]], starts: tuple[int, ...]
) -> None:
    ranges = [(begin * len(TURN), end * len(TURN)) for begin, end in topics]
    (meeting,) = load_meetings(written(tmp_path, ranges))
    assert meeting.starts == turns(*starts)
    assert meeting.source == "meetings"


def test_units_are_sentences_and_hold_every_start(tmp_path: Path) -> None:
    inside = len(TURN) * 10 + TURN.index("talk")
    (meeting,) = load_meetings(written(tmp_path, [(0, inside), (inside, len(TURN) * 40)]))
    assert set(meeting.starts) <= set(meeting.units)
    assert inside in meeting.starts
    assert len(meeting.units) == 40 * 2 + 1


def test_a_topic_outside_its_meeting_is_refused(tmp_path: Path) -> None:
    root = written(tmp_path, [(0, len(TURN) * 40 + 1)])
    with pytest.raises(ValueError, match=r"train_topics\.jsonl.*outside the meeting 'M1'"):
        load_meetings(root)


def test_a_missing_transcript_is_named(tmp_path: Path) -> None:
    root = written(tmp_path, [(0, 100)])
    (root / "M1.txt").unlink()
    with pytest.raises(FileNotFoundError, match="M1"):
        load_meetings(root)
