from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_lumber import GreedyTextSplitter, PassageRetriever
from lumber_core import token_counter
from tests.core.text.test_context import GUIDE, VALUES

PAGE = Document(GUIDE, metadata={"source": "guide.md"}, id="guide")
TABLE = Document(VALUES, metadata={"source": "prices.csv", "title": "Prices"})


@pytest.mark.parametrize("document", [PAGE, TABLE])
@pytest.mark.parametrize("overlap", [0, 8])
@pytest.mark.parametrize("strip", [True, False])
def test_a_prepended_context_fits_the_limit_and_precedes_the_slice(document, overlap, strip):
    size = {"chunk_size": 40, "tokenizer": "cl100k_base", "chunk_overlap": overlap}
    splitter = GreedyTextSplitter(**size, strip_whitespace=strip, context=True, add_metadata=True)
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
    size: Any = {"target_size": 25, "chunk_size": 60, "tokenizer": "words"}
    splitter = GreedyTextSplitter(**size, units="markdown", context=True)
    contents = [chunk.page_content for chunk in splitter.create_documents([GUIDE])]
    assert splitter.split_text(GUIDE) == contents
    assert contents[-1].startswith("Guide > Setext titles\n\n```\n# not a heading")
    assert len(splitter.segment(GUIDE).spans) == len(contents)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_chunks_of_chunks_drop_metadata_that_only_applies_to_the_parent(before, everything):
    words: Any = {"tokenizer": "words", "add_start_index": True}
    large = GreedyTextSplitter(target_size=80, add_metadata=True, context=before, **words)
    small = GreedyTextSplitter(target_size=12, add_metadata=everything, **words)
    parents = large.split_documents([PAGE])
    assert any(parent.metadata["headings_inside"] for parent in parents)
    lines = GUIDE.splitlines()
    for parent in parents:
        children = small.split_documents([parent])
        for child in children:
            start, end = child.metadata["start_index"], child.metadata["end_index"]
            assert child.page_content == parent.page_content[start:end]
            inside = child.metadata["headings_inside"].split(" | ")
            assert all(title in child.page_content for title in inside)
            assert child.metadata["context"].split(" > ")[0] in ("", "Guide")
            if everything:
                first, last = child.metadata["line_first"], child.metadata["line_last"]
                assert child.page_content in "\n".join(lines[first - 1 : last])
        length = parent.metadata["end_index"] - parent.metadata["start_index"]
        assert parent.page_content[-length:].startswith(children[0].page_content)


def test_a_table_header_in_a_parents_text_is_not_a_row_of_its_children() -> None:
    rows = [f"tap number {number},{number},7\n" for number in range(40)]
    text = "tap,price,left\n" + "".join(rows)
    table = Document(text, metadata={"source": "data.csv"})  # no title is given

    def splitter(size: int) -> GreedyTextSplitter:
        return GreedyTextSplitter(target_size=size, context=True, add_metadata=True)

    parents = splitter(80).split_documents([table])
    children = splitter(25).split_documents(parents[1:2])
    assert len(children) > 2
    for child in children:
        header, *lines = child.page_content.splitlines(keepends=True)
        assert header == "tap,price,left\n"
        assert lines[0].strip() == rows[child.metadata["line_first"] - 2].strip()


@pytest.mark.parametrize("document", [PAGE, TABLE])
def test_one_prompt_fits_chunks_and_passages(document: Document) -> None:
    retriever = PassageRetriever()
    retriever.add_documents([document])
    (passage, *_) = retriever.invoke(document.page_content[:50])
    passage_keys = {"text", "relevance_score", "similarity", "words_found"}
    for chunk in GreedyTextSplitter(add_metadata=True).split_documents([document]):
        assert {*passage.metadata} - passage_keys <= {*chunk.metadata}
