"""For vector stores of your own: vectors with context, hits joined into passages, citations."""

import copy
from typing import Any

import numpy as np
import pytest

from lumber_retrieval.words.keywords import count_words
from tests.contracts.finders import FRAMEWORKS
from tests.contracts.splitters import facts_of
from tests.core.text.test_context import GUIDE
from tests.retrieval.passages.test_captions_and_code import ROLLING
from tests.retrieval.test_passage_index import MUSIC, RIVER

TEXTS = {"river.txt": RIVER, "guide.md": GUIDE}


@pytest.fixture(params=FRAMEWORKS.values(), ids=FRAMEWORKS)
def package(request: pytest.FixtureRequest) -> Any:
    return request.param


def library(package: Any) -> list[Any]:
    return [package.document(text, name) for name, text in TEXTS.items()]


def with_starts(chunks: list[Any], start: Any) -> list[Any]:
    """Return copies of chunks whose metadata has another start."""
    copies = copy.deepcopy(chunks)
    for chunk in copies:
        if hasattr(chunk, "start_char_idx"):
            chunk.start_char_idx = start
        else:
            chunk.metadata |= {"start_index": start, "end_index": None}
    return copies


class TestVectors:
    def test_each_chunk_is_embedded_once_below_its_context(self, package: Any) -> None:
        model, chunks = package.vectors(), package.chunks([*library(package), *library(package)])
        package.embed(chunks, model)
        assert len(model.texts) == len(set(model.texts)) < len(chunks)
        (taps,) = [text for text in model.texts if "Taps close" in text]
        assert taps.endswith("Guide > Prices > Taps\n\nTaps close to the right.")
        rows = [text for text in model.texts if "| tap 9 |" in text]
        assert "| Tap \\| valve | Price |\n| --- | ---: |\n" in rows[0]

    def test_vectors_are_closer_to_those_of_neighbours_in_the_document(self, package: Any) -> None:
        model, chunks = package.vectors(), package.chunks(library(package))
        vectors = np.array(package.embed(chunks, model))
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(chunks)))
        separate = np.array([package.embed([chunk], model)[0] for chunk in chunks])
        steps = [
            (separate[:-1] * separate[1:]).sum(axis=1),
            (vectors[:-1] * vectors[1:]).sum(axis=1),
        ]
        assert steps[1].mean() > steps[0].mean() + 0.1
        apart = [package.embed(package.chunks([document]), model) for document in library(package)]
        assert np.array_equal(
            vectors, np.concatenate(apart)
        )  # other documents do not change vectors

    def test_asynchronous_calls_give_the_same_vectors(self, package: Any) -> None:
        chunks = package.chunks(library(package))
        assert package.embed_later(chunks, package.vectors()) == package.embed(
            chunks, package.vectors()
        )

    def test_chunks_without_usable_offsets_count_as_adjacent(self, package: Any) -> None:
        chunks = package.chunks(library(package))
        vectors = np.array(package.embed(chunks, package.vectors()))
        without = package.embed(with_starts(chunks, None), package.vectors())
        assert np.allclose(without, vectors, atol=0.05)
        assert not np.allclose(
            [package.embed([chunk], package.vectors())[0] for chunk in chunks], vectors, atol=0.1
        )

    def test_pages_of_a_file_are_separate_documents(self, package: Any) -> None:
        model = package.vectors()
        pages = [package.document(text, "a.pdf", page=n) for n, text in enumerate((RIVER, MUSIC))]
        apart = [package.embed(package.chunks([page]), model) for page in pages]
        assert np.array_equal(package.embed(package.chunks(pages), model), np.concatenate(apart))

    def test_wrong_types_of_chunks_and_models_are_refused(self, package: Any) -> None:
        with pytest.raises(TypeError, match="not str"):
            package.embed(["a text"], package.vectors())
        for wrong in ("bundled", 3.5, package.vectors):
            with pytest.raises(TypeError, match="must be an embedding model of"):
                package.embed(package.chunks(library(package)), wrong)
        assert package.embed([], package.vectors()) == []

    def test_the_bundled_model_embeds_if_no_model_is_given(self, package: Any) -> None:
        assert {
            len(vector) for vector in package.embed(package.chunks(library(package)), None)
        } == {384}


