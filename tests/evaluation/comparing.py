"""Helpers of the tests of comparisons: a small corpus, splitters and an embedder of words."""

import hashlib
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from lumber_core.segmentation import Usage
from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question, SplitDocument

PLACES = [
    *("Arden", "Bristow", "Calder", "Denholm", "Elstow", "Fenwick"),
    *("Garth", "Hexham", "Irton", "Jarrow", "Kelso", "Langley"),
]


def corpus(questions: int = 12, *, documents: int = 2, segmented: bool = False) -> Corpus:
    """Return documents with a paragraph for each place, and questions about some places."""
    made = []
    for number in range(documents):
        paragraphs = [
            f"The harbour of {place}{number} froze over in {1800 + n}. Its keeper kept {n + 2} "
            f"lamps burning. Nobody had seen the like."
            for n, place in enumerate(PLACES)
        ]
        text = "\n\n".join(paragraphs)
        starts = [0]
        for paragraph in paragraphs[:-1]:
            starts.append(starts[-1] + len(paragraph) + 2)
        units = tuple(span.start for span in sentences(text))
        name = f"harbours-{number}"
        made.append(Document(name, text, units, tuple(starts[::3]) if segmented else (0,), "made"))
    questions_about = tuple(
        Question(
            f"In which year did the harbour of {place}0 freeze over?",
            "harbours-0",
            f"{1800 + n}",
            f"{place}0 froze over in {1800 + n}",
        )
        for n, place in enumerate(PLACES[:questions])
    )
    return Corpus("harbours", tuple(made), questions_about)


class WordEmbedder:
    """Embeds texts as counts of words, hashed into 2,000 dimensions; also counts the texts."""

    similarity: Literal["cosine", "dot"] = "cosine"

    def __init__(self) -> None:
        self.embedded = 0

    @property
    def identity(self) -> str:
        return "words"

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embedded += len(texts)
        vectors = np.zeros((len(texts), 2048), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()):
                vectors[row, int(hashlib.md5(word.encode()).hexdigest(), 16) % 2048] += 1
        return vectors

    embed_queries = embed_documents


class Every:
    """A splitter that cuts at every match of a pattern, and counts its texts."""

    def __init__(
        self, pattern: str, *, name: str = "every", usage: Usage | None = None, failures: int = 0
    ) -> None:
        self.name = name
        self.settings = self.identity = f"Every({pattern!r})"
        self.asked = 0
        self._pattern = re.compile(pattern)
        self._usage = usage or Usage()
        self._failures = failures

    def split(self, document: Document) -> SplitDocument:
        self.asked += 1
        text = document.text
        starts = [0, *(match.end() for match in self._pattern.finditer(text))]
        edges = [*(start for start in starts if start < len(text)), len(text)]
        spans = [Span(a, b) for a, b in pairwise(edges)]
        chunks = tuple(EvaluatedChunk(document.name, span, span.of(text)) for span in spans)
        return SplitDocument(document.name, chunks, 0.25, self._usage, self._failures)


def paragraphs(name: str = "paragraphs") -> Every:
    return Every(r"\n\n", name=name)


def shreds(name: str = "shreds") -> Every:
    """Cut inside the strings that answer: no chunk answers anything."""
    return Every(r"froze ", name=name)
