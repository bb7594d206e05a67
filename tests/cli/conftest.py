"""Fixtures of all tests of the command line."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="module", autouse=True)
def use_scored_once(scored_once: None) -> None:
    """Models are tested elsewhere, so `scored_once` is used in all tests here."""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder, which is empty: tests do not share indexes."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "lumber-splitters" / "indexes"


@pytest.fixture
def write_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that writes files with an old date into `docs`, in the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(**files: str | bytes) -> Path:
        folder = tmp_path / "docs"
        folder.mkdir()
        for name, text in files.items():
            path = folder / ".".join(name.rsplit("_", 1))
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            os.utime(path, (10**9, 10**9))
        return folder

    return write


@pytest.fixture
def docs(write_docs: Callable[..., Path]) -> Path:
    """Return a folder of two files."""
    boats = "# Boats\n\nA rental lasts seven days at most.\n"
    return write_docs(boats_md=boats, ferry_txt="The ferry to Arden sails at noon.\n")
