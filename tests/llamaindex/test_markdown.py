"""Markdown in LlamaIndex: recognised by metadata or type, headings in the nodes' metadata."""

from typing import Any

import pytest
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.schema import Document, MediaResource, TextNode

from llamaindex_lumber import GreedyNodeParser
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
