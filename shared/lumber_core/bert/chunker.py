"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from lumber_core.bert.scores import ScoredText, TokenScores, score_text
from lumber_core.checks import check_positive, check_text
from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span, spans_from_starts
from lumber_core.tokens import TokenCounterSpec

if TYPE_CHECKING:
    from lumber_core.bert.loading import LoadedModel

Backend = Literal["onnx", "torch"]
Snap = Literal["sentence"] | None
WindowKind = Literal["overlapping", "moving"]


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
        """Return the model, loading it on the first call.

        Raises:
            WeightsError: Files are missing, damaged, or belong to another kind of model.
            ValueError: There is no model of that name.
            MissingExtraError: `backend="torch"` and PyTorch is not installed.
        """
        if self._loaded is None:
            from lumber_core.bert.loading import load_model  # deferred: imports onnxruntime

            self._loaded = load_model(self.model, backend=self.backend, threads=self.threads)
        return self._loaded

    def scores(self, text: str) -> TokenScores:
        """Score every token of a text.

        With moving windows, the threshold decides which window scores a token, so the scores
        depend on it.

        Args:
            text: Any string.

        Raises:
            TypeError: `text` is not a string.
        """
        check_text(text)
        return self._scored(text, self._find_units(text), first_tokens=None).scores

    def _segment(self, text: str) -> Segmentation:
        if not text:
            return Segmentation(())
        units = self._find_units(text)
        cuts = self._scored(text, units, first_tokens=1).cuts
        segmentation = Segmentation(spans_from_starts([0, *cuts], len(text)))
        return self._bounded(text, segmentation, units)

    def _scored(self, text: str, units: Sequence[Span], *, first_tokens: int | None) -> ScoredText:
        """Score the first tokens of each place where a chunk may start; None for all tokens."""
        return score_text(
            self.load(),
            text,
            sentences=units if self.snap == "sentence" else None,
            moving=self.windows == "moving",
            threshold=self.threshold,
            first_tokens=first_tokens,
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
