"""The protocol of language models: questions in, completions out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers that a question allows; a reply contains one of them, or a list.

    Attributes:
        allowed: The exact text of each answer, at least one: `("ID 5", "ID 6", "none")`.
        several: Whether a reply is a list of any number of the answers, which may be empty.
    """

    allowed: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer.

    Attributes:
        text: The answer.
        prompt_tokens: Tokens read, as the model reports them; 0 if it does not.
        completion_tokens: Tokens written, as the model reports them; 0 if it does not.
        finish_reason: Why the model stopped, in the provider's words; "" if there is none.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""


@runtime_checkable
class Model(Protocol):
    """A language model: any object with these two methods and `identity`.

    Implementations are safe to call from several threads and tasks at once. They do not
    catch their client's errors: the caller decides which ones to retry, so clients should not
    retry.
    """

    @property
    def identity(self) -> str:
        """What determines the model's answers: provider, model name, base URL and settings.

        It is part of cache keys, so it must not contain credentials.
        """

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Args:
            system: Instructions; the same for many calls.
            user: The question.
            answers: The only answers allowed, which `system` or `user` describe as well: a model
                that can restrict its output may use them, others ignore them. None: any text.
        """

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""


def check_model(model: object) -> None:
    """Raise a TypeError unless an object implements `Model`."""
    if not isinstance(model, Model):
        raise TypeError(
            "model must have identity, complete and acomplete (see lumber_core.llms.Model), "
            f"which {type(model).__name__} does not have"
        )
