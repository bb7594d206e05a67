"""Documents that are put into stores, vectors of words, and the meaning of scores."""

import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZE = 16
EVERY = 100
"""More than there are chunks."""
QUESTION = "Who mended the clock of the harbour?"
TEXTS = {
    "clock.md": (
        "# The clock\n\nAda mended the clock of the harbour in spring.\n\n## Oil\n\n"
        "She oiled the spring twice, and wound it on Sundays.\n\n"
        "| Part | Pounds |\n| --- | --- |\n| Wheel | 4 |\n| Spring | 7 |\n"
    ),
    "boats.md": (
        "A page without a title.\n\n# Boats\n\nBen rows the ferry at high tide.\n\n"
        "# Nets\n\nNets dry on the quay wall.\n"
    ),
    "gulls.txt": "Gulls sleep on the roofs.\fThey wake before the bakers do.",
}
YEARS = {"clock.md": 2024, "boats.md": 2023, "gulls.txt": 2024}
CHANGED = {
    "clock.md": TEXTS["clock.md"].replace("Ada mended", "Eve mended"),
    "boats.md": TEXTS["boats.md"],
}
"""One text has changed, and one is gone."""
OWN: dict[str, Any] = {"None": None, '["a"]': ["a"], "[]": [], '{"a": 1}': {"a": 1}}
"""Values in a document's own metadata, as they are written."""


@dataclass(frozen=True)
class Place:
    """The place of a store: its folder, a name, and the URL of a database server."""

    folder: Path
    name: str
    url: str


def vector(text: str) -> list[float]:
    """Return counts of hashed words: not normalised, so that scores show their kind."""
    counts = [0.25] * SIZE
    for word in text.lower().split():
        counts[zlib.crc32(word.encode()) % SIZE] += 1.0
    return counts


def describe_scores(scores: Iterable[tuple[str, float]]) -> str:
    """Return a description of the scores of texts, which come in the order of the store."""
    query, scores_in_order = vector(QUESTION), list(scores)
    kinds: dict[str, Callable[[float, float, float], float]] = {
        "cosine": lambda cosine, square, dot: cosine,
        "1 - cosine": lambda cosine, square, dot: 1 - cosine,
        "squared distance": lambda cosine, square, dot: square,
        "distance": lambda cosine, square, dot: math.sqrt(square),
        "exp(-squared distance)": lambda cosine, square, dot: math.exp(-square),
        "dot product": lambda cosine, square, dot: dot,
    }

    def is_kind(kind: str, text: str, score: float) -> bool:
        other = vector(text)
        dot = sum(a * b for a, b in zip(query, other, strict=True))
        cosine = dot / math.hypot(*query) / math.hypot(*other)
        value = kinds[kind](cosine, math.dist(query, other) ** 2, dot)
        return math.isclose(value, score, rel_tol=1e-3, abs_tol=1e-6)

    (kind,) = [kind for kind in kinds if all(is_kind(kind, *pair) for pair in scores_in_order)]
    values = [score for _, score in scores_in_order]
    assert values in (sorted(values), sorted(values, reverse=True)), "not in the order of scores"
    return f"{kind}, {'smallest' if values == sorted(values) else 'largest'} first"


def attempt(measure: Callable[[], str]) -> str:
    """Return the result of a measurement, or the name of the error that a store raises."""
    try:
        return measure()
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 -- errors of a store are measured, too
        return f"`{type(error).__name__}`"


def own_values(measure: Callable[[Any], str]) -> str:
    """Return how a store changes each value of `OWN`; equal changes are listed together."""
    fates: dict[str, list[str]] = {}
    for written, value in OWN.items():
        fate = attempt(lambda value=value: measure(value))  # type: ignore[misc]
        fates.setdefault("refused" if fate.startswith("`") else fate, []).append(f"`{written}`")
    if len(fates) == 1:
        return f"all {next(iter(fates))}"
    return "; ".join(f"{', '.join(values)} {fate}" for fate, values in fates.items())


def describe_count(count: int, given: int) -> str:
    """Describe the effect of adding the same chunks twice, by the number of stored chunks."""
    return {given: "overwritten", 2 * given: "doubled"}.get(count, f"{count} of {given} left")


class Measured(ABC):
    """How a store treats chunks; each method opens a store at its own place."""

    named_by: str
    """The key of the metadata that names a document."""
    not_reopened: str
    """What the table states where a store that is opened again lacks chunks."""

    def __init__(self, open_store: Callable[[Place], Any], places: Callable[[], Place]) -> None:
        self._open_at, self._places = open_store, places
        self._given = self.split(TEXTS)

    @abstractmethod
    def split(self, texts: dict[str, str], **metadata: Any) -> list[Any]:
        """Return the chunks of documents, which have `own` in their metadata."""

    @abstractmethod
    def add(self, store: Any, chunks: list[Any]) -> None:
        """Add chunks to a store."""

    @abstractmethod
    def close(self, store: Any, place: Place) -> None:
        """Write a store to its folder if it does not do so itself, and close it."""

    @abstractmethod
    def contents(self, store: Any, **settings: Any) -> list[Any]:
        """Return all chunks of a store, or only their IDs if it cannot list chunks."""

    def _open(self) -> Any:
        return self._open_at(self._places())

    def _filled(self) -> Any:
        store = self._open()
        self.add(store, self._given)
        return store

    def own(self, value: Any) -> str:
        store = self._open()
        self.add(store, self.split({"gulls.txt": "Gulls sleep."}, own=value))
        (chunk,) = self.contents(store)
        if "own" not in chunk.metadata:
            return "dropped"
        return "kept" if chunk.metadata["own"] == value else f"becomes `{chunk.metadata['own']!r}`"

    def other_keys(self) -> str:
        store = self._open()
        self.add(store, self.split({"gulls.txt": "Gulls sleep."}))
        self.add(store, self.split({"boats.md": "# Boats\n\nBoats sail."}, author="Ben"))
        metadata = {chunk.metadata[self.named_by]: chunk.metadata for chunk in self.contents(store)}
        if len(metadata) < 2:
            return "the first are gone"
        return "kept" if metadata["boats.md"].get("author") == "Ben" else "dropped"

    def filtered_by(self, **settings: Any) -> str:
        chunks = self.contents(self._filled(), **settings)
        expected_count = sum(chunk.metadata["year"] == 2024 for chunk in self._given)
        return {expected_count: "works", len(self._given): "ignored"}[len(chunks)]

    def reopened(self) -> str:
        place = self._places()
        store = self._open_at(place)
        self.add(store, self._given)
        self.close(store, place)
        try:
            chunks = self.contents(self._open_at(place))
        except (IndexError, KeyError, AttributeError):
            chunks = []
        return "the same" if len(chunks) == len(self._given) else self.not_reopened
