"""Finding passages: small chunks are searched by meaning and by words, and joined for a reader.

In the order in which data pass through them:

1. `index` stores documents: small chunks, with their vectors and words.
2. `words` finds the words of texts and questions.
3. `passages` ranks the chunks that a search returned, its `hits`, and joins their best sentences
   into exact slices of their documents, within a budget of words.
4. `passage_index` does all of this: it adds documents, and finds candidates for a question by
   vectors and by words. `retriever` has what both frameworks' retrievers share, and `hits` the
   default size of chunks.
5. `embedders` wraps any embedding model, or finds it by name.
6. `citing` looks up what a language model quotes in its answer.
"""

try:
    import rapidfuzz as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("rapidfuzz", "retrieval") from error

from lumber_retrieval.citing.citations import Citation, cite
from lumber_retrieval.citing.quoted_answers import (
    QUOTING_INSTRUCTIONS,
    QUOTING_QUESTION,
    CitedAnswer,
    cite_answer,
    write_passages,
)
from lumber_retrieval.hits import Hit
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.index.surroundings import split_and_embed
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage, join_hits

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
