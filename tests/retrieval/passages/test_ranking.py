from itertools import pairwise

import pytest

from lumber_core import Source
from lumber_core.chunking.layout import LayoutChunker
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from tests.retrieval.embeddings import WordVectors

TABLE = """# The tide clock

## Winding

| day | turns | who |
| --- | ----- | --- |
| Monday | 12 | the keeper |
| Thursday | 9 | the mate |

"""
STOPS = """## If the hand stops

Open the case with the brass key. Push the hand gently past the mark. Stops come from dry wheels.
"""
REST = "\n## Cleaning\n\nWipe the glass with a dry cloth. Never use soap on the dial.\n"


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What helps if the hand stops?", "## If the hand stops"),
        ("Who winds the tide clock on Monday, and how if the hand stops?", "# The tide clock"),
    ],
)
@pytest.mark.parametrize("reading_order", [False, True])
def test_the_best_passage_begins_with_its_heading(
    question: str, start: str, reading_order: bool
) -> None:
    text = TABLE + STOPS + REST
    index = PassageIndex(LayoutChunker(50, tokenizer="even"), WordVectors())
    index.add([IndexedDocument("clock.md", "clock.md", Source(text, name="clock.md"))])
    passages = index.search(question, budget=300, reading_order=reading_order)
    best = max(passages, key=lambda passage: passage.score)
    assert best.text.startswith(start)
    places = sorted(passage.span for passage in passages)
    assert all(before.end <= after.start for before, after in pairwise(places))
    for passage in passages:
        assert passage.text == passage.readable_text == passage.span.of(text)
        assert all(passage.span.start <= hit.span.start for hit in passage.hits)
        assert all(hit.span.end <= passage.span.end for hit in passage.hits)
    assert all(
        word in "".join(passage.text for passage in passages) for word in ("Thursday", "soap")
    )
    scores = [passage.score for passage in passages]
    assert reading_order or scores == sorted(scores, reverse=True)
