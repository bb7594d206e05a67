from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import (
    BaseNode,
    Document,
    MediaResource,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.vector_stores import FilterCondition, MetadataFilter, MetadataFilters
from packaging.version import Version

from llamaindex_lumber import GreedyNodeParser, LumberEmbedding, PassageRetriever
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_passage_index import MUSIC, RIVER

RIVERS = Document(text=RIVER, id_="river", metadata={"year": 1850, "place": "Wales"})
SONGS = Document(text=MUSIC, id_="music", metadata={"year": 1720, "tags": ["string", "harp"]})
BOOK = Document(
    text=GUIDE,
    id_="guide",
    metadata={"file_path": "shop/guide.md", "file_size": 900},
    excluded_llm_metadata_keys=["file_size"],
    text_template="<<{metadata_str}>>\n{content}",
)
QUERY = "When do otters hunt?"


def retriever_of(**settings: Any) -> PassageRetriever:
    parser = GreedyNodeParser(target_size=6, tokenizer="words", chunk_size=12)
    return PassageRetriever(**{"node_parser": parser, "max_gap": 0, "budget": 12, **settings})


def slices(hits: Sequence[NodeWithScore]) -> list[tuple[str | None, int | None, int | None]]:
    """Return where passages are in which document, after checking that they are slices of it."""
    texts = {"river": RIVER, "music": MUSIC, "guide": GUIDE}
    places = []
    for hit in hits:
        node = hit.node
        assert isinstance(node, TextNode)
        start, end = node.start_char_idx, node.end_char_idx
        assert node.text == texts[node.ref_doc_id or ""][start:end] != ""
        places.append((node.ref_doc_id, start, end))
    return places


def test_a_question_does_not_create_the_global_embedding_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    retriever = PassageRetriever()
    retriever.add_documents([RIVERS])
    with monkeypatch.context() as patch:
        patch.setattr("llamaindex_lumber.embedding.LumberEmbedding", None)
        passages = retriever.retrieve(QUERY)
    assert slices(passages)
    assert [passage.score for passage in passages] == [
        passage.score for passage in retriever.retrieve(QUERY)
    ]


async def test_a_query_engine_answers_from_passages() -> None:
    seen = LlamaDebugHandler(print_trace_on_end=False)
    retriever = PassageRetriever(budget=60, callback_manager=CallbackManager([seen]))
    assert (await retriever.aadd_documents([BOOK, RIVERS, SONGS])).added == 3
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    passages = engine.query(QUERY).source_nodes
    assert slices(passages)[0][0] == "river"
    assert sum(len(hit.text.split()) for hit in passages) <= 60
    assert (await engine.aquery(QUERY)).source_nodes == passages == retriever.retrieve(QUERY)
    assert len(seen.get_event_pairs(CBEventType.RETRIEVE)) == 3
    bundle = QueryBundle(QUERY, custom_embedding_strs=["harps", "violins"])
    assert await retriever.aretrieve(bundle) == retriever.retrieve(bundle)


def test_traces_show_the_question_and_not_the_building_of_the_index() -> None:
    spans, handlers = SimpleSpanHandler(), get_dispatcher("root").span_handlers
    handlers.append(spans)
    try:
        retriever = retriever_of()
        retriever.add_documents([RIVERS])
        retriever.retrieve(QUERY)
    finally:
        handlers.remove(spans)
    names = {span.id_.partition("-")[0] for span in spans.completed_spans}
    ours = {name for name in names if not name.startswith("LumberEmbedding.")}
    assert ours == {"PassageRetriever.retrieve", "PassageRetriever._retrieve"}


def test_passages_have_the_metadata_of_nodes() -> None:
    parser = GreedyNodeParser(target_size=1, tokenizer="words", add_metadata=True)
    guide = BOOK.model_copy(update={"text_resource": MediaResource(text=GUIDE, mimetype="a/b")})
    retriever = PassageRetriever(parser, budget=1)  # returns only the best chunk
    retriever.add_documents([guide])
    nodes = {node.get_content().strip(): node for node in parser([guide])}
    for query in ("taps close to the right", "last words of this guide", "costs in the shop"):
        (hit,) = retriever.retrieve(query)
        node = nodes[hit.text]
        assert [*hit.node.relationships] == [NodeRelationship.SOURCE]
        assert hit.node.ref_doc_id == "guide"
        metadata = {**hit.node.metadata}
        assert metadata.pop("mimetype") == "a/b"
        for key in ("similarity", "words_found"):
            metadata.pop(key)
        metadata["chunk_index"] = node.metadata["chunk_index"]
        metadata |= dict.fromkeys(("heading_levels", "verdict", "verdict_reason"), "")
        assert metadata == node.metadata
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert lines_for_model(hit.node, mode) == lines_for_model(node, mode)


def test_a_context_of_the_document_itself_is_kept() -> None:
    retriever = PassageRetriever()
    retriever.add_documents([BOOK.model_copy(update={"metadata": {"context": "By the sea"}})])
    (passage,) = retriever.retrieve("taps")
    assert passage.node.metadata["context"] == "By the sea"


def lines_for_model(node: BaseNode, mode: MetadataMode) -> set[str]:
    """Return the lines that a model sees of a node."""
    return {line.strip("<>") for line in node.get_content(mode).strip().splitlines()}


def filter_by(key: str, value: Any, operator: str = "==") -> MetadataFilter:
    return MetadataFilter.from_dict({"key": key, "value": value, "operator": operator})


def combine(*filters: Any, condition: FilterCondition = FilterCondition.AND) -> MetadataFilters:
    return MetadataFilters(filters=[*filters], condition=condition)


FILTERS = [
    (combine(filter_by("year", 1850)), {"river"}),
    (combine(filter_by("year", 1800, "<")), {"music"}),
    (
        combine(filter_by("year", [1850, 1720], "in"), filter_by("tags", "harp", "contains")),
        {"music"},
    ),
    (combine(filter_by("tags", ["drum", "harp"], "any")), {"music"}),
    (combine(filter_by("year", None, "is_empty")), {"guide"}),
    (combine(filter_by("headings", "Prices", "text_match")), {"guide"}),
    (
        combine(
            filter_by("place", "Wales"),
            combine(filter_by("year", 1720), filter_by("tags", ["harp"], "all")),
            condition=FilterCondition.OR,
        ),
        {"river", "music"},
    ),
    (
        combine(
            filter_by("year", 1720), filter_by("place", "Wales"), condition=FilterCondition.NOT
        ),
        {"guide"},
    ),
    (combine(filter_by("year", 3)), set()),
    (combine(), {"river", "music", "guide"}),
]
if Version(version("llama-index-core")) >= Version("0.14.23"):
    FILTERS += [  # filters that LlamaIndex reads differently, or not at all
        (combine(filter_by("place", "Wales", "!=")), {"music", "guide"}),
        (combine(filter_by("place", "wal", "text_match_insensitive")), {"river"}),
    ]


def test_filters_apply_to_the_search_by_vectors_and_by_words() -> None:
    retriever = retriever_of(budget=500)
    retriever.add_documents([RIVERS, SONGS, BOOK])
    for filters, expected in FILTERS:
        hits = retriever.with_filters(filters).retrieve("otters, strings and prices of taps")
        assert {document for document, *_ in slices(hits)} == expected
    assert len(retriever.retrieve("otters")) > len(
        retriever_of(filters=combine(filter_by("year", 3))).retrieve("otters")
    )


@pytest.mark.parametrize(
    ("filters", "error", "message"),
    [
        ({"year": 1850}, TypeError, r"filters must be MetadataFilters\("),
        (
            combine(filter_by("year", 1850, "in")),
            ValueError,
            "year in 1850 has a value that does not fit",
        ),
        (combine(combine(filter_by("year", None))), ValueError, "is_empty finds missing keys"),
        (combine(filter_by("year", [1], ">")), ValueError, "others take one value"),
        (combine(filter_by("year", 3, "text_match")), ValueError, "text_match takes a text"),
    ],
)
def test_invalid_filters_are_refused_at_once(filters, error, message) -> None:
    with pytest.raises(error, match=message):
        PassageRetriever(filters=filters)
    with pytest.raises(error, match=message):
        PassageRetriever().with_filters(filters)


def test_an_error_about_a_filter_of_a_wrong_type_names_both_types() -> None:
    retriever = retriever_of()
    retriever.add_documents([RIVERS])
    for filtered, message in (
        (filter_by("year", "1800", ">"), "year > '1800' does not fit 1850 in the metadata"),
        (filter_by("year", "Wales", "contains"), "text_match is for texts"),
    ):
        with pytest.raises(ValueError, match=message):
            retriever.with_filters(combine(filtered)).retrieve("otters")


def test_a_query_may_have_its_own_embedding() -> None:
    retriever = retriever_of(keywords=False)
    retriever.add_documents([RIVERS, SONGS])
    vector = LumberEmbedding().get_query_embedding("Where are harps?")
    passages = retriever.retrieve("Where are harps?")
    assert retriever.retrieve(QueryBundle("otters", embedding=vector)) == passages
    assert retriever.retrieve(QueryBundle("", embedding=vector)) == passages
    assert retriever.retrieve("otters") != passages
    with pytest.raises(ValueError, match="has 3 dimensions, those of the index have 384"):
        retriever.retrieve(QueryBundle("otters", embedding=[0.1, 0.2, 0.3]))
    with pytest.raises(ValueError, match="pass a text, or a QueryBundle with an embedding"):
        retriever.retrieve("")


def test_a_document_without_an_id_is_stored_once() -> None:
    retriever = PassageRetriever()
    for _ in range(3):
        retriever.add_documents([Document(text=RIVER)])
    assert len(retriever.sources) == 1
    both = [Document(text=MUSIC) for _ in range(2)]
    assert retriever.add_documents([*both, Document(text=RIVER)]).added == 1
    changed = [Document(text=text, metadata={"file_path": "a.md"}) for text in (GUIDE, MUSIC)]
    assert [retriever.add_documents([document]).removed for document in changed] == [0, 0]
    assert retriever.sources[1:] == [retriever.sources[1], "a.md"]
    assert {hit.text for hit in retriever.retrieve("taps")} <= {RIVER, MUSIC}


def test_a_model_is_shown_the_context_of_a_passage() -> None:
    for context in (True, False):
        retriever = PassageRetriever.from_documents([BOOK], context=context, budget=30)
        for hit in retriever.retrieve("How are taps closed?"):
            assert ("context: " in hit.get_content(MetadataMode.LLM)) == (
                context and bool(hit.metadata["context"])
            )
            assert "context: " not in hit.text


def test_nodes_and_a_parser_with_overlapping_nodes_are_refused() -> None:
    for parser, error, message in (
        (SentenceSplitter(), TypeError, r"LayoutNodeParser\(target_size=50\)"),
        ([RIVERS], TypeError, "documents are passed to add_documents"),
        (GreedyNodeParser(chunk_overlap=9), ValueError, "chunk_overlap=0"),
    ):
        with pytest.raises(error, match=message):
            PassageRetriever(parser)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="whole documents, not TextNode"):
        retriever_of().add_documents([RIVERS, TextNode(text="Bees hum.")])  # type: ignore[list-item]
