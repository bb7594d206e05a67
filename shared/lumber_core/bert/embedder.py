"""Embeddings of chunks and queries from the bundled sentence encoder, all-MiniLM-L6-v2.

The vectors are compatible with those of the original model: an index made with either can be
searched with the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from lumber_core.bert.model_folder import check_model_name, find_encoder, read_card
from lumber_core.checks import check_positive, check_texts
from lumber_core.support.identity import text_digest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from lumber_core.bert.loading import LoadedEmbedder


class TextEmbedder:
    """Embeds texts, with no API key, download or PyTorch.

    Attributes:
        similarity: How a query's vector is compared with a text's.

    Args:
        model: "bundled", or a folder or Hugging Face ID with the output of
            `python -m lumber_training export --embedder`.
        threads: Number of texts embedded in parallel. None: all available CPUs, up to 8.

    Raises:
        ValueError: `threads` is below 1, or there is no such folder.
        TypeError: An argument has the wrong type.
        MissingExtraError: `model` is a Hugging Face ID, and huggingface_hub is not installed.
    """

    similarity: Literal["cosine"] = "cosine"

    def __init__(self, model: str = "bundled", *, threads: int | None = None) -> None:
        check_model_name(model)
        if threads is not None:
            check_positive("threads", threads)
        self.model = model
        self.threads = threads
        self._loaded: LoadedEmbedder | None = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector of length 1 for each text, shape (texts, 384).

        As in the original encoder, only the first 254 tokens of a text are read.

        Raises:
            TypeError: `texts` is a single string, or an item is not a string.
            WeightsError: The model's files are missing or damaged, or contain no embedder.
        """
        checked = check_texts(texts)
        if self._loaded is None:
            from lumber_core.bert.loading import load_embedder  # deferred: imports onnxruntime

            self._loaded = load_embedder(self.model, threads=self.threads)
        return self._loaded.embed(checked)

    embed_documents = embed_queries = embed

    @property
    def identity(self) -> str:
        """The model and a digest of its weights.

        Raises:
            WeightsError: The model's files are missing.
        """
        files = read_card(find_encoder(self.model)).files
        digests = [digest for name, digest in sorted(files.items()) if not name.startswith("model")]
        return f"all-MiniLM-L6-v2 {text_digest(' '.join(digests))[:16]}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    def __repr__(self) -> str:
        return f"TextEmbedder({self.model!r})"
