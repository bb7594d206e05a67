"""The eight contracts of the design, each on every splitter and every difficult text."""

import asyncio
import logging
import threading
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document as LlamaIndexDocument

from lumber_core import Group, LumberChunker
from lumber_core.text.unicode import breaks
from lumber_core.text.units import paragraphs
from tests.conftest import read_book
from tests.contracts.splitters import (
    CHUNKERS,
    NODE_PARSERS,
    SAME_IN_BOTH,
    TEXT_SPLITTERS,
    asplit,
    document_for,
    split,
)
from tests.contracts.texts import TEXTS
from tests.core.lumber.support import judge_by_hash
from tests.tiling import check_tiling

BOOKS = ["alice", "christmas_carol", "sherlock_holmes", "time_machine", "wizard_of_oz"]


every_chunker = pytest.mark.parametrize("make", CHUNKERS.values(), ids=CHUNKERS)
every_text_splitter = pytest.mark.parametrize("make", TEXT_SPLITTERS.values(), ids=TEXT_SPLITTERS)
every_node_parser = pytest.mark.parametrize("make", NODE_PARSERS.values(), ids=NODE_PARSERS)
# LlamaIndex hashes the UTF-8 of every document; lone surrogates cannot be encoded.
encodable = {name: text for name, text in TEXTS.items() if "surrogates" not in name}


CHAPTERS = 40_000  # characters


def with_a_book(makers: dict[str, Callable]) -> pytest.MarkDecorator:
    """Give each splitter the first chapters of one of the books; in `make load`, the whole book."""
    cases = [
        pytest.param(make, book, length, id=f"{name}-{book}{kind}", marks=marks)
        for (name, make), book in zip(makers.items(), cycle(BOOKS))
        for kind, length, marks in [("", CHAPTERS, ()), ("-whole", None, pytest.mark.load)]
    ]
    return pytest.mark.parametrize(("make", "book", "length"), cases)


class TestTiling:
    @every_chunker
    def test_spans_cover_the_text_once_in_order_and_nothing_is_printed(self, make: Callable, capfd):
        texts = ["", *TEXTS.values()]
        for text, segmentation in zip(texts, make().segment_all(texts), strict=True):
            check_tiling(segmentation.spans, len(text))
            assert "".join(segmentation.chunks(text)) == text
        chunker = make()
        asyncio.run(chunker.call_async(chunker.segment_all, ["One. Two.", ""]))
        assert capfd.readouterr() == ("", "")

    @with_a_book(CHUNKERS)
    def test_spans_cover_a_book_once_in_order(
        self, make: Callable, book: str, length: int | None, data: Path
    ):
        text = read_book(data / "books" / f"{book}.txt")[:length]
        segmentation = make().segment(text)
        check_tiling(segmentation.spans, len(text))
        assert len(segmentation.spans) > (30 if length else 100)

    @every_text_splitter
    def test_empty_text_gives_no_documents_like_in_langchain(self, make: Callable) -> None:
        splitter = make()
        assert splitter.split_text("") == split(splitter, document_for(splitter, "")) == []

    @every_node_parser
    def test_empty_text_gives_one_empty_node_like_in_llamaindex(self, make: Callable) -> None:
        def describe(parser: object) -> list[tuple]:
            nodes = split(parser, document_for(parser, ""))
            return [(n.text, n.start_char_idx, n.end_char_idx) for n in nodes]

        assert describe(make()) == describe(SentenceSplitter()) == [("", 0, 0)]


class TestOffsets:
    @every_node_parser
    def test_nodes_parsed_again_point_into_the_document(self, make: Callable) -> None:
        coarse = NODE_PARSERS["greedy"](chunk_size=300)
        coarse.chunk_size = 200
        for name, text in encodable.items():
            document = LlamaIndexDocument(text=text)
            for node in make()(coarse([document])):
                assert node.ref_doc_id == document.id_, name
                assert text[node.start_char_idx : node.end_char_idx] == node.text, name


class TestHardBounds:
    @every_chunker
    @pytest.mark.parametrize(("limit", "tokenizer"), [(5, "cl100k_base"), (5, "words"), (25, len)])
    def test_no_chunk_exceeds_the_maximum(self, make: Callable, limit: int, tokenizer: object):
        chunker = make(chunk_size=limit, tokenizer=tokenizer)
        for name, whole in TEXTS.items():
            text = whole[: 60 * limit]
            spans = chunker.segment(text).spans
            check_tiling(spans, len(text))
            chunks = [span.of(text) for span in spans]
            counts = chunker.counter.count([*chunks, *(c.strip() for c in chunks)])
            assert max(counts) <= limit, name

    @every_chunker
    def test_cuts_do_not_divide_grapheme_clusters_and_leave_tokens_for_an_overlap(
        self, make
    ) -> None:
        # The longest cluster is a family of four, with at most as many tokens as 25 characters.
        chunker = make(chunk_size=40, tokenizer="cl100k_base")
        for name, text in TEXTS.items():
            assert all(breaks(text, [s.start]) for s in chunker.segment(text).spans), name
            spans = chunker.segment(text, overlap=15).spans
            check_tiling(spans, len(text))
            assert max(chunker.counter.count([span.of(text) for span in spans])) <= 25, name

    @every_chunker
    def test_words_stay_whole_if_they_fit(self, make: Callable) -> None:
        text = TEXTS["one 1,000-word paragraph"]
        starts = [span.start for span in make(chunk_size=50).segment(text).spans[1:]]
        assert len(starts) > 10
        assert all(text[start - 1].isspace() for start in starts)


