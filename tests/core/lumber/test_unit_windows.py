"""Windows: which there are, who decides where two overlap, and what follows for the chunks."""

from __future__ import annotations

import asyncio
import pickle
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import BertChunker, BertJudge, Group, LayoutChunker, LumberChunker, Verdict
from lumber_core.lumber.answer_store import key
from lumber_core.lumber.grouping import TextUnits
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.unit_windows import UnitWindow, UnitWindowWalk, plan_unit_windows, scores_of
from lumber_core.spans import Span, check_tiling
from tests.contracts.texts import TEXTS
from tests.core.core_support import with_
from tests.core.lumber.support import story
from tests.lexical_judge import LexicalJudge
from tests.profiles import examples

counts = st.lists(st.one_of(st.integers(0, 30), st.integers(0, 300)), max_size=120)


def thirds(window: Group) -> list[int]:
    """Name units by nothing but their own texts, so that all windows agree."""
    return [
        unit
        for unit, text in zip(window.choices, window.texts[1:], strict=True)
        if crc32(text.strip().encode("utf-8", "surrogatepass")) % 3 == 0
    ]


def refuse(window: Group) -> list[int]:
    return [-1]


def chunker(judge: object = thirds, **options: object) -> LumberChunker:
    tokens = options.pop("window_tokens", 200)
    given: dict[str, Any] = {"theta": 60, **options}
    made = LumberChunker(judge, method="window", **given)
    return cast(LumberChunker, with_(made, window_tokens=tokens))


@examples(200)
@given(counts, st.integers(1, 400))
def test_windows_fit_overlap_and_offer_every_unit_but_the_first(
    tokens: list[int], most: int
) -> None:
    windows = plan_unit_windows(tokens, most)
    sizes = [max(1, count) for count in tokens]
    assert {u for a, b in windows for u in range(a + 1, b)} == {*range(1, len(tokens))}
    for start, stop in windows:
        assert stop - start == 2 or sum(sizes[start:stop]) <= most
    for (start, stop), (after, end) in pairwise(windows):
        assert start < after < stop < end
        assert after == stop - 1 or sum(sizes[after:stop]) <= most / 10


@examples(100)
@given(counts, st.integers(20, 400), st.randoms(use_true_random=False))
def test_the_window_in_which_a_unit_lies_farther_from_the_edge_decides(
    tokens: list[int], most: int, order: random.Random
) -> None:
    text = "x" * len(tokens)
    walk = UnitWindowWalk(TextUnits(text, [Span(n, n + 1) for n in range(len(text))]), tokens, most)
    windows = walk.groups
    order.shuffle(windows)
    for window in windows:  # each is told by its own score
        scores = tuple(float(window.start + 1) for _ in window.choices)
        walk.record(Verdict(window.start, window.stop, window.start + 1, "shift", scores=scores))
    assert walk.done
    before = [sum(max(1, count) for count in tokens[:unit]) for unit in range(len(tokens) + 1)]
    for one, other in pairwise(walk.groups):
        for unit in set(one.choices) & set(other.choices):
            if sum(unit in window.choices for window in windows) == 2:
                room = before[one.stop] - before[unit], before[unit] - before[other.start]
                farther = one if room[0] >= room[1] else other
                assert walk.score(unit) == farther.start + 1


def test_a_verdict_on_no_window_is_refused() -> None:
    walk = UnitWindowWalk(TextUnits("ab", [Span(0, 1), Span(1, 2)]), [1, 1], 10)
    with pytest.raises(ValueError, match="no window of this walk goes from 0 to 1"):
        walk.record(Verdict(0, 1, None, "no_shift"))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("judge", [thirds, refuse, LexicalJudge()])
def test_chunks_tile_every_text_and_keep_its_sizes(name: str, judge: object) -> None:
    text = TEXTS[name]
    made = chunker(judge, on_failure="keep_group", chunk_size=40, min_chunk_size=8).segment(text)
    check_tiling(made.spans, len(text))
    sizes = chunker().counter.count([part.strip() for part in made.chunks(text)])
    assert max(sizes, default=0) <= 40
    assert len(made.start_verdicts) == len(made.spans)


@examples(40)
@given(st.integers(1, 150), st.integers(0, 10**6), st.integers(60, 400))
def test_the_chunks_do_not_depend_on_how_a_text_is_split(length: int, seed: int, most: int) -> None:
    texts = [story(length, seed), "", story(7, seed + 1), "One paragraph."]
    one = chunker(window_tokens=most)
    alone = [one.segment_all([text])[0] for text in texts]
    many = chunker(window_tokens=most, max_concurrency=7)
    assert many.segment_all(texts) == alone
    assert asyncio.run(pickle.loads(pickle.dumps(one)).asegment_all(texts)) == alone
    assert asyncio.run(many.asegment_all(texts)) == alone
    assert [made.usage.calls for made in alone] == [one.estimate([t]).calls.likely for t in texts]


