"""Pages of a loader of LangChain joined: the chunks of one text, with their pages."""

from langchain_core.documents import Document

from langchain_lumber import BertTextSplitter, join_pages
from lumber_core import BertChunker, Source
from lumber_core.chunking.delivery import Delivery

TITLE = "The Otter Handbook, third edition"
PROSE = (
    "Otters are long and slender animals that live along clean rivers and on the coast of the sea. "
    "They hunt fish at dawn and eat it on the bank, where they leave the bones beside their holts. "
    "A mother teaches her young to swim in the third month and stays with them for almost a year. "
    "In winter they slide down the snow on their bellies, which looks like a game and is one. "
)


def printed(pages: int, lines: int = 14, width: int = 66) -> list[list[str]]:
    """Return printed pages, each with a running title and its number, that end inside sentences."""
    words, rows, row = (PROSE * 3 * pages).split(), [], ""
    for word in words:
        if len(row) + len(word) >= width:
            rows.append(row)
            row = ""
        row = f"{row} {word}".strip()
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
