"""Embedding models for evaluation: the bundled one, Contriever, LangChain's and LlamaIndex's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.model_folder import find_encoder, read_card
from lumber_core.checks import check_positive, check_texts
from lumber_core.errors import WeightsError
from lumber_core.extras import load, require
from lumber_evaluation.identity import settings_of
from lumber_evaluation.named_embedders import SentenceTransformersEmbedder, ServerEmbedder
from lumber_retrieval.surroundings import Vectors, matrix

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
        spec: "bundled" for the encoder that comes with the library; "contriever", or
            "contriever:FOLDER" with its files on this machine; a folder or hub id of
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
        return _named(spec)
    if not isinstance(spec, type):
        if isinstance(spec, Embedder):
            return spec
        if isinstance(spec, TextEmbedder):
            return BundledEmbedder(spec)
        if hasattr(spec, "get_text_embedding_batch"):
            return LlamaIndexEmbedder(spec)
        if hasattr(spec, "embed_documents") and hasattr(spec, "embed_query"):
            return LangChainEmbedder(spec)
    raise TypeError(
        'an embedder is "bundled", "contriever", a LangChain Embeddings, a LlamaIndex embedding '
        f"model or an object like lumber_evaluation.embedders.Embedder, not {spec!r}"
    )


def _named(name: str) -> Embedder:
    kind, _, folder = name.partition(":")
    if name == "bundled":
        return BundledEmbedder(TextEmbedder())
    if kind == "contriever":
        if folder and not Path(folder).is_dir():
            raise ValueError(f"{name!r}: there is no folder {folder} with Contriever's files")
        return ContrieverEmbedder(folder or CONTRIEVER)
    if kind in ("http", "https", "openai"):
        url, _, model = name.partition("#") if kind != "openai" else ("", "", folder)
        if model:
            return ServerEmbedder(model, base_url=url or None)
    elif Path(name).is_dir() or _HUB_ID.fullmatch(name):
        return SentenceTransformersEmbedder(name)
    raise ValueError(
        f'unknown embedder {name!r}. There are: "bundled", a folder or hub id (OWNER/NAME) of '
        'sentence-transformers, "openai:NAME", the URL of a server with OpenAI\'s API as in '
        '"http://127.0.0.1:8000/v1#NAME", "contriever" and "contriever:FOLDER"'
    )


class BundledEmbedder:
    """The sentence encoder that comes with the library, all-MiniLM-L6-v2.

    Args:
        model: The encoder; its `model` may be a folder made by `lumber-splitters export
            --embedder`.
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
        """Return a vector of length 1 for each text, of which the first 254 tokens are read."""
        return self._model.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each query."""
        return self._model.embed(texts)


class LangChainEmbedder:
    """Any LangChain `Embeddings`.

    Args:
        embeddings: The embedding model.
    """

    similarity: Similarity = "cosine"

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings

    @property
    def identity(self) -> str:
        """The class and its settings."""
        return f"langchain {settings_of(self._embeddings)}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the output of the model's `embed_documents`."""
        return matrix(self._embeddings.embed_documents(check_texts(texts)), len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the output of the model's `embed_query` for each query."""
        return matrix(
            [self._embeddings.embed_query(text) for text in check_texts(texts)], len(texts)
        )


class LlamaIndexEmbedder:
    """Any LlamaIndex embedding model.

    Args:
        model: The embedding model.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def identity(self) -> str:
        """The class and its settings."""
        return f"llama-index {settings_of(self._model)}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of texts."""
        return matrix(self._model.get_text_embedding_batch(check_texts(texts)), len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of queries."""
        return matrix(
            [self._model.get_query_embedding(text) for text in check_texts(texts)], len(texts)
        )


CONTRIEVER = "facebook/contriever"
_MOST_TOKENS = 512


class ContrieverEmbedder:
    """Embeds with the mean of a BERT's last hidden states over a text's tokens.

    Vectors are not scaled to length 1, and are compared by their dot product. Queries and documents
    are embedded in the same way. The model is loaded on first use.

    Args:
        model: A hub id, or a folder with the model's files.
        batch_size: Number of texts in a batch.
        device: PyTorch device; None: a GPU if there is one.

    Raises:
        MissingExtraError: PyTorch or transformers is not installed.
        ValueError: `batch_size` is below 1.
        TypeError: `batch_size` is not a whole number.
    """

    similarity: Similarity = "dot"

    def __init__(
        self, model: str = CONTRIEVER, *, batch_size: int = 32, device: str | None = None
    ) -> None:
        check_positive("batch_size", batch_size)
        require("torch", package="torch", extra="torch")
        require("transformers", package="transformers", extra="torch")
        self.model = model
        self.batch_size = batch_size
        self.device = device
        self._loaded: tuple[Any, Any] | None = None

    @property
    def identity(self) -> str:
        """The model's name and how its states become a vector."""
        return f"contriever {self.model} mean pooling, {_MOST_TOKENS} tokens"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text.

        The first 512 tokens of a text are read, including [CLS] and [SEP].

        Raises:
            WeightsError: The model is neither on this machine nor available from the hub.
        """
        checked = check_texts(texts)
        if not checked:
            return np.zeros((0, 0), dtype=np.float32)
        # Texts of similar length are batched together, so that there is little padding.
        order = sorted(range(len(checked)), key=lambda number: len(checked[number]))
        parts = list(self._batches([checked[number] for number in order]))
        vectors = np.concatenate(parts)
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        return vectors[back]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query, as for texts."""
        return self.embed_documents(texts)

    def _batches(self, texts: Sequence[str]) -> Iterator[Vectors]:
        torch = load("torch", package="torch", extra="torch")
        tokenizer, model = self._ready(torch)
        for first in range(0, len(texts), self.batch_size):
            tokens = tokenizer(
                list(texts[first : first + self.batch_size]),
                padding=True,
                truncation=True,
                max_length=_MOST_TOKENS,
                return_tensors="pt",
            ).to(model.device)
            with torch.inference_mode():
                states = model(**tokens).last_hidden_state
                mask = tokens["attention_mask"].unsqueeze(-1)
                means = (states * mask).sum(dim=1) / mask.sum(dim=1)
            yield means.float().cpu().numpy()

    def _ready(self, torch: Any) -> tuple[Any, Any]:
        if self._loaded is None:
            transformers = load("transformers", package="transformers", extra="torch")
            try:
                tokenizer = transformers.AutoTokenizer.from_pretrained(self.model)
                model = transformers.AutoModel.from_pretrained(self.model)
            except (OSError, ValueError) as error:
                raise WeightsError(
                    f"the model {self.model!r} cannot be loaded: {error}. If the hub cannot be "
                    f"reached, run 'hf download {CONTRIEVER} --local-dir FOLDER' on a machine that "
                    'can reach it, copy the folder here, and pass "contriever:FOLDER"'
                ) from error
            device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
            self._loaded = tokenizer, model.eval().to(device)
        return self._loaded
