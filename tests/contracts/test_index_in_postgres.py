import asyncio
import pickle
import sys

import pytest
from langchain_core.documents import Document
from llama_index.core.schema import Document as LlamaDocument

from langchain_lumber import PassageRetriever
from llamaindex_lumber import PassageRetriever as LlamaRetriever
from lumber_core.errors import MissingExtraError
from tests.postgres import Server
from tests.retrieval.test_passage_index import MUSIC, RIVER

RIVERS = Document(RIVER, metadata={"source": "river.txt"})
SONGS = Document(MUSIC, metadata={"source": "music.txt"})
QUERY = "When do otters hunt, and who tunes violins?"


def test_both_frameworks_can_use_the_same_collection(postgres: Server) -> None:
    url, _, collection = postgres.place().rpartition("&collection=")
    retriever = PassageRetriever(path=url, collection=collection, budget=80)
    assert retriever.add_documents([RIVERS, SONGS]).added == 2
    passages = retriever.invoke(QUERY)
    assert passages == asyncio.run(retriever.ainvoke(QUERY))
    for same in (
        retriever.model_copy(deep=True),
        pickle.loads(pickle.dumps(retriever)),
        PassageRetriever(path=f"{url}&collection={collection}", budget=80),
    ):
        assert same.invoke(QUERY) == passages
    of_llama = LlamaRetriever(path=url, collection=collection, budget=80)
    texts = [hit.text for hit in of_llama.retrieve(QUERY)]
    assert texts == [passage.metadata["text"] for passage in passages]
    of_llama.collection = "another"
    assert of_llama.retrieve(QUERY) == []
    assert of_llama.sync([LlamaDocument(text=MUSIC, id_="music")]).added == 1
    assert of_llama.sources == ["music"]
    assert retriever.delete(["river.txt"]) == 1
    assert retriever.sources == ["music.txt"]


def test_a_retriever_hides_the_password_and_connects_on_first_use() -> None:
    url = "postgresql://ann:s3cr3t@nowhere.invalid/passages?password=s3cr3t"
    retriever = PassageRetriever(path=url, collection="handbook")
    for text in (repr(retriever), str(retriever), repr(LlamaRetriever(path=url))):
        assert "s3cr3t" not in text
    assert "path='postgresql://nowhere.invalid/passages', collection='handbook'" in repr(retriever)


def test_a_collection_needs_the_url_of_a_database() -> None:
    for retriever_class in (PassageRetriever, LlamaRetriever):
        with pytest.raises(ValueError, match="pass its URL as the path"):
            retriever_class(path="notes.db", collection="handbook")


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for retriever_class in (PassageRetriever, LlamaRetriever):
        with pytest.raises(MissingExtraError, match=r"'\.\[postgres\]'"):
            retriever_class(path="postgresql://localhost/passages")
