"""Parts 4 and 5: cost as work grows, and a corpus that is larger than memory should be.

python -m benchmarks.suite.growth stream greedy 1000      a corpus of 1,000 MB, one line of JSON
python -m benchmarks.suite.growth one bert 1000000        one text, one line of JSON
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

import psutil

from benchmarks.suite.memory import peak_memory
from benchmarks.suite.report import Lines, Section, Table, short, spread
from benchmarks.suite.splitters import BASE, MODEL2VEC, SAT, entry, use_shipped_vocabulary
from benchmarks.suite.texts import documents, english
from lumber_core import BertChunker, Chunker, GreedyChunker, Group, LayoutChunker, LumberChunker

ROUNDS = 3
DOCUMENT = 2_000  # characters of one of many documents
LARGE_DOCUMENT = 20_000  # characters of a document of the large corpus

# The largest size is what takes about ten seconds; fixed costs show below the third size.
SIZES: dict[str, tuple[int, ...]] = {
    "greedy": (10**4, 10**5, 10**6, 10**7, 10**8),
    "layout": (10**4, 10**5, 10**6, 10**7, 10**8),
    "recursive": (10**4, 10**5, 10**6, 10**7, 10**8),
    "recursive, characters": (10**4, 10**5, 10**6, 10**7, 10**8),
    "lumber": (10**4, 10**5, 10**6, 10**7),
    "semantic, model2vec": (10**4, 10**5, 10**6, 3 * 10**6),
    "bert": (10**4, 10**5, 10**6, 10**7),
    "bert, large": (10**4, 3 * 10**4, 10**5, 3 * 10**5),
    "sat": (3 * 10**3, 10**4, 3 * 10**4),
}
NUMBERS: dict[str, tuple[int, ...]] = {
    "greedy": (1, 10, 100, 1_000, 10_000),
    "layout": (1, 10, 100, 1_000, 10_000),
    "recursive": (1, 10, 100, 1_000, 10_000),
    "lumber": (1, 10, 100, 1_000, 10_000),
    "bert": (1, 10, 100, 1_000),
    "bert, large": (1, 10, 100),
}
# Tickets of one line, none of which can be cut.
TICKETS: dict[str, tuple[int, ...]] = dict.fromkeys(
    ("greedy", "layout", "recursive", "bert", "bert, large"), (500, 5_000)
)
# Messages a little longer than a chunk, each of which has to be read.
MESSAGES: dict[str, tuple[int, ...]] = dict.fromkeys(
    ("greedy", "layout", "recursive", "bert", "bert, large"), (50, 500)
)
# Peers, by their names in the tables of splitters.
PEERS = {
    "recursive": BASE,
    "recursive, characters": "langchain Recursive, characters",
    "semantic, model2vec": MODEL2VEC,
    "sat": SAT,
}

Split = Callable[[Sequence[str]], Sequence[Sequence[object]]]
"""Splits texts in one call; returns the chunks of each, or their spans."""


def splitter(name: str) -> Split:
    """Return a splitter that is ready to run: one of ours with its defaults, or a peer."""
    if name not in PEERS:
        own = chunker(name)
        return lambda texts: [made.spans for made in own.segment_all(texts)]
    use_shipped_vocabulary()
    split: Any = entry(PEERS[name]).make().split
    return lambda texts: [split(text) for text in texts]


def chunker(name: str) -> Chunker:
    """Return one of our splitters with its defaults; Lumber's judge answers at once."""
    if name == "greedy":
        return GreedyChunker()
    if name == "layout":
        return LayoutChunker()
    if name == "bert":
        return BertChunker()
    if name == "bert, large":
        return BertChunker("large")
    if name == "lumber":
        return LumberChunker(_second_half)
    raise ValueError(f"there is no splitter {name!r} to measure")


def _second_half(group: Group) -> int:
    return group.start + 1 + len(group) // 2 if len(group) > 2 else group.start + 1


@dataclass(frozen=True)
class Cost:
    """What one run cost.

    Attributes:
        characters: Size of its texts together.
        cpu: Seconds of CPU time.
        grown: MiB that the process's peak grew by.
    """

    characters: int
    cpu: float
    grown: float


