"""Word pieces of a text with their character offsets, found block by block.

A tokenizer's own result for a text of ten megabytes weighs gigabytes; in blocks, only numbers
are kept. Blocks end at white space, where BERT's tokenizer starts anew anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import BertWordPieceTokenizer, Tokenizer

from lumber_core.errors import WeightsError

_BLOCK = 1 << 15
# Ideographs, of which BERT's tokenizer takes each as a word, and kana, which may follow them; no
# such character is part of the grapheme cluster before it.
_OWN_WORD = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3041-\u3096\u30a1-\u30fa\U00020000-\U0003ffff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")

Numbers = npt.NDArray[np.int32]


class WordPieces(NamedTuple):
    """The tokens of a text, without [CLS] and [SEP].

    Attributes:
        ids: Vocabulary numbers.
        starts: Character offset of each token's first character.
        ends: Character offset just past each token.
    """

    ids: Numbers
    starts: Numbers
    ends: Numbers

    def first_of(self, offsets: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the number of the first token at or after each character offset.

        Args:
            offsets: Rising character offsets, such as those where sentences start.

        Returns:
            Rising token numbers without doubles; offsets past the last token are left out.
        """
        found = np.unique(np.searchsorted(self.starts, np.asarray(offsets), side="left"))
        return found[found < len(self.ids)]


class WordPieceTokenizer:
    """BERT's tokenizer over texts of any length.

    Args:
        tokenizer: The `tokenizers` tokenizer.
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
        """Vocabulary number of [MASK].

        Raises:
            WeightsError: If the tokenizer has none.
        """
        return _special(self._tokenizer, "[MASK]")

    @classmethod
    def from_folder(cls, folder: str | Path) -> WordPieceTokenizer:
        """Load `tokenizer.json`, or else an uncased `vocab.txt`.

        Raises:
            WeightsError: If there is neither, or the file is damaged.
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
        except Exception as error:  # the tokenizers package raises nothing narrower
            raise WeightsError(f"the tokenizer in {source} is damaged: {error}") from error
        raise WeightsError(f"{source} holds neither tokenizer.json nor vocab.txt")

    def to_json(self) -> str:
        """Return what a `tokenizer.json` holds."""
        return str(self._tokenizer.to_str())

    def word_starts(self, text: str, pieces: WordPieces) -> npt.NDArray[np.intp]:
        """Return the numbers of the tokens at which a cut divides no word.

        Those are tokens after white space or at the text's start, and, in scripts written without
        spaces, those that begin a character of their own.
        """
        begins = ~self._continues[pieces.ids]
        touching = np.flatnonzero(begins[1:] & (pieces.starts[1:] <= pieces.ends[:-1])) + 1
        for number in touching:
            begins[number] = bool(_OWN_WORD.match(text, int(pieces.starts[number])))
        return np.flatnonzero(begins)

    def __call__(self, text: str) -> WordPieces:
        """Return the word pieces of a text."""
        ids: list[Numbers] = []
        starts: list[Numbers] = []
        ends: list[Numbers] = []
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
    """Return the number of a special token."""
    number = tokenizer.token_to_id(token)
    if number is None:
        raise WeightsError(f"the tokenizer has no {token}: expected BERT's")
    return int(number)
