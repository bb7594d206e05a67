"""Finding the document that a question, or a user, means by a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lumber_evaluation.documents import Document

_SHOWN = 10
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,5}$")


class DocumentNames:
    """The names that documents answer to.

    A document `tales/fox.txt` answers to its whole name, to that without the extension, and where
    no other document does, to the file's name alone with or without extension: `fox.txt`, `fox`.
    The name asked for may have an extension that the document's name lacks.

    Args:
        documents: Documents whose names differ.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        self._by_form: dict[str, list[Document]] = {}
        for document in documents:
            for form in dict.fromkeys(_forms(document.name)):
                self._by_form.setdefault(form, []).append(document)
        self._exact = {document.name: document for document in documents}

    def find(self, name: str, where: str) -> Document:
        """Return the document that a name stands for; "" is the only one there is.

        Args:
            name: The name, or "" where none is given.
            where: Who asks, for the error.

        Raises:
            ValueError: If no document answers to the name, or several do.
        """
        if not name:
            if len(self.documents) == 1:
                return self.documents[0]
            raise ValueError(
                f"{where}: the question names no document and there are {len(self.documents)}; "
                f"name one of them in a column 'document' (or 'Book Name'): {self.listed}"
            )
        if name in self._exact:
            return self._exact[name]
        for form in _forms(name):
            found = self._by_form.get(form, [])
            if len(found) == 1:
                return found[0]
            if found:
                names = ", ".join(document.name for document in found)
                raise ValueError(
                    f"{where}: {name!r} may be any of several documents; give one of their "
                    f"whole names: {names}"
                )
        raise ValueError(
            f"{where}: there is no document {name!r}; expected one of these, with or without "
            f"extension: {self.listed}"
        )

    @property
    def listed(self) -> str:
        """The names of the documents for an error, the first few of many."""
        return listed([document.name for document in self.documents])


def listed(names: Sequence[str]) -> str:
    """Return names for an error, the first few of many."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) or "none") + more


def _forms(name: str) -> list[str]:
    """Return the forms of a name, from the whole to the least: only the last name of a path."""
    whole = name.replace("\\", "/")
    last = whole.rsplit("/", 1)[-1]
    return [whole, _EXTENSION.sub("", whole), last, _EXTENSION.sub("", last)]