class TestJoiners:
    @pytest.mark.parametrize("by_name", [False, True])
    def test_hits_become_slices_of_their_documents(self, package: Any, by_name: bool) -> None:
        documents = library(package)
        chunks, keys = package.chunks(documents), [package.key(document) for document in documents]
        texts = dict(zip(keys, TEXTS.values(), strict=True)) if by_name else iter(documents)
        chosen = [chunks[-1], chunks[0], chunks[-3], chunks[1], chunks[-9]]
        passages = package.join(package.hits(chosen), texts, max_gap=8)
        names = [passage.document for passage in passages]
        assert names[:2] == ["guide.md", "river.txt"]  # the best hit is first
        ordered = package.join(package.hits(chosen), documents, max_gap=8, reading_order=True)
        assert [passage.document for passage in ordered] == sorted(names)
        places = [passage.span for passage in ordered if passage.document == "guide.md"]
        spans = [passage.span for passage in passages if passage.document != "river.txt"]
        assert places == sorted(places) != spans
        for passage in passages:
            assert passage.text == TEXTS[passage.document][slice(*passage.span)]
        assert passages[1].text.startswith("Otters live along rivers. They sleep")
        limited = package.join(package.hits(chunks), documents, budget=24)
        assert sum(count_words(passage.text) for passage in limited) <= 24

    def test_both_frameworks_rank_the_same_hits_alike(self) -> None:
        ranked = []
        for package in FRAMEWORKS.values():
            documents = [*library(package), package.document(MUSIC, "music.txt")]
            chunks = package.chunks(documents, chunk_size=400)
            hits = package.hits(chunks[::2][::-1])
            for query in ("Which taps close to the right?", "strings of violins", "herons"):
                passages = package.join(hits, documents, query, budget=100, max_gap=4)
                assert sum(count_words(passage.text) for passage in passages) <= 100
                assert [passage.score for passage in passages] == sorted(f.score for f in passages)[
                    ::-1
                ]
                for passage in passages:
                    text = {**TEXTS, "music.txt": MUSIC}[passage.document]
                    assert passage.text == text[slice(*passage.span)]
                    assert (
                        passage.metadata["line_first"]
                        == text.count("\n", 0, passage.span.start) + 1
                    )
                    assert 0 <= passage.metadata["words_found"] <= 1
                ordered = package.join(
                    hits, documents, query, budget=100, max_gap=4, reading_order=True
                )
                assert sorted(ordered, key=lambda passage: -passage.score) == passages
                ranked.append(
                    [(passage.document, passage.span, passage.score) for passage in passages]
                )
        assert ranked[:3] == ranked[3:]
        assert [passages[0][0] for passages in ranked[:3]] == ["guide.md", "music.txt", "river.txt"]

    def test_hits_are_joined_without_reranking_if_there_is_no_question_or_on_request(
        self, package: Any
    ):
        documents, query = library(package), "Which taps close to the right?"
        hits = package.hits(package.chunks(documents)[::2])
        joined = package.join(hits, documents, budget=30)
        assert joined[0].document == "river.txt"
        assert package.join(hits, documents, "", budget=30) == joined
        assert package.join(hits, documents, query, budget=30, rerank=False) == joined
        assert package.join(hits, documents, query, budget=30)[0].document == "guide.md"
        unlimited = package.join(hits, documents, query, budget=None)
        assert unlimited == package.join(hits, documents, budget=None) != joined
        assert package.join([], documents, query) == []

    def test_passages_of_several_searches_are_joined(self, package: Any) -> None:
        index, hits = package.index(max_gap=0), []
        index.add_documents(library(package)[:1])
        for index.budget, query in ((12, "otters hunt fish"), (16, "otters live in dens")):
            hits += package.search(index, query)
        starts, ends = zip(*(package.as_found(hit).span for hit in hits), strict=True)
        (joined,) = package.join(hits, library(package))
        assert joined.span == (min(starts), max(ends))
        assert len(hits) > 1
        assert joined.metadata.get("text", joined.text) == joined.text

    def test_metadata_of_a_passage_is_true_for_all_of_it(self, package: Any) -> None:
        chunks = package.chunks(library(package)[1:])
        for rank, number in enumerate((6, 4, 5)):
            chunks[number].metadata["mark"] = rank
        (passage,) = package.join(package.hits([chunks[6], chunks[4], chunks[5]]), library(package))
        first, last = chunks[4].metadata, chunks[6].metadata
        assert passage.metadata["mark"] == 0  # the mark of the best hit
        for key in ("headings", "heading_levels", "line_first", "context"):
            assert passage.metadata.get(key) == first.get(key)
        assert passage.metadata["line_last"] == last["line_last"]

    def test_hits_that_cannot_be_placed_are_refused(self, package: Any) -> None:
        chunks = package.chunks(library(package)[:1])
        hits = package.hits(chunks)
        other = [package.document(MUSIC, "other.txt")]
        changed = [package.document(f"Once {RIVER}", "river.txt")]
        for texts, message in ((other, "texts has no document"), (changed, "has changed since")):
            for query in ("", "Where do otters live?"):
                with pytest.raises(ValueError, match=message):
                    package.join(hits, texts, query)
        with pytest.raises(ValueError, match="start"):
            package.join(package.hits(with_starts(chunks, None)), library(package))

    def test_a_joiner_checks_settings_and_types_when_it_is_created(self, package: Any) -> None:
        for bad in ({"budget": 0}, {"max_gap": -1}, {"language": "english"}):
            with pytest.raises(ValueError, match=next(iter(bad))):
                package.joiner(texts=[], **bad)
        with pytest.raises(TypeError, match="'gap': did you mean 'max_gap'"):
            package.joiner(texts=[], gap=3)
        with pytest.raises(TypeError, match=r"pass \[document\]"):
            package.joiner(texts=library(package)[0])


