"""Recall on Markdown by the weights of the cutter, with vectors, and with vectors and keywords.

    python benchmarks/markdown.py ../shared/data
    python benchmarks/markdown.py ../shared/data --keep work.db     keeps vectors and scores

RAG-Multi-Corpus: all documents are searched for each question. Chunks are Bert's at its default
target with some weights (`lumber_core.chunking.cutting`: start, size, mixed), those without scores,
and other splitters'. Recall at 300 and 600 words, without and with the headings above each chunk,
whose words count; keywords are BM25, whose scores are added to those of the vectors, both
standardised. Then the mean of the eight columns, over all questions, over every second one, and by
company.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retrieval import chunked, split
from sized_splitters import (
    Bert,
    Starts,
    langchain_recursive,
    llamaindex_markdown,
    semantic_text_splitter,
)

from lumber_core import BertChunker
from lumber_core.chunking import cutting
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.corpora import load_multi_corpus
from lumber_evaluation.documents import Corpus, SplitDocument
from lumber_evaluation.embedders import Embedder, embedder
from lumber_evaluation.retrieval.results import in_context
from lumber_evaluation.retrieval.word_recall import WordRecall

WEIGHTS = (
    (2.4, 12.0, 0.0),  # of plain text
    *((start, size, 0.0) for start in (0.4, 0.8, 1.2) for size in (12.0, 24.0, 36.0)),
    *((start, size, 12.0) for start in (0.4, 0.8, 1.2) for size in (12.0, 24.0, 36.0)),
    *((0.8, 24.0, mixed) for mixed in (3.0, 6.0, 1000.0)),
)
BUDGETS = (300, 600)
# The usual values of Robertson and Zaragoza (2009).
SATURATION, LENGTH = 1.5, 0.75
Matrix = npt.NDArray[np.float64]


def keyword_scores(texts: Sequence[str], queries: Sequence[str]) -> Matrix:
    """Return the BM25 score of each text for each query, shape (queries, texts)."""
    counts = [Counter(words(text)) for text in texts]
    lengths = np.array([sum(one.values()) for one in counts], dtype=np.float64)
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for number, one in enumerate(counts):
        for word, count in one.items():
            found[word][number] = count
    scores = np.zeros((len(queries), len(texts)))
    norm = SATURATION * (1 - LENGTH + LENGTH * lengths / lengths.mean())
    for row, query in enumerate(queries):
        for word in set(words(query)) & found.keys():
            where = np.array(list(found[word]))
            often = np.array(list(found[word].values()), dtype=np.float64)
            rarity = np.log(1 + (len(texts) - len(where) + 0.5) / (len(where) + 0.5))
            scores[row, where] += rarity * often * (SATURATION + 1) / (often + norm[where])
    return scores


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def standardised(scores: Matrix) -> Matrix:
    deviations = scores.std(axis=1, keepdims=True)
    means = scores.mean(axis=1, keepdims=True)
    standard: Matrix = (scores - means) / np.maximum(deviations, 1e-9)
    return standard


def recalls(corpus: Corpus, splits: Sequence[SplitDocument], embeds: Embedder) -> Matrix:
    """Return the recall of each question, shape (8, questions).

    By vectors then with keywords, each without then with headings, each at 300 then 600 words.
    """
    questions = [question.question for question in corpus.questions]
    asked = embeds.embed_queries(questions)
    rows: dict[bool, list[list[float]]] = {False: [], True: []}
    for headed in (False, True):
        own = [in_context(corpus.by_name[one.document], one) for one in splits]
        chunks = [chunk for one in (own if headed else splits) for chunk in one.chunks]
        texts = [chunk.context.above(chunk.text) for chunk in chunks]
        near = np.asarray(asked @ embeds.embed_documents(texts).T, dtype=np.float64)
        both = standardised(near) + standardised(keyword_scores(texts, questions))
        read = WordRecall(corpus.by_name, chunks)
        for keywords, scores in ((False, near), (True, both)):
            order = np.argsort(-scores, axis=1, kind="stable").tolist()
            for budget in BUDGETS:
                pairs = zip(corpus.questions, order, strict=True)
                rows[keywords].append(
                    [read(question, ranked, budget) for question, ranked in pairs]
                )
    return np.array(rows[False] + rows[True])


def row_of(corpus: Corpus, name: str, starts: Starts, embeds: Embedder) -> str:
    splits = chunked(corpus, split(corpus, starts))
    found = recalls(corpus, splits, embeds)
    total = sum(len(document.text.split()) for document in corpus.documents)
    size = total / sum(len(one.chunks) for one in splits)
    sources = np.array([corpus.by_name[q.document].source for q in corpus.questions])
    means = [found.mean(), found[:, ::2].mean(), found[:, 1::2].mean()]
    means += [found[:, sources == source].mean() for source in sorted(set(sources))]
    cells = [f"{size:.0f}", *(f"{value:.3f}" for value in (*found.mean(axis=1), *means))]
    return " | ".join([name, *cells])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    corpus = load_multi_corpus(options.data / "multi_corpus")
    embeds = embedder("bundled")
    if options.keep is not None:
        embeds = CachedEmbedder(embeds, options.keep)
    ways = [
        f"{way}{context}, {budget}"
        for way in ("vectors", "and keywords")
        for context in ("", " with headings")
        for budget in BUDGETS
    ]
    sources = sorted({document.source.split("/")[-1] for document in corpus.documents})
    columns = ["chunks", "words", *ways, "mean", "even questions", "odd questions", *sources]
    print(" | ".join(columns))
    print(" | ".join(["---"] * len(columns)))
    bert, layout = Bert(options.keep), Bert(scored=False)
    _, target = BertChunker().settings.sizes
    assert target is not None
    today = cutting._MARKDOWN
    for weights in (today, *WEIGHTS):
        cutting._MARKDOWN = cutting._Weights(*weights)
        name = "bert" if weights is today else "bert, {:g}, {:g}, {:g}".format(*weights)
        print(row_of(corpus, name, bert(target), embeds), flush=True)
    cutting._MARKDOWN = today
    others = {
        "layout": layout(target),
        "langchain recursive, 400 characters": langchain_recursive(400),
        "langchain recursive, 620 characters": langchain_recursive(620),
        "langchain recursive, 1120 characters": langchain_recursive(1120),
        "llamaindex markdown, 100 tokens": llamaindex_markdown(100),
        "llamaindex markdown, 150 tokens": llamaindex_markdown(150),
        "llamaindex markdown, 1024 tokens": llamaindex_markdown(1024),
        "semantic-text-splitter markdown, 500 characters": semantic_text_splitter(500),
        "semantic-text-splitter markdown, 1120 characters": semantic_text_splitter(1120),
    }
    for name, starts in others.items():
        print(row_of(corpus, name, starts, embeds), flush=True)


if __name__ == "__main__":
    main()
