"""An embedder by table, and texts split by hand, for tests of retrieval."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lumber_core.spans import Span
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question, SplitDocument
from lumber_retrieval.embedders import Similarity


class Table:
    """An embedder that looks up vectors in a table, and records its texts."""

    identity = "table"

    def __init__(self, vectors: dict[str, Sequence[float]], similarity: Similarity = "dot") -> None:
        self.vectors = vectors
        self.similarity: Similarity = similarity
        self.documents: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.documents += texts
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def split(text: str, *spans: tuple[int, int], name: str = "d") -> SplitDocument:
    chunks = tuple(EvaluatedChunk(name, Span(*span), text[slice(*span)]) for span in spans)
    return SplitDocument(name, chunks, 0.0)


def corpus_of(text: str, *questions: Question, name: str = "d") -> Corpus:
    return Corpus("c", (Document(name, text, (0,), (0,), "test"),), questions)


def letters(similarities: dict[str, float]) -> Table:
    """Return an embedder under which the question "q" is as similar to a text as given."""
    return Table({"q": [1.0], **{text: [value] for text, value in similarities.items()}})


def question_with(must_contain: str) -> Question:
    return Question("q", "d", must_contain=must_contain)
