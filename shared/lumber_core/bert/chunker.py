"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lumber_core.bert.model_folder import weights_digest
from lumber_core.bert.scores import (
    ScoredText,
    TokenScores,
    place_scores,
    rescore,
    score_text,
)
from lumber_core.bert.settings import Backend, BertSettings, Snap, WindowKind
from lumber_core.chunking.base import Chunker, enforce_limits
from lumber_core.chunking.size_limits import Counted, SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.settings import takes
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.layout import Layout, MarkdownLayout
from lumber_core.text.source import Source, as_source

if TYPE_CHECKING:
    from lumber_core.bert.loading import LoadedModel
    from lumber_core.text.places import Place


class BertChunker(Chunker):
    """Cuts where a small BERT model predicts that a chunk starts; no key, download or PyTorch.

    The model gives every token two logits, start and normal, from a window of 255 tokens
    (BertChunker). By default, all cuts of a text are chosen together: at places with a high score,
    at paragraphs and headings rather than inside them, and so that chunks have about `target_size`
    tokens and never more than `chunk_size`. With a `threshold`, a chunk starts wherever the
    difference of the logits exceeds it, as in the paper.

    The scores find topics: boundary F1 0.86 on joined texts (Choi), 0.97 on labelled notes and 0.45
    on articles (Wiki-50), where splitters by embedding distance have 0.06 to 0.19. To the retrieval
    of `LayoutChunker` they add 0.013 (-0.007 to +0.031) in recall with chunks of 120 words, for
    over a hundred times its CPU time.

    A text of at most `target_size` tokens is one chunk. The model is loaded when a text needs it,
    or by `load`. The bundled model was trained on English.

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
        self.model = settings.model
        self.threshold = settings.threshold
        self.backend: Backend = settings.backend
        self.snap: Snap = settings.snap
        self.windows: WindowKind = settings.windows
        self.threads = settings.threads
        self.device = settings.device
        self._loaded: LoadedModel | None = None

    def load(self) -> LoadedModel:
        """Return the model, loading it on the first call.

        Raises:
            WeightsError: Files are missing, damaged, or belong to another kind of model.
            ValueError: There is no model of that name, or no GPU for `device="cuda"`.
            MissingExtraError: `backend="torch"` and PyTorch is not installed.
        """
        if self._loaded is None:
            from lumber_core.bert.loading import load_model  # deferred: imports onnxruntime

            self._loaded = load_model(
                self.model, backend=self.backend, threads=self.threads, device=self.device
            )
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
        return self._scored(text, self._places(self.layout(text)), everywhere=True).scores

    def cuts(self, text: str, scores: TokenScores) -> list[int]:
        """Return the offsets of the best cuts of a text, given its scores.

        Args:
            text: The text.
            scores: What `scores` returned for it.
        """
        from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

        layout = self.layout(text)
        if self.threshold is None and self._is_one_chunk(layout, self._limits):
            return []
        cutter = Cutter(layout, self._limits)
        found = cutter.places(self._own_units(layout))
        return cutter.cut(found, place_scores(scores, found.places))

    def resegment(
        self, source: str | Source, scores: TokenScores, *, overlap: int = 0
    ) -> Segmentation:
        """Return what `segment` returns, from known scores and without running the model.

        Settings such as sizes or the threshold can be tried on a long text this way.

        Args:
            source: The text.
            scores: What `scores` returned for it, from a splitter with the same model and `snap`.
            overlap: As for `segment`.

        Raises:
            TypeError: `source` is neither a string nor a `Source`.
            ValueError: `windows` is "moving": scores then depend on the threshold.
        """
        source = as_source(source)
        if self.windows == "moving":
            raise ValueError('with windows="moving" scores depend on the threshold: use segment')

        def known(places: Sequence[Place] | None) -> ScoredText:
            return rescore(scores, places=places, threshold=self.threshold or 0.0)

        layout = self.layout(source)
        return self._cut(layout, self._limits_for(layout, overlap), known)

    def _segment(self, layout: Layout, limits: SizeLimits) -> Segmentation:
        return self._cut(layout, limits, partial(self._scored, layout.text))

    def _segment_all(
        self, layouts: Sequence[Layout], limits: Sequence[SizeLimits], *, show_progress: bool
    ) -> list[Segmentation]:
        """Split texts; the progress bar shows characters, because a text may take long."""
        from tqdm import tqdm  # deferred: importing it takes longer than a short text

        results = []
        done = 0
        total = sum(len(layout.text) for layout in layouts)
        with tqdm(total=total, unit="char", unit_scale=True, disable=not show_progress) as bar:
            for layout, own in zip(layouts, limits, strict=True):

                def reached(offset: int, before: int = done) -> None:
                    bar.update(max(0, before + offset - bar.n))

                score = partial(self._scored, layout.text, on_progress=reached)
                results.append(self._cut(layout, own, score))
                done += len(layout.text)
                bar.update(done - bar.n)
        return results

    def _cut(
        self,
        layout: Layout,
        limits: SizeLimits,
        score: Callable[[Sequence[Place] | None], ScoredText],
    ) -> Segmentation:
        if not layout.text:
            return Segmentation(())
        if self._is_one_chunk(layout, limits):
            spans = spans_from_starts([0], len(layout.text))
            return Segmentation(spans, larger=(spans,) * len(limits.scales))
        parts: Counted | None = None
        if self.threshold is None:
            from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

            units = self._own_units(layout)
            cutter = Cutter(layout, limits)
            sized = cutter.places(units)
            parts = sized.counted()
            scores = score(sized.places).scores
            cuts = cutter.cut(sized, place_scores(scores, sized.places))
        else:
            places = self._places(layout)
            scored = score(places)
            cuts, scores = scored.cuts, scored.scores
            units = [Span(place.offset, place.offset) for place in places or ()]
        spans = spans_from_starts([0, *cuts], len(layout.text))
        scorer = partial(place_scores, scores)
        made = enforce_limits(Segmentation(spans), layout, limits, units or (), scorer, parts)
        if limits.scales:
            from lumber_core.chunking.cutting import cut_larger  # deferred: imports numpy

            made = replace(made, larger=cut_larger(layout, limits, scorer))
        return made

    def _is_one_chunk(self, layout: Layout, limits: SizeLimits) -> bool:
        """Return whether a text is too short to be cut, so that it needs no scores."""
        smallest = min([limits.target_size or 0, *limits.scales])
        return not layout.section_starts and limits.fits_target(layout.text, smallest)

    def _places(self, layout: Layout) -> Sequence[Place] | None:
        """Return where a chunk may start with a threshold: at units; None for any word."""
        from lumber_core.text.places import places_at  # deferred: imports numpy

        if self.snap == "word" and self.threshold is not None:
            return None
        text, found = layout.text, layout.places()
        if isinstance(layout, MarkdownLayout):
            return found
        known = {place.offset: place for place in found}
        labelled = {p.words for p in found if text[p.offset : p.words].strip()}
        found = places_at((unit.start for unit in layout.units()[1:]), known)
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
