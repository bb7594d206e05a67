"""`lumber-splitters questions`: generate questions about documents."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.corpus_options import (
    SPLITTER_NAMES,
    Concurrency,
    Folder,
    PatternOption,
    check_outputs,
    load_corpus,
)
from lumber_cli.model_options import ModelOptions, read_model_options
from lumber_cli.options import FileOptions, fail, with_options, wrong_options
from lumber_core.checks import check_positive
from lumber_core.support.wording import with_noun
from lumber_evaluation.corpora.question_table import check_question_path, write_questions
from lumber_evaluation.llm.generated_questions import QuestionSet, make_questions
from lumber_evaluation.splitters import preset

_WITHOUT_MODEL = (
    "a language model writes the questions: pass --model NAME, such as openai:gpt-4o-mini, or "
    "ollama:NAME, which needs no key. Without one, write some questions yourself, each a line "
    '{"question": ..., "document": ..., "must_contain": "words of the document"} of a .jsonl file, '
    "or compare by your headings, without questions: `lumber-splitters compare FOLDER --sections "
    "headings`"
)


@with_options(FileOptions, read_model_options, no_ignore=False)
def questions_command(
    file_options: FileOptions,
    model_options: ModelOptions,
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, .jsonl.")] = Path(
        "questions.jsonl"
    ),
    count: Annotated[
        int, typer.Option(help="Number of questions, spread over the documents.")
    ] = 50,
    pattern: PatternOption = None,
    store: Annotated[
        Path | None,
        typer.Option(
            help="File that caches the model's answers, so that an interrupted run resumes."
        ),
    ] = None,
    splitter: Annotated[
        str, typer.Option(help=f"Splitter for the chunks that are asked about: {SPLITTER_NAMES}.")
    ] = "greedy:400",
    seed: Annotated[int, typer.Option(help="Random seed for drawing chunks.")] = 0,
    max_concurrency: Concurrency = 8,
) -> None:
    """Generate questions with known answers about your documents."""
    with wrong_options():
        output = check_question_path(output)
        check_positive("count", count)
        cutter = preset(splitter)
        model = model_options.language_model()
        if model is None:
            raise ValueError(_WITHOUT_MODEL)
        policy = model_options.call_policy()
    documents = load_corpus(folder, pattern, file_options).documents
    check_outputs([output], folder, documents)
    question_set = make_questions(
        [cutter.split(document) for document in documents],
        model,
        documents=documents,
        count=count,
        seed=seed,
        store=store,
        policy=policy,
        max_concurrency=max_concurrency,
        show_progress=sys.stderr.isatty(),
    )
    if not question_set.questions:
        fail(f"no question was kept: {_reasons(question_set)}")
    write_questions(question_set.questions, output)
    documents_asked = len({question.document for question in question_set.questions})
    typer.echo(
        f"{with_noun(len(question_set.questions), 'question')} about {documents_asked} of "
        f"{with_noun(len(documents), 'document')} written to "
        f"{output}; {with_noun(question_set.usage.calls, 'call')}, "
        f"{question_set.usage.prompt_tokens} tokens read and "
        f"{question_set.usage.completion_tokens} written"
    )
    if question_set.dropped:
        typer.echo(f"not kept: {_reasons(question_set)}")


def _reasons(question_set: QuestionSet) -> str:
    """Return the three most common reasons for dropping a question."""
    counts = Counter(dropped.reason for dropped in question_set.dropped)
    return "; ".join(f"{reason} ({times})" for reason, times in counts.most_common(3))
