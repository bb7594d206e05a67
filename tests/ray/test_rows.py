from __future__ import annotations

import pytest

from lumber_core import BertJudge, GreedyChunker, LumberChunker, TextEmbedder
from lumber_core.errors import ModelSettingsError
from lumber_core.lumber import Group
from lumber_core.spans import Span
from lumber_core.support.identity import chunk_id
from lumber_core.text.source import Source
from lumber_ray.documents import FailedDocument
from lumber_ray.rows import DocumentSplitter, FinishedDocument, chunk_schema, embed_with
from lumber_retrieval import split_and_embed

TEXT = "# Clocks\n\nAda found a clock. It had stopped.\n\n## Tides\n\nThe tide came in. " * 4


def split(splitter: DocumentSplitter, *files: Source | FailedDocument):
    return list(splitter.split(files))


def test_rows_tile_the_text_and_have_headings_and_the_ids_of_the_adapters() -> None:
    chunker = GreedyChunker(chunk_size=20)
    (done,) = split(DocumentSplitter(chunker), Source(TEXT, name="guide", format="markdown"))
    assert isinstance(done, FinishedDocument)
    assert "".join(str(row["text"]) for row in done.rows) == TEXT
    assert len(done.rows) >= 5
    for index, row in enumerate(done.rows):
        span = Span(row["start"], row["end"])
        assert row["index"] == index
        assert row["text"] == span.of(TEXT)
        assert row["chunk_id"] == chunk_id("guide", span, row["text"], chunker.identity)
        assert row.keys() == set(chunk_schema(embedding=False).names)
    assert ["Clocks", "Tides"] in [row["headings"] for row in done.rows]


def test_ids_and_offsets_are_those_of_nodes_and_documents() -> None:
    llama = pytest.importorskip("llama_index.core.schema")
    langchain = pytest.importorskip("langchain_core.documents")
    from langchain_lumber import GreedyTextSplitter
    from llamaindex_lumber import GreedyNodeParser

    chunker = GreedyChunker(chunk_size=20)
    (done,) = split(DocumentSplitter(chunker), Source(TEXT, name="guide"))
    own = [(row["chunk_id"], row["start"], row["end"]) for row in done.rows]
    parser = GreedyNodeParser(chunk_size=20, include_metadata=False)
    nodes = parser([llama.Document(text=TEXT, id_="guide")])
    assert own == [(node.node_id, node.start_char_idx, node.end_char_idx) for node in nodes]
    splitter = GreedyTextSplitter(
        chunk_size=20,
        stable_ids=True,
        strip_whitespace=False,
        add_metadata=True,
    )
    documents = splitter.split_documents([langchain.Document(page_content=TEXT, id="guide")])
    assert own == [(d.id, d.metadata["start_index"], d.metadata["end_index"]) for d in documents]


def test_overlap_repeats_text_within_the_chunk_size() -> None:
    chunker = GreedyChunker(chunk_size=20)
    (done,) = split(DocumentSplitter(chunker, chunk_overlap=8), Source(TEXT, name="guide"))
    starts, ends = ([row[name] for row in done.rows] for name in ("start", "end"))
    assert any(start < end for start, end in zip(starts[1:], ends, strict=False))
    assert max(chunker.counter.count([row["text"] for row in done.rows])) <= 20


def test_pages_of_a_pdf_are_in_the_rows() -> None:
    (done,) = split(
        DocumentSplitter(GreedyChunker(chunk_size=20)), Source(TEXT, name="a.pdf", pages=(0, 100))
    )
    assert done.rows[0]["pages"] == [1, 1]
    assert done.rows[-1]["pages"] == [2, 2]


@pytest.mark.parametrize(
    ("text", "said"), [("", "the text is empty"), ("a \ud800 b", "character 2 is a lone surrogate")]
)
def test_a_text_without_rows_says_why(text: str, said: str) -> None:
    (done,) = split(DocumentSplitter(GreedyChunker()), Source(text, name="guide"))
    assert isinstance(done, FailedDocument)
    assert said in done.error


def fails_on_tides(group: Group) -> int | None:
    if any("tide" in text for text in group.texts):
        raise RuntimeError("no tides")
    return None


@pytest.mark.parametrize("max_concurrency", [None, 4])
def test_one_failing_document_leaves_the_others(max_concurrency: int | None) -> None:
    chunker = LumberChunker(fails_on_tides, max_concurrency=max_concurrency)
    files = [Source(f"One {name}.\n\nTwo.\n\nThree.", name=name) for name in ("ada", "tide", "bob")]
    unread = FailedDocument("unread", "a reason")
    done = split(DocumentSplitter(chunker), files[0], unread, *files[1:])
    assert [each.document for each in done] == ["ada", "unread", "tide", "bob"]
    assert [type(each) for each in done] == [
        FinishedDocument,
        FailedDocument,
        FailedDocument,
        FinishedDocument,
    ]
    assert done[1] is unread
    assert done[2].error == "RuntimeError: no tides"


def refuses(group: Group) -> int | None:
    raise ModelSettingsError("wrong key")


@pytest.mark.parametrize("max_concurrency", [None, 4])
def test_an_error_that_every_document_would_have_ends_the_run(max_concurrency: int | None) -> None:
    chunker = LumberChunker(refuses, max_concurrency=max_concurrency)
    with pytest.raises(ModelSettingsError, match="wrong key"):
        split(DocumentSplitter(chunker), *(Source("One.\n\nTwo.", name=n) for n in ("a", "b")))


def test_groups_without_an_answer_are_counted() -> None:
    chunker = LumberChunker(lambda group: 99, on_failure="keep_group", theta=30)
    text = "One two three four.\n\n" * 9
    (done,) = split(DocumentSplitter(chunker), Source(text, name="guide"))
    assert done.unanswered == len(chunker.segment(text).failures)
    assert done.unanswered > 0
    assert done.usage.calls > 0


class Lengths:
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]


class Refuses:
    def get_text_embedding_batch(self, texts: list[str]) -> list[list[float]]:
        raise RuntimeError("out of memory")


def test_embeddings_without_context_are_those_of_the_chunks() -> None:
    embed = embed_with(Lengths())
    splitter = DocumentSplitter(
        GreedyChunker(chunk_size=20), embed=embed, context=False, surroundings=False
    )
    (done,) = split(splitter, Source(TEXT, name="guide"))
    assert [row["embedding"] for row in done.rows] == [[len(row["text"]), 1] for row in done.rows]


@pytest.mark.parametrize("flags", [{}, {"context": False}, {"surroundings": False}])
def test_embeddings_know_context_and_surroundings(flags: dict[str, bool]) -> None:
    chunker, file = GreedyChunker(chunk_size=20), Source(TEXT, name="guide", format="markdown")
    splitter = DocumentSplitter(chunker, embed=embed_with(Lengths()), **flags)
    (done,) = split(splitter, file)
    _, (vectors,) = split_and_embed(chunker, [file], Lengths().embed_documents, **flags)
    assert [row["embedding"] for row in done.rows] == vectors.tolist()


def test_a_failing_embedder_fails_the_document() -> None:
    splitter = DocumentSplitter(GreedyChunker(chunk_size=20), embed=embed_with(Refuses()))
    assert split(splitter, Source(TEXT, name="guide")) == [
        FailedDocument("guide", "RuntimeError: out of memory")
    ]


def test_what_cannot_embed_is_refused() -> None:
    assert callable(embed_with(TextEmbedder()))
    for wrong in (BertJudge(), TextEmbedder, "bundled"):
        with pytest.raises(TypeError, match=r"embedder must be a lumber_core\.TextEmbedder"):
            embed_with(wrong)
