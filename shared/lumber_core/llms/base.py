"""The protocol of language models, and the wording of the answers they choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

ANSWER = "Answer: "
"""The start of a reply; one of `allowed_answers` follows."""

NO_UNIT = "none"
"""The answer that no paragraph starts new content."""


def label(number: int | str) -> str:
    """Return how paragraph `number` is named in prompts and answers."""
    return f"ID {number}"


def allowed_answers(choices: Sequence[int]) -> tuple[str, ...]:
    """Return the answers that name one of `choices`, and the answer that names none."""
    return (*map(label, choices), NO_UNIT)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer.

    Attributes:
        text: The answer.
        prompt_tokens: Tokens read, as the model reports them; 0 if it does not.
        completion_tokens: Tokens written, as the model reports them; 0 if it does not.
        finish_reason: Why the model stopped, in the provider's words; "" if not given.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""


@runtime_checkable
class Model(Protocol):
    """A language model: any object with these two methods and `identity` is one.

    Implementations are safe to call from several threads and tasks at once. They do not
    catch their client's errors: the caller decides which ones to retry, so clients should not
    retry.

    Attributes:
        identity: Everything that determines the model's answers: provider, model name, base URL
            and settings. It is part of cache keys, so it must not contain credentials.
    """

    @property
    def identity(self) -> str:
        """Everything that determines the model's answers, without credentials."""
        ...

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Args:
            system: Instructions; the same for many calls.
            user: The question.
            choices: Numbers of the paragraphs that may be named. A model that can restrict its
                output may use them (see `allowed_answers`); others ignore them.
        """
        ...

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Async version of `complete`."""
        ...


def check_model(model: object) -> None:
    """Raise unless an object implements `Model`.

    Raises:
        TypeError: An attribute or a method is missing.
    """
    if not isinstance(model, Model):
        raise TypeError(
            "model must have identity, complete and acomplete (see lumber_core.llms.Model), "
            f"which {type(model).__name__} has not"
        )
