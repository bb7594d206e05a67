"""Finding passages: small chunks are searched by meaning and by words, whole passages are read."""

from typing import TYPE_CHECKING

from lumber_core.exports import load_on_first_use

if TYPE_CHECKING:
    from lumber_retrieval.documents import IndexedDocument
    from lumber_retrieval.embedding import asplit_and_embed, split_and_embed
    from lumber_retrieval.index import PassageIndex
    from lumber_retrieval.passages import Hit, Passage, join_hits
else:
    __getattr__, __dir__ = load_on_first_use(
        __name__,
        {
            "lumber_retrieval.documents": ["IndexedDocument"],
            "lumber_retrieval.embedding": ["asplit_and_embed", "split_and_embed"],
            "lumber_retrieval.index": ["PassageIndex"],
            "lumber_retrieval.passages": ["Hit", "Passage", "join_hits"],
        },
    )

__all__ = [
    "Hit",
    "IndexedDocument",
    "Passage",
    "PassageIndex",
    "asplit_and_embed",
    "join_hits",
    "split_and_embed",
]
