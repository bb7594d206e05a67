from typing import Any

import pytest

from lumber_core import BertChunker, Chunk, Delivery, GreedyChunker, Source, token_counter
from lumber_core.chunking.metadata_room import Room
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.text.outline import Context
from tests.core.text.test_context import GUIDE, VALUES


def in_fours(text: str) -> int:
    """Count fewer tokens for two texts apart than for both together."""
    return len(text) // 4


COUNTERS = ["estimate", "words", "cl100k_base", len, in_fours]
LONG = GUIDE + "".join(f"\n## Part {n}\n\n{'Some words about taps. ' * n}\n" for n in range(9))


def below_its_context(text: str, context: Context) -> list[str]:
    return [context.above(text)]


def in_a_form(text: str, context: Context) -> list[str]:
    """Write a text as a template does that strips its result."""
    return [f"name: guide\ncontext: {context}\n\n{text}".strip(), f"Text: {text}\n\n{context}"]


@pytest.mark.parametrize("written", [below_its_context, in_a_form])
@pytest.mark.parametrize("tokenizer", COUNTERS)
@pytest.mark.parametrize("overlap", [0, 6])
@pytest.mark.parametrize("size", [24, 40, 110])
def test_chunks_with_their_metadata_do_not_exceed_the_limit(
    written, tokenizer, overlap, size
) -> None:
    if tokenizer is len:
        size, overlap = 5 * size, 5 * overlap
    count = token_counter(tokenizer).count
    contexts = 0
    for options in ({"format": "markdown"}, {"format": "csv"}):
        text = LONG if options["format"] == "markdown" else VALUES
        source = Source(text, forms=written, metadata={"title": "The shop's book"}, **options)
        chunker = GreedyChunker(chunk_size=size, tokenizer=tokenizer)
        for chunk in chunker.split(source, Delivery(overlap)):
            assert max(count(written(chunk.text, chunk.context_parts))) <= size
            assert chunk.text == chunk.span.of(text)
            contexts += bool(chunk.context)
    assert contexts >= 5


def chunks_below_contexts(text: str, size: int, **options: Any) -> list[Chunk]:
    source = Source(text, forms=below_its_context, format="markdown", **options)
    return GreedyChunker(chunk_size=size, tokenizer="words").split(source)


def test_a_context_takes_at_most_a_quarter_without_its_outermost_titles() -> None:
    text = f"# {'Outer ' * 9}\n\n## Middle part\n\n### Inner\n\n{'Some words. ' * 60}"
    contexts = {n: chunks_below_contexts(text, n)[-1].context for n in (8, 40)}
    assert contexts == {8: "Inner", 40: "Middle part > Inner"}
    with_room = chunks_below_contexts(text, 100)
    assert with_room[-1].context.startswith("Outer Outer")
    assert max(chunk.tokens for chunk in with_room) > 60


def test_the_header_of_a_table_stays_before_titles_and_goes_if_it_is_too_long_itself() -> None:
    rows = "".join(f"| {number} | word |\n" for number in range(40))
    text = "# Outer words here\n\n## Inner words\n\n| {} | b |\n|---|---|\n" + rows
    wide, narrow = text.format("a " * 9), text.format("a")
    assert chunks_below_contexts(narrow, 40)[-1].context == "Inner words\n| a | b |\n|---|---|"
    assert chunks_below_contexts(wide, 40)[-1].context == "Outer words here > Inner words"


def test_an_empty_heading_takes_no_room() -> None:
    chunks = chunks_below_contexts("# Shop\n\nIt opens late.\n\n##\n\nIt closes early.\n", 8)
    assert [chunk.context_parts.titles for chunk in chunks] == [(), ("Shop",)]


def test_a_document_without_a_context_is_split_as_if_contexts_were_off() -> None:
    text = "Plain words of a text. " * 60
    plain = BertChunker(chunk_size=40, target_size=30)
    chunks = plain.split(Source(text, forms=below_its_context))
    assert chunks == plain.split(text)


def test_contexts_are_not_shortened_without_a_limit() -> None:
    chunker = GreedyChunker(20, chunk_size=None)
    bare = chunker.split(Source(LONG, format="markdown"))
    assert bare == chunker.split(Source(LONG, format="markdown", forms=below_its_context))


def test_metadata_must_leave_room_for_the_text() -> None:
    source = Source("Some words.", forms=lambda text, _: ["word " * 40 + text])
    with pytest.raises(ValueError, match="tokens cannot be reserved in chunks of chunk_size=20"):
        GreedyChunker(chunk_size=20).split(source)


def test_a_text_is_counted_together_with_its_metadata() -> None:
    counter = token_counter(in_fours)
    room = Room(lambda text, _: [f"ab{text}"], counter, 3)
    assert room.tokens_around == 0
    assert SizeLimits(3, None, counter).sizes(["sixsix"]) == [1]
    assert SizeLimits(3, None, counter, room=room).sizes(["sixsix"]) == [2]
    source = Source("abcdef " * 30, forms=lambda text, _: [f"ab{text}"])
    chunks = GreedyChunker(2, chunk_size=3, tokenizer=in_fours).split(source)
    assert max(in_fours(f"ab{chunk.text}") for chunk in chunks) <= 3