def test_every_named_start_is_a_chunk_if_sizes_allow() -> None:
    text = story(120)
    made = chunker(chunk_size=None, target_size=20, theta=400).segment(text)
    units = chunker().parse(text).units()
    named = {units[unit].start for verdict in made.verdicts for unit in verdict.named}
    starts = {span.start for span in made.spans}
    assert len(named) > 20
    assert len(named - starts) <= 0.1 * len(named)  # those beside a chunk of a few tokens


def test_every_chunk_says_what_decided_its_start() -> None:
    text = story(200)

    def partly(window: Group) -> list[int]:
        return [-1] if window.start == 0 else thirds(window)

    made = chunker(partly, on_failure="keep_group").segment(text)
    units = chunker().parse(text).units()
    named = {units[unit].start for verdict in made.verdicts for unit in verdict.named}
    first, *others = zip(made.spans, made.start_verdicts, strict=True)
    assert first[1] is None
    outcomes = set()
    for span, verdict in others:
        assert verdict is not None
        outcomes.add(verdict.outcome)
        if verdict.outcome == "shift":
            assert units[verdict.unit or 0] == (span.start, units[verdict.unit or 0].end)
            assert span.start in named
        elif verdict.outcome == "outside":
            assert "cut by layout and sizes instead" in verdict.reason
        else:
            assert verdict.outcome == "no_shift"
            assert "layout and sizes decided" in verdict.reason
    assert outcomes == {"shift", "no_shift", "outside"}


@pytest.mark.parametrize("on_failure", ["judge_locally", "keep_group"])
def test_windows_without_an_answer_are_cut_as_without_a_model(on_failure: str) -> None:
    text = story(150)
    sizes = {"units": "paragraphs", "chunk_size": 60, "target_size": 40}
    failed = chunker(refuse, on_failure=on_failure, target_size=40).segment(text)
    other = BertChunker(**sizes) if on_failure == "judge_locally" else LayoutChunker(**sizes)
    assert failed.spans == other.segment(text).spans
    assert len(failed.failures) == len(failed.verdicts) > 3
    if on_failure == "judge_locally":
        assert chunker(BertJudge(), target_size=40).segment(text).spans == failed.spans


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (None, "no_shift"),
        ([], "no_shift"),
        ([2, 2, 1], "shift"),
        (1, "unreadable"),
        ("1", "unreadable"),
        ([None], "unreadable"),
        ([1, 99], "outside"),
        ([True], "unreadable"),
        (Verdict(0, 4, None, "shift", scores=(1.0, -1.0, 2.0)), "shift"),
        (Verdict(0, 4, None, "shift", scores=(1.0,)), "unreadable"),
        (Verdict(0, 4, None, "no_shift", scores=(float("nan"),) * 3), "unreadable"),
    ],
)
def test_a_function_returns_a_list_of_units(answer: object, outcome: str) -> None:
    document = TextUnits("abcd", [Span(n, n + 1) for n in range(4)])
    verdict = as_verdict(UnitWindow(document, 0, 4), answer)
    assert verdict.outcome == outcome
    assert bool(verdict.scores) == (not verdict.failed)
    assert (verdict.unit is not None) == (outcome == "shift")
    assert verdict.unit == (verdict.named[0] if verdict.named else None)


def test_answers_about_groups_and_windows_of_the_same_units_are_stored_apart() -> None:
    document = TextUnits("abcd", [Span(n, n + 1) for n in range(4)])
    assert key("judge", UnitWindow(document, 0, 4)) != key("judge", Group(document, 0, 4))


def test_a_run_that_was_cut_short_asks_only_about_the_other_windows(tmp_path: Path) -> None:
    asked: list[int] = []

    class Stopping:
        identity = "stopping"
        most = 9

        def judge(self, window: Group) -> list[int]:
            if len(asked) == self.most:
                raise KeyError
            asked.append(window.start)
            return thirds(window)

    judge = Stopping()
    with pytest.raises(KeyError):
        chunker(judge, store=tmp_path / "answers.db").segment(story(300))
    judge.most = 999
    made = chunker(judge, store=tmp_path / "answers.db").segment(story(300))
    assert made == chunker().segment(story(300))
    assert len(asked) == len(set(asked)) == len(made.verdicts) > 9


def test_a_strong_start_outweighs_sizes_where_another_does_not() -> None:
    """Two starts a few words apart: with a tiny chunk between them, unless both are strong."""
    text = "\n\n".join(["word " * 40, "w " * 3, "word " * 40])

    def marked(strong: list[int]):
        def judge(window: Group) -> Verdict:
            scores = tuple(scores_of(window, [1, 2], strong))  # type: ignore[arg-type]
            return Verdict(window.start, window.stop, 1, "shift", scores=scores)

        return judge

    sizes = {"theta": 400, "target_size": 60, "tokenizer": "words"}
    assert len(chunker(marked([]), **sizes).segment(text).spans) == 2
    assert len(chunker(marked([1, 2]), **sizes).segment(text).spans) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "paper", "target_size": 9}, 'no effect with method "paper"'),
        ({"target_size": 61}, r"must not be above chunk_size \(60\)"),
        ({"method": "windows"}, 'method must be "paper" or "window"'),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        LumberChunker(thirds, **{"theta": 60, "method": "window", **settings})  # type: ignore[arg-type]
