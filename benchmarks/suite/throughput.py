"""Splitters beside each other: speed, limits kept, characters lost, offsets."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import process_time
from typing import Any

from benchmarks.packages import installed_version, pieces_of, use_shipped_vocabulary
from benchmarks.suite.quality import examine
from benchmarks.suite.report import Section, short, table
from benchmarks.suite.splitters import ENTRIES, Split, limit_of, split_of
from benchmarks.suite.texts import KINDS

TIMED = ("English", "Chinese", "Markdown", "CSV")
SIZE, MODEL_SIZE = 200_000, 5_000
ROUNDS, MODEL_ROUNDS = 7, 3

Faults = Mapping[str, Any]
"""What is wrong with the chunks of a text, by name; or an "error"."""


def splitters(log: Callable[[str], None], *, scale: float = 1.0) -> Section:
    """Measure all splitters, on texts whose sizes are multiplied by `scale`."""
    use_shipped_vocabulary()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    size = int(SIZE * scale)
    model_size = max(2_500, int(MODEL_SIZE * scale))  # smaller texts take no longer than loading
    installed = [entry for entry in ENTRIES if installed_version(entry.package)]
    tools = {entry.name: entry.make() for entry in installed}
    speeds: dict[str, list[str]] = {}
    for model, length, rounds in ((False, size, ROUNDS), (True, model_size, MODEL_ROUNDS)):
        names = [entry.name for entry in installed if entry.model == model]
        splits = {name: split_of(tools[name]) for name in names}
        for kind in TIMED:
            log(f"splitters: {len(splits)} by turns on {kind}")
            # Another text in every round, so that no splitter gains by remembering the last one.
            texts = [KINDS[kind](length, seed) for seed in range(rounds + 1)]
            for name, spent in time_by_turns(splits, texts).items():
                speeds.setdefault(name, []).append(short(length / median(spent)))
    faults: dict[str, list[Faults]] = {}
    for entry in installed:
        log(f"splitters: faults of {entry.name}")
        texts = [KINDS[kind](model_size if entry.model else size, 0) for kind in KINDS]
        faults[entry.name] = [_examine(tools[entry.name], text, limit_of(entry)) for text in texts]
    return Section(
        "Splitters",
        [
            f"Texts are generated: {size:,} characters of each kind, and {model_size:,} for "
            "splitters that run a neural model. The limit is 256 tokens of cl100k_base, or 1,024 "
            "characters for splitters that count characters only; nothing overlaps; everything "
            "else is as the makers set it. Splitters run by turns, on a new text in every round; "
            "medians.",
            "### Throughput",
            "Characters a second of CPU time, all threads together.",
            table(["splitter", *TIMED], [[name, *cells] for name, cells in speeds.items()]),
            *_tables_of(faults),
        ],
        frozenset(entry.package for entry in ENTRIES),
    )


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


def _examine(splitter: Any, text: str, limit: tuple[Callable[[str], int], int]) -> Faults:
    try:
        return examine(text, pieces_of(splitter, text), limit)
    except Exception as error:  # noqa: BLE001 - any error is a fault
        return {"error": type(error).__name__}


def _tables_of(faults: Mapping[str, Sequence[Faults]]) -> list[str]:
    tables: list[tuple[str, Callable[[Faults], str]]] = [
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
        rows = []
        for name, results in faults.items():
            cells = [f"raises {one['error']}" if "error" in one else show(one) for one in results]
            rows.append([name, *cells])
        blocks += [title, table(["splitter", *KINDS], rows)]
    return blocks


def _share(result: Faults, name: str) -> str:
    return f"{result[name] / result['chunks']:.1%}" if result["chunks"] else "no chunks"
