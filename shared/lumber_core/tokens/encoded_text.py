"""A text that a tiktoken encoding has read once: where its tokens start, and what a cut may add.

OpenAI's encodings first cut a text into words, numbers, marks and blanks, from the start to the
end, and merge the bytes of each to tokens. So a range of a text that is encoded alone has the same
tokens as in the text, except from its start to the end of the first word, and from its last blanks,
or else its last word, to its end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tiktoken import Encoding

# The encodings whose patterns are known to cut as this module says.
KNOWN_ENCODINGS = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
# Those of them that end a blank at its last line break.
_CUT_AT_LINES = frozenset(("cl100k_base", "o200k_base", "o200k_harmony"))
NOT_BLANK = "\x1c\x1d\x1e\x1f"  # for tiktoken, but for Python

# A slash at the start of a line may be in one token with the marks at the end of the line before.
_WORD = re.compile(r"(?:\S|[\r\n]+(?=/))+[\r\n]*")
_BLANKS_AND_WORD = re.compile(rf"\s*(?:{_WORD.pattern})?")
_LINE_START = re.compile(r"\n(?=[^\s/])")
_MOST_WORDS = 1 << 15  # that are remembered
_LONGEST_WORD = 32  # characters of a word that is worth counting, as it will come again
_NEAR = 64  # characters beside a cut to look at
_ANY = 1 << 40  # tokens: more than any chunk has, so that it is counted
_FEW_MARKS = 4  # characters to look for a letter in, before the whole last word is taken for marks
# A text is read in blocks of at least this many characters, each of which is worth a thread:
# tiktoken takes 40 % more CPU time in a thread that is not the first to use it.
_BLOCK = 1 << 20
_MOST_THREADS = 4
# tiktoken's pattern overflows the stack on some 300,000 blanks in a row, with a panic that no
# `except Exception` catches, and takes quadratic time before version 0.13. So longer runs than this
# are counted in parts; such a run has a whole window of half its length.
LONGEST_BLANK = 1 << 13
_WINDOW = LONGEST_BLANK // 2


class EncodedText:
    """Counts ranges of a text by where its tokens start.

    A token that begins before a range and ends in it is part of what is before. So the tokens of
    ranges add up to those of the text, and a range may have none.

    Args:
        text: The text.
        starts: In which character each token starts, not decreasing, shape (tokens,).
        encoding: The encoding.
    """

    def __init__(self, text: str, starts: npt.NDArray[np.integer], encoding: Encoding) -> None:
        self._text = text
        self._starts = starts
        self._rules = _rules(encoding)

    def count(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Return the number of tokens that start in each range."""
        before = self._before([edge for span in spans for edge in span])
        counts: list[int] = (before[1::2] - before[::2]).tolist()
        return counts

    def between(self, edges: Sequence[int]) -> list[int]:
        """Return the number of tokens that start in ranges that follow each other."""
        before = self._before(edges)
        counts: list[int] = (before[1:] - before[:-1]).tolist()
        return counts

    def most_added(self, start: int, end: int, _parts: int, /) -> int:
        """Return how many tokens a range may count beyond those that start in it.

        Args:
            start: Where the range starts.
            end: Where it ends.
        """
        text, rules = self._text, self._rules
        if end - start <= _NEAR:  # what both cuts change may overlap
            return _bytes(text[start:end])
        return rules.most_at_start(text, start) + rules.most_at_end(text, end)

    def _before(self, edges: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the tokens that start before each of some offsets."""
        import numpy as np

        places = np.asarray(edges, dtype=self._starts.dtype)
        return np.searchsorted(self._starts, places)


class _Rules:
    """What the pattern and the tokens of an encoding say about a cut between two characters.

    Args:
        encoding: The encoding, of those with known patterns.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._ends_lines = encoding.name in _CUT_AT_LINES
        self._added_without_blank = lru_cache(_MOST_WORDS)(self._count_added_without_blank)
        self._apart = lru_cache(_MOST_WORDS)(self._look_whether_apart)
        self._touches_line_break = lru_cache(_MOST_WORDS)(self._look_whether_touches_line_break)

    def most_at_start(self, text: str, start: int) -> int:
        """Return what a cut may add after it, with or without the blanks there.

        Args:
            text: The text.
            start: The offset of the cut.
        """
        if text[start].isspace():
            pass
        elif not start or self._apart(text[start - 1 : start + 1]):
            return 0
        elif text[start - 1] == " ":
            word = _WORD.match(text[start : start + _LONGEST_WORD + 1])
            if word and word.end() <= _LONGEST_WORD:
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
def _rules(encoding: Encoding) -> _Rules:
    return _Rules(encoding)


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


class _Tables(NamedTuple):
    """What the tokens of an encoding say about the text, by their numbers.

    Attributes:
        characters: How many characters start in a token.
        back: The same, and one more if the token starts inside a character.
    """

    characters: npt.NDArray[np.int32]
    back: npt.NDArray[np.int32]


@cache
def _tables(encoding: Encoding) -> _Tables:
    import numpy as np

    ranks = encoding._mergeable_ranks
    numbers = np.fromiter(ranks.values(), np.int64, len(ranks))
    lengths = np.fromiter(map(len, ranks), np.int64, len(ranks))
    first = np.cumsum(lengths) - lengths
    # The bytes of a character after its first begin with these two bits.
    inside = (np.frombuffer(b"".join(ranks), np.uint8) & 0xC0) == 0x80
    characters = np.zeros(encoding.n_vocab, np.int32)
    characters[numbers] = np.add.reduceat(~inside, first, dtype=np.int32)
    back = characters.copy()
    back[numbers] += inside[first]
    return _Tables(characters, back)


def encoded_text(text: str, encoding: Encoding) -> EncodedText | None:
    """Return a text with its tokens; None if what is counted of its parts could not be bounded.

    Args:
        text: The text.
        encoding: One of the `KNOWN_ENCODINGS`.
    """
    import numpy as np

    windows = range(0, len(text) - _WINDOW + 1, _WINDOW)
    if any(mark in text for mark in NOT_BLANK) or any(
        text[at : at + _WINDOW].isspace() for at in windows
    ):
        return None
    tables = _tables(encoding)
    encode = partial(encoding.encode_to_numpy, disallowed_special=())
    try:
        blocks = [*_blocks(text, encoding)]
        if len(blocks) > 1:
            with ThreadPoolExecutor(len(blocks) - 1) as pool:
                others = pool.map(encode, blocks[1:])
                tokens = np.concatenate([encode(blocks[0]), *others])
        else:
            tokens = encode(text)
    except UnicodeEncodeError:  # a lone surrogate
        return None
    starts = np.cumsum(tables.characters[tokens], dtype=np.int32)
    starts -= tables.back[tokens]
    return EncodedText(text, starts, encoding)


def _blocks(text: str, encoding: Encoding) -> Iterator[str]:
    """Yield a few long parts of a text that have the same tokens alone as together."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    size = max(_BLOCK, len(text) // min(_MOST_THREADS, cores) + 1)
    start = 0
    while start < len(text):
        line = _LINE_START.search(text, start + size)
        known = line is not None and encoding.name in _CUT_AT_LINES
        end = line.end() if line and known else len(text)
        yield text[start:end]
        start = end
