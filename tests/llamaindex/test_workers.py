"""Pipelines that run parsers in worker processes, which may be forked after the first use."""

import pytest

from tests.alone import run_alone

pytest.importorskip("llama_index.core")

USED_BEFORE = """
import asyncio
import numpy as np
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llamaindex_lumber import BertNodeParser, ContextEmbedding, GreedyNodeParser
from llamaindex_lumber import LumberNodeParser

def main():
    text = "The ship was in the harbour. The king said no!\\n\\nThe baker had bread. " * 40
    documents = [Document(text=text + str(n), id_=f"d{n}") for n in range(4)]

    def texts(nodes):
        return sorted((node.text, np.round(node.embedding or [], 5).tolist()) for node in nodes)

    # Workers import LlamaIndex anew, which takes seconds: the parsers share a pipeline, in which
    # each divides what the one before made.
    parsers = [LumberNodeParser(chunk_size=240), BertNodeParser(chunk_size=120)]
    parsers.append(GreedyNodeParser(chunk_size=60))
    counts = [len(documents)]
    for last in range(len(parsers)):
        # A cache would answer for the workers.
        pipeline = IngestionPipeline(transformations=parsers[: last + 1], disable_cache=True)
        alone = texts(pipeline.run(documents=documents))
        counts.append(len(alone))
    assert all(less < more for less, more in zip(counts, counts[1:])), counts
    pipeline.transformations = [*parsers, ContextEmbedding()]
    alone = texts(pipeline.run(documents=documents))
    assert texts(pipeline.run(documents=documents, num_workers=2)) == alone
    assert texts(asyncio.run(pipeline.arun(documents=documents, num_workers=2))) == alone

if __name__ == "__main__":
    main()
"""


def test_workers_of_a_pipeline_that_was_used_give_the_same_nodes() -> None:
    run_alone(USED_BEFORE, seconds=200)
