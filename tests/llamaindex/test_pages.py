"""Pages and lines in LlamaIndex: pages of a reader joined, and where each node comes from.

`llama-index-readers-file` is not among the packages that tests need: where it is missing, documents
are made here as its `PDFReader` and `SimpleDirectoryReader` make them.
"""

import json

import pytest
from llama_index.core.node_parser import HierarchicalNodeParser, TokenTextSplitter, get_leaf_nodes
from llama_index.core.schema import Document, TextNode
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from llamaindex_lumber import GreedyNodeParser, join_pages

PROSE = "Otters hunt at dawn, and sleep in hollow trees on the bank. " * 20
TEXTS = ["Ann ran. She fell.\nShe got up.", "Bob slept. He woke.\nHe ran.", "Eve ate. She sat."]


def page(label: str, text: str, name: str = "a.pdf") -> Document:
    excluded = ["file_name", "file_path", "file_type"]
    return Document(
        id_=f"{name}/{label}",
        text=text,
        metadata={"page_label": label, "file_name": name, "file_type": "application/pdf"},
        excluded_embed_metadata_keys=[*excluded],
        excluded_llm_metadata_keys=[*excluded],
    )


@pytest.mark.parametrize("include_metadata", [True, False])
def test_page_starts_are_not_in_nodes_or_vector_stores(include_metadata: bool) -> None:
    pages = [page(f"{n}", PROSE) for n in range(1, 4)]
    parser = GreedyNodeParser(target_size=30, add_metadata=True, include_metadata=include_metadata)
    for node in parser(join_pages(pages)):
        stored = node_to_metadata_dict(node, flat_metadata=True)  # raises on lists
        content = json.loads(stored["_node_content"])
        for related in (content, *content["relationships"].values()):
            assert "page_starts" not in related["metadata"]
        assert stored["page_first"] <= stored["page_last"] <= 3
        assert stored["line_first"] >= 1


def test_nodes_of_nodes_have_pages_and_lines_of_the_document() -> None:
    (joined,) = join_pages([page(f"{n}", text) for n, text in enumerate(TEXTS, start=1)])
    sizes = {"large": 14, "small": 3}
    levels = {k: GreedyNodeParser(target_size=n, add_metadata=True) for k, n in sizes.items()}
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=[*levels], node_parser_map=levels)
    leaves = get_leaf_nodes(parser.get_nodes_from_documents([joined]))
    assert len(leaves) > 5
    for leaf in leaves:
        assert isinstance(leaf, TextNode)
        before = joined.text[: leaf.start_char_idx]
        assert leaf.metadata["page_first"] == before.count("\f") + 1
        assert leaf.metadata["line_first"] == before.count("\n") + 1


def test_lines_of_another_parsers_nodes_are_left_out_where_they_cannot_be_known() -> None:
    document = Document(text="Ann ran.\nShe fell.\n\nBob slept.\nHe woke.")
    others = TokenTextSplitter(chunk_size=8, chunk_overlap=0, include_metadata=False)([document])
    nodes = GreedyNodeParser(target_size=3, add_metadata=True)(others)
    assert len(others) > 1
    for node in nodes:
        assert isinstance(node, TextNode)
        are_known = node.metadata["line_first"] != 0
        assert are_known == (node.source_node is not None and node.text in others[0].get_content())


def test_only_pages_and_not_nodes_are_joined() -> None:
    nodes = GreedyNodeParser()([page("1", "One.")])
    with pytest.raises(TypeError, match="before they are parsed"):
        join_pages(nodes)  # type: ignore[arg-type]
