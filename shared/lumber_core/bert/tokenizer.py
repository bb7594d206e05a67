"""Word pieces of a text of any length, with their character offsets.

Ids and offsets are those of the package `tokenizers` for every text. The package is not used here
because it and what it requires take 28 MB, a fifth of what an installation would add, for one of
the simplest of its algorithms: a word becomes the longest pieces that the vocabulary contains, from
left to right. A text is read in parts that do not depend on each other. Most parts occur many times
in a text, so the pieces of the last tens of thousands are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.normalizer import Normalizer
from lumber_core.bert.vocabulary import Vocabulary, read_vocabulary
from lumber_core.bert.windows import TokenIds
from lumber_core.text.unicode import breaks

_KNOWN = 1 << 15  # parts whose pieces are kept
_LONGEST_KNOWN = 64  # characters
_AT_ONCE = 1 << 14  # parts of a text that are in memory at once
# Ideographs, each of which is a word to BERT's tokenizer, and kana, which may follow them.
_OWN_WORD = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3041-\u3096\u30a1-\u30fa\U00020000-\U0003ffff]"
)


class WordPieces(NamedTuple):
    """The tokens of a text, without [CLS] and [SEP].

    Attributes:
        ids: Token ids, shape (tokens,).
        starts: Character offset of each token's first character, same shape.
        ends: Character offset just past each token, same shape.
    """

    ids: TokenIds
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]

    def first_of(self, offsets: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the index of the first token at or after each character offset.

        Args:
            offsets: Character offsets in ascending order, such as those of sentence starts.

        Returns:
            Token indices, ascending and without duplicates; offsets after the last token have none.
        """
        return first_of(self.starts, offsets)


