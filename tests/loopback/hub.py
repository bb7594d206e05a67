"""A server on 127.0.0.1 that speaks as much of the Hugging Face hub as downloading takes.

For the real `huggingface_hub` client: what a revision is, the list of its files, and the files,
with the headers that its cache goes by.

    with LoopbackHub({"owner/name": {"data.parquet": b"..."}}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

_INFO = re.compile(
    r"/api/(?:datasets|models)/(?P<dataset>[^/]+/[^/]+)(?:/revision/(?P<revision>[^/]+))?"
)
_TREE = re.compile(r"/api/(?:datasets|models)/(?P<dataset>[^/]+/[^/]+)/tree/(?P<revision>[^/]+)")
_FILE = re.compile(
    r"(?:/datasets)?/(?P<dataset>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)"
)

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class HubRequest:
    """One request as it arrived.

    Attributes:
        method: "HEAD" or "GET".
        path: Its path, without the query.
        token: The token it carries; None where it has none.
    """

    method: str
    path: str
    token: str | None


class LoopbackHub:
    """The server; a context manager that runs it.

    Args:
        datasets: The files of each dataset or model, on its main branch.
        branches: Files of further branches or tags, by dataset and name.
        gated: Datasets whose files need the token `token`.
        private: Datasets that do not exist for who has not the token.
        token: The one token that is let in.
        broken: Whether every request is answered by status 503.

    Attributes:
        requests: The requests in order of arrival.
    """

    def __init__(
        self,
        datasets: Mapping[str, Files],
        *,
        branches: Mapping[tuple[str, str], Files] | None = None,
        gated: frozenset[str] = frozenset(),
        private: frozenset[str] = frozenset(),
        token: str = "hf_letmein",
        broken: bool = False,
    ) -> None:
        self._revisions = {(name, "main"): files for name, files in datasets.items()}
        self._revisions |= dict(branches or {})
        self._gated, self._private, self._token = gated, private, token
        self._broken = broken
        self.requests: list[HubRequest] = []

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
                scheme, _, token = self.headers.get("Authorization", "").partition(" ")
                request = HubRequest(self.command, path, token if scheme == "Bearer" else None)
                hub.requests.append(request)
                status, headers, body = hub.answer(request)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if send_body:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log nothing: `requests` tells."""

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
        """Its address: the client's endpoint."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def downloads(self) -> list[str]:
        """The paths within their datasets of the files that were sent."""
        found = [_FILE.fullmatch(r.path) for r in self.requests if r.method == "GET"]
        return [match["path"] for match in found if match]

    def commit(self, dataset: str, revision: str = "main") -> str:
        """Return the commit that a branch or tag stands for."""
        return hashlib.sha1(f"{dataset}@{revision}".encode()).hexdigest()

    def answer(self, request: HubRequest) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers and the body of a reply."""
        if self._broken:
            return _error(503, None, "Service Unavailable")
        match = next(filter(None, (r.fullmatch(request.path) for r in (_FILE, _TREE, _INFO))), None)
        if match is None:
            return _error(404, None, f"nothing is served at {request.path}")
        dataset, named = match["dataset"], match["revision"] or "main"
        known = request.token == self._token
        if (dataset, "main") not in self._revisions or (dataset in self._private and not known):
            return _error(404 if known else 401, "RepoNotFound", "Repository not found")
        revision = self._revision(dataset, named)
        if revision is None:
            return _error(404, "RevisionNotFound", f"Invalid rev id: {named}")
        files, commit = self._revisions[dataset, revision], self.commit(dataset, revision)
        if match.re is _INFO:
            return _json(self._info(dataset, files, commit))
        if match.re is _TREE:
            return _json([_entry(path, body) for path, body in files.items()])
        if dataset in self._gated and not known:
            return _error(403 if request.token else 401, "GatedRepo", "Access is restricted")
        if match["path"] not in files:
            return _error(404, "EntryNotFound", "Entry not found")
        body = files[match["path"]]
        return 200, {"ETag": f'"{_blob_id(body)}"', "X-Repo-Commit": commit}, body

    def _revision(self, dataset: str, named: str) -> str | None:
        """Return the branch or tag that is named, by itself or by its commit."""
        for name, revision in self._revisions:
            if name == dataset and named in (revision, self.commit(dataset, revision)):
                return revision
        return None

    def _info(self, dataset: str, files: Files, commit: str) -> dict[str, Any]:
        return {
            "id": dataset,
            "sha": commit,
            "private": dataset in self._private,
            "gated": "manual" if dataset in self._gated else False,
            "disabled": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": [{"rfilename": path} for path in files],
        }


def _entry(path: str, body: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(body), "oid": _blob_id(body)}


def _blob_id(body: bytes) -> str:
    """Return what git names a file by."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def _json(value: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


def _error(status: int, code: str | None, message: str) -> tuple[int, dict[str, str], bytes]:
    headers = {"X-Error-Message": message, "Content-Type": "application/json"}
    if code is not None:
        headers["X-Error-Code"] = code
    body = {"error": message or HTTPStatus(status).phrase}
    return status, headers, json.dumps(body).encode()
