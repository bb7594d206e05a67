import asyncio
import tempfile
from pathlib import Path
from typing import Any
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import CallPolicy, Completion, JudgementError, LumberChunker, ModelJudge
from tests.core.core_support import group
from tests.core.lumber.support import story
from tests.profiles import examples

KINDS = ("usable", "unreadable", "outside", "refused", "empty", "denial", "blocked", "down", "bug")


class FickleModel:
    """Answers by nothing but the prompt: usably, or with a fault."""

    identity = "fickle"

    def __init__(self, seed: int, shares: list[int]) -> None:
        self._seed = seed
        pairs = zip(KINDS, shares, strict=True)
        self._kinds = [kind for kind, share in pairs for _ in range(share)]

    def complete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        allowed = answers.allowed if answers else ("none",)
        number = crc32(f"{self._seed}{user}".encode())
        kind = self._kinds[number % len(self._kinds)]
        if "Hello" in user:
            kind = "refused"
        if kind == "down":
            raise ConnectionResetError
        if kind == "bug":
            raise ZeroDivisionError(user)
        text = {
            "usable": f"Answer: {allowed[number // 97 % len(allowed)]}",
            "unreadable": "Lovely weather.",
            "outside": "Answer: 99999",
            "refused": "I'm sorry, but I can't assist with that request.",
            "denial": "The content does not shift in any of these paragraphs.",
        }.get(kind, "")
        return Completion(text, finish_reason="content_filter" if kind == "blocked" else "stop")

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        await asyncio.sleep(crc32(user.encode()) % 3 / 2000)
        return self.complete(system, user, answers=answers)


def outcome_of(chunker: LumberChunker, texts: list[str], way: str) -> object:
    """Return all that must not depend on how the texts are split, or the error."""
    try:
        if way == "sync":
            results = chunker.segment_all(texts)
        else:
            results = asyncio.run(chunker.call_async(chunker.segment_all, texts))
    except (JudgementError, ZeroDivisionError):  # which error comes first differs
        return "ended"
    return [
        (
            segmentation.spans,
            [(v.start, v.stop, v.unit, v.starts, v.outcome) for v in segmentation.verdicts],
        )
        for segmentation in results
    ]


@examples(6, long=20)
@given(
    seed=st.integers(0, 10**6),
    shares=st.tuples(st.integers(1, 6), *[st.integers(0, 6)] * 7, st.integers(0, 1)),
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=3),
    on_failure=st.sampled_from(["keep_group", "judge_locally", "raise"]),
    method=st.sampled_from(["paper", "paper", "window"]),
    give_up_after=st.sampled_from([None, 1, 3]),
)
def test_concurrent_calls_give_the_result_of_sequential_ones(
    seed, shares, lengths, on_failure, method, give_up_after
) -> None:
    texts = [story(length, number) for number, length in enumerate(lengths)]
    policy = CallPolicy(attempts=1, give_up_after=give_up_after)
    down = shares[-2] if give_up_after is None else 0  # outages pause calls for a time
    shares = [*shares[:-2], down, shares[-1]]

    def split(way: str, concurrency: int | None, store: Path | None = None) -> object:
        judge = ModelJudge(FickleModel(seed, shares), policy=policy)
        judge.judge(group(["Hello.", "Hello."]))  # otherwise a fault would end the run
        options = {"theta": 60, "on_failure": on_failure, "method": method, "store": store}
        chunker = LumberChunker(judge, max_concurrency=concurrency, **options)
        chunker.window_tokens = 80
        return outcome_of(chunker, texts, way)

    sequential = split("sync", None)
    with tempfile.TemporaryDirectory() as folder:
        for way, concurrencies in (("sync", (4, 16)), ("async", (None, 1, 4, 16))):
            for concurrency in concurrencies:
                assert split(way, concurrency) == sequential, (way, concurrency)
            assert split(way, 16, Path(folder, way)) == sequential, way
            assert split("sync", None, Path(folder, way)) == sequential, "stored"
