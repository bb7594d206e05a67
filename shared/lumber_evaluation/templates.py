"""Prompts with places for a passage, a question, an answer.

Instructions come first and are the same for every call, so that providers can cache them. What
fills a place is folded to one line that opens with a label of ours, so that no document can forge
the end of its passage or an instruction on a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lumber_core.lumber.prompt import folded

_FIELD = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A system text and a user text with places to fill.

    Attributes:
        system: Instructions; nothing is filled in.
        user: The question. `{name}` stands where a text of that name goes; which names there are,
            says the function that takes the template. Other braces stay as they are.

    Raises:
        TypeError: A text is not a string.
    """

    system: str
    user: str

    def __post_init__(self) -> None:
        for name in ("system", "user"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be a str, not {type(getattr(self, name)).__name__}")

    def require(self, *names: str) -> None:
        """Raise unless the user text has these places.

        Raises:
            ValueError: Naming the place that is missing.
        """
        for name in names:
            if f"{{{name}}}" not in self.user:
                raise ValueError(
                    f"the user template has no {{{name}}}: write it where that should stand"
                )

    def fill(self, **texts: str | list[str]) -> tuple[str, str]:
        """Return the system text and the user text.

        Args:
            texts: For each place a text, folded to one line, or a list of texts: one line each,
                numbered from 1.
        """
        lines = {
            name: folded(text)
            if isinstance(text, str)
            else "\n".join(f"{number}: {folded(item)}" for number, item in enumerate(text, 1))
            for name, text in texts.items()
        }
        return self.system, _FIELD.sub(lambda match: lines.get(match[1], match[0]), self.user)
