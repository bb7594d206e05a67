"""`lumber-splitters compare`: measure splitters side by side."""

from __future__ import annotations

import sys
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
from lumber_cli.options import (
    EmbeddingsOption,
    FileOptions,
    PricesOption,
    prices_in,
    say,
    with_options,
    wrong_options,
)
from lumber_core import LumberChunker, ModelJudge
from lumber_core.llms import CallPolicy, Model
from lumber_core.lumber.lumber_chunker import THETA
from lumber_core.support.extras import require
from lumber_core.support.wording import align_columns
from lumber_core.text.unicode import printable
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_evaluation.cached_work import WORK_FILE
from lumber_evaluation.comparison import Comparison, check_comparison, compare
from lumber_evaluation.comparison.metrics import METRICS, families_of
from lumber_evaluation.corpora.folder import Sections
from lumber_evaluation.dataset import EvaluatedSplitter
from lumber_evaluation.report import HTML_FILE, JSON_FILE, write_report
from lumber_evaluation.report.conclusions import conclusions, explanation
from lumber_evaluation.report.table_rows import summary_table
from lumber_evaluation.retrieval.word_recall import absent_questions
from lumber_evaluation.splitters import preset, wrap_splitter
from lumber_retrieval.embedders import Embedder
from lumber_retrieval.embedders import embedder as embedder_of

DEFAULT_SPLITTERS = ("layout:50", "layout", "bert", "recursive:1000")
"""The splitters compared by default; none of them needs a key or a download."""

_MEASURES = ", ".join(
    family.title for family in families_of(METRICS) if family.sample == "question"
)
_MAX_EXAMPLES = 3  # of questions whose answers do not occur in their documents


@with_options(FileOptions, read_model_options, no_ignore=False)
def compare_command(
    file_options: FileOptions,
    model_options: ModelOptions,
    folder: Folder,
    splitter: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Splitter to compare; may be repeated: {SPLITTER_NAMES}. Only lumber "
            f"uses --model. Default: {', '.join(DEFAULT_SPLITTERS)}."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for report.html and report.json.")
    ] = Path("report"),
    questions: Annotated[
        Path | None,
        typer.Option(
            help="File of questions, .jsonl or .csv; `lumber-splitters questions` generates one. "
            f"Measures: {_MEASURES}."
        ),
    ] = None,
    sections: Annotated[
        Sections | None,
        typer.Option(
            help="Take reference sections from the documents: headings (Markdown) or marks (lines "
            "of ten or more =)."
        ),
    ] = None,
    pattern: PatternOption = None,
    context: Annotated[
        bool,
        typer.Option(
            "--context",
            help="Also measure every splitter with chunks embedded below their context: title, "
            "headings, header of a table.",
        ),
    ] = False,
    surroundings: Annotated[
        bool,
        typer.Option(
            "--surroundings",
            help="Also measure every splitter with the vectors of a chunk's neighbours added to "
            "its own; may be combined with --context.",
        ),
    ] = False,
    max_concurrency: Concurrency = 8,
    embedder: EmbeddingsOption = "bundled",
    tokenizer: Annotated[
        str,
        typer.Option(
            help="Counter of tokens: estimate, even, words, or an encoding or model of tiktoken "
            "(extra `tiktoken`)."
        ),
    ] = DEFAULT_TOKENIZER,
    within_document: Annotated[
        bool, typer.Option(help="Search only the chunks of the question's own document.")
    ] = False,
    prices: PricesOption = None,
) -> None:
    """Compare splitters on your documents and write a report.

    Prints a table and its conclusions, and writes report.html and report.json.
    """
    require("jinja2", package="jinja2", extra="evaluation")
    cache = output / ".work"
    with wrong_options():
        model, policy = model_options.language_model(), model_options.call_policy()
        priced = prices_in(prices)
        token_counter(tokenizer).count([""])  # raises now if a vocabulary is not available
        search_embedder = embedder_of(embedder)
        specs = splitter or DEFAULT_SPLITTERS
        if model is not None and all(spec.partition(":")[0] != "lumber" for spec in specs):
            raise ValueError("--model has no effect: pass --splitter lumber")
        splitters = [
            _splitter(spec, model, policy, cache, max_concurrency, search_embedder)
            for spec in specs
        ]
    corpus = load_corpus(folder, pattern, file_options, questions=questions, sections=sections)
    absent = absent_questions(corpus)
    if absent:
        examples = "; ".join(f"{q.question!r} ({q.document})" for q in absent[:_MAX_EXAMPLES])
        say(
            f"the answers to {len(absent)} of {len(corpus.questions)} questions do not occur in "
            "their documents, so no splitter can find them: "
            f"{examples}{'; ...' if len(absent) > _MAX_EXAMPLES else ''}"
        )
    sources = [] if questions is None else [questions]
    check_outputs([output / HTML_FILE, output / JSON_FILE], folder, corpus.documents, sources)
    measured = {
        "context": context,
        "surroundings": surroundings,
        "passages": bool(corpus.questions),
    }
    with wrong_options():
        check_comparison(corpus, splitters, measured)
    comparison = compare(
        corpus,
        splitters,
        embedder=search_embedder,
        tokenizer=tokenizer,
        prices=priced,
        within_document=within_document,
        **measured,
        folder=cache,
        show_progress=sys.stderr.isatty(),
    )
    page = write_report(comparison, output)
    _print_result(comparison, page)


def _splitter(
    spec: str,
    model: Model | None,
    policy: CallPolicy,
    work: Path,
    max_concurrency: int,
    embedder: Embedder,
) -> EvaluatedSplitter:
    """Return a splitter by name; `lumber` asks the model if one is given."""
    kind, _, number = spec.partition(":")
    chosen = preset(spec, embedder=embedder)
    if model is None or kind != "lumber":
        return chosen
    work.mkdir(parents=True, exist_ok=True)
    chunker = LumberChunker(
        ModelJudge(model, policy=policy),
        method="window" if number == "window" else "paper",
        theta=THETA if number in ("", "window") else int(float(number)),
        store=work / WORK_FILE,
        max_concurrency=max_concurrency,
    )
    return wrap_splitter(chunker, name=spec)


def _print_result(comparison: Comparison, page: Path) -> None:
    """Print the table, its conclusions and the path of the report.

    A star marks values that are clearly the best.
    """
    table = summary_table(comparison)
    rows = [
        [printable(row.name)]
        + [
            f"{cell.text}{'*' if cell.best else ''}{f' ({cell.below})' if cell.below else ''}"
            for cell in row.cells
        ]
        for row in table.rows
    ]
    typer.echo(align_columns([["splitter", *table.columns], *rows]))
    typer.echo(f"\nDocuments are read as: {comparison.corpus.formats}.")
    typer.echo("\n".join(filter(None, [explanation(comparison), *conclusions(comparison)])))
    typer.echo(f"\n{page}\n{page.with_suffix('.json')}")
