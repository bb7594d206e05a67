"""Loading models: the chunk classifier with either backend, and the sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.model_folder import (
    ModelCard,
    checked_file,
    find_encoder,
    find_folder,
    folder_state,
    read_card,
)
from lumber_core.bert.onnx import OnnxModel, OnnxScorer
from lumber_core.bert.onnx_batches import OnnxBatchScorer
from lumber_core.bert.place_scorer import PlaceScorer
from lumber_core.bert.scanning import TokenScorer
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError

_PUBLISHED_WINDOW = 255
_SPECIALS = 2  # [CLS] and [SEP]
# Windows that PyTorch, or onnxruntime on a GPU, scores in one call.
_BATCHES = {"cpu": 8, "cuda": 64}
_EMBEDDED = 254  # tokens of a text that all-MiniLM-L6-v2 reads, without [CLS] and [SEP]


class LoadedModel(NamedTuple):
    """A chunk classifier that is ready to score.

    Attributes:
        scorer: Scores the tokens of windows.
        tokenizer: Finds the tokens.
        size: Tokens of the text in a window.
        places: Whether the model scores places, and reads the text between two as one.
    """

    scorer: TokenScorer
    tokenizer: WordPieceTokenizer
    size: int
    places: bool = False

    @property
    def stride(self) -> int:
        """Tokens from the start of an overlapping window to the start of the next.

        A place depends on few others, so that long windows need not overlap by half.
        """
        return self.size - self.size // 5 if self.places else (self.size + 1) // 2


class LoadedEmbedder(NamedTuple):
    """A sentence encoder that is ready to embed.

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


def load_model(
    name: str,
    *,
    backend: Literal["onnx", "torch"] = "onnx",
    threads: int | None = None,
    device: Literal["cpu", "cuda"] | None = None,
) -> LoadedModel:
    """Load a chunk classifier.

    The same arguments return the same object as long as the folder's files are the same.

    Args:
        name: "bundled", "large", a folder, or the id of a model on the Hugging Face hub.
        backend: "onnx" reads the output of `lumber-splitters export`; "torch" reads a safetensors
            checkpoint.
        threads: Number of windows scored in parallel; with PyTorch or on a GPU, in one batch.
            None: all available CPUs, up to 8, or batches of 8, of 64 on a GPU.
        device: "cpu" or "cuda". None: the CPU, but with PyTorch a GPU if there is one.

    Raises:
        WeightsError: Files are missing, damaged, or belong to another kind of model.
        ValueError: There is no such folder, and the name is not a hub id; or there is no GPU for
            `device="cuda"`.
        MissingExtraError: PyTorch is not installed and `backend="torch"`, huggingface_hub is not
            installed and the name is a hub id, or onnx is not and `device="cuda"`.
    """
    folder = find_folder(name)
    load = _load_torch if backend == "torch" else _load_onnx
    return load(folder, threads, device, folder_state(folder))


def load_embedder(name: str, *, threads: int | None = None) -> LoadedEmbedder:
    """Load the sentence encoder in a classifier's folder.

    The same arguments return the same object as long as the folder's files are the same.

    Args:
        name: "bundled", or a folder or hub id with the output of
            `lumber-splitters export --embedder`.
        threads: Number of texts embedded in parallel. None: all available CPUs, up to 8.

    Raises:
        WeightsError: Files are missing or damaged.
        ValueError: There is no such folder, and the name is not a hub id.
        MissingExtraError: The name is a hub id, and huggingface_hub is not installed.
    """
    folder = find_encoder(name)
    return _load_embedder(folder, threads, folder_state(folder))


@lru_cache(maxsize=4)
def _load_onnx(
    folder: Path, threads: int | None, device: Literal["cpu", "cuda"] | None, _state: str
) -> LoadedModel:
    path, tokenizer, card = _exported(folder, "model")
    if card.scores == "places":
        if device == "cuda":
            raise ValueError(
                f'device="cuda": the model in {folder} scores places, which a CPU does at a cost '
                'that no GPU is worth. Pass model="large" or device="cpu"'
            )
        return LoadedModel(PlaceScorer(path, threads=threads), tokenizer, card.window, places=True)
    ids = {"cls_id": tokenizer.cls_id, "sep_id": tokenizer.sep_id}
    scorer: TokenScorer
    if device == "cuda":
        scorer = OnnxBatchScorer(path, **ids, at_once=threads or _BATCHES[device])
    else:
        scorer = OnnxScorer(path, **ids, threads=threads)
    return LoadedModel(scorer, tokenizer, card.window - _SPECIALS)


@lru_cache(maxsize=4)
def _load_embedder(folder: Path, threads: int | None, _state: str) -> LoadedEmbedder:
    path, tokenizer, _ = _exported(folder, "embedder")
    model = OnnxModel(
        path, "embedding", cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id, threads=threads
    )
    return LoadedEmbedder(model, tokenizer)


@lru_cache(maxsize=4)
def _load_torch(
    folder: Path, threads: int | None, device: Literal["cpu", "cuda"] | None, _state: str
) -> LoadedModel:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch") from error
    from lumber_core.bert.pytorch import TorchScorer, load_tagger

    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise ValueError(
            'device="cuda": PyTorch finds no GPU here. Install a build of PyTorch for CUDA and the '
            'driver, or pass device="cpu"'
        )
    on = device or ("cuda" if there else "cpu")
    model = load_tagger(folder).to(on)
    tokenizer = WordPieceTokenizer.from_folder(folder)
    scorer = TorchScorer(
        model, cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id, at_once=threads or _BATCHES[on]
    )
    return LoadedModel(scorer, tokenizer, _PUBLISHED_WINDOW - _SPECIALS)


def _exported(folder: Path, kind: str) -> tuple[Path, WordPieceTokenizer, ModelCard]:
    """Check the files of an exported model; return its path, its tokenizer and its card."""
    card = read_card(folder)
    for ending in (".int8", ""):
        name, words = f"{kind}{ending}.onnx", f"words{ending}.bin"
        if name in card.files:
            break
    else:
        raise WeightsError(
            f"the card in {folder} lists no {kind}.onnx and no {kind}.int8.onnx. Make it with: "
            f"lumber-splitters export{' --embedder' if kind == 'embedder' else ''}"
        )
    if words in card.files:
        checked_file(folder, card, words)
    checked_file(folder, card, "tokenizer.json")
    path = checked_file(folder, card, name)
    return path, WordPieceTokenizer.from_folder(folder), card
