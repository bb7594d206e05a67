"""What all tests of the command line share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="module", autouse=True)
def use_scored_once(scored_once: None) -> None:
    """The models are tested elsewhere."""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder, which is empty: no test knows the indexes of another."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "lumber-splitters" / "indexes"


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of two files that were written long ago, in the current folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "boats.md").write_text("# Boats\n\nA rental lasts seven days at most.\n")
    (folder / "ferry.txt").write_text("The ferry to Arden sails at noon.\n")
    for path in folder.iterdir():
        os.utime(path, (10**9, 10**9))
    return folder
