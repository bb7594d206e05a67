"""Counting with OpenAI's tokenizers, through tiktoken, which is an extra.

Special tokens in a text, such as `<|endoftext|>`, are counted as ordinary text. tiktoken downloads
a vocabulary on first use. llama-index-core contains two vocabularies in the format of tiktoken's
cache; they are used if that package is installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from lumber_core.errors import TokenizerDataError
from lumber_core.support.extras import require
from lumber_core.tokens.encoded_text import (
    KNOWN_ENCODINGS,
    MAX_BLANK,
    EncodedText,
    encoded_text,
)

if TYPE_CHECKING:
    from tiktoken import Encoding

_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
# tiktoken names a cached vocabulary by the SHA-1 of its URL.
_SHIPPED = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
_environment = Lock()
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
    if len(text) <= MAX_BLANK:
        return [text]
    cuts = [
        cut
        for blanks in _BLANKS.finditer(text)
        for cut in range(blanks.start() + MAX_BLANK, blanks.end(), MAX_BLANK)
    ]
    return [text[start:stop] for start, stop in pairwise([0, *cuts, len(text)])]


def encoding_name(name: str) -> str:
    """Return the name of the tiktoken encoding of `name`; errors are those of `TiktokenCounter`."""
    why = f'tokenizer {name!r}: names other than "estimate", "even" and "words" need tiktoken, and '
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
            f"encodings ({', '.join(sorted(encodings))}), the name of a model in tiktoken's list; "
            "in Python, a Hugging Face tokenizer or a function from a string to a number"
        ) from None


def load_encoding(name: str) -> Encoding:
    """Return a tiktoken encoding by name.

    If its vocabulary is not on this machine and cannot be downloaded, a TokenizerDataError states
    what to do.
    """
    import tiktoken

    shipped = _shipped_folder(name)
    if shipped is not None and not any(os.environ.get(key) for key in _CACHE_VARIABLES):
        return _from_folder(name, shipped)
    try:
        return tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:  # requests raises OSErrors; a wrong file is a ValueError
        if shipped is not None:
            return _from_folder(name, shipped)
        raise TokenizerDataError(
            f"tiktoken could not download the vocabulary of {name!r} ({type(error).__name__}). To "
            "solve this: pip install llama-index-core, which ships cl100k_base and o200k_base; set "
            "TIKTOKEN_CACHE_DIR to a folder that holds tiktoken's cached file; or pass "
            'tokenizer="estimate", a Hugging Face tokenizer, or a function that counts'
        ) from error


def _from_folder(name: str, folder: Path) -> Encoding:
    """Load an encoding with tiktoken's cache temporarily set to `folder`."""
    import tiktoken

    variable = _CACHE_VARIABLES[0]
    with _environment:
        before = os.environ.get(variable)
        os.environ[variable] = str(folder)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ[variable]
            else:
                os.environ[variable] = before


def _shipped_folder(name: str) -> Path | None:
    """Return llama-index-core's tiktoken cache if it holds `name`, without importing it."""
    if name not in _SHIPPED:
        return None
    try:
        package = distribution("llama-index-core")
    except PackageNotFoundError:
        return None
    folder = Path(str(package.locate_file("llama_index/core/_static/tiktoken_cache")))
    return folder if (folder / _SHIPPED[name]).is_file() else None