class TestCitations:
    def test_quotes_in_passages_and_chunks_have_their_place_in_the_document(
        self, package: Any
    ) -> None:
        retriever = package.index(budget=12, context=True)
        retriever.add_documents(library(package))
        passages = package.search(retriever, "Taps close to the right")
        place = GUIDE.index("Taps close to the right")
        line = GUIDE.count("\n", 0, place) + 1
        for sources in (passages, package.chunks(library(package)), library(package)):
            (citation,) = package.cite(["taps close to the RIGHT"], sources)
            assert (citation.kind, citation.document) == ("aligned", "guide.md")
            assert citation.span is not None
            assert citation.span.start == place
            assert citation.span.of(GUIDE) == citation.text == "Taps close to the right"
            assert citation.lines == (line, line)

    def test_captions_show_spoken_words_and_quotes_have_their_places_in_the_file(
        self, package: Any
    ):
        retriever = package.index(budget=30)
        retriever.add_documents([package.document(ROLLING, "pear.vtt")])
        passages = package.search(retriever, "How much of the crown in a year?")
        assert "never take more than a quarter\nof the crown" in package.text_for_model(passages[0])
        assert not any(
            mark in package.text_for_model(passage) for passage in passages for mark in ("<", "-->")
        )
        file = package.document(ROLLING, "pear.vtt")
        retriever.budget = 9
        parts = [
            *passages,
            *package.search(retriever, "clean sharp saw"),
            *package.search(retriever, "water it"),
        ]
        for passage in (*map(package.as_found, parts), *package.join(parts, [file], max_gap=200)):
            text = passage.span.of(ROLLING)
            assert passage.metadata.get("text", text) == text
        quotes = ["more than a quarter of the crown"]
        (cited,) = package.cite(quotes, passages)
        assert cited.span == package.cite(quotes, {"pear.vtt": ROLLING})[0].span
        assert str(cited) == "pear.vtt, 00:00:12 to 00:00:19"

    def test_citations_have_no_lines_if_chunks_have_none(self, package: Any) -> None:
        chunks = package.chunks(library(package), **package.without_lines)
        (citation,) = package.cite(["The miller sells flour in May."], chunks)
        assert citation.span is not None
        assert citation.span.of(RIVER) == citation.text == "The miller sells flour in May."
        assert citation.lines is None

    def test_a_header_on_several_pages_is_found_on_each(self, package: Any) -> None:
        texts = [f"The miller's year\n{part}" for part in (RIVER, MUSIC)]
        pages = [package.document(text, "a.pdf", page_number=n) for n, text in enumerate(texts, 1)]
        for sources in (pages, package.chunks(pages), [*package.chunks(pages), *pages]):
            (citation,) = package.cite(["The miller's year"], sources)
            assert (citation.places, citation.page) == (2, 1)
        (citation,) = package.cite(["The miller's year"], [pages[0], *package.chunks(pages[:1])])
        assert citation.places == 1

    def test_citations_need_documents_or_a_mapping_of_names_to_texts(self, package: Any) -> None:
        with pytest.raises(TypeError, match="ocuments"):
            package.cite(["a"], ["a text"])
        assert package.cite(["Owls"], {"a": "Owls"})[0].document == "a"
        assert package.cite(["Bees"], library(package))[0].kind == "not found"


