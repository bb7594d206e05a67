"""Shared by the commands: options, the meaning of their values, and how errors are shown."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from lumber_core import LumberChunker, ModelJudge, Prices, PromptTemplate
from lumber_core.errors import LumberError
from lumber_core.files import READABLE
from lumber_core.llms import CallPolicy, Model
from lumber_core.tokens import token_counter
from lumber_evaluation.cached_work import WORK_FILE
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.folder import Sections
from lumber_evaluation.documents import Corpus, EvaluatedSplitter
from lumber_evaluation.embedders import embedder as embedder_of
from lumber_evaluation.llm.propositions import PropositionSplitter
from lumber_evaluation.retrieval.word_recall import absent_questions
from lumber_evaluation.splitters import PRESETS, evaluated, preset

SPLITTER_NAMES = f"{', '.join(PRESETS)}; with a number, as in greedy:400"
"""The named splitters, for help texts."""

Folder = Annotated[Path, typer.Argument(help=f"Folder with files in {', '.join(READABLE)}.")]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the files. Default: UTF-8, or that of a byte order mark, or one that is "
        "detected and named on stderr."
    ),
]
Concurrency = Annotated[int, typer.Option(help="Maximum number of model calls in flight.")]

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells expect it."""
_EXAMPLES = 3
_BROKEN_PIPE = 141
"""The exit status of a program that SIGPIPE ends."""


def say(message: str) -> None:
    """Print a line to stderr."""
    typer.echo(f"lumber-splitters: {' '.join(message.split())}", err=True)


def fail(message: str) -> NoReturn:
    """Print an error in one line to stderr and exit with status 1."""
    say(message)
    raise typer.Exit(1)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Show errors that users can fix, and Ctrl-C, in one line; bugs keep their traceback."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough, as in `... | head`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - or flushing at exit fails again
        raise typer.Exit(_BROKEN_PIPE) from None
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (LumberError, ValueError, OSError) as error:
        fail(str(error))


def corpus_in(
    folder: Path, questions: Path | None, sections: str | None, encoding: str | None
) -> Corpus:
    """Load a folder's documents, questions and sections; warn of questions without an answer."""
    known: dict[str, Sections] = {"headings": "headings", "marks": "marks"}
    if sections is not None and sections not in known:
        raise ValueError(f"--sections must be headings or marks, not {sections!r}")
    marked = None if sections is None else known[sections]
    corpus = load_folder(folder, questions=questions, sections=marked, encoding=encoding)
    absent = absent_questions(corpus)
    if absent:
        examples = "; ".join(f"{each.question!r} ({each.document})" for each in absent[:_EXAMPLES])
        say(
            f"the answers to {len(absent)} of {len(corpus.questions)} questions do not occur in "
            "their documents, so no splitter can find them: "
            f"{examples}{'; ...' if len(absent) > _EXAMPLES else ''}"
        )
    return corpus


def asks_model(spec: str) -> bool:
    """Return whether a splitter uses the model, if there is one."""
    return spec.partition(":")[0] in ("lumber", "propositions")


def work_file(work: Path) -> Path:
    """Return the file that caches what a command pays for."""
    work.mkdir(parents=True, exist_ok=True)
    return work / WORK_FILE


def splitter_named(
    spec: str,
    model: Model | None,
    policy: CallPolicy,
    work: Path,
    max_concurrency: int,
    embedder: str,
) -> EvaluatedSplitter:
    """Return a splitter by name; `lumber` uses the model if there is one.

    Raises:
        ValueError: The name or its number is unknown, or a model is missing.
    """
    kind, colon, number = spec.partition(":")
    if spec == "propositions":
        if model is None:
            raise ValueError("propositions needs a model: pass --model NAME")
        return PropositionSplitter(
            model, store=work_file(work), policy=policy, max_concurrency=max_concurrency
        )
    if kind == "lumber-local":
        return evaluated(preset(f"lumber{colon}{number}"), name=spec)
    made = preset(spec, embedder=embedder_of(embedder))
    if model is None or kind != "lumber":
        return made
    chunker = LumberChunker(
        ModelJudge(model, policy=policy),
        theta=int(float(number)) if number else int(PRESETS["lumber"].default),
        store=work_file(work),
        max_concurrency=max_concurrency,
    )
    return evaluated(chunker, name=spec)


def check_tokenizer(tokenizer: str) -> None:
    """Check that a tokenizer exists and its vocabulary can be loaded.

    Raises:
        ValueError: The tokenizer is unknown.
        TokenizerDataError: Its vocabulary cannot be loaded.
    """
    token_counter(tokenizer).count([""])


def numbers_in(option: str, text: str) -> list[float]:
    """Parse comma-separated numbers."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} takes comma-separated numbers, not {text!r}") from None


def prices_in(text: str | None) -> Prices | None:
    """Parse the prices of a million input and output tokens."""
    if text is None:
        return None
    numbers = numbers_in("--prices", text)
    if len(numbers) != 2 or not all(0 <= number < math.inf for number in numbers):
        raise ValueError(
            f"--prices takes two numbers, for a million input and output tokens, not {text!r}"
        )
    return Prices(*numbers)


def prompt_in(path: Path | None) -> PromptTemplate | None:
    """Read a prompt from a file: the user text, below a line --- if there is a system text.

    Raises:
        ValueError: The file is not UTF-8, or does not say where the paragraphs go.
        OSError: It cannot be read.
    """
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error}") from None
    system, line, user = text.strip().partition("\n---\n")
    try:
        return PromptTemplate(system.strip(), user.strip()) if line else PromptTemplate(user=system)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
