"""BertChunker: a token classifier marks where chunks start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from lumber_core.bert.model_folder import check_model_name, weights_digest
from lumber_core.bert.scores import (
    TokenScores,
    cuts_above,
    place_scores,
    score_as_published,
    windows_of,
)
from lumber_core.checks import check_choice, check_number, check_positive
from lumber_core.chunking.chunker import Chunker, Work, enforce_limits, with_progress
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.chunking.size_settings import ChunkSize, layout_sizes
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.place import Places, places_at, places_with
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

if TYPE_CHECKING:
    from lumber_core.bert.loading import LoadedModel
    from lumber_core.bert.moving_window import OverlappingWindows


Device = Literal["cpu", "cuda"]


class BertChunker(Chunker):
    """Cuts where a model predicts that a chunk starts; no key, download or PyTorch.

    The bundled classifier scores every place where a chunk may start. It is distilled from the
    large model, which works as in the paper (BertChunker, Luo 2024): it gives every token in a
    window of 255 tokens two logits, start and normal. By default, all cuts of a text are chosen
    together: at places with a high score, at paragraphs and headings rather than inside them, and
    so that chunks have about `target_size` tokens and never more than `chunk_size`. With a
    `threshold`, a chunk starts wherever the score, or the difference of the logits, exceeds it, as
    in the paper.

    The scores find topics far better than splitters by embedding distance do. In retrieval, the
    chunks are as good as those of `LayoutChunker`, which takes a fraction of the CPU time
    (docs/results.md).

    A text of at most `target_size` tokens is one chunk. The model is loaded when the first text
    needs it, or by `load`. The bundled classifier was trained on English.

    Args:
        model: "bundled"; "large", which finds topics better at twenty times the cost; a folder
            written by `python -m lumber_training export`, a checkpoint in PyTorch (extra `torch`),
            or the Hugging Face ID of either (extra `hub`).
        target_size: Preferred length of chunks in tokens; a clear start or a heading outweighs a
            difference in size. None: 60 % of `chunk_size`. Not with a `threshold`.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": 256, or in
            proportion to `target_size`; no limit with a `threshold`. None: no limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        threshold: t_c of the paper: a chunk starts wherever the score is above it, at any size;
            higher values give fewer, longer chunks. None: chunks of about `target_size`, cut at the
            best places by score and layout; 0 with `paper`.
        paper: Split as in the paper: a chunk starts at any word whose score is above the
            `threshold`, and each window begins at the last start found. Needs a model that scores
            tokens, such as the large one.
        units: Where chunks may start; see `LayoutChunker`.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.
        threads: Number of threads for an exported model. None: all available CPUs, up to 8.
        device: What a checkpoint in PyTorch runs on: "cpu", or "cuda", an NVIDIA GPU. None: a GPU
            if there is one. Exported models run on the CPU.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other:
            a `target_size` with a `threshold` or `paper`, `units` or the bundled classifier with
            `paper`.
        TypeError: A setting has the wrong type or is unknown.
        MissingExtraError: `model` is a Hugging Face ID, and huggingface_hub is not installed.

    Example:
        >>> BertChunker(target_size=200).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    not_in_identity = frozenset({"threads", "device"})

    def __init__(
        self,
        model: str = "bundled",
        *,
        target_size: int | None = None,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        threshold: float | None = None,
        paper: bool = False,
        units: UnitSpec = "sentences_and_lines",
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
        threads: int | None = None,
        device: Device | None = None,
    ) -> None:
        check_model_name(model)
        if threshold is not None:
            check_number("threshold", threshold)
        elif paper:
            threshold = 0.0
        if threads is not None:
            check_positive("threads", threads)
        if device is not None:
            check_choice("device", device, ("cpu", "cuda"))
        if threshold is not None and target_size is not None:
            raise ValueError(
                "threshold and paper cut at topics, whatever the size: leave out target_size, or "
                "pass chunk_size for a limit"
            )
        if paper and units != self.default_units:
            raise ValueError("paper=True starts chunks at any word: pass units or paper, not both")
        if paper and model == "bundled":
            raise ValueError(
                "the bundled classifier scores places such as sentences, not words: pass model="
                '"large" or paper=False'
            )
        limit, target = layout_sizes(chunk_size, target_size)
        super().__init__(
            chunk_size=None if threshold is not None and chunk_size == "auto" else limit,
            target_size=target if threshold is None else None,
            min_chunk_size=min_chunk_size,
            units=units,
            merge_sections=merge_sections,
            tokenizer=tokenizer,
            language=language,
        )
        self.model = model
        self.threshold = threshold
        self.paper = paper
        self.threads = threads
        self.device = device
        self._loaded: LoadedModel | None = None

    def load(self) -> LoadedModel:
        """Return the model, loading it on the first call.

        Raises:
            WeightsError: Files are missing, damaged, or belong to another kind of model.
            ValueError: There is no model of that name, or `device="cuda"` and there is no GPU or
                the model is exported.
            MissingExtraError: The model is a checkpoint, and PyTorch is not installed.
        """
        if self._loaded is None:
            from lumber_core.bert.loading import load_model  # deferred: imports onnxruntime

            self._loaded = load_model(self.model, threads=self.threads, device=self.device)
        return self._loaded

    def scores(self, text: str | ParsedText, *, also: Iterable[int] = ()) -> TokenScores:
        """Score every token of a text, or every place if the model scores places.

        With `paper`, the scores depend on the threshold, which decides where windows begin. A model
        that scores places, such as the bundled one, scores the starts of sentences, lines,
        paragraphs and custom units, but not of clauses or words.

        Args:
            text: Any string, or a parsed text.
            also: Offsets of further places that such a model scores.
        """
        parsed = self.parse(text)
        if self.paper:
            return score_as_published(self.load(), parsed.text, self.threshold or 0.0)[0]
        results: list[TokenScores] = []
        divisions = self._divisions(parsed, parsed.all_places, also) if self.load().places else None
        self._scan([windows_of(self.load(), parsed.text, divisions, results.append)])
        return results[0]

    def cuts(self, text: str | ParsedText, scores: TokenScores) -> list[int]:
        """Return the offsets where chunks start, except the first, given the result of `scores`.

        Raises:
            ValueError: The splitter has a `threshold`, which needs no choice among scores.
        """
        if self.threshold is not None:
            raise ValueError("cuts chooses by target_size: call it without threshold or paper")
        parsed = self.parse(text)
        if self._limits.fits_target(parsed):
            return []
        cutter = Cutter(parsed, self._limits)
        sized = cutter.places(self._chosen_units(parsed), parsed.all_places)
        return cutter.cut(sized, place_scores(scores, sized.places))

    def _segment_all(self, work: Work, *, show_progress: bool) -> list[Segmentation]:
        """Split texts; each call of the model may score windows of several texts."""
        results: dict[int, Segmentation] = {}
        texts = with_progress(work, shown=show_progress)
        self._scan(self._windows_to_score(texts, results))
        return [results[number] for number in range(len(work))]

    def _scan(self, texts: Iterable[OverlappingWindows]) -> None:
        """Score the windows of texts; the model is loaded if there is a window."""
        texts = iter(texts)
        for first in texts:
            from lumber_core.bert.moving_window import scan  # deferred: imports numpy

            scan(self.load().scorer, chain([first], texts))

    def _windows_to_score(
        self, work: Iterable[tuple[ParsedText, SizeLimits]], results: dict[int, Segmentation]
    ) -> Iterator[OverlappingWindows]:
        """Yield the windows of texts that need scores; store the result of each text by number."""
        for number, (parsed, limits) in enumerate(work):
            if not parsed.text:
                results[number] = Segmentation(())
            elif limits.fits_target(parsed):
                results[number] = Segmentation(spans_from_starts([0], len(parsed.text)))
            elif self.paper:
                model, threshold = self.load(), self.threshold or 0.0
                scores, cuts = score_as_published(model, parsed.text, threshold)
                results[number] = self._keep_limits(parsed, limits, (), cuts, scores)
            else:
                yield self._windows(parsed, limits, partial(results.__setitem__, number))

    def _windows(
        self, parsed: ParsedText, limits: SizeLimits, keep: Callable[[Segmentation], object]
    ) -> OverlappingWindows:
        """Return the windows of a text, which is cut once they are scored."""
        model, all_places = self.load(), parsed.places()
        if self.threshold is None:
            chosen_units = self._chosen_units(parsed)
            cutter = Cutter(parsed, limits)
            sized = cutter.places(chosen_units, all_places)
            places = sized.places

            def cut(scores: TokenScores) -> None:
                cuts = cutter.cut(sized, place_scores(scores, places))
                keep(self._keep_limits(parsed, limits, chosen_units or (), cuts, scores, sized))

        else:
            threshold, places = self.threshold, self._places(parsed, all_places)
            units = [Span(at, at) for at in places.offsets]

            def cut(scores: TokenScores) -> None:
                cuts = cuts_above(threshold, model, scores, places)
                keep(self._keep_limits(parsed, limits, units, cuts, scores))

        scored = self._divisions(parsed, all_places) if model.places else places
        return windows_of(model, parsed.text, scored, cut)

    def _keep_limits(
        self,
        parsed: ParsedText,
        limits: SizeLimits,
        units: Sequence[Span],
        cuts: Sequence[int],
        scores: TokenScores,
        parts: CountedParts | None = None,
    ) -> Segmentation:
        """Return the chunks between cuts, cut and merged to respect the limits."""
        spans = spans_from_starts([0, *cuts], len(parsed.text))
        scorer = partial(place_scores, scores)
        return enforce_limits(Segmentation(spans), parsed, limits, units, scorer, parts)

    def _places(self, parsed: ParsedText, all_places: Places) -> Places:
        """Return the places where a chunk may start with a threshold: the starts of units."""
        text = parsed.text
        if isinstance(parsed, MarkdownText):
            return all_places
        labelled = {p.first_word for p in all_places if text[p.offset : p.first_word].strip()}
        at_units = places_at([unit.start for unit in parsed.units()[1:]], all_places)
        return Places.of(place for place in at_units if place.offset not in labelled)

    def _divisions(self, parsed: ParsedText, places: Places, also: Iterable[int] = ()) -> Places:
        """Return the places and the offsets `also`, which divide a text for a scoring model."""
        starts = {*also, *(unit.start for unit in self._chosen_units(parsed) or ())} - {0}
        return places_with(places, starts) if starts else places

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    @property
    def identity(self) -> str:
        """See `Chunker`; includes the weights that the model has now."""
        return self._identify(model=weights_digest(self.model))
