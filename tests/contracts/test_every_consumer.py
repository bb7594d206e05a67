"""Both frameworks, the command line, Ray and the evaluation deliver the same chunks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument
from llama_index.core.schema import TextNode

pytest.importorskip("pyarrow")

from langchain_lumber import SpanTextSplitter
from llamaindex_lumber import ChunkerNodeParser
from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker, LumberChunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.lumber.fallback import local_judge
from lumber_core.text.source import Source
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.splitters import evaluated, preset
from lumber_files import read_file
from lumber_ray.rows import DocumentSplitter, FinishedDocument
from tests.cli.running import run_apart
from tests.contracts.fixtures import write_fixtures

pytestmark = pytest.mark.usefixtures("scored_once")
SPLITTERS: dict[str, Callable[[], Chunker]] = {
    "bert": BertChunker,
    "layout": LayoutChunker,
    "greedy": GreedyChunker,
    "lumber": lambda: LumberChunker(local_judge()),
}
"""The splitters by their names on the command line, as `split` makes them by default."""
OVERLAP = 20
Places = list[tuple[int, int]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    write_fixtures(folder)
    return folder


@pytest.fixture(scope="module")
def files(folder: Path) -> list[Source]:
    return [read_file(path, name=path.name) for path in sorted(folder.iterdir())]


def by_langchain(chunker: Chunker, file: Source, overlap: int) -> Places:
    splitter = SpanTextSplitter(
        chunker,
        chunk_overlap=overlap,
        strip_whitespace=False,
        add_metadata=True,
    )
    document = LangChainDocument(file.text, metadata=dict(file.metadata))
    chunks = splitter.split_documents([document])
    assert [splitter.delivery.overlap, "".join(splitter.split_text(""))] == [overlap, ""]
    return [(chunk.metadata["start_index"], chunk.metadata["end_index"]) for chunk in chunks]


def by_llamaindex(chunker: Chunker, file: Source, overlap: int) -> Places:
    # Metadata that is embedded would take room in each node.
    parser = ChunkerNodeParser(splitter=chunker, chunk_overlap=overlap, include_metadata=False)
    document = LlamaIndexDocument(text=file.text, metadata=dict(file.metadata))
    places = []
    for node in parser.get_nodes_from_documents([document]):
        assert isinstance(node, TextNode)
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        places.append((node.start_char_idx, node.end_char_idx))
    return places


def by_ray(chunker: Chunker, file: Source, overlap: int) -> Places:
    (done,) = DocumentSplitter(chunker, chunk_overlap=overlap).split([file])
    assert isinstance(done, FinishedDocument)
    return [(row["start"], row["end"]) for row in done.rows]  # type: ignore[misc]


def by_the_core(chunker: Chunker, file: Source, overlap: int) -> Places:
    return [(*chunk.span,) for chunk in chunker.split(file, Delivery(overlap))]


# One overlap is enough for those that ask the model.
@pytest.mark.parametrize(
    ("name", "overlap"), [("greedy", 0), *((name, OVERLAP) for name in SPLITTERS)]
)
def test_every_consumer_delivers_the_same_chunks(
    name: str, overlap: int, folder: Path, files: list[Source]
) -> None:
    chunker = SPLITTERS[name]()
    expected = {file.name: by_the_core(chunker, file, overlap) for file in files}
    assert sum(map(len, expected.values())) > 2 * len(files)
    for consumer in (by_langchain, by_llamaindex, by_ray):
        found = {file.name: consumer(chunker, file, overlap) for file in files}
        assert found == expected, consumer.__name__
    assert by_the_command_line(name, sorted(folder.iterdir()), overlap) == expected
    assert by_the_evaluation(chunker, folder, overlap) == expected


Contexts = list[tuple[str, list[str]]]
"""The context of each chunk, and the headings inside it."""


def test_every_consumer_gives_the_same_contexts(folder: Path, files: list[Source]) -> None:
    # Without a limit, the metadata of nodes takes no room.
    chunker = BertChunker(target_size=60, chunk_size=None)
    expected: dict[str, Contexts] = {
        file.name: [
            (chunk.context, [*chunk.headings_inside])
            for chunk in chunker.split(file, Delivery(OVERLAP))
        ]
        for file in files
    }
    for name in ("boats.html", "customers.csv", "handbook.md"):
        assert sum(bool(context) for context, _ in expected[name]) > 2
    for consumer in (contexts_by_langchain, contexts_by_llamaindex, contexts_by_ray):
        found = {file.name: consumer(chunker, file) for file in files}
        assert found == expected, consumer.__name__
    sizes = ("--target-size", "60", "--chunk-size", "none", "--chunk-overlap", str(OVERLAP))
    done = run_apart("split", *sorted(folder.iterdir()), "--method", "bert", *sizes)
    told: dict[str, Contexts] = {}
    for row in map(json.loads, done.out.splitlines()):
        name = Path(row["document"]).name
        told.setdefault(name, []).append((row["context"], row["headings_inside"]))
    assert told == expected
    for document in load_folder(folder, pattern="*").documents:
        chunks = chunker.split(document.to_split(), Delivery(OVERLAP))
        assert [(c.context, [*c.headings_inside]) for c in chunks] == expected[document.name]


def contexts_by_langchain(chunker: Chunker, file: Source) -> Contexts:
    splitter = SpanTextSplitter(
        chunker, chunk_overlap=OVERLAP, strip_whitespace=False, add_metadata=True
    )
    document = LangChainDocument(file.text, metadata=dict(file.metadata))
    return [of_metadata(chunk.metadata) for chunk in splitter.split_documents([document])]


def contexts_by_llamaindex(chunker: Chunker, file: Source) -> Contexts:
    parser = ChunkerNodeParser(splitter=chunker, chunk_overlap=OVERLAP)
    document = LlamaIndexDocument(text=file.text, metadata=dict(file.metadata))
    return [of_metadata(node.metadata) for node in parser.get_nodes_from_documents([document])]


def of_metadata(metadata: dict[str, str]) -> tuple[str, list[str]]:
    inside = metadata.get("headings_inside")
    return metadata.get("context", ""), inside.split(" | ") if inside else []


def contexts_by_ray(chunker: Chunker, file: Source) -> Contexts:
    (done,) = DocumentSplitter(chunker, chunk_overlap=OVERLAP).split([file])
    assert isinstance(done, FinishedDocument)
    return [(row["context"], row["headings_inside"]) for row in done.rows]  # type: ignore[misc]


def by_the_command_line(name: str, paths: list[Path], overlap: int) -> dict[str, Places]:
    done = run_apart("split", *paths, "--method", name, "--chunk-overlap", str(overlap))
    found: dict[str, Places] = {}
    for line in done.out.splitlines():
        row = json.loads(line)
        found.setdefault(Path(row["document"]).name, []).append((row["start"], row["end"]))
    return found


def by_the_evaluation(chunker: Chunker, folder: Path, overlap: int) -> dict[str, Places]:
    splitter = SpanTextSplitter(chunker, chunk_overlap=overlap, strip_whitespace=False)
    subject = evaluated(splitter if overlap else chunker)
    corpus = load_folder(folder, pattern="*")
    return {
        document.name: [(*chunk.span,) for chunk in subject.split(document).chunks]
        for document in corpus.documents
    }


@pytest.mark.parametrize("name", SPLITTERS)
def test_a_splitter_that_is_compared_by_name_is_the_one_of_the_command_line(
    name: str, folder: Path, files: list[Source]
) -> None:
    corpus = load_folder(folder, pattern="*.md")
    (document,) = corpus.documents
    found = [(*chunk.span,) for chunk in preset(name).split(document).chunks]
    (handbook,) = [file for file in files if file.name == document.name]
    assert corpus.formats == document.format == "markdown"
    assert found == by_the_core(SPLITTERS[name](), handbook, 0)
    assert by_the_command_line(name, [folder / document.name], 0) == {document.name: found}
