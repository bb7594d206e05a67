"""What the measuring commands work on: the documents of a folder, and splitters by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.options import say, wrong_options
from lumber_core import LumberChunker, ModelJudge
from lumber_core.llms import CallPolicy, Model
from lumber_core.lumber.settings import THETA, Method
from lumber_core.tokens import token_counter
from lumber_evaluation.cached_work import WORK_FILE
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.folder import Sections
from lumber_evaluation.documents import Corpus, Document, EvaluatedSplitter
from lumber_evaluation.embedders import embedder as embedder_of
from lumber_evaluation.llm.propositions import PropositionSplitter
from lumber_evaluation.retrieval.word_recall import absent_questions
from lumber_evaluation.splitters import PRESETS, evaluated, preset
from lumber_files import READABLE, check_encoding, check_output

SPLITTER_NAMES = f"{', '.join(PRESETS)}; with a number, as in greedy:400"
"""The named splitters, for help texts."""

Folder = Annotated[Path, typer.Argument(help=f"Folder with files in {', '.join(READABLE)}.")]
PatternOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Which files of the folder, such as '*.log'; may be repeated. Default: those in "
        "the formats above."
    ),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Maximum number of model calls in flight.")]

_EXAMPLES = 3


def corpus_in(
    folder: Path,
    *,
    questions: Path | None,
    pattern: list[str] | None,
    sections: str | None,
    encoding: str | None,
    max_unpacked: int,
) -> Corpus:
    """Load a folder's documents, questions and sections; warn of questions without an answer."""
    known: dict[str, Sections] = {"headings": "headings", "marks": "marks"}
    with wrong_options():
        if sections is not None and sections not in known:
            raise ValueError(f"--sections must be headings or marks, not {sections!r}")
        if encoding is not None:
            check_encoding(encoding)
    marked = None if sections is None else known[sections]
    corpus = load_folder(
        folder,
        questions=questions,
        pattern=pattern or None,
        sections=marked,
        encoding=encoding,
        max_unpacked=max_unpacked,
    )
    absent = absent_questions(corpus)
    if absent:
        examples = "; ".join(f"{each.question!r} ({each.document})" for each in absent[:_EXAMPLES])
        say(
            f"the answers to {len(absent)} of {len(corpus.questions)} questions do not occur in "
            "their documents, so no splitter can find them: "
            f"{examples}{'; ...' if len(absent) > _EXAMPLES else ''}"
        )
    return corpus


def check_outputs(
    outputs: Iterable[Path],
    folder: Path,
    documents: Iterable[Document],
    others: Iterable[Path] = (),
) -> None:
    """Raise if a file to write is one that was read.

    Args:
        outputs: The files to write.
        folder: The folder of the documents.
        documents: The documents.
        others: Other files that were read.

    Raises:
        Exit: One would be overwritten.
    """
    read = [*(folder / document.name for document in documents), *others]
    for output in outputs:
        if output.exists():
            with wrong_options():
                check_output(output, read)


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
    *,
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
    method: Method = "window" if number == "window" else "paper"
    chunker = LumberChunker(
        ModelJudge(model, policy=policy),
        method=method,
        theta=THETA if number in ("", "paper", "window") else int(float(number)),
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
