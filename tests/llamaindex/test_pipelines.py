"""LlamaIndex's pipelines: ingesting again."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseNode, Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LumberEmbedding, LumberNodeParser
from lumber_core import Group

TEXT = (
    "Ada mended the clock. She oiled the spring.\n\n"
    "Then she set the hands.\n\n"
    "At sea the storm broke. Sails tore.\n\n"
    "The mate went below.\n"
)


def second(group: Group) -> int:
    return group.start + 1


PARSERS: dict[str, Any] = {
    "greedy": lambda **own: GreedyNodeParser(chunk_size=12, **own),
    "bert": lambda **own: BertNodeParser(chunk_size=12, **own),
    "lumber": lambda **own: LumberNodeParser(judge=second, chunk_size=12, **own),
}


def library(second: str = TEXT * 2) -> list[Document]:
    return [Document(text=TEXT, id_="a"), Document(text=second, id_="b")]


def ids(nodes: list[BaseNode]) -> list[str]:
    return [node.node_id for node in nodes]


@pytest.mark.parametrize("make", PARSERS.values(), ids=PARSERS)
class TestStableIds:
    def test_parsing_again_gives_the_same_ids(self, make: Any) -> None:
        first = ids(make()(library()))
        assert ids(make()(library())) == first
        assert len(set(first)) == len(first) > 2

    async def test_asynchronous_calls_give_the_same_ids(self, make: Any) -> None:
        assert ids(await make().acall(library())) == ids(make()(library()))

    def test_the_ids_survive_serialisation(self, make: Any) -> None:
        parser = make()
        extra = {"judge": second} if isinstance(parser, LumberNodeParser) else {}
        again = type(parser).from_dict(parser.to_dict() | extra)
        assert ids(again(library())) == ids(parser(library()))

    def test_the_pipeline_upserts_what_has_changed(self, make: Any) -> None:
        store = SimpleVectorStore()
        pipeline = IngestionPipeline(
            transformations=[make(), LumberEmbedding()],
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.UPSERTS,
            vector_store=store,
            disable_cache=True,
        )
        pipeline.run(documents=library())
        before = set(store.data.embedding_dict)
        assert pipeline.run(documents=library()) == []
        assert set(store.data.embedding_dict) == before
        changed = pipeline.run(documents=library(second=TEXT + "The end.\n"))
        kept = set(ids(make()(library()[:1])))
        assert set(store.data.embedding_dict) == kept | set(ids(changed))


def test_ids_differ_by_document_parser_and_place() -> None:
    repeated = [Document(text="Again and again it rang.\n\n" * 4, id_="c")]
    nodes = [
        *GreedyNodeParser(chunk_size=12)(library(TEXT)),
        *GreedyNodeParser(chunk_size=14)(library(TEXT)),
        *GreedyNodeParser(chunk_size=12)(repeated),
    ]
    assert len({*ids(nodes)}) == len(nodes) > 12


def test_chained_parsers_name_parts_apart_from_the_whole() -> None:
    parser = GreedyNodeParser(chunk_size=200)
    whole = parser(library())
    assert not {*ids(whole)} & {*ids(parser(whole))}
    assert ids(parser(whole)) == ids(parser(parser(library())))
