"""Compares the speed of splitters, and counts the faults of their chunks.

    python -m benchmarks.speed
    python -m benchmarks.speed --scale 0.5      shorter texts

Each splitter has the defaults of its package and the same limit: 256 tokens of cl100k_base, or 1024
characters if it counts no tokens. Chunks do not overlap. Texts are generated: 200,000 characters of
each kind, 5,000 for splitters that run a neural model. Splitters take turns, with a new text in
every round, so that ratios hold on a machine that is busy or changes its speed. The first table has
the median of characters per second of CPU time, of all threads together. The other tables have the
faults of the chunks: the share of chunks over the limit; the visible characters lost, and those
added; and the share of chunks whose offsets are wrong, or missing although other chunks have
offsets.
"""

from __future__ import annotations

import argparse
import gc
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from statistics import median
from time import process_time
from typing import Any, Literal

from benchmarks.faults import examine
from benchmarks.generated_texts import KINDS
from benchmarks.packages import (
    LC,
    LI,
    OURS,
    RECURSIVE,
    SENTENCES,
    encoding,
    installed_version,
    make_with,
    pieces_of,
    use_shipped_vocabulary,
)

TOKENS, CHARACTERS = 256, 1024
BASE = "langchain Recursive, tokens"
TIMED = ("English", "Chinese", "Markdown", "CSV")
SIZE, MODEL_SIZE = 200_000, 5_000  # characters of a text; for splitters that run a model
ROUNDS, MODEL_ROUNDS = 7, 3  # texts of each kind; for splitters that run a model

Split = Callable[[str], object]
"""The function that is timed: it returns the chunks of a text."""
Faults = Mapping[str, Any]
"""Counts of the faults of a text's chunks, by name, or an "error"."""


@dataclass(frozen=True)
class Entry:
    """A splitter of the benchmark."""

    name: str  # in tables
    package: str  # the distribution that contains it
    make: Callable[[], Any]  # imports the package
    unit: Literal["tokens", "characters"] = "tokens"  # the unit of its size limit
    model: bool = False  # whether it runs a neural model, which takes far longer


def split_of(splitter: Any) -> Split:
    """Return the function of a splitter that splits a text."""
    if hasattr(splitter, "get_nodes_from_documents"):
        return partial(pieces_of, splitter)
    names = ("split_text", "chunks", "chunk")  # of LangChain, semantic-text-splitter, chonkie
    method = next((name for name in names if hasattr(splitter, name)), "__call__")
    split: Split = getattr(splitter, method)
    return split


def limit_of(entry: Entry) -> tuple[Callable[[str], int], int]:
    """Return a function that counts a chunk, and the maximum count."""
    if entry.unit == "characters":
        return len, CHARACTERS
    encode = encoding().encode_ordinary
    return lambda text: len(encode(text)), TOKENS


def _recursive_by_tokens() -> Any:
    kind = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    return kind.from_tiktoken_encoder("cl100k_base", chunk_size=TOKENS, chunk_overlap=0)


def _chonkie() -> Any:
    return import_module("chonkie").RecursiveChunker(tokenizer=encoding(), chunk_size=TOKENS)


def _semantic_text_splitter() -> Any:
    kind = import_module("semantic_text_splitter").TextSplitter
    return kind.from_tiktoken_model("gpt-4", TOKENS)


def _blazechunk() -> Any:
    return import_module("blazechunk").RecursiveChunker(chunk_size=CHARACTERS)


def _lumber(name: str, **settings: Any) -> Callable[[], Any]:
    return partial(make_with("langchain_lumber", name, **settings), TOKENS)


_tokens_of_langchain = make_with(
    "langchain_text_splitters", "TokenTextSplitter", encoding_name="cl100k_base", chunk_overlap=0
)

