"""Contriever (Izacard et al. 2021), the retriever that the LumberChunker paper measures with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lumber_core.checks import check_positive, check_texts
from lumber_core.errors import WeightsError
from lumber_core.extras import load, require
from lumber_evaluation.embedders import Similarity, Vectors

CONTRIEVER = "facebook/contriever"
_MOST_TOKENS = 512


class ContrieverEmbedder:
    """Embeds with the mean of a BERT's last hidden states over a text's tokens.

    Vectors are not scaled to length 1, and are compared by their dot product. Queries and
    documents are embedded alike. The model is loaded on first use.

    Args:
        model: A hub id, or a folder with the model's files.
        batch_size: Texts that go through the model together.
        device: Where it runs, as PyTorch names it; None takes a GPU where there is one.

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
        """Return a vector for each text; its first 512 tokens count, [CLS] and [SEP] included.

        Raises:
            WeightsError: The model is neither on this machine nor to be had from the hub.
        """
        checked = check_texts(texts)
        if not checked:
            return np.zeros((0, 0), dtype=np.float32)
        # Texts of like length go together, so that little is computed on padding.
        order = sorted(range(len(checked)), key=lambda number: len(checked[number]))
        parts = list(self._batches([checked[number] for number in order]))
        vectors = np.concatenate(parts)
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        return vectors[back]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each query likewise."""
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
                    f"the model {self.model!r} cannot be loaded: {error}. Where the hub cannot be "
                    f"reached, run 'hf download {CONTRIEVER} --local-dir FOLDER' on a machine that "
                    'can reach it, copy the folder here, and name it: "contriever:FOLDER"'
                ) from error
            device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
            self._loaded = tokenizer, model.eval().to(device)
        return self._loaded
