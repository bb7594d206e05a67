"""Token counters: how long is a text, in the unit that its reader is billed or bounded by.

A counter counts many strings in one call, so that a tokenizer can work on them in one pass.
Text that spells a special token, such as `<|endoftext|>`, is counted as the text it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import accumulate
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from lumber_core.surrogates import encodable, is_encodable
from lumber_core.tiktoken_data import load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding


# Texts from which on tiktoken gets them joined; characters from which on that are worth a thread
# of their own; and threads at most.
_MANY = 16
_BLOCK = 1 << 16
_MOST_THREADS = 4


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of strings."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        ...


TokenCounterSpec = str | TokenCounter | Callable[[str], int] | Any
"""What a user may pass as `tokenizer`; see `token_counter`."""


class TiktokenCounter:
    """Counts with one of OpenAI's encodings.

    Args:
        name: An encoding ("cl100k_base") or a model ("gpt-4o").
        markers: Strings counted as one token each, as if the encoding had them as special
            tokens: explicit ends of sentences, for instance.

    Raises:
        ValueError: `name` is neither an encoding nor a model that tiktoken knows.
        TokenizerDataError: On first use, where the vocabulary cannot be had.
    """

    def __init__(self, name: str = "cl100k_base", *, markers: Sequence[str] = ()) -> None:
        self.name = encoding_name(name)
        self.markers = tuple(markers)

    @cached_property
    def encoding(self) -> Encoding:
        """The tiktoken encoding, with the markers added to it."""
        encoding = load_encoding(self.name)
        return extended_encoding(encoding, self.markers) if self.markers else encoding

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        if self.markers:
            encode = self.encoding.encode
            allowed = set(self.markers)
            return [
                len(encode(text, allowed_special=allowed, disallowed_special=())) for text in texts
            ]
        return count_ordinary(self.encoding, texts)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "markers": self.markers}

    def __repr__(self) -> str:
        markers = f", markers={self.markers!r}" if self.markers else ""
        return f"TiktokenCounter({self.name!r}{markers})"


class EncodingCounter:
    """Counts with a tiktoken `Encoding` that the caller made.

    Args:
        encoding: Special tokens it defines are not recognised in texts.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        return count_ordinary(self.encoding, texts)

    def __repr__(self) -> str:
        return f"EncodingCounter({self.encoding.name!r})"


