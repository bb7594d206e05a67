"""The common behaviour of the core's index and the retrievers of both frameworks."""

import asyncio
import copy
import gc
import os
import pickle
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.words.keywords import count_words
from tests.contracts.finders import FINDERS, FRAMEWORKS, Found
from tests.core.forking import works_in_a_fork
from tests.core.text.test_context import GUIDE
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import MUSIC, RIVER

TEXTS = {"river.txt": RIVER, "music.txt": MUSIC, "guide.md": GUIDE}
YEARS = {"river.txt": 1850, "music.txt": 1720, "guide.md": 2024}
SETTINGS: dict[str, Any] = {"max_gap": 0, "budget": 12}
every_framework = pytest.mark.parametrize("package", FRAMEWORKS.values(), ids=FRAMEWORKS)


@pytest.fixture(params=FINDERS.values(), ids=FINDERS)
def package(request: pytest.FixtureRequest) -> Any:
    return request.param


def library(package: Any, *names: str) -> list[Any]:
    return [package.document(TEXTS[name], name, year=YEARS[name]) for name in names or TEXTS]


def index_with(package: Any, *names: str, **settings: Any) -> Any:
    index = package.index(**{**SETTINGS, **settings})
    index.add_documents(library(package, *names))
    return index


def names(passages: list[Found]) -> set[str]:
    return {passage.document.removeprefix("source='").rstrip("'") for passage in passages}


def test_passages_are_slices_of_their_documents_within_the_budget(package: Any) -> None:
    for budget, gap in ((6, 0), (12, 3), (30, 8), (500, 90)):
        index = index_with(package, budget=budget, max_gap=gap)
        for query in ("strings of violins", "What do otters, herons and millers do?", "taps"):
            passages = package.find(index, query)
            assert passages
            assert sum(count_words(passage.text) for passage in passages) <= budget
            for passage in passages:
                [name] = names([passage])
                assert passage.text == TEXTS[name][slice(*passage.span)]
                assert passage.metadata["year"] == YEARS[name]
                assert (
                    passage.metadata["line_first"]
                    == TEXTS[name].count("\n", 0, passage.span.start) + 1
                )
                assert 0 <= passage.score <= 1


def test_hits_near_each_other_become_one_passage(package: Any) -> None:
    best, *_ = package.find(index_with(package, budget=15 * 7, max_gap=8), "strings of violins")
    assert best.text.startswith(MUSIC[: MUSIC.index(" The bow")])


def test_asynchronous_pickled_and_reopened_retrievers_find_the_same(
    package: Any, tmp_path: Path
) -> None:
    documents, query = library(package), "Where do herons nest?"

    async def work() -> Any:
        other = package.index(**SETTINGS)
        await other.aadd_documents([*documents[:-1], package.document("Bees hum.", "bees")])
        assert await other.adelete(["bees"]) == 1
        changes = await other.async_sync(documents[1:])
        return changes, [
            package.as_found(passage) for passage in await package.find_later(other, query)
        ]

    index = package.index(tmp_path / "a.db", **SETTINGS)
    index.add_documents(documents[:-1])
    changes = index.sync(documents[1:])
    before = package.find(index, query)
    assert asyncio.run(work()) == (changes, before)
    assert package.find(pickle.loads(pickle.dumps(index)), query) == before
    assert package.find(package.index(tmp_path / "a.db", **SETTINGS), query) == before


def test_a_temporary_index_is_shared_by_its_copies_in_this_process(package: Any) -> None:
    index = index_with(package, "river.txt", budget=500)
    pickled, query = pickle.dumps(index), "herons and violins"
    others = [copy.copy(index), copy.deepcopy(index), pickle.loads(pickled)]
    index.add_documents(library(package, "music.txt"))
    assert all(package.find(other, query) == package.find(index, query) != [] for other in others)
    others[-1].delete(["river.txt"])
    assert names(package.find(index, query)) == {"music.txt"}
    if hasattr(os, "fork"):

        def work() -> None:
            loaded = pickle.loads(pickled)  # the index as it was when pickled
            assert names(package.find(loaded, query)) == {"river.txt"}
            loaded.delete(["river.txt"])
            assert package.find(pickle.loads(pickled), query) == []

        assert works_in_a_fork(work)
    del index, others
    gc.collect()
    assert names(package.find(pickle.loads(pickled), query)) == {"river.txt"}


