import warnings
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_text_splitters import (
    CharacterTextSplitter,
    MarkdownHeaderTextSplitter,
    MarkdownTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
    TokenTextSplitter,
)
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    SentenceSplitter,
    SentenceWindowNodeParser,
    get_leaf_nodes,
)
from llama_index.core.node_parser import TokenTextSplitter as LlamaIndexTokens

from langchain_lumber import GreedyTextSplitter, LumberEmbeddings
from llamaindex_lumber import GreedyNodeParser
from lumber_core import GreedyChunker, LumberChunker
from lumber_core.text.units import sentences
from lumber_evaluation.dataset import Document
from lumber_evaluation.splitters import preset, wrap_splitter
from tests.alone import run_python
from tests.profiles import examples

STORY = (
    "The ferry left at nine. Nobody waved.\n\nThe ferry left at ten. Nobody waved.\n\n"
    "  東京へ行く。東京へ行く。船は来ない。\n\n"
    "Two 👩‍🚀👩‍🚀 looked at the sea.\tThe ferry left at nine.   Nobody waved.\r\n\r\n"
    "Then it rained, and rained, and rained, and the harbour was gone. The ferry left at ten.\n"
)


def document(text: str, name: str = "story") -> Document:
    return Document(name, text, (0,), (0,), "test")


def visible(text: str) -> str:
    return "".join(text.split())


EXACT = {
    "recursive": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0),
    "recursive, overlap": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=25),
    "recursive, untrimmed": RecursiveCharacterTextSplitter(
        chunk_size=50, chunk_overlap=10, strip_whitespace=False
    ),
    "separator dropped": CharacterTextSplitter(separator=".", chunk_size=20, chunk_overlap=0),
    "markdown": MarkdownTextSplitter(chunk_size=60, chunk_overlap=20),
    "llama-index sentences": SentenceSplitter(chunk_size=30, chunk_overlap=0),
    "llama-index sentences, overlap": SentenceSplitter(chunk_size=40, chunk_overlap=15),
    "llama-index windows": SentenceWindowNodeParser(),
    "strings": lambda text: text.split("\n\n"),
    "offsets": lambda text: [(0, 20), (15, 40), (50, len(text))],
    "ours": GreedyChunker(20),
    "our adapter for LangChain": GreedyTextSplitter(target_size=20),
    "our adapter for LangChain, overlap": GreedyTextSplitter(chunk_size=40, chunk_overlap=15),
    "our adapter for LlamaIndex": GreedyNodeParser(target_size=20),
    "our adapter for LlamaIndex, overlap": GreedyNodeParser(chunk_size=40, chunk_overlap=15),
}


@pytest.mark.parametrize("name", EXACT)
def test_chunks_are_slices_at_their_spans(name: str) -> None:
    split = wrap_splitter(EXACT[name], name=name).split(document(STORY))
    assert len(split.chunks) > 2
    assert all(chunk.text == chunk.span.of(STORY) for chunk in split.chunks)
    starts = [chunk.span.start for chunk in split.chunks]
    assert starts == sorted(set(starts))
    covered = {place for chunk in split.chunks for place in range(*chunk.span)}
    left_out = {STORY[place] for place in range(len(STORY)) if place not in covered}
    if name not in ("separator dropped", "offsets"):
        assert "".join(left_out).strip() == ""


@pytest.mark.parametrize("adapter", ["LangChain", "LlamaIndex"])
def test_the_overlap_of_our_adapters_is_evaluated_and_in_their_identity(adapter: str) -> None:
    splitter: Any = EXACT[f"our adapter for {adapter}, overlap"]
    chunks = wrap_splitter(splitter).split(document(STORY)).chunks
    expected = [chunk.strip() for chunk in splitter.split_text(STORY)]
    assert [chunk.text.strip() for chunk in chunks] == expected
    assert any(a.span.end > b.span.start for a, b in pairwise(chunks))
    assert "chunk_overlap=15" in str(wrap_splitter(splitter).identity)


