"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from lumber_core.bert.model_folder import weights_digest
from lumber_core.bert.scores import (
    ScoredText,
    TokenScores,
    place_scores,
    rescore,
    score_text,
)
from lumber_core.bert.settings import Backend, BertSettings, Snap, WindowKind
from lumber_core.checks import check_text
from lumber_core.chunking.base import Chunker, within
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.settings import takes
from lumber_core.spans import Span, spans_from_starts

if TYPE_CHECKING:
    from lumber_core.bert.loading import LoadedModel
    from lumber_core.chunking.cutting import Cutter
    from lumber_core.text.places import Place


class BertChunker(Chunker):
    """Cuts where a small BERT model predicts that a chunk starts; no key, download or PyTorch.

    The model gives every token two logits, start and normal, from a window of 255 tokens
    (BertChunker). By default, all cuts of a text are chosen together: at places with a high score,
    at paragraphs and headings rather than inside them, and so that chunks have about `target_size`
    tokens and never more than `chunk_size`. With a `threshold`, a chunk starts wherever the
    difference of the logits exceeds it, as in the paper.

    The model is loaded on first use, or by `load`. The bundled model was trained on English.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type or is unknown.
        MissingExtraError: `model` is a hub id, and huggingface_hub is not installed.

    Example:
        >>> BertChunker(target_size=200).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    @takes(BertSettings)
    def __init__(self, settings: BertSettings) -> None:
        super().__init__(settings, units=settings.units)
        self._by_layout = settings.starts_by_layout
        self.model = settings.model
        self.threshold = settings.threshold
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
        return self._scored(text, self._places(text, self._limits), everywhere=True).scores

    def cuts(self, text: str, scores: TokenScores) -> list[int]:
        """Return the offsets of the best cuts of a text, given its scores.

        Args:
            text: The text.
            scores: What `scores` returned for it.
        """
        from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

        cutter = Cutter(self._limits)
        found = cutter.places(text, self._own_units(text, self._limits))
        return cutter.cut(found, place_scores(scores, found.places))

    def resegment(
        self, text: str, scores: TokenScores, *, reserved: int = 0, markdown: bool = False
    ) -> Segmentation:
        """Return what `segment` returns, from known scores and without running the model.

        Settings such as sizes or the threshold can be tried on a long text this way.

        Args:
            text: The text.
            scores: What `scores` returned for it, from a splitter with the same model and `snap`.
            reserved: As for `segment`.
            markdown: Whether the text is Markdown, as for `segment_all`.

        Raises:
            TypeError: `text` is not a string.
            ValueError: `windows` is "moving": scores then depend on the threshold.
        """
        check_text(text)
        if self.windows == "moving":
            raise ValueError('with windows="moving" scores depend on the threshold: use segment')
        limits = self._limits_for(reserved, markdown)

        def known(places: Sequence[Place] | None) -> ScoredText:
            return rescore(scores, places=places, threshold=self.threshold or 0.0)

        return self._cut(text, limits, known)

    def _segment(self, text: str, limits: SizeLimits) -> Segmentation:
        return self._cut(text, limits, partial(self._scored, text))

    def _segment_all(
        self, texts: Sequence[str], limits: Sequence[SizeLimits], *, show_progress: bool
    ) -> list[Segmentation]:
        """Split checked texts; the progress bar shows characters, because a text may take long."""
        results = []
        done = 0
        total = sum(map(len, texts))
        with tqdm(total=total, unit="char", unit_scale=True, disable=not show_progress) as bar:
            for text, own in zip(texts, limits, strict=True):

                def reached(offset: int, before: int = done) -> None:
                    bar.update(max(0, before + offset - bar.n))

                score = partial(self._scored, text, on_progress=reached)
                results.append(self._cut(text, own, score))
                done += len(text)
                bar.update(done - bar.n)
        return results

    def _cut(
        self,
        text: str,
        limits: SizeLimits,
        score: Callable[[Sequence[Place] | None], ScoredText],
    ) -> Segmentation:
        from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

        if not text:
            return Segmentation(())
        cutter: Cutter | None
        places: Sequence[Place]
        if self.threshold is None:
            cutter = Cutter(limits)
            sized = cutter.places(text, self._own_units(text, limits))
            scores = score(sized.places).scores
            places, cuts = sized.places, cutter.cut(sized, place_scores(scores, sized.places))
        else:
            cutter = None if limits.chunk_size is None else Cutter(limits)
            found = self._places(text, limits)
            scored = score(found)
            places, cuts, scores = found or (), scored.cuts, scored.scores
        spans: Sequence[Span] = spans_from_starts([0, *cuts], len(text))
        units = [Span(place.offset, place.offset) for place in places]
        if cutter is not None:
            spans = cutter.shorten(text, spans, units, partial(place_scores, scores))
        return within(limits, text, Segmentation(tuple(spans)), units)

    def _own_units(self, text: str, limits: SizeLimits) -> Sequence[Span] | None:
        """Return the units that chunks have to start at; None if the layout decides."""
        return None if self._by_layout or limits.markdown else self._find_units(text)

    def _places(self, text: str, limits: SizeLimits) -> Sequence[Place] | None:
        """Return where a chunk may start with a threshold: at units; None for any word."""
        # deferred: these import numpy
        from lumber_core.text.markdown_places import find_markdown_places
        from lumber_core.text.places import find_places, places_at

        if self.snap is None and self.threshold is not None:
            return None
        if limits.markdown:
            return find_markdown_places(text, self._settings.language)
        known = {place.offset: place for place in find_places(text, self._settings.language)}
        labelled = {p.words for p in known.values() if text[p.offset : p.words].strip()}
        found = places_at(self._find_units(text), known)
        return [place for place in found if place.offset not in labelled]

    def _scored(
        self,
        text: str,
        places: Sequence[Place] | None,
        *,
        everywhere: bool = False,
        on_progress: Callable[[int], object] = lambda _: None,
    ) -> ScoredText:
        """Score the tokens that matter for some places, or all."""
        return score_text(
            self.load(),
            text,
            places=places,
            moving=self.windows == "moving",
            threshold=self.threshold or 0.0,
            everywhere=everywhere,
            on_progress=on_progress,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    def _determines(self) -> dict[str, object]:
        return {**super()._determines(), "model": weights_digest(self.model)}
