"""Folders of exported models: finds them, reads their card, and checks their files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lumber_core.errors import WeightsError
from lumber_core.support.extras import load, require
from lumber_core.support.identity import safe_repr

CARD_FILE = "card.json"
CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
OWN_FOLDERS = {name: Path(__file__).parent / name for name in ("bundled", "large")}
"""The models that come with the library, by name."""

HUB_ID = re.compile(r"\w[\w.-]*/[\w.-]+")  # does not match paths such as "./model"
_HUB = {"package": "huggingface-hub", "extra": "hub"}
# The files of a model: those that `lumber_training` writes, and those of published checkpoints.
# Pickles are left out, because loading a pickle can run any code.
_FILES = ("*.json", "*.safetensors", "*.onnx", "words*.bin")
# The smallest window has two tokens between [CLS] and [SEP]; memory grows with the window.
_MIN_WINDOW, _MAX_WINDOW = 4, 8192


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The card of a folder of exported models."""

    files: Mapping[str, str]  # the SHA-256 of each file, by name
    window: int  # tokens in a window, including [CLS] and [SEP] if the model scores tokens
    scores: str = "tokens"  # or "places": the text between two places is read as a unit


def check_model_name(name: object) -> None:
    """Check that a model is "bundled", "large", in a local folder, or on the Hugging Face hub.

    Raises:
        ValueError: There is no such folder, and the name is not a Hugging Face ID.
        TypeError: It is not a string.
        MissingExtraError: It is a Hugging Face ID, and huggingface_hub is not installed.
    """
    if not isinstance(name, str) or not name:
        hint = f"; pass a size by name: target_size={name}" if type(name) is int else ""
        raise TypeError(
            'model must be "bundled", "large", a folder or a Hugging Face ID, not '
            f"{safe_repr(name)}{hint}"
        )
    if name in OWN_FOLDERS or Path(name).expanduser().is_dir():
        return
    if not HUB_ID.fullmatch(name):
        raise ValueError(
            'model must be "bundled", "large", an existing folder or a Hugging Face ID such as '
            f'"owner/name", not {name!r}'
        )
    why = f"{name!r} is not a folder here, and to download a model of that name "
    require("huggingface_hub", **_HUB, why=f"{why}from the hub, ")


def find_folder(name: str) -> Path:
    """Return the folder of a model; a model on the hub is downloaded unless it is cached.

    Errors are those of `check_model_name`, and a WeightsError if the download fails.
    """
    check_model_name(name)
    if name in OWN_FOLDERS:
        return OWN_FOLDERS[name]
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder.resolve()
    hub = load("huggingface_hub", **_HUB)
    errors = load("huggingface_hub.errors", **_HUB)
    # The client reads HF_ENDPOINT only when it is imported.
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        with _no_progress_bars():
            return Path(hub.snapshot_download(name, allow_patterns=list(_FILES), endpoint=endpoint))
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, OSError) as error:
        raise WeightsError(
            f"{name!r} is not a folder here, and no model of that name could be downloaded from "
            f"the hub: {error}"
        ) from error


def find_encoder(name: str) -> Path:
    """Return the folder of a sentence encoder, by name, as `find_folder` does.

    The bundled encoder is in the folder of the large model, because they share word vectors.
    """
    return find_folder("large" if name == "bundled" else name)


def is_checkpoint(folder: Path) -> bool:
    """Return whether a folder has a checkpoint in PyTorch that is not exported.

    Checkpoints in formats other than safetensors count, too, so that the error states the reason.
    """
    return (folder / CONFIG_FILE).is_file() and not (folder / CARD_FILE).is_file()


def folder_state(folder: Path) -> str:
    """Return a digest that changes if a file of a model is replaced.

    It covers the content of the card, which contains the SHA-256 of every exported file, and the
    name, size and modification time of each file of a model or checkpoint. If the folder cannot be
    read, a WeightsError is raised.
    """
    try:
        paths = sorted({path for pattern in _FILES for path in folder.glob(pattern)})
        files = [(path.name, path.stat()) for path in paths]
        card = folder / CARD_FILE
        content = card.read_bytes() if card.is_file() else b""
    except OSError as error:
        raise WeightsError(f"the model in {folder} cannot be read: {error}") from error
    listed = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in files]
    return hashlib.sha256(content + repr(listed).encode()).hexdigest()


def weights_digest(name: str) -> str:
    """Return a SHA-256 of the content of the files of a model; see `find_folder` for errors."""
    folder = find_folder(name)
    return _weights_digest(folder, folder_state(folder))


@lru_cache(maxsize=32)
def _weights_digest(folder: Path, _state: str) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _FILES for path in folder.glob(pattern)}):
        digest.update(f"{path.name}\0{sha256(path)}\0".encode())
    return digest.hexdigest()


def read_card(folder: Path) -> ModelCard:
    """Read `card.json`, or raise a WeightsError if it is missing or malformed."""
    path = folder / CARD_FILE
    if not path.is_file():
        raise WeightsError(
            f"{path} does not exist: expected a folder that lumber_training export has written, "
            f"or a checkpoint in PyTorch, with {CONFIG_FILE} and {WEIGHTS_FILE}"
        )
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        files = {str(name): str(digest) for name, digest in values["files"].items()}
        window = values["window"]
        if type(window) is not int or not _MIN_WINDOW <= window <= _MAX_WINDOW:
            raise ValueError(f"{window!r} is not a valid number of tokens in a window")
        scores = values.get("scores", "tokens")
        return ModelCard(files, window, scores)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WeightsError(f"{path} is malformed: {error!r}") from error


def check_file(folder: Path, card: ModelCard, name: str) -> Path:
    """Return the path of a file, or raise a WeightsError if it is not as the card lists it."""
    path = folder / name
    if name not in card.files:
        raise WeightsError(f"{folder / CARD_FILE} does not list {name}")
    if not path.is_file():
        raise WeightsError(f"{path} does not exist, but the card lists it")
    digest = sha256(path)
    if digest != card.files[name]:
        raise WeightsError(
            f"{path} is not the file that its card lists: its SHA-256 is {digest[:12]}…, expected "
            f"{card.files[name][:12]}…. It is damaged or was replaced; reinstall it or export it "
            "again"
        )
    return path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    bars = load("huggingface_hub.utils", **_HUB)
    if bars.are_progress_bars_disabled():
        yield
        return
    bars.disable_progress_bars()
    try:
        yield
    finally:
        bars.enable_progress_bars()
