"""From the argument `tokenizer` to a counter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from lumber_core.support.identity import safe_repr
from lumber_core.tokens.counter import CallableCounter, TokenCounter, WordCounter, is_hugging_face
from lumber_core.tokens.estimated_counter import EstimatedCounter
from lumber_core.tokens.even import EvenCounter

TokenCounterSpec = str | TokenCounter | Callable[[str], int] | Any
"""What a user may pass as `tokenizer`; see `token_counter`."""

DEFAULT_TOKENIZER = "estimate"
"""The default `tokenizer` of every splitter: `EstimatedCounter`, which works offline."""

_NAMED: dict[str, Callable[[], TokenCounter]] = {
    "estimate": EstimatedCounter,
    "even": EvenCounter,
    "words": WordCounter,
}


def token_counter(spec: TokenCounterSpec) -> TokenCounter:
    """Return the counter for a tokenizer argument.

    Args:
        spec: "estimate" for `EstimatedCounter`; "even" for `EvenCounter`, for which all alphabets
            are as English; "words" for `WordCounter`, the formula of the published LumberChunker;
            the name of a tiktoken encoding or of a model tiktoken knows, or such an `Encoding`,
            which needs the extra `tiktoken`; a Hugging Face tokenizer; a function from a string to
            its number of tokens; or a `TokenCounter`.

    Raises:
        ValueError: `spec` is an unknown name.
        MissingExtraError: `spec` is a name that only tiktoken knows, which is not installed.
        TypeError: `spec` is something else.
    """
    if isinstance(spec, str) and spec in _NAMED:
        return _NAMED[spec]()
    if isinstance(spec, (type, Sequence)) and not isinstance(spec, str):
        raise TypeError(_EXPECTED.format(safe_repr(spec)))
    # Counters that few need are imported when they are made.
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
