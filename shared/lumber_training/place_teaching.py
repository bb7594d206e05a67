"""What a model of places learns: an exported classifier's scores and hidden states at places.

Items are scored once. What was found is kept in files of a hundred items, so that an interrupted
run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lumber_core.bert.model_folder import checked_file, find_folder, read_card
from lumber_core.bert.onnx import open_session
from lumber_core.bert.scores import FIRST_TOKENS, first_indices
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.bert.windows import OverlappingWindows, Scores, TokenIds
from lumber_core.errors import MissingExtraError, WeightsError
from lumber_training.items import Item
from lumber_training.place_batches import Segments
from lumber_training.place_items import PlacedItem, place_item
from lumber_training.quantisation import Floats

try:
    import onnx
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

_ROWS = 8  # positions are padded to a multiple of this, as for splitting
_IN_A_FILE = 100
_OF_PLACES = ("t", "hidden", "starts")


class TaughtText(NamedTuple):
    """An item, and what the teacher says of its places.

    Attributes:
        segments: The tokens, and where segments start.
        t: The teacher's scores, shape (places,).
        hidden: Principal components of its hidden states, shape (places, components).
        starts: Whether the item's labels name a start, shape (places,).
        kind: Number of the item's part in the recipe.
    """

    segments: Segments
    t: npt.NDArray[np.float16]
    hidden: npt.NDArray[np.float16]
    starts: npt.NDArray[np.bool_]
    kind: int

    def crop(self, start: int, stop: int) -> TaughtText:
        """Return the places in a range."""
        segments, here = self.segments.crop(start, stop), slice(start, stop)
        return TaughtText(segments, self.t[here], self.hidden[here], self.starts[here], self.kind)


class Components(NamedTuple):
    """Principal components of hidden states, each with a variance of 1.

    Attributes:
        mean: Mean hidden state, shape (width,).
        basis: What differences from it are multiplied by, shape (width, components).
    """

    mean: Floats
    basis: Floats

    @classmethod
    def of(cls, hidden: npt.NDArray[np.float16], count: int) -> Components:
        """Find the components of hidden states, shape (states, width)."""
        states = hidden.astype(np.float32)
        mean = states.mean(axis=0)
        _, sizes, directions = np.linalg.svd(states - mean, full_matrices=False)
        scale = np.maximum(sizes[:count, None] / np.sqrt(len(states)), 1e-6)
        return cls(mean, np.ascontiguousarray((directions[:count] / scale).T))

    @property
    def weights(self) -> Floats:
        """Standard deviation of each component before it was scaled, over their mean."""
        deviations = 1 / np.linalg.norm(self.basis, axis=0)
        weights: Floats = (deviations / deviations.mean()).astype(np.float32)
        return weights

    def __call__(self, hidden: npt.NDArray[np.float16]) -> npt.NDArray[np.float16]:
        """Return the components of hidden states."""
        return ((hidden.astype(np.float32) - self.mean) @ self.basis).astype(np.float16)


class Teacher:
    """An exported classifier, whose graph is read with its last hidden states as an output.

    Args:
        name: "large", or a folder that `lumber-splitters export` has written.

    Attributes:
        tokenizer: Its tokenizer.
        description: Its recipe, base and the SHA-256 of its file.

    Raises:
        WeightsError: Files are missing, damaged, or belong to another kind of model.
        ValueError: There is no such folder.
    """

    def __init__(self, name: str | Path) -> None:
        folder = find_folder(str(name))
        card = read_card(folder)
        file = "model.int8.onnx"
        if card.scores != "tokens":
            raise WeightsError(f"{folder} cannot teach: it scores {card.scores}, not tokens")
        self.tokenizer = WordPieceTokenizer.from_folder(folder)
        self._size = card.window - 2
        graph = onnx.load(str(checked_file(folder, card, file)))
        products = [node for node in graph.graph.node if node.op_type == "MatMul"]
        if [node.name for node in graph.graph.input] != ["ids", "places"] or not products:
            raise WeightsError(
                f"{folder / file} is no classifier that lumber-splitters export made"
            )
        # The last product is the linear layer's, from the hidden states to t.
        kind = onnx.TensorProto.FLOAT
        state = onnx.helper.make_tensor_value_info(products[-1].input[0], kind, None)
        graph.graph.output.append(state)
        self._session = open_session(graph.SerializeToString())
        training = card.provenance.get("training")
        made = f"recipe {training['recipe']['name']} on {training['base']}, " if training else ""
        self.description = f"{made}{file} with SHA-256 {card.files[file]}"

    def read(self, text: Segments) -> tuple[Scores, npt.NDArray[np.float16]]:
        """Return t and the hidden state of each segment: those of its highest-scored token.

        t is what splitting takes, the weighted mean over overlapping windows. The hidden state is
        from the window in which the token has the most context.

        Returns:
            t, shape (segments,), and hidden states, shape (segments, width).
        """
        count = len(text.ids)
        tokens = first_indices(text.first, count, FIRST_TOKENS)
        windows = OverlappingWindows(
            text.ids,
            size=self._size,
            stride=(self._size + 1) // 2,
            wanted=np.isin(np.arange(count), tokens),
        )
        context = np.zeros(count)
        states: dict[int, npt.NDArray[np.float16]] = {}
        for window in windows.windows:
            inside = windows.places(window)
            t = np.empty(0, dtype=np.float32)
            if len(inside):
                at = window.start + inside
                t, hidden = self._run(text.ids[slice(*window)], inside)
                here = np.minimum(inside + 1, window.stop - at)
                better = here > context[at]
                context[at] = np.maximum(context[at], here)
                states.update(zip(at[better].tolist(), hidden[better], strict=True))
            windows.tell(window, t)
        t = np.append(windows.scores, np.float32(-np.inf))[tokens]
        best = tokens[np.arange(len(tokens)), t.argmax(axis=1)]
        return t.max(axis=1), np.stack([states[token] for token in best.tolist()])

    def _run(self, ids: TokenIds, at: npt.NDArray[np.intp]) -> tuple[Scores, Any]:
        """Return t and hidden states of some tokens of a window."""
        sequence = np.array([[self.tokenizer.cls_id, *ids, self.tokenizer.sep_id]], dtype=np.int64)
        places = np.zeros(-(-len(at) // _ROWS) * _ROWS, dtype=np.int64)
        places[: len(at)] = at + 1
        t, hidden = self._session.run(None, {"ids": sequence, "places": places})
        return t[0][: len(at)], hidden[0][: len(at)].astype(np.float16)


def teach(
    teacher: Teacher,
    items: Sequence[tuple[Item, int]],
    *,
    folder: Path,
    components: int,
    seed: int,
    show_progress: bool = False,
) -> tuple[list[TaughtText], Components]:
    """Let a teacher score items, or read what it said of them.

    Args:
        teacher: The teacher.
        items: Items, each with the number of its part.
        folder: Folder for the files, in a subfolder of their own for each teacher, items and seed.
        components: Number of principal components of its hidden states.
        seed: Seed of the random choices.
        show_progress: Whether to show a progress bar.

    Returns:
        The items that have tokens, and the components, which are those of the first hundred.
    """
    own = folder / _digest(teacher, items, components, seed)
    own.mkdir(parents=True, exist_ok=True)
    found: Components | None = None
    taught: list[TaughtText] = []
    with tqdm(total=len(items), unit="item", disable=not show_progress) as bar:
        for begin in range(0, len(items), _IN_A_FILE):
            some = items[begin : begin + _IN_A_FILE]
            path = own / f"{begin // _IN_A_FILE:04d}.npz"
            if not path.exists():
                read = list(_read(teacher, some, random.Random(seed * 1_000_003 + begin)))
                if found is None:
                    states = np.concatenate([text.hidden for text in read])
                    found = Components.of(states, components)
                reduced = [text._replace(hidden=found(text.hidden)) for text in read]
                _write(path, reduced, found)
            texts, found = _load(path)
            taught += texts
            bar.update(len(some))
    assert found is not None
    return taught, found


def _read(
    teacher: Teacher, items: Sequence[tuple[Item, int]], rng: random.Random
) -> Iterator[TaughtText]:
    """Yield what a teacher says of items, with its whole hidden states."""
    for item, kind in items:
        placed: PlacedItem | None = place_item(item, teacher.tokenizer, rng)
        if placed is not None:
            t, hidden = teacher.read(placed.segments)
            yield TaughtText(placed.segments, t.astype(np.float16), hidden, placed.starts, kind)


def _write(path: Path, texts: Sequence[TaughtText], components: Components) -> None:
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(text, name) for text in texts]) for name in _OF_PLACES
    }
    for name in Segments._fields:
        arrays[name] = np.concatenate([getattr(text.segments, name) for text in texts])
    sizes = [(len(text.segments.ids), len(text.t), text.kind) for text in texts]
    scratch = path.with_suffix(".part")
    with scratch.open("wb") as file:
        np.savez(file, **arrays, **components._asdict(), sizes=np.array(sizes))
    os.replace(scratch, path)


def _load(path: Path) -> tuple[list[TaughtText], Components]:
    with np.load(path) as file:
        arrays = dict(file)
    tokens, places, kinds = arrays["sizes"].T
    ids = np.split(arrays["ids"], np.cumsum(tokens)[:-1])
    at = np.cumsum(places)[:-1]
    first, t, hidden, starts = (np.split(arrays[name], at) for name in ("first", *_OF_PLACES))
    segments = map(Segments, ids, first)
    texts = map(TaughtText, segments, t, hidden, starts, kinds.tolist())
    return list(texts), Components(arrays["mean"], arrays["basis"])


def _digest(teacher: Teacher, items: Sequence[tuple[Item, int]], components: int, seed: int) -> str:
    """Return a name for what a teacher says of items."""
    settings = [teacher.description, components, seed]
    digest = hashlib.sha256(json.dumps(settings).encode())
    for item, kind in items:
        digest.update(f"{kind}\0{item.starts}\0{item.text}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