ENTRIES: tuple[Entry, ...] = (
    Entry("greedy", OURS, _lumber("GreedyTextSplitter", tokenizer="cl100k_base")),
    Entry("greedy, default counter", OURS, _lumber("GreedyTextSplitter")),
    Entry("layout", OURS, _lumber("LayoutTextSplitter", tokenizer="cl100k_base")),
    Entry("layout, default counter", OURS, _lumber("LayoutTextSplitter")),
    Entry(BASE, LC, _recursive_by_tokens),
    Entry("langchain Recursive, characters", LC, lambda: RECURSIVE(CHARACTERS), unit="characters"),
    Entry("langchain Token", LC, lambda: _tokens_of_langchain(TOKENS)),
    Entry("llama-index Sentence", LI, lambda: SENTENCES(TOKENS)),
    Entry("chonkie Recursive", "chonkie", _chonkie),
    Entry("semchunk", "semchunk", lambda: import_module("semchunk").chunkerify(encoding(), TOKENS)),
    Entry("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter),
    Entry("blazechunk Recursive", "blazechunk", _blazechunk, "characters"),
    Entry("bert", OURS, _lumber("BertTextSplitter", tokenizer="cl100k_base"), model=True),
    Entry(
        "bert, large",
        OURS,
        _lumber("BertTextSplitter", model="large", tokenizer="cl100k_base"),
        model=True,
    ),
)


def find_entry(name: str) -> Entry:
    """Return a splitter by its name."""
    return next(candidate for candidate in ENTRIES if candidate.name == name)


def time_by_turns(splits: Mapping[str, Split], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the CPU seconds of every splitter for every text but the first.

    Splitters take turns on each text. All threads of this process count, other programs do not.
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


def faults_of(splitter: Any, text: str, limit: tuple[Callable[[str], int], int]) -> Faults:
    """Return the faults of the chunks of a text, or the error that the splitter raises."""
    try:
        return examine(text, pieces_of(splitter, text), limit)
    except Exception as error:  # noqa: BLE001 - any error is a fault
        return {"error": type(error).__name__}


def _share(result: Faults, name: str) -> str:
    return f"{result[name] / result['chunks']:.1%}" if result["chunks"] else "no chunks"


FAULTS: dict[str, Callable[[Faults], str]] = {
    "chunks over the limit": lambda result: _share(result, "over"),
    "characters lost / added": lambda result: f"{result['lost']} / {result['invented']}",
    "offsets wrong": lambda result: (
        "-" if result["offsets_wrong"] is None else _share(result, "offsets_wrong")
    ),
}
"""The tables of faults: the cell of each for a text."""


def print_table(title: str, kinds: Sequence[str], rows: Mapping[str, Sequence[str]]) -> None:
    """Print a row for each splitter, with a cell for each kind of text."""
    print(f"\n**{title}**\n\n{' | '.join(['splitter', *kinds])}\n---{' | --:' * len(kinds)}")
    for name, cells in rows.items():
        print(" | ".join([name, *cells]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the sizes of texts")
    scale = parser.parse_args().scale
    use_shipped_vocabulary()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    size = int(SIZE * scale)
    model_size = max(2_500, int(MODEL_SIZE * scale))  # smaller texts take no longer than loading
    versions = {entry.package: installed_version(entry.package) for entry in ENTRIES}
    print(", ".join(f"{name} {number or 'left out'}" for name, number in versions.items()))
    installed = [entry for entry in ENTRIES if versions[entry.package]]
    tools = {entry.name: entry.make() for entry in installed}
    speeds: dict[str, list[str]] = {}
    for model, length, rounds in ((False, size, ROUNDS), (True, model_size, MODEL_ROUNDS)):
        names = [entry.name for entry in installed if entry.model == model]
        splits = {name: split_of(tools[name]) for name in names}
        for kind in TIMED:
            # Another text in every round, so that no splitter gains by remembering the last one.
            texts = [KINDS[kind](length, seed) for seed in range(rounds + 1)]
            for name, spent in time_by_turns(splits, texts).items():
                speeds.setdefault(name, []).append(f"{length / median(spent) / 1e6:.3g} M")
    print_table("characters a second", TIMED, speeds)
    faults: dict[str, list[Faults]] = {}
    for entry in installed:
        texts = [make(model_size if entry.model else size, 0) for make in KINDS.values()]
        faults[entry.name] = [faults_of(tools[entry.name], text, limit_of(entry)) for text in texts]
    for title, cell in FAULTS.items():
        rows = {
            name: [
                f"raises {counts['error']}" if "error" in counts else cell(counts)
                for counts in by_kind
            ]
            for name, by_kind in faults.items()
        }
        print_table(title, [*KINDS], rows)


if __name__ == "__main__":
    main()
