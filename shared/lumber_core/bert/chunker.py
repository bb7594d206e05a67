"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lumber_core.bert.model_folder import weights_digest
from lumber_core.bert.scores import ScoredText, TokenScores, score_text
from lumber_core.bert.settings import Backend, BertSettings, Snap, WindowKind
from lumber_core.checks import check_text
from lumber_core.chunker import Chunker, within
from lumber_core.segmentation import Segmentation
from lumber_core.settings import takes
from lumber_core.size_limits import SizeLimits
from lumber_core.spans import Span, spans_from_starts

if TYPE_CHECKING:
    from lumber_core.bert.loading import LoadedModel


class BertChunker(Chunker):
    """Cuts where a small BERT says that a chunk starts; no key, no download, no PyTorch.

    The model gives every token two logits, start and normal, from a window of 255 tokens
    (BertChunker); a chunk starts where their difference exceeds the threshold.

    The model is loaded on first use; `load` does it beforehand. The bundled model was trained on
    English.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: A setting has the wrong type, or there is none of that name.
    """

    @takes(BertSettings)
    def __init__(self, settings: BertSettings) -> None:
        super().__init__(settings, units="sentences_and_lines")
        self.model = settings.model
        self.threshold = float(settings.threshold)
        self.backend: Backend = settings.backend
        self.snap: Snap = settings.snap
        self.windows: WindowKind = settings.windows
        self.threads = settings.threads
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

    def _segment(self, text: str, limits: SizeLimits) -> Segmentation:
        if not text:
            return Segmentation(())
        units = self._find_units(text)
        cuts = self._scored(text, units, first_tokens=1).cuts
        segmentation = Segmentation(spans_from_starts([0, *cuts], len(text)))
        return within(limits, text, segmentation, units)

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

    def _determines(self) -> dict[str, object]:
        return {**super()._determines(), "model": weights_digest(self.model)}
