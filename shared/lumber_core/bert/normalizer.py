"""BERT's normalisation of text: the words of a text, and where their characters come from.

Control characters are dropped, white space becomes a space, ideographs and punctuation marks become
separate words, accents are dropped after canonical decomposition (NFD), and letters become lower
case. The result equals that of the package `tokenizers`, because models are trained with it. It may
differ for characters that are newer than the tables of `tokenizers` (Unicode 8), and for marks
other than accents that NFD reorders.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat

import regex

_MAX_CACHED_CHARACTERS = 1 << 16  # different characters, with their replacements
_CONTROL = ("Cc", "Cf", "Co", "Cs")
_UNDECODABLE = "\ufffd"

WHITE = "\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space, as the content of a character class."""

_IDEOGRAPHS = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)


@lru_cache(maxsize=1)
def lone_characters() -> str:
    """Return characters that are separate words, as the content of a character class.

    They are listed because `re` with the list is twice as fast as `regex` with their category.
    """
    characters = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    runs = regex.findall(r"[\p{P}!-/:-@\[-`{-~]+", characters)
    ranges = (f"{re.escape(run[0])}-{re.escape(run[-1])}" for run in runs)
    return "".join(ranges) + _IDEOGRAPHS


class Normalizer:
    """Normalises texts. Accents are dropped if `strip_accents`; None: if `lowercase`."""

    def __init__(self, *, lowercase: bool, strip_accents: bool | None) -> None:
        self._lowercase = lowercase
        self._strips = lowercase if strip_accents is None else strip_accents
        self._is_white = re.compile(f"[{WHITE}]").match
        self._is_alone = re.compile(f"[{lone_characters()}]").match
        self._replacements: dict[str, str] = {}

    def __call__(self, text: str) -> tuple[str, Sequence[int]]:
        """Return the words of a text, with spaces around them, and the origins of their characters.

        The origin of a character is the offset of the original character in the text.
        """
        if text.isascii() and text.isalnum():
            return (text.lower() if self._lowercase else text), range(len(text))
        words: list[str] = []
        origins = array("i")
        for offset, character in enumerate(text):
            replacement = self._replacements.get(character)
            if replacement is None:
                replacement = self._replace(character)
                if len(self._replacements) < _MAX_CACHED_CHARACTERS:
                    self._replacements[character] = replacement
            words.append(replacement)
            origins.extend(repeat(offset, len(replacement)))
        return "".join(words), origins

    def _replace(self, character: str) -> str:
        if self._is_white(character):
            return " "
        if character == _UNDECODABLE or unicodedata.category(character) in _CONTROL:
            return ""
        parts = unicodedata.normalize("NFD", character) if self._strips else character
        return "".join(
            f" {part} " if self._is_alone(part) else part.lower() if self._lowercase else part
            for part in parts
            if not (self._strips and unicodedata.category(part) == "Mn")
        )
