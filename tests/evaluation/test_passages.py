from lumber_core import Delivery, LayoutChunker
from lumber_core.spans import Span
from lumber_evaluation.comparison import compare
from lumber_evaluation.dataset import Corpus, Document, EvaluatedChunk, Question, SplitDocument
from lumber_evaluation.report import render
from lumber_evaluation.retrieval import retrieve
from lumber_retrieval.embedders import embedder
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from tests.evaluation.comparing import PLACES, WordEmbedder, corpus, paragraphs
from tests.retrieval.embeddings import WordVectors

KEEPERS = ("lamps", "ropes", "bells", "sails", "geese")


def guides() -> Corpus:
    """Markdown of some thousand words, and questions whose answers are one sentence each."""
    documents, questions = [], []
    for number in range(3):
        name = f"guide-{number}"
        parts = [f"# Harbours of coast {number}\n\n"]
        for n, place in enumerate(PLACES[:6]):
            things = KEEPERS[n % len(KEEPERS)]
            parts.append(
                f"## {place}\n\nThe harbour froze over in {1800 + n}. The keeper kept "
                f"{n + number + 2} {things} in a shed by the quay. Nobody had seen the like.\n\n"
                f"Boats of coast {number} wait for the tide here. Some of them wait for days.\n\n"
            )
            answer = f"The keeper kept {n + number + 2} {things}"
            # Every other question is not about the sentence that answers it.
            question = f"How many {things} had the keeper of {place} on coast {number}?"
            question = question if n % 2 else f"Which boats wait on coast {(number + 1) % 3}?"
            questions.append(Question(question, name, must_contain=answer))
        text = "".join(parts)
        documents.append(Document(name, text, (0,), (0,), "made", "markdown"))
    return Corpus("guides", tuple(documents), tuple(questions))


class Trimmed:
    """Splits as an index does."""

    name = settings = identity = "trimmed"

    def __init__(self, chunker: LayoutChunker) -> None:
        self._chunker = chunker

    def split(self, document: Document) -> SplitDocument:
        (chunks,) = self._chunker.split_all([document.to_split()], Delivery(trim=True))
        evaluated = (EvaluatedChunk(document.name, chunk.span, chunk.text) for chunk in chunks)
        return SplitDocument(document.name, tuple(evaluated), 0.0)


class LongVectors(WordVectors):
    """Vectors of arbitrary length, as of models that do not normalise them."""

    def embed_query(self, text: str) -> list[float]:
        return [value * len(text) for value in super().embed_query(text)]


def test_evaluated_passages_equal_those_of_the_index() -> None:
    guide_corpus, chunker = guides(), LayoutChunker(target_size=20)
    splits = [Trimmed(chunker).split(document) for document in guide_corpus.documents]
    measured = retrieve(
        guide_corpus,
        splits,
        embedder(LongVectors()),
        context=True,
        surroundings=True,
        within_document=False,
        passages=True,
    )
    index = PassageIndex(chunker, LongVectors())
    index.add(IndexedDocument(d.name, d.name, d.to_split()) for d in guide_corpus.documents)
    recalls: dict[int, list[float]] = {300: [], 600: []}
    for question, result in zip(guide_corpus.questions, measured.questions, strict=True):
        assert question.must_contain is not None
        for budget, recall in recalls.items():
            passages = index.search(question.question, budget=budget)
            in_document = [p.text for p in passages if p.document == question.document]
            recall.append(result.passage_recall(budget))
            assert (recall[-1] == 1) == any(question.must_contain in text for text in in_document)
    assert 0 < sum(recalls[300]) < sum(recalls[600])


def test_only_the_first_words_of_a_passage_above_the_budget_are_read() -> None:
    text = " ".join(f"word{n}" for n in range(400))
    questions = tuple(Question("word?", "d", must_contain=f"word{n}") for n in (299, 300))
    corpus_of_one = Corpus("one", (Document("d", text, (0,), (0,), ""),), questions)
    split = SplitDocument("d", (EvaluatedChunk("d", Span(0, len(text)), text),), 0.0)
    result = retrieve(corpus_of_one, [split], WordEmbedder(), passages=True)
    recalls = [question.passage_recall(300) for question in result.questions]
    assert recalls == [1, 0]
    assert [question.passage_recall(600) for question in result.questions] == [1, 1]


def test_the_words_of_headings_are_read_before_a_passage() -> None:
    titles = [" ".join(f"title{n}" for n in range(9)) for _ in range(3)]
    body = " ".join(f"word{n}" for n in range(290))
    text = "".join(f"{'#' * n} {title}\n\n" for n, title in enumerate(titles, 1)) + body
    questions = tuple(Question("word0?", "d", must_contain=f"word{n}") for n in (200, 285))
    corpus_of_one = Corpus("one", (Document("d", text, (0,), (0,), "", "markdown"),), questions)
    start = text.index("word0")
    split = SplitDocument("d", (EvaluatedChunk("d", Span(start, len(text)), text[start:]),), 0.0)
    recalls = {}
    for context in (False, True):
        result = retrieve(corpus_of_one, [split], WordEmbedder(), context=context, passages=True)
        recalls[context] = [question.passage_recall(300) for question in result.questions]
    assert recalls == {False: [1, 1], True: [1, 0]}


def test_the_report_has_passages_like_other_measures() -> None:
    comparison = compare(corpus(), [paragraphs()], embedder=WordEmbedder(), passages=True)
    keys = ["passage_recall@300w", "passage_recall@600w"]
    assert [metric.key for metric in comparison.metrics if "passage" in metric.key] == keys
    assert all(comparison.figures["paragraphs", key].value == 1 for key in keys)
    assert "sentences at most 90 words apart are joined into passages" in render(comparison)
    without = compare(corpus(), [paragraphs()], embedder=WordEmbedder())
    assert not [metric.key for metric in without.metrics if "passage" in metric.key]
