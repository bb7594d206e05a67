"""Any content of a store's file is read as stored, or refused as damaged."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lumber_core.errors import StoreError
from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.segmentation import OUTCOMES, Verdict
from lumber_core.storage.cache import Cache
from tests.core.core_support import group, memory_folder
from tests.fuzz.texts import texts
from tests.profiles import examples

GROUP = group(["One.", "Two.", "Three."], start=5)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
usages = st.fixed_dictionaries(
    {name: st.integers(0, 9) for name in ("calls", "prompt_tokens", "completion_tokens")}
)


def entries_of(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[bytes]:
    """Return entries with some fields replaced or missing, and entries that are no such object."""
    good = st.fixed_dictionaries(fields)
    bad = st.fixed_dictionaries({}, optional={name: f | anything for name, f in fields.items()})
    return (
        good.map(json.dumps).map(str.encode)
        | bad.map(json.dumps).map(str.encode)
        | anything.map(json.dumps).map(str.encode)
        | st.sampled_from([b"", b"[" * 1500, b'{"a":' * 1500, b"1" * 4301, b"\xff"])
        | st.binary(max_size=20)
    )


def change_all(path: Path, kind: str, value: bytes) -> None:
    """Replace every value of a store by another."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(f"UPDATE {kind} SET value = ?", [value]).rowcount


def names(error: StoreError, path: Path) -> None:
    assert str(path) in str(error)


def usable(use: Callable[[], object], path: Path) -> None:
    """Check that a use of a store works, or is refused with an error that names the file."""
    try:
        use()
    except StoreError as error:
        names(error, path)


sizes = st.none() | st.integers(1, 9000)
verdict_rows = entries_of(
    {
        "judge": st.just("j"),
        "start": st.integers(0, 9),
        "offset": st.none() | st.integers(-1, 4),
        "outcome": st.sampled_from(sorted(OUTCOMES)),
        "reason": texts,
        "answer": st.none() | texts,
        "usage": usages,
    }
)


@given(verdict_rows)
@examples(30)
def test_a_stored_verdict_is_valid_or_refused(value: bytes) -> None:
    with memory_folder() as folder:
        path = Path(folder) / "answers.db"
        store = AnswerStore(path)
        store.put("j", GROUP, Verdict(5, 8, 6, "shift", "why", "Answer: ID 6"))
        change_all(path, "verdicts", value)
        try:
            verdict = store.get("j", GROUP)
        except StoreError as error:
            names(error, path)
        else:
            assert verdict is not None
            assert verdict.unit is None or verdict.unit in GROUP.choices
            assert verdict.outcome in OUTCOMES
        usable(store.usage, path)
        usable(store.forget_failures, path)
        store.close()


@given(st.binary(min_size=1, max_size=80), st.booleans(), st.integers(0, 4000), sizes)
@examples(40)
def test_a_file_of_any_bytes_is_refused_and_unchanged(content, headed, at, size) -> None:
    with memory_folder() as folder:
        path = Path(folder) / "store.db"
        if headed:
            cache = Cache(path, "entries")
            cache.put("key", b"value")
            cache.close()
            whole = path.read_bytes()
            at = min(at, len(whole) - 1)
            content = whole[:at] + content + whole[at + len(content) :]
            content = content[:size]
        path.write_bytes(content)
        try:
            value = Cache(path, "entries").get("key")
        except StoreError as error:
            names(error, path)
            assert path.read_bytes() == content
        else:
            assert headed
            assert value is None or isinstance(value, bytes)
