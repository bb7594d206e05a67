"""BertNodeParser and LumberEmbedding: what they add to the contracts."""

from __future__ import annotations

import pickle

from llamaindex_lumber import BertNodeParser, LumberEmbedding


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
