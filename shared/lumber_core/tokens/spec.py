"""Makes a counter from the argument `tokenizer`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from lumber_core.support.identity import safe_repr
from lumber_core.tokens.counter import CallableCounter, TokenCounter, WordCounter, is_hugging_face
from lumber_core.tokens.estimated_counter import EstimatedCounter, EvenCounter

TokenCounterSpec = str | TokenCounter | Callable[[str], int] | Any
"""Values of the argument `tokenizer`; see `token_counter`."""

DEFAULT_TOKENIZER = "estimate"
"""The default `tokenizer` of every splitter: `EstimatedCounter`, which works offline."""

_COUNTERS: dict[str, Callable[[], TokenCounter]] = {
    "estimate": EstimatedCounter,
    "even": EvenCounter,
    "words": WordCounter,
}


def token_counter(spec: TokenCounterSpec) -> TokenCounter:
    """Return the counter for a tokenizer argument.

    Args:
        spec: "estimate" for `EstimatedCounter`; "even" for `EvenCounter`, which counts all
            alphabets as English; "words" for `WordCounter`, the formula of the published
            LumberChunker; the name of an encoding or a model of tiktoken, or a tiktoken `Encoding`
            (extra `tiktoken`); a Hugging Face tokenizer; a function from a string to its number of
            tokens; or a `TokenCounter`.

    Raises:
        ValueError: `spec` is an unknown name.
        MissingExtraError: `spec` is a name of tiktoken, which is not installed.
        TypeError: `spec` is something else.
    """
    if isinstance(spec, str) and spec in _COUNTERS:
        return _COUNTERS[spec]()
    if isinstance(spec, (type, Sequence)) and not isinstance(spec, str):
        raise TypeError(_EXPECTED.format(safe_repr(spec)))
    # Rarely used counters are imported only when they are made.
    if isinstance(spec, str) or callable(getattr(spec, "encode_ordinary", None)):
        from lumber_core.tokens.tiktoken_counter import TiktokenCounter

        return TiktokenCounter(spec if isinstance(spec, str) else cast("Any", spec).name)
    if is_hugging_face(spec):
        from lumber_core.tokens.hugging_face import HuggingFaceCounter

        return HuggingFaceCounter(spec)
    if isinstance(spec, TokenCounter):
        return spec
    if callable(spec):
        return CallableCounter(spec)
    raise TypeError(_EXPECTED.format(safe_repr(spec)))


_EXPECTED = (
    'tokenizer must be "estimate", "even", "words", the name of a tiktoken encoding or model, a '
    "Hugging Face tokenizer, or a function from a string to a number; got {}"
)
