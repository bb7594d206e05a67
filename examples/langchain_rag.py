"""Retrieval with LangChain in memory: the shortest example, with nothing else to install.

Install: pip install '.[langchain]'
Run:     python examples/langchain_rag.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from common import Options, Passage, options, show
from langchain_lumber import BertTextSplitter, LumberEmbeddings


def main(given: Options) -> None:
    documents = [Document(text, metadata={"source": name}) for name, text in given.files.items()]
    chunks = BertTextSplitter(add_start_index=True).split_documents(documents)
    store = InMemoryVectorStore.from_documents(chunks, LumberEmbeddings())
    print(f"{len(documents)} files in {len(chunks)} chunks")

    found = store.similarity_search_with_score(given.question, k=3)
    show([Passage.of_document(chunk, score) for chunk, score in found], given)


if __name__ == "__main__":
    main(options(__doc__))