def test_unchanged_documents_are_neither_embedded_nor_written_again(package: Any, tmp_path: Path):
    model, path = package.vectors(), tmp_path / "a.db"
    index = package.index(path, model)
    first = index.add_documents(library(package))
    assert (first.added, first.unchanged, first.removed) == (3, 0, 0)
    assert first.chunks > 10
    before = path.read_bytes()
    del model.texts[:]
    changes = index.add_documents(library(package))
    assert (changes.added, changes.unchanged, changes.chunks, model.texts) == (0, 3, 0, [])
    assert path.read_bytes() == before
    dated = package.document(MUSIC, "music.txt", year=1)
    other = index.add_documents([dated, *library(package, "river.txt")])
    assert (other.added, other.unchanged) == (1, 1)
    assert names(package.find(index, "violins", {"year": 1})) == {"music.txt"}


def test_a_repeated_question_is_embedded_once(package: Any, monkeypatch) -> None:
    index, embed, queries = index_with(package, "music.txt"), WordVectors.embed_query, []

    def embed_query(self: WordVectors, text: str) -> list[float]:
        queries.append(text)
        return embed(self, text)

    monkeypatch.setattr(WordVectors, "embed_query", embed_query)
    assert package.find(index, "violins") == package.find(index, "violins") != []
    assert queries == ["violins"]


def test_a_sync_leaves_exactly_the_passed_documents(package: Any) -> None:
    index = index_with(package, "river.txt", "music.txt", budget=500)
    changes = index.sync(library(package, "music.txt", "guide.md"))
    assert (changes.added, changes.unchanged, changes.removed) == (1, 1, 1)
    assert "river.txt" in changes.removed_names[0]
    assert index.sources == ["music.txt", "guide.md"]
    assert names(package.find(index, "otters and violins and taps")) == {"music.txt", "guide.md"}
    for sync in (index.sync, lambda documents: asyncio.run(index.async_sync(documents))):
        with pytest.raises(ValueError, match=r"there are no documents, .* delete\(sources\)"):
            sync(iter([]))
    with pytest.raises(TypeError, match=r"pass \[source\]"):
        index.delete("music.txt")
    assert index.delete(["guide.md", "unknown"]) == 1
    assert names(package.find(index, "violins and taps")) == {"music.txt"}
    assert index.delete(index.sources) == 1
    assert package.find(index, "violins") == []


def test_pages_are_added_one_by_one_and_replaced_together(package: Any) -> None:
    def page(number: int, text: str, **more: Any) -> Any:
        return package.document(text, "book.pdf", page=number, **more)

    index = package.index(budget=500, max_gap=0)
    for total in ({}, {"total_pages": 3}):
        for number, word in enumerate(("Otters", "Bees", "Wasps")):
            index.add_documents([page(number, f"{word} hum loudly.", **total)])
        assert len(package.find(index, "otters bees wasps hum")) == 3
    shorter = [page(number, f"Ants {number} hum.", total_pages=2) for number in range(2)]
    assert index.add_documents(shorter).removed == 1
    numbers = {
        passage.text: passage.metadata["page_first"]
        for passage in package.find(index, "ants bees hum")
    }
    assert numbers == {"Ants 0 hum.": 1, "Ants 1 hum.": 2}  # pages are counted from 1
    index.add_documents([package.document(f"Ants {n}.", "b.pdf", page=n) for n in range(4)])
    numbers = {
        passage.text: passage.metadata["page_first"] for passage in package.find(index, "ants")
    }
    assert {f"Ants {n}.": n + 1 for n in range(4)}.items() <= numbers.items()
    changes = index.add_documents([package.document("Moths hum.", "book.pdf")])
    assert (changes.added, changes.removed) == (1, 2)