class TestPages:
    def test_joined_documents_keep_the_common_metadata_of_their_pages(self, package: Any) -> None:
        note = package.document("A note.", "a.txt", own=["x"])
        pages = [package.document(f"{n}.", "a.pdf", page=n, total_pages=9) for n in range(2)]
        documents = [note, *pages, note, package.document("Alone.", "b.pdf", page=0)]
        before = copy.deepcopy(documents)
        joined = package.join_pages(iter(documents))
        assert [*map(package.text, joined)] == ["A note.", "0.\f1.", "A note.", "Alone."]
        assert joined[0] is note
        assert joined[1].metadata == {
            **{key: value for key, value in pages[0].metadata.items() if key != "page"},
            "page_starts": [0, 3],
        }
        assert getattr(joined[1], "id_", None) == getattr(pages[0], "id_", None)
        assert package.join_pages(joined) == joined
        assert documents == before
        assert package.join_pages([]) == []
        with pytest.raises(TypeError, match=r"pass \[document\]"):
            package.join_pages(note)

    def test_chunks_of_joined_pages_have_pages_and_lines_of_the_joined_document(
        self, package: Any
    ) -> None:
        (joined,) = package.join_pages([package.document(RIVER, "a.pdf", page=n) for n in range(3)])
        joined_text = package.text(joined)
        chunks = facts_of(
            package.chunks([joined], target_size=40, chunk_size=90, add_metadata=True)
        )
        assert any(metadata["page_first"] < metadata["page_last"] for *_, metadata in chunks)
        for text, start, metadata in chunks:
            ends = (start, start + len(text.rstrip()) - 1)
            for kind, mark in (("page", "\f"), ("line", "\n")):
                places = (metadata[f"{kind}_first"], metadata[f"{kind}_last"])
                assert places == tuple(joined_text.count(mark, 0, end) + 1 for end in ends)
            assert not {"page", "page_label", "page_starts"} & metadata.keys()

    def test_pages_that_are_not_joined_and_form_feeds_give_pages_on_request(
        self, package: Any
    ) -> None:
        documents = [
            package.document("Five.", "a.pdf", page=5),
            package.document("One.\fTwo.", "b"),
        ]
        documents.append(package.document("Plain.", "c"))
        for key in ("page_first", "page_last"):
            chunks = package.chunks(documents, target_size=1)
            assert [chunk.metadata.get(key) for chunk in chunks] == [5, 1, 2, 0]
        for chunk in package.chunks(documents, **package.without_lines):
            assert not {"page_first", "page_last", "line_first"} & chunk.metadata.keys()
