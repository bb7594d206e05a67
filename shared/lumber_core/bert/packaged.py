"""Model folders that load without PyTorch: their card, and the check that files are intact."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumber_core.errors import WeightsError

CARD_FILE = "card.json"
BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a folder of exported models says about itself.

    Attributes:
        files: SHA-256 of each file, by name.
        window: Tokens in a window, with [CLS] and [SEP].
        provenance: Where the weights come from: base, recipe, seed, data, licence.
    """

    files: Mapping[str, str]
    window: int
    provenance: Mapping[str, Any]

    @classmethod
    def of_files(
        cls, folder: Path, names: Sequence[str], *, window: int, provenance: Mapping[str, Any]
    ) -> ModelCard:
        """Make the card of files in a folder."""
        return cls({name: sha256(folder / name) for name in names}, window, provenance)


def write_card(card: ModelCard, folder: Path) -> None:
    """Write `card.json`."""
    values = {
        "files": dict(card.files),
        "window": card.window,
        "provenance": dict(card.provenance),
    }
    text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD_FILE).write_text(text, encoding="utf-8")


def read_card(folder: Path) -> ModelCard:
    """Read `card.json`.

    Raises:
        WeightsError: If it is missing or malformed.
    """
    path = folder / CARD_FILE
    if not path.is_file():
        raise WeightsError(
            f"{path} does not exist. A folder that loads without PyTorch is made from a "
            "checkpoint with: lumber-splitters export; a checkpoint itself loads with "
            'backend="torch"'
        )
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        files = {str(name): str(digest) for name, digest in values["files"].items()}
        return ModelCard(files, int(values["window"]), dict(values["provenance"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WeightsError(f"{path} is malformed: {error!r}") from error


def checked_file(folder: Path, card: ModelCard, name: str) -> Path:
    """Return the path of one of a card's files after checking that it is intact.

    Raises:
        WeightsError: If the file is missing, not in the card, or not what the card says.
    """
    path = folder / name
    if name not in card.files:
        raise WeightsError(f"{folder / CARD_FILE} does not list {name}")
    if not path.is_file():
        raise WeightsError(f"{path} does not exist, but the card lists it")
    found = sha256(path)
    if found != card.files[name]:
        raise WeightsError(
            f"{path} is not the file that its card lists: its SHA-256 is {found[:12]}…, expected "
            f"{card.files[name][:12]}…. It is damaged or was replaced; install or export it anew"
        )
    return path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
