"""The bundled sentence encoder as LlamaIndex's embedding model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr

from llamaindex_lumber.fields import IntactComponent
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.checks import RefusesUnknown


class LumberEmbedding(RefusesUnknown, IntactComponent, BaseEmbedding):
    """Embeds with all-MiniLM-L6-v2, which comes with the library: no key, no download, no PyTorch.

    Raises:
        ValueError: `threads` is below 1.
        TypeError: A setting has the wrong type.

    Example:
        >>> len(LumberEmbedding().get_query_embedding("Where is the sea?"))
        384
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    model_name: str = "bundled"
    """"bundled", or a folder made by `python -m lumber_training export --embedder`."""

    threads: int | None = Field(default=None, exclude=True)
    """Number of texts embedded in parallel. None: all available CPUs, up to 8."""

    _hints: ClassVar[Mapping[str, str]] = {"model": "use model_name"}
    _embedder: TextEmbedder = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._embedder = TextEmbedder(self.model_name, threads=self.threads)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the model."""
        return "LumberEmbedding"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embeddings([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


def check_embed_model(model: object) -> BaseEmbedding:
    """Return an embedding model of LlamaIndex, the bundled one for None, or raise a TypeError."""
    if model is None:
        return LumberEmbedding()
    if isinstance(model, BaseEmbedding):
        return model
    instead = ""
    if isinstance(model, dict):
        instead = "; a serialised component has no model: pass from_dict(data, embed_model=...)"
    raise TypeError(
        "embed_model must be an embedding model of LlamaIndex (BaseEmbedding), such as "
        f"OpenAIEmbedding(), not {type(model).__name__}{instead}"
    )