class Rejoining(TextSplitter):
    """Joins sentences with single spaces instead of the white space between them."""

    def split_text(self, text: str) -> list[str]:
        texts = [span.of(text).strip() for span in sentences(text)]
        return [" ".join(texts[first : first + 2]) for first in range(0, len(texts), 2)]


def assert_found_by_what_is_visible(splitter: object) -> None:
    split = wrap_splitter(splitter).split(document(STORY))
    assert any(chunk.text != chunk.span.of(STORY) for chunk in split.chunks)
    assert all(visible(chunk.text) == visible(chunk.span.of(STORY)) for chunk in split.chunks)
    assert visible("".join(chunk.span.of(STORY) for chunk in split.chunks)) == visible(STORY)


def test_rejoined_sentences_are_found_by_their_visible_characters() -> None:
    assert_found_by_what_is_visible(Rejoining(chunk_overlap=0))


@pytest.mark.experimental
def test_chunks_of_langchains_semantic_chunker_are_located() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        module = pytest.importorskip("langchain_experimental.text_splitter")
    assert_found_by_what_is_visible(
        module.SemanticChunker(
            LumberEmbeddings(),
            breakpoint_threshold_amount=50.0,
            sentence_split_regex=r"(?<=[.。])\s+",
        )
    )


def test_chunks_of_a_splitter_that_drops_headings_are_located() -> None:
    text = "# Tides\nThe sea came in.\n\nIt went out.\n# Clocks\n## Old\nThe clock stopped.\n"
    splitter = MarkdownHeaderTextSplitter([("#", "part"), ("##", "chapter")])
    chunks = wrap_splitter(splitter).split(document(text)).chunks
    texts = [visible(chunk.span.of(text)) for chunk in chunks]
    assert texts == ["Theseacamein.Itwentout.", "Theclockstopped."]


def test_only_the_leaves_of_a_hierarchy_of_nodes_are_chunks() -> None:
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[100, 30], chunk_overlap=0)
    leaves = get_leaf_nodes(parser.get_nodes_from_documents([LlamaIndexDocument(text=STORY)]))
    chunks = wrap_splitter(parser).split(document(STORY)).chunks
    assert [chunk.text for chunk in chunks] == [leaf.get_content() for leaf in leaves]
    assert visible("".join(chunk.span.of(STORY) for chunk in chunks)) == visible(STORY)


def test_chunks_of_repeated_text_have_different_places() -> None:
    text = "Round and round it goes. " * 40
    for splitter in (
        RecursiveCharacterTextSplitter(chunk_size=100, chunk_overlap=0),
        SentenceSplitter(chunk_size=25, chunk_overlap=0),
        TokenTextSplitter("cl100k_base", chunk_size=12, chunk_overlap=0),
        LlamaIndexTokens(chunk_size=12, chunk_overlap=0),
    ):
        chunks = wrap_splitter(splitter).split(document(text)).chunks
        assert visible("".join(chunk.span.of(text) for chunk in chunks)) == visible(text)
        ends = [chunk.span.end for chunk in chunks]
        assert [chunk.span.start for chunk in chunks[1:]] >= ends[:-1]


alphabet = st.sampled_from(["so. ", "on ", "\n\n", "春が来る。", "👩‍🚀", "  ", "x", "So it went. "])


@examples(60)
@given(st.lists(alphabet, max_size=60).map("".join), st.integers(5, 40), st.integers(0, 12))
@example("on on   on ", 8, 5)  # two chunks are equal without their white space
def test_any_text_and_overlap_gives_slices_that_cover_the_text(text: str, size: int, overlap: int):
    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=min(overlap, size - 1))
    chunks = wrap_splitter(splitter).split(document(text)).chunks
    assert [chunk.text for chunk in chunks] == [c for c in splitter.split_text(text) if c.strip()]
    assert all(chunk.text == chunk.span.of(text) for chunk in chunks)


def test_usage_and_failures_of_a_model_are_reported() -> None:
    chunker = LumberChunker(lambda group: 999, theta=60, on_failure="keep_group")
    segmentation = chunker.segment(STORY)
    split = wrap_splitter(chunker).split(document(STORY))
    assert split.usage == segmentation.usage
    assert split.usage.calls > 0
    assert split.failures == len(segmentation.failures) > 0
    assert split.seconds > 0


