"""Embedding models as `Embedder`: the bundled one, by name, LangChain's and LlamaIndex's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.model_folder import find_encoder, read_card
from lumber_core.calls.threads import in_thread
from lumber_core.checks import check_texts
from lumber_core.support.identity import settings_digest
from lumber_retrieval.index.vectors import Vectors, matrix
from lumber_retrieval.named_embedders import SentenceTransformersEmbedder, ServerEmbedder

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
Similarity = Literal["cosine", "dot"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        identity: Everything that determines its vectors: model, version, settings.
        similarity: How a query's vector is compared with a document's.
    """

    @property
    def identity(self) -> str: ...  # noqa: D102
    @property
    def similarity(self) -> Similarity: ...  # noqa: D102

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, shape (texts, width), not necessarily of length 1."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query, as for texts."""


def embedder(spec: object = "bundled") -> Embedder:
    """Return the embedder for a name or a model.

    Args:
        spec: "bundled" for the encoder that comes with the library; a folder or hub id of
            sentence-transformers; "openai:NAME"; the URL of a server with OpenAI's API and the
            model's name after a #; a `lumber_core.TextEmbedder`; any LangChain `Embeddings`; any
            LlamaIndex `BaseEmbedding`; or an `Embedder`.

    Raises:
        ValueError: The name is unknown, or the folder does not exist.
        TypeError: `spec` cannot embed.
        ModelSettingsError: There is no key for OpenAI.
        WeightsError: A model of sentence-transformers cannot be loaded.
        MissingExtraError: The package of the model is not installed.
    """
    if isinstance(spec, str):
        return _find_by_name(spec)
    if not isinstance(spec, type):
        if isinstance(spec, Embedder):
            return spec
        if isinstance(spec, TextEmbedder):
            return BundledEmbedder(spec)
        if hasattr(spec, "get_text_embedding_batch") or hasattr(spec, "embed_query"):
            return FrameworkEmbedder(spec)
    raise TypeError(
        'an embedder is "bundled", a LangChain Embeddings, a LlamaIndex embedding model or an '
        f"object like lumber_retrieval.embedders.Embedder, not {spec!r}"
    )


def _find_by_name(name: str) -> Embedder:
    kind, _, rest = name.partition(":")
    if name == "bundled":
        return BundledEmbedder(TextEmbedder())
    if kind in ("http", "https", "openai"):
        url, _, model = name.partition("#") if kind != "openai" else ("", "", rest)
        if model:
            return ServerEmbedder(model, base_url=url or None)
    elif Path(name).is_dir() or _HUB_ID.fullmatch(name):
        return SentenceTransformersEmbedder(name)
    raise ValueError(
        f'unknown embedder {name!r}. There are: "bundled", a folder or hub id (OWNER/NAME) of '
        'sentence-transformers, "openai:NAME", and the URL of a server with OpenAI\'s API as in '
        '"http://127.0.0.1:8000/v1#NAME"'
    )


class BundledEmbedder:
    """The sentence encoder that comes with the library, all-MiniLM-L6-v2.

    Args:
        model: The encoder; its `model` may be a folder made by `python -m
            lumber_training export --embedder`.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: TextEmbedder | None = None) -> None:
        self._model = model or TextEmbedder()

    @property
    def identity(self) -> str:
        """The model and the digest of its weights.

        Raises:
            WeightsError: The model's files are missing.
        """
        files = read_card(find_encoder(self._model.model)).files
        own = [digest for name, digest in sorted(files.items()) if not name.startswith("model")]
        return f"all-MiniLM-L6-v2 {hashlib.sha256(' '.join(own).encode()).hexdigest()[:16]}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each text; the model reads its first 254 tokens."""
        return self._model.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each query."""
        return self._model.embed(texts)


class FrameworkEmbedder:
    """Any LangChain `Embeddings`, or any LlamaIndex embedding model.

    Args:
        model: The embedding model.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: Any) -> None:
        self._model = model
        self._documents: Callable[[list[str]], Any] = (
            getattr(model, "get_text_embedding_batch", None) or model.embed_documents
        )
        self._query: Callable[[str], Any] = (
            getattr(model, "get_query_embedding", None) or model.embed_query
        )

    @property
    def identity(self) -> str:
        """The class, the model's name and a digest of its settings, without credentials."""
        kind = type(self._model)
        names = (getattr(self._model, name, None) for name in ("model_name", "model"))
        name = next((each for each in names if isinstance(each, str)), "")
        settings = settings_digest(vars(self._model))
        return f"{kind.__module__}.{kind.__qualname__} {name} {settings}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of texts."""
        return matrix(self._documents(check_texts(texts)), len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of queries."""
        return matrix([self._query(text) for text in check_texts(texts)], len(texts))


class EmbedderAsModel:
    """An `Embedder` with the methods that `PassageIndex` calls."""

    def __init__(self, model: Embedder) -> None:
        self._model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        vectors: list[list[float]] = self._model.embed_documents(texts).tolist()
        return vectors

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""
        return await in_thread(self.embed_documents, texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        vectors: list[list[float]] = self._model.embed_queries([text]).tolist()
        return vectors[0]

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""
        return await in_thread(self.embed_query, text)
