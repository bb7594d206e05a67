"""What determines a splitter's chunks is what its splits are stored under."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest

from lumber_core import BertChunker, GreedyChunker, LumberChunker, ModelJudge
from lumber_evaluation.comparison import compare
from lumber_evaluation.documents import Corpus, Document
from lumber_evaluation.identity import settings_of, splitter_identity
from lumber_evaluation.splitters import evaluated, preset

text_splitters = pytest.importorskip("langchain_text_splitters")
documents = pytest.importorskip("langchain_core.documents")
Recursive = partial(text_splitters.RecursiveCharacterTextSplitter, chunk_overlap=0)
KEY = "sk-planted-key"


def test_settings_of_a_langchain_splitter_tell_it_apart() -> None:
    known = splitter_identity(Recursive(chunk_size=200))
    assert known is not None
    assert known == splitter_identity(Recursive(chunk_size=200))
    others = [
        Recursive(chunk_size=201),
        Recursive(chunk_size=200, separators=[". "]),
        Recursive(chunk_size=200, keep_separator=False),
        text_splitters.CharacterTextSplitter(chunk_size=200, chunk_overlap=0),
    ]
    assert len({known, *map(splitter_identity, others)}) == 5
    assert version("langchain-text-splitters") in known


OfOnesOwn = type("OfOnesOwn", (text_splitters.RecursiveCharacterTextSplitter,), {})


@pytest.mark.parametrize(
    "splitter",
    [
        str.splitlines,
        lambda text: [text],
        OfOnesOwn(chunk_size=200, chunk_overlap=0),
        Recursive(chunk_size=200, length_function=lambda text: len(text)),
        Recursive(chunk_size=200, length_function=partial(max, 1)),
        Recursive(chunk_size=200, separators=["\n", re.compile(" ")]),
        documents.Document(page_content="Its private values are not in vars()."),
    ],
    ids=["builtin", "lambda", "own class", "holds a lambda", "a call", "a pattern", "pydantic"],
)
def test_what_is_more_than_a_librarys_code_and_data_determines_nothing(splitter: object) -> None:
    assert splitter_identity(splitter) is None


def test_a_key_is_neither_in_the_identity_nor_in_the_settings() -> None:
    splitter = Recursive(chunk_size=200)
    splitter.api_key = KEY
    splitter.default_headers = {"X-Service": KEY}
    splitter.extra = {"access_token": KEY, "region": "eu"}
    assert splitter_identity(splitter) is not None
    assert KEY not in str(splitter_identity(splitter))
    assert KEY not in settings_of(splitter)
    assert "region=eu" in settings_of(splitter).replace("'", "")


def test_an_identity_is_the_same_in_another_process() -> None:
    code = (
        "from langchain_text_splitters import RecursiveCharacterTextSplitter as R\n"
        "from lumber_evaluation.identity import splitter_identity\n"
        "print(splitter_identity(R(chunk_size=200, chunk_overlap=0)), end='')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == splitter_identity(Recursive(chunk_size=200))


def openai_judged(**settings: object) -> LumberChunker:
    openai = pytest.importorskip("lumber_core.llms.openai")
    return LumberChunker(ModelJudge(openai.OpenAIModel("m", api_key=KEY, **settings)))


def test_one_model_on_two_servers_shares_no_splits() -> None:
    made = [
        openai_judged(base_url="http://127.0.0.1:1/v1"),
        openai_judged(base_url="http://127.0.0.1:2/v1"),
        openai_judged(base_url="http://127.0.0.1:1/v1", structured=False),
    ]
    known = [evaluated(chunker).identity for chunker in made]
    assert None not in known
    assert len(set(known)) == 3
    assert not any(KEY in str(identity) for identity in known)


def test_this_projects_splitters_are_told_apart_by_their_settings() -> None:
    made = [
        BertChunker(),
        BertChunker(chunk_size=300),
        GreedyChunker(100),
        GreedyChunker(200),
        preset("semantic:90"),
        preset("semantic:95"),
        preset("fixed:100"),
        preset("lumber:450"),
        preset("lumber:550"),
    ]
    known = [evaluated(one).identity for one in made]
    assert None not in known
    assert len(set(known)) == len(known)
    assert evaluated(pickle.loads(pickle.dumps(made[2]))).identity == known[2]


def test_splits_of_a_foreign_splitter_are_stored_and_found_again(tmp_path: Path) -> None:
    splitter = Recursive(chunk_size=20)
    corpus = Corpus("c", (Document("d", "one two three four five six", (0,), (0,), ""),))
    first = compare(corpus, [splitter], folder=tmp_path)
    splitter._separators = None  # splitting again would fail
    object.__setattr__(first.results[0], "name", "first")
    again = compare(corpus, [evaluated(Recursive(chunk_size=20), name="again")], folder=tmp_path)
    assert again.results[0].splits == first.results[0].splits
