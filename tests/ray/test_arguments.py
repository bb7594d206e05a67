"""Wrong arguments are refused before any work: no cluster is started, no folder is made."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lumber_core import BertChunker, GreedyChunker, LumberChunker
from lumber_core.errors import MissingExtraError, StoreError
from lumber_core.llms import OpenAIModel
from lumber_ray import split_corpus
from tests.ray.corpus import tales, write_lines


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Path]:
    yield write_lines(tmp_path / "corpus.jsonl", tales(2))
    assert not (tmp_path / "out").exists()
    ray = sys.modules.get("ray")
    assert ray is None or not ray.is_initialized()


class Locked:
    identity = "locked"

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def judge(self, group: Any) -> None:
        return None


@pytest.mark.ray
@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"splitter": "greedy"}, TypeError, "must be a splitter of lumber_core, not str"),
        ({"splitter": LumberChunker(Locked())}, TypeError, "the workers get a pickled splitter"),
        ({"chunk_overlap": -1}, ValueError, "chunk_overlap must be"),
        ({"chunk_overlap": 512}, ValueError, r"chunk_overlap \(512\) must be below"),
        ({"embedder": "bundled"}, TypeError, "embedder must be"),
        ({"context": ["title"]}, TypeError, "context must be True or False"),
        ({"surroundings": 80}, TypeError, "surroundings must be True or False"),
        ({"format": "csv"}, ValueError, 'format must be "parquet" or "jsonl"'),
        ({"documents_per_part": 0}, ValueError, "documents_per_part must be at least 1"),
        ({"workers": 0}, ValueError, "workers must be at least 1"),
        ({"workers": 1.5}, TypeError, "workers must be"),
        ({"id_column": "key"}, ValueError, "no column 'key', only id, text, file_type"),
    ],
)
def test_wrong_arguments_are_refused(corpus: Path, arguments, error, said: str) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    given = {"splitter": GreedyChunker(), **arguments}
    with pytest.raises(error, match=said):
        split_corpus(corpus, corpus.parent / "out", given.pop("splitter"), **given)


@pytest.mark.ray
def test_a_splitter_of_an_adapter_is_refused_with_what_to_pass(corpus: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    adapters = pytest.importorskip("langchain_lumber")
    with pytest.raises(TypeError, match="pass its attribute chunker, and chunk_overlap here"):
        split_corpus(corpus, corpus.parent / "out", adapters.GreedyTextSplitter())


@pytest.mark.ray
def test_models_and_stores_that_cannot_be_used_are_refused(corpus: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    damaged = corpus.parent / "answers.db"
    damaged.write_bytes(b"no database" * 100)
    model = OpenAIModel("test", base_url="http://127.0.0.1:9", api_key="none")
    with pytest.raises(StoreError, match="file is not a database"):
        split_corpus(corpus, corpus.parent / "out", LumberChunker(model, store=damaged))
    with pytest.raises(ValueError, match="nowhere"):
        split_corpus(corpus, corpus.parent / "out", BertChunker("./nowhere"))


@pytest.mark.ray
def test_an_id_that_occurs_twice_is_refused(corpus: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    write_lines(corpus, [*tales(3), tales(2)[1]])
    with pytest.raises(ValueError, match="1 ids occur more than once, such as 'tale-1'"):
        split_corpus(corpus, corpus.parent / "out", GreedyChunker())


def test_without_ray_the_extra_is_named(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ray", "ray.cloudpickle", "ray.data"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lumber-splitters\[ray\]'"):
        split_corpus(corpus, corpus.parent / "out", GreedyChunker())


def test_importing_the_package_does_not_import_ray() -> None:
    code = "import sys, lumber_ray; assert 'ray' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
