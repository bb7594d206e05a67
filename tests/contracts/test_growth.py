"""Four times the text takes four times the work, for any text.

Work is counted: lines executed, characters and tokens given to counters and the model, chunks that
the optimiser considers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FrameType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lumber_core import BertChunker, GreedyChunker, Group, LayoutChunker, LumberChunker
from lumber_core.bert import loading
from lumber_core.bert.model_folder import OWN_FOLDERS
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.chunking.tiling import ChunkCosts
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.text.parsed import PlainText
from lumber_core.tokens import token_counter
from tests.core.core_support import RecordingCounter
from tests.tiling import check_tiling

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"

UNITS = {
    "lone surrogates": "\ud83d",
    "NULs": "\x00",
    "one character": "x",
    "line breaks": "\n",
    "CR LF": "\r\n",
    "paragraphs of one character": "a\n\n",
    "sentences of one character": "A. ",
    "combining marks": "e" + "\u0301" * 50 + " ",
    "one cluster of combining marks": "\u0301",
    "flags": "\U0001f1e9\U0001f1ea",
    "families": FAMILY,
    "quoted text": "'it is so. and more', ",
    "opened brackets": "([{",
    "fences": "```\nx\n",
    "nested quotes": "> a\nb\n",
    "nested lists": "- a\n  - b\n",
    "headings": "# A\n",
    "table": "| a | b |\n",
    "rows of HTML": "<tr><td>a</td></tr>",
    "opened tables of HTML": "<table>\n\n",
    "records with line breaks": '"a\nb",c\n',
    "admonitions": "!!! note\n\n    A b.\n\n",
    "containers": ":::a\n\nb.\n\n:::\n\n",
    "opened directives": "```{note}\nA b.\n\n",
    "JSON": '{"a": [1, 2]}, ',
    "labels": "[5] ANNA: (a) 3. ",
    "URLs": "http://a.b/c?d=e&f#g ",
    "Latin": "The ferry came in at dawn. ",
    "Arabic": "وصلت العبارة عند الفجر. ",
    "Devanagari": "नाव भोर में आई। ",
    "Thai": "เรือมาถึงตอนรุ่งสาง",
    "Khmer": "សាឡាងមកដល់នៅពេលព្រឹក។",
    "Tibetan": "གྲུ་གཟིངས་སྐྱ་རེངས་ལ་སླེབས།",
    "Chinese": "渡船在黎明时分到达。",
    "Chinese without marks": "渡船在黎明时分到达",
    "Japanese": "渡し船は夜明けに着いた。",
}


def second(group: Group) -> int | None:
    """Judge that the second unit of every group starts new content."""
    return group.start + 1


BOUNDED: dict[str, Any] = {"chunk_size": 64}
WITHOUT_MODEL: dict[str, Callable[..., Chunker]] = {
    "greedy": partial(GreedyChunker, target_size=48, **BOUNDED),
    "greedy in Markdown": partial(GreedyChunker, target_size=48, units="markdown", **BOUNDED),
    "layout": partial(LayoutChunker, **BOUNDED),
    "lumber": partial(LumberChunker, second, theta=60, **BOUNDED),
}
SPLITTERS: dict[str, Callable[..., Chunker]] = {
    **WITHOUT_MODEL,
    "bert": partial(BertChunker, target_size=48, **BOUNDED),
    "bert with a threshold": partial(BertChunker, threshold=1.5, **BOUNDED),
    "bert as in the paper": partial(BertChunker, "large", threshold=1.5, paper=True, **BOUNDED),
    "lumber by bert": lambda **more: LumberChunker(BertJudge(), theta=60, **BOUNDED, **more),
}


class Steps:
    """Counts the lines executed in this library and in the Markdown parser."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Steps:
        # This runs for every line, so it does as little as possible.
        count = 0
        ours: dict[CodeType, bool] = {}

        def step(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal count
            count += 1
            return step

        def enter(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
            code = frame.f_code
            if code not in ours:
                name = code.co_filename
                ours[code] = "lumber_core" in name or "markdown_it" in name
            return step if ours[code] else None

        self._get = lambda: count
        self._before = sys.gettrace()
        sys.settrace(enter)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)
        self.count = self._get()


def text_of(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


WINDOW = 255
TOKENIZER = WordPieceTokenizer.from_folder(OWN_FOLDERS["bundled"])
SMALLEST = 500  # characters: work done once for each text no longer matters


def check_growth(figures: list[int], name: str) -> None:
    small, large = figures
    assert large <= 6 * small, (name, figures)


class CountingScorer:
    """Scores tokens by their numbers in the vocabulary, and counts those it is given."""

    batch_size = 1  # on repetitive text, larger batches score more windows in vain

    def __init__(self) -> None:
        self.tokens = 0

    def score(
        self, windows: Sequence[npt.NDArray[np.int32]], places: Sequence[npt.NDArray[np.intp]]
    ) -> list[npt.NDArray[np.float32]]:
        self.tokens += sum(map(len, windows))
        scores = [(window % 7 - 4).astype(np.float32) for window in windows]
        return [t[at] for t, at in zip(scores, places, strict=True)]


@pytest.fixture
def considered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of chunks whose cost the optimiser has looked up, as the only entry."""
    seen = [0]
    make_table = ChunkCosts.__dict__["table"].func

    class CountingList(list[float]):
        def __getitem__(self, size):
            seen[0] += 1
            return super().__getitem__(size)

    monkeypatch.setattr(
        ChunkCosts, "table", property(lambda costs: CountingList(make_table(costs)))
    )
    return seen


# Every text with the default settings, some texts with the others.
READ = [
    (name, kind)
    for name in SPLITTERS
    for kind in ([*UNITS] if name in (*WITHOUT_MODEL, "bert") else [*UNITS][::8])
]


@pytest.mark.parametrize(("name", "kind"), READ)
def test_work_grows_linearly(name: str, kind: str, monkeypatch, considered: list[int]) -> None:
    work: list[list[int]] = []
    smaller = SMALLEST if name in WITHOUT_MODEL else 2 * SMALLEST
    for size in (smaller, 4 * smaller):
        scorer = CountingScorer()
        model = loading.LoadedModel(scorer, TOKENIZER, WINDOW)
        monkeypatch.setattr(loading, "load_model", lambda *args, made=model, **kwargs: made)
        counter = RecordingCounter(lambda text: (len(text) + 1) // 2)
        text = text_of(UNITS[kind], size)
        considered[0] = 0
        with Steps() as steps:
            spans = SPLITTERS[name](tokenizer=counter).segment(text).spans
        check_tiling(spans, len(text))
        # Texts shorter than a window are read once, longer ones twice, because windows overlap.
        scored = scorer.tokens + WINDOW
        work.append([steps.count, counter.characters, scored, considered[0]])
    assert work[0][0]
    for figures in zip(*work, strict=True):
        check_growth(list(figures), name)


def test_places_without_tokens_take_linear_work(considered: list[int]) -> None:
    counter = token_counter(lambda text: text.count("word"))
    work = []
    for paragraphs in (500, 2000):
        text = "word " * 70 + "\n\n" + "Nothing counts.\n\n" * paragraphs + "word " * 70
        considered[0] = 0
        cutter = Cutter(PlainText(text), SizeLimits(64, None, counter, 48))
        places = cutter.places()
        assert len(places.places) > paragraphs
        assert cutter.cut(places)
        work.append(considered[0])
    check_growth(work, "cutter")
    assert work[0] > 0


LARGE = {
    "ten megabytes of one character": "x" * 10_000_000,
    "a million line breaks": "\n" * 1_000_000,
    "100,000 paragraphs of one character": "a\n\n" * 100_000,
    "1,000 combining marks": "e" + "\u0301" * 1_000,
    "a megabyte of NULs": "\x00" * 1_000_000,
    "100,000 lone surrogates": "\ud83d" * 100_000,
}


@pytest.mark.load
@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_large_texts_lose_nothing(text: str) -> None:
    more_splitters = (
        {} if len(text) > 1_000_000 else WITHOUT_MODEL
    )  # models take seconds for each megabyte
    for make in (GreedyChunker, *more_splitters.values()):
        chunker = make()
        spans = chunker.segment(text).spans
        check_tiling(spans, len(text))
        limit = chunker.chunk_size
        assert limit is not None
        assert max(chunker.counter.count([span.of(text) for span in spans])) <= limit
