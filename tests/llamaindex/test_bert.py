"""BertNodeParser and LumberEmbedding: what they add to the contracts."""

from __future__ import annotations

import pickle

from llama_index.core import Document

from llamaindex_lumber import BertNodeParser, LumberEmbedding
from tests.core.bert.test_bundled import TOPICS


def test_nodes_come_with_their_embeddings() -> None:
    parser = BertNodeParser(chunk_size=100, embed=True)
    nodes = parser.get_nodes_from_documents([Document(text=" ".join(TOPICS))])
    assert [node.text.strip() for node in nodes] == TOPICS
    model = LumberEmbedding()
    similar = [
        model.similarity(node.embedding, model.get_text_embedding(TOPICS[1])) for node in nodes
    ]
    assert max(similar) == similar[1] > 0.8
    plain = BertNodeParser().get_nodes_from_documents([Document(text="One. Two.")])
    assert plain[0].embedding is None


def test_settings_are_in_the_cache_key() -> None:
    base = BertNodeParser(model="large").to_dict()
    for change in (
        {"threshold": 1.0},
        {"paper": True},
        {"embed": True},
        {"model": "some/model"},
    ):
        assert BertNodeParser(**{"model": "large", **change}).to_dict() != base
    assert BertNodeParser(model="large", threads=3).to_dict() == base


def test_the_embedding_model_pickles() -> None:
    model = LumberEmbedding()
    vector = model.get_query_embedding("the sea")
    assert pickle.loads(pickle.dumps(model)).get_query_embedding("the sea") == vector
    assert len(vector) == 384
