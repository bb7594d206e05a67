"""The retriever of passages in LangChain: chains, filters, vector stores, and what is refused."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import create_retriever_tool

from langchain_lumber import (
    GreedyTextSplitter,
    PassageJoiner,
    PassageRetriever,
    join_pages,
)
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_index import MUSIC, RIVER

RIVERS = Document(RIVER, metadata={"source": "river.txt", "year": 1850})
SONGS = Document(MUSIC, metadata={"source": "music.txt", "year": 1720, "tags": ["string", "harp"]})


def retriever_of(**settings: Any) -> PassageRetriever:
    splitter = GreedyTextSplitter(target_size=6, tokenizer="words", chunk_size=12)
    return PassageRetriever(**{"splitter": splitter, "max_gap": 0, "budget": 12, **settings})


def test_passages_are_slices_of_documents_with_headings_pages_and_lines() -> None:
    pages = [
        Document(text, metadata={"source": "book.pdf", "page": number, "total_pages": 2})
        for number, text in enumerate((RIVER, MUSIC))
    ]
    guide = Document(GUIDE, metadata={"source": "guide.md"}, id="guide")
    (book,) = join_pages(pages)
    retriever = PassageRetriever(budget=60)
    assert retriever.add_documents([book, guide]).added == 2
    for query in ("violins and harps", "Which headings does the guide have?"):
        passages = retriever.invoke(query)
        assert passages
        for passage in passages:
            whole = {"book.pdf": book, "guide.md": guide}[passage.metadata["source"]].page_content
            start, end = passage.metadata["start_index"], passage.metadata["end_index"]
            assert passage.metadata["text"] == whole[start:end]
            assert passage.page_content.endswith(whole[start:end])
            assert passage.metadata["line_first"] == whole[:start].count("\n") + 1
    found = next(p for p in retriever.invoke("violins") if "Violins" in p.page_content)
    assert (found.metadata["page_last"], found.metadata["source"]) == (2, "book.pdf")
    assert "headings" in next(
        p.metadata
        for p in retriever.invoke(GUIDE[-60:], budget=20)
        if p.metadata["source"] == "guide.md"
    )


def test_it_is_a_retriever_in_chains_batches_and_callbacks(tmp_path: Path) -> None:
    ended: list[tuple[list[Document], list[str]]] = []

    class Seen(BaseCallbackHandler):
        def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
            ended.append((documents, kwargs["tags"]))

    retriever = retriever_of(tags=["otters"], path=tmp_path / "notes.db")
    retriever.add_documents([RIVERS, SONGS])
    chain: Any = {"context": retriever, "question": RunnablePassthrough()} | RunnablePassthrough()
    parts = [*chain.stream("When do otters hunt?", config={"callbacks": [Seen()]})]
    context = next(part["context"] for part in parts if "context" in part)
    ((found, tags),) = ended
    assert found == context != []
    assert "otters" in tags
    queries = ["otters", "harps"]
    batches = retriever.batch(queries)
    assert batches == [retriever.invoke(query) for query in queries]
    assert batches == asyncio.run(retriever.abatch(queries))
    assert batches == pickle.loads(pickle.dumps(retriever)).batch(queries)
    assert batches == retriever_of(path=str(tmp_path / "notes.db")).batch(queries)
    for budget in (6, 40):
        words = sum(len(p.page_content.split()) for p in retriever.invoke("otters", budget=budget))
        assert budget / 2 < words <= budget


def test_ids_name_documents_instead_of_their_metadata() -> None:
    retriever = retriever_of()
    retriever.add_documents([Document(RIVER), Document(MUSIC)], ids=["a", "b"])
    assert retriever.delete(["a"]) == 1
    assert {p.page_content in MUSIC for p in retriever.invoke("otters", budget=500)} == {True}


@pytest.fixture
def retriever() -> Iterator[PassageRetriever]:
    made = retriever_of()
    yield made
    assert made.invoke("otters") == []  # nothing was stored


def test_bad_documents_are_refused(retriever: PassageRetriever) -> None:
    with pytest.raises(ValueError, match=r"'Bees hum.' has no name.*\"source\", or pass ids"):
        retriever.add_documents([RIVERS, Document("Bees hum.")])
    with pytest.raises(ValueError, match="2 documents but 1 ids"):
        retriever.add_documents([RIVERS, SONGS], ids=["a"])
    with pytest.raises(TypeError, match="pass \\[document\\]"):
        retriever.add_documents(RIVERS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"splitter": "recursive"}, TypeError, "LayoutTextSplitter"),
        ({"budget": 0}, ValueError, "budget"),
        ({"embeddings": "minilm"}, TypeError, "LumberEmbeddings|embedding model"),
    ],
)
def test_bad_settings_say_what_to_pass(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        PassageRetriever(**settings)


FLEET = Document(
    "# Fleet\n\n## Payloads\n\n| Truck | Payload |\n|---|---|\n"
    + "\n".join(f"| T{n} | {4000 + n} kg |" for n in range(60)),
    metadata={"source": "fleet.md"},
)


def test_what_a_model_reads_begins_with_what_stands_above() -> None:
    retriever = PassageRetriever.from_documents([FLEET, RIVERS], budget=40)
    tool = create_retriever_tool(
        retriever,
        "find",
        "Finds passages.",
        document_prompt=PromptTemplate.from_template(
            "{source} {headings} {page_first} {context} {page_content}"
        ),
    )
    assert "| Truck | Payload |\n|---|---|\n| T4" in tool.invoke("payload of truck T42")
    for context in (True, False):
        with_context = PassageRetriever(budget=40, context=context)
        with_context.add_documents([FLEET])
        (best,) = with_context.invoke("payload of truck T42")
        whole = best.metadata["text"]
        assert FLEET.page_content[best.metadata["start_index"] :].startswith(whole)
        assert best.page_content.startswith("Fleet > Payloads\n\n| Truck") == context
        assert (best.page_content == whole) == (not context)
        assert len(best.page_content.split()) <= 40


def test_a_synced_index_has_what_was_passed_alone() -> None:
    retriever = retriever_of(budget=500)
    retriever.add_documents([RIVERS, SONGS])
    changes = retriever.sync([SONGS, FLEET])
    assert (changes.added, changes.unchanged, changes.removed) == (1, 1, 1)
    assert changes.removed_names == ("source='river.txt'",)
    assert retriever.sources == ["music.txt", "fleet.md"]
    assert asyncio.run(retriever.async_sync([])).removed == 2
    assert retriever.invoke("otters") == []


def page(number: int, text: str, **metadata: Any) -> Document:
    return Document(text, metadata={"source": "book.pdf", "page": number, **metadata})


def test_pages_are_added_one_by_one_and_replaced_together() -> None:
    retriever = retriever_of(budget=500)
    for total in ({}, {"total_pages": 3}):
        for number, word in enumerate(("Otters", "Bees", "Wasps")):
            retriever.add_documents([page(number, f"{word} hum loudly.", **total)])
        assert len(retriever.invoke("otters bees wasps hum")) == 3
    shorter = [page(number, f"Ants {number} hum.", total_pages=2) for number in range(2)]
    assert retriever.add_documents(shorter).removed == 1
    left = retriever.invoke("otters bees wasps hum")
    assert sorted(p.page_content for p in left) == ["Ants 0 hum.", "Ants 1 hum."]


def test_pages_from_0_are_counted_from_1() -> None:
    retriever = retriever_of(budget=500)
    retriever.add_documents([page(number, f"Bees {number} hum.") for number in range(4)])
    found = {p.page_content: p.metadata["page_first"] for p in retriever.invoke("bees")}
    assert found == {f"Bees {number} hum.": number + 1 for number in range(4)}


def test_documents_with_ids_alone_can_be_cited() -> None:
    retriever = retriever_of()
    retriever.add_texts([RIVER], ids=["a"])
    retriever.add_documents([Document(MUSIC, id="b")])
    assert {p.metadata["source"] for p in retriever.invoke("otters violins", budget=100)} == {*"ab"}


def test_nothing_similar_is_no_passage_and_k_limits_them() -> None:
    retriever = retriever_of(budget=500, min_similarity=0.3)
    retriever.add_documents([RIVERS, SONGS])
    assert retriever.invoke("quantum chromodynamics") == []
    assert len(retriever.invoke("otters", min_similarity=-1)) > 1
    for found in (retriever.invoke("otters", min_similarity=-1, k=1),):
        (best,) = found
        assert "Otters" in best.page_content
        assert best.metadata["words_found"] == 1
        assert best.metadata["similarity"] > 0.3


FILTERS: list[tuple[Any, set[str]]] = [
    ({"year": {"$gt": 1800}}, {"river.txt"}),
    ({"year": {"$gte": 1720, "$lt": 1850}}, {"music.txt"}),
    ({"year": {"$in": [1720, 1]}}, {"music.txt"}),
    ({"tags": {"$nin": []}}, {"river.txt", "music.txt"}),
    ({"colour": {"$ne": "red"}}, {"river.txt", "music.txt"}),
    ({"$or": [{"year": 1720}, {"year": {"$eq": 1850}}]}, {"river.txt", "music.txt"}),
    ({"$not": {"year": {"$lte": 1720}}}, {"river.txt"}),
    ({"$and": [{"year": 1720}, {"source": "river.txt"}]}, set()),
]


def test_filters_have_operators() -> None:
    retriever = retriever_of(budget=500)
    retriever.add_documents([RIVERS, SONGS])
    for where, expected in FILTERS:
        found = retriever.invoke("otters and violins", filter=where)
        assert {p.metadata["source"] for p in found} == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"year": {"$regex": "18"}}, "'\\$regex', which is not known: there are \\$eq"),
        ({"year": [1850, 1720]}, "has a list, .*: one of several values is"),
        ({"year": {"$in": 1850}}, "takes a list, not 1850"),
        ({"$or": {"year": 1}}, "takes a list of filters"),
        ({"$gt": 1}, "begins with the name of a value"),
        ({"year": {"$gt": "1800"}}, "does not fit 1850 in the metadata"),
    ],
)
def test_filters_that_mean_nothing_are_refused(where: Any, message: str) -> None:
    retriever = retriever_of()
    retriever.add_documents([RIVERS])
    with pytest.raises(ValueError, match=message):
        retriever.invoke("otters", filter=where)


def test_names_of_other_retrievers_say_what_to_use() -> None:
    for name, hint in (
        ("embedding", "use embeddings"),
        ("search_kwargs", "pass k, budget, filter"),
        ("chunk_size", "it is the splitter's"),
        ("buget", "did you mean 'budget'"),
    ):
        with pytest.raises(TypeError, match=hint):
            PassageRetriever(**{name: 1})
    with pytest.raises(ValueError, match=r'is a chunk: it has "start_index"'):
        PassageRetriever().add_documents([Document("Bees.", metadata={"start_index": 3})])
    with pytest.raises(TypeError, match="ids must be texts, not 5"):
        PassageRetriever().add_texts(["Bees."], ids=[5])  # type: ignore[list-item]


def test_passages_of_several_searches_are_joined() -> None:
    retriever = PassageRetriever(splitter=retriever_of().splitter, budget=12, context=False)
    retriever.add_documents([RIVERS])
    both = EnsembleRetriever(retrievers=[retriever], weights=[1.0]).invoke("otters hunt fish")
    both += retriever.invoke("otters live in dens", budget=16)
    places = [(p.metadata["start_index"], p.metadata["end_index"]) for p in both]
    (joined,) = PassageJoiner(texts=[RIVERS]).compress_documents(both)
    assert joined.metadata["start_index"] == min(places)[0]
    assert joined.page_content == RIVER[slice(min(places)[0], max(end for _, end in places))]
