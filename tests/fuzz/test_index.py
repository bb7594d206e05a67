"""An index through any sequence of additions, removals, kills and replacements of its content."""

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tqdm import tqdm

from lumber_cli.commands.index import copy_index
from lumber_retrieval.index import segments
from lumber_retrieval.index.adding import document_digest
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from tests.postgres import Server
from tests.profiles import examples
from tests.retrieval.test_passage_index import document, index_of

WORDS = st.sampled_from(["otters", "hunt", "fish.", "oak", "elm.", "the", "mill"])
NAMES = st.sampled_from("abcdef")
TEXTS = st.dictionaries(NAMES, st.lists(WORDS, max_size=60).map(" ".join), max_size=4)


def documents(texts: Mapping[str, str]) -> list[IndexedDocument]:
    return [document(text, name) for name, text in texts.items()]


class Index(RuleBasedStateMachine):
    """An index that stays open, and its expected content."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path, self.copy = self.places()
        self.patch = pytest.MonkeyPatch()
        tqdm.set_lock(RLock())  # a killed child would hold the lock that forks share
        self.patch.setattr(segments, "_MAX_SEGMENT_CHUNKS", 16)  # so small that segments merge
        self.known: dict[str, str] = {}
        self.saved: dict[str, str] | None = None
        self.index: PassageIndex = index_of(self.path)

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.folder)

    def places(self) -> tuple[Any, Any]:
        """Return the places of the index and of its copy."""
        return self.folder / "index.db", self.folder / "saved"

    def exists(self) -> bool:
        return self.path.exists()

    def replace(self, path: Any, source: Any) -> None:
        """Replace an index by a copy in one step, so that readers never see half of it."""
        shutil.copy(source, self.folder / "new")
        (self.folder / "new").replace(path)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    @rule(texts=TEXTS)
    def add(self, texts: dict[str, str]) -> None:
        self.index.add(documents(texts))
        self.known |= texts

    @rule(texts=TEXTS)
    def sync(self, texts: dict[str, str]) -> None:
        if not texts:
            return
        gone = {*self.known} - {*texts}
        assert {*self.index.add(documents(texts), remove_others=True).removed_names} == gone
        self.known = dict(texts)

    @precondition(lambda self: self.known)
    @rule(number=st.integers(0, 9))
    def date(self, number: int) -> None:
        documents_with_dates = [
            document(text, name, date=number) for name, text in self.known.items()
        ]
        assert not self.index.add(documents_with_dates).embedded
        self.index.add(documents(self.known))  # unchanged documents

    @precondition(lambda self: self.known)
    @rule(words=WORDS)
    def edit(self, words: str) -> None:
        self.known = {name: f"{words} {text}" for name, text in self.known.items()}
        self.index.add(documents(self.known))

    @precondition(lambda self: self.known)
    @rule()
    def move(self) -> None:
        first, *others = self.known
        self.known = dict(zip([*others, first], self.known.values(), strict=True))
        assert not self.index.add(documents(self.known), remove_others=True).embedded

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        assert self.index.delete([name]) == (name in self.known)
        self.known.pop(name, None)

    @rule()
    def reopen(self) -> None:
        self.index = index_of(self.path)

    @precondition(lambda self: self.exists())
    @rule()
    def save(self) -> None:
        self.replace(self.copy, self.path)
        self.saved = dict(self.known)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self) -> None:
        assert self.saved is not None
        self.replace(self.path, self.copy)
        self.known = dict(self.saved)

    @rule()
    def remove_all(self) -> None:
        self.remove()
        self.known = {}

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(texts=TEXTS, seconds=st.floats(0, 0.02))
    def kill_a_writer(self, texts: dict[str, str], seconds: float) -> None:
        child = os.fork()
        if child == 0:
            index = index_of(self.path)
            for new_document in documents(texts):
                index.add([new_document])
            os._exit(0)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stored = self.index.store.versions(list("abcdef"))
        for name, text in texts.items():
            if name in stored and stored[name].digest == self.digest(name, text):
                self.known[name] = text

    def digest(self, name: str, text: str) -> str:
        return document_digest(document(text, name), self.index._chunker.identity)

    @invariant()
    def what_is_stored_is_what_was_added(self) -> None:
        expected = {name: self.digest(name, text) for name, text in self.known.items()}
        stored = self.index.store.versions(list("abcdef"))
        assert {name: version.digest for name, version in stored.items()} == expected

    @invariant()
    def what_is_found_is_there(self) -> None:
        passages = self.index.search("otters hunt fish", budget=10_000)
        for passage in passages:
            assert passage.text == self.known[passage.document][slice(*passage.span)]
        names = {passage.document for passage in passages}
        assert {name for name, text in self.known.items() if "otters" in text} <= names


def test_an_index_contains_and_finds_what_was_added() -> None:
    run_state_machine_as_test(Index, settings=examples(3, long=8))


def test_an_index_in_postgres_contains_and_finds_what_was_added(postgres: Server) -> None:
    class Collection(Index):
        def places(self) -> tuple[str, str]:
            return postgres.place(), postgres.place()

        def exists(self) -> bool:
            return bool(self.known)

        def replace(self, path: str, source: str) -> None:
            postgres.remove(path)
            copy_index(source, path)

        def remove(self) -> None:
            postgres.remove(self.path)

    run_state_machine_as_test(Collection, settings=examples(3, long=8))


SENTENCES = (
    *("Otters hunt fish.", "The mill has a wheel.", "Elm and oak.", "The fish hunt.", "Elm."),
    *("Bees hum.", "The wheel of the mill turns.", "Otters hunt in the mill.", "An oak mill."),
)
QUESTIONS = ("Where do otters hunt?", "the", "oak mill wheel", "fish")


@given(seed=st.integers(0, 1 << 32), most=st.sampled_from([16, 1 << 16]))
@settings(
    examples(2, long=4),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_changed_index_answers_like_a_rebuilt_one(place, seed, most) -> None:
    """There are more chunks than are ranked, and many match a question equally."""
    draw = random.Random(seed)

    def some(least: int, most: int) -> dict[str, str]:
        chosen = draw.sample(range(150), draw.randint(least, most))
        return {f"n{n}": " ".join(draw.choices(SENTENCES, k=draw.randint(1, 6))) for n in chosen}

    def documents_with_dates(texts: Mapping[str, str]) -> list[IndexedDocument]:
        return [document(text, name, date=dates.get(name, 0)) for name, text in texts.items()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_MAX_SEGMENT_CHUNKS", most)
        path = place()
        index, known = index_of(path), dict[str, str]()
        dates: dict[str, int] = {}
        for step in range(8):
            texts = some(1, 60)
            kinds = ["add", "add", "sync", "edit", "move", "date", "delete", "reopen"]
            match draw.choice(kinds if known else kinds[:3]):
                case "add":
                    index.add(documents_with_dates(texts))
                    known |= texts
                case "sync":
                    known = {**dict(draw.sample([*known.items()], len(known) // 2)), **texts}
                    index.add(documents_with_dates(known), remove_others=True)
                case "edit":
                    names = draw.sample([*known], len(known) // 2)
                    edits = {name: f"{draw.choice(SENTENCES)} {known[name]}" for name in names}
                    assert index.add(documents_with_dates(edits)).embedded <= 2 * len(SENTENCES)
                    known |= edits
                case "move":  # names and texts are exchanged
                    named = draw.sample([*known], len(known))
                    known = dict(zip(named, known.values(), strict=True))
                    assert not index.add(documents_with_dates(known), remove_others=True).embedded
                case "date":
                    dates |= dict.fromkeys(draw.sample([*known], len(known) // 2), step + 1)
                    changes = index.add(documents_with_dates(known))
                    assert (changes.chunks, changes.embedded) == (0, 0)
                case "delete":
                    index.delete(texts)
                    known = {name: text for name, text in known.items() if name not in texts}
                case _:
                    index = index_of(path)
        patch.undo()
        anew = index_of()
        anew.add(documents_with_dates(dict(draw.sample([*known.items()], len(known)))))
        chosen = [*some(40, 80)]
        for question in QUESTIONS:
            for where in (None, {"source": {"$in": chosen}}, {"date": {"$gt": 3}}):
                options = {"where": where, "budget": draw.choice([20, 60, 10_000]), "max_gap": 0}
                assert answer(index, question, **options) == answer(anew, question, **options)


def answer(index: PassageIndex, question: str, **options: Any) -> list[object]:
    """Return all results, without the numbers of chunks, which depend on the order of additions."""
    return [
        (
            passage.document,
            passage.span,
            passage.words_found,
            [hit._replace(number=0) for hit in passage.hits],
        )
        for passage in index.search(question, **options)
    ]
