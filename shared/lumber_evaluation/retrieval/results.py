"""Retrieval: does a search for a question find the chunk that answers it?

Every chunk and every question is embedded, and every question is compared with every chunk: the
search is exact. The first chunk that answers counts, as in the code published with the
LumberChunker paper: Recall@k is the share of questions for which it is among the first k, DCG@k
discounts it by rank. Two chunks of one span, such as two propositions of a passage, count as one
result: the passage, at the rank of its best chunk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NoReturn

import numpy as np
from tqdm import tqdm

from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_evaluation.documents import (
    Corpus,
    Document,
    EvaluatedChunk,
    Question,
    SplitDocument,
)
from lumber_evaluation.embedders import Embedder
from lumber_evaluation.embedders import embedder as embedder_of
from lumber_evaluation.retrieval.context import ContextPart, check_context
from lumber_evaluation.retrieval.passages import FoundBy, PassageSearch, PassagesRead
from lumber_evaluation.retrieval.references import (
    GoldFinder,
    TokenOverlap,
    check_questions,
    token_overlap,
)
from lumber_evaluation.retrieval.search import ExactSearch, Found
from lumber_evaluation.retrieval.word_recall import WORD_BUDGETS, WordRecall, check_word_budget
from lumber_evaluation.splitters import evaluated
from lumber_retrieval.surroundings import (
    PlacedText,
    VectorPlan,
    Vectors,
    matrix,
    unit_length,
)

CUTOFFS = (1, 2, 5, 10, 20)
"""Numbers of chunks that are looked at: the k of Recall@k and DCG@k."""

Unanswerable = Literal["miss", "skip"]

# Texts embedded between two steps of the progress bar.
_EMBEDDED_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The result of one question with one splitter.

    Attributes:
        question: The question.
        retrieved: Numbers of chunks, best first, at most the largest of `CUTOFFS`; of chunks with
            the same span only the best.
        similarities: Their similarities to the question.
        gold: Numbers of the chunks that answer it; empty if none does.
        first_hit: Rank, from 1, of the first gold chunk among all that were searched; None if
            there is no gold chunk.
        word_recalls: Recall of the reference text for each of `WORD_BUDGETS`; see `WordRecall`.
        overlaps: Overlap of the first k chunks with the references for each k of `CUTOFFS`; empty
            for a question without references.
        passages: What a reader gets, by how chunks are found, for each of `PASSAGE_BUDGETS`; empty
            if it was not measured.
    """

    question: Question
    retrieved: tuple[int, ...]
    similarities: tuple[float, ...]
    gold: tuple[int, ...]
    first_hit: int | None
    word_recalls: Mapping[int, float]
    overlaps: Mapping[int, TokenOverlap] = field(default_factory=dict)
    passages: Mapping[FoundBy, Mapping[int, PassagesRead]] = field(default_factory=dict)

    def word_recall(self, words: int) -> float:
        """Return the share of the reference text among the first words retrieved.

        Returns:
            From 0 to 1; nan if the reference text does not occur in the document.

        Raises:
            ValueError: `words` is not one of `WORD_BUDGETS`.
        """
        check_word_budget(words)
        return self.word_recalls[words]

    def recall(self, k: int) -> float:
        """Return 1 if one of the first k chunks answers the question, else 0.

        Raises:
            ValueError: `k` is not between 1 and the largest of `CUTOFFS`.
        """
        _check_cutoff(k)
        return float(self.first_hit is not None and self.first_hit <= k)

    def dcg(self, k: int) -> float:
        """Return DCG@k: 1 / log2(rank + 1) for the first chunk up to k that answers, else 0.

        That is the sum over ranks of relevance / log2(rank + 1), where relevance is 1 for the first
        chunk that answers and 0 for others: a passage found again in another chunk counts once.
        """
        return 1 / math.log2(self.first_hit + 1) if self.first_hit and self.recall(k) else 0.0

    def token_recall(self, k: int) -> float:
        """Return the share of the references in the first k chunks; nan without references."""
        overlap = self._overlap(k)
        return math.nan if overlap is None else overlap.recall

    def token_precision(self, k: int) -> float:
        """Return the share of the first k chunks that is in the references, or nan without any."""
        overlap = self._overlap(k)
        return math.nan if overlap is None else overlap.precision

    def token_iou(self, k: int) -> float:
        """Return intersection over union of the first k chunks and the references, or nan."""
        overlap = self._overlap(k)
        return math.nan if overlap is None else overlap.iou

    def passage_recall(self, found_by: FoundBy, words: int) -> float:
        """Return the share of the reference text in the passages that a reader gets.

        Args:
            found_by: How chunks are found.
            words: One of `PASSAGE_BUDGETS`.

        Returns:
            From 0 to 1; nan if passages were not measured, or if the reference text does not occur
            in the document.
        """
        return self.passages[found_by][words].recall if self.passages else math.nan

    @property
    def is_absent(self) -> bool:
        """Whether the reference text is not in the document, so that no splitter could find it."""
        return math.isnan(self.word_recalls[WORD_BUDGETS[0]])

    @property
    def is_cut_apart(self) -> bool:
        """Whether the reference text is in the document, but whole in no chunk."""
        return not self.gold and not self.is_absent

    def _overlap(self, k: int) -> TokenOverlap | None:
        if k not in CUTOFFS:
            raise ValueError(f"k must be one of {CUTOFFS}, not {k}")
        return self.overlaps.get(k)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The results of all questions with one splitter.

    Attributes:
        chunks: The chunks that were searched; their numbers are indices of this tuple. Each has a
            vector.
        questions: A result for each question, in the order of the corpus.
        texts_embedded: Number of different texts that were embedded for these vectors.
    """

    chunks: tuple[EvaluatedChunk, ...]
    questions: tuple[QuestionResult, ...]
    texts_embedded: int = 0

    @property
    def unanswerable(self) -> tuple[Question, ...]:
        """The questions that no chunk answers: their answer was cut apart, or is absent."""
        return tuple(result.question for result in self.questions if not result.gold)

    def word_recall(self, words: int) -> float:
        """Return the mean recall of the reference text among the first words retrieved."""
        return self.mean(lambda question: question.word_recall(words))

    def recall(self, k: int, *, unanswerable: Unanswerable = "miss") -> float:
        """Return Recall@k: the share of questions that one of the first k chunks answers.

        Args:
            k: Number of chunks that are looked at, at most the largest of `CUTOFFS`.
            unanswerable: Whether questions that no chunk answers count as a "miss", or are left
                out: "skip".
        """
        return self.mean(lambda question: question.recall(k), unanswerable=unanswerable)

    def dcg(self, k: int, *, unanswerable: Unanswerable = "miss") -> float:
        """Return DCG@k, the mean over questions; arguments as for `recall`."""
        return self.mean(lambda question: question.dcg(k), unanswerable=unanswerable)

    def passage_sizes(self, found_by: FoundBy, words: int) -> tuple[float, float]:
        """Return the mean number of passages of a question, and the mean of their words.

        Args:
            found_by: How chunks are found.
            words: One of `PASSAGE_BUDGETS`.
        """
        read = [question.passages[found_by][words] for question in self.questions]
        count = sum(one.count for one in read)
        return count / len(read), sum(one.words for one in read) / max(1, count)

    def mean(
        self, measure: Callable[[QuestionResult], float], *, unanswerable: Unanswerable = "miss"
    ) -> float:
        """Return the mean of a measure over questions; nan if none is left.

        Args:
            measure: The measure, such as `lambda question: question.token_iou(5)`.
            unanswerable: As for `recall`.
        """
        values = np.array(self.per_question(measure, unanswerable=unanswerable))
        kept = values[~np.isnan(values)]
        return float(kept.mean()) if len(kept) else math.nan

    def per_question(
        self, measure: Callable[[QuestionResult], float], *, unanswerable: Unanswerable = "miss"
    ) -> list[float]:
        """Return a measure for each question, in the order of the corpus under every splitter.

        Args:
            measure: As for `mean`.
            unanswerable: As for `recall`.

        Returns:
            A value for each question; nan for those left out, which `bootstrap` leaves out as well.
        """
        skip = unanswerable == "skip"
        return [math.nan if skip and not one.gold else measure(one) for one in self.questions]


def retrieve(
    corpus: Corpus,
    splits: Sequence[SplitDocument],
    embedder: Embedder,
    *,
    context: Sequence[ContextPart] = (),
    within_document: bool = True,
    query_texts: Sequence[str] | None = None,
    passages: bool = False,
    show_progress: bool = False,
) -> RetrievalResult:
    """Search the chunks of a splitter for each question of a corpus.

    Args:
        corpus: Documents and questions.
        splits: Each document as the splitter splits it.
        embedder: Embeds chunks and questions.
        context: What vectors know beside the text of a chunk, as in `split_and_embed`.
            "headings" are computed for the chunks of every splitter in the same way, and their
            words count as retrieved. "surroundings" are the neighbours of a chunk.
        within_document: Search the chunks of the question's document only, as GutenQA does for
            each book; else those of the whole corpus.
        query_texts: Texts to embed instead of the questions, one for each, as for HyDE.
        passages: Also measure what a reader gets if hits are joined to passages.
        show_progress: Show a progress bar.

    Returns:
        Results in the order of the questions. Equally similar chunks are in the order of the
        corpus, so equal arguments give equal results.

    Raises:
        ValueError: There is no question, one has no expected answer, a document was not split or is
            not in the corpus, `query_texts` and the questions differ in number, `context` has an
            unknown part, or a vector has values that are not finite.
        TypeError: `context` is not a list.
    """
    check_context("context", context)
    check_questions(corpus.questions)
    queries = [question.question for question in corpus.questions]
    if query_texts is not None:
        if len(query_texts) != len(queries):
            raise ValueError(
                f"there are {len(queries)} questions but {len(query_texts)} query_texts: pass one "
                "for each question"
            )
        queries = list(query_texts)
    _check_splits(corpus, splits)
    if "headings" in context:
        splits = [in_context(corpus.by_name[split.document], split) for split in splits]
    chunks = tuple(chunk for split in splits for chunk in split.chunks)
    plan = VectorPlan(
        map(_placed, splits),
        surroundings="surroundings" in context,
    )
    texts = plan.texts
    bar = tqdm(total=len(texts) + len(queries), desc="embedding", disable=not show_progress)
    with bar:

        def embed(some: Sequence[str]) -> Vectors:
            made = embedder.embed_documents(some)
            bar.update(len(some))
            return made

        vectors = np.concatenate(plan.embed(embed))
        asked = _in_batches(embedder.embed_queries, queries, bar)
    if embedder.similarity == "cosine":
        vectors, asked = unit_length(vectors), unit_length(asked)
    # Equal texts have one vector, unless it depends on where they are.
    row: dict[object, int] = {}
    rows = [
        row.setdefault(number if "surroundings" in context else _embedded(chunk), number)
        for number, chunk in enumerate(chunks)
    ]
    searched = _searched(corpus, chunks, within_document)
    gold = _gold(corpus, chunks)
    read = WordRecall(corpus.by_name, chunks)
    results: dict[int, QuestionResult] = {}
    for numbers, questions in searched:
        search = ExactSearch(
            [chunks[number] for number in numbers],
            numbers=numbers,
            text_of=[rows[number] for number in numbers],
            vectors=vectors,
        )
        joining = None
        if passages:
            joining = PassageSearch(
                corpus.by_name,
                [chunks[number] for number in numbers],
                vectors[numbers],
                context=context,
                read=read,
            )
        answers = [gold[question] for question in questions]
        count = max(CUTOFFS[-1], read.depth(numbers, WORD_BUDGETS[-1]))
        found = search.find(asked[questions], answers, count=count)
        for question, one in zip(questions, found, strict=True):
            about = corpus.questions[question]
            result = _result(about, chunks, gold[question], one, read)
            if joining is not None:
                joined = joining.find(about, queries[question], asked[question].tolist())
                result = replace(result, passages=joined)
            results[question] = result
    ordered = tuple(results[n] for n in range(len(queries)))
    return RetrievalResult(chunks, ordered, len(texts))


def recall_at_words(
    corpus: Corpus,
    splitter: object,
    *,
    words: int = 600,
    embedder: object = "bundled",
    within_document: bool = True,
) -> list[float]:
    """Return, for each question, the share of its reference text in the first words retrieved.

    This compares splitters at equal amounts of text, whatever their chunk sizes.

    Args:
        corpus: Documents and questions.
        splitter: Anything that `evaluated` takes.
        words: Number of words to retrieve, one of `WORD_BUDGETS`.
        embedder: Anything that `embedders.embedder` takes; a `CachedEmbedder` embeds each text
            once over many calls.
        within_document: Search the chunks of the question's document only.

    Returns:
        One value from 0 to 1 for each question, in order; nan if the reference text does not occur
        in the document.

    Raises:
        ValueError: As for `retrieve`, or `words` is not one of `WORD_BUDGETS`.
    """
    check_word_budget(words)
    made = evaluated(splitter)
    splits = [made.split(document) for document in corpus.documents]
    result = retrieve(corpus, splits, embedder_of(embedder), within_document=within_document)
    return result.per_question(lambda question: question.word_recall(words))


def _check_splits(corpus: Corpus, splits: Sequence[SplitDocument]) -> None:
    """Raise unless each document that is asked about was split once, and no other was split.

    Raises:
        ValueError: A document was split twice, is not in the corpus, or is missing.
    """
    names = Counter(split.document for split in splits)
    for name, count in names.items():
        if name not in corpus.by_name:
            raise ValueError(
                f"{name!r} was split but is not a document of the corpus {corpus.name!r}"
            )
        if count > 1:
            raise ValueError(f"{name!r} was split twice: pass the splits of one splitter")
    missing = {question.document for question in corpus.questions}.difference(names)
    if missing:
        raise ValueError(
            f"there are questions about {min(missing)!r}, which was not split: pass a split of "
            f"every document of the corpus {corpus.name!r}"
        )


def in_context(document: Document, split: SplitDocument) -> SplitDocument:
    """Return the split with the context of each chunk, whatever splitter made it."""
    source = document.to_split()
    parsed = MarkdownText(source) if source.is_markdown else PlainText(source)
    spans = [chunk.span for chunk in split.chunks]
    contexts = parsed.contexts(spans, parsed.outline(spans))
    chunks = zip(split.chunks, contexts, strict=True)
    return replace(split, chunks=tuple(replace(chunk, context=above) for chunk, above in chunks))


def _placed(split: SplitDocument) -> list[PlacedText]:
    return [PlacedText(chunk.span, chunk.text, _embedded(chunk)) for chunk in split.chunks]


def _embedded(chunk: EvaluatedChunk) -> str:
    return chunk.context.above(chunk.text)


def _in_batches(
    embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str], bar: tqdm[NoReturn]
) -> Vectors:
    """Embed texts in batches, one for each step of the progress bar."""
    parts = []
    for first in range(0, len(texts), _EMBEDDED_AT_ONCE):
        batch = texts[first : first + _EMBEDDED_AT_ONCE]
        parts.append(matrix(embed(batch), len(batch)))
        bar.update(len(batch))
    return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


def _searched(
    corpus: Corpus, chunks: Sequence[EvaluatedChunk], within_document: bool
) -> list[tuple[list[int], list[int]]]:
    """Return the numbers of the chunks to search, and of the questions to search them for."""
    if not within_document:
        return [(list(range(len(chunks))), list(range(len(corpus.questions))))]
    own: dict[str, tuple[list[int], list[int]]] = {}
    for number, question in enumerate(corpus.questions):
        own.setdefault(question.document, ([], []))[1].append(number)
    for number, chunk in enumerate(chunks):
        if chunk.document in own:
            own[chunk.document][0].append(number)
    return list(own.values())


def _gold(corpus: Corpus, chunks: Sequence[EvaluatedChunk]) -> list[list[int]]:
    """Return, for each question, the numbers of the chunks that answer it."""
    gold: list[list[int]] = [[] for _ in corpus.questions]
    for numbers, questions in _searched(corpus, chunks, within_document=True):
        document = corpus.by_name[corpus.questions[questions[0]].document]
        find = GoldFinder(document, [chunks[number] for number in numbers])
        for question in questions:
            gold[question] = [numbers[place] for place in find(corpus.questions[question])]
    return gold


def _result(
    question: Question,
    chunks: Sequence[EvaluatedChunk],
    gold: Sequence[int],
    found: Found,
    read: WordRecall,
) -> QuestionResult:
    first = found.chunks[: CUTOFFS[-1]]
    overlaps = {}
    if question.references:
        overlaps = {k: token_overlap(question, [chunks[n] for n in first[:k]]) for k in CUTOFFS}
    return QuestionResult(
        question,
        first,
        found.similarities[: CUTOFFS[-1]],
        tuple(gold),
        found.first_hit,
        {words: read(question, found.chunks, words) for words in WORD_BUDGETS},
        overlaps,
    )


def _check_cutoff(k: int) -> None:
    if not 1 <= k <= CUTOFFS[-1]:
        raise ValueError(f"k must be from 1 to {CUTOFFS[-1]}, not {k}")
