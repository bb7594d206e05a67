"""GutenQA from a hub on this machine, through the real client."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lumber_core.errors import HubError
from lumber_evaluation.corpora import load_gutenqa_hub
from lumber_evaluation.corpora.hub import PARAGRAPHS, QUESTIONS, fetch_dataset
from tests.loopback.hub import LoopbackHub

pytest.importorskip("huggingface_hub")
pyarrow = pytest.importorskip("pyarrow")

FOX, OWL = "The_Fox_-_A._Nonym", "The_Owl_-_A._Nonym"


def parquet(rows: list[Mapping[str, object]]) -> bytes:
    from pyarrow import parquet as format_

    sink = io.BytesIO()
    format_.write_table(pyarrow.Table.from_pylist(rows), sink)
    return sink.getvalue()


def texts(*rows: tuple[str, str]) -> bytes:
    return parquet(
        [
            {"Book Name": book, "Book ID": 7, "Chunk ID": n, "Chapter": "I", "Chunk": text}
            for n, (book, text) in enumerate(rows)
        ]
    )


def question(book: str, text: str, needle: str) -> Mapping[str, object]:
    place = {"Book Name": book, "Book ID": 7, "Chunk ID": 0, "Chapter": "I"}
    return place | {"Question": text, "Answer": "Yes.", "Chunk Must Contain": needle}


PARAGRAPH_FILES = {
    "GutenQA_paragraphs.parquet": texts(
        (FOX, "A fox ran."), (FOX, "It hid."), (FOX, "It slept."), (OWL, "An owl sat.")
    ),
    "README.md": b"# Paragraphs",
}
QUESTION_FILES = {
    "questions.parquet": parquet(
        [question(FOX, "Who ran?", "fox ran"), question(OWL, "Who sat?", "owl sat")]
    ),
    "gutenqa_chunks.parquet": texts(
        (FOX, "A fox ran.\nIt hid."), (FOX, "It slept."), (OWL, "An owl sat.")
    ),
}
DATASETS = {QUESTIONS: QUESTION_FILES, PARAGRAPHS: PARAGRAPH_FILES}


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No token of whoever runs the tests leaves the machine."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    newer = {**QUESTION_FILES, "questions.parquet": parquet([question(FOX, "Why?", "It hid")])}
    branches = {(QUESTIONS, "next"): newer}
    with LoopbackHub(DATASETS, branches=branches) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_all_books_are_documents_with_their_questions(hub: LoopbackHub, tmp_path: Path) -> None:
    corpus = load_gutenqa_hub(cache_dir=tmp_path)
    assert [document.name for document in corpus.documents] == [FOX, OWL]
    assert corpus.by_name[FOX].text == "A fox ran.\nIt hid.\nIt slept."
    assert corpus.by_name[FOX].units == (0, 11, 19)
    assert not corpus.by_name[FOX].is_segmented
    assert [(q.question, q.document, q.must_contain) for q in corpus.questions] == [
        ("Who ran?", FOX, "fox ran"),
        ("Who sat?", OWL, "owl sat"),
    ]
    assert "README.md" not in hub.downloads


def test_one_book_by_name_and_the_published_chunks(hub: LoopbackHub, tmp_path: Path) -> None:
    corpus = load_gutenqa_hub("The Fox - A. Nonym", chunks=True, cache_dir=tmp_path)
    (document,) = corpus.documents
    assert corpus.name == document.name == FOX
    assert document.starts == (0, 19)
    assert [q.question for q in corpus.questions] == ["Who ran?"]


def test_what_is_in_the_cache_is_not_downloaded_again(hub: LoopbackHub, tmp_path: Path) -> None:
    first = load_gutenqa_hub(cache_dir=tmp_path)
    assert len(hub.downloads) == 3
    assert load_gutenqa_hub(cache_dir=tmp_path) == first
    assert len(hub.downloads) == 3


def test_a_revision_is_a_branch_or_a_commit(hub: LoopbackHub, tmp_path: Path) -> None:
    for number, revision in enumerate(("next", hub.commit(QUESTIONS, "next"))):
        corpus = load_gutenqa_hub(FOX, revision=revision, cache_dir=tmp_path / str(number))
        assert [q.question for q in corpus.questions] == ["Why?"]
    with pytest.raises(HubError, match=r"no revision 'none-such'; expected a branch"):
        load_gutenqa_hub(revision="none-such", cache_dir=tmp_path)


def test_a_hub_that_has_gone_leaves_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with LoopbackHub(DATASETS) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        first = load_gutenqa_hub(cache_dir=tmp_path)
    assert load_gutenqa_hub(cache_dir=tmp_path) == first


def test_without_a_connection_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        with pytest.raises(HubError, match=r"not in the cache.*load_gutenqa_tables") as caught:
            load_gutenqa_hub(cache_dir=tmp_path)
    assert f"{endpoint}/datasets/{QUESTIONS}" in str(caught.value)


def test_offline_mode_sends_no_request(hub: LoopbackHub, tmp_path: Path) -> None:
    # The client reads HF_HUB_OFFLINE when it is imported.
    program = (
        "from lumber_evaluation.corpora import load_gutenqa_hub\n"
        f"load_gutenqa_hub(cache_dir={str(tmp_path)!r})"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    last = ended.stderr.strip().splitlines()[-1]
    assert "HubError" in last
    assert "without HF_HUB_OFFLINE" in last
    assert not hub.requests


@pytest.mark.parametrize("token", [None, "hf_wrong"])
def test_a_gated_dataset_says_how_to_get_in(
    token: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with LoopbackHub(DATASETS, gated=frozenset({QUESTIONS})) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with pytest.raises(HubError, match=r"ask for access at .*token="):
            load_gutenqa_hub(cache_dir=tmp_path, token=token)
        corpus = load_gutenqa_hub(cache_dir=tmp_path, token="hf_letmein")
    assert len(corpus.questions) == 2


def test_a_private_or_missing_dataset_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with LoopbackHub(DATASETS, private=frozenset({PARAGRAPHS})) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with pytest.raises(HubError, match=f"no dataset {PARAGRAPHS}.*HF_TOKEN"):
            load_gutenqa_hub(cache_dir=tmp_path)
        with pytest.raises(HubError, match="no dataset owner/none"):
            fetch_dataset("owner/none", cache_dir=tmp_path)
        assert fetch_dataset(PARAGRAPHS, cache_dir=tmp_path, token="hf_letmein").is_dir()


def test_a_dataset_without_tables_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with LoopbackHub({**DATASETS, QUESTIONS: {"README.md": b"moved"}}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with pytest.raises(HubError, match=r"contains no \*\.parquet file"):
            load_gutenqa_hub(cache_dir=tmp_path)


def test_a_hub_in_trouble_is_an_error_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with LoopbackHub(DATASETS, broken=True) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with pytest.raises(HubError, match=r"503.*load_gutenqa_tables"):
            load_gutenqa_hub(cache_dir=tmp_path)


def test_bars_are_shown_only_if_requested(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    load_gutenqa_hub(cache_dir=tmp_path / "quiet")
    assert capfd.readouterr() == ("", "")
    load_gutenqa_hub(cache_dir=tmp_path / "loud", show_progress=True)
    assert "%" in capfd.readouterr().err


def test_missing_books_are_reported_before_the_questions(hub: LoopbackHub, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"no book 'fox'; did you mean: {FOX}"):
        load_gutenqa_hub("fox", cache_dir=tmp_path)
