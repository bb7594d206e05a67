"""Cold start, memory, cutting and tokens of BertChunker; its speed is a part of `benchmarks.suite`.

Usage:
    python benchmarks/bert_speed.py start                  import to first chunk
    python benchmarks/bert_speed.py memory [MEGABYTES]     peak memory and linear time
    python benchmarks/bert_speed.py embed TEXT             cutting, embedding, both
    python benchmarks/bert_speed.py cutting TEXT [--rounds 7] [--megabytes 10]
        CPU time of sized cuts against the pure threshold, shares of their steps, and time without
        the model up to 10 MB
    python benchmarks/bert_speed.py tokens TEXT [--rounds 7]
        CPU time of the tokenizer against the package `tokenizers` (extra `torch`)
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from paired import interleaved, ratio

if TYPE_CHECKING:
    from lumber_core import BertChunker
    from lumber_core.bert.scores import TokenScores

STORY = Path(__file__).parent.parent / "examples" / "data" / "the_tide_clock.txt"


def timed(function: Callable[[], object], rounds: int = 3) -> float:
    """Return the median time of a few calls, in seconds."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        function()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def start() -> None:
    code = (
        "import time; began = time.perf_counter()\n"
        "from lumber_core import BertChunker\n"
        "BertChunker().segment('The ship left at dawn. Bread needs flour, water and salt.')\n"
        "print(time.perf_counter() - began)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(7)
    ]
    print(f"import to first chunk: median {statistics.median(runs):.2f} s, worst {max(runs):.2f} s")


def memory(megabytes: float) -> None:
    from lumber_core import BertChunker

    story = STORY.read_text(encoding="utf-8")
    splitter = BertChunker()
    splitter.segment(story[:2000])
    for share in (0.1, 1.0):
        size = int(megabytes * share * 1e6)
        text = (story * (size // len(story) + 1))[:size]
        began = time.perf_counter()
        chunks = len(splitter.segment(text).spans)
        took = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{size / 1e6:g} MB: {chunks:,} chunks, {took:.1f} s, {size / took / 1e6:.3f} MB/s, "
            f"peak memory of the process {peak:.0f} MiB",
            flush=True,
        )


def embed(text: str) -> None:
    from lumber_core import BertChunker, TextEmbedder

    embedder = TextEmbedder()
    embedder.embed(["One."])
    for kind in ("moving", "overlapping"):
        splitter = BertChunker(windows=kind, tokenizer="words", chunk_size=200)
        chunks = splitter.segment(text).chunks(text)
        cutting = timed(partial(splitter.segment, text))
        embedding = timed(partial(embedder.embed, chunks))
        print(f"{kind}: cutting {cutting:.2f} s, embedding {len(chunks)} chunks {embedding:.2f} s")


def cutting(text: str, rounds: int, megabytes: float) -> None:
    import numpy as np

    from lumber_core import BertChunker
    from lumber_core.bert.scores import TokenScores

    sized, pure = BertChunker(threads=1), BertChunker(threads=1, threshold=0.0)
    contestants: dict[str, Callable[[], object]] = {
        "threshold=0": partial(pure.segment, text),
        "sized": partial(sized.segment, text),
    }
    seconds = cpu_seconds(contestants, rounds)
    scores = sized.scores(text)
    print(f"{len(scores):,} tokens\ncuts | tokens/s | times as long\n--- | --- | ---")
    for name, took in seconds.items():
        slower = "1" if name == "threshold=0" else ratio(seconds, name, "threshold=0")
        print(f"{name} | {len(scores) / statistics.median(took):,.0f} | {slower}")

    whole = statistics.median(seconds["sized"])
    print("\nstep | share of the time\n--- | ---")
    for name, took in steps(sized, text, scores, rounds).items():
        print(f"{name} | {statistics.median(took) / whole:.2%}")

    print("\nMB | seconds for places and cuts | seconds a MB\n--- | --- | ---")
    for size in (int(megabytes * share * 1e6) for share in (0.1, 0.3, 1.0)):
        copies = -(-size // len(text))
        shift = np.arange(copies, dtype=np.int32)[:, None] * len(text)
        many = TokenScores(
            (scores.starts + shift).ravel(),
            (scores.ends + shift).ravel(),
            np.tile(scores.t, copies),
            scores.candidates,
        )
        total = sum(
            statistics.median(one) for one in steps(sized, text * copies, many, rounds=1).values()
        )
        length = len(text) * copies / 1e6
        print(f"{length:.1f} | {total:.1f} | {total / length:.2f}", flush=True)


def tokens(text: str, rounds: int) -> None:
    from tokenizers import Tokenizer

    from lumber_core.bert.model_folder import BUNDLED_FOLDER
    from lumber_core.bert.tokenizer import WordPieceTokenizer
    from lumber_core.bert.vocabulary import read_vocabulary

    kept = WordPieceTokenizer.from_folder(BUNDLED_FOLDER)
    theirs = Tokenizer.from_file(str(BUNDLED_FOLDER / "tokenizer.json"))
    vocabulary = read_vocabulary(BUNDLED_FOLDER)
    seconds = cpu_seconds(
        {
            "tokenizers": lambda: theirs.encode(text, add_special_tokens=False).offsets,
            "first text": lambda: WordPieceTokenizer(vocabulary)(text),
            "further texts": partial(kept, text),
        },
        rounds,
    )
    print(f"{len(text):,} characters, {len(kept(text).ids):,} tokens")
    for name in ("first text", "further texts"):
        print(f"{name}: {ratio(seconds, name, 'tokenizers')} times as long as tokenizers")


def cpu_seconds(
    contestants: dict[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Return the CPU time of every round for every contestant."""
    found = interleaved(contestants, rounds=rounds)
    return {name: [one.cpu for one in spent] for name, spent in found.items()}


def steps(
    splitter: BertChunker, text: str, scores: TokenScores, rounds: int
) -> dict[str, list[float]]:
    """Time what sized cuts do besides scoring tokens."""
    from lumber_core.bert.scores import place_scores
    from lumber_core.chunking.cutting import Cutter

    cutter = Cutter(splitter._limits)
    found = cutter.places(text)
    t = place_scores(scores, found.places)
    return cpu_seconds(
        {
            "places and their tokens": partial(cutter.places, text),
            "scores of the places": partial(place_scores, scores, found.places),
            "the best tiling": partial(cutter.cut, found, t),
        },
        rounds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("embed", "cutting", "tokens"):
        command = commands.add_parser(name)
        command.add_argument("text", type=Path)
        if name != "embed":
            command.add_argument("--rounds", type=int, default=7)
        if name == "cutting":
            command.add_argument("--megabytes", type=float, default=10)
    commands.add_parser("start")
    commands.add_parser("memory").add_argument("megabytes", type=float, nargs="?", default=10)
    options = parser.parse_args()
    if options.command == "start":
        start()
    elif options.command == "memory":
        memory(options.megabytes)
    else:
        text = options.text.read_text(encoding="utf-8", errors="replace")
        if options.command == "cutting":
            cutting(text, options.rounds, options.megabytes)
        elif options.command == "tokens":
            tokens(text, options.rounds)
        else:
            embed(text)


if __name__ == "__main__":
    main()
