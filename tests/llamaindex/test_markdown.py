"""Markdown in LlamaIndex: recognised by metadata or type, headings in the nodes' metadata."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.schema import Document, MediaResource, MetadataMode, TextNode

from llamaindex_lumber import BertNodeParser, GreedyNodeParser
from tests.langchain.test_markdown import FENCE, NESTED, TEXT, TITLES


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
    assert "headings" not in nodes[0].metadata
    assert nodes[-1].metadata["headings"] == "Use"
    (fence,) = [node for node in nodes if FENCE in node.text]
    assert fence.metadata["headings"] == "Install > From source"
    for node in nodes:
        assert TEXT[node.start_char_idx : node.end_char_idx] == node.text


def test_headings_are_not_embedded_so_that_the_limit_holds() -> None:
    document = Document(text=TEXT, metadata={"file_name": "install.md"})
    parser = GreedyNodeParser(chunk_size=40)
    for node in nodes_of(parser, document):
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            content = node.get_content(metadata_mode=mode)
            assert "headings:" not in content
            assert parser.chunker.counter.count([content])[0] <= 40
    assert "headings" not in document.excluded_embed_metadata_keys


def test_nodes_of_a_part_keep_the_titles_above_it() -> None:
    document = Document(text=TEXT, metadata={"file_name": "install.md"})
    coarse = GreedyNodeParser(target_size=60)([document])
    fine = GreedyNodeParser(target_size=15)(coarse)
    at = TEXT.index("| tool")
    (table,) = [n for n in fine if isinstance(n, TextNode) and "| tool" in n.text]
    assert table.start_char_idx is not None
    assert table.start_char_idx <= at
    assert table.metadata["headings"] == "Install > From source"


def test_nodes_of_a_hierarchy_keep_the_titles_above_their_parents() -> None:
    levels = {"coarse": GreedyNodeParser(chunk_size=80), "fine": GreedyNodeParser(chunk_size=20)}
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=[*levels], node_parser_map=levels)
    document = Document(text=NESTED, metadata={"file_name": "boats.md"})
    leaves = get_leaf_nodes(parser.get_nodes_from_documents([document]))
    for words, titles in TITLES.items():
        (leaf,) = [node for node in leaves if words in node.get_content()]
        assert leaf.metadata["headings"] == titles


def test_nodes_of_a_node_that_starts_inside_a_section_keep_the_titles_above() -> None:
    text = "# Boats\n\n## Sails\n\n" + "Dry them after rain.\n\n" * 9 + "### Repairs\n\nSew it.\n"
    coarse = nodes_of(
        GreedyNodeParser(target_size=30), Document(text=text, metadata={"file_name": "boats.md"})
    )
    assert [node.metadata.get("heading_levels") for node in coarse] == [None, "1 2"]
    assert "heading" not in coarse[1].get_content(metadata_mode=MetadataMode.EMBED)
    *_, last = GreedyNodeParser(target_size=6)(coarse)
    assert last.metadata["headings"] == "Boats > Sails > Repairs"
    assert last.metadata["heading_levels"] == "1 2 3"


def test_without_metadata_there_are_no_headings() -> None:
    document = Document(text=TEXT, metadata={"file_name": "install.md"})
    nodes = nodes_of(GreedyNodeParser(target_size=20, include_metadata=False), document)
    assert not any("headings" in node.metadata for node in nodes)


async def test_asynchronous_parsing_and_bert_know_headings_too() -> None:
    document = Document(text=TEXT, metadata={"file_name": "install.md"})
    nodes = await BertNodeParser(chunk_size=20).acall([document])
    (node,) = [node for node in nodes if "make all" in node.get_content()]
    assert node.metadata["headings"] == "Install > From source"
