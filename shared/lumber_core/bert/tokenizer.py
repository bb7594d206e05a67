"""Word pieces of a text with their character offsets, found block by block.

The result object of `tokenizers` takes gigabytes for a text of ten megabytes; block by block, only
ids and offsets are kept. Blocks end at white space, where BERT's tokenizer starts a word anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import BertWordPieceTokenizer, Tokenizer

from lumber_core.bert.windows import TokenIds
from lumber_core.errors import WeightsError
from lumber_core.text.unicode import breaks

_BLOCK = 1 << 15
# Ideographs, each of which is a word to BERT's tokenizer, and kana, which may follow them.
_OWN_WORD = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3041-\u3096\u30a1-\u30fa\U00020000-\U0003ffff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


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
    """Return what `Pieces.first_of` returns, for tokens that start at `starts`."""
    found = np.unique(np.searchsorted(starts, np.asarray(offsets), side="left"))
    return found[found < len(starts)]


class WordPieceTokenizer:
    """BERT's tokenizer for texts of any length.

    Args:
        tokenizer: A tokenizer of the package `tokenizers`.

    Raises:
        WeightsError: The tokenizer has no [CLS] or no [SEP].
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._continues = np.zeros(tokenizer.get_vocab_size(), dtype=np.bool_)
        for word, number in tokenizer.get_vocab().items():
            self._continues[number] = word.startswith("##")
        self.cls_id = _special(tokenizer, "[CLS]")
        self.sep_id = _special(tokenizer, "[SEP]")

    @property
    def mask_id(self) -> int:
        """Token id of [MASK].

        Raises:
            WeightsError: The tokenizer has none.
        """
        return _special(self._tokenizer, "[MASK]")

    @classmethod
    def from_folder(cls, folder: str | Path) -> WordPieceTokenizer:
        """Load `tokenizer.json`, or an uncased `vocab.txt` if there is none.

        Raises:
            WeightsError: There is neither, or the file is damaged.
        """
        source = Path(folder)
        whole, words = source / "tokenizer.json", source / "vocab.txt"
        try:
            if whole.is_file():
                return cls(Tokenizer.from_file(str(whole)))
            if words.is_file():
                vocabulary = BertWordPieceTokenizer(str(words), lowercase=True)
                return cls(Tokenizer.from_str(vocabulary.to_str()))
        except WeightsError:
            raise
        except Exception as error:  # tokenizers raises nothing narrower
            raise WeightsError(f"the tokenizer in {source} is damaged: {error}") from error
        raise WeightsError(f"{source} contains neither tokenizer.json nor vocab.txt")

    def to_json(self) -> str:
        """Return the content of a `tokenizer.json`."""
        return str(self._tokenizer.to_str())

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
        ids: list[TokenIds] = []
        starts: list[TokenIds] = []
        ends: list[TokenIds] = []
        for begin, end in _blocks(text):
            block = _SURROGATE.sub("\ufffd", text[begin:end])
            encoding = self._tokenizer.encode(block, add_special_tokens=False)
            offsets = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
            ids.append(np.asarray(encoding.ids, dtype=np.int32))
            starts.append(offsets[:, 0] + begin)
            ends.append(offsets[:, 1] + begin)
        if not ids:
            nothing = np.zeros(0, dtype=np.int32)
            return WordPieces(nothing, nothing, nothing)
        return WordPieces(np.concatenate(ids), np.concatenate(starts), np.concatenate(ends))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges that tile a text; each but the last ends after white space if it has any."""
    begin = 0
    while begin < len(text):
        end = begin + _BLOCK
        if end < len(text):
            at = end
            while at > begin and not text[at - 1].isspace():
                at -= 1
            end = at if at > begin else end
        yield begin, min(end, len(text))
        begin = end


def _special(tokenizer: Tokenizer, token: str) -> int:
    """Return the id of a special token."""
    number = tokenizer.token_to_id(token)
    if number is None:
        raise WeightsError(f"the tokenizer has no {token}: expected a BERT tokenizer")
    return int(number)
