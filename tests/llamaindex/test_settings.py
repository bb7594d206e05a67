import asyncio
import copy
import json
import logging
import pickle
import traceback
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document, Settings
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter

from llamaindex_lumber import (
    BertNodeParser,
    ChunkerNodeParser,
    ContextEmbedding,
    GreedyNodeParser,
    LayoutNodeParser,
    LumberNodeParser,
)
from lumber_core import GreedyChunker, PromptTemplate, token_counter
from tests.lexical_judge import LexicalJudge
from tests.llamaindex.test_node_parsers import number_node

PARSERS = [BertNodeParser, GreedyNodeParser, LumberNodeParser]
PROSE = "The ferry came in at dawn. Nobody was waiting for it. Gulls cried.\n\n" * 40
COUNTER = token_counter("cl100k_base")


@pytest.fixture(params=PARSERS)
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def global_settings() -> Iterator[Any]:
    """LlamaIndex's `Settings`; restored afterwards."""
    before = dict(vars(Settings))
    yield Settings
    vars(Settings).update(before)


def test_settings_round_trip_through_dict_json_and_pickle(make: Any) -> None:
    parser = make(chunk_size=90, min_chunk_size=5, chunk_overlap=7, language="de")
    data = json.loads(parser.to_json())
    for restored in (
        make.from_dict(data),
        make.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),
        parser.model_copy(deep=True),
        make.model_validate(parser.model_dump()),
        make.model_validate_json(parser.model_dump_json()),
        IngestionPipeline(transformations=[parser]).transformations[0],
        copy.deepcopy(parser),
    ):
        assert restored.to_json() == parser.to_json()
        assert repr(restored.chunker) == repr(parser.chunker)
    assert data["chunk_overlap"] == 7


def test_a_copy_with_a_wrong_setting_is_refused() -> None:
    parser = GreedyNodeParser(chunk_size=90)
    with pytest.raises(ValueError, match="chunk_size must be at least 1"):
        parser.model_copy(update={"chunk_size": 0})
    with pytest.raises(TypeError, match="did you mean 'chunk_size'"):
        parser.model_copy(update={"chunk_sise": 30})


def test_a_function_for_node_ids_has_to_be_passed_again_after_loading(make: Any) -> None:
    data = make(id_func=number_node).to_dict()
    with pytest.raises(TypeError, match="id_func 'number_node' cannot be restored from its name"):
        make.from_dict(data)
    assert make.from_dict(data, id_func=number_node).id_func is number_node


ASKED = {"llm": MockLLM(), "prompt": PromptTemplate(system="other")}
CHANGES: dict[Any, list[dict[str, Any]]] = {
    BertNodeParser: [{"model": "some/model"}, {"paper": True}, {"threshold": 1.0}],
    GreedyNodeParser: [],
    LumberNodeParser: [
        *({"theta": 100}, {"method": "window"}, {"llm": LexicalJudge()}, {"llm": MockLLM()}, ASKED)
    ],
    ContextEmbedding: [{"embed_model": MockEmbedding(embed_dim=size)} for size in (3, 4)],
}
OF_EVERY_PARSER: list[dict[str, Any]] = [
    *({"chunk_overlap": 3}, {"chunk_size": 100}, {"min_chunk_size": 5}, {"units": "markdown"}),
    *({"tokenizer": "cl100k_base"}, {"language": "de"}, {"context": False}),
]


@pytest.mark.parametrize("make", CHANGES)
def test_the_cache_key_has_exactly_the_settings_that_change_the_result(make: Any) -> None:
    large = {"model": "large"} if make is BertNodeParser else {}
    changes = [{}, *CHANGES[make], *(OF_EVERY_PARSER if make in PARSERS else [])]
    keys = [str(make(**{**large, **change}).to_dict()) for change in changes]
    assert len({*keys}) == len(keys)
    for name in ("threads", "max_concurrency", "store", "policy"):
        assert f"'{name}'" not in keys[0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["a text"], r"not str: pass Document\(text=...\)"),
        ([None], "documents or nodes of LlamaIndex, not NoneType"),
        (Document(text="One."), r"pass \[document\]"),
        ([LangChainDocument(page_content="One.")], "Document.from_langchain_format"),
    ],
)
def test_objects_that_are_not_documents_are_refused_with_advice(
    make: Any, wrong: Any, message: str
):
    parser = make()
    with pytest.raises(TypeError, match=message):
        parser.get_nodes_from_documents(wrong)
    with pytest.raises(TypeError, match=message):
        asyncio.run(parser.aget_nodes_from_documents(wrong))
    if make is LumberNodeParser:
        with pytest.raises(TypeError, match=message):
            parser.estimate(wrong)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"llm": {"class_name": "MockLLM"}}, r"pass from_dict\(data, llm=\.\.\.\)"),
        ({"prompt": PromptTemplate()}, "^prompt and policy need a language model: pass llm"),
    ],
)
def test_errors_about_a_model_have_no_words_of_pydantic(settings, message) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as error:
        LumberNodeParser(**settings)
    assert "validation error" not in "".join(traceback.format_exception(error.value))


