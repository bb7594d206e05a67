"""`lumber-splitters split --embed`: vectors beside the chunks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lumber_core import GreedyChunker, Source, TextEmbedder
from lumber_retrieval.embedding import split_and_embed
from tests.cli.running import run_apart

GUIDE = "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n"
SPLIT = ("--method", "greedy", "--target-size", 8)


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


def expected() -> np.ndarray:
    source = Source(GUIDE, format="markdown")
    embed = TextEmbedder().embed
    chunker = GreedyChunker(8)
    _, (vectors,) = split_and_embed(chunker, [source], embed)
    return vectors


@pytest.mark.parametrize("options", [(), ("--embedder", "bundled")])
def test_json_lines_have_the_vectors_of_the_core(guide: Path, options: Sequence[str]) -> None:
    done = run_apart("split", guide, *SPLIT, "--embed", *options)
    assert (done.code, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert len(rows) > 3
    assert np.allclose([row["embedding"] for row in rows], expected(), atol=1e-6)
    plain = run_apart("split", guide, *SPLIT).out.splitlines()
    assert [{**row, "embedding": None} for row in rows] == [
        {**json.loads(line), "embedding": None} for line in plain
    ]


def test_parquet_has_a_column_of_vectors_only_if_wanted(guide: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "chunks.parquet"
    for options in ((), ("--embed",)):
        done = run_apart("split", guide, *SPLIT, *options, "--format", "parquet", "-o", output)
        assert done.code == 0, done.err
        table = parquet.read_table(output)
        assert ("embedding" in table.column_names) == ("--embed" in options)
    vectors = np.array(table["embedding"].to_pylist())
    assert np.allclose(vectors, expected(), atol=1e-6)


def test_an_empty_file_has_no_vectors(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("", encoding="utf-8")
    assert run_apart("split", path, "--embed", *SPLIT)[:2] == (0, "")
