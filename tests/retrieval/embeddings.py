"""An embedding model for tests: the words of a text, hashed."""

from zlib import crc32

import numpy as np

from lumber_retrieval.words.keywords import terms


class WordVectors:
    """Embeds texts as counts of words, hashed into `width` dimensions; records its texts."""

    def __init__(self, width: int = 128, seed: int = 0) -> None:
        self.width = width
        self.seed = seed
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = np.zeros(self.width)
        for term in terms(text):
            vector[crc32(f"{self.seed} {term}".encode()) % self.width] += 1
        normalised: list[float] = (vector / (np.linalg.norm(vector) or 1)).tolist()
        return normalised