def test_an_assignment_takes_effect_at_once(make: Any) -> None:
    parser = make(tokenizer="cl100k_base")
    parser.chunk_size = 30
    parser.chunk_overlap = 10
    nodes = parser.get_nodes_from_documents([Document(text=PROSE)])
    assert max(COUNTER.count([node.text for node in nodes])) <= 30
    assert any(b.start_char_idx < a.end_char_idx for a, b in pairwise(nodes))
    assert parser.to_dict()["chunk_size"] == 30
    if make is LumberNodeParser:
        parser.theta, parser.llm = 100, MockLLM()
        assert "theta=100" in repr(parser.chunker)
        assert "MockLLM" in repr(parser.chunker)


class TestGlobalSettings:
    def test_a_global_model_decides_unless_none_or_a_judge_is_given(self, global_settings, caplog):
        assert LumberNodeParser().llm is None
        assert global_settings._llm is None  # no default model is made
        global_settings.llm = MockLLM()
        with caplog.at_level(logging.INFO, logger="llamaindex_lumber"):
            parser = LumberNodeParser(theta=9)
        assert parser.llm is global_settings.llm
        assert "asks Settings.llm (" in caplog.text
        assert LumberNodeParser.from_defaults(llm=None).llm is global_settings.llm
        assert parser.to_dict()["llm"]["class_name"] == "MockLLM"
        assert LumberNodeParser(llm=None).llm is None
        assert isinstance(LumberNodeParser(llm=LexicalJudge()).llm, LexicalJudge)

    def test_a_parser_made_before_the_global_model_stays_without_it(self, global_settings: Any):
        parser = LumberNodeParser()
        data, pickled = parser.to_dict(), pickle.dumps(parser)
        global_settings.llm = MockLLM()
        assert parser.llm is None
        assert pickle.loads(pickled).llm is None
        assert LumberNodeParser.from_dict(data).llm is None

    def test_a_global_chunk_size_is_logged_once_as_a_limit_in_tokens(self, global_settings, caplog):
        LayoutNodeParser().chunk_size = 900  # the setting of one parser
        global_settings.embed_model = MockEmbedding(embed_dim=2)
        global_settings.node_parser = LayoutNodeParser()
        assert caplog.records == []
        for size in (1000, 800):
            global_settings.chunk_size = size
        (record,) = caplog.records
        assert "Settings.chunk_size=1000 limits the nodes of" in record.getMessage()

    def test_the_global_tokenizer_is_not_used(self, make: Any, global_settings: Any) -> None:
        import llama_index.core

        before = llama_index.core.global_tokenizer
        try:
            global_settings.tokenizer = str.split
            assert "split" not in repr(make().chunker)
        finally:
            llama_index.core.global_tokenizer = before


class TestMetadata:
    METADATA = {"title": "The ferry at dawn, and who waited for it", "page": 12}  # noqa: RUF012

    def test_metadata_that_leaves_no_room_raises_like_in_llamaindex(self, make: Any) -> None:
        document = Document(text=PROSE, id_="d7", metadata={"abstract": "word " * 90})
        with pytest.raises(ValueError, match="Metadata length"):
            SentenceSplitter(chunk_size=64, chunk_overlap=0)([document])
        with pytest.raises(ValueError, match=r"metadata of 'd7' has \d+ tokens.*chunk_size=64"):
            make(chunk_size=64, tokenizer="cl100k_base")([document])
        assert make(chunk_size=64, include_metadata=False)([document])

    def test_metadata_above_a_third_of_the_limit_causes_one_warning(
        self, make: Any, caplog
    ) -> None:
        documents = [Document(text=PROSE, metadata={"abstract": "word " * 30})] * 3
        parser = make(chunk_size=64, tokenizer="cl100k_base")
        with caplog.at_level(logging.WARNING, logger="llamaindex_lumber"):
            parser(documents)
            parser(documents)
            make(chunk_size=128, tokenizer="cl100k_base")(documents)
        (record,) = caplog.records
        assert "metadata takes up to 52 % of chunk_size=64" in record.getMessage()
        assert "word" not in record.getMessage()


def test_a_parser_over_a_splitter_is_serialised_as_its_identity() -> None:
    parser = ChunkerNodeParser(splitter=GreedyChunker(30), chunk_overlap=5)
    data = parser.to_dict()
    assert data["splitter"] == GreedyChunker(30).identity
    assert data != ChunkerNodeParser(splitter=GreedyChunker(31), chunk_overlap=5).to_dict()
    with pytest.raises(TypeError, match="splitter must be a splitter of lumber_core"):
        ChunkerNodeParser.from_dict(data)
    copy = ChunkerNodeParser.from_dict(data, splitter=GreedyChunker(30))
    assert copy.to_json() == parser.to_json()
    assert pickle.loads(pickle.dumps(parser)).split_text(PROSE) == parser.split_text(PROSE)
