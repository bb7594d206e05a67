"""Helpers for tests of the core: difficult texts, counters that record calls, and short forms."""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from packaging.version import Version

from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.spans import Span
from tests.profiles import FACTOR

OLD_ONNXRUNTIME = Version(version("onnxruntime")) < Version("1.24")  # as on Python 3.10

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1e9\U0001f1ea"
ACCENTED = "e\u0301\u0323"

PIECES = [
    *("a", "Word", "one two", "A.", "Mr. ", "etc.", ". ", "? ", "!", "...", "1. ", "(b) ", '"'),
    *(" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\x00", "\x0b", "\x1c"),
    *("\n", "\n\n", "\n \n", "\r", "\r\n", "\r\n\r\n", "\f", "\x85", "\u2028", "\u2029"),
    *("\u0301", "\u200d", "\ufe0f", "\U0001f3fd", FAMILY, FLAG, ACCENTED, "\U0001f1e9"),
    *("\ud83d", "\udc00", "\u4f60\u597d\u3002", "\u4e16", "\u0e01\u0e33", "\u1112\u1161\u11ab"),
    *("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627\u061f ", "\u0928\u093f\u0964 "),
    *("<|endoftext|>", "<|end_sentence|>", "ID 3: ", "{first}", "</paragraphs>"),
]
"""What breaks splitters: combining marks, odd blanks and breaks, half characters, many scripts."""

nasty_texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)

quick = settings(
    max_examples=40 * FACTOR, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def memory_folder() -> TemporaryDirectory[str]:
    """Return a folder in memory if there is one: a busy disk makes small files slow."""
    memory = Path("/dev/shm")
    return TemporaryDirectory(dir=memory if memory.is_dir() else None)


class RecordingCounter:
    """Counts with a function and keeps every string it was given."""

    def __init__(self, function: Any = len) -> None:
        self.function = function
        self.seen: list[str] = []

    def count(self, texts: Sequence[str]) -> list[int]:
        self.seen += texts
        return [self.function(text) for text in texts]

    @property
    def characters(self) -> int:
        return sum(map(len, self.seen))


def pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def with_(chunker: Any, **attributes: Any) -> Any:
    """Set attributes of a splitter that are not settings, such as `window_tokens`."""
    for name, value in attributes.items():
        setattr(chunker, name, value)
    return chunker


def document(texts: Sequence[str]) -> TextUnits:
    """A document whose units are `texts`."""
    edges = [0, *accumulate(map(len, texts))]
    return TextUnits("".join(texts), [Span(*edge) for edge in pairwise(edges)])


def group(texts: Sequence[str], start: int = 0, choices: range | None = None) -> Group:
    """A group of `texts` that are the units from `start` on."""
    all_units = document([*["-"] * start, *texts])
    return Group(all_units, start, start + len(texts), choices)
