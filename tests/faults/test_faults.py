"""Nothing that was confirmed is lost, whichever access to the disk fails.

A whole run takes minutes: `make faults`. `make test` has a sample of it.
"""

import logging
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lumber_core import StoreError
from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.segmentation import Verdict
from tests.core.core_support import group, memory_folder
from tests.faults.disk import KILLED, Disk, Fault, failing_disk
from tests.fuzz.test_index import answer
from tests.retrieval.test_passage_index import MUSIC, RIVER, document, index_of

PLACES_IN_SAMPLE = 3  # accesses for each fault and work, in `make test`
ALWAYS = 1 << 30  # the number of failures of a disk that stays broken
OLD = {name: f"{RIVER} Den {name}." for name in "abcd"}
LARGE = "\n\n".join(f"Mill {number} grinds rye. {MUSIC}" for number in range(12))
QUESTIONS = ("otters", "violins and mills", "den")
GROUP = group(["Otters hunt.", "Mills grind.", "Harps are heavy."])
VERDICT = Verdict(0, 3, 1, "shift", "", "Answer: ID 1")
_faults = Counter[Fault]()


class Work:
    """An operation on a store, which holds `OLD` before it and `after` afterwards."""

    after: ClassVar[dict[str, str]] = OLD

    def prepare(self, path: Path) -> None:
        index = index_of(path)
        for name, text in OLD.items():  # makes a segment each, which may be merged
            index.add([document(text, name)])

    def do(self, path: Path) -> None:
        raise NotImplementedError

    def check(self, path: Path, *, confirmed: bool) -> None:
        """Check the content, then that the operation can be repeated and answers are right."""
        stored = {n: text for n, (text, _) in index_of(path).store.contents([*"abcdefg"]).items()}
        assert {*OLD.items()} & {*self.after.items()} <= {*stored.items()}
        assert {*stored.items()} <= {*OLD.items(), *self.after.items()}
        if confirmed:
            assert stored == self.after
        self.do(path)
        index = index_of(path)
        assert [answer(index, question, budget=200) for question in QUESTIONS] == self.answers

    @cached_property
    def answers(self) -> list[object]:
        """The answers of a new index."""
        anew = index_of()
        anew.add([document(text, name) for name, text in self.after.items()])
        return [answer(anew, question, budget=200) for question in QUESTIONS]


class Add(Work):
    after: ClassVar[dict[str, str]] = OLD | {"e": MUSIC, "f": RIVER}

    def do(self, path: Path) -> None:
        index_of(path).add([document(self.after[name], name) for name in "ef"])


class Sync(Work):
    after: ClassVar[dict[str, str]] = {"a": OLD["a"], "b": MUSIC, "g": RIVER}

    def do(self, path: Path) -> None:
        documents = [document(text, name) for name, text in self.after.items()]
        index_of(path).add(documents, remove_others=True)


class Delete(Work):
    after: ClassVar[dict[str, str]] = {name: OLD[name] for name in "ad"}

    def do(self, path: Path) -> None:
        index_of(path).delete(["b", "c"])


class Merge(Work):
    after: ClassVar[dict[str, str]] = OLD | {"e": LARGE}

    def do(self, path: Path) -> None:
        index_of(path).add([document(LARGE, "e")])


class Search(Work):
    def do(self, path: Path) -> None:
        assert index_of(path).search("otters")


class Answer(Work):
    def prepare(self, path: Path) -> None:
        AnswerStore(path).put("first", GROUP, VERDICT)

    def do(self, path: Path) -> None:
        store = AnswerStore(path)
        store.put("second", GROUP, VERDICT)
        assert store.get("second", GROUP) == VERDICT
        store.close()

    def check(self, path: Path, *, confirmed: bool) -> None:
        store = AnswerStore(path)
        assert store.get("first", GROUP) == VERDICT
        assert store.get("second", GROUP) == (VERDICT if confirmed else store.get("second", GROUP))
        self.do(path)
        store.close()


WORK = [Add(), Sync(), Delete(), Merge(), Search(), Answer()]
KILLS = (Fault.KILL, Fault.TORN_KILL, Fault.LOST)
FAULTS = [(fault, 1) for fault in Fault if fault is not Fault.WRONG_READ]
FAULTS += [(fault, ALWAYS) for fault, _ in FAULTS if fault not in KILLS]


@pytest.fixture(scope="module")
def prepared() -> Iterator[Callable[[Work], Path]]:
    """A function that returns a store as it is before an operation."""
    with memory_folder() as folder:
        path = Path(folder, "store.db")

        def prepare(work: Work) -> Path:
            kept = Path(folder, f"{type(work).__name__}.kept")
            if not kept.exists():
                work.prepare(kept)
            Path(f"{path}-journal").unlink(missing_ok=True)
            shutil.copy(kept, path)
            return path

        yield prepare
    for fault, count in _faults.items():  # `make faults` shows them
        logging.getLogger(__name__).info("%5d times, %s", count, fault.value)


def run_with(disk: Disk, fault: Fault, at: int, times: int, work: Work, path: Path) -> str | None:
    """Return the error of an operation; "" if it succeeds, None if the process ended."""
    if fault in KILLS:
        child = os.fork()
        if child == 0:
            with disk.failing(fault, at):
                work.do(path)
            os._exit(KILLED if disk.failed else 0)  # a lost write never arrives
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, KILLED)
        return None if status else ""
    try:
        with disk.failing(fault, at, times):
            work.do(path)
    except StoreError as error:
        return str(error)
    return ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("work", WORK, ids=lambda work: type(work).__name__)
@pytest.mark.parametrize(("fault", "times"), FAULTS)
@pytest.mark.parametrize("sample", [True, pytest.param(False, marks=pytest.mark.faults)])
def test_confirmed_changes_are_there_after_any_fault(sample, fault, times, work, prepared) -> None:
    disk = failing_disk()
    path = prepared(work)
    disk.reset()
    work.do(path)
    accesses = disk.reads if fault is Fault.READ_ERROR else disk.changes
    assert accesses or isinstance(work, Search)  # a search does not write
    places = range(1, accesses + 1)
    if sample:
        places = places[:: max(1, accesses // PLACES_IN_SAMPLE)]
    for place in places:
        path = prepared(work)
        error: Any = run_with(disk, fault, place, times, work, path)
        if error:
            assert times > 1 or fault is Fault.FULL, error  # passing faults are retried
            assert "delete" not in error
            assert "damaged" not in error
            assert "disk" in error
        work.check(path, confirmed=error == "")
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    _faults[fault] += len(places)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_single_wrong_read_is_not_reported_as_damage(prepared: Callable[[Work], Path]) -> None:
    """Only wrong bytes that can be noticed matter: vectors and texts have no checksum."""
    disk = failing_disk()
    for work in (WORK[-2], WORK[-1]):
        path = prepared(work)
        disk.reset()
        work.do(path)
        for place in range(1, disk.reads + 1):
            path = prepared(work)
            with disk.failing(Fault.WRONG_READ, place), suppress(AssertionError):
                work.do(path)
            work.check(path, confirmed=True)
