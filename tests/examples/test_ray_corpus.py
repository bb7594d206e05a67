"""The example for Ray, on a cluster on this machine: run by `make test-ray`."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.test_examples import name_middle_paragraph
from tests.loopback.server import LoopbackServer

pytestmark = pytest.mark.ray
ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = ROOT / "examples" / "handbook"
STORY = (ROOT / "examples" / "data" / "the_tide_clock.txt").read_text(encoding="utf-8")


def run(output: Path, *arguments: object) -> dict[str, list[dict[str, Any]]]:
    """Run the example; return the rows of each document's chunks, in order."""
    from pyarrow import parquet

    completed = subprocess.run(
        [sys.executable, "examples/ray_corpus.py", str(output), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OPENAI_API_KEY": "none", "RAY_USAGE_STATS_ENABLED": "0"},
        timeout=400,
    )
    assert completed.returncode == 0, completed.stderr
    chunks_by_document: dict[str, list[dict[str, Any]]] = {}
    rows = parquet.read_table(output).to_pylist()
    for row in sorted(rows, key=lambda row: (row["document"], row["start"])):
        chunks_by_document.setdefault(row["document"], []).append(row)
    return chunks_by_document


def texts(chunks_by_document: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Return the texts that chunks tile."""
    for rows in chunks_by_document.values():
        assert [row["start"] for row in rows] == [
            sum(len(before["text"]) for before in rows[:n]) for n in range(len(rows))
        ]
    return {name: "".join(row["text"] for row in rows) for name, rows in chunks_by_document.items()}


def test_files_become_chunks_that_tile_them_with_vectors(tmp_path: Path) -> None:
    chunks_by_document = run(tmp_path / "chunks", HANDBOOK, "--vectors")
    files = {str(path): path.read_text(encoding="utf-8") for path in HANDBOOK.glob("*.md")}
    assert texts(chunks_by_document) == files
    rows = [row for rows in chunks_by_document.values() for row in rows]
    assert len(rows) > 2 * len(files)
    assert any("handbook" in row["context"] for row in rows)
    assert {len(row["embedding"]) for row in rows} == {384}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The address of a Redis server."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    server = subprocess.Popen([*command, "--dir", str(tmp_path)], stdout=subprocess.DEVNULL)
    for _ in range(1200):
        with socket.socket() as client:
            if not client.connect_ex(("127.0.0.1", port)):
                break
        time.sleep(0.05)
    yield f"redis://127.0.0.1:{port}"
    server.kill()
    server.wait()


def test_a_repeated_run_does_not_ask_again(tmp_path: Path, redis: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    documents = {f"part {n}": STORY[n * 9000 : (n + 1) * 9000] for n in range(3)}
    source, output = tmp_path / "corpus.parquet", tmp_path / "chunks"
    parquet.write_table(pa.table({"id": [*documents], "text": [*documents.values()]}), source)
    with LoopbackServer(name_middle_paragraph) as server:
        asking = (output, source, "--llm", f"{server.openai_url}#m", "--redis", redis)
        first = run(*asking)
        prompts = [request.user for request in server.requests]
        assert len({*prompts}) == len(prompts) > 6
        assert run(*asking) == first
        assert server.count == len(prompts)
    assert texts(first) == documents
