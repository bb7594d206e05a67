"""Corpora and results in an object store: a server of moto on this machine that speaks S3."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pytest

from lumber_core import GreedyChunker
from lumber_ray import split_corpus
from tests.ray.corpus import rows_in, tales, write_lines, write_table
from tests.ray.test_cluster import expected

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("cluster")]

KEY, SECRET, BUCKET = "reader", "planted-secret", "library"
CHUNKER = GreedyChunker(chunk_size=20)


class Bucket:
    """A bucket whose objects are copied from and to files."""

    def __init__(self, port: int) -> None:
        self.server = f"127.0.0.1:{port}"
        self._system = pa.fs.S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            region="us-east-1",
            scheme="http",
            endpoint_override=self.server,
            allow_bucket_creation=True,
        )
        self._system.create_dir(BUCKET)

    def uri(self, path: str) -> str:
        query = f"endpoint_override={self.server}&scheme=http&region=us-east-1"
        return f"s3://{KEY}:{SECRET}@{BUCKET}/{path}?{query}"

    def put(self, file: Path, path: str) -> None:
        with self._system.open_output_stream(f"{BUCKET}/{path}") as stream:
            stream.write(file.read_bytes())

    def get(self, path: str, folder: Path) -> Path:
        """Copy a folder of the bucket, and return where it is."""
        source = pa.fs.FileSelector(f"{BUCKET}/{path}", recursive=True)
        folder.mkdir()
        pa.fs.copy_files(
            source.base_dir,
            str(folder),
            source_filesystem=self._system,
            destination_filesystem=pa.fs.LocalFileSystem(),
        )
        return folder


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    pytest.importorskip("moto", reason="moto is not installed: run make test-ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("wb") as out:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ})
    try:
        deadline = time.monotonic() + 120
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert server.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.2)
        yield Bucket(port)
    finally:
        server.terminate()
        server.wait()


@pytest.mark.parametrize(("kind", "written"), [("parquet", "jsonl"), ("jsonl", "parquet")])
def test_a_corpus_in_a_bucket_is_split_into_the_bucket_and_resumed(
    kind: str, written: Any, bucket: Bucket, tmp_path: Path
) -> None:
    documents = tales(12)
    write = write_lines if kind == "jsonl" else write_table
    for name, some in (("a", documents[:7]), ("b", documents[7:10])):
        bucket.put(write(tmp_path / f"{name}.{kind}", some), f"{kind}/{name}.{kind}")
    source, destination = bucket.uri(f"{kind}/"), bucket.uri(f"chunks-of-{kind}")

    first = split_corpus(source, destination, CHUNKER, workers=2, format=written)
    assert (first.documents, first.finished_before, first.failed) == (10, 0, 0)

    bucket.put(write(tmp_path / f"c.{kind}", documents[10:]), f"{kind}/more/c.{kind}")
    second = split_corpus(source, destination, CHUNKER, workers=2, format=written)
    assert (second.documents, second.finished_before) == (12, 10)

    local = bucket.get(f"chunks-of-{kind}", tmp_path / "results")
    assert rows_in(local / "chunks") == expected(documents, CHUNKER)
    assert (local / "run.json").is_file()
    for file in local.rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("path", "said"), [("mine", "mine holds other files"), ("a b", "a b cannot be opened")]
)
def test_an_error_about_a_bucket_does_not_show_its_secret(
    path: str, said: str, bucket: Bucket, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "corpus.jsonl", tales(2))
    bucket.put(source, "mine/corpus.jsonl")
    with pytest.raises(ValueError, match=f"s3://library/{said}") as caught:
        split_corpus(source, bucket.uri(path), CHUNKER, workers=1)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_uri_of_this_machine_is_the_same_as_the_path(tmp_path: Path) -> None:
    documents = tales(4)
    source = write_table(tmp_path / "corpus.parquet", documents)
    made = split_corpus(source.as_uri(), (tmp_path / "out").as_uri(), CHUNKER, workers=1)
    assert made.documents == 4
    again = split_corpus(source, tmp_path / "out", CHUNKER, workers=1)
    assert again.finished_before == 4
    assert rows_in(tmp_path / "out" / "chunks") == expected(documents, CHUNKER)
