"""`lumber-splitters questions`: a set of questions about one's own documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.failing import errors_in_one_line, fail
from lumber_cli.models import named_model
from lumber_cli.options import (
    SPLITTERS,
    BaseUrl,
    Concurrency,
    Folder,
    KeyVariable,
    PerMinute,
)
from lumber_core.llms import CallPolicy
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.questions import check_question_path, write_questions
from lumber_evaluation.llm.questions import QuestionSet, make_questions
from lumber_evaluation.splitters import preset


def questions_command(
    folder: Folder,
    model: Annotated[
        str, typer.Option(help="Name of the model that asks: one of OpenAI's, or gemini-….")
    ],
    output: Annotated[
        Path, typer.Option(help="File to write: .jsonl or .csv, in GutenQA's columns.")
    ] = Path("questions.jsonl"),
    count: Annotated[int, typer.Option(help="Questions wanted, spread over the documents.")] = 50,
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    store: Annotated[
        Path | None,
        typer.Option(help="File that keeps answers, so that a run cut short goes on for free."),
    ] = None,
    splitter: Annotated[
        str, typer.Option(help=f"What cuts the passages that are asked about: {SPLITTERS}.")
    ] = "greedy:400",
    seed: Annotated[int, typer.Option(help="Another seed asks about other passages.")] = 0,
    max_concurrency: Concurrency = 8,
    requests_per_minute: PerMinute = None,
) -> None:
    """Make questions with known answers about your documents, with a language model."""
    with errors_in_one_line():
        output = check_question_path(output)
        cutter = preset(splitter)
        asker = named_model(model, base_url=base_url, key_variable=key_variable)
        policy = CallPolicy(requests_per_minute=requests_per_minute)
        documents = load_folder(folder).documents
        made = make_questions(
            [cutter.split(document) for document in documents],
            asker,
            documents=documents,
            count=count,
            seed=seed,
            store=store,
            policy=policy,
            max_concurrency=max_concurrency,
            show_progress=True,
        )
        if not made.questions:
            fail(f"no question was kept: {_reasons(made)}")
        write_questions(made.questions, output, chunks=made.chunks)
    asked = len({question.document for question in made.questions})
    typer.echo(
        f"{len(made.questions)} questions about {asked} of {len(documents)} documents written to "
        f"{output}; {made.usage.calls} calls, {made.usage.prompt_tokens} tokens read and "
        f"{made.usage.completion_tokens} written"
    )
    if made.dropped:
        typer.echo(f"not kept: {_reasons(made)}")


def _reasons(made: QuestionSet) -> str:
    """Return why questions were dropped, the most common reason first."""
    counted = Counter(dropped.reason for dropped in made.dropped)
    return "; ".join(f"{reason} ({times})" for reason, times in counted.most_common(3))
