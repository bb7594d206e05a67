"""`lumber-splitters ask`: find the passages of files that answer a question."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer

from lumber_cli.answer_page import write_answer_page
from lumber_cli.asking import MODEL_HELP, Asking, takes_asking
from lumber_cli.file_index import FileIndex, is_far
from lumber_cli.inputs import Inputs, MaybePaths
from lumber_cli.options import (
    WRONG_OPTION,
    EncodingOption,
    MaxUnpackedOption,
    errors_in_one_line,
    fail,
    say,
    wrong_options,
)
from lumber_cli.passage_formats import PassageFormat, is_converted, show_passages
from lumber_core.errors import LumberError, ModelUnavailableError
from lumber_core.llms import CallPolicy, Model
from lumber_core.support.wording import counted
from lumber_core.text.source import Source
from lumber_files import MAX_UNPACKED, check_output
from lumber_retrieval.passages import Passage
from lumber_retrieval.quoted_answers import (
    NO_QUOTE,
    QUOTING_INSTRUCTIONS,
    QUOTING_QUESTION,
    CitedAnswer,
    cite_answer,
    write_passages,
)


@takes_asking(help_text=f"Answers from the passages, with quotes that are looked up. {MODEL_HELP}")
def ask_command(
    paths: MaybePaths = None,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="The question, in quotes.", show_default=False),
    ] = None,
    *,
    asking: Asking,
    words: Annotated[
        int, typer.Option(min=1, help="Maximum number of words of all passages together.")
    ] = 300,
    index: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps the index: the next question reads only files that are new or "
            "have changed. Several folders may share it. Default: nothing is kept."
        ),
    ] = None,
    kind: Annotated[
        PassageFormat,
        typer.Option(
            "--format", help="text and md: for reading; json: an object with all passages."
        ),
    ] = PassageFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="HTML file to write instead of printing: the answer, and each passage in its "
            "whole document.",
        ),
    ] = None,
    open_page: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Open that page in the browser; without --output it is written to a temporary "
            "folder.",
        ),
    ] = False,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", hidden=True)] = None,
    encoding: EncodingOption = None,
    max_unpacked: MaxUnpackedOption = MAX_UNPACKED,
) -> None:
    """Find the passages of your files that answer a question.

    Offline, without a key: sentences are found by meaning and by words, and those that lie close
    together are joined to whole passages. Each is shown with its file, pages or lines, and
    headings. Passages of one file are in reading order; files come by their best passage.

    With --model, a language model answers from the passages and quotes them. Each quote is looked
    up: it is shown in the words of its file, with its place, or as not found.

    With --output or --open, the answer and the passages are shown on a page, which needs no network
    and no other file, and the path of the page is printed.

    A question is about the files that are named, whatever else is in --index. Files that are gone
    from a folder are removed from the index when that folder is asked.

    Exits with 0 if all went well, 1 after an error, or if the model gave no answer, one without
    quotes or with quotes that stand nowhere, or a file could not be read (what was found is
    printed), 2 for a wrong option or a path that does not exist, 130 after Ctrl-C.
    """
    with errors_in_one_line():
        with wrong_options():
            if top_k is not None:
                raise ValueError("passages are limited by their words, not by number: use --words")
            if not paths or question is None:
                raise ValueError(
                    "the question or the files are missing: "
                    f"lumber-splitters ask {question or 'FOLDER'} 'What is ...?'"
                )
            if not question.strip():
                raise ValueError("the question is empty: pass it as the last argument, in quotes")
            as_page = open_page or output is not None
            if as_page and kind is not PassageFormat.TEXT:
                raise ValueError(
                    f"--format {kind.value} is for what is printed, and --output and --open make "
                    f"an HTML page: to write {kind.value} to a file, use > FILE instead"
                )
            policy = asking.call_policy()
            try:
                model, why = asking.language_model(), ""
            except ModelUnavailableError as error:  # passages are found without it
                model, why = None, _no_answer(error)
        try:
            inputs = Inputs(paths, encoding, max_unpacked)
        except FileNotFoundError as error:
            if " " in question.strip():
                raise
            why = "The last argument is the question: put it in quotes"
            fail(f"{error}. {why}", status=WRONG_OPTION)
        with wrong_options():
            if index is not None:
                check_output(index, inputs.files)
            if output is not None:
                check_output(output, [*inputs.files, *([] if index is None else [index])])
        files = FileIndex(index, encoding)
        files.update(inputs)
        passages = files.search(question, words)
        if not passages:
            fail("there is no text to search: no document could be read, or all are empty")
        documents = files.documents(passages) if as_page or model is not None else {}
        answer = None
        if model is not None:
            answer, why = _answer(question, passages, documents, model, policy)
        if all(map(is_far, passages)):
            say("nothing in these files seems to answer this; the nearest passages are:")
        if as_page:
            output = output or Path(mkdtemp(prefix="lumber-"), "answer.html")
            write_answer_page(output, question, answer, passages, documents)
            typer.echo(output)
            if open_page and not webbrowser.open(output.resolve().as_uri()):
                say(f"no browser could be started: open {output} in one")
        else:
            show_passages(question, answer, passages, kind)
        inputs.tell_skipped()
        if inputs.failed:
            say(f"{len(inputs.failed)} of {len(inputs)} documents could not be read")
        if why:
            say(why)
        if inputs.failed or why:
            raise typer.Exit(1)


def _answer(
    question: str,
    passages: Sequence[Passage],
    documents: Mapping[str, Source],
    model: Model,
    policy: CallPolicy,
) -> tuple[CitedAnswer | None, str]:
    """Return a model's answer from passages, None if there is none; and what is wrong with it.

    If it lacks quotes, or has some that stand nowhere, the model is told and asked again.
    """
    # Deferred: a question without a model needs none of it.
    from lumber_evaluation.llm.asking import Ask, Template, UnusableReplyError, ask_one
    from lumber_evaluation.llm.cached_model import CachedModel

    last: CitedAnswer | None = None

    def read(reply: str) -> CitedAnswer:
        nonlocal last
        if not reply.strip():
            raise UnusableReplyError("the answer is empty")
        last = cite_answer(reply, [*passages, *documents.values()])
        if last.missing:
            listed = "; ".join(map(repr, last.missing))
            raise UnusableReplyError(f"no passage has these quotes word for word: {listed}")
        if last.text and not last.citations:
            raise UnusableReplyError("there are no numbered quotes below the answer")
        if NO_QUOTE in last.text:
            raise UnusableReplyError("a number in the answer has no quote below it")
        return last

    system, user = Template(QUOTING_INSTRUCTIONS, QUOTING_QUESTION).fill(question=question)
    shown = write_passages((passage.document, passage.in_context) for passage in passages)
    try:
        reply = ask_one(
            CachedModel(model, policy=policy),
            Ask(system, user.replace("{context}", shown, 1), read),
        )
    except LumberError as error:
        return None, _no_answer(error)
    if reply.outcome in ("refused", "unavailable") or last is None or not last.text:
        return None, _no_answer(reply.reason or "it finds none in these passages")
    citations = [
        # Nobody sees the lines of a text that was converted.
        replace(one, lines=None) if one.document and is_converted(one.document) else one
        for one in last.citations
    ]
    return replace(last, citations=tuple(citations)), _doubt(last)


def _doubt(answer: CitedAnswer) -> str:
    """Return why an answer is not to be trusted; "" if each of its quotes was found."""
    if answer.missing:
        return (
            f"{counted(len(answer.missing), 'quote')} of the model's "
            f"{len(answer.citations)} not found in the files: do not trust what rests on them"
        )
    if not answer.citations:
        return "the model quotes nothing, so its answer may not be in the files: read the passages"
    if NO_QUOTE in answer.text:
        return f"the model gave no quote where {NO_QUOTE} stands: do not trust what it says there"
    return ""


def _no_answer(why: object) -> str:
    return f"no answer from the model: {why}"
