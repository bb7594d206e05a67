"""A cluster of two nodes, each with its own Ray daemons, one of which is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lumber_core import LumberChunker, ModelJudge
from lumber_core.llms import OpenAIModel
from lumber_ray import split_corpus
from tests.loopback.faults import Drop, Fault
from tests.loopback.server import LoopbackServer, Request
from tests.ray.corpus import rows_in, texts_of, write_lines
from tests.ray.test_cluster import paragraphs

pytestmark = pytest.mark.ray


class PlacedModel(OpenAIModel):
    """Sends the node of its worker as the key, so that the server knows where requests are from."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        import ray

        node = ray.get_runtime_context().get_node_id()
        super().__setstate__({**state, "_api_key": node})


def node_of(request: Request) -> str:
    return request.headers["authorization"].removeprefix("Bearer ")


@pytest.fixture
def nodes() -> Iterator[Any]:
    """The nodes: the first has room for the worker that the second loses."""
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, **memory})
    cluster.second = cluster.add_node(num_cpus=2, **memory)
    ray.init(address=cluster.address, logging_level="warning")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_a_node_that_is_lost_costs_no_document_and_no_answer(nodes: Any, tmp_path: Path) -> None:
    documents = paragraphs(8)
    source = write_lines(tmp_path / "corpus.jsonl", documents)
    lost = nodes.second.node_id
    unanswered: list[int] = []

    def faults(request: Request) -> Fault | None:
        if request.number < 9 or node_of(request) != lost or unanswered:
            return None
        unanswered.append(request.number)
        nodes.remove_node(nodes.second, allow_graceful=False)
        return Drop("before")  # nobody is there to get an answer

    with LoopbackServer("Answer: none", faults=faults, delay=0.05) as server:
        model = PlacedModel("test", base_url=server.openai_url, api_key="driver")
        chunker = LumberChunker(ModelJudge(model), theta=40, store=tmp_path / "answers.db")
        summary = split_corpus(
            *(source, tmp_path / "out", chunker), workers=2, documents_per_part=1
        )
        asked = [request for request in server.requests if request.number not in unanswered]
    assert unanswered
    assert (summary.documents, summary.failed, summary.unanswered) == (8, 0, 0)
    rows = rows_in(tmp_path / "out" / "chunks")
    assert texts_of(rows) == {document["id"]: document["text"] for document in documents}
    assert len({row["chunk_id"] for row in rows}) == len(rows) == summary.chunks
    prompts = [request.user for request in asked]
    assert len(set(prompts)) == len(prompts) > 20
    assert len({node_of(request) for request in asked}) == 2
    assert lost not in {node_of(r) for r in asked if r.number > unanswered[0]}
