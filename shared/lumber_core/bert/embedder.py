"""Embeddings of chunks and queries by the encoder that is bundled beside the classifier.

The encoder is all-MiniLM-L6-v2: the vectors live in its space, so an index made with either can
be searched with the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lumber_core.checks import check_positive, check_texts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from lumber_core.bert.loading import LoadedEmbedder


class TextEmbedder:
    """Embeds texts; no key, no download, no PyTorch.

    Args:
        model: "bundled", or a folder made by `lumber-splitters export --embedder`.
        threads: Texts embedded at once; None takes the processors there are.

    Raises:
        ValueError: `threads` is below 1.
        TypeError: An argument has the wrong type.
    """

    def __init__(self, model: str = "bundled", *, threads: int | None = None) -> None:
        if not isinstance(model, str) or not model:
            raise TypeError(f'model must be "bundled" or a folder, as a string, not {model!r}')
        if threads is not None:
            check_positive("threads", threads)
        self.model = model
        self.threads = threads
        self._loaded: LoadedEmbedder | None = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed texts.

        Args:
            texts: The texts. As with the original encoder, the first 254 tokens count.

        Returns:
            A vector of length 1 for each text, shape (texts, 384).

        Raises:
            TypeError: `texts` is a single string, or an item is no string.
            WeightsError: The model's files are missing or damaged, or hold no embedder.
        """
        checked = check_texts(texts)
        if self._loaded is None:
            from lumber_core.bert.loading import load_embedder  # deferred: brings onnxruntime

            self._loaded = load_embedder(self.model, threads=self.threads)
        return self._loaded.embed(checked)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    def __repr__(self) -> str:
        return f"TextEmbedder({self.model!r})"
