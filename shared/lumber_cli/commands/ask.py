"""`lumber-splitters ask`: find the passages of files that answer a question."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer

from lumber_cli.answering import answer_from, no_answer
from lumber_cli.file_index import FileIndex, index_path, is_far
from lumber_cli.html_pages.answer_page import answer_page
from lumber_cli.html_pages.page import write_page
from lumber_cli.index_cache import open_updated
from lumber_cli.inputs import STDIN, Inputs, MaybePaths
from lumber_cli.model_options import ModelOptions, read_model_options
from lumber_cli.options import (
    WRONG_OPTION,
    EmbeddingsOption,
    FileOptions,
    fail,
    say,
    with_options,
    wrong_options,
)
from lumber_cli.passage_formats import PassageFormat, show_passages
from lumber_core.errors import ModelUnavailableError
from lumber_files import check_output
from lumber_retrieval.embedders import embedder


@with_options(FileOptions, read_model_options)
def ask_command(
    file_options: FileOptions,
    model_options: ModelOptions,
    paths: MaybePaths = None,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="The question, in quotes.", show_default=False),
    ] = None,
    words: Annotated[
        int, typer.Option(min=1, help="Maximum number of words of all passages together.")
    ] = 300,
    index: Annotated[
        str | None,
        typer.Option(
            help="File that keeps the index, or the URL of a database in PostgreSQL: the next "
            "question reads only files that are new or have changed. Folders may share an index. "
            "Default: a file in your cache folder, which mcp shares."
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep no index: read and embed all files again.")
    ] = False,
    kind: Annotated[
        PassageFormat,
        typer.Option("--format", help="text: for reading; json: an object with all passages."),
    ] = "text",
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
    embeddings: EmbeddingsOption = "bundled",
) -> None:
    """Find the passages of your files that answer a question.

    Works offline, without a key. Searches sentences by meaning and by words, and joins those that
    are close together. Prints each passage with its file, pages or lines, and headings, best first.

    With --model, a language model answers from the passages and quotes them. Each quote is searched
    in the files, and printed in the file's own words with its place, or as not found.

    With --output or --open, writes an HTML page with the answer and the passages, and prints its
    path. The page needs no network and no other file.

    Searches only the files named in the command, even in a shared index. Deleted files are removed
    from the index when their folder is searched again. Indexes in the cache folder are removed
    after 90 days without use, and the oldest if all exceed 2 GB; `lumber-splitters index list`
    lists them.

    Exits with 0 if passages were found, even if some files could not be read; 1 after an error, or
    if the model's answer is missing, has no quotes, or a quote is not found; 2 for a wrong option
    or a path that does not exist; 130 after Ctrl-C.
    """
    with wrong_options():
        if not paths or question is None:
            usage = ["FOLDER", question or "What is ...?"]
            if question is not None and Path(question).exists():
                usage = [question, "What is ...?"]
            raise ValueError(
                f"the question or the files are missing: lumber-splitters ask {shlex.join(usage)}"
            )
        if index is not None and no_cache:
            raise ValueError("--no-cache keeps no index, and --index names one: pass one, not both")
        if not question.strip():
            raise ValueError("the question is empty: pass it as the last argument, in quotes")
        as_page = open_page or output is not None
        if as_page and kind != "text":
            raise ValueError(
                f"--format {kind} is for what is printed, and --output and --open make "
                f"an HTML page: to write {kind} to a file, use > FILE instead"
            )
        policy = model_options.call_policy()
        embedding = None if embeddings == "bundled" else embedder(embeddings)
        try:
            model, why = model_options.language_model(), ""
        except ModelUnavailableError as error:  # passages are found without a model
            model, why = None, no_answer(error)
    try:
        inputs = Inputs(paths, file_options)
    except FileNotFoundError as error:
        if " " in question.strip():
            raise
        why = "The last argument is the question: put it in quotes"
        fail(f"{error}. {why}", status=WRONG_OPTION)
    with wrong_options():
        target = index_path(index, inputs.files)
        if output is not None:
            check_output(output, [*inputs.files, *([target] if isinstance(target, Path) else [])])
        is_cached = target is None and not no_cache and STDIN not in paths
        files = None if is_cached else FileIndex(target, file_options.encoding, embedding)
    place, has_shown = "", False

    def show_first(by_words: FileIndex) -> None:
        nonlocal has_shown
        first = [passage for passage in by_words.search(question, words) if passage.words_found]
        if first and not has_shown:
            has_shown = True
            say("the first passages, found by words; better ones follow when all is embedded:")
            show_passages(question, None, first, kind)

    is_read_by_people = sys.stdout.isatty() and sys.stderr.isatty() and STDIN not in paths
    printed = kind == "text" and not as_page and model is None
    early = show_first if is_read_by_people and printed else None
    if files is None:
        files, place = open_updated(inputs, embedding, early)
    else:
        files.update(inputs, show_first=early)
    passages = files.search(question, words)
    if not passages:
        inputs.report_unread()
        fail("there is no text to search: no document could be read, or all are empty")
    if place:
        say(f"the index is kept in {place}, for the next question (--no-cache keeps none)")
    documents = files.documents(passages) if as_page or model is not None else {}
    answer = None
    if model is not None:
        answer, why = answer_from(passages, question, documents, model, policy)
    if has_shown:
        say("the passages, found by meaning and by words:")
    if all(map(is_far, passages)):
        say("nothing in these files seems to answer this; the nearest passages are:")
    if as_page:
        output = output or Path(mkdtemp(prefix="lumber-"), "answer.html")
        write_page(output, answer_page(question, answer, passages, documents))
        typer.echo(output)
        if open_page and not webbrowser.open(output.resolve().as_uri()):
            say(f"no browser could be started: open {output} yourself")
    else:
        show_passages(question, answer, passages, kind)
    inputs.report_unread()
    if why:
        fail(why)
