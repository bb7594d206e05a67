import asyncio
import gc
import pickle
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import ConfigurableField, RunnablePassthrough
from langchain_core.tools import create_retriever_tool

from langchain_lumber import GreedyTextSplitter, PassageRetriever
from lumber_retrieval.words.keywords import count_words
from tests.retrieval.test_passage_index import MUSIC, RIVER

RIVERS = Document(RIVER, metadata={"source": "river.txt", "year": 1850})
SONGS = Document(MUSIC, metadata={"source": "music.txt", "year": 1720, "tags": ["string", "harp"]})


def retriever_of(**settings: Any) -> PassageRetriever:
    splitter = GreedyTextSplitter(target_size=6, tokenizer="words", chunk_size=12)
    return PassageRetriever(**{"splitter": splitter, "max_gap": 0, "budget": 12, **settings})


def test_the_retriever_works_in_chains_batches_and_callbacks() -> None:
    ended: list[tuple[list[Document], list[str]]] = []

    class Seen(BaseCallbackHandler):
        def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
            ended.append((documents, kwargs["tags"]))

    retriever = retriever_of(tags=["otters"])
    retriever.add_documents([RIVERS, SONGS])
    chain: Any = {"context": retriever, "question": RunnablePassthrough()} | RunnablePassthrough()
    parts = [*chain.stream("When do otters hunt?", config={"callbacks": [Seen()]})]
    context = next(part["context"] for part in parts if "context" in part)
    ((documents, tags),) = ended
    assert documents == context != []
    assert "otters" in tags
    queries = ["otters", "harps"]
    batches = retriever.batch(queries)
    assert batches == [retriever.invoke(query) for query in queries]
    assert batches == asyncio.run(retriever.abatch(queries))
    assert retriever.invoke("otters", min_similarity=1.0) == []
    assert len(retriever.invoke("otters", k=1, budget=500, max_gap=0)) == 1
    with pytest.raises(TypeError, match="buget"):
        retriever.invoke("otters", buget=3)
    for budget in (6, 40):
        words = sum(len(p.page_content.split()) for p in retriever.invoke("otters", budget=budget))
        assert budget / 2 < words <= budget


@pytest.mark.parametrize("stored", [False, True])
def test_runnables_made_from_a_retriever_share_its_index(stored: bool, tmp_path: Path) -> None:
    retriever = retriever_of(budget=500, path=tmp_path / "a.db" if stored else None)
    budget = ConfigurableField(id="budget")
    fields = retriever.configurable_fields(budget=budget, k=ConfigurableField(id="k"))
    retriever.add_documents([RIVERS, SONGS])
    everything = retriever.invoke("otters and harps")
    for same in (
        fields,
        retriever.with_config(tags=["a"]),
        retriever.with_retry(),
        retriever.bind(max_gap=0),
        retriever.model_copy(deep=True),
        pickle.loads(pickle.dumps(fields)),
    ):
        assert same.invoke("otters and harps") == everything
    best = retriever.invoke("otters and harps", k=1)
    changed = retriever.model_copy()
    changed.k = 1
    for runnable in (
        fields.with_config(configurable={"k": 1}),
        retriever.bind(k=1),
        retriever.model_copy(update={"k": 1}),
        changed,
        pickle.loads(pickle.dumps(changed)),
    ):
        assert runnable.invoke("otters and harps") == best
        assert len(best) == 1
    small = fields.invoke("otters and harps", config={"configurable": {"budget": 8}})
    assert 0 < sum(len(runnable.page_content.split()) for runnable in small) <= 8
    assert retriever.invoke("otters and harps") == everything
    changed.k = 0
    with pytest.raises(ValueError, match="k must be"):
        changed.invoke("otters")
    with pytest.raises(ValueError, match="k must be"):
        retriever_of(path=tmp_path / "a.db", k=0)


def test_runnables_made_from_a_retriever_keep_its_temporary_file() -> None:
    retriever = retriever_of()
    retriever.add_documents([RIVERS])
    other, documents = retriever_of(path=retriever.path), retriever.invoke("otters")
    del retriever
    gc.collect()
    assert other.invoke("otters") == documents != []
    path = other._index.store.path
    del other
    gc.collect()
    assert not path.exists()


