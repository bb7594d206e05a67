"""Embedding models by name: of the package sentence-transformers, and behind OpenAI's API."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from lumber_core.checks import check_texts
from lumber_core.errors import ModelSettingsError, ModelUnavailableError, WeightsError
from lumber_core.llms import OpenAIModel
from lumber_core.support.extras import load
from lumber_core.support.secrets import public_url
from lumber_retrieval.index.vectors import Vectors, matrix

_TEXTS_PER_REQUEST = 64  # with vectors of 4,096 numbers, a reply stays below its size limit
_MAX_ATTEMPTS = 5
_FINAL_STATUSES = (400, 401, 403, 404, 422)  # statuses that a repeated request gives again
_READ_BYTES = 1 << 20  # of a file that is hashed, at a time


class SentenceTransformersEmbedder:
    """A model of the package sentence-transformers, with its own prompts for queries.

    Args:
        model: A folder, or a hub id.

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
        content = _folder_digest(folder) if folder.is_dir() else str(commit)
        self._identity = f"{package} {sdk.__version__} {model} {content}"

    @property
    def similarity(self) -> Literal["cosine", "dot"]:
        """The similarity that the model was trained for."""
        return "dot" if self._model.similarity_fn_name == "dot" else "cosine"

    @property
    def identity(self) -> str:
        """The package's version, the model, and a digest of its files or its commit."""
        return self._identity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text; the model reads only the beginning of a long one."""
        vectors = self._model.encode_document(check_texts(texts), show_progress_bar=False)
        return matrix(vectors, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query, with the model's prompt for queries."""
        vectors = self._model.encode_query(check_texts(texts), show_progress_bar=False)
        return matrix(vectors, len(texts))


class ServerEmbedder:
    """An embedding model of OpenAI, or of any server with OpenAI's API.

    Failed requests are repeated. The key is read from OPENAI_API_KEY.

    Args:
        model: The model's name.
        base_url: URL of the server with its version, as in "http://127.0.0.1:8000/v1". None:
            OpenAI, or the server that OPENAI_BASE_URL names.

    Raises:
        ModelSettingsError: There is no key for OpenAI.
        MissingExtraError: The package openai is not installed.
    """

    similarity: Literal["cosine", "dot"] = "cosine"

    def __init__(self, model: str, *, base_url: str | None = None) -> None:
        if base_url is None and not os.environ.get("OPENAI_API_KEY"):
            raise ModelSettingsError(f"no key for openai:{model}: set the variable OPENAI_API_KEY")
        self._name = model
        self._model = OpenAIModel(model, base_url=base_url)
        self._server = "OpenAI" if base_url is None else public_url(base_url)

    @property
    def identity(self) -> str:
        """The server and the model, without credentials."""
        return f"embeddings of {self._model.identity}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the server's vector for each text.

        Raises:
            ModelSettingsError: The server rejects the key, the model's name or a text.
            ModelUnavailableError: It gives no vectors.
        """
        checked = check_texts(texts)
        sdk = load("openai", package="openai", extra="openai")
        vectors: list[list[float]] = []
        for first in range(0, len(checked), _TEXTS_PER_REQUEST):
            part = checked[first : first + _TEXTS_PER_REQUEST]
            try:
                vectors += self._model.embed(part, attempts=_MAX_ATTEMPTS)
            except sdk.OpenAIError as error:
                rejected = getattr(error, "status_code", None) in _FINAL_STATUSES
                kind = ModelSettingsError if rejected else ModelUnavailableError
                raise kind(f"{self._server} gives no vectors of {self._name}: {error}") from error
        return matrix(vectors, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the server's vector for each query, as for texts."""
        return self.embed_documents(texts)


def _folder_digest(folder: Path) -> str:
    """Return a digest of the files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while content := file.read(_READ_BYTES):
                digest.update(content)
    return digest.hexdigest()[:16]
