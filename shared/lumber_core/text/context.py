"""Context: titles and table headers that a chunk belongs to but does not contain.

An embedder or a reader sees a chunk alone. Its context names the document and the section it comes
from, and the columns of the table whose rows it continues.
"""

from __future__ import annotations

from dataclasses import dataclass

from lumber_core.text.markdown import HEADING_SEPARATOR, OutlinePlace

_MAX_HEADINGS = 3  # in a context; outer headings describe a chunk less
# Maximum characters repeated for each chunk. Longer lines are headings or headers by mistake, or
# are too long to repeat.
_MAX_TITLE_CHARACTERS = 300
_MAX_HEADER_CHARACTERS = 3_000


@dataclass(frozen=True, slots=True)
class Context:
    """The titles and the table header that a chunk belongs to but does not contain.

    Attributes:
        titles: The title of the document and the headings above the chunk, outermost first.
        table: The header rows of the table whose rows the chunk continues; "" if it does not.
    """

    titles: tuple[str, ...] = ()
    table: str = ""

    def __str__(self) -> str:
        """Return the titles, joined by " > ", and the header rows on lines of their own."""
        return "\n".join(part for part in (HEADING_SEPARATOR.join(self.titles), self.table) if part)

    def above(self, text: str) -> str:
        """Return a text below this context: after a blank line, or right below a table header."""
        below = f"{self.table}\n{text}" if self.table else text
        return f"{HEADING_SEPARATOR.join(self.titles)}\n\n{below}" if self.titles else below


def make_context(title: str, place: OutlinePlace, table: str) -> Context:
    """Return the context of a chunk: its document's title and the deepest three headings above.

    Headings inside the chunk are left out, and so is a title that equals one of the headings, a
    title of more than 300 characters and a header of more than 3,000.
    """
    above = place.titles[:-1] if place.own else place.titles
    path = above[-_MAX_HEADINGS:]
    own = place.titles[len(above) :]
    if title and title not in (*path, *own, *place.inside):
        path = (title, *path)
    short = tuple(title for title in path if len(title) <= _MAX_TITLE_CHARACTERS)
    return Context(short, table if len(table) <= _MAX_HEADER_CHARACTERS else "")
