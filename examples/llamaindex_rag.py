"""Retrieval with LlamaIndex in memory: the shortest example, with nothing else to install.

Install: pip install '.[llama-index]'
Run:     python examples/llamaindex_rag.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from common import Options, Passage, options, show
from llamaindex_lumber import FilesReader, PassageRetriever


def main(args: Options) -> None:
    retriever = PassageRetriever(budget=300)
    changes = retriever.add_documents(FilesReader().load_data(args.paths))
    print(f"{changes.added} files in {changes.chunks} chunks")

    passages = retriever.retrieve(args.question)
    show([Passage.of(hit.node, hit.score) for hit in passages], args)


if __name__ == "__main__":
    main(options(__doc__))
