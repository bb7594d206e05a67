"""Pipelines that run parsers in worker processes, which may be forked after the first use."""

from __future__ import annotations

import pytest

from tests.alone import run_alone

pytest.importorskip("llama_index.core")

USED_BEFORE = """
import asyncio, sys
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LumberNodeParser

def main():
    make = {"bert": BertNodeParser, "greedy": GreedyNodeParser, "lumber": LumberNodeParser}
    text = "The ship was in the harbour. The king said no!\\n\\nThe baker had bread. " * 40
    documents = [Document(text=text + str(n), id_=f"d{n}") for n in range(4)]

    def texts(nodes):
        return [node.text for node in nodes]

    parser = make[sys.argv[1]](chunk_size=60)
    # A cache would answer for the workers.
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    alone = texts(pipeline.run(documents=documents))
    assert len(alone) > 8
    for nodes in (
        asyncio.run(pipeline.arun(documents=documents, num_workers=2)),
        pipeline.run(documents=documents, num_workers=2),
    ):
        assert sorted(texts(nodes)) == sorted(alone)

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("kind", ["bert", "greedy", "lumber"])
def test_workers_of_a_pipeline_that_was_used_give_the_same_nodes(kind: str) -> None:
    run_alone(USED_BEFORE, kind, seconds=200)