def one_text(name: str, size: int) -> Cost:
    """Split one text of so many characters."""
    split = splitter(name)
    split([english(2000)])
    text = _long_text(size)
    before, began = peak_memory(), process_time()
    split([text])
    return Cost(len(text), process_time() - began, peak_memory() - before)


def many_documents(name: str, number: int) -> Cost:
    """Split so many documents, one after the other, and keep nothing."""
    split = splitter(name)
    split([english(2000)])
    before, spent, characters = peak_memory(), 0.0, 0
    for text in documents(number * DOCUMENT, DOCUMENT):
        began = process_time()
        split([text])
        spent += process_time() - began
        characters += len(text)
    return Cost(characters, spent, peak_memory() - before)


def one_line_tickets(name: str, number: int) -> Cost:
    """Split so many texts of one line in one call; loading a model counts, if it is loaded."""
    return _in_one_call(
        splitter(name),
        "Ready.",
        [f"Ticket {one}: the printer on floor {one % 9} is out of paper." for one in range(number)],
    )


def messages(name: str, number: int) -> Cost:
    """Split so many texts of 700 to 1,000 characters in one call, with the model loaded."""
    texts = [english(700 + 97 * one % 300, seed=one) for one in range(number)]
    return _in_one_call(splitter(name), english(2000), texts)


def _in_one_call(split: Split, first: str, texts: Sequence[str]) -> Cost:
    split([first])
    before, began = peak_memory(), process_time()
    split(texts)
    return Cost(sum(map(len, texts)), process_time() - began, peak_memory() - before)


WAYS: dict[str, Callable[[str, int], Cost]] = {
    "one": one_text,
    "many": many_documents,
    "tickets": one_line_tickets,
    "messages": messages,
}


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the best line through points on two logarithmic axes.

    1 is linear time, 2 quadratic.
    """
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points), strict=True)
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    slope: float = above / sum((x - mean_x) ** 2 for x in xs)
    return slope


def growth(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure how cost grows with the size of a text and with the number of documents.

    Args:
        log: Called with a line on progress.
        scale: Factor for the largest sizes; a smaller one leaves sizes out.
    """
    blocks: list[str | Table | Lines] = [
        "CPU time, each run in a process of its own. The exponent is the slope over the three "
        "largest sizes on logarithmic axes (1 is linear time), of each round: median, and the "
        "middle half. Memory is what the process's peak grows by, the result included; the text "
        "is there before. Lumber's judge answers at once. *recursive* is LangChain's, by tokens of "
        "cl100k_base or by characters; *semantic, model2vec* is chonkie's with static embeddings, "
        "and *sat* wtpsplit's model with one layer, both with random weights.",
    ]
    plans = {
        "one": (SIZES, "characters"),
        "many": (NUMBERS, "documents"),
        "tickets": (TICKETS, "tickets"),
        "messages": (MESSAGES, "messages"),
    }
    for way, (plan, unit) in plans.items():
        rows, series = [], {}
        for name, amounts in plan.items():
            chosen = [amount for amount in amounts if amount <= amounts[-1] * scale]
            log(f"growth: {name}, {way}")
            rounds = [[_in_process(way, name, amount) for amount in chosen] for _ in range(ROUNDS)]
            middle = [_median(costs) for costs in zip(*rounds, strict=True)]
            points = [
                [(amount, cost.cpu) for amount, cost in zip(chosen, costs, strict=True)][-3:]
                for costs in rounds
            ]
            series[name] = [(a, cost.cpu) for a, cost in zip(chosen, middle, strict=True)]
            slopes = spread([exponent(own) for own in points]) if len(chosen) > 2 else "-"
            rows += [
                [
                    name if number == 0 else "",
                    f"{amount:,}",
                    f"{cost.cpu:.3g}",
                    short(cost.characters / cost.cpu),
                    f"{cost.grown:.0f}",
                    slopes if number == len(chosen) - 1 else "",
                ]
                for number, (amount, cost) in enumerate(zip(chosen, middle, strict=True))
            ]
        what = {
            "one": "One text",
            "many": f"Documents of {DOCUMENT:,} characters, one by one",
            "tickets": "Tickets of one line, in one call",
            "messages": "Messages of 700 to 1,000 characters, in one call",
        }[way]
        headers = ("", unit, "CPU s", "characters/s", "MiB added", "exponent")
        title = f"CPU time by {'size of the text' if way == 'one' else 'number of documents'}"
        blocks += [f"### {what}", Table(headers, rows)]
        if way in ("one", "many"):
            blocks.append(Lines(f"growth-{way}", title, unit, "seconds of CPU time", series))
    peers = {entry(name).package for name in PEERS.values()}
    return Section("Cost as work grows", blocks, frozenset({"lumber-splitters", *peers}))


