from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from llama_index.core import Settings, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseNode, Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LumberEmbedding, LumberNodeParser
from lumber_core import Prices
from tests.alone import run_alone
from tests.contracts.splitters import second_unit
from tests.langchain.test_text_splitters import TEXT

PARSERS: dict[str, Any] = {
    "greedy": lambda **own: GreedyNodeParser(chunk_size=12, **own),
    "bert": lambda **own: BertNodeParser(chunk_size=12, **own),
    "lumber": lambda **own: LumberNodeParser(llm=second_unit, chunk_size=12, **own),
}


def library(second: str = TEXT * 2) -> list[Document]:
    return [Document(text=TEXT, id_="a"), Document(text=second, id_="b")]


def ids(nodes: list[BaseNode]) -> list[str]:
    return [node.node_id for node in nodes]


@pytest.mark.parametrize("make", PARSERS.values(), ids=PARSERS)
def test_the_pipeline_upserts_only_changed_documents(make: Any) -> None:
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


@pytest.fixture
def framework() -> Iterator[Any]:
    """LlamaIndex's `Settings` with a mock embedding model; restored afterwards."""
    before = dict(vars(Settings))
    vars(Settings)["_transformations"] = None  # an earlier read has stored them
    Settings.embed_model = MockEmbedding(embed_dim=2)
    yield Settings
    vars(Settings).update(before)


def contents(index: VectorStoreIndex) -> dict[str, dict[str, Any]]:
    return {name: node.to_dict() for name, node in index.docstore.docs.items()}


@pytest.mark.parametrize("make", [PARSERS["greedy"], PARSERS["lumber"]])
class TestIndexes:
    @pytest.mark.parametrize("setting", ["node_parser", "transformations"])
    def test_an_index_consists_of_the_parsers_nodes(self, make: Any, framework: Any, setting: str):
        parser = make()
        setattr(framework, setting, parser if setting == "node_parser" else [parser])
        index = VectorStoreIndex.from_documents(library())
        expected = {node.node_id: (node.text, node.start_char_idx) for node in parser(library())}
        stored_nodes = index.docstore.docs.items()
        assert {name: (node.text, node.start_char_idx) for name, node in stored_nodes} == expected

    def test_a_reloaded_index_has_the_same_nodes_and_updates_only_what_changed(
        self, make: Any, framework: Any, tmp_path: Path
    ) -> None:
        framework.transformations = [make()]
        index = VectorStoreIndex.from_documents(library())
        before = contents(index)
        index.storage_context.persist(tmp_path)
        reloaded = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)))
        assert contents(reloaded) == before
        assert reloaded.refresh_ref_docs(library()) == [False, False]
        assert contents(reloaded) == before
        changed = library(second=TEXT + "The end.\n")
        assert reloaded.refresh_ref_docs(changed) == [False, True]
        assert set(contents(reloaded)) == set(ids(make()(changed)))

    def test_a_reloaded_pipeline_takes_unchanged_documents_from_its_cache(
        self, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = IngestionPipeline(transformations=[make()])
        nodes = first.run(documents=library())
        first.persist(str(tmp_path))
        reloaded = IngestionPipeline(transformations=[make()])
        reloaded.load(str(tmp_path))
        monkeypatch.setattr(
            "llamaindex_lumber.SpanNodeParser._parse_nodes", None
        )  # nothing is parsed
        reloaded_nodes = reloaded.run(documents=library())
        assert [node.to_dict() for node in reloaded_nodes] == [node.to_dict() for node in nodes]


def test_ids_differ_by_document_parser_and_place() -> None:
    repeated = [Document(text="Again and again it rang.\n\n" * 4, id_="c")]
    nodes = [
        *GreedyNodeParser(chunk_size=12)(library(TEXT)),
        *GreedyNodeParser(chunk_size=14)(library(TEXT)),
        *GreedyNodeParser(chunk_size=12)(repeated),
    ]
    assert len({UUID(name) for name in ids(nodes)}) == len(nodes) > 12  # Qdrant takes only UUIDs


def test_chained_parsers_give_parts_other_ids_than_the_whole() -> None:
    parser = GreedyNodeParser(chunk_size=200)
    nodes = parser(library())
    assert not {*ids(nodes)} & {*ids(parser(nodes))}
    assert ids(parser(nodes)) == ids(parser(parser(library())))


def test_estimates_take_documents_and_nodes() -> None:
    parser = LumberNodeParser(llm=second_unit, theta=20)
    nodes = GreedyNodeParser(chunk_size=40)(library())
    for given in (library(), nodes):
        texts = [node.get_content() for node in given]
        expected = parser.chunker.estimate(texts)
        assert parser.estimate(iter(given)) == expected
        assert parser.estimate(given, prices=Prices(1, 1)).cost is not None
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        parser.estimate(library()[0])  # type: ignore[arg-type]


# Workers may be forked after the first use of a parser.
USED_BEFORE = """
import asyncio, multiprocessing
import numpy as np
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llamaindex_lumber import BertNodeParser, ContextEmbedding, GreedyNodeParser
from llamaindex_lumber import LumberNodeParser

def main():
    text = "The ship was in the harbour. The king said no!\\n\\nThe baker had bread. " * 40
    documents = [Document(text=text + str(n), id_=f"d{n}") for n in range(4)]

    def texts(nodes):
        return sorted((node.text, np.round(node.embedding or [], 5).tolist()) for node in nodes)

    # Workers take seconds: the parsers share a pipeline, in which each divides what the one before
    # made.
    parsers = [LumberNodeParser(chunk_size=240), BertNodeParser(chunk_size=120)]
    parsers.append(GreedyNodeParser(chunk_size=60))
    counts = [len(documents)]
    for last in range(len(parsers)):
        # A cache would answer for the workers.
        pipeline = IngestionPipeline(transformations=parsers[: last + 1], disable_cache=True)
        alone = texts(pipeline.run(documents=documents))
        counts.append(len(alone))
    assert all(less < more for less, more in zip(counts, counts[1:])), counts
    pipeline.transformations = [*parsers, ContextEmbedding()]
    alone = texts(pipeline.run(documents=documents))
    assert texts(asyncio.run(pipeline.arun(documents=documents, num_workers=2))) == alone
    # One worker, as on a machine of one CPU: this one is not forked, and imports LlamaIndex anew.
    multiprocessing.cpu_count = lambda: 1
    assert texts(pipeline.run(documents=documents, num_workers=2)) == alone

if __name__ == "__main__":
    main()
"""


def test_workers_give_the_same_nodes_after_the_pipeline_was_used() -> None:
    run_alone(USED_BEFORE, seconds=200)
