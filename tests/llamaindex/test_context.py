from typing import Any

import pytest
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.schema import Document, MediaResource, MetadataMode, TextNode

from llamaindex_lumber import GreedyNodeParser
from lumber_core import token_counter
from tests.core.text.test_context import GUIDE, VALUES
from tests.langchain.test_markdown import FENCE, NESTED, TEXT, TITLES

MODES = (MetadataMode.EMBED, MetadataMode.LLM)
PROSE = "The ferry leaves at dawn, and Ann waits. " * 40
LONG = GUIDE + "".join(f"\n## Part {n}\n\n{'Some words about taps. ' * n}\n" for n in range(9))


def page(**metadata: Any) -> Document:
    return Document(text=LONG, metadata={"file_name": "guide.md", **metadata}, id_="guide")


def test_a_context_is_embedded_and_sent_to_models() -> None:
    nodes = GreedyNodeParser(target_size=20, chunk_size=100)([page()])
    (part,) = [node for node in nodes if "## Part 8" in node.get_content()]
    assert part.metadata["context"] == "Guide"
    for mode in MODES:
        content = part.get_content(metadata_mode=mode)
        assert content.startswith("file_name: guide.md\ncontext: Guide\n\n## Part 8")
    tables = [node.metadata["context"] for node in nodes if node.text.startswith("| tap")]
    header = "| Tap \\| valve | Price |\n| --- | ---: |"
    assert tables
    assert set(tables) == {f"Guide > Prices > Taps\n{header}"}
    assert not any("headings" in node.get_content(MetadataMode.EMBED) for node in nodes)


def test_a_context_can_be_turned_off() -> None:
    nodes = GreedyNodeParser(target_size=20, context=False)([page()])
    assert not any("context" in node.metadata for node in nodes)


@pytest.mark.parametrize("tokenizer", ["estimate", "cl100k_base", len])
@pytest.mark.parametrize("template", ["{metadata_str}\n\n{content}", "{content}\n-{metadata_str}"])
@pytest.mark.parametrize("overlap", [0, 9])
def test_no_node_exceeds_the_limit_as_llamaindex_counts_it(tokenizer, template, overlap) -> None:
    factor = 6 if tokenizer is len else 1
    count = token_counter(tokenizer).count
    documents = [
        page(author="Ann and Bob"),
        Document(text=PROSE, metadata={"file_name": "ferry.txt", "title": "The ferry at dawn"}),
        Document(text=PROSE.replace(". ", "\n\n"), metadata={"page": 7}),
        Document(text=VALUES, metadata={"file_type": "text/csv"}),
        Document(text=f"{PROSE}\f{PROSE}"),
    ]
    for document in documents:
        document.text_template = template
        document.excluded_llm_metadata_keys = ["file_name"]
    for size in (44, 111):
        parser = GreedyNodeParser(
            chunk_size=size * factor, chunk_overlap=overlap, tokenizer=tokenizer, add_metadata=True
        )
        nodes = parser(documents)
        keys = {key for node in nodes for key in node.metadata}
        assert {"headings", "page_first", "line_first"} <= keys
        for mode in MODES:
            contents = [node.get_content(metadata_mode=mode) for node in nodes]
            assert max(count(contents)) <= size * factor
            added_keys = ("headings:", "headings_inside", "page_", "line_")
            assert not any(key in content for key in added_keys for content in contents)
        assert documents[0].excluded_embed_metadata_keys == []
        # The room for text depends on the metadata of each document.
        assert [node.text for node in nodes] == [
            node.text for document in documents for node in parser([document])
        ]


def test_nodes_of_nodes_have_their_own_contexts_and_keep_the_limit() -> None:
    coarse = GreedyNodeParser(chunk_size=150, tokenizer="cl100k_base")([page()])
    fine = GreedyNodeParser(chunk_size=50, tokenizer="cl100k_base")(coarse)
    contents = [node.get_content(metadata_mode=mode) for node in fine for mode in MODES]
    assert max(token_counter("cl100k_base").count(contents)) <= 50
    for node in fine:
        inside = node.metadata.get("headings_inside", "").split(" | ")
        assert all(title in node.text for title in inside)
        assert LONG[node.start_char_idx : node.end_char_idx] == node.text
    assert fine[0].metadata["context"] == ""


def test_a_title_in_the_metadata_is_not_embedded_twice() -> None:
    document = Document(text=PROSE, metadata={"title": "The ferry"})
    nodes = GreedyNodeParser(target_size=60)([document])
    assert not any(node.metadata["context"] for node in nodes)
    assert not any("context" in node.get_content(MetadataMode.EMBED) for node in nodes)


def test_a_context_in_the_metadata_of_a_document_is_kept() -> None:
    nodes = GreedyNodeParser(target_size=20, chunk_size=60)([page(context="From the shop.")])
    for parsed in (nodes, GreedyNodeParser(target_size=10, chunk_size=40)(nodes)):
        assert {node.metadata["context"] for node in parsed} == {"From the shop."}


def nodes_of(parser: Any, document: Document) -> list[TextNode]:
    return [node for node in parser([document]) if isinstance(node, TextNode)]


@pytest.mark.parametrize(
    "document",
    [
        Document(text=TEXT, metadata={"file_name": "install.md"}),
        Document(text=TEXT, metadata={"file_path": "/docs/install.markdown"}),
        Document(text=TEXT, metadata={"file_type": "text/markdown"}),
        Document(text_resource=MediaResource(text=TEXT, mimetype="text/markdown")),
    ],
    ids=["name", "path", "type", "resource"],
)
def test_headings_are_in_the_metadata_of_each_node(document: Document) -> None:
    nodes = nodes_of(GreedyNodeParser(target_size=20), document)
    assert nodes[0].metadata["headings"] == ""
    assert nodes[-1].metadata["headings"] == "Use"
    (fence,) = [node for node in nodes if FENCE in node.text]
    assert fence.metadata["headings"] == "Install > From source"
    for node in nodes:
        assert TEXT[node.start_char_idx : node.end_char_idx] == node.text


def test_nodes_of_a_hierarchy_keep_the_titles_above_their_parents() -> None:
    levels = {"coarse": GreedyNodeParser(chunk_size=80), "fine": GreedyNodeParser(chunk_size=20)}
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=[*levels], node_parser_map=levels)
    document = Document(text=NESTED, metadata={"file_name": "boats.md"})
    leaves = get_leaf_nodes(parser.get_nodes_from_documents([document]))
    for words, titles in TITLES.items():
        (leaf,) = [node for node in leaves if words in node.get_content()]
        assert leaf.metadata["headings"] == titles
