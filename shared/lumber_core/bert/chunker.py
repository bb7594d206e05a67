"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lumber_core.checks import check_positive, check_text
from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span, spans_from_starts
from lumber_core.tokens import TokenCounterSpec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from lumber_core.bert.loading import LoadedModel
    from lumber_core.bert.reading import Reading

Backend = Literal["onnx", "torch"]
Snap = Literal["sentence"] | None
WindowKind = Literal["overlapping", "moving"]


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """How likely each token of a text is to start a chunk.

    Attributes:
        starts: Character offset of each token's first character, shape (tokens,).
        ends: Character offset just past each token, shape (tokens,).
        t: logit(start) - logit(normal) of each token, shape (tokens,). A chunk starts where it
            is above the threshold, which the paper calls t_c.
        candidates: Numbers of the tokens at which a chunk may start, rising.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    t: npt.NDArray[np.float32]
    candidates: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.t)


class BertChunker(Chunker):
    """Cuts where a small BERT says that a chunk starts; no key, no download, no PyTorch.

    The model gives every token two logits, start and normal, from a window of 255 tokens
    (BertChunker); a chunk starts where their difference exceeds the threshold.

    Args:
        model: "bundled", a folder written by `lumber-splitters export` or `train`, or a hub id.
        threshold: t_c: higher gives fewer, longer chunks, lower gives more. `scores` helps to
            choose.
        backend: "onnx", or "torch" for checkpoints as they come (extra `torch`).
        snap: "sentence" lets chunks start at sentences only, and at lines after one that ends with
            a mark; None at any word, as in the paper.
        windows: "overlapping" averages over windows at even distances; "moving" is the paper's:
            each window begins at the last start found.
        threads: Windows scored at once; None takes the processors there are.
        tokenizer: Counts tokens for `chunk_size` and `min_chunk_size`; see
            `lumber_core.tokens.token_counter`.
        language: ISO 639 code for finding sentences. The bundled model was trained on English.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type.

    The model is loaded on first use; `load` does it beforehand.
    """

    def __init__(
        self,
        model: str = "bundled",
        *,
        threshold: float = 0.0,
        backend: Backend = "onnx",
        snap: Snap = "sentence",
        windows: WindowKind = "overlapping",
        threads: int | None = None,
        tokenizer: TokenCounterSpec = "words",
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
    ) -> None:
        if not isinstance(model, str) or not model:
            raise TypeError(
                f'model must be "bundled", a folder or a hub id, as a string, not {model!r}'
            )
        _check_choice("backend", backend, ("onnx", "torch"))
        _check_choice("snap", snap, ("sentence", None))
        _check_choice("windows", windows, ("overlapping", "moving"))
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise TypeError(f"threshold must be a number, not {type(threshold).__name__}")
        if threads is not None:
            check_positive("threads", threads)
        super().__init__(
            tokenizer=tokenizer,
            units="sentences_and_lines",
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
        )
        self.model = model
        self.threshold = float(threshold)
        self.backend: Backend = backend
        self.snap: Snap = snap
        self.windows: WindowKind = windows
        self.threads = threads
        self._loaded: LoadedModel | None = None

    def load(self) -> LoadedModel:
        """Return the model, loading it if this was not done before.

        Raises:
            WeightsError: Its files are missing, damaged or some other model's.
            ValueError: There is no model of that name.
            MissingExtraError: `backend="torch"` and PyTorch is not installed.
        """
        if self._loaded is None:
            from lumber_core.bert.loading import load_model  # deferred: brings onnxruntime

            self._loaded = load_model(self.model, backend=self.backend, threads=self.threads)
        return self._loaded

    def scores(self, text: str) -> TokenScores:
        """Score every token of a text, apart from cutting.

        With moving windows, which window decides about a token depends on the threshold; the
        scores are those of this splitter's.

        Args:
            text: Any string.

        Raises:
            TypeError: `text` is not a string.
        """
        check_text(text)
        reading = self._read(text, self._find_units(text), everywhere=True)
        pieces = reading.pieces
        return TokenScores(pieces.starts, pieces.ends, reading.windows.scores, reading.candidates)

    def _segment(self, text: str) -> Segmentation:
        if not text:
            return Segmentation(())
        units = self._find_units(text)
        cuts = self._read(text, units, everywhere=False).cuts()
        segmentation = Segmentation(spans_from_starts([0, *cuts], len(text)))
        return self._bounded(text, segmentation, units)

    def _read(self, text: str, units: Sequence[Span], *, everywhere: bool) -> Reading:
        from lumber_core.bert.reading import read  # deferred: brings numpy

        return read(
            self.load(),
            text,
            sentences=units if self.snap == "sentence" else None,
            moving=self.windows == "moving",
            threshold=self.threshold,
            everywhere=everywhere,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    def _shown(self) -> list[str]:
        own = [repr(self.model), f"threshold={self.threshold:g}", f"backend={self.backend!r}"]
        own += [f"snap={self.snap!r}", f"windows={self.windows!r}"]
        return [*own, *super()._shown()]


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise unless a value is one of some choices."""
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
