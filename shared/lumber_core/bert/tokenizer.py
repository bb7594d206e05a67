"""Word pieces of a text of any length, with their character offsets.

IDs and offsets equal those of the package `tokenizers`. That package is not used here because it
takes 28 MB with its requirements, is slower (English at 1.9 million characters a second, this
module 6.2; Chinese 1.0 and 2.6), and rejects lone surrogates. `tokie` (8 MB, 14 million) returns
the same IDs, but byte offsets in the normalised text, which are wrong in 81 of 88 texts.

A word becomes the longest pieces that the vocabulary contains, from left to right. A text is read
in independent parts. Most parts occur many times in a text, so the pieces of tens of thousands of
parts are cached.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.moving_window import TokenIds
from lumber_core.bert.normalizer import WHITE, Normalizer, lone_characters
from lumber_core.errors import WeightsError
from lumber_core.text.unicode import breaks

_MAX_CACHED_PARTS = 1 << 15
_MAX_CACHED_CHARACTERS = 64  # longer parts are not cached
_PARTS_PER_BATCH = 1 << 14  # limits the memory for a long text
_MAX_WORD_CHARACTERS = 100  # longer words are unknown
_UNKNOWN, _CONTINUES = "[UNK]", "##"
_MAX_ID = 1 << 24  # far more than any vocabulary has
# Ideographs, which BERT's tokenizer reads as separate words, and kana, which may follow them.
_SEPARATE_WORD = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3041-\u3096\u30a1-\u30fa\U00020000-\U0003ffff]"
)
_PARSE_ERRORS = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
# Required values in a `tokenizer.json`: with other values the tokens would differ.
_EXPECTED: dict[str, dict[str, object]] = {
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {
        "type": "WordPiece",
        "unk_token": _UNKNOWN,
        "continuing_subword_prefix": _CONTINUES,
        "max_input_chars_per_word": _MAX_WORD_CHARACTERS,
    },
}
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")  # all false for BERT's added tokens


class WordPieces(NamedTuple):
    """The tokens of a text, without [CLS] and [SEP]; each array has the shape (tokens,)."""

    ids: TokenIds
    starts: npt.NDArray[np.int32]  # the character offset of each token's first character
    ends: npt.NDArray[np.int32]  # the character offset just past each token

    def first_of(self, offsets: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the index of the first token at or after each of some ascending character offsets.

        Indices are ascending and without duplicates; offsets after the last token have no index.
        """
        indices = np.unique(np.searchsorted(self.starts, np.asarray(offsets), side="left"))
        return indices[indices < len(self.starts)]


