"""What a language model must offer: a system text and a user text in, a completion out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer.

    Attributes:
        text: What it said.
        prompt_tokens: Tokens it read, as it reports them; 0 where it reports none.
        completion_tokens: Tokens it wrote, likewise.
        finish_reason: Why it stopped, in the provider's word; "" where it gives none.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""


@runtime_checkable
class Model(Protocol):
    """A language model.

    Implementations are safe to call from several threads and tasks at once.
    """

    def complete(self, system: str, user: str) -> Completion:
        """Answer `user` under the instructions of `system`."""
        ...

    async def acomplete(self, system: str, user: str) -> Completion:
        """Answer likewise, without blocking the event loop."""
        ...
