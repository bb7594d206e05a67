"""Retrieval over a long text with LangChain, offline: no key, no network, no PyTorch.

python examples/langchain_rag.py                                   the story beside it
python examples/langchain_rag.py my_book.txt "Who owned the boat?"   a text of your own
"""

import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import BertTextSplitter, LumberEmbeddings

STORY = Path(__file__).parent / "data" / "the_tide_clock.txt"


def main(path: Path, question: str) -> None:
    text = path.read_text(encoding="utf-8")
    splitter = BertTextSplitter(add_start_index=True, chunk_size=300, min_chunk_size=40)
    chunks = splitter.split_documents([Document(page_content=text, metadata={"source": path.name})])
    store = InMemoryVectorStore.from_documents(chunks, LumberEmbeddings())

    print(f"{path.name}: {len(text):,} characters in {len(chunks)} chunks\n\n{question}")
    for chunk, score in store.similarity_search_with_score(question, k=3):
        start = chunk.metadata["start_index"]
        assert text[start : start + len(chunk.page_content)] == chunk.page_content
        print(f"\n[{start}:{start + len(chunk.page_content)}]  similarity {score:.2f}")
        print(chunk.page_content)


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else STORY,
        sys.argv[2] if len(sys.argv) > 2 else "Why did the clock stop?",
    )
