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
from benchmarks.suite.timing import interleaved

TIMED = ("English", "Chinese", "Markdown", "CSV")
SIZE, MODEL_SIZE = 200_000, 5_000
ROUNDS, MODEL_ROUNDS = 7, 3
# A splitter that needs longer for one text is reported by that time and takes no turns.
_PATIENCE = 8.0

Times = Mapping[str, Mapping[str, Sequence[float]]]
"""CPU seconds of each round, by kind of text and splitter."""


def splitters(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure all splitters.

    Args:
        log: Called with a line on progress.
        scale: Factor for the sizes of the texts.
    """
    use_shipped_vocabulary()
    model_size = max(2_500, int(MODEL_SIZE * scale))  # below that, loading is all there is
    sizes = {one.name: model_size if one.model else int(SIZE * scale) for one in ENTRIES}
    fresh: dict[str, Fresh] = {}
    for one in ENTRIES:
        log(f"splitters: {one.name}, in a process of its own")
        fresh[one.name] = run_fresh(one.name, sizes[one.name])
    installed = [one for one in ENTRIES if fresh[one.name].ready is not None]
    times: dict[str, dict[str, list[float]]] = {kind: {} for kind in TIMED}
    for model in (False, True):
        group = [one for one in installed if one.model == model]
        for kind, spent in _timed(group, fresh, sizes, MODEL_ROUNDS if model else ROUNDS, log):
            times[kind] |= spent
    return Section(
        "Splitters",
        [
            _introduction(int(SIZE * scale), model_size),
            *_speed(installed, sizes, times, fresh),
            *_memory(installed, fresh),
            *_care(installed, fresh),
        ],
        frozenset(one.package for one in ENTRIES),
    )


def _timed(
    group: Sequence[Entry],
    fresh: Mapping[str, Fresh],
    sizes: Mapping[str, int],
    rounds: int,
    log: Callable[[str], None],
) -> list[tuple[str, dict[str, list[float]]]]:
    """Time a group of splitters by turns, on each kind of text that they can split in time."""
    logging.disable(logging.WARNING)
    ready = {one.name: one.make() for one in group}
    found = []
    for kind in TIMED:
        size = sizes[group[0].name]
        able = [
            one.name
            for one in group
            if fresh[one.name].kinds.get(kind, {}).get("seconds", _PATIENCE) < _PATIENCE
        ]
        log(f"splitters: {len(able)} by turns on {kind}")
        # Another text in every round, so that no splitter gains by remembering the last one.
        texts = [KINDS[kind](size, seed) for seed in range(rounds + 1)]
        runs = {name: partial(_split_next, ready[name].split, iter(texts)) for name in able}
        found.append((kind, interleaved(runs, rounds=rounds)))
    logging.disable(logging.NOTSET)
    return found


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
    for one in entries:
        cells = [one.name]
        for kind in TIMED:
            spent = times[kind].get(one.name)
            size = sizes[one.name]
            cells.append(
                short(size / median(spent)) if spent else _untimed(fresh[one.name], kind, size)
            )
        rows.append(cells)
    return [
        "### Throughput",
        "Characters a second of CPU time, all threads together.",
        Table(["splitter", *TIMED], rows),
    ]


def _untimed(fresh: Fresh, kind: str, size: int) -> str:
    """Say why a splitter took no turns on a kind of text."""
    told = fresh.kinds.get(kind)
    if told is None:
        return fresh.trouble or "no result"
    if "error" in told:
        return f"raises {told['error'].partition(':')[0]}"
    return f"{short(size / told['seconds'])} (one run)"


def _memory(entries: Sequence[Entry], fresh: Mapping[str, Fresh]) -> list[str | Table]:
    rows = []
    for one in entries:
        told = fresh[one.name]
        assert told.ready is not None
        assert told.peak is not None
        rows.append([one.name, f"{told.ready:.0f}", f"{told.peak - told.ready:.1f}"])
    return [
        "### Peak memory",
        "MiB of a process that splits the English text: once imports are done and models loaded, "
        "and what splitting adds.",
        Table(["splitter", "ready", "added"], rows),
    ]


def _care(entries: Sequence[Entry], fresh: Mapping[str, Fresh]) -> list[str | Table]:
    """Return the tables of limits, losses and offsets."""
    tables: list[tuple[str, Callable[[dict[str, int | None]], str]]] = [
        (
            "### Chunks over the limit\n\nShare of the chunks.",
            lambda told: "no limit" if told["over"] is None else _share(told, "over"),
        ),
        (
            "### Characters lost\n\nVisible characters missing from the chunks, then visible "
            "characters in the chunks that the text does not have.",
            lambda told: f"{told['lost']} / {told['invented']}",
        ),
        (
            "### Offsets wrong\n\nChunks that are not where their offsets say, or have none "
            "although others do; a dash: the splitter gives no offsets.",
            lambda told: "-" if told["offsets_wrong"] is None else _share(told, "offsets_wrong"),
        ),
    ]
    blocks: list[str | Table] = []
    for title, cell in tables:
        rows = []
        for one in entries:
            cells = [one.name]
            for kind in KINDS:
                told = fresh[one.name].kinds.get(kind)
                if told is None:
                    cells.append(fresh[one.name].trouble or "no result")
                elif "error" in told:
                    cells.append(f"raises {told['error'].partition(':')[0]}")
                else:
                    cells.append(cell(told))
            rows.append(cells)
        blocks += [title, Table(["splitter", *KINDS], rows)]
    return blocks


def _share(told: dict[str, int | None], name: str) -> str:
    count, chunks = told[name], told["chunks"]
    assert count is not None
    return f"{count / chunks:.1%}" if chunks else "no chunks"
