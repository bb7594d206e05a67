"""Bounds what a server's reply may take of the memory, for the HTTP clients of models' packages.

A gigabyte of blanks is a megabyte of gzip. So replies are unpacked here, up to a limit, and only
the encodings are asked for whose unpacking can be stopped.

The clients are those of httpx, or of httpx2, its successor; packages change from one to the other.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any

from lumber_core.deadlines import check_time
from lumber_core.errors import BadReplyError

MOST_BYTES = 10_000_000
"""Maximum size of a reply, unpacked. Reasoning of 100,000 tokens has a twentieth of it."""
_PIECE = 65_536  # bytes unpacked at once
_ENCODINGS = ("gzip", "deflate")
_EITHER = zlib.MAX_WBITS | 32  # recognises the header of gzip or zlib


def event_hooks() -> dict[str, list[Callable[[Any], Any]]]:
    """Return the hooks for a synchronous client."""
    return {"request": [_ask_for_encodings], "response": [_bound]}


def async_event_hooks() -> dict[str, list[Callable[[Any], Any]]]:
    """Return the hooks for an asynchronous client."""

    async def ask(request: Any) -> None:
        _ask_for_encodings(request)

    async def bound(response: Any) -> None:
        _bound(response)

    return {"request": [ask], "response": [bound]}


def _ask_for_encodings(request: Any) -> None:
    request.headers["accept-encoding"] = ", ".join(_ENCODINGS)


def _bound(response: Any) -> None:
    """Let the body of a response, which has not been read yet, be unpacked and bounded here.

    Raises:
        BadReplyError: It has another encoding.
    """
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    if encoding not in (*_ENCODINGS, "identity", ""):
        raise BadReplyError(f"the reply is encoded as {encoding[:20]!r}, which was not asked for")
    http: Any = import_module(type(response).__module__.partition(".")[0])
    stream, unpack = response.stream, _Unpacking(packed=encoding in _ENCODINGS)

    class Bounded(http.SyncByteStream, http.AsyncByteStream):  # type: ignore[misc]
        """The unpacked body."""

        def __iter__(self) -> Iterator[bytes]:
            for raw in stream:
                yield from unpack(raw)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for raw in stream:
                for piece in unpack(raw):
                    yield piece

        def close(self) -> None:
            stream.close()

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Bounded()


class _Unpacking:
    """Unpacks a body piece by piece.

    Args:
        packed: Whether it is packed with gzip or zlib.
    """

    def __init__(self, *, packed: bool) -> None:
        self._unpacker = zlib.decompressobj(_EITHER) if packed else None
        self._size = 0

    def __call__(self, raw: bytes) -> Iterator[bytes]:
        """Yield the unpacked bytes.

        Raises:
            BadReplyError: They are too many, or damaged.
            TimeoutError: The time of the current call is over.
        """
        check_time()
        if self._unpacker is None:
            yield self._counted(raw)
            return
        while raw:
            try:
                yield self._counted(self._unpacker.decompress(raw, _PIECE))
            except zlib.error as error:
                raise BadReplyError(f"the reply cannot be unpacked: {error}") from error
            raw = self._unpacker.unconsumed_tail

    def _counted(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size > MOST_BYTES:
            raise BadReplyError(f"the reply has more than {MOST_BYTES:,} bytes")
        return piece
