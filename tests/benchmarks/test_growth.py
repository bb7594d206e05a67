"""The benchmark's measures of growth, and its stream over a large corpus."""

import subprocess
import sys

import pytest

pytest.importorskip("psutil")

from benchmarks.suite.growth import (
    MESSAGES,
    NUMBERS,
    PEERS,
    SIZES,
    TICKETS,
    chunker,
    exponent,
    many_documents,
    messages,
    one_line_tickets,
    one_text,
    stream,
)
from benchmarks.suite.texts import english


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_the_points(power: float):
    points = [(size, 3 * size**power) for size in (10.0, 100.0, 1000.0)]
    assert exponent(points) == pytest.approx(power)


def test_tickets_of_one_line_cost_a_model_splitter_little_more_than_greedy():
    greedy, bert = (
        min(one_line_tickets(name, 500).cpu for _ in range(3)) for name in ("greedy", "bert")
    )
    assert bert <= 4 * greedy


@pytest.mark.parametrize("name", ["greedy", "layout", "lumber", "recursive, characters"])
def test_cost_is_that_of_the_texts_asked_for(name: str):
    one, many = one_text(name, 20_000), many_documents(name, 10)
    assert 20_000 <= one.characters < 21_000
    assert 20_000 <= many.characters < 30_000
    assert one.cpu > 0
    assert many.cpu > 0


def test_messages_are_longer_than_a_chunk():
    bert = chunker("bert")
    target = bert.settings.sizes[1]
    assert target is not None
    assert min(bert.counter.count([english(700, seed) for seed in range(50)])) > target
    assert 14_000 <= messages("greedy", 20).characters <= 20_000


def test_a_stream_passes_the_whole_corpus_and_tells_its_memory_ten_times():
    told: list[str] = []
    done = stream("greedy", 0.5, told.append)
    assert 0.5 <= done.megabytes < 0.53
    assert done.chunks > done.documents > 10
    assert len(done.memory) == len(told) == 10


def test_peak_memory_does_not_include_that_of_the_starting_process():
    held = b"x" * (300 * 2**20)
    script = "from benchmarks.suite.memory import peak_memory; print(peak_memory())"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 1 < float(done.stdout) < len(held) / 2**21


def test_every_row_of_a_plan_is_another_splitter():
    names = {name for plan in (SIZES, NUMBERS, TICKETS, MESSAGES) for name in plan}
    own = [repr(chunker(name)) for name in sorted(names - PEERS.keys())]
    assert len(own) == 5
    assert len({*own}) == len(own)
