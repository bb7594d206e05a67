import copy
from typing import Any
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.messages import ToolMessage
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import (
    BertTextSplitter,
    GreedyTextSplitter,
    LumberEmbeddings,
    LumberTextSplitter,
    PassageRetriever,
    SpanTextSplitter,
)
from lumber_core import LumberChunker, Prices
from lumber_core.text.source import Source
from tests.alone import run_python
from tests.langchain.test_text_splitters import TEXT
from tests.lexical_judge import LexicalJudge

SPLITTERS: dict[str, Any] = {
    "greedy": lambda **own: GreedyTextSplitter(chunk_size=12, **own),
    "bert": lambda **own: BertTextSplitter(chunk_size=12, **own),
    "lumber": lambda **own: LumberTextSplitter(llm=LexicalJudge(), chunk_size=12, **own),
}
IDS = """
from tests.langchain.test_pipelines import *
print(ids(SPLITTERS["lumber"](stable_ids=True), *library(), document_with_tags()))
"""


def library() -> list[Document]:
    return [
        Document(page_content=TEXT, metadata={"source": "a.txt"}),
        Document(page_content=TEXT * 2, metadata={"source": "b.txt", "tags": ["x", "y"]}),
    ]


def document_with_tags() -> Document:
    return Document(page_content=TEXT, metadata={"tags": {"x", "y", "z"}})


def ids(splitter: SpanTextSplitter, *documents: Document) -> list[str | None]:
    return [chunk.id for chunk in splitter.split_documents(documents)]


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
def test_indexing_again_adds_nothing_and_old_chunks_of_a_changed_document_go(make: Any) -> None:
    splitter = make(stable_ids=True, add_start_index=True)
    records = InMemoryRecordManager(namespace="books")
    records.create_schema()
    store = InMemoryVectorStore(LumberEmbeddings())

    def ingest(*documents: Document) -> tuple[int, int]:
        result = index(
            splitter.split_documents(documents),
            records,
            store,
            cleanup="scoped_full",
            batch_size=2,  # fewer than a document has: "incremental" would add chunks again
            source_id_key="source",
            key_encoder=lambda chunk: str(UUID(chunk.id)),  # Qdrant takes only UUIDs and integers
        )
        return result["num_added"], result["num_deleted"]

    count = len(splitter.split_documents(library()))
    assert ingest(*library()) == (count, 0)
    assert ingest(*library()) == (0, 0)
    changed = [library()[0], Document("It rained.\n\n" + TEXT, metadata={"source": "b.txt"})]
    added, deleted = ingest(*changed)
    assert min(added, deleted) > 0
    assert sorted(store.store) == sorted(map(str, ids(splitter, *changed)))


def test_ids_are_the_same_in_another_process() -> None:
    expected = ids(SPLITTERS["lumber"](stable_ids=True), *library(), document_with_tags())
    assert run_python(IDS).stdout.strip() == str(expected)


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
def test_a_cache_of_calls_treats_a_used_splitter_like_a_new_one(make: Any) -> None:
    joblib = pytest.importorskip("joblib")
    splitter = make(stable_ids=True)
    before = joblib.hash(splitter)
    splitter.split_documents(library())
    assert joblib.hash(splitter) == joblib.hash(copy.deepcopy(splitter)) == before


def test_ids_differ_by_document_splitter_text_and_place() -> None:
    splitter = GreedyTextSplitter(chunk_size=12, stable_ids=True)
    page = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 1})
    next_page = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 2})
    with_id = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 1}, id="a")
    larger = GreedyTextSplitter(chunk_size=14, stable_ids=True)
    repeated = Document(page_content="Again and again it rang.\n\n" * 4)
    all_ids = [*ids(splitter, page, next_page, with_id, repeated), *ids(larger, page)]
    assert len(set(all_ids)) == len(all_ids) > 12
    reread = Document(page_content=TEXT, metadata={"read": "Tuesday"}, id="a")
    assert ids(splitter, with_id) == ids(splitter, reread)  # only the document's ID matters
    assert None not in ids(splitter, Document("a \ud800 b"))


def test_chunks_of_each_text_are_numbered_on_request() -> None:
    chunks = GreedyTextSplitter(chunk_size=12, add_metadata=True).create_documents([TEXT, TEXT])
    assert len(chunks) > 4
    numbers = [chunk.metadata["chunk_index"] for chunk in chunks]
    assert numbers == [*range(len(chunks) // 2)] * 2
    (chunk,) = GreedyTextSplitter().create_documents([TEXT])
    assert chunk.metadata == {"headings": "", "heading_levels": "", "headings_inside": ""}


def test_estimates_take_documents_and_read_markdown_as_splitting_does() -> None:
    splitter = LumberTextSplitter(llm=LexicalJudge())
    listing = "# Clocks\n\n" + "- one\n\n- two\n\n" * 300
    plain = Document(listing)
    marked = Document(listing, metadata={"source": "a.md"})
    estimate = splitter.estimate(iter([plain, marked]), prices=Prices(1, 1))
    sources = [listing, Source(listing, format="markdown")]
    assert estimate == LumberChunker(LexicalJudge()).estimate(sources, prices=Prices(1, 1))
    assert estimate != splitter.estimate([plain, plain])
    assert estimate.cost is not None
    with pytest.raises(TypeError, match=r"pass Document\(text\)"):
        splitter.estimate(["text"])  # type: ignore[list-item]


def test_a_store_of_langgraph_finds_texts_with_the_bundled_model() -> None:
    memory = pytest.importorskip("langgraph.store.memory")
    searched = {"embed": LumberEmbeddings(), "dims": 384, "fields": ["text"]}
    store = memory.InMemoryStore(index=searched)
    for text in ("Otters eat fish.", "A violin has four strings."):
        store.put(("notes",), text, {"text": text})
    best, other = store.search(("notes",), query="What do otters eat?")
    assert best.key == "Otters eat fish."
    assert best.score > 0.5 > other.score


def test_passages_come_back_from_a_checkpoint_of_langgraph() -> None:
    stored = pytest.importorskip("langgraph.checkpoint.serde.jsonplus").JsonPlusSerializer()
    retriever = PassageRetriever()
    retriever.add_documents(library())
    passages = retriever.invoke(TEXT[:40])
    message = ToolMessage("found", tool_call_id="1", artifact=passages)
    loaded, artifact = stored.loads_typed(stored.dumps_typed([passages, message]))
    assert loaded == passages != []
    assert [Document(**dict(stored)) for stored in artifact.artifact] == passages
