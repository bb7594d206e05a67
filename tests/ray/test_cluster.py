"""Corpora and datasets on a Ray cluster of two workers."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from lumber_core import CallPolicy, GreedyChunker, LumberChunker, ModelJudge
from lumber_core.errors import ModelSettingsError
from lumber_core.llms import OpenAIModel
from lumber_core.lumber import Group
from lumber_core.text.source import Source
from lumber_ray import split_corpus, split_dataset
from lumber_ray.rows import DocumentSplitter, FinishedDocument
from tests.loopback.faults import Drop, Fault, Status
from tests.loopback.server import LoopbackServer, Request
from tests.ray.corpus import rows_in, tales, texts_of, write_lines, write_table
from tests.test_documents import ROOT, blocks_of

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("cluster")]


class SignedModel(OpenAIModel):
    """Sends the process id of its worker as the key, so that the server knows who asks."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_api_key": str(os.getpid())})


def worker_of(request: Request) -> int:
    return int(request.headers["authorization"].removeprefix("Bearer "))


def asking(server: LoopbackServer, store: Path | None, **policy: Any) -> LumberChunker:
    model = SignedModel("test", base_url=server.openai_url, api_key="driver")
    judge = ModelJudge(model, policy=CallPolicy(**policy))
    return LumberChunker(judge, theta=40, store=store)


def paragraphs(count: int, groups: int = 4) -> list[dict[str, Any]]:
    """Return documents whose groups are all different; each group is one call of a model."""
    return [
        {
            "id": f"document-{number}",
            "text": "".join(
                f"Document {number} has a paragraph of its own with the number {line}.\n\n"
                for line in range(2 * groups)
            ),
        }
        for number in range(count)
    ]


def expected(rows: list[dict[str, Any]], chunker: Any) -> list[dict[str, Any]]:
    """Return the rows that one process makes, without Ray."""
    files = [
        Source(row["text"], name=row["id"], metadata={"file_type": row.get("file_type")})
        for row in rows
    ]
    made: list[dict[str, Any]] = []
    for done in DocumentSplitter(chunker).split(files):
        assert isinstance(done, FinishedDocument)
        made += done.rows
    return sorted(made, key=lambda row: (row["document"], row["index"]))


def test_a_killed_worker_loses_no_document_and_pays_no_answer_twice(tmp_path: Path) -> None:
    documents = paragraphs(8)
    source = write_lines(tmp_path / "corpus.jsonl", documents)
    killed: list[int] = []

    def faults(request: Request) -> Fault | None:
        if request.number != 9:
            return None
        killed.append(worker_of(request))
        os.kill(killed[0], signal.SIGKILL)
        return Drop("before")  # nobody is there to get an answer

    with LoopbackServer("Answer: none", faults=faults, delay=0.05) as server:
        chunker = asking(server, tmp_path / "answers.db")
        summary = split_corpus(source, tmp_path / "out", chunker, workers=2, documents_per_part=2)
        answered = [request for request in server.requests if request.number != 9]
    assert (summary.documents, summary.failed, summary.unanswered) == (8, 0, 0)
    rows = rows_in(tmp_path / "out" / "chunks")
    assert texts_of(rows) == {document["id"]: document["text"] for document in documents}
    assert len({row["chunk_id"] for row in rows}) == len(rows) == summary.chunks
    prompts = [request.user for request in answered]
    assert len(prompts) > 20
    assert len(set(prompts)) == len(prompts)
    others = {worker_of(request) for request in answered if request.number > 9}
    assert killed
    assert killed[0] not in others


def test_all_workers_share_the_rate_limit(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "corpus.jsonl", paragraphs(10, groups=3))
    arrived: list[tuple[int, float]] = []

    def answer(request: Request) -> str:
        arrived.append((worker_of(request), time.monotonic()))
        return "Answer: none"

    with LoopbackServer(answer) as server:
        chunker = asking(server, None, requests_per_minute=120)  # one in 0.5 s
        split_corpus(source, tmp_path / "out", chunker, workers=2, documents_per_part=1)
    first: dict[int, float] = {}
    for worker, when in arrived:
        first.setdefault(worker, when)
    assert len(first) == 2
    both = [when for _, when in arrived if when >= max(first.values())]
    # With a limit for each worker there would be twice as many in the time.
    assert both[-1] - both[0] > 0.9 * 0.5 * (len(both) - 1) - 0.5


