"""Retrieval with LangChain in memory: the shortest example, with nothing else to install.

Install: pip install '.[langchain]'
Run:     python examples/langchain_rag.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from common import Options, Passage, options, show
from langchain_lumber import FilesLoader, PassageRetriever


def main(args: Options) -> None:
    retriever = PassageRetriever(budget=300)
    changes = retriever.add_documents(FilesLoader(args.paths).load())
    print(f"{changes.added} files in {changes.chunks} chunks")

    passages = retriever.invoke(args.question)
    show([Passage.of(hit, hit.metadata["relevance_score"]) for hit in passages], args)


if __name__ == "__main__":
    main(options(__doc__))