class HuggingFaceCounter:
    """Counts with a Hugging Face tokenizer; special tokens are neither added nor recognised.

    Args:
        tokenizer: A `tokenizers.Tokenizer`, or a fast or slow tokenizer of `transformers`. It is
            not changed: truncation and padding set on it do not apply here.

    Raises:
        TypeError: `tokenizer` is none of these.
    """

    def __init__(self, tokenizer: Any) -> None:
        if not is_hugging_face(tokenizer):
            raise TypeError(
                "tokenizer must be a tokenizers.Tokenizer or a transformers tokenizer, not "
                f"{type(tokenizer).__name__}"
            )
        self._tokenizer = tokenizer

    @cached_property
    def _fast(self) -> Any:
        """A private copy of the Rust tokenizer; None for a slow one."""
        rust = getattr(self._tokenizer, "backend_tokenizer", self._tokenizer)
        if not hasattr(rust, "encode_batch"):
            return None
        copy = type(rust).from_str(rust.to_str())
        copy.no_truncation()
        copy.no_padding()
        copy.encode_special_tokens = True  # tokenizers' name for "take them as text"
        return copy

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        if self._fast is not None:
            checked = [text if is_encodable(text) else encodable(text) for text in texts]
            encodings = self._fast.encode_batch(checked, add_special_tokens=False)
            return [len(encoding.ids) for encoding in encodings]
        return [
            len(self._tokenizer.tokenize(text, add_special_tokens=False, split_special_tokens=True))
            for text in texts
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {"_tokenizer": self._tokenizer}

    def __repr__(self) -> str:
        name = getattr(self._tokenizer, "name_or_path", "") or type(self._tokenizer).__name__
        return f"HuggingFaceCounter({name!r})"


class WordCounter:
    """Counts round(1.2 x words), LumberChunker's estimate of tokens (section 3).

    It needs no vocabulary. Words are what white space separates, so it says little about
    languages written without spaces: use a tokenizer there.
    """

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, in order."""
        return [round(1.2 * len(text.split())) for text in texts]

    def __repr__(self) -> str:
        return "WordCounter()"


class CallableCounter:
    """Counts with any function from a string to a whole number.

    Args:
        function: Called once for each text.
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self.function = function

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the function's value for each text, in order."""
        return [self._whole(self.function(text)) for text in texts]

    def _whole(self, count: object) -> int:
        try:
            return index(count)  # type: ignore[arg-type]  # that it may be no number is the point
        except TypeError:
            raise TypeError(
                f"{self!r} must return a whole number of tokens for a text, not "
                f"{type(count).__name__}"
            ) from None

    def __repr__(self) -> str:
        return f"CallableCounter({getattr(self.function, '__qualname__', self.function)!r})"


def token_counter(spec: TokenCounterSpec) -> TokenCounter:
    """Turn a user's choice of tokenizer into a counter.

    Args:
        spec: "words"; the name of a tiktoken encoding or of a model tiktoken knows; a Hugging
            Face tokenizer; a tiktoken `Encoding`; a function from a string to its number of
            tokens; or a `TokenCounter`.

    Raises:
        ValueError: For a name nobody knows.
        TypeError: For anything else.
    """
    if isinstance(spec, str):
        return WordCounter() if spec == "words" else TiktokenCounter(spec)
    if is_hugging_face(spec):
        return HuggingFaceCounter(spec)
    if isinstance(spec, (type, bytes, Sequence)):
        raise TypeError(_EXPECTED.format(spec))
    if callable(getattr(spec, "encode_ordinary", None)):
        return EncodingCounter(cast("Encoding", spec))
    if isinstance(spec, TokenCounter):
        return spec
    if callable(spec):
        return CallableCounter(spec)
    raise TypeError(_EXPECTED.format(spec))


_EXPECTED = (
    'tokenizer must be "words", the name of a tiktoken encoding or model, a Hugging Face '
    "tokenizer, or a function from a string to a number; got {!r}"
)


def is_hugging_face(tokenizer: object) -> bool:
    """Tell whether an object is a tokenizer of `tokenizers` or `transformers`."""
    if isinstance(tokenizer, type):
        return False
    rust = callable(getattr(tokenizer, "encode_batch", None)) and hasattr(tokenizer, "to_str")
    return rust or callable(getattr(tokenizer, "convert_tokens_to_ids", None))


def count_ordinary(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    """Count many texts with tiktoken, special tokens taken as the text they are.

    A call for each short text would spend a good part of its time on crossing into tiktoken. So
    the texts go through joined, separated by a special token that occurs in none of them: tiktoken
    treats what stands between special tokens as texts of their own, so the counts are the same.
    It works outside the interpreter's lock, so long lists go through in blocks side by side.
    """
    if len(texts) < _MANY:
        return _count_apart(encoding, texts)
    size = max(_BLOCK, sum(map(len, texts)) // _threads() + 1)
    blocks = list(_blocks(texts, size))
    if len(blocks) == 1:
        return _count_block(encoding, texts)
    with ThreadPoolExecutor(len(blocks)) as pool:
        counted = pool.map(partial(_count_block, encoding), blocks)
        return [count for block in counted for count in block]


def _threads() -> int:
    """Return how many threads may count at once: one for each core, but few."""
    affinity = getattr(os, "sched_getaffinity", None)
    return min(_MOST_THREADS, len(affinity(0)) if affinity else os.cpu_count() or 1)


def _blocks(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield consecutive texts of together `size` characters or a little more."""
    first = total = 0
    for number, total_so_far in enumerate(accumulate(map(len, texts)), start=1):
        if total_so_far - total >= size:
            yield texts[first:number]
            first, total = number, total_so_far
    if first < len(texts):
        yield texts[first:]


def _count_block(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    """Count the tokens between the separators of the joined texts."""
    import numpy as np  # deferred: other counters do without it

    for separator in sorted(encoding.special_tokens_set):
        if (separator + separator).find(separator, 1) < len(separator):
            continue  # it overlaps itself: where it begins in the joined texts is not certain
        joined = separator.join(texts)
        try:
            ids = encoding.encode_to_numpy(
                joined, allowed_special={separator}, disallowed_special=()
            )
        except UnicodeEncodeError:  # a lone surrogate, with which only encode_ordinary copes
            break
        ends = np.flatnonzero(ids == encoding.encode_single_token(separator))
        if len(ends) == len(texts) - 1:  # else a text contains it: try another one
            counts: list[int] = (np.diff(ends, prepend=-1, append=len(ids)) - 1).tolist()
            return counts
    return _count_apart(encoding, texts)


def _count_apart(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    return [len(ids) for ids in map(encoding.encode_ordinary, texts)]


def encoding_name(name: str) -> str:
    """Return the tiktoken encoding that `name`, an encoding or a model, stands for.

    Raises:
        ValueError: tiktoken knows no such encoding or model.
    """
    import tiktoken  # deferred: "words" and Hugging Face tokenizers do without it

    known = tiktoken.list_encoding_names()
    if name in known:
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        raise ValueError(
            f'unknown tokenizer {name!r}: expected "words", one of tiktoken\'s encodings '
            f"({', '.join(sorted(known))}) or a model name that tiktoken knows"
        ) from None


def extended_encoding(encoding: Encoding, markers: Sequence[str]) -> Encoding:
    """Return `encoding` with one more special token for each marker.

    Args:
        encoding: Any tiktoken encoding.
        markers: New special tokens; they get the ids after the last one in use.
    """
    from tiktoken import Encoding

    first = encoding.n_vocab
    return Encoding(
        name=f"{encoding.name}+{len(markers)}",
        pat_str=encoding._pat_str,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens={
            **encoding._special_tokens,
            **{marker: first + number for number, marker in enumerate(markers)},
        },
    )
