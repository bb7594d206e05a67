"""A server on 127.0.0.1 that speaks two providers' wire formats, for the real SDKs to talk to.

OpenAI: `POST /v1/chat/completions`, and `/v1/embeddings`, whose vectors count letters.
Gemini: `POST /v1beta/models/{model}:generateContent`, or /v1.
It answers by a function, counts and keeps the requests, and plays scripted faults (`faults.py`).

    with LoopbackServer(lambda request: "Answer: ID 7", faults={2: rate_limited(1)}) as server:
        OpenAIModel("any", base_url=server.openai_url)

One event loop in one thread serves all connections, which are kept alive, so that thousands of
requests and hundreds of connections at once cost little.
"""

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any, Literal

from typing_extensions import Self

from tests.loopback.faults import (
    Compressed,
    Dribble,
    Drop,
    Fault,
    Filtered,
    Malformed,
    Refusal,
    Reply,
    Says,
    Script,
    Slow,
    Status,
)
from tests.loopback.wires import Message, chat, gemini_error, openai_error

_OPENAI_PATH = "/v1/chat/completions"
_EMBEDDINGS_PATH = "/v1/embeddings"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_GEMINI_PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^/]+):generateContent")
_BACKLOG = 1024


@dataclass(frozen=True)
class Request:
    """One request as it arrived, its path without the query, names of headers in lower case."""

    number: int  # the first is 1
    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any] = field(repr=False)

    @property
    def wire(self) -> Literal["openai", "gemini"]:
        """The provider whose format the request has."""
        return "gemini" if _GEMINI_PATH.fullmatch(self.path) else "openai"

    @property
    def model(self) -> str:
        """The model that is asked."""
        if gemini := _GEMINI_PATH.fullmatch(self.path):
            return gemini["model"]
        return str(self.body.get("model", ""))

    @cached_property
    def system(self) -> str:
        """The instructions to the model."""
        if self.wire == "gemini":
            return _joined(self.body.get("systemInstruction", {}))
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @cached_property
    def user(self) -> str:
        """The question to the model."""
        if self.wire == "gemini":
            return "".join(_joined(content) for content in self.body["contents"])
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "user")

    @property
    def temperature(self) -> float | None:
        """The temperature; None for the model's default."""
        settings = self.body.get("generationConfig", {}) if self.wire == "gemini" else self.body
        return settings.get("temperature")

    @property
    def allowed(self) -> list[str] | None:
        """The answers that the schema allows; None without a schema of choices."""
        if self.wire == "gemini":
            schema = self.body.get("generationConfig", {}).get("responseSchema")
            return None if schema is None else (schema.get("items") or schema)["enum"]
        form = self.body.get("response_format", {})
        if form.get("type") != "json_schema":
            return None
        answer: dict[str, Any] = form["json_schema"]["schema"]["properties"].get("answer", {})
        return (answer.get("items") or answer).get("enum")

    @property
    def asks_for_list(self) -> bool:
        """Whether the schema allows a list of answers."""
        return '"items": {' in json.dumps(self.body)

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that the answer may have."""
        if self.wire == "gemini":
            return self.body.get("generationConfig", {}).get("maxOutputTokens")
        return self.body.get("max_completion_tokens") or self.body.get("max_tokens")

    def parameter(self, name: str) -> str | None:
        """Return the wire's name of a parameter if the request has it, else None."""
        if name == "temperature" and self.temperature is not None:
            return "temperature"
        if name == "response_format" and self.wire == "gemini" and self.allowed is not None:
            return "generation_config.response_schema"
        return name if name in self.body and self.wire == "openai" else None


