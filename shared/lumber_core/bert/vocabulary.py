"""What a BERT tokenizer consists of, as `tokenizer.json` or `vocab.txt` says it.

Of `tokenizer.json`, the format of the package `tokenizers`, the part that BERT models use is read:
the normalizer BertNormalizer, the pre-tokenizer BertPreTokenizer, the model WordPiece, and special
tokens. Anything else is refused, because ignoring it would change the tokens.
"""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lumber_core.bert.normalizer import Normalization
from lumber_core.errors import WeightsError

_Value = TypeVar("_Value", bool, int, str, dict[str, Any], list[Any])

_CONTINUES = "##"
_LONGEST_WORD = 100
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MOST_IDS = 1 << 24  # far more than any vocabulary has


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words and rules of a tokenizer.

    Attributes:
        words: Token ids of words and parts of words.
        special: Token ids of the special tokens, which are found in the text as it is.
        unknown: Token id of words that the vocabulary cannot spell.
        continues: What parts of words that do not begin one start with in `words`: "##".
        longest_word: Characters of the longest word that is divided; longer ones are unknown.
        normalization: What changes in a text before it is divided.
        content: All of `tokenizer.json`.
    """

    words: Mapping[str, int]
    special: Mapping[str, int]
    unknown: int
    continues: str
    longest_word: int
    normalization: Normalization
    content: Mapping[str, Any]

    @property
    def size(self) -> int:
        """One more than the highest id."""
        return 1 + max((*self.words.values(), *self.special.values()))

    def id_of(self, token: str) -> int:
        """Return the id of a special token.

        Raises:
            WeightsError: The vocabulary does not contain it.
        """
        number = self.special.get(token, self.words.get(token))
        if number is None:
            raise WeightsError(f"the tokenizer has no {token}: expected a BERT tokenizer")
        return number


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read `tokenizer.json`, or an uncased `vocab.txt` if there is none.

    Raises:
        WeightsError: There is neither, or the file is damaged or belongs to another kind of model.
    """
    for name, parse in (("tokenizer.json", json.loads), ("vocab.txt", _content_of)):
        path = folder / name
        if not path.is_file():
            continue
        try:
            content = parse(path.read_bytes().decode("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise WeightsError(f"the tokenizer in {folder} is damaged: {name}: {error}") from error
        try:
            return _checked(content)
        except ValueError as error:
            raise WeightsError(
                f"the tokenizer in {folder} is damaged or not BERT's: {name}: {error}"
            ) from error
    raise WeightsError(f"{folder} contains neither tokenizer.json nor vocab.txt")


def _checked(content: object) -> Vocabulary:
    """Return the vocabulary in the content of a `tokenizer.json`.

    Raises:
        ValueError: It is not that of a BERT tokenizer.
    """
    if not isinstance(content, dict):
        raise ValueError(f"expected an object, not {content!r:.40}")
    normalizer = _section(content, "normalizer", "BertNormalizer")
    _section(content, "pre_tokenizer", "BertPreTokenizer")
    model = _section(content, "model", "WordPiece")
    words = _value(model, "vocab", dict)
    for word, number in words.items():
        if type(number) is not int or not 0 <= number < _MOST_IDS:
            raise ValueError(f"expected a token id for {word!r:.40}, not {number!r:.40}")
    unknown = _value(model, "unk_token", str)
    if unknown not in words:
        raise ValueError(f"the vocabulary does not contain the unk_token {unknown!r:.40}")
    longest_word = _value(model, "max_input_chars_per_word", int)
    if longest_word < 1:
        raise ValueError(f"expected max_input_chars_per_word from 1 on, not {longest_word}")
    strips = normalizer.get("strip_accents")
    return Vocabulary(
        words=words,
        special=_special_tokens(_value(content, "added_tokens", list), words),
        unknown=words[unknown],
        continues=_value(model, "continuing_subword_prefix", str),
        longest_word=longest_word,
        normalization=Normalization(
            clean_text=_value(normalizer, "clean_text", bool),
            handle_chinese_chars=_value(normalizer, "handle_chinese_chars", bool),
            strip_accents=None if strips is None else _value(normalizer, "strip_accents", bool),
            lowercase=_value(normalizer, "lowercase", bool),
        ),
        content={**content, "truncation": None, "padding": None},
    )


def _special_tokens(added: list[Any], words: Mapping[str, int]) -> dict[str, int]:
    """Return the ids of the added tokens.

    Raises:
        ValueError: One of them is malformed, or is to be found in another way.
    """
    special: dict[str, int] = {}
    for token in added:
        if not isinstance(token, dict):
            raise ValueError(f"expected an object in added_tokens, not {token!r:.40}")
        name, number = _value(token, "content", str), _value(token, "id", int)
        for option in ("single_word", "lstrip", "rstrip", "normalized"):
            if _value(token, option, bool):
                raise ValueError(f'the added token {name!r:.40} has "{option}": expected it false')
        if not name or words.get(name, number) != number or not 0 <= number < _MOST_IDS:
            raise ValueError(f"the added token {name!r:.40} has the id {number}, which cannot be")
        if name[0] not in string.punctuation:
            raise ValueError(f"expected the added token {name!r:.40} to begin with a sign")
        special[name] = number
    return special


def _section(content: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    """Return a section after checking its type."""
    section = content.get(name)
    found = section.get("type") if isinstance(section, dict) else section
    if found != kind or not isinstance(section, dict):
        raise ValueError(f"expected the {name} {kind}, not {found!r:.40}")
    return section


def _value(section: dict[str, Any], name: str, kind: type[_Value]) -> _Value:
    """Return a value after checking its type."""
    value = section.get(name)
    if type(value) is not kind:
        raise ValueError(f"expected {name} to be of type {kind.__name__}, not {value!r:.40}")
    return value


def _content_of(lines: str) -> dict[str, Any]:
    """Return the `tokenizer.json` that says the same as an uncased `vocab.txt`."""
    # As `tokenizers` reads it: the last of several equal lines counts.
    names = lines.split("\n")
    words = {
        name.rstrip(): number for number, name in enumerate(names[:-1] if not names[-1] else names)
    }
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    special = {name: words[name] for name in _SPECIAL if name in words}
    added = [
        {"id": number, "content": name, **flags, "special": True}
        for name, number in sorted(special.items(), key=lambda item: item[1])
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", special.get("[SEP]")],
            "cls": ["[CLS]", special.get("[CLS]")],
        },
        "decoder": {"type": "WordPiece", "prefix": _CONTINUES, "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": _CONTINUES,
            "max_input_chars_per_word": _LONGEST_WORD,
            "vocab": words,
        },
    }
