"""Retrieval with LlamaIndex in memory: the shortest example, with nothing else to install.

Install: pip install '.[llama-index]'
Run:     python examples/llamaindex_rag.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from llama_index.core import Document, VectorStoreIndex

from common import Options, Passage, options, show
from llamaindex_lumber import BertNodeParser, LumberEmbedding


def main(given: Options) -> None:
    documents = [
        # Where a text is from does not tell what it says: paths are not embedded.
        Document(
            text=text,
            id_=name,
            metadata={"source": name},
            excluded_embed_metadata_keys=["source"],
        )
        for name, text in given.files.items()
    ]
    # embed=True fills node.embedding, so the index has nothing left to embed but the question.
    nodes = BertNodeParser(embed=True).get_nodes_from_documents(documents)
    index = VectorStoreIndex(nodes, embed_model=LumberEmbedding())
    print(f"{len(documents)} files in {len(nodes)} nodes")

    found = index.as_retriever(similarity_top_k=3).retrieve(given.question)
    show([Passage.of_node(hit.node, hit.score) for hit in found], given)


if __name__ == "__main__":
    main(options(__doc__))
