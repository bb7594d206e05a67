"""Finding a model by what the user calls it, and loading it with either backend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.chunker import Backend
from lumber_core.bert.onnx import OnnxModel, OnnxScorer
from lumber_core.bert.packaged import BUNDLED, checked_file, read_card
from lumber_core.bert.scanning import TokenScorer
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_HUB_FILES = ("*.json", "*.txt", "*.safetensors", "*.onnx")
_PUBLISHED_WINDOW = 255
_EMBEDDED = 254  # tokens that all-MiniLM-L6-v2 reads of a text, without [CLS] and [SEP]


class LoadedModel(NamedTuple):
    """A model ready to score.

    Attributes:
        scorer: Scores the tokens of windows.
        tokenizer: Finds the tokens.
        window: Tokens in a window, with [CLS] and [SEP].
    """

    scorer: TokenScorer
    tokenizer: WordPieceTokenizer
    window: int


class LoadedEmbedder(NamedTuple):
    """A sentence encoder ready to run.

    Attributes:
        model: Makes an embedding of a sequence of tokens.
        tokenizer: Finds the tokens.
    """

    model: OnnxModel
    tokenizer: WordPieceTokenizer

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector of length 1 for each text, shape (texts, width)."""
        vectors = self.model.run([self.tokenizer(text).ids[:_EMBEDDED] for text in texts])
        return np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)


def load_model(name: str, *, backend: Backend = "onnx", threads: int | None = None) -> LoadedModel:
    """Load a chunk classifier; the same arguments give the same object again.

    Args:
        name: "bundled", a folder, or the id of a model on the Hugging Face hub.
        backend: "onnx" reads the output of `lumber-splitters export`; "torch" a safetensors
            checkpoint.
        threads: Windows scored at once, or PyTorch's batch; None chooses.

    Raises:
        WeightsError: If files are missing, damaged or some other model's.
        ValueError: If there is no such folder, and the name is no hub id.
        MissingExtraError: If `backend="torch"` and PyTorch is not installed.
    """
    if name == "bundled" and backend == "torch":
        raise ValueError(
            'the bundled weights are for backend="onnx". For backend="torch" name a folder with '
            "config.json and model.safetensors, as lumber-splitters train writes it, or a hub id"
        )
    return _load(find_folder(name), backend, threads)


def find_folder(name: str) -> Path:
    """Return the folder of a model; one from the hub is downloaded unless it is cached.

    Raises:
        ValueError: If there is no such folder, and the name is no hub id.
        WeightsError: If the hub has no such model or cannot be reached.
    """
    if name == "bundled":
        return BUNDLED
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if not _HUB_ID.fullmatch(name):
        raise ValueError(
            f'model must be "bundled", an existing folder or a hub id such as "owner/name", '
            f"not {name!r}"
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=list(_HUB_FILES)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise WeightsError(
            f"there is no folder {name!r} here, and the hub gave no model of that name: {error}"
        ) from error


def load_embedder(name: str, *, threads: int | None = None) -> LoadedEmbedder:
    """Load the sentence encoder beside a classifier; the same arguments give the same object.

    Args:
        name: "bundled", or a folder or hub id with the output of
            `lumber-splitters export --embedder`.
        threads: Texts embedded at once; None chooses.

    Raises:
        WeightsError: If files are missing or damaged.
        ValueError: If there is no such folder, and the name is no hub id.
    """
    return _load_embedder(find_folder(name), threads)


@lru_cache(maxsize=4)
def _load(folder: Path, backend: Backend, threads: int | None) -> LoadedModel:
    if backend == "torch":
        return _load_torch(folder, threads)
    path, tokenizer, window = _exported(folder, "model")
    scorer = OnnxScorer(path, cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id, threads=threads)
    return LoadedModel(scorer, tokenizer, window)


@lru_cache(maxsize=4)
def _load_embedder(folder: Path, threads: int | None) -> LoadedEmbedder:
    path, tokenizer, _ = _exported(folder, "embedder")
    model = OnnxModel(
        path, "embedding", cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id, threads=threads
    )
    return LoadedEmbedder(model, tokenizer)


def _exported(folder: Path, kind: str) -> tuple[Path, WordPieceTokenizer, int]:
    """Check an exported model's files; return its path, its tokenizer and its window."""
    card = read_card(folder)
    for ending in (".int8", ""):
        name, words = f"{kind}{ending}.onnx", f"words{ending}.bin"
        if name in card.files:
            break
    else:
        raise WeightsError(
            f"the card in {folder} lists no {kind}.onnx and no {kind}.int8.onnx; "
            f"lumber-splitters export {'--embedder ' if kind == 'embedder' else ''}makes it"
        )
    if words in card.files:
        checked_file(folder, card, words)
    checked_file(folder, card, "tokenizer.json")
    path = checked_file(folder, card, name)
    return path, WordPieceTokenizer.from_folder(folder), card.window


def _load_torch(folder: Path, threads: int | None) -> LoadedModel:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch") from error
    from lumber_core.bert.model import load_tagger
    from lumber_core.bert.pytorch import TorchScorer

    model = load_tagger(folder).to("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = WordPieceTokenizer.from_folder(folder)
    scorer = TorchScorer(
        model, cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id, at_once=threads or 8
    )
    return LoadedModel(scorer, tokenizer, _PUBLISHED_WINDOW)