class WordPieceTokenizer:
    """BERT's tokenizer for texts of any length, from the content of a `tokenizer.json`."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        for section, expected in _EXPECTED.items():
            for name, value in expected.items():
                if content[section][name] != value:
                    raise ValueError(
                        f"expected {name} of the {section} to be {value!r}, not "
                        f"{content[section][name]!r:.40}"
                    )
        self._content = {**content, "truncation": None, "padding": None}
        # The token IDs of words, and of parts of words with "##" in front.
        self.words: Mapping[str, int] = content["model"]["vocab"]
        self._special: dict[str, int] = {}
        for token in content["added_tokens"]:
            name = token["content"]
            if any(token[flag] for flag in _FLAGS) or name[:1] not in {*string.punctuation}:
                raise ValueError(f"the added token {name!r:.40} is matched differently from BERT's")
            self._special[name] = token["id"]
        ids = [*self.words.values(), *self._special.values()]
        if not all(type(number) is int and 0 <= number < _MAX_ID for number in ids):
            raise ValueError("token IDs must be whole numbers of at least 0")
        rules = content["normalizer"]
        normalizer = Normalizer(lowercase=rules["lowercase"], strip_accents=rules["strip_accents"])
        self._pieces = PartPieces(self.words, self._special, normalizer)
        self._continues = np.zeros(1 + max(ids), dtype=np.bool_)
        self._continues[[n for word, n in self.words.items() if word.startswith(_CONTINUES)]] = True
        self.cls_id, self.sep_id = self._id_of("[CLS]"), self._id_of("[SEP]")
        self.unknown_id = self._id_of(_UNKNOWN)

    @classmethod
    def from_folder(cls, folder: str | Path) -> WordPieceTokenizer:
        """Load `tokenizer.json`; raise a WeightsError if it is missing, damaged or not BERT's."""
        path = Path(folder) / "tokenizer.json"
        if not path.is_file():
            raise WeightsError(
                f"{path} does not exist. Where there is a vocab.txt, transformers writes it: "
                "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
            )
        try:
            return cls(json.loads(path.read_bytes().decode("utf-8")))
        except _PARSE_ERRORS as error:
            raise WeightsError(f"{path} is damaged or not BERT's: {error!r:.200}") from error

    @property
    def specials(self) -> dict[str, int]:
        """The token IDs of [CLS] and [SEP], by the names of a scorer's arguments."""
        return {"cls_id": self.cls_id, "sep_id": self.sep_id}

    def _id_of(self, token: str) -> int:
        number = self._special.get(token, self.words.get(token))
        if number is None:
            raise WeightsError(f"the tokenizer has no {token}: expected a BERT tokenizer")
        return number

    def to_json(self) -> str:
        """Return the content of a `tokenizer.json`."""
        return json.dumps(self._content, ensure_ascii=False, separators=(",", ":"))

    def word_starts(self, text: str, pieces: WordPieces) -> npt.NDArray[np.intp]:
        """Return the indices of the tokens at which a cut divides no word or grapheme cluster.

        These are the tokens after white space or at the start of the text. In scripts without
        spaces, they are the tokens that begin with a character that is a separate word.
        """
        begins = ~self._continues[pieces.ids]
        touching = np.flatnonzero(begins[1:] & (pieces.starts[1:] <= pieces.ends[:-1])) + 1
        for number in touching:
            begins[number] = bool(_SEPARATE_WORD.match(text, int(pieces.starts[number])))
        indices = np.flatnonzero(begins)
        if text.isascii():
            return indices
        whole = np.fromiter(breaks(text, pieces.starts[indices].tolist()), dtype=np.int64)
        return indices[np.isin(pieces.starts[indices], whole)]

    def __call__(self, text: str) -> WordPieces:
        """Return the word pieces of a text."""
        matches = self._pieces.parts.finditer(text)
        arrays = [np.zeros((0, 3), dtype=np.int32)]  # the id, start and end of each piece
        begin = 0
        while parts := list(map(re.Match.group, islice(matches, _PARTS_PER_BATCH))):
            pieces = list(map(self._pieces.__getitem__, parts))
            lengths = np.fromiter(map(len, parts), np.int32, len(parts))
            starts = begin + np.cumsum(lengths, dtype=np.int32) - lengths
            counts = np.fromiter(map(len, pieces), np.int32, len(pieces)) // 3
            rows = np.fromiter(chain.from_iterable(pieces), np.int32).reshape(-1, 3)
            rows[:, 1:] += np.repeat(starts, counts)[:, np.newaxis]
            arrays.append(rows)
            begin = int(starts[-1] + lengths[-1])
        return WordPieces(*(np.concatenate([rows[:, n] for rows in arrays]) for n in range(3)))


class PartPieces(dict[str, tuple[int, ...]]):
    """A cache for the pieces of parts of texts, which are computed on first access.

    A value is flat: token ID, start and end of the first piece, then those of the next. Starts and
    ends are in characters from the start of the part. Threads may share the cache. The special
    tokens are matched before normalisation. `parts` matches the parts of a text, which tile it.
    """

    def __init__(
        self, words: Mapping[str, int], special: Mapping[str, int], normalizer: Normalizer
    ) -> None:
        super().__init__()
        self._special = special
        self._unknown = words[_UNKNOWN]
        self._normalizer = normalizer
        self._first = words
        self._inner = {
            word.removeprefix(_CONTINUES): number
            for word, number in words.items()
            if word.startswith(_CONTINUES)
        }
        self._reach_of_first, self._reach_of_inner = map(_max_lengths, (self._first, self._inner))
        kinds = (
            *map(re.escape, sorted(special, key=len, reverse=True)),
            "[0-9A-Za-z]+ ",  # a fast path for most English words
            f"[^{WHITE}{lone_characters()}]+",
            f"[{lone_characters()}]",
            f"[{WHITE}]+",
        )
        self.parts = re.compile("|".join(kinds))

    def __missing__(self, part: str) -> tuple[int, ...]:
        pieces = tuple(self._find_pieces(part))
        if len(part) <= _MAX_CACHED_CHARACTERS:
            if len(self) >= _MAX_CACHED_PARTS:
                self.clear()
            self[part] = pieces
        return pieces

    def _find_pieces(self, part: str) -> list[int]:
        """Return the id, start and end of each piece of a part in one flat list."""
        if part in self._special:
            return [self._special[part], 0, len(part)]
        normalized, origins = self._normalizer(part.rstrip(" "))
        pieces: list[int] = []
        begin = 0
        for word in normalized.split(" "):
            ids, cuts = self._divide(word)
            for number, start, end in zip(ids, cuts, cuts[1:], strict=False):
                pieces += (number, origins[begin + start], origins[begin + end - 1] + 1)
            begin += len(word) + 1
        return pieces

    def _divide(self, word: str) -> tuple[list[int], list[int]]:
        """Return the token IDs of the pieces of a word, and where the pieces start and end."""
        length = len(word)
        if length > _MAX_WORD_CHARACTERS:
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


def _max_lengths(words: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest word that begins with each character."""
    lengths: dict[str, int] = {}
    for word in words:
        if len(word) > lengths.get(word[:1], 0):
            lengths[word[:1]] = len(word)
    return lengths