def test_page_numbers_do_not_depend_on_the_order_of_addition(package: Any) -> None:
    words = ["otters", "bees", "wasps"]
    pages = [package.document(f"Some {word} hum.", "a.pdf", page=n) for n, word in enumerate(words)]

    def numbers(index: Any) -> dict[str, int]:
        passages = package.find(index, "some otters bees wasps hum")
        return {passage.text.split()[1]: passage.metadata["page_first"] for passage in passages}

    for order in permutations(pages):
        index = package.index(budget=500, max_gap=0)
        for page in order:
            index.add_documents([page])
        assert numbers(index) == {"otters": 1, "bees": 2, "wasps": 3}
        assert index.sync(pages).added == 0
        index.sync(pages[1:])  # these pages do not show the first number
        assert numbers(index) == {"bees": 1, "wasps": 2}
    index.add_documents([package.document("Ants hum.", "a.pdf", page=9, total_pages=10)])
    assert package.find(index, "wasps", {"page": 2})[0].metadata["page_last"] == 3


def test_rows_of_a_file_are_separate_documents(package: Any) -> None:
    rows = [package.document(f"id: {n}\nserial: SN-{n:03d}", "parts.csv", row=n) for n in range(12)]
    index = package.index(budget=40, max_gap=0)
    index.add_documents(rows[:5])
    assert index.add_documents(rows[5:]).removed == 0
    assert index.sources == ["parts.csv"]
    best = max(package.find(index, "SN-007"), key=lambda passage: passage.score)
    assert ("SN-007" in best.text, best.metadata["row"]) == (True, 7)
    changed = package.document("id: 3\nserial: none", "parts.csv", row=3)
    changes = index.sync([*rows[:3], changed, *rows[4:-1]])
    assert (changes.added, changes.unchanged, changes.removed) == (1, 10, 1)
    assert index.delete(["parts.csv"]) == 11


def test_parts_of_a_file_are_numbered_and_replaced_together(package: Any) -> None:
    def parts(*texts: str, **more: Any) -> list[Any]:
        titles = ["A", "B", "C", "B", "D"]
        return [
            package.document(text, "guide.md", **{"Header 2": title}, **more)
            for text, title in zip(texts, titles, strict=False)
        ]

    for more in ({}, {"page_number": 3}):
        index = package.index(budget=500, max_gap=0)
        index.add_documents(library(package, "river.txt"))
        first = parts("Otters eat.", "Bees hum.", "Wasps sting.", "Bees hum.", "Ants dig.", **more)
        assert index.sync([*first, *library(package, "river.txt")]).added == 5
        assert index.add_documents(first).unchanged == 5
        metadata = {
            passage.text: passage.metadata for passage in package.find(index, "wasps and ants")
        }
        assert metadata["Wasps sting."]["seq_num"] == 3
        assert metadata["Ants dig."]["Header 2"] == "D"
        fewer = parts("Otters eat.", "Crabs walk.", "Wasps sting.", **more)
        changes = index.add_documents(fewer)
        assert (changes.added, changes.unchanged, changes.removed) == (1, 2, 2)
        assert index.sources == ["river.txt", "guide.md"]
        assert index.add_documents([package.document("Moths.", "guide.md", **more)]).removed == 3
        assert index.delete(["guide.md"]) == 1


@every_framework
def test_citations_state_which_row_or_part(package: Any) -> None:
    rows = [package.document(f"serial: SN-{n:03d}", "parts.csv", row=n) for n in range(3)]
    parts = [package.document(f"Bees of {n} hum.", "a.md", title=n) for n in ("oak", "elm")]
    index = package.index(budget=500)
    index.add_documents([*rows, *parts])
    passages = package.search(index, "SN-002 and bees")
    cited = package.cite(["serial: SN-002", "Bees of elm hum."], passages)
    assert [citation.document for citation in cited] == ["parts.csv, row 3", "a.md, section 2"]
    assert [citation.link for citation in cited] == ["parts.csv", "a.md"]


