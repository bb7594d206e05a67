import json
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import LayoutChunker, TextEmbedder
from lumber_core.chunking.delivery import Delivery
from lumber_core.spans import Span
from lumber_core.text.pages import place_source
from lumber_core.text.parsed import MarkdownText
from lumber_retrieval.hits import Hit
from lumber_retrieval.index.vectors import rotate
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import fuse
from lumber_retrieval.passages.reranking import passages_of_hits
from lumber_retrieval.words.keywords import count_words
from tests.core.core_support import quick
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_passage_index import document

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
RIVER = (
    "Otters live along rivers. They sleep in dens near the bank.\n\n"
    "They hunt fish at dawn. Herons fish there, too, and wait for hours.\n\n"
    "Millers dam the river. The mill at Arden has two wheels. Floods came in spring.\n"
)


def hit_of(words: str, text: str = RIVER, document: str = "a", place: int = 0) -> Hit:
    start = text.index(words)
    return Hit(place, document, Span(start, start + len(words)), words, -place, {})


def rank(query: str, hits: list[Hit], budget: int = 40, text: str = RIVER) -> list[Passage]:
    return passages_of_hits(query, hits, {"a": text}, budget=budget)


def hits_of(name: str, text: str) -> list[Hit]:
    """Return the chunks of a document as they are delivered with all of their metadata."""
    source = place_source(text, {"source": name})
    return [
        Hit(
            number,
            name,
            chunk.span,
            chunk.text,
            0,
            {"source": name, **chunk.metadata(context=True, pages=True, lines=True)},
        )
        for number, chunk in enumerate(LayoutChunker(12).split(source, Delivery(trim=True)))
    ]


@st.composite
def searches(draw):
    """Two texts, some chunks of them as an engine ranks them, and a question."""
    piece = st.sampled_from(
        [
            *("The mill has two wheels. ", "Otters swim. ", "Who? ", "a b c d e f g h i j k l "),
            "\n\n",
            "\n# Wheels\n\n",
            "- oil it\n- lift it\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            *("水獭生活在河边。", "x" * 70, " ", "\f", "The river floods the mill in spring. "),
        ]
    )
    pieces = st.lists(piece, min_size=1, max_size=20).map("".join)
    texts = {name: draw(pieces) for name in ("one", "two")}
    hits = []
    for name, text in texts.items():
        for _ in range(draw(st.integers(0, 5))):
            start = draw(st.integers(0, len(text) - 1))
            span = Span(start, draw(st.integers(start + 1, len(text))))
            hits.append(Hit(0, name, span, span.of(text), 0, {"of": name}))
    hits = [hit._replace(number=n, score=-n) for n, hit in enumerate(draw(st.permutations(hits)))]
    return texts, hits, draw(st.sampled_from(["wheels of the mill", "otters 水獭", "?", "who a b"]))


@given(search=searches(), budget=st.integers(1, 60), max_gap=st.integers(0, 20))
@quick
def test_passages_are_slices_within_the_budget_best_first(search, budget, max_gap):
    texts, hits, query = search

    def find(hits, texts, **more):
        return passages_of_hits(query, hits, texts, budget=budget, max_gap=max_gap, **more)

    passages = find(hits, texts)
    assert sum(count_words(passage.text) for passage in passages) <= budget or len(passages) == 1
    assert [passage.score for passage in passages] == sorted(
        (p.score for p in passages), reverse=True
    )
    for passage in passages:
        assert passage.text == passage.span.of(texts[passage.document])
        assert 0 <= passage.score <= 1
        assert passage.metadata == {"of": passage.document}
        assert all(hits[hit.number].document == passage.document for hit in passage.hits)
    by_place = sorted((passage.document, passage.span) for passage in passages)
    assert all(a[0] != b[0] or a[1].end <= b[1].start for a, b in pairwise(by_place))
    # Names and the numbers of hits do not matter; of scores, only the order does.
    other = {"one": "z", "two": "y"}
    scored = [h._replace(document=other[h.document], score=1 / (1 + n)) for n, h in enumerate(hits)]
    renamed = find(scored[::-1], {other[name]: text for name, text in texts.items()})
    assert [(passage.span, passage.score) for passage in renamed] == [
        (p.span, p.score) for p in passages
    ]
    assert {passage.span for passage in find(hits, texts, reading_order=True)} == {
        p.span for p in passages
    }


def test_the_passage_that_covers_the_question_comes_first_at_any_rank_of_the_engine():
    given = (
        "Otters live along rivers.",
        "Herons fish there, too, and wait for hours.",
        "The mill at Arden has two wheels.",
    )
    hits = [hit_of(words, place=place) for place, words in enumerate(given)]
    best, *_ = rank("How many wheels has the mill at Arden?", hits, budget=10)
    assert best.text == "The mill at Arden has two wheels."
    assert best.words_found == 1
    assert [hit.number for hit in best.hits] == [2]


