import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import SpanTextSplitter
from llamaindex_lumber import ChunkerNodeParser
from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker, LumberChunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.text.source import Source
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.splitters import preset, wrap_splitter
from lumber_files import read_file
from tests.cli.running import run_apart
from tests.contracts.fixtures import write_fixtures

pytestmark = pytest.mark.usefixtures("scored_once")
SPLITTERS: dict[str, Callable[[], Chunker]] = {
    "bert": BertChunker,
    "layout": LayoutChunker,
    "greedy": GreedyChunker,
    "lumber": lambda: LumberChunker(BertJudge()),
}
"""The splitters by their names on the command line, as `split` makes them by default."""
OVERLAP = 20
Place = tuple[int, int, str, list[str]]
"""The offsets of a chunk, its context, and the headings inside it."""
Places = list[Place]
Offsets = list[tuple[int, int]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    write_fixtures(folder)
    return folder


@pytest.fixture(scope="module")
def files(folder: Path) -> list[Source]:
    return [read_file(path, name=path.name) for path in sorted(folder.iterdir())]


def by_the_core(chunker: Chunker, file: Source, overlap: int) -> Places:
    chunks = chunker.split(file, Delivery(overlap))
    return [(*chunk.span, chunk.context, [*chunk.headings_inside]) for chunk in chunks]


def by_langchain(chunker: Chunker, file: Source, overlap: int) -> Places:
    delivered = {"chunk_overlap": overlap, "strip_whitespace": False, "add_metadata": True}
    splitter = SpanTextSplitter(chunker, **delivered)
    document = LangChainDocument(file.text, metadata={"source": file.name, **file.metadata})
    return [
        place(chunk.metadata["start_index"], chunk.metadata["end_index"], chunk.metadata)
        for chunk in splitter.split_documents([document])
    ]


def by_llamaindex(chunker: Chunker, file: Source, overlap: int) -> Places:
    # With a limit, embedded metadata takes room in each node.
    parser = ChunkerNodeParser(
        splitter=chunker, chunk_overlap=overlap, include_metadata=chunker.chunk_size is None
    )
    document = LlamaIndexDocument(text=file.text, metadata={"source": file.name, **file.metadata})
    nodes: list[Any] = parser.get_nodes_from_documents([document])
    return [place(node.start_char_idx, node.end_char_idx, node.metadata) for node in nodes]


def place(start: int, end: int, metadata: dict[str, Any]) -> Place:
    inside = metadata.get("headings_inside")
    return start, end, metadata.get("context", ""), inside.split(" | ") if inside else []


def of_row(row: Mapping[str, Any]) -> Place:
    return row["start"], row["end"], row["context"], row["headings_inside"]


def by_the_command_line(name: str, paths: list[Path], *options: object) -> dict[str, Places]:
    outcome = run_apart("split", *paths, "--method", name, *options)
    places: dict[str, Places] = {}
    for row in map(json.loads, outcome.out.splitlines()):
        places.setdefault(Path(row["document"]).name, []).append(of_row(row))
    return places


def by_the_evaluation(chunker: Chunker, folder: Path, overlap: int) -> dict[str, Offsets]:
    splitter = SpanTextSplitter(chunker, chunk_overlap=overlap, strip_whitespace=False)
    subject = wrap_splitter(splitter if overlap else chunker)
    return {
        document.name: [(*chunk.span,) for chunk in subject.split(document).chunks]
        for document in load_folder(folder, pattern="*").documents
    }


def offsets(places: dict[str, Places]) -> dict[str, Offsets]:
    return {name: [(start, end) for start, end, *_ in places] for name, places in places.items()}


# Splitters that ask a model are tested with one overlap. Nodes have contexts without a limit.
@pytest.mark.parametrize(
    ("name", "overlap", "bounded"),
    [("greedy", 0, True), *((name, OVERLAP, True) for name in SPLITTERS), ("bert", OVERLAP, False)],
)
def test_every_consumer_delivers_the_same_chunks_in_context(name, overlap, bounded, folder, files):
    chunker = SPLITTERS[name]() if bounded else BertChunker(target_size=60, chunk_size=None)
    sizes = () if bounded else ("--target-size", 60, "--chunk-size", "none")
    expected = {file.name: by_the_core(chunker, file, overlap) for file in files}
    assert sum(map(len, expected.values())) > 2 * len(files)
    assert {file.name: by_langchain(chunker, file, overlap) for file in files} == expected
    nodes = {file.name: by_llamaindex(chunker, file, overlap) for file in files}
    assert offsets(nodes) == offsets(expected)
    paths = sorted(folder.iterdir())
    assert by_the_command_line(name, paths, "--chunk-overlap", overlap, *sizes) == expected
    assert by_the_evaluation(chunker, folder, overlap) == offsets(expected)
    if not bounded:
        assert nodes == expected
        for written in ("boats.html", "customers.csv", "handbook.md"):
            assert sum(bool(context) for _, _, context, _ in expected[written]) > 2


@pytest.mark.parametrize("name", SPLITTERS)
def test_a_splitter_compared_by_name_equals_that_of_the_command_line(name, folder, files):
    corpus = load_folder(folder, pattern="*.md")
    (document,) = corpus.documents
    spans = [(*chunk.span,) for chunk in preset(name).split(document).chunks]
    (handbook,) = [file for file in files if file.name == document.name]
    assert corpus.formats == document.format == "markdown"
    expected = {document.name: by_the_core(SPLITTERS[name](), handbook, 0)}
    assert {document.name: spans} == offsets(expected)
    assert by_the_command_line(name, [folder / document.name]) == expected
