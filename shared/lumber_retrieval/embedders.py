"""Embedding models as `Embedder`: bundled, of a framework or a package, or behind OpenAI's API."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.model_folder import HUB_ID, sha256
from lumber_core.calls.deadlines import ask_within
from lumber_core.calls.threads import batches
from lumber_core.checks import check_texts
from lumber_core.errors import ModelSettingsError, ModelUnavailableError, WeightsError
from lumber_core.llms import OpenAIModel
from lumber_core.support.extras import load
from lumber_core.support.identity import settings_digest, text_digest
from lumber_core.support.secrets import public_url
from lumber_retrieval.index.vectors import Vectors, matrix

_TEXTS_PER_REQUEST = 64  # with vectors of 4,096 dimensions, a reply stays below its size limit
_MAX_ATTEMPTS = 5  # for one request
_FINAL_STATUSES = (400, 401, 403, 404, 422)  # a repeated request would get the same status

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
        spec: "bundled" for the encoder that comes with the library; a folder or Hugging Face ID of
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
        kind, _, name = spec.partition(":")
        if spec == "bundled":
            return TextEmbedder()
        if kind in ("http", "https", "openai"):
            url, _, model = spec.partition("#") if kind != "openai" else ("", "", name)
            if model:
                return ServerEmbedder(model, base_url=url or None)
        elif Path(spec).is_dir() or HUB_ID.fullmatch(spec):
            return SentenceTransformersEmbedder(spec)
        raise ValueError(
            f'unknown embedder {spec!r}. Choose from "bundled", a folder or Hugging Face ID '
            '(OWNER/NAME) of sentence-transformers, "openai:NAME", and the URL of a server with '
            'OpenAI\'s API as in "http://127.0.0.1:8000/v1#NAME"'
        )
    if not isinstance(spec, type):
        if isinstance(spec, TextEmbedder | Embedder):
            return spec
        if hasattr(spec, "get_text_embedding_batch") or hasattr(spec, "embed_query"):
            return FrameworkEmbedder(spec)
    raise TypeError(
        'an embedder is "bundled", a LangChain Embeddings, a LlamaIndex embedding model or an '
        f"object like lumber_retrieval.embedders.Embedder, not {spec!r}"
    )


class FrameworkEmbedder:
    """Any LangChain `Embeddings`, or any LlamaIndex embedding model.

    In `run_for_loop`, its asynchronous methods are awaited, if it has them.

    Args:
        model: The embedding model.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: Any) -> None:
        self._model = model
        of_llama_index = hasattr(model, "get_text_embedding_batch")
        self._documents = "get_text_embedding_batch" if of_llama_index else "embed_documents"
        self._query = "get_query_embedding" if of_llama_index else "embed_query"

    @property
    def identity(self) -> str:
        """The class, the model's name and a digest of its settings, without credentials."""
        kind = type(self._model)
        names = (getattr(self._model, name, None) for name in ("model_name", "model"))
        name = next((value for value in names if isinstance(value, str)), "")
        settings = settings_digest(vars(self._model))
        return f"{kind.__module__}.{kind.__qualname__} {name} {settings}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of texts."""
        return matrix(self._ask(self._documents, check_texts(texts)), len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors of queries."""
        return matrix([self._ask(self._query, text) for text in check_texts(texts)], len(texts))

    def _ask(self, method: str, inputs: object) -> Any:
        call, acall = getattr(self._model, method), getattr(self._model, f"a{method}", None)
        return call(inputs) if acall is None else ask_within(None, call, acall, inputs)


class SentenceTransformersEmbedder:
    """A model of the package sentence-transformers, with its own prompts for queries.

    Args:
        model: A folder, or a Hugging Face ID.

    Raises:
        WeightsError: The model cannot be loaded.
        MissingExtraError: The package is not installed.
    """

    def __init__(self, model: str) -> None:
        package = "sentence-transformers"
        sdk = load("sentence_transformers", package=package, extra=package)
        try:
            self._model: Any = sdk.SentenceTransformer(model)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise WeightsError(
                f"the model {model!r} cannot be loaded by {package}: {error}. If the hub cannot be "
                f"reached, run 'hf download {model} --local-dir FOLDER' on a machine that can "
                "reach it, copy the folder here, and pass the folder"
            ) from error
        folder = Path(model)
        encoder = getattr(self._model[0], "auto_model", None)
        commit = getattr(getattr(encoder, "config", None), "_commit_hash", None)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        listed = [f"{path.relative_to(folder).as_posix()}\0{sha256(path)}" for path in files]
        content = text_digest("\n".join(listed))[:16] if folder.is_dir() else str(commit)
        self.identity = f"{package} {sdk.__version__} {model} {content}"
        # The model was trained for this similarity.
        is_dot = self._model.similarity_fn_name == "dot"
        self.similarity: Similarity = "dot" if is_dot else "cosine"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text; the model reads only the beginning of a long text."""
        vectors = self._model.encode_document(check_texts(texts), show_progress_bar=False)
        return matrix(vectors, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query, with the model's prompt for queries."""
        vectors = self._model.encode_query(check_texts(texts), show_progress_bar=False)
        return matrix(vectors, len(texts))


class ServerEmbedder:
    """An embedding model of OpenAI, or of any server with OpenAI's API.

    A failed request is sent up to five times. The key is read from OPENAI_API_KEY.

    Args:
        model: The model's name.
        base_url: URL of the server with its version, as in "http://127.0.0.1:8000/v1". None:
            OpenAI, or the server that OPENAI_BASE_URL names.

    Raises:
        ModelSettingsError: There is no key for OpenAI.
        MissingExtraError: The package openai is not installed.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: str, *, base_url: str | None = None) -> None:
        if base_url is None and not os.environ.get("OPENAI_API_KEY"):
            raise ModelSettingsError(f"no key for openai:{model}: set the variable OPENAI_API_KEY")
        self._name = model
        self._model = OpenAIModel(model, base_url=base_url)
        self._server = "OpenAI" if base_url is None else public_url(base_url)
        self.identity = f"embeddings of {self._model.identity}"  # without credentials

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the server's vector for each text.

        Raises:
            ModelSettingsError: The server rejects the key, the model's name or a text.
            ModelUnavailableError: It gives no vectors.
        """
        checked = check_texts(texts)
        sdk = load("openai", package="openai", extra="openai")
        vectors: list[list[float]] = []
        try:
            for part in batches(checked, _TEXTS_PER_REQUEST):
                vectors += self._model.embed(part, attempts=_MAX_ATTEMPTS)
        except sdk.OpenAIError as error:
            rejected = getattr(error, "status_code", None) in _FINAL_STATUSES
            kind = ModelSettingsError if rejected else ModelUnavailableError
            raise kind(f"{self._server} returns no vectors of {self._name}: {error}") from error
        return matrix(vectors, len(texts))

    embed_queries = embed_documents
