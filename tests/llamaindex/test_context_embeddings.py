import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core import Document
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.schema import MetadataMode, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore

from llamaindex_lumber import ContextEmbedding, GreedyNodeParser, LumberEmbedding
from tests.contracts.finders import LlamaIndexVectors
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_passage_index import RIVER

PARSER = GreedyNodeParser(target_size=8, tokenizer="words")


class Keyed(LlamaIndexVectors):
    """An embedding model with a key."""

    api_key: str = "sk-secret"


def library() -> list[Document]:
    return [
        Document(text=RIVER, id_="river", metadata={"author": "Ada"}),
        Document(text=GUIDE, id_="guide", metadata={"file_name": "guide.md"}),
    ]


def embeddings(nodes: Any) -> np.ndarray:
    return np.array([node.embedding for node in nodes])


def test_embedded_texts_equal_those_of_an_index() -> None:
    model, nodes = LlamaIndexVectors(), PARSER(library())
    ContextEmbedding(model)(nodes)
    assert model.texts == [node.get_content(MetadataMode.EMBED) for node in nodes]
    assert "author: Ada" in model.texts[0]
    hidden, nodes = LlamaIndexVectors(), MarkdownNodeParser()(library()[1:])
    nodes[-1].excluded_embed_metadata_keys = ["header_path"]
    ContextEmbedding(hidden)(nodes)
    assert "header_path: /Guide/" in hidden.texts[2]
    assert "header_path" not in hidden.texts[-1]


def test_nodes_without_a_source_have_no_surroundings() -> None:
    nodes = [TextNode(text="Ann ran."), TextNode(text="She fell.")]
    plain = LlamaIndexVectors().get_text_embedding_batch(["Ann ran.", "She fell."])
    assert np.allclose(embeddings(ContextEmbedding(LlamaIndexVectors())(nodes)), plain, atol=1e-6)


def test_a_pipeline_with_a_reloaded_cache_has_the_vectors(tmp_path: Path) -> None:
    def pipeline(model: Any) -> IngestionPipeline:
        return IngestionPipeline(transformations=[PARSER, ContextEmbedding(model)])

    first = pipeline(Keyed())
    expected = embeddings(first.run(documents=library()))
    assert np.array_equal(expected, embeddings(ContextEmbedding(Keyed())(PARSER(library()))))
    first.persist(str(tmp_path))
    model = Keyed(api_key="sk-other")
    second_pipeline = pipeline(model)
    second_pipeline.load(str(tmp_path))
    assert np.allclose(embeddings(second_pipeline.run(documents=library())), expected, atol=1e-6)
    assert model.texts == []


def test_progress_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    step, nodes = ContextEmbedding(LlamaIndexVectors()), PARSER(library())
    step(nodes)
    assert capsys.readouterr().err == ""
    step(nodes, show_progress=True)
    assert "text/s" in capsys.readouterr().err


def test_serialised_embeddings_have_no_keys_or_threads_and_need_the_model_again() -> None:
    step = ContextEmbedding(Keyed())
    assert "sk-secret" not in step.to_json()
    assert ContextEmbedding(Keyed(api_key="sk-other")).to_dict() == step.to_dict()
    threads = [ContextEmbedding(LumberEmbedding(threads=n)).to_dict() for n in (1, 2)]
    assert threads[0] == threads[1] != step.to_dict()
    data = json.loads(step.to_json())
    with pytest.raises(TypeError, match=r"^embed_model .* from_dict\(data, embed_model=\.\.\.\)"):
        ContextEmbedding.from_dict(data)
    assert ContextEmbedding.from_dict(data, embed_model=Keyed()).to_dict() == step.to_dict()
    with pytest.raises(TypeError, match="contxt"):
        ContextEmbedding(contxt=())


async def test_the_embedding_model_gives_the_same_vectors_whichever_way_llamaindex_asks() -> None:
    texts = ["foo", "bar", "baz"]
    model = LumberEmbedding(embed_batch_size=2)
    vectors = [model.get_text_embedding(text) for text in texts]
    assert model.get_text_embedding_batch(texts) == vectors
    assert await model.aget_text_embedding_batch(texts) == vectors
    assert await model.aget_text_embedding("bar") == vectors[1]
    assert model.get_query_embedding("baz") == await model.aget_query_embedding("baz") == vectors[2]
    for nodes in (
        model([TextNode(text=text) for text in texts]),
        await model.acall([TextNode(text=text) for text in texts]),
    ):
        assert [node.embedding for node in nodes] == vectors
    for copy in (LumberEmbedding.from_dict(model.to_dict()), pickle.loads(pickle.dumps(model))):
        assert (copy.embed_batch_size, copy.get_text_embedding("foo")) == (2, vectors[0])
    assert len(vectors[0]) == 384


def test_with_a_cache_of_the_model_an_edit_embeds_the_new_text() -> None:
    text = "\n\n".join(f"The otters of den {n} hunt on day {n}." for n in range(30))
    for cache, embedded in ((None, 30), (SimpleKVStore(), 1)):
        model = LlamaIndexVectors(embeddings_cache=cache)
        pipeline = IngestionPipeline(
            transformations=[PARSER, ContextEmbedding(model)],
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.UPSERTS,
            vector_store=SimpleVectorStore(),
        )
        assert len(pipeline.run(documents=[Document(text=text, id_="notes")])) == 30
        before = len(model.texts)
        edited = Document(text=text.replace("day 15", "the last day"), id_="notes")
        assert len(pipeline.run(documents=[edited])) == 30
        assert len(model.texts) - before == embedded
