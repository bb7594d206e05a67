"""Loading models: the chunk classifier, exported or in PyTorch, and the sentence encoder."""

from __future__ import annotations

import logging
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.model_folder import (
    ModelCard,
    check_file,
    find_encoder,
    find_folder,
    folder_state,
    is_checkpoint,
    read_card,
)
from lumber_core.bert.moving_window import TokenScorer
from lumber_core.bert.onnx import OnnxModel, OnnxPlaceScorer, OnnxTokenScorer, sequence
from lumber_core.bert.tokenizer import WordPieces, WordPieceTokenizer
from lumber_core.errors import WeightsError
from lumber_core.support.extras import require

logger = logging.getLogger(__name__)

_PUBLISHED_WINDOW = 255  # tokens, with [CLS] and [SEP]
_SPECIALS = 2  # [CLS] and [SEP]
_MAX_EMBEDDED_TOKENS = 254  # tokens of a text that all-MiniLM-L6-v2 reads, without [CLS] and [SEP]
# The minimum share of characters in pieces of two or more characters. An encoder with a lower share
# does not fit the language. With the bundled encoder: English 0.96, German 0.93, source code 0.86,
# tables of numbers 0.3 to 0.8; Russian, Greek and Chinese 0.1, Arabic and Korean 0.
_MIN_SHARE_IN_PIECES = 0.25
_MIN_CHARACTERS = 1_000  # fewer characters cause no warning


class LoadedModel(NamedTuple):
    """A chunk classifier that is ready to score."""

    scorer: TokenScorer
    tokenizer: WordPieceTokenizer
    size: int  # tokens of the text in a window
    # Whether the model scores places, and reads the text between two places as a unit.
    places: bool = False

    @property
    def stride(self) -> int:
        """Tokens from the start of an overlapping window to the start of the next.

        Windows overlap by a fifth if the model scores places, because only nearby places change a
        score, and by half if it scores tokens.
        """
        return self.size - self.size // 5 if self.places else (self.size + 1) // 2


class LoadedEmbedder(NamedTuple):
    """A sentence encoder that is ready to embed."""

    model: OnnxModel
    tokenizer: WordPieceTokenizer

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector of length 1 for each text, shape (texts, width)."""
        specials = self.tokenizer.cls_id, self.tokenizer.sep_id
        pieces = [self.tokenizer(text) for text in texts]
        _warn_if_unknown(texts, pieces, self.tokenizer.unknown_id)
        vectors = self.model.run(
            [{"ids": sequence(text.ids[:_MAX_EMBEDDED_TOKENS], *specials)} for text in pieces]
        )
        return np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)


def load_model(
    name: str, *, threads: int | None = None, device: Literal["cpu", "cuda"] | None = None
) -> LoadedModel:
    """Load the chunk classifier of this name, as `find_folder` finds it.

    The same arguments return the same object as long as the folder's files are the same. Threads
    and device are those of `BertChunker`, and errors those of its method `load`.
    """
    folder = find_folder(name)
    return _load_model(folder, threads, device, folder_state(folder))


def load_embedder(name: str, *, threads: int | None = None) -> LoadedEmbedder:
    """Load the sentence encoder of this name, as `load_model` does, for a `TextEmbedder`."""
    folder = find_encoder(name)
    return _load_embedder(folder, threads, folder_state(folder))


@lru_cache(maxsize=4)
def _load_model(
    folder: Path, threads: int | None, device: Literal["cpu", "cuda"] | None, _state: str
) -> LoadedModel:
    if is_checkpoint(folder):
        export = "python -m lumber_training export"
        why = f"to run the checkpoint in {folder} without exporting it ({export}), "
        require("torch", package="torch", extra="torch", why=why)
        from lumber_core.bert.pytorch import TorchScorer, load_tagger  # deferred: imports PyTorch

        tokenizer = WordPieceTokenizer.from_folder(folder)
        torch_scorer = TorchScorer(load_tagger(folder), **tokenizer.specials, device=device)
        return LoadedModel(torch_scorer, tokenizer, _PUBLISHED_WINDOW - _SPECIALS)
    if device == "cuda":
        raise ValueError(
            f'device="cuda": {folder} has an exported model, which runs on the CPU. Pass '
            'device="cpu", or the folder of a checkpoint in PyTorch'
        )
    path, tokenizer, card = _read_exported(folder, "model")
    if card.scores == "places":
        places = OnnxPlaceScorer(path, threads=threads)
        return LoadedModel(places, tokenizer, card.window, places=True)
    scorer = OnnxTokenScorer(path, **tokenizer.specials, threads=threads)
    return LoadedModel(scorer, tokenizer, card.window - _SPECIALS)


@lru_cache(maxsize=4)
def _load_embedder(folder: Path, threads: int | None, _state: str) -> LoadedEmbedder:
    path, tokenizer, _ = _read_exported(folder, "embedder")
    return LoadedEmbedder(OnnxModel(path, ["ids"], "embedding", threads=threads), tokenizer)


def _read_exported(folder: Path, kind: str) -> tuple[Path, WordPieceTokenizer, ModelCard]:
    """Check the files of an exported model; return its path, its tokenizer and its card."""
    card = read_card(folder)
    name, words = f"{kind}.int8.onnx", "words.int8.bin"
    if name not in card.files:
        raise WeightsError(
            f"the card in {folder} lists no {name}. Make it with: "
            f"python -m lumber_training export{' --embedder' if kind == 'embedder' else ''}"
        )
    if words in card.files:
        check_file(folder, card, words)
    check_file(folder, card, "tokenizer.json")
    path = check_file(folder, card, name)
    return path, WordPieceTokenizer.from_folder(folder), card


def _warn_if_unknown(texts: Sequence[str], pieces: Sequence[WordPieces], unknown: int) -> None:
    """Log a warning if texts consist mostly of single characters and unknown pieces."""
    total = in_pieces = 0
    for text in pieces:
        lengths = text.ends - text.starts
        total += int(lengths.sum())
        in_pieces += int(lengths[(lengths > 1) & (text.ids != unknown)].sum())
    if total >= _MIN_CHARACTERS and in_pieces < _MIN_SHARE_IN_PIECES * total:
        letters = Counter(letter for text in texts for letter in text if letter.isalpha())
        for letter, _ in letters.most_common(1):
            _warn(unicodedata.name(letter, "unknown").split()[0])


@cache
def _warn(alphabet: str) -> None:
    """Log a warning once for each alphabet, which is the first word of a letter's Unicode name."""
    logger.warning(
        "the embedding model has no words in the alphabet of some texts (%s), whose vectors carry "
        "little information: these texts are found by their words. Pass a multilingual embedding "
        "model to find them also by meaning",
        alphabet if alphabet == "CJK" else alphabet.capitalize(),
    )
