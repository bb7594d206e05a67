"""One side of the page: a splitter, and other values of its setting to try with a slider."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lumber_cli.splitting import Splitting
from lumber_core import BertChunker, LumberChunker, Segmentation, Verdict
from lumber_core.bert.scores import TokenScores, place_scores
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.text.place import Places, places_with
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_files import TextFile

BESIDE = (
    "bert, parsed, greedy or lumber, or another that `compare` knows; with a number, as in "
    "bert:200, greedy:400, recursive:1000"
)
_TARGETS = (50, 75, 100, 125, 150, 175, 200, 250, 300, 400, 500, 650, 800, 1000)
_THRESHOLDS = (-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6)
_NUMBERS = {  # meaning of the number after a splitter's name
    "bert": "target_size",
    "layout": "target_size",
    "greedy": "target_size",
    "lumber": "theta",
}


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk as the page shows it.

    Attributes:
        start: Offset of its first character.
        end: Offset just past its last character.
        tokens: Its size.
        headings: The titles above its start.
        why: Why it starts there; "" if the splitter does not say.
    """

    start: int
    end: int
    tokens: int
    headings: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class SideText:
    """A text in the chunks of one side.

    Attributes:
        positions: The chunks at each position of the slider, or at the only one.
        scores: Scores of the text's tokens, if the splitter has any.
        places: The places where a chunk may start, if there are scores.
    """

    positions: list[list[ShownChunk]]
    scores: TokenScores | None = None
    places: Places | None = None

    def scores_at(self, offsets: Sequence[int]) -> list[float] | None:
        """Return the score of each offset: the highest t among the first tokens there."""
        if self.scores is None or self.places is None:
            return None
        places = places_with(self.places, offsets)
        t: list[float] = place_scores(self.scores, places).tolist()
        by_offset = dict(zip(places.offsets, t, strict=True))
        return [by_offset[at] for at in offsets]


@dataclass(frozen=True, slots=True)
class Slider:
    """Values of one setting.

    Attributes:
        setting: Name of the setting.
        values: The values, ascending.
        initial: Number of the value that the user chose.
    """

    setting: str
    values: tuple[float, ...]
    initial: int


class Side(ABC):
    """A splitter on the page.

    Attributes:
        title: Its title.
        slider: Its slider; None if it has none.
    """

    title: str
    slider: Slider | None = None

    @abstractmethod
    def split(self, file: TextFile) -> SideText:
        """Split a text at each position of the slider."""


def own_side(splitting: Splitting) -> Side:
    """Return the side of a splitter of this library.

    Raises:
        ValueError: A setting is wrong.
    """
    chunker = splitting.chunker()
    if isinstance(chunker, BertChunker):
        chunker.load()
    return _OwnSide(splitting, chunker)


def side_beside(spec: str) -> Side:
    """Return the side of a splitter by name, as in "greedy:400" or "recursive:1000".

    Raises:
        ValueError: There is no such splitter, or the number is wrong.
        MissingExtraError: The splitter needs a package that is not installed.
    """
    name, colon, number = spec.partition(":")
    if name == "lumber" and number in ("paper", "window"):
        return own_side(Splitting(name, {"method": number}))
    if name in _NUMBERS:
        if colon and not number.isdecimal():
            raise ValueError(f"{spec!r}: expected a number of tokens after the colon")
        return own_side(Splitting(name, {_NUMBERS[name]: int(number)} if colon else {}))
    return _OtherSide(spec)


class _OwnSide(Side):
    def __init__(self, splitting: Splitting, chunker: Chunker) -> None:
        self._overlap = splitting.chunk_overlap
        self._asks = splitting.asks_model
        self.title = splitting.method
        self._chunkers: list[Chunker] = [chunker]
        tried = _tried(chunker)
        if tried is None:
            return
        setting, own, values = tried
        made: dict[float, Chunker] = {own: chunker}
        for value in values:
            given = {**splitting.given, setting: value}
            try:
                made.setdefault(value, replace(splitting, given=given).chunker())
            except ValueError:  # it cannot be combined with the other settings
                continue
        chosen = sorted(made)
        self._chunkers = [made[value] for value in chosen]
        self.slider = Slider(setting, tuple(chosen), chosen.index(own))

    def split(self, file: TextFile) -> SideText:
        """Split a text; a model scores it once for all positions."""
        first = self._chunkers[self.slider.initial if self.slider else 0]
        if not isinstance(first, BertChunker) or not file.text:
            return SideText([self._position(each, file, None) for each in self._chunkers])
        scores = first.scores(file.text)
        return SideText(
            [self._position(each, file, scores) for each in self._chunkers],
            scores,
            first.parse(file).places(),
        )

    def _position(
        self, chunker: Chunker, file: TextFile, scores: TokenScores | None
    ) -> list[ShownChunk]:
        if scores is not None and isinstance(chunker, BertChunker) and self.slider is not None:
            made = chunker.resegment(file, scores, overlap=self._overlap)
        else:
            (made,) = chunker.segment_all([file], overlap=self._overlap, show_progress=self._asks)
        reasons = _reasons(chunker, made)
        return [
            ShownChunk(*chunk.span, chunk.tokens, chunk.headings, reasons.get(chunk.index, ""))
            for chunk in chunker.chunks(file, made, Delivery(self._overlap))
        ]


class _OtherSide(Side):
    """A splitter of another library, or a baseline."""

    def __init__(self, spec: str) -> None:
        from lumber_evaluation.splitters import preset  # deferred: nothing else here needs it

        self.title = spec
        self._splitter = preset(spec)
        self._counter = token_counter(DEFAULT_TOKENIZER)

    def split(self, file: TextFile) -> SideText:
        """Split a text; white space that the splitter drops is in no chunk."""
        from lumber_evaluation.documents import Document

        made = self._splitter.split(Document(file.name, file.text, (0,), (0,), "view"))
        spans = [chunk.span for chunk in made.chunks]
        tokens = self._counter.count([span.of(file.text) for span in spans])
        return SideText(
            [[ShownChunk(*span, count) for span, count in zip(spans, tokens, strict=True)]]
        )


def _tried(chunker: Chunker) -> tuple[str, float, Sequence[float]] | None:
    """Return the setting to try, its own value, and other values; None for no slider."""
    if isinstance(chunker, BertChunker):
        if chunker.paper:  # its scores depend on the threshold
            return None
        if chunker.threshold is not None:
            return "threshold", chunker.threshold, _THRESHOLDS
    if isinstance(chunker, LumberChunker):  # every position would ask the judge again
        return None
    _, target = chunker.settings.sizes
    return None if target is None else ("target_size", target, _TARGETS)


def _reasons(chunker: Chunker, made: Segmentation) -> Mapping[int, str]:
    """Return why chunks start where they do, by their numbers, if a judge has said so."""
    if isinstance(chunker, LumberChunker) and chunker.method == "window":
        setters = enumerate(made.start_verdicts)
        return {number: _reason(verdict) for number, verdict in setters if verdict is not None}
    # One verdict ends each chunk but the last, unless limits have cut or joined chunks.
    if not isinstance(chunker, LumberChunker) or chunker.method != "paper":
        return {}
    if len(made.verdicts) not in (len(made.spans), len(made.spans) - 1):
        return {}
    stops = [verdict.start for verdict in made.verdicts]
    if any(after <= before for before, after in pairwise(stops)):
        return {}
    return {
        number: _reason(verdict)
        for number, verdict in enumerate(made.verdicts, start=1)
        if number < len(made.spans)
    }


def _reason(verdict: Verdict) -> str:
    return verdict.reason or verdict.outcome.replace("_", " ")
