"""Recall of what a reader gets: passages, chunks, and what other retrievers return.

    python benchmarks/passages.py ../shared/data
    python benchmarks/passages.py ../shared/data --corpora state wiki pubmed --keep work.db
    python benchmarks/passages.py ../shared/data --only passages "chunks of langchain recursive"

Every retriever gets the documents of a corpus and returns text for a question, best first: recall
of the reference text among the first 150, 300 and 600 words, whatever is repeated and what stands
above a text counted as read. Questions search their document, those of RAG-Multi-Corpus all
documents, and last all questions about plain texts search all of these; all embed with the bundled
encoder. Passages are asked for with the number of words that is measured. Chunks of other packages
are searched by their vectors, or by these and BM25 with the fusion used here; each package has the
size of 40, 60 and 120 words that is best at 600. The chunks of a large language model, of
RAG-Multi-Corpus alone, begin with the path that it wrote. Then how many texts a reader gets and
their words, CPU time without embedding, and size on disk. Intervals as in benchmarks/retrieval.py.
Needs the extras `evaluation`, `langchain` and `llama-index`, langchain-classic, semchunk and
semantic-text-splitter; what is missing is left out, and named.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import pickle
import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from retrieval import (
    ASKED_OF_ALL,
    Values,
    chunked,
    development_corpora,
    interval,
    setting_for,
    split,
)
from sized_splitters import Embeddings, llamaindex_embedding, peers

from lumber_core import LayoutChunker
from lumber_core.spans import Span
from lumber_core.text.context import Context
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.documents import Corpus, Document, EvaluatedChunk, Question
from lumber_evaluation.embedders import embedder
from lumber_evaluation.retrieval.word_recall import WordRecall
from lumber_retrieval.documents import IndexedDocument
from lumber_retrieval.finding import CANDIDATES, fused
from lumber_retrieval.index import PassageIndex
from lumber_retrieval.store import NewDocument, PassageStore

BUDGETS = (150, 300, 600)
SIZES = (40, 60, 120)
OF_MODEL = "chunks of a large language model"
ALL_PLAIN = "all plain texts"
Found = list[tuple[str, Span, str]]
Search = Callable[[str, int], Found]
"""Returns, for a question and a number of words, what is found, best first: documents, places, and
what stands above."""
Build = Callable[[Sequence[Document], Path], Search]
"""Indexes documents; what it keeps is written into the folder."""


class Model:
    """The bundled encoder, as `PassageIndex` and LangChain want one."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [[*map(float, vector)] for vector in Embeddings().vectors(texts)]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""
        return self.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self.embed_documents([text])[0]

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""
        return self.embed_query(text)


def passages(max_gap: int = 90, **settings: Any) -> Build:
    """Return the passages of `PassageIndex`."""

    def build(documents: Sequence[Document], folder: Path) -> Search:
        chunker = LayoutChunker(target_size=50, tokenizer="even")
        index = PassageIndex(chunker, Model(), folder / "index.db", **settings)
        index.add(IndexedDocument(one.name, one.name, one.to_split()) for one in documents)

        def search(question: str, words: int) -> Found:
            found = index.search(question, budget=words, max_gap=max_gap)
            best_first = sorted(found, key=lambda passage: -passage.score)
            return [(passage.document, passage.span, passage.context) for passage in best_first]

        return search

    return build


def chunks_of(name: str, words: int, *, keywords: bool) -> Build:
    """Return the chunks of another splitter, searched by vectors, or by words as well."""

    def build(documents: Sequence[Document], folder: Path) -> Search:
        corpus = Corpus(name, tuple(documents))
        peer = peers()[name]
        cut = chunked(corpus, split(corpus, peer.make(setting_for(corpus, peer, words))))
        made = [[(chunk.span, chunk.text, "") for chunk in one.chunks] for one in cut]
        return search_of(documents, made, folder, keywords=keywords)

    return build


