"""The context and pages of a chunk in LangChain documents: in the metadata, or before the chunk."""

from textwrap import wrap

import pytest
from langchain_core.documents import Document

from langchain_lumber import BertTextSplitter, GreedyTextSplitter, PassageRetriever, join_pages
from lumber_core import BertChunker, Source, token_counter
from lumber_core.chunking.delivery import Delivery
from tests.core.text.test_context import GUIDE, VALUES

PAGE = Document(GUIDE, metadata={"source": "guide.md"}, id="guide")
TABLE = Document(VALUES, metadata={"source": "prices.csv", "title": "Prices"})


def test_a_context_is_added_only_if_asked_for() -> None:
    bare = GreedyTextSplitter(target_size=20, tokenizer="words").split_documents([PAGE])
    splitter = GreedyTextSplitter(target_size=20, tokenizer="words", add_metadata=True)
    found = splitter.split_documents([PAGE])
    assert not any("context" in chunk.metadata for chunk in bare)
    contexts = [chunk.metadata.pop("context") for chunk in found]
    assert [chunk.page_content for chunk in found] == [chunk.page_content for chunk in bare]
    assert "" in contexts
    assert "Guide > Setext titles" in contexts


@pytest.mark.parametrize("document", [PAGE, TABLE])
@pytest.mark.parametrize("overlap", [0, 8])
@pytest.mark.parametrize("strip", [True, False])
def test_a_prepended_context_is_within_the_limit_and_before_the_slice(
    document: Document, overlap: int, strip: bool
) -> None:
    splitter = GreedyTextSplitter(
        chunk_size=40,
        tokenizer="cl100k_base",
        chunk_overlap=overlap,
        strip_whitespace=strip,
        context=True,
        add_metadata=True,
    )
    chunks = splitter.split_documents([document])
    sizes = token_counter("cl100k_base").count([chunk.page_content for chunk in chunks])
    assert max(sizes) <= 40
    for chunk in chunks:
        slice_ = document.page_content[chunk.metadata["start_index"] : chunk.metadata["end_index"]]
        assert chunk.page_content.endswith(slice_)
        before = chunk.page_content.removesuffix(slice_)
        assert before.split() == chunk.metadata.get("context", "").split()
    assert sum("context" in chunk.metadata for chunk in chunks) > len(chunks) / 2


def test_texts_and_documents_have_the_same_content_in_context() -> None:
    splitter = GreedyTextSplitter(
        target_size=25, chunk_size=60, units="markdown", tokenizer="words", context=True
    )
    contents = [chunk.page_content for chunk in splitter.create_documents([GUIDE])]
    assert splitter.split_text(GUIDE) == contents
    assert contents[-1].startswith("Guide > Setext titles\n\n```\n# not a heading")
    assert any(
        "| --- | ---: |\n| tap" in content.partition("Taps\n\n| Tap")[2] for content in contents
    )
    spans = splitter.segment(GUIDE).spans
    assert len(spans) == len(contents)


def test_chunks_of_chunks_do_not_keep_what_is_true_of_their_parents_alone() -> None:
    coarse = GreedyTextSplitter(target_size=80, tokenizer="words", add_metadata=True)
    fine = GreedyTextSplitter(target_size=12, tokenizer="words", add_metadata=True)
    parents = coarse.split_documents([PAGE])
    assert any(parent.metadata["headings_inside"] for parent in parents)
    for parent in parents:
        for child in fine.split_documents([parent]):
            inside = child.metadata["headings_inside"].split(" | ")
            assert all(title in child.page_content for title in inside)
            assert child.metadata["context"].split(" > ")[0] in ("", "Guide")


@pytest.mark.parametrize("document", [PAGE, TABLE])
def test_one_prompt_fits_chunks_and_passages(document: Document) -> None:
    retriever = PassageRetriever()
    retriever.add_documents([document])
    (passage, *_) = retriever.invoke(document.page_content[:50])
    own = {"text", "relevance_score", "similarity", "words_found"}
    for chunk in GreedyTextSplitter(add_metadata=True).split_documents([document]):
        assert {*passage.metadata} - own <= {*chunk.metadata}


TITLE = "The Otter Handbook, third edition"
PROSE = (
    "Otters are long and slender animals that live along clean rivers and on the coast of the sea. "
    "They hunt fish at dawn and eat it on the bank, where they leave the bones beside their holts. "
    "A mother teaches her young to swim in the third month and stays with them for almost a year. "
    "In winter they slide down the snow on their bellies, which looks like a game and is one. "
)


def printed(pages: int, lines: int = 14, width: int = 66) -> list[list[str]]:
    """Return printed pages, each with a running title and its number, that end inside sentences."""
    rows = wrap(PROSE * 3 * pages, width)
    bodies = [rows[n * lines : (n + 1) * lines] for n in range(pages)]
    return [[TITLE, *body, str(n)] for n, body in enumerate(bodies, start=1)]


def test_joined_pages_have_the_chunks_of_one_text_with_pages() -> None:
    pages = [
        Document("\n".join(lines), metadata={"source": "handbook.pdf", "page": n, "total_pages": 5})
        for n, lines in enumerate(printed(5))
    ]
    (joined,) = join_pages(pages)
    file = Source(joined.page_content, pages=tuple(joined.metadata["page_starts"]))
    chunks = BertTextSplitter(add_metadata=True).split_documents([joined])
    of_file = BertChunker().split(file, Delivery(trim=True))
    assert [chunk.page_content for chunk in chunks] == [chunk.text for chunk in of_file]
    assert any(chunk.metadata["page_first"] < chunk.metadata["page_last"] for chunk in chunks)
    for chunk, other in zip(chunks, of_file, strict=True):
        said = chunk.metadata
        assert said["total_pages"] == 5
        assert not {"page", "page_label", "page_starts"} & said.keys()
        assert (said["page_first"], said["page_last"]) == other.pages
        assert (said["line_first"], said["line_last"]) == other.lines
