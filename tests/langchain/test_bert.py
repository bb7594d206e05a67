"""BertTextSplitter and LumberEmbeddings: what they add to the contracts."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import BertTextSplitter, LumberEmbeddings
from tests.core.bert.test_bundled import TOPICS


def test_chunks_and_vectors_go_to_a_vector_store() -> None:
    splitter = BertTextSplitter(chunk_size=100, add_start_index=True)
    chunks, vectors = splitter.split_and_embed([Document(page_content=" ".join(TOPICS))])
    assert [chunk.page_content for chunk in chunks] == TOPICS
    plain = splitter.split_and_embed(
        [Document(page_content=" ".join(TOPICS))], context=False, surroundings=False
    )[1]
    assert plain == LumberEmbeddings().embed_documents(TOPICS) != vectors
    store = InMemoryVectorStore(LumberEmbeddings())
    store.add_documents(chunks)
    (found,) = store.similarity_search("When is the range of the tides largest?", k=1)
    assert found.page_content == TOPICS[1]
    assert found.metadata["start_index"] == len(TOPICS[0]) + 1


async def test_embeddings_work_asynchronously() -> None:
    embeddings = LumberEmbeddings()
    assert await embeddings.aembed_query("the sea") == embeddings.embed_query("the sea")
    assert len(embeddings.embed_query("the sea")) == 384