def chunks_of_model(kind: str, data: Path) -> Build:
    """Return the chunks that a large language model made, searched by vectors and words."""

    def build(documents: Sequence[Document], folder: Path) -> Search:
        written = {
            f"{path.name.partition('.')[0]}": {
                Path(one["file"]).stem: one["chunks"] for one in map(json.loads, path.open())
            }
            for path in (data / "multi_corpus" / "llm_chunks").glob(f"*.{kind}.jsonl")
        }
        made = []
        for document in documents:
            company, _, file = document.name.partition("/")
            own = next(files for name, files in written.items() if company.startswith(name))
            made.append([*placed(own.get(Path(file).stem, []), document.text)])
        return search_of(documents, made, folder, keywords=True)

    return build


def placed(chunks: Sequence[str], text: str) -> Iterator[tuple[Span, str, str]]:
    """Yield where chunks are, what they say, and the path above them.

    White space aside; of a chunk that is not a slice, from its first line to its last one that are.
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
        found = [(bare.find(line), len(line)) for line in lines if line and line in bare]
        if found:
            start, end = min(found)[0], max(place + length for place, length in found)
            yield Span(places[start], places[end - 1] + 1), chunk, chunk[:cut]


def search_of(
    documents: Sequence[Document],
    made: Sequence[Sequence[tuple[Span, str, str]]],
    folder: Path,
    *,
    keywords: bool,
) -> Search:
    """Return a search of chunks: their places, texts and what of these stands above."""
    store = PassageStore(folder / "index.db")
    above: dict[tuple[str, Span], str] = {}
    new = []
    for document, chunks in zip(documents, made, strict=True):
        texts = [text for _, text, _ in chunks]
        above |= {(document.name, span): path for span, _, path in chunks}
        new.append(
            NewDocument(
                document.name,
                source=document.name,
                digest="",
                text=document.text,
                metadata={},
                spans=[span for span, _, _ in chunks],
                details=[{}] * len(texts),
                words=texts,
                around=[""] * len(texts),
                vectors=np.array(Model().embed_documents(texts), dtype=np.float32),
            )
        )
    store.put(new)

    def search(question: str, words: int) -> Found:
        del words
        with store.reading() as reading:
            near = reading.nearest(Model().embed_query(question), CANDIDATES, None)
            matching = reading.matching(question, CANDIDATES, None) if keywords else {}
            found, _ = reading.hits(fused([near, matching]))
        return [(hit.document, hit.span, above[hit.document, hit.span]) for hit in found]

    return search


def parent_documents(documents: Sequence[Document], folder: Path) -> Search:
    """Return the parents of 2,000 characters of LangChain's `ParentDocumentRetriever`."""
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.documents import Document as Text
    from langchain_core.embeddings import Embeddings as Base
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Embedding(Model, Base):
        pass

    vectors, texts = InMemoryVectorStore(Embedding()), InMemoryStore()
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
        [Text(one.text, metadata={"source": one.name}) for one in documents if one.text.strip()]
    )
    vectors.dump(str(folder / "vectors.json"))
    (folder / "texts.pickle").write_bytes(pickle.dumps(texts.store))

    def search(question: str, words: int) -> Found:
        del words
        found = retriever.invoke(question)
        return [
            (
                text.metadata["source"],
                Span(
                    text.metadata["start_index"],
                    text.metadata["start_index"] + len(text.page_content),
                ),
                "",
            )
            for text in found
        ]

    return search


def llamaindex(documents: Sequence[Document], folder: Path, *, window: bool) -> Search:
    """Return sentence windows, or with `window=False` what automatic merging makes."""
    from llama_index.core import Document as Text
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.indices.postprocessor import MetadataReplacementPostProcessor
    from llama_index.core.node_parser import (
        HierarchicalNodeParser,
        SentenceWindowNodeParser,
        get_leaf_nodes,
    )
    from llama_index.core.retrievers import AutoMergingRetriever

    texts = [Text(text=one.text, id_=one.name) for one in documents if one.text.strip()]
    storage = StorageContext.from_defaults()
    if window:
        nodes = SentenceWindowNodeParser.from_defaults(window_size=3)(texts)
        leaves = nodes
    else:
        nodes = HierarchicalNodeParser.from_defaults(chunk_sizes=[2048, 512, 128])(texts)
        leaves = get_leaf_nodes(nodes)
        storage.docstore.add_documents(nodes)
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=llamaindex_embedding())
    storage.persist(str(folder))
    retriever: Any = index.as_retriever(similarity_top_k=50 if window else 24)
    if not window:
        retriever = AutoMergingRetriever(retriever, storage)
    replacing = MetadataReplacementPostProcessor(target_metadata_key="window")
    whole = {one.name: one.text for one in documents}

    def search(question: str, words: int) -> Found:
        del words
        found = retriever.retrieve(question)
        if window:
            found = replacing.postprocess_nodes(found)
        return [(one.node.ref_doc_id, _span_of(one.node, whole), "") for one in found]

    return search