class TestTheWalkEnds:
    @pytest.mark.parametrize("answer", [-1, 0, 1, 10**9, None, "ID 3", 2.5, True, [], object()])
    @pytest.mark.parametrize("build", [LumberChunker, LumberChunker.as_published])
    def test_any_answer_of_a_model_ends_the_run_without_losing_text(
        self, answer: object, build: Callable
    ) -> None:
        text = TEXTS["repeated text"]
        starts: list[int] = []

        def judge(group: Group) -> object:
            starts.append(group.start)
            return answer

        segmentation = build(judge, theta=30).segment(text)
        check_tiling(segmentation.spans, len(text))
        assert starts == sorted(set(starts))
        assert len(starts) <= len(paragraphs(text))


class TestSameResultHoweverItIsRun:
    @every_chunker
    def test_synchronous_asynchronous_single_and_batch_calls_agree(self, make: Callable) -> None:
        texts = [text for text in TEXTS.values() if len(text) < 3000]
        expected = [make().segment(text) for text in texts]

        chunker = make()

        async def one_by_one() -> list:
            return [await chunker.call_async(chunker.segment, text) for text in texts]

        assert make().segment_all(texts) == expected
        assert asyncio.run(one_by_one()) == expected
        assert asyncio.run(chunker.call_async(chunker.segment_all, texts)) == expected

    @pytest.mark.parametrize("concurrency", [2, 5, 16])
    @pytest.mark.parametrize("build", [LumberChunker, LumberChunker.as_published])
    def test_lanes_do_not_change_the_result(
        self, build: Callable, concurrency: int, emma: list[str]
    ) -> None:
        texts = ["\n".join(emma[:700]), "\n".join(emma[700:800])]
        expected = build(judge_by_hash).segment_all(texts)
        many = build(judge_by_hash, max_concurrency=concurrency)
        assert many.segment_all(texts) == expected
        assert asyncio.run(many.call_async(many.segment_all, texts)) == expected
        assert [many.segment(text) for text in texts] == expected

    @pytest.mark.parametrize("name", SAME_IN_BOTH)
    def test_the_core_and_both_adapters_give_the_same_chunks(self, name: str) -> None:
        parser = NODE_PARSERS[name]()
        for text in encodable.values():
            chunks = SAME_IN_BOTH[name]().segment(text).chunks(text)
            expected = [chunk for chunk in chunks if not chunk.isspace()]
            loose = TEXT_SPLITTERS[name](strip_whitespace=False).split_text(text)
            assert [chunk for chunk in loose if not chunk.isspace()] == expected
            assert TEXT_SPLITTERS[name]().split_text(text) == [c.strip() for c in expected]
            nodes = split(parser, document_for(parser, text))
            assert [node.text for node in nodes] == expected

    @pytest.mark.parametrize("name", SAME_IN_BOTH)
    @pytest.mark.parametrize("makers", [TEXT_SPLITTERS, NODE_PARSERS], ids=["langchain", "llama"])
    def test_the_event_loop_continues_while_texts_are_read_and_split(self, makers, name) -> None:
        threads: set[int] = set()

        def count(text: str) -> int:
            threads.add(threading.get_ident())
            return len(text.split())

        splitter = makers[name](tokenizer=count, context=True)
        document = document_for(splitter, "# Otters\n\nThey swim. They eat fish.", title="Rivers")
        threads.clear()
        assert asyncio.run(asplit(splitter, document))
        assert threads
        assert threading.get_ident() not in threads


class TestNothingFailsSilently:
    @pytest.mark.parametrize("answer", [-1, 10**9, "seven", 2.5])
    def test_an_unusable_answer_becomes_a_verdict_with_a_reason_and_a_warning(self, answer, caplog):
        text = TEXTS["several paragraphs"]
        with caplog.at_level(logging.WARNING, logger="lumber_core"):
            chunker = LumberChunker(lambda group: answer, on_failure="keep_group")
            segmentation = chunker.segment(text)
        assert [verdict.failed for verdict in segmentation.failures] == [True]
        assert segmentation.failures[0].reason
        (record,) = caplog.records
        assert record.levelname == "WARNING"
        assert "ferry" not in record.getMessage()


class TestQuietByDefault:
    @every_text_splitter
    async def test_text_splitters_show_progress_only_when_asked(self, make: Callable, capfd):
        texts, showing = ["One. Two."] * 2, make(show_progress=True)
        quiet = make().create_documents(texts)
        assert capfd.readouterr() == ("", "")
        assert showing.create_documents(texts) == await showing.acreate_documents(texts) == quiet
        printed = capfd.readouterr()
        assert (printed.out, printed.err.count("100%") >= 2) == ("", True)

    @every_node_parser
    def test_node_parsers_show_progress_only_when_asked(self, make: Callable, capfd) -> None:
        make().get_nodes_from_documents([LlamaIndexDocument(text="One. Two.")])
        assert capfd.readouterr() == ("", "")
        documents = [LlamaIndexDocument(text="One. Two.")]
        make().get_nodes_from_documents(documents, show_progress=True)
        assert "100%" in capfd.readouterr().err
