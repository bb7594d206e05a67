"""Splitters and embedders keep working in processes forked after their first use."""

import multiprocessing
from pathlib import Path

import pytest

from tests.alone import run_alone

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this platform has no fork"
)


IN_CHILDREN = """
import multiprocessing, sys
from lumber_core import BertChunker, TextEmbedder

model, exported = sys.argv[1:]
text = "The ship was in the harbour. The king said no! The baker had bread. " * 30
texts = [text, text[:900], "The sea."]
splitter = BertChunker(model, threads=2, threshold=-7.0)

def fresh(text):
    return BertChunker(model, threads=2, threshold=-7.0).segment(text)

def embed(texts):
    return embedder.embed(texts).tolist()

def embed_afresh(texts):
    return TextEmbedder(model, threads=2).embed(texts).tolist()

expected = [splitter.segment(text) for text in texts]
assert len(expected[0].spans) > 3
if exported:
    embedder = TextEmbedder(model, threads=2)
    vectors = embed(texts)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(splitter.segment, texts) == expected
    assert pool.map(fresh, texts) == expected
    if exported:
        assert pool.map(embed, [texts, texts]) == [vectors, vectors]
        assert pool.map(embed_afresh, [texts, texts]) == [vectors, vectors]
assert [splitter.segment(text) for text in texts] == expected
"""


def test_forked_processes_split_and_embed_as_their_parent(exported: Path, checkpoint: Path) -> None:
    run_alone(IN_CHILDREN, str(exported), "exported", seconds=120)
    run_alone(IN_CHILDREN, str(checkpoint), "", seconds=120)