def _span_of(node: Any, texts: dict[str, str]) -> Span:
    """Return where the text of a node is, which LlamaIndex knows or has changed white space of."""
    text, start = texts[node.ref_doc_id], node.start_char_idx or 0
    content = node.text
    found = text.find(content[:80], max(0, start - 3 * len(content)))
    begin = found if found >= 0 else start
    return Span(begin, min(len(text), begin + len(content)))


@dataclass
class Measured:
    """What a retriever reached.

    Attributes:
        recall: By the number of words, a value for each question.
        documents: The document of each question.
        texts: By the number of words, how many texts a question got within them.
        adding: CPU seconds to index all documents.
        searching: CPU seconds of all queries.
        queries: Number of queries.
        size: Bytes on disk.
    """

    recall: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    documents: list[str] = field(default_factory=list)
    texts: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    adding: float = 0.0
    searching: float = 0.0
    queries: int = 0
    size: int = 0

    def at(self, budget: int) -> Values:
        """Return the recall of each question."""
        return np.array(self.recall[budget])


def measure(corpora: Sequence[Corpus], build: Build) -> Measured:
    """Measure a retriever on corpora."""
    done = Measured()
    for corpus in corpora:
        for documents, questions in groups(corpus):
            with folder() as place:
                start = time.process_time()
                search = build(documents, place)
                done.adding += time.process_time() - start
                done.size += sum(p.stat().st_size for p in place.rglob("*") if p.is_file())
                found = {}
                Embeddings().vectors([question.question for question in questions])
                for question in questions:
                    for budget in BUDGETS:
                        start = time.process_time()
                        found[question.question, budget] = search(question.question, budget)
                        done.searching += time.process_time() - start
                        done.queries += 1
            score(done, corpus, documents, questions, found)
    return done


def groups(corpus: Corpus) -> Iterator[tuple[Sequence[Document], Sequence[Question]]]:
    """Yield documents with the questions that search them."""
    if corpus.name in (*ASKED_OF_ALL, ALL_PLAIN):
        yield corpus.documents, corpus.questions
        return
    for document in corpus.documents:
        questions = [one for one in corpus.questions if one.document == document.name]
        if questions:
            yield [document], questions


def score(
    done: Measured,
    corpus: Corpus,
    documents: Sequence[Document],
    questions: Sequence[Question],
    found: dict[tuple[str, int], Found],
) -> None:
    """Add the recall of what was found."""
    texts = {document.name: document for document in documents}
    numbers = {place: n for n, place in enumerate({p: 0 for one in found.values() for p in one})}
    chunks = [
        EvaluatedChunk(name, span, span.of(texts[name].text), Context((above,) if above else ()))
        for name, span, above in numbers
    ]
    read = WordRecall(texts, chunks)
    for question in questions:
        done.documents.append(f"{corpus.name}/{question.document}")
        for budget in BUDGETS:
            ranked = [numbers[place] for place in found[question.question, budget]]
            done.recall[budget].append(read(question, ranked, budget))
            words = np.cumsum([read.words[number] for number in ranked])
            done.texts[budget].append(1 + int(np.searchsorted(words, budget)))


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp())
    try:
        yield made
    finally:
        shutil.rmtree(made)