class LoopbackServer:
    """The server; a context manager that runs it.

    The model gives one answer, or one for each request; an answer `Answer: x` to a request with a
    schema is sent in the schema's form. What goes wrong is given by request number or by request.
    Of the requests in order of arrival, the last `keep` are kept, and all are counted.
    """

    def __init__(
        self,
        answer: str | Callable[[Request], str] = "Answer: none",
        *,
        faults: Script | None = None,
        delay: float = 0.0,
        keep: int | None = None,
    ) -> None:
        self._answer = answer
        self._faults = faults or {}
        self._delay = delay
        self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._connections: set[asyncio.Task[None]] = set()
        self.requests: deque[Request] = deque(maxlen=keep)
        self.count = 0
        self.most_at_once = 0

    @property
    def url(self) -> str:
        """The address of the server, without a path; Gemini's base URL."""
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    @property
    def openai_url(self) -> str:
        """OpenAI's base URL."""
        return f"{self.url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=_BACKLOG)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close all connections and listen no more; may be called twice."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after the other."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the server is closing
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        header_parts = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in header_parts}
        raw = await _body(reader, headers)
        path = first.split(" ")[1].partition("?")[0]
        self.count += 1
        request = Request(self.count, path, headers, json.loads(raw or b"{}"))
        self.requests.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._reply(request, writer)
        finally:
            self._at_once -= 1

    async def _reply(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        fault = self._fault(request)
        pause = self._delay + (fault.seconds if isinstance(fault, Slow) else 0.0)
        if pause:
            await asyncio.sleep(pause)
        if fault == Drop("before"):
            writer.transport.abort()
            return False
        if isinstance(fault, Dribble):
            ends = b"X-Slow: " if fault.where == "head" else b"Content-Length: 100000\r\n\r\n"
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + ends)
            while not writer.transport.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(fault.every)
            return False
        status, headers, body = self._message(request, fault)
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
        raw = "\r\n".join(head).encode("latin-1") + body
        if fault == Drop("body"):
            writer.write(raw[: -len(body) // 2])
            await writer.drain()
            writer.close()
            return False
        writer.write(raw)
        await writer.drain()
        return True

    def _fault(self, request: Request) -> Fault | None:
        if request.path not in (_OPENAI_PATH, _EMBEDDINGS_PATH) and request.wire != "gemini":
            return Status(404, f"nothing is served at {request.path}")
        if callable(self._faults):
            return self._faults(request)
        return self._faults.get(request.number)

    def _message(self, request: Request, fault: Fault | None) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers and the body of a reply."""
        gemini = request.wire == "gemini"
        if isinstance(fault, Malformed):
            body = fault.body
            return 200, {}, body if isinstance(body, bytes) else body.encode()
        if isinstance(fault, Compressed):
            return 200, {"Content-Encoding": fault.encoding}, fault.body
        if isinstance(fault, Reply):
            return fault.code, {}, fault.body.encode()
        if isinstance(fault, Status):
            error = (gemini_error if gemini else openai_error)(fault.code, fault.message)
            if not gemini:
                error["error"] |= {"param": fault.parameter, "code": fault.reason}
            return fault.code, dict(fault.headers or {}), json.dumps(error).encode()
        if request.path == _EMBEDDINGS_PATH:
            return 200, {}, json.dumps(_embeddings(request)).encode()
        if isinstance(fault, Says):
            answer = fault.text
        elif callable(self._answer):
            answer = _answer_in_schema(request, self._answer(request))
        else:
            answer = _answer_in_schema(request, self._answer)
        reply = (_gemini_answer if gemini else _openai_answer)(request, fault, answer)
        return 200, {}, json.dumps(reply).encode()


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    pieces = []
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(pieces)


def _joined(content: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in content.get("parts", []))


def _answer_in_schema(request: Request, answer_text: str) -> str:
    """Put an answer into the form that the request's schema asks for."""
    if not request.allowed or not answer_text.startswith("Answer: "):
        return answer_text
    answer: Any = answer_text.removeprefix("Answer: ")
    if request.asks_for_list:
        answers = [] if answer == "none" else answer.split(", ")
        return json.dumps(answers if request.wire == "gemini" else {"answer": answers})
    return answer if request.wire == "gemini" else json.dumps({"answer": answer})


def _openai_answer(request: Request, fault: Fault | None, answer: str) -> dict[str, Any]:
    if isinstance(fault, Refusal):
        reply = chat(Message(request.model, fault.text, "refused"))
    else:
        reply = chat(Message(request.model, "" if isinstance(fault, Filtered) else answer))
    if isinstance(fault, Filtered):
        reply["choices"][0]["finish_reason"] = "content_filter"
    read, wrote = _counts(request, answer)
    usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    return {**reply, "id": f"chatcmpl-{request.number}", "usage": usage}


def _embeddings(request: Request) -> dict[str, Any]:
    """Return a vector for each text, how often each letter occurs in it, the last text first."""
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": [0.1 + text.casefold().count(letter) for letter in _LETTERS],
        }
        for number, text in enumerate(request.body["input"])
    ]
    return {"object": "list", "model": request.model, "data": data[::-1]}


def _gemini_answer(request: Request, fault: Fault | None, answer: str) -> dict[str, Any]:
    read, wrote = _counts(request, answer)
    usage = {"promptTokenCount": read, "candidatesTokenCount": wrote}
    usage["totalTokenCount"] = read + wrote
    reply: dict[str, Any] = {"modelVersion": request.model, "usageMetadata": usage}
    if fault == Filtered("prompt"):
        del usage["candidatesTokenCount"]
        return reply | {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    if isinstance(fault, Refusal | Filtered):
        return reply | {"candidates": [{"index": 0, "finishReason": "SAFETY"}]}
    content = {"role": "model", "parts": [{"text": answer}]}
    return reply | {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}


def _counts(request: Request, answer: str) -> tuple[int, int]:
    """Return the tokens read and written; a word counts as a token."""
    return len(request.system.split()) + len(request.user.split()), len(answer.split())