def test_a_name_is_given_or_comes_from_the_class_or_function() -> None:
    def halves(text: str) -> list[tuple[int, int]]:
        return [(0, len(text) // 2), (len(text) // 2, len(text))]

    assert wrap_splitter(halves).name == "halves"
    assert wrap_splitter(GreedyChunker(20)).name == "GreedyChunker"
    renamed = wrap_splitter(wrap_splitter(halves), name="in two")
    assert renamed.name == "in two"
    assert renamed.settings == wrap_splitter(halves).settings


def test_settings_distinguish_splitters_without_addresses() -> None:
    small, large = (
        wrap_splitter(RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)).settings
        for size in (100, 200)
    )
    assert small != large
    assert "chunk_size=100" in small
    sentences_of_30 = SentenceSplitter(chunk_size=30, chunk_overlap=3)
    assert "chunk_size=30" in wrap_splitter(sentences_of_30).settings
    for splitter in EXACT.values():
        assert " at 0x" not in wrap_splitter(splitter).settings


def test_an_error_names_a_missing_chunk_with_its_splitter_and_document() -> None:
    summary = wrap_splitter(lambda _: ["The ferry left", "a summary of the rest"], name="summaries")
    with pytest.raises(ValueError, match=r"of 'story' by summaries.*'a summary of the rest'"):
        summary.split(document(STORY))


@pytest.mark.parametrize(
    ("pieces", "error", "message"),
    [
        ([(5, 3)], ValueError, r"returned \(5, 3\)"),
        ([(0, 4), (2, 10**6)], ValueError, r"returned \(2, 1000000\)"),
        ([(9, 12), (3, 5)], ValueError, "after a chunk that starts at 9"),
        ([(0, 4), "text"], TypeError, "found 'text'"),
        ([3], TypeError, "found 3"),
    ],
)
def test_impossible_offsets_are_refused(pieces, error, message) -> None:
    with pytest.raises(error, match=message):
        wrap_splitter(lambda text: pieces).split(document(STORY))


@pytest.mark.parametrize("thing", [3, "recursive", RecursiveCharacterTextSplitter, None])
def test_an_object_that_cannot_split_is_refused(thing: object) -> None:
    with pytest.raises(TypeError, match="a splitter is a Chunker of lumber_core"):
        wrap_splitter(thing)


@pytest.mark.parametrize(
    "spec",
    ["bert", "lumber", "lumber:300", "lumber:window", "greedy", "greedy:30",
             "paragraphs", "fixed:20", "recursive:80", "semantic:80"]
)  # fmt: skip
def test_every_preset_splits(spec: str) -> None:
    split = preset(spec).split(document(STORY))
    assert preset(spec).name == spec
    assert all(chunk.text == chunk.span.of(STORY) for chunk in split.chunks)
    assert visible("".join(chunk.text for chunk in split.chunks)) == visible(STORY)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gredy", r"splitter 'gredy'. Choose from bert:154 \(target size, tokens\), lumber:550"),
        ("paragraphs:3", "unknown splitter 'paragraphs:3'"),
        ("greedy:many", "'many' is not a number; greedy takes the target size, tokens there"),
        ("greedy:0", "target_size must be at least 1"),
    ],
)
def test_an_error_about_an_unknown_preset_lists_the_presets(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        preset(spec)


def test_custom_splitters_do_not_import_a_framework() -> None:
    code = (
        "import sys\n"
        "from lumber_evaluation.dataset import Document\n"
        "from lumber_evaluation import retrieval, cached_work, splitters\n"
        "text = Document('d', 'One.\\n\\nTwo.', (0,), (0,), '')\n"
        "assert len(splitters.preset('paragraphs').split(text).chunks) == 2\n"
        "assert len(splitters.wrap_splitter(str.split).split(text).chunks) == 2\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    loaded = set(run_python(code).stdout.split())
    assert "lumber_core" in loaded
    heavy = {"langchain_core", "langchain_text_splitters", "llama_index", "torch",
             "transformers", "jinja2"}  # fmt: skip
    assert not loaded & heavy
