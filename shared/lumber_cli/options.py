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

from lumber_core import LumberChunker, ModelJudge, Prices
from lumber_core.errors import LumberError
from lumber_core.llms import CallPolicy, GeminiModel, Model, OpenAIModel
from lumber_core.llms.remote import RemoteModel
from lumber_core.tokens import token_counter
from lumber_evaluation.cached_work import WORK_FILE
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.folder import Sections
from lumber_evaluation.documents import Corpus, EvaluatedSplitter
from lumber_evaluation.embedders import embedder as embedder_of
from lumber_evaluation.llm.propositions import PropositionSplitter
from lumber_evaluation.splitters import PRESETS, evaluated, preset

SPLITTERS = f"{', '.join(PRESETS)}; with a number, as in greedy:400"
"""The named splitters, for help texts."""

Folder = Annotated[Path, typer.Argument(help="Folder with .txt and .md files.")]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="OpenAI-compatible server to use, for example http://127.0.0.1:8000/v1."),
]
KeyVariable = Annotated[
    str | None,
    typer.Option(help="Environment variable with the API key. Default: the provider's own."),
]
Concurrency = Annotated[int, typer.Option(help="Maximum number of model calls in flight.")]
PerMinute = Annotated[
    float | None, typer.Option(help="Maximum number of model calls per minute. Default: no limit.")
]

_KEYS: dict[type[RemoteModel], tuple[str, ...]] = {
    OpenAIModel: ("OPENAI_API_KEY",),
    GeminiModel: ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
_BROKEN_PIPE = 141
"""The exit status of a program that SIGPIPE ends."""


def fail(message: str) -> NoReturn:
    """Print an error in one line to stderr and exit with status 1."""
    typer.echo(f"lumber-splitters: {' '.join(message.split())}", err=True)
    raise typer.Exit(1)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Show errors that users can fix as `fail` does; bugs keep their traceback."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough, as in `... | head`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - or flushing at exit fails again
        raise typer.Exit(_BROKEN_PIPE) from None
    except (LumberError, ValueError, OSError) as error:
        fail(str(error))


def named_model(name: str, *, base_url: str | None, key_variable: str | None) -> RemoteModel:
    """Return a model by name: Gemini if the name starts with "gemini", else OpenAI.

    Args:
        name: The model's name.
        base_url: An OpenAI-compatible server; the model's name then does not select the provider.
        key_variable: The environment variable that holds the key. None: the provider's own, or
            no key if `base_url` is given.

    Raises:
        ValueError: The key is missing, or an option has no effect.
        MissingExtraError: The provider's package is not installed.
    """
    key: str | None = None
    if key_variable is not None:
        key = os.environ.get(key_variable)
        if not key:
            raise ValueError(f"no API key: the environment variable {key_variable} is empty")
    is_gemini = name.startswith("gemini") and base_url is None
    kind: type[OpenAIModel | GeminiModel] = GeminiModel if is_gemini else OpenAIModel
    if base_url is None and key is None and not any(map(os.environ.get, _KEYS[kind])):
        raise ValueError(
            f"no API key for {name!r}: set {' or '.join(_KEYS[kind])}, or pass --base-url for a "
            "server of your own"
        )
    return kind(name, base_url=base_url, api_key=key)


def corpus_in(folder: Path, questions: Path | None, sections: str | None) -> Corpus:
    """Load a folder's documents, questions and sections."""
    known: dict[str, Sections] = {"headings": "headings", "marks": "marks"}
    if sections is not None and sections not in known:
        raise ValueError(f"--sections must be headings or marks, not {sections!r}")
    marked = None if sections is None else known[sections]
    return load_folder(folder, questions=questions, sections=marked)


def chosen_model(name: str | None, base_url: str | None, key_variable: str | None) -> Model | None:
    """Return the model that the options name, or None."""
    if name is None:
        if base_url is not None or key_variable is not None:
            raise ValueError("--base-url and --key-variable need a model: pass --model NAME")
        return None
    return named_model(name, base_url=base_url, key_variable=key_variable)


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
        theta=int(float(number)) if number else 550,
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
