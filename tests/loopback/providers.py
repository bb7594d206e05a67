"""A server on 127.0.0.1 that speaks every provider's wire format, for clients of both frameworks.

It answers by a script, a step for each question, and repeats the last step. `LoopbackServer` plays
more faults, for the two formats that this library speaks itself.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.loopback.wires import ABOUT_MODELS, Message, Wire, wire_of


@dataclass(frozen=True)
class Step:
    """How one question is answered.

    Attributes:
        status: The status of the reply; other than 200, it is an error.
        end: See `Message`.
        thought: See `Message`.
        retry_after: Seconds, in the header of that name.
    """

    status: int = 200
    end: Literal["stop", "cut", "refused"] = "stop"
    thought: str = ""
    retry_after: float | None = None


class ProviderServer:
    """The server; a context manager that runs it.

    Args:
        steps: The script.
        wire: The format; by default that of the path.

    Attributes:
        asked: The bodies of the questions, in order.
        paths: Their paths.
    """

    def __init__(self, steps: Sequence[Step] = (Step(),), wire: Wire | None = None) -> None:
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        lock = threading.Lock()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections are kept, as every provider does

            def do_GET(self) -> None:
                self._reply(200, ABOUT_MODELS, {})

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                path = self.path.partition("?")[0].replace("%3A", ":")
                spoken = wire or wire_of(path)
                if spoken is None:  # Ollama's client asks about a model
                    self._reply(200, ABOUT_MODELS, {})
                    return
                body = json.loads(raw or b"{}")
                with lock:
                    step = steps[min(len(provider.asked), len(steps) - 1)]
                    provider.asked.append(body)
                    provider.paths.append(path)
                if step.status == 200:
                    text = "I won't." if step.end == "refused" else answer_to(json.dumps(body))
                    said = Message(str(body.get("model", "m")), text, step.end, step.thought)
                    self._reply(200, spoken.message(said), {})
                    return
                wait = step.retry_after
                headers = {} if wait is None else {"Retry-After": f"{wait:g}"}
                self._reply(step.status, spoken.error(step.status, "by the script"), headers)

            def _reply(self, status: int, body: object, headers: dict[str, str]) -> None:
                raw = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Log nothing: `asked` tells."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: object) -> None:
                """A client has gone."""

        self._server = Server(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ProviderServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def answer_to(body: str) -> str:
    """Name a paragraph in the middle of those that a question shows."""
    shown = sorted({int(number) for number in re.findall(r"ID (\d+):", body)})
    return f"Answer: ID {shown[len(shown) // 2]}" if len(shown) > 1 else "Answer: none"
