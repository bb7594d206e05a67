"""Clients that belong to the event loop they were made on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from threading import Lock
from typing import Any, Generic, TypeVar

Client = TypeVar("Client")


class PerLoop(Generic[Client]):
    """Keeps one client for each event loop, since connections belong to the loop they opened on.

    A client is closed when its loop shuts its asynchronous generators down, as `asyncio.run` does
    at its end: one of them holds it open.

    Args:
        make: Makes a client.
        close: Closes one.
    """

    def __init__(
        self, make: Callable[[], Client], close: Callable[[Client], Awaitable[Any]]
    ) -> None:
        self._make = make
        self._close = close
        self._clients: dict[
            asyncio.AbstractEventLoop, tuple[Client, AsyncGenerator[None, None]]
        ] = {}
        self._lock = Lock()

    async def get(self) -> Client:
        """Return the running loop's client."""
        loop = asyncio.get_running_loop()
        with self._lock:
            known = self._clients.get(loop)
        if known is None:
            client = self._make()
            keeper = self._keeping(loop, client)
            known = client, keeper
            with self._lock:
                for gone in [other for other in self._clients if other.is_closed()]:
                    del self._clients[gone]
                self._clients[loop] = known
            await anext(keeper)  # nothing is awaited before its yield, so no task comes between
        return known[0]

    async def _keeping(
        self, loop: asyncio.AbstractEventLoop, client: Client
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await self._close(client)
