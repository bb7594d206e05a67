"""Nodes with vectors that know headings and surroundings."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.schema import MetadataMode, TextNode

from llamaindex_lumber import (
    ContextEmbedding,
    GreedyNodeParser,
    LumberEmbedding,
)
from tests.core.bert.test_bundled import TOPICS

GUIDE = "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n"


class Counting(BaseEmbedding):
    """The bundled model, and what it was asked."""

    api_key: str = "sk-secret"
    _asked: list[str] = PrivateAttr(default_factory=list)
    _model: LumberEmbedding = PrivateAttr(default_factory=LumberEmbedding)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._asked += texts
        return self._model._get_text_embeddings(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.get_query_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def library() -> list[Document]:
    return [
        Document(text=" ".join(TOPICS), id_="a", metadata={"author": "Ada"}),
        Document(text=GUIDE, id_="b", metadata={"file_name": "b.md"}),
    ]


def embeddings(nodes: Any) -> np.ndarray:
    return np.array([node.embedding for node in nodes])


def test_vectors_without_surroundings_are_those_an_index_would_make() -> None:
    nodes = ContextEmbedding(surroundings=False)(GreedyNodeParser(target_size=20)(library()))
    expected = LumberEmbedding()([node.model_copy() for node in nodes])
    assert np.allclose(embeddings(nodes), embeddings(expected), atol=1e-6)
    plain = GreedyNodeParser(target_size=20)(library())
    assert [node.embedding for node in plain] == [None] * len(nodes)


async def test_every_way_to_parse_gives_the_same_vectors() -> None:
    parser, plain = GreedyNodeParser(target_size=20, embed=True), GreedyNodeParser(target_size=20)
    made = embeddings(parser.get_nodes_from_documents(library()))
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(len(made)))
    waited = await parser.aget_nodes_from_documents(library())
    piped = IngestionPipeline(transformations=[parser]).run(documents=library())
    for nodes in (
        waited,
        piped,
        pickle.loads(pickle.dumps(parser))(library()),
        ContextEmbedding()(plain(library())),
        await ContextEmbedding().acall(plain(library())),
    ):
        assert np.allclose(embeddings(nodes), made, atol=1e-6)


def test_contexts_are_embedded_only_if_wanted() -> None:
    nodes = GreedyNodeParser(target_size=8)(library()[1:])
    for context in (True, False):
        model = Counting()
        ContextEmbedding(model, context=context)(nodes)
        (text,) = [text for text in model._asked if "Wax" in text]
        assert ("context: Boats > Care\n\nWax the oars." in text) == context
        assert "file_name: b.md" in text


def test_headings_of_llamaindexs_markdown_parser_are_embedded_or_not() -> None:
    nodes = MarkdownNodeParser()(library()[1:])
    above, without = Counting(), Counting()
    ContextEmbedding(above)(nodes)
    ContextEmbedding(without, context=False)(nodes)
    assert any("header_path: /Boats/" in text for text in above._asked)
    assert not any("header_path" in text for text in without._asked)
    assert all("file_name: b.md" in text for text in without._asked)
    assert "header_path: /Boats/" in nodes[1].get_content(MetadataMode.EMBED)


def test_nodes_without_usable_offsets_stand_one_behind_the_other() -> None:
    placed = GreedyNodeParser(target_size=20)(library()[:1])
    expected = embeddings(ContextEmbedding()(placed)).copy()
    for offset in (None, 7):
        for node in placed:
            node.start_char_idx = offset
        assert np.allclose(embeddings(ContextEmbedding()(placed)), expected, atol=1e-2)


def test_nodes_without_a_source_have_no_surroundings() -> None:
    nodes = [TextNode(text="Ann ran."), TextNode(text="She fell.")]
    plain = LumberEmbedding().get_text_embedding_batch(["Ann ran.", "She fell."])
    assert np.allclose(embeddings(ContextEmbedding()(nodes)), plain, atol=1e-6)
    assert ContextEmbedding()([]) == []


def test_an_index_keeps_the_vectors_and_asks_the_model_for_queries() -> None:
    model = Counting()
    nodes = GreedyNodeParser(target_size=20, embed=model)(library())
    model._asked.clear()
    index = VectorStoreIndex(nodes, embed_model=model)
    assert model._asked == []
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("What did the senate vote on?")
    assert "voted" in found.node.text


def test_a_reloaded_cache_has_the_vectors(tmp_path: Path) -> None:
    def pipeline(parser: Any) -> IngestionPipeline:
        return IngestionPipeline(transformations=[parser])

    first = pipeline(GreedyNodeParser(target_size=20, embed=Counting()))
    expected = embeddings(first.run(documents=library()))
    first.persist(str(tmp_path))
    model = Counting()
    again = pipeline(GreedyNodeParser(target_size=20, embed=model))
    again.load(str(tmp_path))
    assert np.allclose(embeddings(again.run(documents=library())), expected, atol=1e-6)
    assert model._asked == []
    other = pipeline(GreedyNodeParser(target_size=20, embed=model, context=False))
    other.load(str(tmp_path))
    other.run(documents=library())
    assert model._asked != []


def test_neither_keys_nor_threads_are_in_what_is_serialised_and_shown() -> None:
    parser = GreedyNodeParser(embed=Counting())
    step = ContextEmbedding(Counting())
    for text in (parser.to_json(), repr(parser), step.to_json()):
        assert "sk-secret" not in text
    assert GreedyNodeParser(embed=Counting(api_key="sk-other")).to_dict() == parser.to_dict()
    threads = [ContextEmbedding(LumberEmbedding(threads=n)).to_dict() for n in (1, 2)]
    assert threads[0] == threads[1]


def test_the_embedding_model_pickles() -> None:
    model = LumberEmbedding()
    vector = model.get_query_embedding("the sea")
    assert pickle.loads(pickle.dumps(model)).get_query_embedding("the sea") == vector
    assert len(vector) == 384


def test_what_is_serialised_needs_the_model_again() -> None:
    model = MockEmbedding(embed_dim=3)
    parser = GreedyNodeParser(embed=model)
    data = json.loads(parser.to_json())
    with pytest.raises(
        TypeError, match=r"^embed must be an .* pass from_dict\(data, embed=\.\.\.\)"
    ):
        GreedyNodeParser.from_dict(data)
    again = GreedyNodeParser.from_dict(data, embed=model)
    assert again.to_json() == parser.to_json()
    step = ContextEmbedding(model, surroundings=False)
    with pytest.raises(TypeError, match=r"^embed_model .* from_dict\(data, embed_model=\.\.\.\)"):
        ContextEmbedding.from_dict(step.to_dict())
    restored = ContextEmbedding.from_dict(step.to_dict(), embed_model=model)
    assert restored.to_dict() == step.to_dict()


def test_what_is_no_model_is_refused() -> None:
    for wrong in ("bundled", 3.5, LumberEmbedding):
        with pytest.raises(TypeError, match=r"^embed must be an embedding model of LlamaIndex"):
            GreedyNodeParser(embed=wrong)
        with pytest.raises(TypeError, match=r"^embed_model must be an embedding model of LlamaInd"):
            ContextEmbedding(wrong)
    flags: Any = {"surroundings": ["headings"]}
    with pytest.raises(TypeError, match=r"must be True or False, not \['headings'\]"):
        ContextEmbedding(**flags)
    with pytest.raises(TypeError, match="ContextEmbedding has no setting 'contxt'"):
        ContextEmbedding(contxt=())
    texts: Any = ["a text"]
    with pytest.raises(TypeError, match="documents or nodes of LlamaIndex, not str"):
        ContextEmbedding()(texts)


def test_an_assigned_model_takes_effect() -> None:
    parser = GreedyNodeParser(target_size=20)
    parser.embed = MockEmbedding(embed_dim=3)
    assert {len(node.embedding) for node in parser(library())} == {3}
    wrong: Any = "gpt"
    with pytest.raises(TypeError, match="embed must be an embedding model"):
        parser.embed = wrong
    assert isinstance(parser.embed, MockEmbedding)
