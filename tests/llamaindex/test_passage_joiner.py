import pickle
import threading
from functools import partial
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, Document, NodeRelationship, NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore

from llamaindex_lumber import (
    GreedyNodeParser,
    LumberEmbedding,
    LumberNodeParser,
    PassageJoiner,
)
from tests.core.text.test_context import GUIDE
from tests.langchain.test_passage_joiner import STORY

PAGE = Document(text=GUIDE, metadata={"file_name": "guide.md"}, id_="guide")
TALE = Document(text=STORY, id_="story")


def nodes_of(*documents: BaseNode) -> list[BaseNode]:
    parser = GreedyNodeParser(target_size=8, chunk_size=60, tokenizer="words")
    return parser.get_nodes_from_documents(list(documents))


def join_passages(hits: list[NodeWithScore], texts: Any, **limits: Any) -> list[NodeWithScore]:
    return PassageJoiner(texts=texts, **limits).postprocess_nodes(hits)


def docstore() -> SimpleDocumentStore:
    store = SimpleDocumentStore()
    store.add_documents([PAGE, TALE])
    return store


def test_nodes_of_other_parsers_are_joined() -> None:
    nodes = TokenTextSplitter(chunk_size=12, chunk_overlap=5).get_nodes_from_documents([TALE])
    assert len(nodes) > 3
    (passage,) = join_passages([NodeWithScore(node=node) for node in nodes], [TALE])
    assert (passage.node.get_content(), passage.score) == (STORY, None)


def test_a_joiner_with_unpicklable_texts_works_in_its_process() -> None:
    store = docstore()
    store.connection = threading.Lock()
    joiner = PassageJoiner(texts=store)
    with pytest.raises(TypeError, match="texts cannot be pickled"):
        pickle.dumps(joiner)
    hits = [NodeWithScore(node=node) for node in nodes_of(TALE)]
    assert joiner.postprocess_nodes(hits) == join_passages(hits, [TALE])


@pytest.mark.parametrize(
    "make",
    [GreedyNodeParser, LumberNodeParser, LumberEmbedding, partial(PassageJoiner, texts=[TALE])],
)
def test_copies_of_a_component_drop_handlers_that_cannot_be_pickled(make: Any) -> None:
    handler = LlamaDebugHandler()
    handler.lock = threading.Lock()
    component = make(callback_manager=CallbackManager([handler]))
    copied = pickle.loads(pickle.dumps(component))
    assert component.callback_manager.handlers == [handler]
    assert copied.callback_manager.handlers == []


def test_a_passage_is_a_node_with_the_fields_of_its_best_node() -> None:
    nodes = nodes_of(PAGE, TALE)
    hits = [NodeWithScore(node=nodes[n], score=n / 10) for n in (len(nodes) - 1, 6, 4)]
    before = [hit.model_copy(deep=True) for hit in hits]
    single, joined = join_passages(hits, docstore(), max_gap=8)
    assert hits == before
    assert (single.node.node_id, single.score) == (nodes[-1].node_id, (len(nodes) - 1) / 10)
    assert [*joined.node.relationships] == [NodeRelationship.SOURCE]
    assert joined.node.node_id not in {node.node_id for node in nodes}
    assert joined.node.node_id == join_passages(hits, docstore(), max_gap=8)[1].node.node_id
    assert "headings" in joined.node.excluded_llm_metadata_keys
    assert joined.node.metadata["file_name"] == "guide.md"


@pytest.mark.parametrize("question", ["What happened at sea?", ""])
@pytest.mark.parametrize("rerank", [True, False])
def test_the_order_of_hits_matters_and_not_their_scores(question: str, rerank: bool) -> None:
    nodes = nodes_of(PAGE, TALE)[::3]
    count = len(nodes)
    joiner = PassageJoiner(texts=[PAGE, TALE], max_gap=0, budget=20, rerank=rerank)

    def texts_found(scores: list[float | None]) -> list[str]:
        hits = [NodeWithScore(node=n, score=s) for n, s in zip(nodes, scores, strict=True)]
        return [passage.text for passage in joiner.postprocess_nodes(hits, query_str=question)]

    best_first = texts_found([1 - place / count for place in range(count)])
    assert best_first
    assert texts_found([place / count for place in range(count)]) == best_first  # as distances
    assert texts_found([None] * count) == best_first


@pytest.mark.parametrize(
    ("change", "texts", "message"),
    [
        ({"start_char_idx": None}, [TALE], "lacks its document or its offsets"),
        ({"relationships": {}}, [TALE], "lacks its document or its offsets"),
        ({"text": "The sentences around it."}, [TALE], "before a postprocessor replaces the text"),
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
    passages = engine.query("What happened at sea?").source_nodes
    assert "the storm broke" in passages[0].text
    assert sum(len(passage.text.split()) for passage in passages) <= 24
    assert (await engine.aquery("What happened at sea?")).source_nodes == passages
    hits = await index.as_retriever(similarity_top_k=6).aretrieve("What happened at sea?")
    assert await joiner.apostprocess_nodes(hits, query_str="What happened at sea?") == passages
    assert "texts" not in joiner.to_dict()
    assert PassageJoiner.from_dict(joiner.to_dict(), texts=[]).budget == 24
    with pytest.raises(TypeError, match="NodeWithScore"):
        join_passages(nodes_of(TALE), [TALE])  # type: ignore[arg-type]