def retrievers(data: Path) -> dict[str, list[Build]]:
    """Return the retrievers by name; of several sizes, the best one counts."""
    made: dict[str, list[Build]] = {
        "passages": [passages()],
        "passages, with context": [passages(context=True)],
        "passages, without words": [passages(keywords=False)],
        "passages, hits not joined": [passages(max_gap=0)],
        "ParentDocumentRetriever": [parent_documents],
        "AutoMergingRetriever": [
            lambda documents, place: llamaindex(documents, place, window=False)
        ],
        "SentenceWindowNodeParser": [
            lambda documents, place: llamaindex(documents, place, window=True)
        ],
    }
    for kind in ("agentic", "ids"):
        made[f"{OF_MODEL} ({kind}), and words"] = [chunks_of_model(kind, data)]
    for name in (
        "langchain recursive",
        "llamaindex sentence",
        "llamaindex markdown",
        "semchunk",
        "semantic-text-splitter",
    ):
        try:
            importlib.metadata.version(peers()[name].distribution)
        except importlib.metadata.PackageNotFoundError:
            print(f"not installed, left out: {name}")
            continue
        for keywords in (False, True):
            row = f"chunks of {name}" + (", and words" if keywords else "")
            made[row] = [chunks_of(name, words, keywords=keywords) for words in SIZES]
    return made


def table(title: str, rows: dict[str, Measured], against: str | None) -> None:
    """Write a table, with gains over one of the rows."""
    first = next(iter(rows.values()))
    print(f"\n**{title}** ({len(first.documents)} questions)\n")
    columns = ["retriever", "recall at 150 words", "at 300", "at 600", "texts", "words of each"]
    columns += [f"at 600 more than {against}"] if against else []
    print(" | ".join(columns))
    print(" | ".join(["---"] * len(columns)))
    for name, row in rows.items():
        count = np.mean(row.texts[600])
        cells = [f"{np.nanmean(row.at(budget)):.3f}" for budget in BUDGETS]
        cells += [f"{count:.1f}", f"{600 / count:.0f}"]
        if against and name != against:
            gain = row.at(600) - rows[against].at(600)
            low, high = interval(gain, row.documents)
            cells.append(f"{np.nanmean(gain):+.3f} ({low:+.3f} to {high:+.3f})")
        print(" | ".join([name, *cells]), flush=True)


def costs(rows: dict[str, Measured]) -> None:
    print("\n**CPU time without embedding, and size on disk**\n")
    print("retriever | indexing, s | a query, ms | MB on disk")
    print("--- | --- | --- | ---")
    for name, row in rows.items():
        if name.startswith("chunks"):
            continue  # their time is that of finding the size
        query = 1000 * row.searching / row.queries
        print(f"{name} | {row.adding:.1f} | {query:.1f} | {row.size / 1e6:.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    corpora = development_corpora(options.data, options.corpora)
    embeds = embedder("bundled")
    Embeddings.kept = embeds if options.keep is None else CachedEmbedder(embeds, options.keep)
    chosen = retrievers(options.data)
    if options.only is not None:
        chosen = {name: build for name, build in chosen.items() if name in options.only}
    plain = [corpus for corpus in corpora if corpus.name not in ASKED_OF_ALL]
    rest = [corpus for corpus in corpora if corpus.name in ASKED_OF_ALL]
    together = Corpus(
        ALL_PLAIN,
        tuple(document for corpus in plain for document in corpus.documents),
        tuple(question for corpus in plain for question in corpus.questions),
    )
    for title, some in (
        ("Plain texts", plain),
        ("RAG-Multi-Corpus", rest),
        ("All plain texts in one index", [together] if len(plain) > 1 else []),
    ):
        if not some:
            continue
        rows = {}
        for name, builds in chosen.items():
            if name.startswith(OF_MODEL) and some is not rest:
                continue
            if some[0] is together and not name.startswith(("passages", "chunks")):
                continue
            done = [measure(some, build) for build in builds]
            rows[name] = max(done, key=lambda one: float(np.nanmean(one.at(600))))
        others = [name for name in rows if not name.startswith("passages")]
        best = max(others, key=lambda name: float(np.nanmean(rows[name].at(600))), default=None)
        table(title, rows, best)
        costs(rows)


if __name__ == "__main__":
    main()
