"""Windows of units: their extents, which one decides where two overlap, and the chunks."""

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import (
    BertJudge,
    CallPolicy,
    Completion,
    Group,
    LayoutChunker,
    LumberChunker,
    ModelJudge,
    Verdict,
)
from lumber_core.llms.openai import OpenAIModel
from lumber_core.lumber.grouping import TextUnits
from lumber_core.lumber.judges import as_verdict
from lumber_core.lumber.unit_windows import UnitWindow, WindowWalk
from lumber_core.spans import Span
from tests.core.core_support import with_
from tests.core.lumber.support import ScriptedModel, story
from tests.loopback.server import LoopbackServer
from tests.profiles import examples
from tests.tiling import check_tiling

counts = st.lists(st.one_of(st.integers(0, 30), st.integers(0, 300)), max_size=120)


def name_thirds(window: Group) -> list[int]:
    """Name units by nothing but their own texts, so that all windows agree."""
    return [
        unit
        for unit, text in zip(window.choices, window.texts[1:], strict=True)
        if crc32(text.strip().encode("utf-8", "surrogatepass")) % 3 == 0
    ]


def refuse(window: Group) -> list[int]:
    return [-1]


def chunker(judge: object = name_thirds, **options: object) -> LumberChunker:
    tokens = options.pop("window_tokens", 200)
    settings: dict[str, Any] = {"theta": 60, **options}
    lumber = LumberChunker(judge, method="window", **settings)
    return cast(LumberChunker, with_(lumber, window_tokens=tokens))


def walk_of(tokens: list[int], window_tokens: int) -> WindowWalk:
    units = [Span(n, n + 1) for n in range(len(tokens))]
    return WindowWalk(TextUnits("x" * len(tokens), units), tokens, window_tokens)


@examples(200)
@given(counts, st.integers(1, 400))
def test_windows_fit_overlap_and_offer_every_unit_but_the_first(tokens: list[int], most: int):
    windows = [(window.start, window.stop) for window in walk_of(tokens, most).groups]
    sizes = [max(1, count) for count in tokens]
    assert {u for a, b in windows for u in range(a + 1, b)} == {*range(1, len(tokens))}
    for start, stop in windows:
        assert stop - start == 2 or sum(sizes[start:stop]) <= most
    for (start, stop), (after, end) in pairwise(windows):
        assert start < after < stop < end
        assert after == stop - 1 or sum(sizes[after:stop]) <= most / 10


@examples(100)
@given(counts, st.integers(20, 400), st.randoms(use_true_random=False))
def test_the_window_in_which_a_unit_lies_farther_from_the_edge_decides(tokens, most, order) -> None:
    walk = walk_of(tokens, most)
    windows = [*walk.groups]
    order.shuffle(windows)
    for window in windows:
        walk.record(Verdict(window.start, window.stop, None, "no_shift"))
    assert walk.done
    before = [sum(max(1, count) for count in tokens[:unit]) for unit in range(len(tokens) + 1)]
    for one, following in pairwise(walk.groups):
        for unit in set(one.choices) & set(following.choices):
            if sum(unit in window.choices for window in windows) == 2:
                room = before[one.stop] - before[unit], before[unit] - before[following.start]
                farther = one if room[0] >= room[1] else following
                deciding = walk.deciding_verdict(unit)
                assert deciding is not None
                assert deciding.start == farther.start


def test_a_verdict_that_matches_no_window_is_refused() -> None:
    with pytest.raises(ValueError, match="no window of this walk goes from 0 to 1"):
        walk_of([1, 1], 10).record(Verdict(0, 1, None, "no_shift"))


@examples(15)
@given(st.integers(1, 150), st.integers(0, 10**6), st.integers(60, 400))
def test_a_copy_asks_about_as_many_windows_as_were_estimated(length: int, seed: int, most: int):
    texts = [story(length, seed), "", story(7, seed + 1), "One paragraph."]
    copy = pickle.loads(pickle.dumps(chunker(window_tokens=most)))
    calls = [segmentation.usage.calls for segmentation in copy.segment_all(texts)]
    assert calls == [chunker(window_tokens=most).estimate([t]).calls.likely for t in texts]


def test_named_starts_begin_chunks_if_sizes_allow_and_keep_their_verdict() -> None:
    text = story(120)
    segmentation = chunker(chunk_size=None, target_size=50, theta=400).segment(text)
    units = chunker().parse(text).units()
    named_starts = {
        units[unit].start for verdict in segmentation.verdicts for unit in verdict.starts
    }
    setters = {
        span.start: verdict
        for span, verdict in zip(segmentation.spans, segmentation.start_verdicts, strict=True)
        if verdict is not None
    }
    assert len(named_starts) > 20
    assert len(named_starts - {*setters}) <= 0.1 * len(named_starts)  # next to tiny chunks
    assert setters.keys() <= named_starts
    assert len(setters) > 0.6 * len(segmentation.spans)  # every third unit is named
    assert all(units[verdict.unit or 0].start == start for start, verdict in setters.items())


