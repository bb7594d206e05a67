"""Counting with OpenAI's tokenizers, through tiktoken, which is an extra.

Special tokens in a text, such as `<|endoftext|>`, are counted as ordinary text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import category

from lumber_core.extras import require
from lumber_core.tokens.base import Added
from lumber_core.tokens.tiktoken_data import load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding

# Number of texts from which they are passed to tiktoken joined, number of characters that are worth
# a thread, and maximum number of threads. tiktoken takes 40 % more CPU time in a thread that is not
# the first to use it, so books are counted in the caller's.
_MANY = 16
_BLOCK = 1 << 20
_MOST_THREADS = 4
# tiktoken's pattern overflows the stack on some 300,000 blanks in a row, with a panic that no
# `except Exception` catches, and takes quadratic time before version 0.13. So longer runs are
# counted in parts.
_LONGEST_BLANK = 1 << 13
_BLANKS = re.compile(r"\s{64,}")
# The encodings whose patterns are known to cut as `TiktokenCounter.most_added` says.
_CUT_AT_BLANKS = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
# Those of them that end a blank at its last line break.
_CUT_AT_LINES = frozenset(("cl100k_base", "o200k_base", "o200k_harmony"))
# With letters of ASCII alone if what follows is kept apart from them.
_INDENTED_WORD = re.compile(r"[ \t]+(?:[A-Za-z]+(?=[ -&(-@\[-`{-~])|\S+[\r\n]*)")
_UP_TO_FIRST_BLANK = re.compile(r"\s*\S*")
_FIRST_WORD = re.compile(r"\S+[\r\n]*")  # marks at its end may be in one token with line breaks
_FEW_MARKS = 4  # characters to look for a letter in, before the whole last word is taken for marks
_MOST_WORDS = 1 << 15  # that are remembered
_LONGEST_WORD = 32  # characters of a word that is worth counting, as it will come again
_NOT_BLANK = "\x1c\x1d\x1e\x1f"  # for tiktoken, but for Python


class TiktokenCounter:
    """Counts with one of OpenAI's encodings.

    Args:
        name: An encoding ("cl100k_base") or a model ("gpt-4o").
        markers: Strings counted as one token each, as if the encoding had them as special
            tokens: explicit ends of sentences, for instance.

    Raises:
        ValueError: `name` is neither an encoding nor a model that tiktoken knows.
        MissingExtraError: tiktoken is not installed.
        TokenizerDataError: On first use, if the vocabulary is not available.
    """

    def __init__(self, name: str = "cl100k_base", *, markers: Sequence[str] = ()) -> None:
        self.name = encoding_name(name)
        self.markers = tuple(markers)

    @cached_property
    def _added_by_blank(self) -> Callable[[str], int | None]:
        return lru_cache(_MOST_WORDS)(self._count_added_by_blank)

    @cached_property
    def _added_by_trimming(self) -> Callable[[str], int]:
        """What a word counts more without its indentation."""
        encode = self.encoding.encode_ordinary
        return lru_cache(_MOST_WORDS)(
            lambda word: max(0, len(encode(word.lstrip())) - len(encode(word)))
        )

    @cached_property
    def _may_join(self) -> Callable[[str], bool]:
        return lru_cache(_MOST_WORDS)(self._look_whether_may_join)

    @cached_property
    def _after_marks(self) -> dict[str, set[bytes]]:
        return {}

    @cached_property
    def _beyond_ascii(self) -> list[bytes]:
        return [token for token in self.encoding.token_byte_values() if not token.isascii()]

    @cached_property
    def encoding(self) -> Encoding:
        """The tiktoken encoding, with the markers added to it."""
        encoding = load_encoding(self.name)
        return extended_encoding(encoding, self.markers) if self.markers else encoding

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        if not self.markers:
            return count_ordinary(self.encoding, texts)
        encode = self.encoding.encode
        allowed = set(self.markers)
        return [
            sum(
                len(encode(part, allowed_special=allowed, disallowed_special=()))
                for part in _parts(text)
            )
            for text in texts
        ]

    def least(self, text: str) -> int:
        """Return a number of tokens that a text has at least: that of its words, if it is known.

        No token has characters of two words, except marks and a slash at the start of a line.
        """
        known = not self.markers and self.name in _CUT_AT_BLANKS
        if not known or any(mark in text for mark in (*_NOT_BLANK, "\n/", "\r/")):
            return 0
        return len(text.split())

    def most_added(self, parts: Sequence[str]) -> Added | None:
        """Return how many tokens texts may count beyond the sum of what their parts count.

        These encodings first cut a text into words, numbers, marks and blanks. Where two texts
        meet, that changes only from the last blanks, or else the last word, of the first text to
        the end of the first word of the second; and without the line break at the end of a text,
        only the marks before it. What changes has at most a token for each byte.
        """
        if self.markers or self.name not in _CUT_AT_BLANKS:
            return None
        text = "".join(parts)
        if any(mark in text for mark in _NOT_BLANK):
            return None
        joined: list[int] = []
        added_by_blank, may_join = self._added_by_blank, self._may_join
        before = blanks = ""  # the part before, and the blanks at its end
        for part in parts:
            added: int | None = None
            if blanks == " ":
                added = added_by_blank(part[: _LONGEST_WORD + 1].partition(" ")[0])
            if added is None:
                joins = may_join((blanks or before[-1:]) + part[0])
                added = self._added_between(before, blanks, part) if joins else 0
            joined.append(added)
            before, end = part, part[-2:]
            if not end[-1].isspace():
                blanks = ""
            else:
                blanks = part[len(part.rstrip()) :] if end.isspace() else end[-1]
        return Added(joined, lambda number: _added_at_end(parts[number]))

    def _added_between(self, before: str, blanks: str, part: str) -> int:
        """Return what a part may add to a text that ends with the part before it.

        Args:
            before: The part before; "" for none.
            blanks: The blanks at its end.
            part: The part.
        """
        if blanks and not blanks.strip("\r\n") and part[0] != "/":
            # Line breaks are kept apart from the word after them, or from its indentation.
            if not part[0].isspace():
                return len(blanks)
            word = _INDENTED_WORD.match(part)
            if word and self.name in _CUT_AT_LINES and word.end() <= _LONGEST_WORD:
                return self._added_by_trimming(word[0])
        begin = _UP_TO_FIRST_BLANK.match(part)
        assert begin is not None
        return _bytes(blanks or _last_word(before)) + _bytes(begin[0])

    def _count_added_by_blank(self, begin: str) -> int | None:
        """Return what a word counts more with a blank before it than both apart.

        Args:
            begin: What begins with it, up to a blank; None is returned for a long word or none.
        """
        word = _FIRST_WORD.match(begin)
        if word is None or word.end() > _LONGEST_WORD:
            return None
        encode = self.encoding.encode_ordinary
        return max(0, len(encode(f" {word[0]}")) - 1 - len(encode(word[0])))

    def _look_whether_may_join(self, place: str) -> bool:
        """Return whether a text may count more than what is before and after a place in it.

        It does not where a pattern cuts, as after a line break, or only keeps a mark with the word
        after it, if no token has the end of the one and the start of the other: what is kept
        together is merged to tokens, and each token is what merging its own bytes gives.

        Args:
            place: The blanks before the place, or else the character; and the character after it.
        """
        end, begin = place[:-1], place[-1]
        if end and not end.strip("\r\n"):
            return begin.isspace() or begin == "/" or self.name not in _CUT_AT_LINES
        if len(end) == 1 and category(end)[0] == "P" and begin.isalpha():
            letter, rests = begin.encode(), self._rests(end)
            return any(rest.startswith(letter) or letter.startswith(rest) for rest in rests)
        return True

    def _rests(self, mark: str) -> set[bytes]:
        """Return what tokens have after a mark, or after its last bytes if they begin with these.

        For a mark of ASCII that is not looked up, and may be anything.
        """
        if mark not in self._after_marks:
            whole = mark.encode()
            ends = [whole[start:] for start in range(1, len(whole))]
            tokens = self._beyond_ascii
            found = {token[len(end) :] for token in tokens for end in ends if token.startswith(end)}
            holding = (token.split(whole)[1:] for token in tokens if whole in token)
            found.update(whole.join(rest[n:]) for rest in holding for n in range(len(rest)))
            self._after_marks[mark] = {b""} if mark.isascii() else found - {b""}
        return self._after_marks[mark]

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "markers": self.markers}

    def __repr__(self) -> str:
        markers = f", markers={self.markers!r}" if self.markers else ""
        return f"TiktokenCounter({self.name!r}{markers})"


class EncodingCounter:
    """Counts with a given tiktoken `Encoding`.

    Args:
        encoding: Special tokens it defines are not recognised in texts.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, in order."""
        return count_ordinary(self.encoding, texts)

    def __repr__(self) -> str:
        return f"EncodingCounter({self.encoding.name!r}, n_vocab={self.encoding.n_vocab})"


def _added_at_end(part: str) -> int:
    """Return what a text that ends with a part may count more without the blanks at its end."""
    body = part.rstrip()
    blanks = part[len(body) :]
    # A letter or a digit is never in one token with the line break; marks may be.
    return _bytes(_last_marks(body)) if "\n" in blanks or "\r" in blanks else 0


def _last_word(text: str) -> str:
    """Return the end of a text from a blank on, or more."""
    return text[max(text.rfind(" "), text.rfind("\n")) + 1 :]


def _last_marks(text: str) -> str:
    """Return the end of a text from its last letter, digit or blank on, or more."""
    for length in range(min(_FEW_MARKS, len(text))):
        if text[-1 - length].isalnum():
            return text[len(text) - length :]
    return _last_word(text)


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def count_ordinary(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    """Count many texts with tiktoken; special tokens in them count as ordinary text.

    One call per short text would mostly be overhead. So the texts are joined, separated by a
    special token that none of them contains: tiktoken tokenizes the parts between special tokens
    independently, so the counts are the same. tiktoken releases the GIL, so long lists are counted
    in parallel blocks.
    """
    if max(map(len, texts), default=0) > _LONGEST_BLANK:
        divided = [_parts(text) for text in texts]
        if any(len(parts) > 1 for parts in divided):
            return [sum(_count_apart(encoding, parts)) for parts in divided]
    if len(texts) < _MANY:
        return _count_apart(encoding, texts)
    total = sum(map(len, texts))
    if total <= _BLOCK:
        return _count_block(encoding, texts)
    blocks = list(_blocks(texts, max(_BLOCK, total // _threads() + 1)))
    count = partial(_count_block, encoding)
    with ThreadPoolExecutor(len(blocks) - 1) as pool:
        others = pool.map(count, blocks[1:])
        return [*count(blocks[0]), *chain.from_iterable(others)]


def _threads() -> int:
    """Return the number of threads to count with: one per core, up to a maximum."""
    affinity = getattr(os, "sched_getaffinity", None)
    return min(_MOST_THREADS, len(affinity(0)) if affinity else os.cpu_count() or 1)


def _blocks(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield runs of consecutive texts with a total of about `size` characters."""
    first = total = 0
    for number, total_so_far in enumerate(accumulate(map(len, texts)), start=1):
        if total_so_far - total >= size:
            yield texts[first:number]
            first, total = number, total_so_far
    if first < len(texts):
        yield texts[first:]


