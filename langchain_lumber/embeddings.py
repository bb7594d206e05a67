"""The bundled sentence encoder as LangChain's embeddings."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from lumber_core.bert.embedder import TextEmbedder
from lumber_core.support.identity import safe_repr


class LumberEmbeddings(Embeddings):
    """Embeds with all-MiniLM-L6-v2, which comes with the library: no key, no download, no PyTorch.

    Args:
        model: "bundled", or a folder made by `python -m lumber_training export --embedder`.
        threads: Number of texts embedded in parallel. None: all available CPUs, up to 8.

    Raises:
        ValueError: `threads` is below 1.
        TypeError: An argument has the wrong type.

    Example:
        >>> len(LumberEmbeddings().embed_query("Where is the sea?"))
        384
    """

    def __init__(self, model: str = "bundled", *, threads: int | None = None) -> None:
        self._embedder = TextEmbedder(model, threads=threads)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text; the model reads its first 254 tokens."""
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return a vector of length 1 for a query, in the same space as the documents'."""
        return self.embed_documents([text])[0]

    def __repr__(self) -> str:
        return f"LumberEmbeddings({self._embedder.model!r})"


def check_embeddings(embeddings: object) -> Embeddings:
    """Return an embedding model of LangChain, the bundled one for None, or raise a TypeError."""
    if embeddings is None:
        return LumberEmbeddings()
    if not isinstance(embeddings, Embeddings):
        raise TypeError(
            "embeddings must be an embedding model of LangChain (Embeddings), such as "
            f"OpenAIEmbeddings(), or None for the bundled one, not {safe_repr(embeddings)}"
        )
    return embeddings
