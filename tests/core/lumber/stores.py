"""The stores that the tests of answers are run over: a file, both frameworks', and Redis."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.stores import InMemoryByteStore
from llama_index.core.storage.kvstore import SimpleKVStore

PASSWORD = "planted-password-1"
KINDS = ["file", "langchain", "llama-index", "langchain-redis", "llama-index-redis"]


@contextmanager
def opener(kind: str, folder: Path) -> Iterator[Callable[[], Any]]:
    """Give a function that opens a store anew, as another run on another machine does."""
    if kind == "file":
        yield lambda: folder / "answers.db"
    elif kind == "langchain":
        store = InMemoryByteStore()
        yield lambda: store
    elif kind == "llama-index":
        other = SimpleKVStore()
        yield lambda: other
    else:
        with RedisServer(folder) as server:
            yield lambda: connect(kind, server.url)


def connect(kind: str, url: str) -> Any:
    if kind == "langchain-redis":
        with warnings.catch_warnings():  # langchain-community warns that it is no longer extended
            warnings.simplefilter("ignore")
            from langchain_community.storage import RedisStore

        return RedisStore(redis_url=url, namespace="tests")
    from llama_index.storage.kvstore.redis import RedisKVStore

    return RedisKVStore(url)


class RedisServer:
    """A Redis server on a port of this machine, which keeps its data on disk.

    The test is skipped if `redis-server` or one of the packages is not installed.
    """

    def __init__(self, folder: Path) -> None:
        self._redis = pytest.importorskip("redis")
        pytest.importorskip("langchain_community")
        pytest.importorskip("llama_index.storage.kvstore.redis")
        if shutil.which("redis-server") is None:
            pytest.skip("redis-server is not installed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self._port}/0"
        self._folder = folder

    def __enter__(self) -> RedisServer:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(self._port), "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "always", "--dir", str(self._folder)]
        command += ["--requirepass", PASSWORD]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 180
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.05)
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            return bool(self._redis.Redis(port=self._port, password=PASSWORD).ping())
        except self._redis.exceptions.RedisError:
            return False
