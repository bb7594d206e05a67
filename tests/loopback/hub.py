"""A server on 127.0.0.1 that speaks as much of the Hugging Face hub as downloading a model takes.

For the real `huggingface_hub` client: the list of a model's files, and the files, with the headers
that its cache goes by.

    with LoopbackHub({"owner/name": {"card.json": b"..."}}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

_INFO = re.compile(r"/api/models/(?P<model>[^/]+/[^/]+)(?:/revision/[^/]+)?")
_TREE = re.compile(r"/api/models/(?P<model>[^/]+/[^/]+)/tree/[^/]+")
_FILE = re.compile(r"/(?P<model>[^/]+/[^/]+)/resolve/[^/]+/(?P<path>.+)")

Reply = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


class LoopbackHub:
    """The server of models' files; a context manager that runs it and lists its downloads."""

    def __init__(self, models: Mapping[str, Mapping[str, bytes]]) -> None:
        self._models = models
        self.downloads: list[str] = []

    def __enter__(self) -> LoopbackHub:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            # HTTP/1.0, its default: no connection outlives the server's end.
            def do_GET(self) -> None:
                self._reply(send_body=True)

            def do_HEAD(self) -> None:
                self._reply(send_body=False)

            def _reply(self, *, send_body: bool) -> None:
                path = unquote(self.path.partition("?")[0])
                status, headers, body = hub.answer(path, counted=send_body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if send_body:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log nothing: `downloads` lists the requests."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address of the server, for the client's endpoint."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, path: str, *, counted: bool) -> Reply:
        """Return the reply to a request; `counted` adds a file to the downloads."""
        match = next(
            filter(None, (pattern.fullmatch(path) for pattern in (_FILE, _TREE, _INFO))), None
        )
        if match is None or match["model"] not in self._models:
            return _error("RepoNotFound", "Repository not found")
        files, commit = self._models[match["model"]], _digest(match["model"].encode())
        if match.re is _INFO:
            siblings = [{"rfilename": name} for name in files]
            return _json({"id": match["model"], "sha": commit, "siblings": siblings})
        if match.re is _TREE:
            return _json(
                [
                    {"type": "file", "path": name, "size": len(body), "oid": _digest(body)}
                    for name, body in files.items()
                ]
            )
        if match["path"] not in files:
            return _error("EntryNotFound", "Entry not found")
        if counted:
            self.downloads.append(match["path"])
        body = files[match["path"]]
        return 200, {"ETag": f'"{_digest(body)}"', "X-Repo-Commit": commit}, body


def _digest(content: bytes) -> str:
    """Return a hash for a commit or for the content of a file."""
    return hashlib.sha1(content).hexdigest()


def _json(value: object) -> Reply:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


def _error(code: str, message: str) -> Reply:
    headers = {"X-Error-Code": code, "X-Error-Message": message, "Content-Type": "application/json"}
    return 404, headers, json.dumps({"error": message}).encode()
