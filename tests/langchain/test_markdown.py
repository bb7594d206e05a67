from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import BertTextSplitter, GreedyTextSplitter

TEXT = """\
Words above all headings.

# Install

Take the box.

## From source

```sh
make all

make install
```

| tool | version |
| ---- | ------- |
| make | 4.4     |

# Use

Run it twice a day.
"""
FENCE = TEXT[TEXT.index("```sh") : TEXT.index("| tool")].strip()


NESTED = """\
# Boats

A word on boats.

## Sails

Dry them after rain, and fold them along the seams. Never leave them wet.

### Repairs

Sew a tear at once with waxed thread. Patch a hole on both sides of the cloth.

## Oars

Oil them once a year. Keep them in the shade, or the blades will crack.

### Repairs

Bind a split shaft with cord and glue it under tension for a night.
"""


TITLES = {
    "A word": "Boats",
    "Dry them": "Boats > Sails",
    "Sew a tear": "Boats > Sails > Repairs",
    "Oil them": "Boats > Oars",
    "Bind a": "Boats > Oars > Repairs",
}


@pytest.mark.parametrize(
    "parent_splitter",
    [GreedyTextSplitter(chunk_size=80), BertTextSplitter(chunk_size=80)],
    ids=["greedy", "bert"],
)
def test_children_of_a_parent_keep_the_titles_above_the_parent(parent_splitter: Any) -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=store,
        docstore=InMemoryStore(),
        parent_splitter=parent_splitter,
        child_splitter=GreedyTextSplitter(chunk_size=20),
    )
    retriever.add_documents([Document(NESTED, metadata={"source": "boats.md"})])
    children = store.store.values()
    for words, titles in TITLES.items():
        assert [c["metadata"]["headings"] for c in children if words in c["text"]] == [titles]