def test_a_busy_server_pauses_all_workers(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "corpus.jsonl", paragraphs(8))
    times: dict[int, float] = {}

    def faults(request: Request) -> Fault | None:
        times[request.number] = time.monotonic()
        return Status(429, headers={"Retry-After": "2"}) if request.number == 6 else None

    with LoopbackServer("Answer: none", faults=faults, delay=0.1) as server:
        chunker = asking(server, None)
        split_corpus(source, tmp_path / "out", chunker, workers=2, documents_per_part=1)
        assert len({worker_of(request) for request in server.requests}) == 2
    paused = [number for number in times if 0 < times[number] - times[6] < 1.8]
    # The other worker may be about to send, but without the pause it would send a dozen.
    assert len(paused) <= 3
    assert len(times) > 20


@pytest.mark.parametrize(("kind", "written"), [("jsonl", "parquet"), ("parquet", "jsonl")])
def test_tables_in_chunks_out(kind: str, written: Any, tmp_path: Path) -> None:
    documents = tales(40)
    write = write_lines if kind == "jsonl" else write_table
    write(tmp_path / f"corpus.{kind}", documents)
    chunker = GreedyChunker(chunk_size=20)
    summary = split_corpus(
        tmp_path / f"corpus.{kind}", tmp_path / "out", chunker, workers=2, format=written
    )
    rows = rows_in(tmp_path / "out" / "chunks")
    assert rows == expected(documents, chunker)
    assert any(row["headings"] for row in rows)
    assert (summary.documents, summary.chunks, summary.failed) == (40, len(rows), 0)
    assert len(list((tmp_path / "out" / "chunks").iterdir())) == 8  # a quarter of a share each


def one_poisoned(group: Group) -> int | None:
    if any("poison" in text for text in group.texts):
        raise RuntimeError(f"poisoned for {os.environ['HOME']}")
    return None


def test_failed_documents_are_kept_and_tried_again_and_finished_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    notes = Path("notes")
    notes.mkdir()
    for name, text in {"a": "# A\n\nOne.\n\nTwo.", "b": "Three.", "empty": ""}.items():
        (notes / f"{name}.md").write_text(text, encoding="utf-8")
    (notes / "broken.txt").write_bytes(b"\x00\x81\xff")
    chunker = LumberChunker(one_poisoned)
    first = split_corpus("notes", "out", chunker, workers=1, show_progress=True)
    assert (first.documents, first.finished_before, first.failed) == (4, 0, 2)
    assert "4/4" in capsys.readouterr().err
    failed = {row["document"]: row["error"] for row in rows_in(Path("out/failed"))}
    assert failed.keys() == {"notes/broken.txt", "notes/empty.md"}
    assert "not text in any known encoding" in failed["notes/broken.txt"]
    rows = rows_in(Path("out/chunks"))
    assert texts_of(rows) == {"notes/a.md": "# A\n\nOne.\n\nTwo.", "notes/b.md": "Three."}
    assert rows[-1]["headings"] == []
    assert rows[0]["headings"] == ["A"]

    kept = {path: path.stat().st_mtime_ns for path in Path("out/chunks").iterdir()}
    (notes / "broken.txt").write_text("Mended.")
    (notes / "new.txt").write_text("New.")
    second = split_corpus("notes", "out", chunker, workers=1)
    assert (second.documents, second.finished_before, second.failed) == (5, 2, 1)
    texts = texts_of(rows_in(Path("out/chunks")))
    assert (texts["notes/broken.txt"], texts["notes/new.txt"]) == ("Mended.", "New.")
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert [row["document"] for row in rows_in(Path("out/failed"))] == ["notes/empty.md"]

    (notes / "empty.md").unlink()
    third = split_corpus("notes", "out", chunker, workers=1)
    assert (third.documents, third.finished_before, third.chunks) == (4, 4, 0)


