"""Passages in LlamaIndex: a retriever's nodes joined to exact slices of the documents."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, Document, NodeRelationship, NodeWithScore, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from llamaindex_lumber import GreedyNodeParser, LumberEmbedding, PassageJoiner
from tests.core.text.test_context import GUIDE

STORY = (
    "Ada mended the clock. She oiled the spring. Then she set the hands. "
    "At sea the storm broke. Sails tore. The mate went below."
)
PAGE = Document(text=GUIDE, metadata={"file_name": "guide.md"}, id_="guide")
TALE = Document(text=STORY, id_="story")


def nodes_of(*documents: BaseNode) -> list[BaseNode]:
    parser = GreedyNodeParser(target_size=8, chunk_size=60, tokenizer="words")
    return parser.get_nodes_from_documents(list(documents))


def hits_of(nodes: list[BaseNode], **scores: float) -> list[NodeWithScore]:
    """Return nodes as hits, given the score of each as n4=0.9."""
    return [NodeWithScore(node=nodes[int(name[1:])], score=score) for name, score in scores.items()]


def join_passages(
    hits: list[NodeWithScore], texts: Any = None, **limits: Any
) -> list[NodeWithScore]:
    return PassageJoiner(texts=texts, **limits).postprocess_nodes(hits)


def check_slices(passages: list[NodeWithScore]) -> None:
    texts = {"guide": GUIDE, "story": STORY}
    for each in passages:
        node = each.node
        assert isinstance(node, TextNode)
        assert node.text == texts[node.ref_doc_id or ""][node.start_char_idx : node.end_char_idx]


def docstore() -> SimpleDocumentStore:
    store = SimpleDocumentStore()
    store.add_documents([PAGE, TALE])
    return store


@pytest.mark.parametrize(
    "texts", [docstore(), [PAGE, TALE], {"guide": GUIDE, "story": STORY}], ids=type
)
def test_nodes_become_slices_with_the_best_score_and_their_document(texts: Any) -> None:
    nodes = nodes_of(PAGE, TALE)
    last = len(nodes) - 1
    hits = hits_of(nodes, n4=0.4, n6=0.6, n1=0.1, **{f"n{last}": 0.3})
    before = [each.model_copy(deep=True) for each in hits]
    passages = join_passages(hits, texts, max_gap=8)
    assert hits == before
    check_slices(passages)
    assert [(each.node.ref_doc_id, each.score) for each in passages] == [
        ("guide", 0.1),
        ("guide", 0.6),
        ("story", 0.3),
    ]
    joined = passages[1].node
    assert joined.start_char_idx == nodes[4].start_char_idx  # type: ignore[attr-defined]
    assert joined.end_char_idx == nodes[6].end_char_idx  # type: ignore[attr-defined]
    assert [*joined.relationships] == [NodeRelationship.SOURCE]
    assert joined.node_id not in {node.node_id for node in nodes}
    assert joined.node_id == join_passages(hits, texts, max_gap=8)[1].node.node_id
    assert passages[2].node.node_id == nodes[last].node_id
    for key in ("headings", "heading_levels", "context"):
        assert joined.metadata.get(key) == nodes[4].metadata.get(key)
    assert "headings" in joined.excluded_llm_metadata_keys
    assert joined.metadata["file_name"] == "guide.md"


def test_nodes_of_other_parsers_are_joined() -> None:
    nodes = SentenceSplitter(chunk_size=12, chunk_overlap=5).get_nodes_from_documents([TALE])
    assert len(nodes) > 3
    (passage,) = join_passages([NodeWithScore(node=node) for node in nodes], [TALE])
    assert (passage.node.get_content(), passage.score) == (STORY, None)
    touching = [NodeWithScore(node=node) for node in nodes_of(TALE)]
    assert [passage.node.get_content() for passage in join_passages(touching)] == [STORY]


@pytest.mark.parametrize(
    ("change", "texts", "message"),
    [
        ({"start_char_idx": None}, None, "does not say where it is"),
        ({"relationships": {}}, None, "does not say where it is"),
        ({"text": "The sentences around it."}, None, "before a postprocessor replaces the text"),
        ({"start_char_idx": 1, "end_char_idx": 45}, [TALE], "index a document that has changed"),
        ({}, [PAGE], "texts has no document 'story'"),
        ({}, SimpleDocumentStore(), "docstore.add_documents"),
    ],
)
def test_nodes_that_cannot_be_placed_are_refused(change: Any, texts: Any, message: str) -> None:
    node = nodes_of(TALE)[0].model_copy(deep=True)
    for name, value in change.items():
        setattr(node, name, value)
    with pytest.raises(ValueError, match=message):
        join_passages([NodeWithScore(node=node)], texts)


async def test_a_query_engine_answers_from_passages_within_the_budget() -> None:
    index = VectorStoreIndex(nodes_of(PAGE, TALE), embed_model=LumberEmbedding())
    joiner = PassageJoiner(texts=docstore(), max_gap=20, budget=24)
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=6), llm=MockLLM(), node_postprocessors=[joiner]
    )
    found = engine.query("What happened at sea?").source_nodes
    check_slices(found)
    assert "the storm broke" in found[0].text
    assert sum(len(each.text.split()) for each in found) <= 24
    assert (await engine.aquery("What happened at sea?")).source_nodes == found
    hits = await index.as_retriever(similarity_top_k=6).aretrieve("What happened at sea?")
    assert await joiner.apostprocess_nodes(hits) == found
    assert "texts" not in joiner.to_dict()
    assert PassageJoiner.from_dict(joiner.to_dict()).budget == 24
