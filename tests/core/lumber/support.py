"""Documents and judges for the tests of walks, stores and models."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest

from lumber_core import Completion, Group, LumberChunker, ModelJudge, Segmentation
from lumber_core.lumber.grouping import MethodRules, TextUnits
from lumber_core.text.units import paragraphs


def judge_by_hash(group: Group) -> int | None:
    """Judge by nothing but the first text of the group: early, late, or not at all."""
    number = crc32(group.texts[0].encode()) % (len(group.choices) + 1)
    return group.choices[number] if number < len(group.choices) else None


def story(paragraphs_count: int, seed: int = 0) -> str:
    """Return a text of numbered paragraphs, of 4 to 13 words each."""
    lengths = [4 + crc32(f"{seed}/{n}".encode()) % 10 for n in range(paragraphs_count)]
    words = [" ".join([f"S{seed}n{n}", *["word"] * (count - 1)]) for n, count in enumerate(lengths)]
    return "\n\n".join(words)


def document(text: str, theta: int = 60) -> tuple[TextUnits, MethodRules]:
    units = paragraphs(text)
    texts = [span.of(text) for span in units]
    return TextUnits(text, units), MethodRules([len(t.split()) for t in texts], theta)


class ScatteredModel:
    """A language model that answers as `judge_by_hash` does, and records its questions."""

    identity = "scattered"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def complete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        with self._lock:
            self.asked.append(user)
        allowed = answers.allowed if answers else ("none",)
        answer = allowed[crc32(user.encode()) % len(allowed)]
        return Completion(f"Answer: {answer}", prompt_tokens=100, completion_tokens=5)

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        return self.complete(system, user, answers=answers)


class ScriptedModel:
    """Returns or raises the queued items in order, and then finds no shift."""

    identity = "scripted"

    def __init__(self, *replies: Completion | str | Exception) -> None:
        self.queue = list(replies)
        self.history: list[tuple[str, str]] = []
        self.times: list[float] = []

    def complete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        user.encode()  # every client encodes its text
        self.history.append((system, user))
        self.times.append(time.monotonic())
        reply = self.queue.pop(0) if self.queue else "Answer: none"
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply) if isinstance(reply, str) else reply

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        return self.complete(system, user, answers=answers)


def splitter(model: ScatteredModel, store: object, **options: Any) -> LumberChunker:
    return LumberChunker(ModelJudge(model), theta=60, store=store, **options)  # type: ignore[arg-type]


def segment_all(
    chunker: LumberChunker, texts: list[str], way: str, **options: bool
) -> list[Segmentation]:
    """Split texts with the synchronous or the asynchronous method."""
    if way == "sync":
        return chunker.segment_all(texts, **options)
    return asyncio.run(chunker.call_async(chunker.segment_all, texts, **options))


def segment(chunker: LumberChunker, text: str, way: str) -> Segmentation:
    return segment_all(chunker, [text], way)[0]


class ActingModel(ScatteredModel):
    """A model that does something when its tenth question comes."""

    def __init__(self, action: Callable[[], object]) -> None:
        super().__init__()
        self._actions = [action]

    def complete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        completion = super().complete(system, user, answers=answers)
        with self._lock:
            actions = [self._actions.pop()] if self._actions and len(self.asked) >= 10 else []
        for action in actions:
            action()
        return completion


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