def _count_block(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    """Count the tokens between the separators of the joined texts."""
    import numpy as np  # deferred: other counters do not need it

    for separator in sorted(encoding.special_tokens_set):
        if (separator + separator).find(separator, 1) < len(separator):
            continue  # it overlaps itself, so its position in the joined texts is ambiguous
        joined = separator.join(texts)
        try:
            ids = encoding.encode_to_numpy(
                joined, allowed_special={separator}, disallowed_special=()
            )
        except UnicodeEncodeError:  # a lone surrogate, which only encode_ordinary accepts
            break
        ends = np.flatnonzero(ids == encoding.encode_single_token(separator))
        if len(ends) == len(texts) - 1:  # otherwise a text contains it: try another one
            counts: list[int] = (np.diff(ends, prepend=-1, append=len(ids)) - 1).tolist()
            return counts
    return _count_apart(encoding, texts)


def _parts(text: str) -> list[str]:
    """Return the text, cut within runs of blanks that are too long for tiktoken."""
    if len(text) <= _LONGEST_BLANK:
        return [text]
    cuts = [
        cut
        for blanks in _BLANKS.finditer(text)
        for cut in range(blanks.start() + _LONGEST_BLANK, blanks.end(), _LONGEST_BLANK)
    ]
    return [text[start:stop] for start, stop in pairwise([0, *cuts, len(text)])]


def _count_apart(encoding: Encoding, texts: Sequence[str]) -> list[int]:
    return [len(ids) for ids in map(encoding.encode_ordinary, texts)]


def encoding_name(name: str) -> str:
    """Return the name of the tiktoken encoding of `name`, an encoding or a model.

    Raises:
        ValueError: tiktoken knows no such encoding or model.
        MissingExtraError: tiktoken is not installed.
    """
    why = f'tokenizer {name!r}: names other than "estimate" and "words" need tiktoken, and '
    require("tiktoken", package="tiktoken", extra="tiktoken", why=why)
    import tiktoken  # deferred: other counters do not need it

    known = tiktoken.list_encoding_names()
    if name in known:
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        raise ValueError(
            f'unknown tokenizer {name!r}: expected "estimate", "words", one of tiktoken\'s '
            f"encodings ({', '.join(sorted(known))}) or a model name that tiktoken knows"
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