def first_of(starts: npt.NDArray[np.int32], offsets: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return what `WordPieces.first_of` returns, for tokens that start at `starts`."""
    found = np.unique(np.searchsorted(starts, np.asarray(offsets), side="left"))
    return found[found < len(starts)]


class PartPieces(dict[str, tuple[int, ...]]):
    """The pieces of parts of texts, found when they are looked up.

    A value is flat: token id, start and end of the first piece, then those of the next. Starts and
    ends are counted in characters from the start of the part. Threads may share it.

    Args:
        vocabulary: Words and rules.

    Attributes:
        parts: Matches the parts of a text, which tile it.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._special = vocabulary.special
        self._unknown = vocabulary.unknown
        self._longest_word = vocabulary.longest_word
        self._normalizer = normalizer = Normalizer(vocabulary.normalization)
        self._first = vocabulary.words
        mark = vocabulary.continues
        self._inner = {
            word[len(mark) :]: number
            for word, number in vocabulary.words.items()
            if word.startswith(mark)
        }
        self._reach_of_first, self._reach_of_inner = map(_reach, (self._first, self._inner))
        special = map(re.escape, sorted(self._special, key=len, reverse=True))
        kinds = (
            *special,
            "[0-9A-Za-z]+ ",  # a fast way to take most words of English
            f"[^{normalizer.white}{normalizer.alone}]+",
            f"[{normalizer.alone}]",
            f"[{normalizer.white}]+",
        )
        self.parts = re.compile("|".join(kinds))

    def __missing__(self, part: str) -> tuple[int, ...]:
        found = tuple(self._found(part))
        if len(part) <= _LONGEST_KNOWN:
            if len(self) >= _KNOWN:
                self.clear()
            self[part] = found
        return found

    def _found(self, part: str) -> list[int]:
        """Return id, start and end of the pieces of a part, one after the other."""
        if part in self._special:
            return [self._special[part], 0, len(part)]
        normalized, origins = self._normalizer(part.rstrip(" "))
        found: list[int] = []
        begin = 0
        for word in normalized.split(" "):
            ids, cuts = self._divided(word)
            for number, start, end in zip(ids, cuts, cuts[1:], strict=False):
                found += (number, origins[begin + start], origins[begin + end - 1] + 1)
            begin += len(word) + 1
        return found

    def _divided(self, word: str) -> tuple[list[int], list[int]]:
        """Return the token ids of the pieces of a word, and where the pieces start and end."""
        length = len(word)
        if length > self._longest_word:
            return [self._unknown], [0, length]
        ids: list[int] = []
        cuts = [0]
        words, reach = self._first, self._reach_of_first
        start = 0
        while start < length:
            end = min(start + reach.get(word[start], 0), length)
            while end > start and word[start:end] not in words:
                end -= 1
            if end == start:
                return [self._unknown], [0, length]
            ids.append(words[word[start:end]])
            cuts.append(end)
            start = end
            words, reach = self._inner, self._reach_of_inner
        return ids, cuts


def _reach(words: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest word that begins with each character."""
    found: dict[str, int] = {}
    for word in words:
        if len(word) > found.get(word[:1], 0):
            found[word[:1]] = len(word)
    return found


class WordPieceTokenizer:
    """BERT's tokenizer for texts of any length.

    Args:
        vocabulary: Its words and rules.

    Raises:
        WeightsError: The vocabulary has no [CLS] or no [SEP].
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._pieces = PartPieces(vocabulary)
        self._continues = np.zeros(vocabulary.size, dtype=np.bool_)
        if vocabulary.continues:
            for word, number in vocabulary.words.items():
                self._continues[number] = word.startswith(vocabulary.continues)
        self.cls_id = vocabulary.id_of("[CLS]")
        self.sep_id = vocabulary.id_of("[SEP]")

    @property
    def mask_id(self) -> int:
        """Token id of [MASK].

        Raises:
            WeightsError: The tokenizer has none.
        """
        return self._vocabulary.id_of("[MASK]")

    @classmethod
    def from_folder(cls, folder: str | Path) -> WordPieceTokenizer:
        """Load `tokenizer.json`, or an uncased `vocab.txt` if there is none.

        Raises:
            WeightsError: There is neither, or the file is damaged or belongs to another kind of
                model.
        """
        return cls(read_vocabulary(Path(folder)))

    def to_json(self) -> str:
        """Return the content of a `tokenizer.json`."""
        content = self._vocabulary.content
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))

    def word_starts(self, text: str, pieces: WordPieces) -> npt.NDArray[np.intp]:
        """Return the indices of the tokens where a cut divides no word and no grapheme cluster.

        These are tokens after white space or at the start of the text, and, in scripts written
        without spaces, those that begin with a character that is a word of its own.
        """
        begins = ~self._continues[pieces.ids]
        touching = np.flatnonzero(begins[1:] & (pieces.starts[1:] <= pieces.ends[:-1])) + 1
        for number in touching:
            begins[number] = bool(_OWN_WORD.match(text, int(pieces.starts[number])))
        found = np.flatnonzero(begins)
        if text.isascii():
            return found
        whole = np.fromiter(breaks(text, pieces.starts[found].tolist()), dtype=np.int64)
        return found[np.isin(pieces.starts[found], whole)]

    def __call__(self, text: str) -> WordPieces:
        """Return the word pieces of a text."""
        found = [*self._found(text)] or [np.zeros((0, 3), dtype=np.int32)]
        ids, starts, ends = (np.concatenate([some[:, n] for some in found]) for n in range(3))
        return WordPieces(ids, starts, ends)

    def _found(self, text: str) -> Iterator[npt.NDArray[np.int32]]:
        """Yield id, start and end of the pieces of a text, shape (pieces, 3), some at a time."""
        matches = self._pieces.parts.finditer(text)
        begin = 0
        while parts := list(map(re.Match.group, islice(matches, _AT_ONCE))):
            pieces = list(map(self._pieces.__getitem__, parts))
            lengths = np.fromiter(map(len, parts), np.int32, len(parts))
            starts = begin + np.cumsum(lengths, dtype=np.int32) - lengths
            counts = np.fromiter(map(len, pieces), np.int32, len(pieces)) // 3
            found = np.fromiter(chain.from_iterable(pieces), np.int32).reshape(-1, 3)
            found[:, 1:] += np.repeat(starts, counts)[:, np.newaxis]
            yield found
            begin = int(starts[-1] + lengths[-1])
