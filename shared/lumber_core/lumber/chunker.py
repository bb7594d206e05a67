"""LumberChunker (Duarte et al. 2024, arXiv 2406.17526) as a splitter."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from itertools import pairwise
from typing import Any, Literal

from lumber_core.checks import check_positive, check_text
from lumber_core.chunker import Chunker
from lumber_core.lumber.drive import adrive, drive
from lumber_core.lumber.groups import Document, MethodRules, PublishedCodeRules, WalkRules
from lumber_core.lumber.judges import Judge, JudgeLike, as_judge
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Segmentation, total_usage
from lumber_core.spans import Span
from lumber_core.tokens import TokenCounterSpec
from lumber_core.units import UnitSpec

logger = logging.getLogger(__name__)

Method = Literal["paper", "published"]


class LumberChunker(Chunker):
    r"""Cuts where a judge says that the content turns (section 3 of the paper).

    The judge is shown a group of numbered units, at most `theta` tokens together, and names the
    first that starts new content. The chunk ends there, and the next group starts there.

    Args:
        judge: A function or object that takes a group (`start` and `stop`: unit numbers in the
            document, half-open; `texts`) and returns a unit number or None.
        theta: Most tokens in a group; the paper finds 550 best (section 4). A longer unit is a
            group by itself.
        tokenizer: Counts tokens: "words" is the paper's estimate of 1.2 tokens a word and needs
            no vocabulary; see `lumber_core.tokens.token_counter`.
        units: What may not be cut: "paragraphs", "sentences", or a callable from a text to
            `(start, end)` offsets.
        method: "paper", or "published" for the rules of the code released with the paper; see
            `as_published`.
        language: ISO 639 code for finding sentences.
        max_chunk_tokens: No chunk counts more tokens. None sets no limit.
        min_chunk_tokens: Smaller chunks join a neighbour that has room. None sets no limit.
        max_concurrency: Texts worked on at once by `segment_all` and `asegment_all`. A judge then
            is called from several threads or tasks.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type; the judge is not callable.

    Example:
        >>> text = "Ann ran.\n\nShe fell.\n\nBob slept."
        >>> LumberChunker(lambda group: 2).segment(text).chunks(text)
        ['Ann ran.\n\nShe fell.\n\n', 'Bob slept.']
    """

    _waits = True

    def __init__(
        self,
        judge: JudgeLike,
        *,
        theta: int = 550,
        tokenizer: TokenCounterSpec = "words",
        units: UnitSpec = "paragraphs",
        method: Method = "paper",
        language: str = "en",
        max_chunk_tokens: int | None = None,
        min_chunk_tokens: int | None = None,
        max_concurrency: int = 8,
    ) -> None:
        check_positive("theta", theta)
        if method not in ("paper", "published"):
            raise ValueError(f'method must be "paper" or "published", not {method!r}')
        if method == "published" and tokenizer != "words":
            raise ValueError(
                'method "published" estimates tokens as 1.2 a word: leave tokenizer at "words"'
            )
        super().__init__(
            tokenizer=tokenizer,
            units=units,
            language=language,
            max_chunk_tokens=max_chunk_tokens,
            min_chunk_tokens=min_chunk_tokens,
            max_concurrency=max_concurrency,
        )
        self._judge: Judge = as_judge(judge)
        self.theta = theta
        self.method: Method = method

    @classmethod
    def as_published(cls, judge: JudgeLike, *, theta: int = 550, **options: Any) -> LumberChunker:
        """Return a splitter that behaves like the code released with the paper.

        It estimates tokens from the labelled paragraphs; leaves the paragraph that reaches theta
        out of the group; takes the first paragraph shown, and the one just past the group, as
        valid answers; starts the next group after the answer; lets a group without an answer pass
        without a boundary; and starts no group in the last five paragraphs.

        Args:
            judge: As for the class.
            theta: The estimate that a group stays below.
            **options: Other arguments of the class, but `tokenizer` and `method`.
        """
        return cls(judge, theta=theta, method="published", **options)

    async def asegment(self, text: str) -> Segmentation:
        """Do as `segment`, without blocking the event loop while a judge is at work."""
        check_text(text)
        document, walk = await asyncio.to_thread(self._start, text)
        await adrive(walk, self._judge)
        return await asyncio.to_thread(self._finish, document, walk)

    def _segment(self, text: str) -> Segmentation:
        document, walk = self._start(text)
        drive(walk, self._judge)
        return self._finish(document, walk)

    def _start(self, text: str) -> tuple[Document, Walk]:
        """Find and count the units, and set out on the walk."""
        document = Document(text, self._find_units(text))
        return document, Walk(document, self._rules(document))

    def _rules(self, document: Document) -> WalkRules:
        texts = document.texts(0, len(document.units))
        if self.method == "published":
            return PublishedCodeRules([len(text.split()) for text in texts], self.theta)
        return MethodRules(self._counter.count(texts), self.theta)

    def _finish(self, document: Document, walk: Walk) -> Segmentation:
        """Turn a finished walk into spans, and say what went wrong on the way."""
        units = document.units
        edges = [0, *walk.boundaries, len(units)] if units else []
        spans = tuple(
            Span(units[first].start, units[last - 1].end) for first, last in pairwise(edges)
        )
        segmentation = Segmentation(spans, walk.verdicts, total_usage(walk.verdicts))
        failures = Counter(verdict.outcome for verdict in segmentation.failures)
        if failures:
            logger.warning(
                "%d of %d groups got no usable answer and were kept whole (%s); "
                "the reasons are in the segmentation's verdicts",
                failures.total(),
                segmentation.usage.calls,
                ", ".join(f"{count} {outcome}" for outcome, count in failures.items()),
            )
        return self._bounded(document.text, segmentation, units)

    def _shown(self) -> list[str]:
        own = [repr(self._judge), f"theta={self.theta}", f"method={self.method!r}"]
        return [*own, *super()._shown()]