def test_a_filter_applies_to_the_search_by_vectors_and_by_words(package: Any) -> None:
    index = package.index(budget=1000, max_gap=0)
    noise = [package.document(f"Otters {n} swim. " * 20, f"n{n}", year=n) for n in range(12)]
    index.add_documents([*noise, *library(package, "river.txt")])
    passages = package.find(index, "otters swim", {"year": 1850})
    assert names(passages) == {"river.txt"}
    assert package.find(index, "otters", {"colour": "red"}) == []


@pytest.mark.parametrize("value", [None, 3, ["by the sea"]])
def test_a_context_value_that_is_not_text_is_kept_but_not_searched(package: Any, value: Any):
    index = package.index(**SETTINGS)
    index.add_documents([package.document(MUSIC, "music.txt", context=value)])
    best, *_ = package.find(index, "strings of violins")
    assert "strings" in best.text
    assert best.metadata["context"] == value


def test_k_and_min_similarity_limit_the_passages(package: Any) -> None:
    everything = package.find(index_with(package, budget=500), "otters")
    (best,) = package.find(index_with(package, budget=500, k=1), "otters")
    assert "Otters" in best.text
    assert best == max(everything, key=lambda passage: passage.score)
    similarities = {passage.metadata["similarity"] for passage in everything}
    minimum = sorted(similarities)[-2]
    limited = package.find(index_with(package, budget=500, min_similarity=minimum), "otters")
    enough = {value for value in similarities if value >= minimum}
    assert {passage.metadata["similarity"] for passage in limited} == enough
    for bad in ({"k": 0}, {"min_similarity": 2}, {"budget": 0}, {"max_gap": -1}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            package.index(**bad)


@every_framework
def test_settings_may_be_assigned(package: Any, tmp_path: Path) -> None:
    index = index_with(package, budget=500)
    assert len(package.find(index, "otters")) > 1
    index.k = 1
    (best,) = package.find(index, "otters")
    index.budget = 3
    (shorter,) = package.find(index, "otters")
    assert len(shorter.text) < len(best.text)
    index.k = "2"
    with pytest.raises(TypeError, match="k must be a whole number"):
        package.find(index, "otters")
    index.k, passages = None, package.find(index_with(package, budget=500), "otters")
    index.budget, index.path = 500, tmp_path / "other.db"
    assert package.find(index, "otters") == []
    index.add_documents(library(package))
    assert package.find(index, "otters") == passages


def test_bad_documents_are_refused_before_any_work(package: Any) -> None:
    model = package.vectors()
    index = package.index(model=model)
    good, odd = (
        package.document(RIVER, "river.txt"),
        package.document(MUSIC, "music.txt", by=object()),
    )
    for bad, message in (
        ([good, package.document(MUSIC, "river.txt")], "two documents have the name"),
        ([odd], "cannot be stored as JSON"),
    ):
        with pytest.raises(ValueError, match=message):
            index.add_documents(bad)
    assert model.texts == []
    assert package.find(index, "otters") == []


def test_a_sync_refuses_only_documents_whose_metadata_cannot_be_stored(
    package: Any, caplog
) -> None:
    index, valid = package.index(), package.document(RIVER, "river.txt")
    index.add_documents([valid, package.document(MUSIC, "music.txt")])
    itself: dict[str, Any] = {}
    itself["self"] = itself
    for value in (object(), itself, b"x"):
        caplog.clear()
        changes = index.sync([valid, package.document(MUSIC, "music.txt", by=value)])
        assert (changes.unchanged, changes.removed) == (1, 0)
        (reason,) = changes.refused
        assert "music.txt" in reason
        assert "'by'" in reason
        assert reason in caplog.text
    assert names(package.find(index, "otters")[:1]) == {"river.txt"}
    assert names(package.find(index, "violins")[:1]) == {"music.txt"}  # keeps the stored version


@every_framework
def test_retrievers_of_frameworks_and_the_core_return_the_same_passages(package: Any) -> None:
    core = FINDERS["core"]
    passage, core_index = (finder.index(budget=60, context=True) for finder in (package, core))
    for finder, index in ((package, passage), (core, core_index)):
        documents = [
            finder.document(text, name, title="On animals") for name, text in TEXTS.items()
        ]
        index.add_documents(documents)
    for query in ("animals that hunt", "the price of taps", "last words of this guide"):
        assert [(p.text, p.span, p.score) for p in package.find(passage, query)] == [
            (p.text, p.span, p.score) for p in core.find(core_index, query)
        ]


@every_framework
def test_passages_of_a_joined_file_state_their_pages(package: Any) -> None:
    texts = enumerate((RIVER, MUSIC))
    pages = [package.document(text, "book.pdf", page=n, total_pages=2) for n, text in texts]
    index = package.index(budget=60)
    index.add_documents(package.join_pages(pages))
    [passage] = [passage for passage in package.find(index, "violins") if "Violins" in passage.text]
    assert passage.metadata["page_last"] == 2
    (citation,) = package.cite(["Violins have four strings."], package.join_pages(pages))
    assert (citation.document, citation.page) == ("book.pdf", 2)


@every_framework
def test_wrong_documents_splitters_and_models_are_refused_with_advice(package: Any) -> None:
    retriever = package.index()
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        retriever.add_documents(library(package, "river.txt")[0])
    with pytest.raises(TypeError, match="not str"):
        retriever.add_documents([RIVER])
    expected_names = {"splitter": "Layout", "node_parser": "Layout"}
    expected_names |= {"embeddings": "embedding model", "embed_model": "embedding model"}
    parameters = set(package.retriever.__init__.__annotations__)
    parameters |= set(getattr(package.retriever, "model_fields", ()))
    assert len(parameters & expected_names.keys()) == 2
    for name in parameters & expected_names.keys():
        with pytest.raises(TypeError, match=expected_names[name]):
            package.retriever(**{name: "bundled"})
    with pytest.raises((TypeError, ValueError), match="buget"):
        package.retriever(buget=3)


@every_framework
def test_ids_and_folders_in_place_of_documents_are_refused_with_advice(
    package: Any, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match="'ids': use \"source\" in the metadata of documents"):
        package.index().add_documents(library(package, "river.txt"), ids=["a"])
    for folder in (".", str(tmp_path), ""):
        with pytest.raises(ValueError, match=r"^'.*' is a folder: pass the path of a file$"):
            package.retriever(path=folder)


@every_framework
def test_from_documents_returns_a_retriever_with_the_documents(package: Any) -> None:
    retriever = package.retriever.from_documents(library(package), budget=30)
    assert retriever.sources == [*TEXTS]
    assert "river.txt" in names(package.find(retriever, "When do otters hunt?"))
    assert isinstance(retriever._index, PassageIndex)


def test_a_document_without_a_title_is_found_by_the_name_of_its_file(package: Any) -> None:
    model, text = package.vectors(), "They hunt fish at dawn. They sleep in hollow trees. " * 3
    index = package.index(model=model, context=True, budget=15)
    index.add_documents(
        [
            package.document(text, "river_otters.txt"),
            package.document(text, "martens.txt"),
            package.document(text, "4711.txt"),
            package.document(text, "shrews.txt", title=None),
        ]
    )
    beginnings = {embedded[:14] for embedded in model.texts if "They" in embedded}
    without_names = {"They hunt fish", "They sleep in "}  # chunks of the other two documents
    assert beginnings == {"river otters\n\n", "martens\n\nThey ", *without_names}
    best, *_ = package.find(index, "Where do otters sleep?")
    assert (names([best]), best.metadata["context"]) == ({"river_otters.txt"}, "river otters")
