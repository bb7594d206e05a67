"""Counting with a Hugging Face tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from lumber_core.support.identity import digest
from lumber_core.text.unicode import encodable
from lumber_core.tokens.counter import is_hugging_face
from lumber_core.tokens.estimated_counter import EstimatedCounter

# For some scripts, multilingual vocabularies make up to seven times fewer tokens than the estimate.
_MAX_TIMES_BELOW_ESTIMATE = 8


class HuggingFaceCounter:
    """Counts with a Hugging Face tokenizer; special tokens are neither added nor recognised.

    Some tokenizers, such as BERT's, drop zero-width characters and turn a word of over 100
    characters into one token. So that size limits hold for any text, a count is at least an eighth
    of the count of `EstimatedCounter`.

    Args:
        tokenizer: A `tokenizers.Tokenizer`, or a fast or slow tokenizer of `transformers`. It is
            not changed: its truncation and padding are ignored.

    Raises:
        TypeError: `tokenizer` is something else.
    """

    def __init__(self, tokenizer: Any) -> None:
        if not is_hugging_face(tokenizer):
            raise TypeError(
                "tokenizer must be a tokenizers.Tokenizer or a transformers tokenizer, not "
                f"{type(tokenizer).__name__}"
            )
        self._tokenizer = tokenizer

    @cached_property
    def identity(self) -> str:
        """The name of the tokenizer and a digest of its vocabulary and rules."""
        if self._rust_tokenizer is None:
            rules: str = repr(sorted(self._tokenizer.get_vocab().items()))
        else:
            rules = self._rust_tokenizer.to_str()
        return f"{self!r} {digest(rules)}"

    @cached_property
    def _rust_tokenizer(self) -> Any:
        """A private copy of the Rust tokenizer; None for a slow tokenizer, which is in Python."""
        rust = getattr(self._tokenizer, "backend_tokenizer", self._tokenizer)
        if not hasattr(rust, "encode_batch"):
            return None
        copy = type(rust).from_str(rust.to_str())
        copy.no_truncation()
        copy.no_padding()
        copy.encode_special_tokens = True  # read special tokens as text
        return copy

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        if self._rust_tokenizer is None:
            tokenize = partial(
                self._tokenizer.tokenize, add_special_tokens=False, split_special_tokens=True
            )
            counts = [len(tokenize(text)) for text in texts]
        else:
            encode = self._rust_tokenizer.encode_batch
            checked = [*map(encodable, texts)]
            counts = [len(encoded.ids) for encoded in encode(checked, add_special_tokens=False)]
        floors = [-(-n // _MAX_TIMES_BELOW_ESTIMATE) for n in EstimatedCounter().count(texts)]
        return [*map(max, counts, floors)]

    def __getstate__(self) -> dict[str, Any]:
        return {"_tokenizer": self._tokenizer}

    def __repr__(self) -> str:
        name = getattr(self._tokenizer, "name_or_path", "") or type(self._tokenizer).__name__
        return f"HuggingFaceCounter({name!r})"
