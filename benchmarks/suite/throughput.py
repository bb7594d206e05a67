"""Splitters beside each other: speed, limits kept, characters lost, offsets."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import process_time
from typing import Any

from benchmarks.packages import use_shipped_vocabulary
from benchmarks.suite.fresh import Fresh, run_fresh
from benchmarks.suite.report import Section, short, table
from benchmarks.suite.splitters import ENTRIES, Entry, Split, split_of
from benchmarks.suite.texts import KINDS

TIMED = ("English", "Chinese", "Markdown", "CSV")
SIZE, MODEL_SIZE = 200_000, 5_000
ROUNDS, MODEL_ROUNDS = 7, 3
# A splitter that needs longer for one text is reported by that time and takes no turns.
_MAX_SECONDS = 8.0

Times = Mapping[str, Mapping[str, Sequence[float]]]
"""CPU seconds of each round, by kind of text and splitter."""


def splitters(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure all splitters, on texts whose sizes are multiplied by `scale`."""
    use_shipped_vocabulary()
    model_size = max(2_500, int(MODEL_SIZE * scale))  # smaller texts take no longer than loading
    sizes = {entry.name: model_size if entry.model else int(SIZE * scale) for entry in ENTRIES}
    fresh: dict[str, Fresh] = {}
    for entry in ENTRIES:
        log(f"splitters: {entry.name}, in a process of its own")
        fresh[entry.name] = run_fresh(entry.name, sizes[entry.name])
    installed = [entry for entry in ENTRIES if fresh[entry.name].kinds]
    times: dict[str, dict[str, list[float]]] = {kind: {} for kind in TIMED}
    for model in (False, True):
        group = [entry for entry in installed if entry.model == model]
        rounds = MODEL_ROUNDS if model else ROUNDS
        for kind, spent in _measure_times(group, fresh, sizes, rounds, log):
            times[kind] |= spent
    return Section(
        "Splitters",
        [
            f"Texts are generated: {int(SIZE * scale):,} characters of each kind, and "
            f"{model_size:,} for splitters that run a neural model. The limit is 256 tokens of "
            "cl100k_base, or 1,024 characters for splitters that count characters only; nothing "
            "overlaps; everything else is as the makers set it. Splitters run by turns, on a new "
            "text in every round; medians.",
            *_speed(installed, sizes, times, fresh),
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
    ready = {entry.name: split_of(entry.make()) for entry in group}
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
        times.append((kind, time_by_turns({name: ready[name] for name in able}, texts)))
    logging.disable(logging.NOTSET)
    return times


def time_by_turns(splits: Mapping[str, Split], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the CPU seconds of every splitter for every text but the first.

    Splitters take turns on each text, so that ratios hold on a machine whose speed drifts. All
    threads of this process count, other programs do not.
    """
    seconds: dict[str, list[float]] = {name: [] for name in splits}
    for number, text in enumerate(texts):
        for name, split in splits.items():
            gc.collect()
            start = process_time()
            result = split(text)
            spent = process_time() - start
            del result
            if number:
                seconds[name].append(spent)
    return seconds


def _speed(
    entries: Sequence[Entry], sizes: Mapping[str, int], times: Times, fresh: Mapping[str, Fresh]
) -> list[str]:
    rows = []
    for entry in entries:
        cells = [entry.name]
        size = sizes[entry.name]

        def one_run(result: Mapping[str, Any], size: int = size) -> str:
            return f"{short(size / result['seconds'])} (one run)"

        for kind in TIMED:
            spent = times[kind].get(entry.name)
            cells.append(
                short(size / median(spent)) if spent else _cell(fresh[entry.name], kind, one_run)
            )
        rows.append(cells)
    return [
        "### Throughput",
        "Characters a second of CPU time, all threads together.",
        table(["splitter", *TIMED], rows),
    ]


def _cell(fresh: Fresh, kind: str, show: Callable[[dict[str, Any]], str]) -> str:
    """Return a result of a splitter's process on a kind of text, or why there is none."""
    result = fresh.kinds.get(kind)
    if result is None:
        return fresh.trouble or "no result"
    return f"raises {result['error'].partition(':')[0]}" if "error" in result else show(result)


def _faults(entries: Sequence[Entry], fresh: Mapping[str, Fresh]) -> list[str]:
    tables: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        (
            "### Chunks over the limit\n\nShare of the chunks.",
            lambda result: _share(result, "over"),
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
    blocks: list[str] = []
    for title, show in tables:
        rows = [
            [entry.name, *(_cell(fresh[entry.name], kind, show) for kind in KINDS)]
            for entry in entries
        ]
        blocks += [title, table(["splitter", *KINDS], rows)]
    return blocks


def _share(result: dict[str, Any], name: str) -> str:
    return f"{result[name] / result['chunks']:.1%}" if result["chunks"] else "no chunks"
