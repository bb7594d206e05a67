"""What cutting a text at a place may add to the tokens that an encoding of OpenAI makes of it.

These encodings first cut a text into words, numbers, marks and blanks, from the start to the end,
and merge the bytes of each to tokens. So a range of a text that is encoded alone has the same
tokens as in the text, except from its start to the end of the first word, and from its last blanks,
or else its last word, to its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from tiktoken import Encoding

# The encodings whose patterns are known to cut as this module says.
KNOWN_ENCODINGS = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
# Those of them that end a blank at its last line break.
CUT_AT_LINES = frozenset(("cl100k_base", "o200k_base", "o200k_harmony"))
NOT_BLANK = "\x1c\x1d\x1e\x1f"  # for tiktoken, but for Python

# A slash at the start of a line may be in one token with the marks at the end of the line before.
_WORD = re.compile(r"(?:\S|[\r\n]+(?=/))+[\r\n]*")
_BLANKS_AND_WORD = re.compile(rf"\s*(?:{_WORD.pattern})?")
_NEAR = 64  # characters beside a cut to look at
_MOST_WORDS = 1 << 15  # that are remembered
_LONGEST_WORD = 32  # characters of a word that is worth counting, as it will come again
_ANY = 1 << 40  # tokens: more than any chunk has, so that it is counted
_FEW_MARKS = 4  # characters to look for a letter in, before the whole last word is taken for marks


class CutRules:
    """What the pattern and the tokens of an encoding say about a cut between two characters.

    Args:
        encoding: The encoding, of those with known patterns.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._ends_lines = encoding.name in CUT_AT_LINES
        self._added_without_blank = lru_cache(_MOST_WORDS)(self._count_added_without_blank)
        self._apart = lru_cache(_MOST_WORDS)(self._look_whether_apart)
        self._touches_line_break = lru_cache(_MOST_WORDS)(self._look_whether_touches_line_break)

    def most_at_start(self, text: str, start: int) -> int:
        """Return what a cut may add after it, with or without the blanks there.

        Args:
            text: The text.
            start: The offset of the cut.
        """
        if not text[start].isspace():
            if not start or self._apart(text[start - 1 : start + 1]):
                return 0
            word = _WORD.match(text[start : start + _LONGEST_WORD + 1])
            if text[start - 1] == " " and word and word.end() <= _LONGEST_WORD:
                return self._added_without_blank(word[0])
        near = text[start : start + _NEAR]
        changed = _BLANKS_AND_WORD.match(near)
        assert changed is not None  # it matches nothing, too
        return _ANY if changed.end() == _NEAR else _bytes(changed[0])

    def most_at_end(self, text: str, end: int) -> int:
        """Return what a cut may add before it, with or without the blanks there.

        Args:
            text: The text.
            end: The offset of the cut.
        """
        before, after = text[end - 1], text[end : end + 1]
        apart = not after or self._apart(before + after)
        if not before.isspace():
            if after in ("\n", "\r"):
                return self._most_without_line_break(text, end)
            return 0 if apart or after.isspace() else _last_word(text, end)
        near = text[max(0, end - _NEAR) : end]
        body = near.rstrip()
        if not body:
            return _ANY
        blanks = near[len(body) :]
        # One blank is a token, as is the begin of the word after it with the blank.
        same = apart or (blanks == " " and not after.isspace())
        added = 0 if same else _bytes(blanks)
        if blanks[0] in "\r\n":
            added += self._most_without_line_break(text, end - len(blanks))
        return added

    def _most_without_line_break(self, text: str, end: int) -> int:
        """Return what a text that ends before a line break may count more without it.

        A letter or a digit is never in one token with the line break; marks may be.
        """
        mark = text[end - 1]
        return _last_marks(text, end) if mark.isascii() or self._touches_line_break(mark) else 0

    def _count_added_without_blank(self, word: str) -> int:
        """Return what a word with a blank before it counts more if the blank is cut off."""
        encode = self._encoding.encode_ordinary
        return max(0, len(encode(word)) + 1 - len(encode(f" {word}")))

    def _look_whether_apart(self, place: str) -> bool:
        """Return whether no token has characters on both sides of a place, nor would if it had.

        The pattern cuts there, as after a line break, or only keeps a mark with the word after it,
        and no token has the end of the one and the start of the other: what is kept together is
        merged to tokens, and each token is what merging its own bytes gives.

        Args:
            place: The character before the place and the one after it.
        """
        before, after = place[0], place[1]
        if before in "\r\n":
            return self._ends_lines and not after.isspace() and after != "/"
        if category(before)[0] != "P" or not after.isalpha():
            return False
        letter, rests = after.encode(), self._rests(before)
        return not any(rest.startswith(letter) or letter.startswith(rest) for rest in rests)

    def _look_whether_touches_line_break(self, mark: str) -> bool:
        """Return whether a token has a mark, or its last bytes, before a line break."""
        whole = mark.encode()
        return any(whole.endswith(end) or end.endswith(whole) for end in self._before_line_breaks)

    @cached_property
    def _before_line_breaks(self) -> list[bytes]:
        """What tokens have before a line break after a byte that is not ASCII."""
        return [
            token[:at]
            for token in self._beyond_ascii
            for at in range(1, len(token))
            if token[at] in b"\r\n" and token[at - 1] > 127
        ]

    @cached_property
    def _beyond_ascii(self) -> list[bytes]:
        return [token for token in self._encoding.token_byte_values() if not token.isascii()]

    @cached_property
    def _rests(self) -> Callable[[str], set[bytes]]:
        """What tokens have after a mark, or after its last bytes if they begin with these.

        For a mark of ASCII that is not looked up, and may be anything.
        """
        tokens = self._beyond_ascii

        @cache
        def rests(mark: str) -> set[bytes]:
            if mark.isascii():
                return {b""}
            whole = mark.encode()
            ends = [whole[start:] for start in range(1, len(whole))]
            found = {token[len(end) :] for token in tokens for end in ends if token.startswith(end)}
            holding = (token.split(whole)[1:] for token in tokens if whole in token)
            found.update(whole.join(rest[n:]) for rest in holding for n in range(len(rest)))
            return found - {b""}

        return rests


@cache
def cut_rules(encoding: Encoding) -> CutRules:
    """Return the rules of an encoding, made once."""
    return CutRules(encoding)


def _last_word(text: str, end: int) -> int:
    """Return the bytes of the word that ends at an offset, or more."""
    near = text[max(0, end - _NEAR) : end]
    start = max(near.rfind(" "), near.rfind("\n")) + 1
    if (not start and end > _NEAR) or near[start - 1 : start + 1] == "\n/":
        return _ANY
    return _bytes(near[start:])


def _last_marks(text: str, end: int) -> int:
    """Return the bytes from the last letter or digit before an offset on, or more."""
    near = text[max(0, end - _FEW_MARKS) : end]
    for length in range(len(near)):
        if near[-1 - length].isalnum():
            return _bytes(near[len(near) - length :])
    return _last_word(text, end)


def _bytes(text: str) -> int:
    return len(text.encode())
