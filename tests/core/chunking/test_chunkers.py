import asyncio
import threading

import pytest

from lumber_core import GreedyChunker, Group, LumberChunker
from lumber_core.tokens import EstimatedCounter, WordCounter
from tests.core.core_support import RecordingCounter
from tests.lexical_judge import LexicalJudge

BOOK = "\n\n".join(
    f"Paragraph {number} speaks of {'ships and oceans' if number % 7 < 4 else 'bread and ovens'}. "
    f"It has a second sentence, too." * (1 + number % 3)
    for number in range(60)
)


def judge_by_start(group: Group) -> int | None:
    """Return an answer that depends only on the group; some answers are useless."""
    return [None, group.start, group.start + 1, group.stop - 1, group.stop + 5][group.start % 5]


@pytest.fixture(
    params=[GreedyChunker(40, tokenizer="words"), LumberChunker(judge_by_start, theta=60)],
    ids=["greedy", "lumber"],
)
def chunker(request):
    return request.param


def test_texts_are_judged_at_the_same_time_in_threads_and_tasks():
    together = threading.Barrier(2, timeout=60)

    def judge(group):
        together.wait()

    chunker = LumberChunker(judge, max_concurrency=2)
    texts = ["a\n\nb", "c\n\nd"]
    assert len(chunker.segment_all(texts)) == 2
    assert len(asyncio.run(chunker.call_async(chunker.segment_all, texts))) == 2


def test_each_unit_is_counted_once():
    counter = RecordingCounter(lambda text: len(text.split()))
    LumberChunker(judge_by_start, theta=60, chunk_size=None, tokenizer=counter).segment(BOOK)
    assert "".join(counter.seen) == BOOK
    assert len(counter.seen) == BOOK.count("\n\n") + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"text", "must be a str, not bytes; decode it first"),
        (bytearray(b"text"), "not bytearray; decode it first"),
        (None, "must be a str, not NoneType"),
        (5, "must be a str, not int"),
        (["text"], "must be a str, not list"),
    ],
)
def test_a_text_that_is_not_a_string_is_refused_before_any_call(text, message):
    groups: list[Group] = []
    chunker = LumberChunker(groups.append)
    for call in (
        lambda: chunker.segment(text),
        lambda: chunker.segment_all([BOOK, text]),
        lambda: asyncio.run(chunker.call_async(chunker.segment, text)),
        lambda: asyncio.run(chunker.call_async(chunker.segment_all, [BOOK, text])),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    assert groups == []


@pytest.mark.parametrize(("texts", "message"), [("text", r"pass \[text\]"), (None, "not NoneType")])
def test_texts_that_are_not_a_list_are_refused(chunker, texts, message):
    with pytest.raises(TypeError, match=message):
        chunker.segment_all(texts)
    with pytest.raises(TypeError, match=message):
        asyncio.run(chunker.call_async(chunker.segment_all, texts))


def test_only_the_published_method_counts_by_words():
    assert isinstance(LumberChunker(LexicalJudge()).counter, EstimatedCounter)
    assert isinstance(LumberChunker.as_published(LexicalJudge()).counter, WordCounter)