def test_the_text_beside_a_hit_is_read_as_far_as_its_section_goes():
    text = "# Mills\n\nThe mill at Arden has two wheels.\n\n# Prices\n\nFlour costs two crowns.\n"
    question = "How many wheels has the mill?"
    [passage] = rank(question, [hit_of("# Mills", text)], text=text)
    assert passage.text == "# Mills\n\nThe mill at Arden has two wheels."
    [passage] = rank(question, [hit_of("Flour costs", text)], text=text)
    assert passage.text == "Flour costs two crowns."


def test_a_sentence_beside_a_hit_is_read_whole_or_not_at_all():
    long = "Seven of the " + "very " * 120 + "old ones went. "
    text = f"One two three. {long}Nine ten eleven. {long}"
    passages = rank("seven nine", [hit_of("One two three.", text)], 900, text)
    assert [passage.text for passage in passages] == ["One two three."]
    passages = rank("seven nine", [hit_of("Nine ten eleven.", text)], 900, text)
    assert [passage.text for passage in passages] == ["Nine ten eleven."]
    short = text.replace("very " * 120, "")
    passages = rank("seven nine", [hit_of("Nine ten eleven.", short)], 900, short)
    assert [passage.text for passage in passages] == [short.strip()]


def test_only_the_relevant_part_of_a_large_hit_is_read():
    rows = "".join(f"| tap {n} | costs {n} pounds | of brass |\n" for n in range(300))
    text = f"# Taps\n\n| Tap | Price | Metal |\n|---|---|---|\n{rows}"
    metadata = {"source": "taps.md", "headings": "Taps", "line_first": 1.0, "line_last": 304.0}
    hit = hit_of(text.strip(), text)._replace(metadata=metadata)
    passages = rank("How much does tap 217 cost?", [hit], budget=120, text=text)
    assert sum(count_words(passage.text) for passage in passages) <= 120
    assert "| tap 217 |" in passages[0].text
    assert passages[0].metadata["line_first"] == text.count("\n", 0, passages[0].span.start) + 1


def test_passages_have_their_headings_lines_and_pages_wherever_they_begin():
    story = (EXAMPLES / "handbook" / "tide_house.md").read_text(encoding="utf-8")
    story = story.replace(".\n\n", ".\n\f\n")
    beside = 0
    for name, text in (("guide.md", GUIDE), ("story.md", story)):
        hits, outline = hits_of(name, text), MarkdownText(text).outline
        for place in range(0, len(hits), 3):
            hit = hits[place]
            query = text[max(0, hit.span.start - 90) : hit.span.end + 90]
            for passage in passages_of_hits(query, [hit], {name: text}, budget=60):
                beside += passage.span.start < hit.span.start
                start, end = passage.span
                [above] = outline.places(text, [passage.span])
                assert passage.metadata.get("headings", "") == " > ".join(above.titles)
                assert passage.metadata["line_first"] == text.count("\n", 0, start) + 1
                assert passage.metadata["line_last"] == text.count("\n", 0, end) + 1
                if "\f" in text:
                    assert passage.metadata["page_first"] == text.count("\f", 0, start) + 1
                    assert passage.metadata["page_last"] == text.count("\f", 0, end) + 1
    assert beside > 3


def test_reranked_candidates_mostly_equal_the_passages_of_the_index():
    """Only the rarity of words and the neighbours of a hit are estimated."""
    paths = (EXAMPLES / "handbook").glob("*.md")
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    embedder = TextEmbedder()
    index = PassageIndex(LayoutChunker(target_size=50, tokenizer="even"), embedder)
    index.add(document(text, name) for name, text in texts.items())
    rows = (EXAMPLES / "data" / "handbook_questions.jsonl").read_text(encoding="utf-8").splitlines()
    shares, first = [], []
    for row in rows[::3]:
        query = json.loads(row)["question"]
        with index.store.snapshot() as snapshot:
            query_vector = rotate(embedder.embed([query])[0])
            near = snapshot.nearest(query_vector, 100, None)
            hits, _ = snapshot.hits(
                fuse([near, snapshot.find_by_words(query, 100, None)]), query_vector
            )
        passages = index.search(query, budget=300)
        reranked = passages_of_hits(query, hits[:40], texts, budget=300)
        read, theirs = (
            {(passage.document, place) for passage in some for place in range(*passage.span)}
            for some in (reranked, passages)
        )
        shares.append(len(read & theirs) / max(len(read), len(theirs)))
        common = reranked[0].span.within(passages[0].span)
        first.append(reranked[0].document == passages[0].document and common.start < common.end)
    assert sum(shares) / len(shares) > 0.85
    assert sum(first) / len(first) > 0.9
