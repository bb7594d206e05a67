"""Finding passages: small chunks are searched by meaning and by words, whole passages are read.

In the order in which data meets them:

1. A document has a name, a source and a version, so that only what has changed is indexed again
   (`documents`).
2. Its chunks are embedded below their context, and vectors of their neighbours are added to theirs
   (`surroundings`).
3. Words find chunks as well: their own, and those around them (`keywords`).
4. Texts, vectors and words are in one SQLite file, where a document is replaced as a whole
   (`store`, `reading`).
5. A query ranks chunks by vectors and by words, and both rankings become one (`finding`). Hits of
   other engines are ranked by its words alike (`reranking`).
6. Its hits become passages, exact slices of their documents, within a budget of words (`passages`,
   `sentences`).
7. An index does all of this, with the embedding model it was made with (`index`,
   `embedding_model`).
8. What a language model quotes in its answer is looked up in them (`quoted_answers`, `citations`,
   `quote_alignment`).
"""

try:
    import rapidfuzz as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("rapidfuzz", "retrieval") from error

from lumber_retrieval.citations import Citation, cite
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.index import PassageIndex
from lumber_retrieval.passages import Hit, Passage, join_hits
from lumber_retrieval.quoted_answers import (
    QUOTING_INSTRUCTIONS,
    QUOTING_QUESTION,
    CitedAnswer,
    cite_answer,
    write_passages,
)
from lumber_retrieval.surroundings import split_and_embed

__all__ = [
    "QUOTING_INSTRUCTIONS",
    "QUOTING_QUESTION",
    "Citation",
    "CitedAnswer",
    "Hit",
    "IndexedDocument",
    "Passage",
    "PassageIndex",
    "cite",
    "cite_answer",
    "join_hits",
    "split_and_embed",
    "write_passages",
]
