"""LlamaIndex's HierarchicalNodeParser and AutoMergingRetriever over parsers of this library.

Install: pip install '.[llama-index]'
Run:     python examples/llamaindex_auto_merging.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from dataclasses import replace

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import HierarchicalNodeParser, NodeParser, get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever, VectorIndexRetriever
from llama_index.core.storage.docstore import SimpleDocumentStore

from common import Options, Passage, options, show
from llamaindex_lumber import BertNodeParser, LumberEmbedding, LumberNodeParser
from lumber_core import ModelJudge


def main(given: Options) -> None:
    with given.folder() as folder:
        judge = None if given.llm is None else ModelJudge(given.llm)
        store = None if judge is None else folder / "answers.db"
        levels: dict[str, NodeParser] = {
            "topics": LumberNodeParser(judge=judge, store=store),
            "passages": BertNodeParser(chunk_size=160),
        }
        parser = HierarchicalNodeParser.from_defaults(
            node_parser_ids=[*levels], node_parser_map=levels
        )
        nodes = parser.get_nodes_from_documents(
            [
                Document(text=text, id_=name, metadata={"source": name})
                for name, text in given.files.items()
            ]
        )
        leaves = get_leaf_nodes(nodes)
        print(f"{len(nodes)} nodes on {len(levels)} levels, {len(leaves)} of them leaves")

        docstore = SimpleDocumentStore()
        docstore.add_documents(nodes)  # the leaves, and what they are merged into
        storage = StorageContext.from_defaults(docstore=docstore)
        index = VectorStoreIndex(leaves, storage_context=storage, embed_model=LumberEmbedding())
        retriever = AutoMergingRetriever(
            VectorIndexRetriever(index, similarity_top_k=6),
            storage,
            simple_ratio_thresh=0.4,  # a topic is returned if more of its passages were found
        )

        passages = []
        for hit in retriever.retrieve(given.question):
            below = len(hit.node.child_nodes or ())
            detail = f"a topic; passages below it: {below}" if below else "a passage"
            passages.append(replace(Passage.of_node(hit.node, hit.score), detail=detail))
        show(passages, given)


if __name__ == "__main__":
    main(options(__doc__))
