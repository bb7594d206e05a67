"""`lumber-splitters compare` and `lumber-splitters sweep`: measure splitters on documents."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.asking import MODEL_HELP, Asking, takes_asking
from lumber_cli.groups import takes_fields
from lumber_cli.options import (
    EncodingOption,
    errors_in_one_line,
    fail,
    numbers_in,
    prices_in,
)
from lumber_cli.subjects import (
    SPLITTER_NAMES,
    Concurrency,
    Folder,
    PatternOption,
    asks_model,
    check_tokenizer,
    corpus_in,
    splitter_named,
    work_file,
)
from lumber_cli.tables import show_table
from lumber_core.extras import require
from lumber_core.llms import CallPolicy, Model
from lumber_core.tokens import DEFAULT_TOKENIZER
from lumber_evaluation.comparison import (
    Comparison,
    QaSettings,
    check_comparison,
    compare,
)
from lumber_evaluation.comparison.metrics import METRICS, families_of
from lumber_evaluation.comparison.sweep import THETAS, sweep
from lumber_evaluation.documents import Corpus, EvaluatedSplitter
from lumber_evaluation.llm.hyde import hypothetical_passages
from lumber_evaluation.null_control import RandomCuts
from lumber_evaluation.report import write_report
from lumber_evaluation.report.conclusions import conclusions
from lumber_evaluation.report.tables import Table, summary_table

DEFAULT_SPLITTERS = ("bert", "lumber", "recursive:1000", "paragraphs")
"""The splitters compared by default; none of them needs a key or a download."""

_MEASURES = ", ".join(
    family.title for family in families_of(METRICS) if family.sample == "question"
)
Output = Annotated[Path, typer.Option(help="Folder to write report.html and report.json to.")]
_takes_asking = takes_asking(help_text=f"For `lumber`, propositions, --qa and --hyde. {MODEL_HELP}")


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """The options that `compare` and `sweep` share: what is measured, and how."""

    questions: Annotated[
        Path | None,
        typer.Option(
            help="File of questions, .jsonl or .csv; `lumber-splitters questions` generates one. "
            f"Measures: {_MEASURES}."
        ),
    ] = None
    sections: Annotated[
        str | None,
        typer.Option(
            help="Take reference sections from the documents: headings (Markdown) or marks (lines "
            "of ten or more =)."
        ),
    ] = None
    pattern: PatternOption = None
    encoding: EncodingOption = None
    embedder: Annotated[
        str, typer.Option(help="Embedding model: bundled, contriever, or contriever:FOLDER.")
    ] = "bundled"
    tokenizer: Annotated[
        str,
        typer.Option(
            help="How tokens of chunks are counted: estimate, words, or a tiktoken encoding."
        ),
    ] = DEFAULT_TOKENIZER
    within_document: Annotated[
        bool, typer.Option(help="Search only the chunks of the question's own document.")
    ] = False
    work: Annotated[
        Path | None,
        typer.Option(
            help="Folder that caches finished work, so that an interrupted run resumes. Default: "
            ".work in the output folder."
        ),
    ] = None
    prices: Annotated[
        str | None,
        typer.Option(help="Prices of a million input and output tokens, for example 0.15,0.60."),
    ] = None
    max_concurrency: Concurrency = 8

    def corpus(self, folder: Path) -> Corpus:
        """Load the documents."""
        return corpus_in(
            folder,
            questions=self.questions,
            pattern=self.pattern,
            sections=self.sections,
            encoding=self.encoding,
        )

    def cache(self, output: Path) -> Path:
        """Return the folder that caches finished work."""
        return self.work or output / ".work"

    def splitter(
        self, spec: str, model: Model | None, policy: CallPolicy, output: Path
    ) -> EvaluatedSplitter:
        """Return a splitter by name, as `splitter_named` does."""
        return splitter_named(
            spec,
            model,
            policy=policy,
            work=self.cache(output),
            max_concurrency=self.max_concurrency,
            embedder=self.embedder,
        )

    def arguments(self, output: Path) -> dict[str, Any]:
        """Return the arguments that `compare` and `sweep` of the evaluation share.

        Raises:
            ValueError: A name or a price is wrong.
            TokenizerDataError: The tokenizer's vocabulary cannot be loaded.
        """
        prices = prices_in(self.prices)
        check_tokenizer(self.tokenizer)
        return {
            "embedder": self.embedder,
            "tokenizer": self.tokenizer,
            "prices": prices,
            "within_document": self.within_document,
            "folder": self.cache(output),
            "show_progress": sys.stderr.isatty(),
        }


@_takes_asking
@takes_fields("measuring", Measuring)
def compare_command(
    folder: Folder,
    measuring: Measuring,
    asking: Asking,
    splitter: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Splitter to compare; may be repeated. One of {SPLITTER_NAMES}; lumber-local "
            "(without a model); propositions (needs a model). Default: "
            f"{', '.join(DEFAULT_SPLITTERS)}."
        ),
    ] = None,
    null_control: Annotated[
        bool,
        typer.Option(
            "--null-control",
            help="Also compare chunks of each splitter's sizes, cut at random sentences.",
        ),
    ] = False,
    output: Output = Path("report"),
    hyde: Annotated[
        bool,
        typer.Option(
            "--hyde", help="Search with hypothetical passages that the model writes (HyDE)."
        ),
    ] = False,
    qa: Annotated[
        bool,
        typer.Option(
            "--qa", help="Also let the model answer the questions, and grade the answers."
        ),
    ] = False,
    top_k: Annotated[
        int, typer.Option(help="With --qa: number of passages shown to the model.")
    ] = 5,
) -> None:
    """Compare splitters on your documents and write a report.

    Prints a table with what can be concluded from it, and writes report.html and report.json.
    """
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        specs = splitter or DEFAULT_SPLITTERS
        asked = asking.language_model()
        _check_asked(asked, specs, qa=qa, hyde=hyde)
        arguments = measuring.arguments(output)
        policy = asking.call_policy()
        subjects = [measuring.splitter(spec, asked, policy, output) for spec in specs]
        if null_control:
            subjects += [RandomCuts(one) for one in subjects]
        corpus = measuring.corpus(folder)
        answering = None
        if qa and asked is not None:
            answering = QaSettings(
                asked, top_k=top_k, policy=policy, max_concurrency=measuring.max_concurrency
            )
        check_comparison(corpus, subjects, qa=answering)
        if hyde and not corpus.questions:
            fail("--hyde needs questions: pass --questions FILE")
        queries = None
        if hyde and asked is not None:
            queries = hypothetical_passages(
                corpus.questions,
                asked,
                store=work_file(measuring.cache(output)),
                policy=policy,
                max_concurrency=measuring.max_concurrency,
                show_progress=sys.stderr.isatty(),
            ).texts
        made = compare(corpus, subjects, query_texts=queries, qa=answering, **arguments)
        page = write_report(made, output)
    _tell(made, page)


def _check_asked(asked: Model | None, specs: Sequence[str], *, qa: bool, hyde: bool) -> None:
    """Raise if a model is missing, or if nothing would be asked of the one there is."""
    for option, given in (("--qa", qa), ("--hyde", hyde)):
        if given and asked is None:
            raise ValueError(f"{option} needs a model: pass --model NAME")
    if asked is not None and not (qa or hyde or any(map(asks_model, specs))):
        raise ValueError(
            "--model has no effect: pass --qa, --hyde, --splitter lumber or propositions"
        )


@_takes_asking
@takes_fields("measuring", Measuring)
def sweep_command(
    folder: Folder,
    measuring: Measuring,
    asking: Asking,
    theta: Annotated[
        str | None,
        typer.Option(
            help=f"Values of theta for `lumber`, for example {','.join(map(str, THETAS))}."
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="Values of t_c of `bert-tc`, for example --threshold=-1,0,1."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="Values of the size of `greedy`, `bert`, `fixed` or `recursive`, as in 200,400."
        ),
    ] = None,
    splitter: Annotated[
        str | None, typer.Option(help="Splitter to sweep. Default: the one the setting belongs to.")
    ] = None,
    output: Output = Path("sweep"),
) -> None:
    """Try several values of one setting and write a report."""
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        kind, parameter, values = _swept(splitter, theta=theta, threshold=threshold, size=size)
        asked = asking.language_model()
        if asked is not None and kind != "lumber":
            fail(f"--model has no effect: {kind} uses no model")
        arguments = measuring.arguments(output)
        policy = asking.call_policy()
        made = sweep(
            measuring.corpus(folder),
            lambda value: measuring.splitter(f"{kind}:{value:g}", asked, policy, output),
            values,
            parameter=parameter,
            **arguments,
        )
        page = write_report(made, output)
    _tell(made.comparison, page)


def _swept(
    splitter: str | None, *, theta: str | None, threshold: str | None, size: str | None
) -> tuple[str, str, list[float]]:
    """Return the splitter to sweep, the name of the setting, and its values."""
    known = {
        "theta": (theta, ("lumber", "lumber-local")),
        "threshold": (threshold, ("bert-tc",)),
        "size": (size, ("greedy", "bert", "fixed", "recursive")),
    }
    given = [name for name, (values, _) in known.items() if values is not None]
    if len(given) != 1:
        raise ValueError("pass values of exactly one setting: --theta, --threshold or --size")
    (name,) = given
    values, kinds = known[name]
    kind = splitter or kinds[0]
    if kind not in kinds:
        raise ValueError(f"--{name} is a setting of {' or '.join(kinds)}, not of {kind}")
    assert values is not None
    return kind, name, numbers_in(f"--{name}", values)


def _tell(made: Comparison, page: Path) -> None:
    _show(summary_table(made))
    typer.echo("\n" + "\n".join(conclusions(made)))
    typer.echo(f"\n{page}\n{page.with_suffix('.json')}")


def _show(table: Table) -> None:
    """Print a table; a star marks values that are clearly the best."""
    rows = [
        [row.name]
        + [
            f"{cell.text}{'*' if cell.best else ''}{f' ({cell.below})' if cell.below else ''}"
            for cell in row.cells
        ]
        for row in table.rows
    ]
    show_table(["splitter", *table.columns], rows)
