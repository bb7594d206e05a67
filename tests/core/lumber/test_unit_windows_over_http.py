"""Windows and a model behind a server: calls, tokens, retries, cut lists, stores, forged labels."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import pytest

from lumber_core import (
    CallPolicy,
    LumberChunker,
    ModelJudge,
    Segmentation,
)
from lumber_core.llms import GeminiModel, LocalModel, OpenAIModel
from lumber_core.spans import check_tiling
from tests.core.core_support import with_
from tests.core.lumber.support import ScatteredModel, story, warnings
from tests.loopback.faults import Drop, Refusal, Reply, Says, Status, cut
from tests.loopback.server import LoopbackServer, Request

QUICK = CallPolicy(initial_backoff=0.0)
_LINE = re.compile(r"^ID (\d+): (.*)$", re.MULTILINE)


def starts_of(request: Request) -> list[int]:
    """Name units by nothing but their own lines."""
    lines = _LINE.findall(request.user)[1:]
    return [int(unit) for unit, text in lines if crc32(text.encode()) % 3 == 0]


def named(request: Request) -> str:
    return "Answer: " + (", ".join(f"ID {unit}" for unit in starts_of(request)) or "none")


def chunker(server: LoopbackServer, store: Path | None = None, **options: object) -> LumberChunker:
    model = OpenAIModel("any", base_url=server.openai_url)
    tokens = options.pop("window_tokens", 200)
    given: dict[str, Any] = {"theta": 60, "store": store, **options}
    made = LumberChunker(ModelJudge(model, policy=QUICK), method="window", **given)
    return cast(LumberChunker, with_(made, window_tokens=tokens))


@pytest.fixture(scope="module")
def expected() -> Segmentation:
    with LoopbackServer(named) as server:
        return chunker(server).segment(story(150))


def test_a_rate_limit_a_refusal_and_a_dropped_line_lose_nothing(expected: Segmentation) -> None:
    faults = {2: Status(429), 3: Drop("body"), 5: Refusal(), 6: Says("As you wish: ID 1 or ID 2?")}
    with LoopbackServer(named, faults=faults) as server:
        made = chunker(server, on_failure="keep_group").segment(story(150))
    check_tiling(made.spans, len(story(150)))
    (failure,) = made.failures
    assert failure.outcome == "refused"
    kept = [verdict for verdict in made.verdicts if not verdict.failed]
    assert kept == [v for v in expected.verdicts if v.start != failure.start]


def cut_after(text: str, tokens: int) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 50, "completion_tokens": tokens, "total_tokens": 50 + tokens}
    reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "any", "usage": usage}
    return Reply(200, json.dumps(reply | {"choices": [choice | {"finish_reason": "length"}]}))


def test_the_rest_of_a_list_that_was_cut_off_is_asked_for(expected: Segmentation) -> None:
    asked: list[str] = []

    def limited(request: Request) -> Reply | None:
        asked.append(request.user)
        after = re.search(r"cut off after ID (\d+)", request.user)
        units = [unit for unit in starts_of(request) if unit > int(after[1] if after else 0)]
        listed = ", ".join(f"ID {unit}" for unit in units[:3])
        # The next label is cut in half.
        return cut_after(f"Answer: {listed}, ID 1", 12) if len(units) > 2 else None

    def rest(request: Request) -> str:
        after = re.search(r"cut off after ID (\d+)", request.user)
        units = [unit for unit in starts_of(request) if unit > int(after[1] if after else 0)]
        return "Answer: " + (", ".join(f"ID {unit}" for unit in units) or "none")

    with LoopbackServer(rest, faults=limited) as server:
        made = chunker(server).segment(story(150))
    assert made.spans == expected.spans
    assert made.failures == ()
    assert made.usage.calls == server.count > len(made.verdicts)
    system = {request.system for request in server.requests}
    assert len(system) == 1  # the instructions first, unchanged
    assert all(user.startswith("<paragraphs>\nID ") for user in asked)


def test_a_list_without_an_end_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    def endless(request: Request) -> Reply:
        first = re.search(r"cut off after ID (\d+)", request.user)
        listed = ", ".join([f"ID {int(first[1]) + 1 if first else 1}"] * 5)
        return cut_after(f"Answer: {listed}, ID", 64)

    with LoopbackServer(faults=endless) as server:
        made = chunker(server, window_tokens=10_000, on_failure="keep_group").segment(story(60))
    assert server.count <= 1 + 8 + 1  # the list, its rests, and the question once more
    (verdict,) = made.verdicts
    assert verdict.outcome == "unreadable"
    assert "cut off by the model's max_tokens" in verdict.reason
    assert any("1 unreadable" in message for message in warnings(caplog))


def test_gemini_is_asked_for_a_list(expected: Segmentation) -> None:
    with LoopbackServer(named) as server:
        judge = ModelJudge(GeminiModel("any", base_url=server.url, api_key="k"), policy=QUICK)
        made = with_(LumberChunker(judge, method="window", theta=60), window_tokens=200)
        assert made.segment(story(150)).spans == expected.spans
        assert all(request.asks_for_list for request in server.requests)


def test_a_thinking_model_has_room_to_think_and_to_list(expected: Segmentation) -> None:
    def thinking(request: Request) -> str:
        return f"<think>ID 1!</think>{named(request)}"

    with LoopbackServer(thinking, faults={1: cut("<think>ID 1")}) as server:
        model = OpenAIModel("any", base_url=server.openai_url, structured=False)
        made = with_(LumberChunker(model, method="window", theta=60), window_tokens=200)
        assert made.segment(story(150)).spans == expected.spans
        assert min(request.max_tokens or 0 for request in [*server.requests][1:]) > 8192


def test_a_model_that_chooses_one_answer_is_refused_before_any_work() -> None:
    class Choosing(ScatteredModel):
        chooses_one = LocalModel.chooses_one

    with pytest.raises(ValueError, match='writes no list: pass method="paper"'):
        LumberChunker(Choosing(), method="window")