@dataclass(frozen=True)
class Stream:
    """What passing a corpus through a splitter took.

    Attributes:
        megabytes: Characters in millions.
        documents: Number of documents.
        chunks: Number of chunks.
        seconds: Wall time.
        cpu: Seconds of CPU time, making the documents included.
        memory: MiB held after each tenth of the corpus.
    """

    megabytes: float
    documents: int
    chunks: int
    seconds: float
    cpu: float
    memory: tuple[float, ...]


def stream(name: str, megabytes: float, log: Callable[[str], None]) -> Stream:
    """Pass a generated corpus through a splitter, document by document.

    The corpus is an iterator and so is the result: no more than one document is held.
    """
    split = splitter(name)
    split([english(2000)])
    process = psutil.Process()
    total = int(megabytes * 1e6)
    memory: list[float] = []
    characters = number = chunks = 0
    wall, cpu = perf_counter(), process_time()
    for text in documents(total, LARGE_DOCUMENT):
        (found,) = split([text])
        characters += len(text)
        number += 1
        chunks += len(found)
        if characters >= total * (len(memory) + 1) / 10:
            memory.append(process.memory_info().rss / 2**20)
            log(f"{name}: {characters / 1e6:,.0f} MB, {memory[-1]:.0f} MiB")
    return Stream(
        characters / 1e6,
        number,
        chunks,
        perf_counter() - wall,
        process_time() - cpu,
        tuple(memory),
    )


def large(log: Callable[[str], None], sizes: dict[str, float]) -> Section:
    """Pass a large corpus through splitters, each in a process of its own.

    Args:
        log: Called with a line on progress.
        sizes: Megabytes for each splitter.
    """
    rows = []
    for name, megabytes in sizes.items():
        log(f"large: {name}, {megabytes:g} MB")
        done = Stream(**_told_by("stream", name, megabytes))
        rows.append(
            [
                name,
                f"{done.megabytes:,.0f}",
                f"{done.documents:,}",
                f"{done.chunks:,}",
                f"{done.seconds:,.0f}",
                f"{done.cpu:,.0f}",
                f"{done.memory[0]:.0f}",
                f"{max(done.memory):.0f}",
                f"{done.memory[-1]:.0f}",
            ]
        )
    headers = ("", "MB", "documents", "chunks", "s", "CPU s", "MiB at 10 %", "most", "at the end")
    text = (
        f"Generated documents of {LARGE_DOCUMENT:,} characters pass through as an iterator; memory "
        "is what the process holds after each tenth of them."
    )
    return Section("A large corpus", [text, Table(headers, rows)], frozenset({"lumber-splitters"}))


def _long_text(size: int) -> str:
    return "\n\n".join(documents(size, LARGE_DOCUMENT))


def _in_process(way: str, name: str, amount: int) -> Cost:
    return Cost(**_told_by(way, name, amount))


def _told_by(way: str, name: str, amount: float) -> dict[str, Any]:
    """Run one measurement in a process of its own; its progress is shown."""
    command = [sys.executable, "-m", "benchmarks.suite.growth", way, name, str(amount)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        costs[0].characters,
        median(cost.cpu for cost in costs),
        median(cost.grown for cost in costs),
    )


def main() -> None:
    """Run one measurement in this process."""
    way, name, amount = sys.argv[1:4]
    result: Cost | Stream
    if way == "stream":
        result = stream(name, float(amount), lambda line: print(line, file=sys.stderr))
    else:
        result = WAYS[way](name, int(amount))
    print(json.dumps(vars(result)))


if __name__ == "__main__":
    main()