def test_chunks_are_not_tiny_even_if_a_judge_names_every_unit() -> None:
    text = story(200)
    segmentation = chunker(lambda window: window.choices, target_size=40).segment(text)
    sizes = chunker().counter.count(segmentation.chunks(text))
    assert sum(sizes) / len(sizes) > 12


@pytest.mark.parametrize("on_failure", ["judge_locally", "keep_group"])
def test_windows_without_an_answer_are_cut_as_without_a_model(on_failure: str) -> None:
    text = story(150)
    failed = chunker(refuse, on_failure=on_failure, target_size=40).segment(text)
    if on_failure == "judge_locally":
        other = chunker(BertJudge(), target_size=40).segment(text)
    else:
        other = LayoutChunker(units="paragraphs", chunk_size=60, target_size=40).segment(text)
    assert failed.spans == other.spans
    assert len(failed.failures) == len(failed.verdicts) > 3


@pytest.mark.parametrize(
    ("answer", "starts", "outcome"),
    [
        *((None, (), "no_shift"), ([], (), "no_shift"), ([2, 2, 1], (1, 2), "shift")),
        *((1, (), "unreadable"), ("1", (), "unreadable"), ([None], (), "unreadable")),
        *(([1, 99], (), "outside"), ([True], (), "unreadable")),
        (Verdict(0, 4, 1, "shift", starts=(1, 3)), (1, 3), "shift"),
        (Verdict(0, 4, 1, "shift", starts=(4,)), (), "outside"),
        (Verdict(0, 4, None, "no_shift", starts=(0.5,)), (), "unreadable"),  # type: ignore[arg-type]
        (Verdict(0, 4, None, "shift", starts=7), (), "unreadable"),  # type: ignore[arg-type]
    ],
)
def test_a_function_returns_a_list_of_units(answer: object, starts: tuple[int, ...], outcome: str):
    document = TextUnits("abcd", [Span(n, n + 1) for n in range(4)])
    verdict = as_verdict(UnitWindow(document, 0, 4), answer)
    assert (verdict.starts, verdict.outcome) == (starts, outcome)
    assert verdict.unit == min(starts, default=None)


def test_windows_are_stored_separately_from_groups_and_asked_once(tmp_path: Path) -> None:
    class Judged:
        identity = "thirds"
        asked = 0

        def judge(self, group: Group) -> Any:
            self.asked += 1
            return name_thirds(group) if isinstance(group, UnitWindow) else None

    judge, text = Judged(), story(150)
    first = chunker(judge, store=tmp_path / "answers.db").segment(text)
    calls = judge.asked
    assert chunker(judge, store=tmp_path / "answers.db").segment(text) == first
    assert judge.asked == calls > 3
    LumberChunker(judge, theta=200, store=tmp_path / "answers.db").segment(text)
    assert judge.asked > calls
    # Equal windows elsewhere share the answer, moved to their place.
    twice = chunker(judge, store=tmp_path / "answers.db").segment(f"{text}\n\n{text}")
    check_tiling(twice.spans, 2 * len(text) + 2)
    assert twice.failures == ()


@pytest.mark.parametrize(
    ("reply", "outcome", "starts"),
    [
        (Completion("Answer: ID 1, ID 3"), "shift", (1, 3)),
        (Completion("Answer: none"), "no_shift", ()),
        (Completion("Answer: ID 1, ID 9"), "shift", (1,)),
        (Completion("Answer: ID 8, ID 9"), "outside", ()),
        (Completion("It is a story."), "unreadable", ()),
        (Completion("Answer: ID 1, ID", finish_reason="length"), "unreadable", ()),
        (Completion("", finish_reason="SAFETY"), "refused", ()),
    ],
)
def test_a_models_reply_about_a_window_is_read_once_more_at_most(reply, outcome, starts) -> None:
    model = ScriptedModel(reply, reply)
    judge = ModelJudge(model, policy=CallPolicy(repeats=1)).for_windows()
    document = TextUnits("abcd", [Span(n, n + 1) for n in range(4)])
    verdict = judge.judge(UnitWindow(document, 0, 4))
    assert (verdict.outcome, verdict.starts, verdict.answer) == (outcome, starts, reply.text)
    is_repeated = outcome in ("outside", "unreadable")
    assert verdict.usage.calls == len(model.history) == 1 + is_repeated
    assert model.history[0][0] != ModelJudge(model).questions(Group(document, 0, 4))[0]
    if is_repeated:
        assert "ID n, ID n, ID n" in model.history[1][1]


@pytest.mark.parametrize("structured", [True, False])
def test_a_server_is_asked_for_lists_a_tenth_as_often(structured: bool) -> None:
    text = story(400)
    with LoopbackServer("Answer: none") as server:
        model = OpenAIModel("m", base_url=server.openai_url, structured=structured)
        segmentation = chunker(ModelJudge(model), window_tokens=1200).segment(text)
        windows = server.count
        form = server.requests[0].body.get("response_format", {})
        LumberChunker(ModelJudge(model), theta=60).segment(text)
    assert segmentation.failures == ()
    assert windows == segmentation.usage.calls
    assert windows * 10 <= server.count - windows
    assert ("array" in str(form)) == structured
