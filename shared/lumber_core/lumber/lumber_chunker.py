"""LumberChunker (Duarte et al. 2024, arXiv 2406.17526) as a splitter."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from lumber_core.calls.deadlines import is_for_loop, run_for_loop
from lumber_core.checks import check_choice, check_positive
from lumber_core.chunking.chunker import Chunker, P, T, Work
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.chunking.size_settings import ChunkSize, check_sizes, greedy_sizes
from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.lumber.cost_estimate import Estimate, Prices, estimate, expected_usages
from lumber_core.lumber.fallback import GuardedJudge, OnFailure
from lumber_core.lumber.grouping import Group, MethodRules, PublishedCodeRules, TextUnits, WalkRules
from lumber_core.lumber.judges import Judge, JudgeLike, ModelJudge, as_judge
from lumber_core.lumber.position_warning import warn_of_positions
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.lumber.runner import AnyWalk, Progress, drive
from lumber_core.lumber.unit_windows import WINDOW_TOKENS, WindowWalk, cut_by_windows
from lumber_core.lumber.walk import Walk, cut_by_groups
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.storage.shared_cache import SharedStore
from lumber_core.support.identity import safe_repr
from lumber_core.text.parsed import ParsedText
from lumber_core.text.source import Source, as_sources
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

logger = logging.getLogger(__name__)

_ASYNC_CONCURRENCY = 8  # documents that asynchronous calls split at the same time, by default

# A unit that is too long is divided into parts as long as paragraphs: about five fit into a group.
_PARTS_PER_GROUP = 5


THETA = 550
"""The default of `theta`."""

Method = Literal["paper", "window"]

OnSegmentation = Callable[[int, str, Segmentation], object]
"""Called with the number of a text, from 0, the text, and its segmentation."""


class LumberChunker(Chunker):
    r"""Cuts where a judge finds a topic shift (section 3 of the paper).

    The judge reads a group of numbered units, with at most `theta` tokens in total, and names the
    first unit that starts new content. The chunk ends before it, and the next group starts with it.
    With `method="window"` the judge reads a long window and names all units that start new content.
    Cuts are then chosen among all units, mostly at the named ones, so that sizes hold.

    `segment_all` keeps up to `max_concurrency` questions in flight; its progress bar shows
    characters, calls and tokens. All methods that split raise `ModelSettingsError` if the model
    rejects the key, its name or the settings, `ModelUnavailableError` if it could not be reached
    and has never answered, and `JudgementError` if there is no usable answer about a group and
    `on_failure` is "raise".

    Args:
        judge: Who decides: a language model (`lumber_core.llms`), or a function or object that
            takes a group (`start` and `stop`: unit numbers in the document, half-open; `texts`) and
            returns the number of the unit that starts new content, or None. With the method
            `window` it returns a list of all such units.
        theta: Maximum tokens in a group; the paper finds 550 best (section 4), counted as 1.2 per
            word, which is about 600 tokens of a real tokenizer. With the method `window` it is only
            the maximum of a chunk.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": `theta`. None: no
            limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Units that the judge names, cut only if they exceed the limit: "paragraphs",
            "sentences", "sentences_and_lines", "markdown", or a callable from a text to
            `(start, end)` offsets.
        method: How the judge is asked: "paper" for one start at a time, a call for each chunk;
            "window" for all starts of a long window at once, about a tenth of the calls, with sizes
            chosen as in Bert.
        target_size: With the method `window`: preferred length of chunks in tokens. None: 78 % of
            the maximum.
        on_failure: What to do after a refusal, an unreadable answer, or if the model cannot be
            reached: "judge_locally" lets the bundled classifier decide, "keep_group" ends the chunk
            with the group and cuts a window by layout and sizes, "raise" raises. In any case the
            verdict states what happened.
        max_concurrency: Maximum number of questions in flight, over all texts of a call. With fewer
            texts than that, questions about later parts of the texts are asked in advance; with the
            method `paper` this takes about a tenth more calls. The chunks are the same. The judge
            is called from several threads or tasks, and not in the order of the text. None: one at
            a time; asynchronous methods work on 8 texts at once.
        store: A file that caches every answer, so that none is paid for twice. To share answers
            between machines: a `BaseStore` of LangChain or a `BaseKVStore` of LlamaIndex (Redis and
            others), or a function that returns one, which allows pickling. A custom judge needs an
            attribute `identity` for a store. None: answers are not kept.
        on_segmentation: Called as soon as a text is split, with the number of the text (from 0),
            the text, and its segmentation, which has failures and usage. Two texts of one list are
            never reported at once; asynchronous methods call it in a thread. An error that it
            raises ends the splitting.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each other.
        TypeError: A setting has the wrong type, or the judge is not callable.

    Example:
        >>> text = "Ann ran.\n\nShe fell.\n\nBob slept."
        >>> LumberChunker(lambda group: 2).split_text(text)
        ['Ann ran.\n\nShe fell.\n\n', 'Bob slept.']
    """

    window_tokens = WINDOW_TOKENS
    """Maximum tokens in a window. Tests set it on an object, for windows in short texts."""

    default_units = "paragraphs"
    not_in_identity = frozenset({"max_concurrency", "store", "on_segmentation"})

    def __init__(
        self,
        judge: JudgeLike,
        *,
        theta: int = THETA,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "paragraphs",
        method: Method = "paper",
        target_size: int | None = None,
        on_failure: OnFailure = "judge_locally",
        max_concurrency: int | None = None,
        store: AnswerStore | SharedStore | str | Path | None = None,
        on_segmentation: OnSegmentation | None = None,
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
    ) -> None:
        check_positive("theta", theta)
        check_choice("method", method, ("paper", "window"))
        check_choice("on_failure", on_failure, ("judge_locally", "keep_group", "raise"))
        if max_concurrency is not None:
            check_positive("max_concurrency", max_concurrency)
        if on_segmentation is not None and not callable(on_segmentation):
            raise TypeError(
                "on_segmentation must be callable with a number, a text and a segmentation, not "
                f"{safe_repr(on_segmentation)}"
            )
        check_sizes(chunk_size, target_size)
        # Groups are formed by the tokens of units, which may sum to less than those of a chunk.
        most = theta if chunk_size == "auto" else chunk_size
        if method == "window":
            _, target_size = greedy_sizes(most or theta, target_size)
        elif target_size is not None:
            raise ValueError(
                'target_size has no effect with method "paper": leave it out, or pass '
                'method="window"'
            )
        super().__init__(
            chunk_size=most,
            target_size=target_size,
            min_chunk_size=min_chunk_size,
            units=units,
            merge_sections=merge_sections,
            tokenizer=tokenizer,
            language=language,
        )
        checked_judge = as_judge(judge)
        if method == "window" and isinstance(checked_judge, ModelJudge):
            checked_judge = checked_judge.for_windows()
        answers = store if store is None or isinstance(store, AnswerStore) else AnswerStore(store)
        self.judge: Judge = checked_judge  # `_judge` asks it, unless the store has the answer
        self.theta = theta
        self.method: Method = method
        self.on_failure = on_failure
        self.max_concurrency = max_concurrency
        self.store = store
        self.on_segmentation = on_segmentation
        self._store = answers if checked_judge.waits else None
        self._judge = GuardedJudge(checked_judge, on_failure, self._store)

    @classmethod
    def as_published(cls, judge: JudgeLike, *, theta: int = THETA, **options: Any) -> LumberChunker:
        """Return a splitter that behaves like the code released with the paper.

        It counts round(1.2 x words) of the labelled paragraphs, and leaves the paragraph that
        reaches theta out of the group. The first paragraph of the group and the paragraph just past
        it are valid answers. The next group starts after the answer. A group without an answer sets
        no boundary. No group starts in the last five paragraphs.

        Args:
            judge: See the class.
            theta: Groups have fewer tokens than this, by that count.
            **options: Other arguments of the class, except `tokenizer` and `method`; `chunk_size`
                is None by default.
        """
        chunker = PublishedLumberChunker(
            judge, theta=theta, tokenizer="words", method="paper", **{"chunk_size": None, **options}
        )
        chunker._default_units = False  # lines are paragraphs, except in a source of Markdown
        return chunker

    def estimate(
        self, sources: Iterable[str | Source], *, prices: Prices | None = None
    ) -> Estimate:
        """Estimate the cost of splitting, without calling a model.

        Simulates the run with judges that answer late, at a likely place, and early in their
        groups. Windows do not depend on the answers, so their calls and prompts are exact. Tokens
        are counted with this splitter's tokenizer. Stored answers are not subtracted.

        Returns:
            Calls, tokens and, with `prices`, cost, each as lowest, most likely and highest value.
        """
        walks = (self._walk(self.parse(source)) for source in as_sources(sources))
        arguments = (self._questions, self.counter, self.theta)
        return estimate((expected_usages(walk, *arguments) for walk in walks), prices)

    def _segment_all(self, work: Work, *, show_progress: bool) -> list[Segmentation]:
        results: dict[int, Segmentation] = {}
        capacity = self.max_concurrency or (_ASYNC_CONCURRENCY if is_for_loop() else 1)
        total = sum(len(parsed.text) for parsed, _ in work) if show_progress else None
        with Progress(total) as progress:
            lanes = capacity if self.max_concurrency and self._judge.waits else 1
            walks = (self._walk(parsed, lanes) for parsed, _ in work)  # created when needed
            for number, walk in drive(
                walks, self._judge, capacity=capacity, on_verdict=progress.show
            ):
                results[number] = self._finish(number, walk, *work[number])
        return [results[number] for number in range(len(work))]

    async def call_async(self, split: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """See `Chunker`; the loop awaits a language model, and cancels its calls."""
        return await run_for_loop(split, *args, **kwargs)

    def _walk(self, parsed: ParsedText, lanes: int = 1) -> AnyWalk:
        if self.method == "window":
            # A unit that is longer than a chunk is divided, and the judge may name its parts.
            most = min(self._limits.chunk_size or self.window_tokens, self.window_tokens)
            units, tokens = self._units_and_tokens(parsed, most)
            return WindowWalk(TextUnits(parsed.text, units, parsed), tokens, self.window_tokens)
        units, rules = self._units_and_rules(parsed)
        give_up_after = self.judge.give_up_after if isinstance(self.judge, ModelJudge) else None
        return Walk(
            TextUnits(parsed.text, units, parsed), rules, lanes=lanes, give_up_after=give_up_after
        )

    def _units_and_rules(self, parsed: ParsedText) -> tuple[Sequence[Span], WalkRules]:
        """Return the units of a text, each counted once, and the rules of its walk."""
        units, tokens = self._units_and_tokens(parsed, self.theta)
        return units, MethodRules(tokens, self.theta)

    def _units_and_tokens(
        self, parsed: ParsedText, most: int
    ) -> tuple[Sequence[Span], Sequence[int]]:
        """Return the units of a text and their tokens; units above `most` tokens are divided."""
        units = parsed.units()
        tokens = self.counter.count([unit.of(parsed.text) for unit in units])
        if max(tokens, default=0) <= most:
            return units, tokens
        part = max(1, min(most, self.theta) // _PARTS_PER_GROUP)
        limits = replace(self._limits, chunk_size=most, min_chunk_size=None, target_size=part)
        all_units: list[Span] = []
        counts: list[int] = []
        for unit, count in zip(units, tokens, strict=True):
            if count <= most:
                all_units.append(unit)
                counts.append(count)
                continue
            parts = Cutter(parsed, limits).shorten([unit])
            all_units += parts
            counts += self.counter.count([part.of(parsed.text) for part in parts])
        return all_units, counts

    def _finish(
        self, number: int, walk: AnyWalk, parsed: ParsedText, limits: SizeLimits
    ) -> Segmentation:
        """Return the segmentation of a finished walk, report it, and log its failures."""
        if isinstance(walk, WindowWalk):
            segmentation = cut_by_windows(walk, parsed, limits)
        else:
            segmentation = cut_by_groups(walk, parsed, limits)
        failures = Counter(verdict.outcome for verdict in segmentation.failures)
        if failures:
            logger.warning(
                "%d of %d groups got no usable answer (%s); the reasons are in the segmentation's "
                "verdicts",
                failures.total(),
                sum(verdict.outcome != "single" for verdict in segmentation.verdicts),
                ", ".join(f"{count} {outcome}" for outcome, count in failures.items()),
            )
        of_windows = self.method == "window"
        if self.judge.waits or not of_windows:  # BertJudge may name every unit of a window
            warn_of_positions(segmentation.verdicts, of_windows=of_windows)
        if self.on_segmentation is not None:
            self.on_segmentation(number, walk.document.text, segmentation)
        return segmentation

    def _questions(self, group: Group) -> tuple[str, str]:
        if isinstance(self.judge, ModelJudge):
            return self.judge.questions(group)
        return PromptTemplate().render(group)

    @property
    def identity(self) -> str:
        """See `Chunker`; includes the settings that the judge has now."""
        repeats = self.judge.repeats if isinstance(self.judge, ModelJudge) else None
        return self._identify(judge=self._judge, repeats=repeats)


class PublishedLumberChunker(LumberChunker):
    """Behaves like the code released with the paper; see `LumberChunker.as_published`."""

    def _units_and_rules(self, parsed: ParsedText) -> tuple[Sequence[Span], WalkRules]:
        units = parsed.units()
        words = [len(unit.of(parsed.text).split()) for unit in units]
        return units, PublishedCodeRules(words, self.theta)
