"""LumberChunker (Duarte et al. 2024, arXiv 2406.17526) as a splitter."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from lumber_core.checks import check_positive, check_text, check_texts
from lumber_core.chunker import Chunker
from lumber_core.lumber.cache import AnswerStore, CachedJudge
from lumber_core.lumber.estimate import (
    COMPLETION_TOKENS,
    EARLY,
    LATE,
    LIKELY,
    Estimate,
    Prices,
    estimate,
    rehearsed,
)
from lumber_core.lumber.fallback import FallbackJudge, OnFailure, local_judge
from lumber_core.lumber.grouping import (
    Group,
    MethodRules,
    PublishedCodeRules,
    TextUnits,
    WalkRules,
)
from lumber_core.lumber.judges import JudgeLike, ModelJudge, as_judge
from lumber_core.lumber.protocol import PromptTemplate
from lumber_core.lumber.runner import Progress, adrive, drive
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Segmentation, Usage
from lumber_core.spans import Span
from lumber_core.tokens import TokenCounterSpec
from lumber_core.units import UnitSpec

logger = logging.getLogger(__name__)

Method = Literal["paper", "published"]

# Documents in flight at once in asynchronous calls where nothing else is asked for.
_DEFAULT_ASYNC_CONCURRENCY = 8


class LumberChunker(Chunker):
    r"""Cuts where a judge says that the content turns (section 3 of the paper).

    The judge is shown a group of numbered units, at most `theta` tokens together, and names the
    first that starts new content. The chunk ends there, and the next group starts there.

    Args:
        judge: Who decides: a function or object that takes a group (`start` and `stop`: unit
            numbers in the document, half-open; `texts`) and returns a unit number or None; or a
            language model (`lumber_core.llms`).
        theta: Most tokens in a group; the paper finds 550 best (section 4). A longer unit is a
            group by itself.
        tokenizer: Counts tokens: "words" is the paper's estimate of 1.2 tokens a word and needs
            no vocabulary; see `lumber_core.tokens.token_counter`.
        units: What may not be cut: "paragraphs", "sentences", or a callable from a text to
            `(start, end)` offsets.
        method: "paper", or "published" for the rules of the code released with the paper; see
            `as_published`.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.
        max_concurrency: Most questions in flight at once, over all texts of a call. Several texts
            fill it first; what is left walks ahead on the same text (see `max_extra_calls`). The
            result stays the sequential one, but the judge is called from several threads or
            tasks, and not in the order of the text. None asks one question at a time; the
            asynchronous methods then still work on 8 texts at once.
        max_extra_calls: Share of a text's calls that walking ahead may waste; 0 never walks
            ahead. It is a target: no more is started than is expected to keep within it, and
            walking ahead ends once more is known to be wasted. With models whose answers follow
            the content it holds; a judge that answers regardless of it can waste more before
            that shows.
        store: A file that keeps every answer, so that none is paid for twice; a judge of your own
            needs an attribute `identity` then.
        on_failure: What follows from a refusal, an unreadable answer, or a model that cannot be
            reached: "judge_locally" lets the bundled BERT decide, "keep_group" ends the chunk with
            the group, "raise" raises. The verdict says what happened in any case.
        prices: What the model costs, for `estimate` and progress.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type; the judge is not callable.

    Example:
        >>> text = "Ann ran.\n\nShe fell.\n\nBob slept."
        >>> LumberChunker(lambda group: 2).segment(text).chunks(text)
        ['Ann ran.\n\nShe fell.\n\n', 'Bob slept.']
    """

    def __init__(
        self,
        judge: JudgeLike,
        *,
        theta: int = 550,
        tokenizer: TokenCounterSpec = "words",
        units: UnitSpec = "paragraphs",
        method: Method = "paper",
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
        max_concurrency: int | None = None,
        max_extra_calls: float = 0.05,
        store: AnswerStore | str | Path | None = None,
        on_failure: OnFailure = "judge_locally",
        prices: Prices | None = None,
    ) -> None:
        check_positive("theta", theta)
        if method not in ("paper", "published"):
            raise ValueError(f'method must be "paper" or "published", not {method!r}')
        if method == "published" and tokenizer != "words":
            raise ValueError(
                'method "published" estimates tokens as 1.2 a word: leave tokenizer at "words"'
            )
        if max_concurrency is not None:
            check_positive("max_concurrency", max_concurrency)
        if not 0 <= max_extra_calls <= 1:
            raise ValueError(f"max_extra_calls must be a share from 0 to 1, not {max_extra_calls}")
        super().__init__(
            tokenizer=tokenizer,
            units=units,
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
        )
        self._asked = as_judge(judge)
        remembering = self._asked
        if store is not None and self._asked.waits:
            kept = store if isinstance(store, AnswerStore) else AnswerStore(store)
            remembering = CachedJudge(self._asked, kept)
        self._judge = FallbackJudge(remembering, on_failure, local_judge())
        self._max_concurrency = max_concurrency
        self._max_extra_calls = max_extra_calls
        self._prices = prices
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

    def segment_all(
        self, texts: Iterable[str], *, show_progress: bool = False
    ) -> list[Segmentation]:
        """Split many texts, up to `max_concurrency` questions being in flight at once.

        Args:
            texts: The texts; all are checked before the first is split.
            show_progress: Show a progress bar: units passed, calls, tokens, and cost where prices
                are known.

        Returns:
            One segmentation for each text, in order: each as `segment` gives it.

        Raises:
            TypeError: An item is not a string.
            ModelSettingsError: The model refuses the key, the name or the settings.
            JudgementError: A group got no usable answer, and `on_failure` is "raise".
        """
        checked = check_texts(texts)
        results: dict[int, Segmentation] = {}
        capacity = self._max_concurrency or 1
        with Progress(self._progress_total(checked, show_progress), self._prices) as progress:
            walks = self._walks(checked, capacity, progress.starts)
            for number, walk in drive(
                walks, self._judge, capacity=capacity, on_verdict=progress.verdict
            ):
                results[number] = self._finish(walk)
        return [results[number] for number in range(len(checked))]

    async def asegment_all(
        self, texts: Iterable[str], *, show_progress: bool = False
    ) -> list[Segmentation]:
        """Do as `segment_all`, without blocking the event loop while a judge is at work."""
        checked = check_texts(texts)
        results: dict[int, Segmentation] = {}
        capacity = self._max_concurrency or _DEFAULT_ASYNC_CONCURRENCY
        total = await asyncio.to_thread(self._progress_total, checked, show_progress)
        with Progress(total, self._prices) as progress:
            await adrive(
                self._walks(checked, capacity, progress.starts),
                self._judge,
                capacity=capacity,
                on_verdict=progress.verdict,
                on_finished=lambda number, walk: results.update({number: self._finish(walk)}),
            )
        return [results[number] for number in range(len(checked))]

    async def asegment(self, text: str) -> Segmentation:
        """Do as `segment`, without blocking the event loop while a judge is at work."""
        check_text(text)
        (segmentation,) = await self.asegment_all([text])
        return segmentation

    def estimate(self, texts: Iterable[str], *, prices: Prices | None = None) -> Estimate:
        """Say what splitting will take, without asking anybody.

        The same walk is walked with free judges whose answers fall late, as is likely, and early
        in their groups. Tokens are counted with this splitter's tokenizer; answers that a store
        holds already are not taken off.

        Args:
            texts: The texts.
            prices: What the model costs; the splitter's own unless given.

        Returns:
            Ranges of calls, tokens and cost, each with its most likely value.
        """
        checked = check_texts(texts)
        late, likely, early = (self._rehearse(checked, share) for share in (LATE, LIKELY, EARLY))
        return estimate((late, likely, early), prices or self._prices)

    def dry_run(self, texts: Iterable[str], path: str | Path) -> int:
        """Write the prompts of a likely walk to a file, without asking anybody.

        Args:
            texts: The texts.
            path: A file of JSON lines: `document`, `start`, `stop`, `system`, `user`.

        Returns:
            How many prompts were written.
        """
        written = 0
        with Path(path).open("w", encoding="utf-8") as file:
            for number, text in enumerate(check_texts(texts)):
                for group in self._rehearsal(text, LIKELY):
                    system, user = self._questions(group)
                    line = {
                        "document": number,
                        "start": group.start,
                        "stop": group.stop,
                        "system": system,
                        "user": user,
                    }
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
                    written += 1
        return written

    def _segment(self, text: str) -> Segmentation:
        (segmentation,) = self.segment_all([text])
        return segmentation

    def _walks(
        self, texts: Iterable[str], capacity: int, starts: Callable[[int], None]
    ) -> Iterator[Walk]:
        """Set out on the walk through each text, when it is its turn."""
        lanes = capacity if self._max_concurrency and self._judge.waits else 1
        for text in texts:
            document = TextUnits(text, self._find_units(text))
            starts(len(document.units))
            yield Walk(
                document,
                self._rules(document),
                lanes=lanes if self._max_extra_calls else 1,
                max_extra_calls=self._max_extra_calls,
            )

    def _rules(self, document: TextUnits) -> WalkRules:
        texts = document.texts(0, len(document.units))
        if self.method == "published":
            return PublishedCodeRules([len(text.split()) for text in texts], self.theta)
        return MethodRules(self._counter.count(texts), self.theta)

    def _finish(self, walk: Walk) -> Segmentation:
        """Turn a finished walk into spans, and say what went wrong on the way."""
        units = walk.document.units
        edges = [0, *walk.boundaries, len(units)] if units else []
        spans = tuple(
            Span(units[first].start, units[last - 1].end) for first, last in pairwise(edges)
        )
        segmentation = Segmentation(spans, walk.verdicts, walk.usage)
        failures = Counter(verdict.outcome for verdict in segmentation.failures)
        if failures:
            logger.warning(
                "%d of %d groups got no usable answer (%s); the reasons are in the segmentation's "
                "verdicts",
                failures.total(),
                sum(verdict.outcome != "single" for verdict in segmentation.verdicts),
                ", ".join(f"{count} {outcome}" for outcome, count in failures.items()),
            )
        return self._bounded(walk.document.text, segmentation, units)

    def _progress_total(self, texts: list[str], shown: bool) -> int | None:
        return sum(len(self._find_units(text)) for text in texts) if shown else None

    def _rehearsal(self, text: str, share: float) -> list[Group]:
        """Return the groups that would be asked about if answers fell at `share` of them."""
        (walk,) = self._walks([text], 1, _ignore)
        return rehearsed(walk, share)

    def _rehearse(self, texts: list[str], share: float) -> Usage:
        usage = Usage()
        for text in texts:
            groups = self._rehearsal(text, share)
            prompts = [part for group in groups for part in self._questions(group)]
            usage += Usage(
                len(groups), sum(self._counter.count(prompts)), COMPLETION_TOKENS * len(groups)
            )
        return usage

    def _questions(self, group: Group) -> tuple[str, str]:
        if isinstance(self._asked, ModelJudge):
            return self._asked.questions(group)
        return PromptTemplate().render(group)

    def _shown(self) -> list[str]:
        own = [repr(self._judge), f"theta={self.theta}", f"method={self.method!r}"]
        return [*own, *super()._shown()]


def _ignore(units: int) -> None:
    """Show no progress."""
