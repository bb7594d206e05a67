"""The starts of the chunks of every fixture are recorded, so that no change goes unnoticed.

`python -m tests.contracts.test_frozen_chunks` records them anew; the changelog says what changed
and why it is better.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker, LumberChunker
from lumber_core.text.source import Source
from lumber_files import read_file
from tests.contracts.fixtures import write_fixtures
from tests.core.core_support import OLD_ONNXRUNTIME, with_
from tests.lexical_judge import LexicalJudge

pytestmark = pytest.mark.usefixtures("scored_once")
RECORD = Path(__file__).with_name("chunks_of_fixtures.json")

SPLITTERS: dict[str, Callable[[], Chunker]] = {
    "bert": BertChunker,
    "bert, target 60": lambda: BertChunker(target_size=60, chunk_size=90),
    "bert, threshold 0": lambda: BertChunker(threshold=0.0),
    "bert, large": lambda: BertChunker("large"),
    "bert, large, target 60": lambda: BertChunker("large", target_size=60, chunk_size=90),
    "bert, large, threshold 0": lambda: BertChunker("large", threshold=0.0),
    "layout": LayoutChunker,
    "greedy": GreedyChunker,
    "greedy, target 60": lambda: GreedyChunker(60, chunk_size=80, min_chunk_size=20),
    "lumber, theta 120": lambda: LumberChunker(LexicalJudge(), theta=120),
    "lumber, windows of 400": lambda: with_(
        LumberChunker(LexicalJudge(), theta=120, method="window"), window_tokens=400
    ),
    "lumber, chunks of 30": lambda: LumberChunker(LexicalJudge(), theta=120, chunk_size=30),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    paths = write_fixtures(tmp_path_factory.mktemp("files"))
    return [read_file(path, name=path.name) for path in paths]


@pytest.mark.parametrize("name", SPLITTERS)
def test_chunks_start_at_the_recorded_places(name: str, files: list[Source]) -> None:
    if "large" in name and OLD_ONNXRUNTIME:
        pytest.skip("onnxruntime before 1.24, as on Python 3.10, rounds some scores otherwise")
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    starts_by_file = dict(starts_of(SPLITTERS[name](), files))
    changed = {
        file: starts for file, starts in starts_by_file.items() if starts != recorded.get(file)
    }
    assert not changed, (
        f"the chunks of {', '.join(changed)} changed; if that is meant, say in the changelog why "
        "it is better, and run python -m tests.contracts.test_frozen_chunks"
    )
    assert starts_by_file.keys() == recorded.keys()


def starts_of(chunker: Chunker, files: list[Source]) -> Iterator[tuple[str, list[int]]]:
    for file in files:
        yield file.name, [chunk.span.start for chunk in chunker.split(file)]


def record() -> None:
    """Write where the chunks start now."""
    with TemporaryDirectory() as folder:
        files = [read_file(path, name=path.name) for path in write_fixtures(Path(folder))]
    starts_by_file = {name: dict(starts_of(make(), files)) for name, make in SPLITTERS.items()}
    lines = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(f)}: {json.dumps(s)}" for f, s in starts.items())
        + "\n}"
        for name, starts in starts_by_file.items()
    ]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    record()
