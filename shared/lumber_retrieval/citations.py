"""Citations: where quotes stand in the documents they are from.

A language model that quotes is believed only as far as its quotes are found: character by
character, or aligned with what it changed a little. A citation shows the document's own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lumber_core.spans import Span

Kind = Literal["exact", "aligned", "not found"]


@dataclass(frozen=True)
class Citation:
    """Where a quote stands.

    Attributes:
        quote: The quote, as it was given.
        kind: "exact": the document has it, white space and the form of quotation marks aside.
            "aligned": the document has it with small changes. "not found": neither.
        document: Name of the document; None if it is not found, as are the next two.
        span: Its place in the text of the document, in characters.
        similarity: From 0 to 1: how much of both is equal. 1 if it is exact, 0 if it is not found.
        text: The document's own words: the slice of its text. "" if it is not found.
        lines: The first and the last line in the text of the document, from 1.
        pages: The first and the last page, from 1; None if the document has no pages.
    """

    quote: str
    kind: Kind
    document: str | None = None
    span: Span | None = None
    similarity: float = 0.0
    text: str = ""
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None

    @property
    def page(self) -> int | None:
        """The page on which it begins, from 1; None if the document has no pages."""
        return None if self.pages is None else self.pages[0]


@dataclass(frozen=True)
class CitedAnswer:
    """An answer with the places that it quotes.

    Attributes:
        text: The answer. [1] in it refers to the first citation, [2] to the second.
        citations: One for each quote, in the order of their numbers.
    """

    text: str
    citations: tuple[Citation, ...]
