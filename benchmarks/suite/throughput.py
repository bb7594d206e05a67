"""Splitters beside each other: speed, memory, limits kept, characters lost, offsets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median

from benchmarks.packages import use_shipped_vocabulary
from benchmarks.suite.fresh import Fresh, run_fresh
from benchmarks.suite.report import Section, Table, short
from benchmarks.suite.splitters import ENTRIES, Entry, Split
from benchmarks.suite.texts import KINDS
from benchmarks.suite.timing import time_by_turns

TIMED = ("English", "Chinese", "Markdown", "CSV")
SIZE, MODEL_SIZE = 200_000, 5_000
ROUNDS, MODEL_ROUNDS = 7, 3
# A splitter that needs longer for one text is reported by that time and takes no turns.
_MAX_SECONDS = 8.0

Times = Mapping[str, Mapping[str, Sequence[float]]]
"""CPU seconds of each round, by kind of text and splitter."""


def splitters(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure all splitters.

    Args:
        log: Called with a line on progress.
        scale: Factor for the sizes of the texts.
    """
    use_shipped_vocabulary()
    model_size = max(2_500, int(MODEL_SIZE * scale))  # smaller texts take no longer than loading
    sizes = {entry.name: model_size if entry.model else int(SIZE * scale) for entry in ENTRIES}
    fresh: dict[str, Fresh] = {}
    for entry in ENTRIES:
        log(f"splitters: {entry.name}, in a process of its own")
        fresh[entry.name] = run_fresh(entry.name, sizes[entry.name])
    installed = [entry for entry in ENTRIES if fresh[entry.name].ready is not None]
    times: dict[str, dict[str, list[float]]] = {kind: {} for kind in TIMED}
    for model in (False, True):
        group = [entry for entry in installed if entry.model == model]
        rounds = MODEL_ROUNDS if model else ROUNDS
        for kind, spent in _measure_times(group, fresh, sizes, rounds, log):
            times[kind] |= spent
    return Section(
        "Splitters",
        [
            _introduction(int(SIZE * scale), model_size),
            *_speed(installed, sizes, times, fresh),
            *_memory(installed, fresh),
            *_faults(installed, fresh),
        ],
        frozenset(entry.package for entry in ENTRIES),
    )


def _measure_times(
    group: Sequence[Entry],
    fresh: Mapping[str, Fresh],
    sizes: Mapping[str, int],
    rounds: int,
    log: Callable[[str], None],
) -> list[tuple[str, dict[str, list[float]]]]:
    """Time a group of splitters by turns, on each kind of text that they can split in time."""
    logging.disable(logging.WARNING)
    ready = {entry.name: entry.make() for entry in group}
    times = []
    for kind in TIMED:
        size = sizes[group[0].name]
        able = [
            entry.name
            for entry in group
            if fresh[entry.name].kinds.get(kind, {}).get("seconds", _MAX_SECONDS) < _MAX_SECONDS
        ]
        log(f"splitters: {len(able)} by turns on {kind}")
        # Another text in every round, so that no splitter gains by remembering the last one.
        texts = [KINDS[kind](size, seed) for seed in range(rounds + 1)]
        runs = {name: partial(_split_next, ready[name].split, iter(texts)) for name in able}
        times.append((kind, time_by_turns(runs, rounds=rounds)))
    logging.disable(logging.NOTSET)
    return times


def _split_next(split: Split, texts: Iterator[str]) -> object:
    return split(next(texts))


def _introduction(size: int, model_size: int) -> str:
    return (
        f"Texts are generated: {size:,} characters of each kind, and {model_size:,} for splitters "
        "that run a neural model. The limit is 256 tokens of cl100k_base, or 1,024 characters for "
        "splitters that count characters only; nothing overlaps; everything else is as the makers "
        "set it. Semantic splitters use the bundled embedding model and have no limit. "
        "Splitters run by turns, on a new text in every round; medians."
    )


def _speed(
    entries: Sequence[Entry], sizes: Mapping[str, int], times: Times, fresh: Mapping[str, Fresh]
) -> list[str | Table]:
    rows = []
    for entry in entries:
        cells = [entry.name]
        for kind in TIMED:
            spent = times[kind].get(entry.name)
            size = sizes[entry.name]
            cells.append(
                short(size / median(spent)) if spent else _single_run(fresh[entry.name], kind, size)
            )
        rows.append(cells)
    return [
        "### Throughput",
        "Characters a second of CPU time, all threads together.",
        Table(["splitter", *TIMED], rows),
    ]


def _single_run(fresh: Fresh, kind: str, size: int) -> str:
    """Return why a splitter took no turns on a kind of text, or the speed of its single run."""
    result = fresh.kinds.get(kind)
    if result is None:
        return fresh.trouble or "no result"
    if "error" in result:
        return f"raises {result['error'].partition(':')[0]}"
    return f"{short(size / result['seconds'])} (one run)"


def _memory(entries: Sequence[Entry], fresh: Mapping[str, Fresh]) -> list[str | Table]:
    rows = []
    for entry in entries:
        result = fresh[entry.name]
        assert result.ready is not None
        assert result.peak is not None
        rows.append([entry.name, f"{result.ready:.0f}", f"{result.peak - result.ready:.1f}"])
    return [
        "### Peak memory",
        "MiB of a process that splits the English text: once imports are done and models loaded, "
        "and what splitting adds.",
        Table(["splitter", "ready", "added"], rows),
    ]


def _faults(entries: Sequence[Entry], fresh: Mapping[str, Fresh]) -> list[str | Table]:
    """Return the tables of limits, losses and offsets."""
    tables: list[tuple[str, Callable[[dict[str, int | None]], str]]] = [
        (
            "### Chunks over the limit\n\nShare of the chunks.",
            lambda result: "no limit" if result["over"] is None else _share(result, "over"),
        ),
        (
            "### Characters lost\n\nVisible characters missing from the chunks, then visible "
            "characters in the chunks that the text does not have.",
            lambda result: f"{result['lost']} / {result['invented']}",
        ),
        (
            "### Offsets wrong\n\nChunks that are not where their offsets say, or have none "
            "although others do; a dash: the splitter gives no offsets.",
            lambda result: (
                "-" if result["offsets_wrong"] is None else _share(result, "offsets_wrong")
            ),
        ),
    ]
    blocks: list[str | Table] = []
    for title, cell in tables:
        rows = []
        for entry in entries:
            cells = [entry.name]
            for kind in KINDS:
                result = fresh[entry.name].kinds.get(kind)
                if result is None:
                    cells.append(fresh[entry.name].trouble or "no result")
                elif "error" in result:
                    cells.append(f"raises {result['error'].partition(':')[0]}")
                else:
                    cells.append(cell(result))
            rows.append(cells)
        blocks += [title, Table(["splitter", *KINDS], rows)]
    return blocks


def _share(result: dict[str, int | None], name: str) -> str:
    count, chunks = result[name], result["chunks"]
    assert count is not None
    return f"{count / chunks:.1%}" if chunks else "no chunks"