FLEET = Document(
    "# Fleet\n\n## Payloads\n\n| Truck | Payload |\n|---|---|\n"
    + "\n".join(f"| T{n} | {4000 + n} kg |" for n in range(60)),
    metadata={"source": "fleet.md"},
)


def test_content_for_a_model_begins_with_the_context() -> None:
    retriever = PassageRetriever.from_documents([FLEET, RIVERS], budget=40)
    prompt = "{source} {headings} {page_first} {context} {page_content}"
    template = PromptTemplate.from_template(prompt)
    tool = create_retriever_tool(retriever, "find", "Finds passages.", document_prompt=template)
    answer = tool.invoke("payload of truck T42")
    assert "| Truck | Payload |\n|---|---|\n| T" in answer
    assert "| T42 | 4042 kg |" in answer
    for context in (True, False):
        with_context = PassageRetriever(budget=40, context=context)
        with_context.add_documents([FLEET])
        (best,) = with_context.invoke("payload of truck T42")
        slice_text = best.metadata["text"]
        assert FLEET.page_content[best.metadata["start_index"] :].startswith(slice_text)
        assert best.page_content.startswith("Fleet > Payloads\n\n| Truck") == context
        assert (best.page_content == slice_text) == (not context)
        assert count_words(best.page_content) <= 40


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


def test_filters_may_use_operators() -> None:
    retriever = retriever_of(budget=500)
    retriever.add_documents([RIVERS, SONGS])
    for where, expected in FILTERS:
        documents = retriever.invoke("otters and violins", filter=where)
        assert {p.metadata["source"] for p in documents} == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"year": {"$regex": "18"}}, "unknown operator '\\$regex': there are \\$eq"),
        ({"year": [1850, 1720]}, "is a list, but the metadata has 1[78][25]0: to find"),
        ({"year": {"$in": 1850}}, "takes a list, not 1850"),
        ({"$or": {"year": 1}}, "takes a list of filters"),
        ({"$gt": 1}, "begins with a metadata key"),
        ({"year": {"$gt": "1800"}}, "does not fit 1850 in the metadata"),
    ],
)
def test_invalid_filters_are_refused(where: Any, message: str) -> None:
    retriever = retriever_of()
    retriever.add_documents([RIVERS])
    with pytest.raises(ValueError, match=message):
        retriever.invoke("otters", filter=where)


@pytest.mark.parametrize("add_start_index", [True, False])
def test_parts_of_a_passage_have_their_own_offsets_or_none(add_start_index: bool) -> None:
    retriever = retriever_of(budget=40)
    retriever.add_documents([RIVERS])
    passage = retriever.invoke("otters hunt fish")[0]
    assert passage.metadata["start_index"] + passage.metadata["end_index"] > 0
    splitter = GreedyTextSplitter(target_size=5, tokenizer="words", add_start_index=add_start_index)
    parts = splitter.split_documents([passage])
    assert len(parts) > 2
    for part in parts:
        places = [part.metadata.get(key) for key in ("start_index", "end_index")]
        start = passage.page_content.index(part.page_content)
        assert places == (
            [start, start + len(part.page_content)] if add_start_index else [None] * 2
        )
        assert "text" not in part.metadata  # "text" has the whole passage
    other = Document("Bees hum.", metadata={"start_index": 3, "end_index": 6, "text": "A book."})
    assert splitter.split_documents([other])[0].metadata["text"] == "A book."


def test_documents_are_named_by_their_metadata_or_their_ids() -> None:
    retriever = retriever_of()
    for bad, message in (
        (Document("Bees hum."), r"'Bees hum.' has no name.*\"source\", or give it an ID"),
        (Document("Bees.", metadata={"start_index": 3}), r'is a chunk: it has "start_index"'),
    ):
        with pytest.raises(ValueError, match=message):
            retriever.add_documents([RIVERS, bad])
    assert retriever.invoke("otters") == []
    retriever.add_documents([Document(RIVER, id="a"), Document(MUSIC, id="b")])
    assert {p.metadata["source"] for p in retriever.invoke("otters violins", budget=100)} == {*"ab"}
    assert retriever.delete(["a"]) == 1
    assert {p.page_content in MUSIC for p in retriever.invoke("otters", budget=500)} == {True}