def test_a_wrong_key_ends_the_run(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "corpus.jsonl", paragraphs(4))
    with (
        LoopbackServer(faults=lambda request: Status(401)) as server,
        pytest.raises(ModelSettingsError, match="the model rejected the call"),
    ):
        split_corpus(source, tmp_path / "out", asking(server, None), workers=1)
    assert rows_in(tmp_path / "out" / "chunks") == []


class Lengths:
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 0.5] for text in texts]


def test_a_dataset_becomes_rows_of_chunks_embeddings_and_errors(cluster: Any) -> None:
    documents = tales(20)
    chunker = GreedyChunker(chunk_size=20)
    dataset = cluster.data.from_items([*documents, {"id": "z", "text": "", "file_type": "none"}])
    # The blocks are made by tasks, which need a CPU beside the workers.
    dataset = dataset.repartition(target_num_rows_per_block=4)
    rows = split_dataset(
        dataset, chunker, embedder=Lengths(), context=False, surroundings=False, batch_size=3
    )
    rows = rows.take_all()
    rows.sort(key=lambda row: (row["document"], row["index"] or 0))
    last = rows.pop()
    assert (last["document"], last["text"]) == ("z", None)
    assert "the text is empty" in last["error"]
    assert [list(row.pop("embedding")) for row in rows] == [[len(r["text"]), 0.5] for r in rows]
    assert {row.pop("error") for row in rows} == {None}
    assert rows == expected(documents, chunker)


def test_the_page_on_scaling_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_index.ingestion.ray")
    from llama_index.core import Document

    monkeypatch.chdir(tmp_path)
    Path("corpus").mkdir()
    documents = tales(6)
    write_table(tmp_path / "corpus" / "tales.parquet", documents)
    namespace: dict[str, Any] = {}
    for block in blocks_of(ROOT / "docs" / "scaling.md"):
        if block.language == "python":
            exec(block.body.replace("/data/", f"{tmp_path}/"), namespace)
    rows = rows_in(tmp_path / "chunks_of_corpus" / "chunks")
    assert texts_of(rows) == {row["id"]: row["text"] for row in documents}
    assert namespace["summary"].chunks == len(rows)
    again = rows_in(tmp_path / "chunks")
    assert [row["chunk_id"] for row in again] == [row["chunk_id"] for row in rows]
    nodes = namespace["ingest"]([Document(text=row["text"], id_=row["id"]) for row in documents])
    assert {node.ref_doc_id for node in nodes} == {row["id"] for row in documents}


def test_llama_index_runs_the_node_parsers_on_ray_with_the_same_nodes() -> None:
    ingestion = pytest.importorskip("llama_index.ingestion.ray")
    from llama_index.core import Document
    from llama_index.core.ingestion import IngestionPipeline

    from llamaindex_lumber import GreedyNodeParser

    documents = [Document(text=row["text"], id_=row["id"]) for row in tales(6)]
    settings = {"chunk_size": 20, "chunk_overlap": 5}
    pipeline = ingestion.RayIngestionPipeline(
        transformations=[
            ingestion.RayTransformComponent(
                transform_class=GreedyNodeParser,
                transform_kwargs=settings,
                map_batches_kwargs={"batch_size": 2},
            )
        ]
    )
    made = pipeline.run(documents=documents)
    local = IngestionPipeline(transformations=[GreedyNodeParser(**settings)])
    alone = local.run(documents=documents)
    assert len(made) > 20
    assert {
        (node.node_id, node.start_char_idx, node.end_char_idx, node.text, node.ref_doc_id)
        for node in made
    } == {
        (node.node_id, node.start_char_idx, node.end_char_idx, node.text, node.ref_doc_id)
        for node in alone
    }
