"""What a language model must offer: a system text and a user text in, a completion out."""

from __future__ import annotations

from collections.abc import Sequence
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

    Implementations are safe to call from several threads and tasks at once. What their client
    raises goes through to the caller, which tells passing trouble from wrong settings and asks
    again where that helps; so clients should not retry by themselves.

    Attributes:
        identity: What determines the model's answers: provider, model name, base URL, settings.
            It is a part of the keys under which answers are stored, so it holds no credential.
    """

    @property
    def identity(self) -> str:
        """What determines the model's answers, without any credential."""
        ...

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user` under the instructions of `system`.

        Args:
            system: Instructions; the same for many calls.
            user: The question.
            choices: Numbers of the paragraphs that a sensible answer names. A model that can
                restrict its output may use them; others ignore them.
        """
        ...

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer likewise, without blocking the event loop."""
        ...


def check_model(model: object) -> None:
    """Raise unless an object can be asked as a `Model`.

    Raises:
        TypeError: Naming what a model must have.
    """
    if not isinstance(model, Model):
        raise TypeError(
            "model must have identity, complete and acomplete (see lumber_core.llms.Model), "
            f"which {type(model).__name__} has not"
        )
