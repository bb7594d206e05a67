import pytest
from langchain_core.documents import Document

from langchain_lumber import GreedyTextSplitter, LayoutTextSplitter, LumberTextSplitter
from llamaindex_lumber import GreedyNodeParser, LayoutNodeParser, LumberNodeParser
from lumber_core.lumber.grouping import Group
from tests.contracts.splitters import document_for, split

TEXTS = {
    "boats.md": "A word first.\n\n# Boats\n\nRow out.\n\n## Oars\n\nTwo oars.\n\n# Nets\n\nDry.\n",
    "prices.md": "# Prices\n\n| Boat | Hour |\n| --- | --- |\n" + "| Gull | 2 |\n" * 40,
    "plain.txt": "Gulls sleep. They wake early. The bakers wake later.",
    "rows.csv": "name,price\n" + "gull,2\n" * 60,
    "pages.txt": "Gulls sleep on the roofs.\fThey wake early, before the bakers.",
}


def judge(group: Group) -> object:
    """Find a shift, then give an answer that cannot be read."""
    return group.start + 1 if group.start == 0 else "what?"


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (LayoutTextSplitter, {}),
        (GreedyTextSplitter, {"add_start_index": True}),
        (LumberTextSplitter, {"llm": judge, "theta": 20}),
        (LayoutNodeParser, {}),
        (GreedyNodeParser, {"context": False}),
        (LumberNodeParser, {"llm": judge, "theta": 20}),
    ],
)
def test_each_metadata_key_is_in_all_chunks_with_one_type(make, settings, everything) -> None:
    coarse, fine = (make(chunk_size=size, add_metadata=everything, **settings) for size in (60, 55))
    documents = [document_for(coarse, text, file_name=name) for name, text in TEXTS.items()]
    chunks = split(coarse, *documents)
    assert len(chunks) > 8
    metadatas = [chunk.metadata for chunk in [*chunks, *split(fine, *chunks)]]
    assert {frozenset(metadata) for metadata in metadatas} == {frozenset(metadatas[0])}
    for key in metadatas[0]:
        assert {type(metadata[key]) for metadata in metadatas} in ({str}, {int}), key


def test_metadata_of_a_document_is_not_overwritten() -> None:
    metadata = {
        "source": "a.md",
        "tags": ["a"],
        "none": None,
        "headings": "Above",
        "more": {"a": 1},
    }
    for everything in (False, True):
        splitter = LayoutTextSplitter(add_metadata=everything)
        (chunk,) = splitter.split_documents([Document("Gulls sleep.", metadata=metadata)])
        assert {key: chunk.metadata[key] for key in metadata} == metadata
