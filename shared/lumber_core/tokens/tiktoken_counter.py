"""Counting with OpenAI's tokenizers, through tiktoken, which is an extra.

Special tokens in a text, such as `<|endoftext|>`, are counted as ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lumber_core.support.extras import require
from lumber_core.tokens.encoded_text import (
    KNOWN_ENCODINGS,
    LONGEST_BLANK,
    EncodedText,
    encoded_text,
)
from lumber_core.tokens.tiktoken_data import load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding

_BLANKS = re.compile(r"\s{64,}")


class TiktokenCounter:
    """Counts with one of OpenAI's encodings.

    Args:
        name: An encoding ("cl100k_base") or a model ("gpt-4o").

    Raises:
        ValueError: tiktoken has no encoding and no model of that name.
        MissingExtraError: tiktoken is not installed.
        TokenizerDataError: On first use, if the vocabulary is not available.
    """

    def __init__(self, name: str = "cl100k_base") -> None:
        self.name = encoding_name(name)

    @cached_property
    def encoding(self) -> Encoding:
        """The tiktoken encoding."""
        return load_encoding(self.name)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        encode = self.encoding.encode_ordinary
        return [sum(len(encode(part)) for part in _parts(text)) for text in texts]

    def of(self, text: str) -> EncodedText | None:
        """Return the tokens of a text, which is encoded once for all its ranges.

        Returns:
            None if the encoding is not in `KNOWN_ENCODINGS` or the counts cannot be bounded.
        """
        if self.name not in KNOWN_ENCODINGS:
            return None
        return encoded_text(text, self.encoding)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name}

    def __repr__(self) -> str:
        return f"TiktokenCounter({self.name!r})"


def _parts(text: str) -> list[str]:
    """Return the text, cut within runs of blanks that are too long for tiktoken."""
    if len(text) <= LONGEST_BLANK:
        return [text]
    cuts = [
        cut
        for blanks in _BLANKS.finditer(text)
        for cut in range(blanks.start() + LONGEST_BLANK, blanks.end(), LONGEST_BLANK)
    ]
    return [text[start:stop] for start, stop in pairwise([0, *cuts, len(text)])]


def encoding_name(name: str) -> str:
    """Return the name of the tiktoken encoding of `name`, an encoding or a model.

    Raises:
        ValueError: tiktoken has no such encoding or model.
        MissingExtraError: tiktoken is not installed.
    """
    why = f'tokenizer {name!r}: names other than "estimate" and "words" need tiktoken, and '
    require("tiktoken", package="tiktoken", extra="tiktoken", why=why)
    import tiktoken  # deferred: other counters do not need it

    encodings = tiktoken.list_encoding_names()
    if name in encodings:
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        raise ValueError(
            f'unknown tokenizer {name!r}: expected "estimate", "even", "words", one of tiktoken\'s '
            f"encodings ({', '.join(sorted(encodings))}) or the name of a model in tiktoken's list"
        ) from None
