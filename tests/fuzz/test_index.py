"""An index through any sequence of additions, removals, kills and replacements of its file."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from threading import RLock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tqdm import tqdm

from lumber_retrieval import segments
from lumber_retrieval.documents import IndexedDocument, document_digest
from lumber_retrieval.index import PassageIndex
from lumber_retrieval.passages import Passage
from tests.profiles import examples
from tests.retrieval.test_index import document, index_of

WORDS = st.sampled_from(["otters", "hunt", "fish.", "oak", "elm.", "the", "mill"])
NAMES = st.sampled_from("abcdef")
TEXTS = st.dictionaries(NAMES, st.lists(WORDS, max_size=60).map(" ".join), max_size=4)


def documents(texts: Mapping[str, str]) -> list[IndexedDocument]:
    return [document(text, name) for name, text in texts.items()]


def described(passage: Passage) -> tuple[object, ...]:
    """Return all of a passage but the numbers of its chunks, which tell their order in the file."""
    hits = [hit._replace(number=0) for hit in passage.hits]
    return passage.document, passage.span, passage.score, passage.words_found, hits


class Index(RuleBasedStateMachine):
    """An index that stays open, beside what it should have."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "index.db"
        self.patch = pytest.MonkeyPatch()
        tqdm.set_lock(RLock())  # a child that is killed would keep the one that forks share
        self.patch.setattr(segments, "_MOST_CHUNKS", 16)  # so that segments are merged
        self.known: dict[str, str] = {}
        self.saved: dict[str, str] | None = None
        self.index: PassageIndex = index_of(self.path)

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.folder)

    @rule(texts=TEXTS)
    def add(self, texts: dict[str, str]) -> None:
        self.index.add(documents(texts))
        self.known |= texts

    @rule(texts=TEXTS)
    def sync(self, texts: dict[str, str]) -> None:
        if not texts:
            return
        gone = {*self.known} - {*texts}
        assert {*self.index.add(documents(texts), everything=True).removed_names} == gone
        self.known = dict(texts)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        assert self.index.delete([name]) == (name in self.known)
        self.known.pop(name, None)

    @rule()
    def reopen(self) -> None:
        self.index = index_of(self.path)

    @precondition(lambda self: self.path.exists())
    @rule()
    def save(self) -> None:
        shutil.copy(self.path, self.folder / "saved")
        self.saved = dict(self.known)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self) -> None:
        """Replace the file as a program does that keeps others from seeing half of it."""
        assert self.saved is not None
        shutil.copy(self.folder / "saved", self.folder / "new")
        (self.folder / "new").replace(self.path)
        self.known = dict(self.saved)

    @rule()
    def remove_file(self) -> None:
        self.path.unlink(missing_ok=True)
        self.known = {}

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(texts=TEXTS, seconds=st.floats(0, 0.02))
    def kill_a_writer(self, texts: dict[str, str], seconds: float) -> None:
        child = os.fork()
        if child == 0:
            index = index_of(self.path)
            for one in documents(texts):
                index.add([one])
            os._exit(0)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stored = self.index.store.digests(list("abcdef"))
        for name, text in texts.items():
            if stored.get(name) == self.digest(name, text):
                self.known[name] = text

    def digest(self, name: str, text: str) -> str:
        return document_digest(document(text, name), self.index._chunker.identity)

    @rule(
        question=st.lists(WORDS, max_size=4).map(" ".join),
        names=st.none() | st.lists(NAMES, min_size=1),
        budget=st.sampled_from([6, 20, 10_000]),
        max_gap=st.sampled_from([0, 90]),
    )
    def ask(self, question: str, names: list[str] | None, budget: int, max_gap: int) -> None:
        """Compare the answer with that of an index that was made anew in another order."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(segments, "_MOST_CHUNKS", 1 << 16)
            anew = index_of(None)
            anew.add(documents(dict(sorted(self.known.items(), reverse=True))))
        answers = [
            index.search(
                question,
                where=None if names is None else {"source": {"$in": names}},
                budget=budget,
                max_gap=max_gap,
            )
            for index in (self.index, anew)
        ]
        assert [*map(described, answers[0])] == [*map(described, answers[1])]

    @invariant()
    def what_is_stored_is_what_was_added(self) -> None:
        expected = {name: self.digest(name, text) for name, text in self.known.items()}
        assert self.index.store.digests(list("abcdef")) == expected

    @invariant()
    def what_is_found_is_there(self) -> None:
        passages = self.index.search("otters hunt fish", budget=10_000)
        for passage in passages:
            assert passage.text == self.known[passage.document][slice(*passage.span)]
        found = {passage.document for passage in passages}
        assert {name for name, text in self.known.items() if "otters" in text} <= found


def test_an_index_is_what_was_added_and_finds_it() -> None:
    run_state_machine_as_test(Index, settings=examples(25))
