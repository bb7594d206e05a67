"""A text that is encoded once with tiktoken: where its tokens start.

OpenAI's encodings first cut a text into words, numbers, punctuation and blanks, from start to end,
and then merge the bytes of each piece into tokens. All of them cut between a letter or digit and a
blank or punctuation mark (except an apostrophe), whatever else is in the text. So from the first
such cut in a range to the last, the tokens are the same in the text and in the range alone. Outside
of these cuts, the range alone has at most one token for each byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tiktoken import Encoding

KNOWN_ENCODINGS = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
"""The encodings whose patterns cut as described above."""

# A letter or digit before a blank or punctuation. Combining characters may belong to a word.
_MARKS = r"!-&(-/:-@\[-`{-~\u2010-\u2027\u3001\u3002\u3008-\u3011\uff01-\uff0f\uff1a-\uff20"
_WORD_END = rf"[^\W_](?=[\s{_MARKS}])"
_FIRST_WORD_END = re.compile(_WORD_END)
_LAST_WORD_END = re.compile(rf".*{_WORD_END}", re.DOTALL)
_WORD_END_CHARACTERS = 64  # a word end is searched in so many characters at both ends of a range
_MAX_UNCOUNTED_BYTES = 12  # for fewer bytes, counting tokens takes longer than it saves
# tiktoken's pattern overflows the stack on some 300,000 consecutive blanks, with a panic that no
# `except Exception` catches, and takes quadratic time before version 0.13. So runs longer than this
# are counted in parts; such a run contains a window of half its length.
MAX_BLANK = 1 << 13
_WINDOW = MAX_BLANK // 2


class EncodedText:
    """Counts ranges of a text by where its tokens start.

    A token belongs to the range in which it begins. So the counts of ranges that tile the text add
    up to the count of the text, and a range may have none. `starts` has the character in which each
    token starts, not decreasing, shape (tokens,).
    """

    def __init__(self, text: str, starts: npt.NDArray[np.integer]) -> None:
        self._text = text
        self._starts = starts

    def count(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the number of tokens that start in each range."""
        import numpy as np

        edges = np.array([*spans], dtype=self._starts.dtype).reshape(-1, 2)
        before = np.searchsorted(self._starts, edges)
        counts: list[int] = (before[:, 1] - before[:, 0]).tolist()
        return counts

    def most_added(self, start: int, end: int, _parts: int, /) -> int | None:
        """Return how many tokens a range may count beyond those that start in it."""
        text = self._text
        head, tail = start + _WORD_END_CHARACTERS, max(0, end - _WORD_END_CHARACTERS)
        # The end of the text also ends a word.
        first = _FIRST_WORD_END.search(text[start:head] + (text[head : head + 1] or " "))
        last = _LAST_WORD_END.match(text[tail:end] + (text[end : end + 1] or " "))
        if first is None or last is None:
            return None
        outside = (start, start + first.end()), (tail + last.end(), end)
        size = sum(len(text[at:to].encode()) for at, to in outside)  # at most one token a byte
        # For many bytes, as in emoji, the tokens that start there are counted.
        return size if size <= _MAX_UNCOUNTED_BYTES else size - sum(self.count(outside))


@cache
def _tables(encoding: Encoding) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return two tables, by the number of a token.

    The first has how many characters start in the token; the second has the same number, plus one
    if the token starts inside a character.
    """
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
    return characters, back


def encoded_text(text: str, encoding: Encoding) -> EncodedText | None:
    """Return a text with its tokens; None if the counts of its parts cannot be bounded.

    The encoding is one of the `KNOWN_ENCODINGS`.
    """
    import numpy as np

    windows = range(0, len(text) - _WINDOW + 1, _WINDOW)
    if any(text[at : at + _WINDOW].isspace() for at in windows):
        return None
    try:
        tokens = encoding.encode_to_numpy(text, disallowed_special=())
    except UnicodeEncodeError:  # a lone surrogate
        return None
    characters, back = _tables(encoding)
    starts = np.cumsum(characters[tokens], dtype=np.int32) - back[tokens]
    return EncodedText(text, starts)
