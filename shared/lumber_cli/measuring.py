"""What `lumber-splitters compare` and `sweep` share: options, and the printed table."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.asking import MODEL_HELP, takes_asking
from lumber_cli.options import EncodingOption, MaxUnpackedOption, prices_in
from lumber_cli.panels import MEASURING
from lumber_cli.subjects import (
    Concurrency,
    PatternOption,
    check_outputs,
    check_tokenizer,
    corpus_in,
    splitter_named,
)
from lumber_cli.tables import show_table
from lumber_core.llms import CallPolicy, Model
from lumber_core.tokens import DEFAULT_TOKENIZER
from lumber_evaluation.comparison import Comparison
from lumber_evaluation.comparison.metrics import METRICS, families_of
from lumber_evaluation.documents import Corpus, EvaluatedSplitter
from lumber_evaluation.report import HTML_FILE, JSON_FILE
from lumber_evaluation.report.conclusions import conclusions
from lumber_evaluation.report.tables import Table, summary_table
from lumber_files import MAX_UNPACKED

_MEASURES = ", ".join(
    family.title for family in families_of(METRICS) if family.sample == "question"
)
Output = Annotated[Path, typer.Option(help="Folder for report.html and report.json.")]
takes_evaluation_model = takes_asking(
    help_text=f"For `lumber`, propositions, --qa and --hyde. {MODEL_HELP}"
)


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
    max_unpacked: MaxUnpackedOption = MAX_UNPACKED
    max_concurrency: Concurrency = 8
    embedder: Annotated[
        str,
        typer.Option(
            help="Embedding model: bundled, contriever, or contriever:FOLDER.",
            rich_help_panel=MEASURING,
        ),
    ] = "bundled"
    tokenizer: Annotated[
        str,
        typer.Option(
            help="How tokens of chunks are counted: estimate, words, or a tiktoken encoding (extra "
            "`tiktoken`).",
            rich_help_panel=MEASURING,
        ),
    ] = DEFAULT_TOKENIZER
    within_document: Annotated[
        bool,
        typer.Option(
            help="Search only the chunks of the question's own document.", rich_help_panel=MEASURING
        ),
    ] = False
    prices: Annotated[
        str | None,
        typer.Option(
            help="Prices of a million input and output tokens, for example 0.15,0.60.",
            rich_help_panel=MEASURING,
        ),
    ] = None
    work: Annotated[
        Path | None,
        typer.Option(
            help="Folder that caches finished work, so that an interrupted run resumes. Default: "
            ".work in the output folder.",
            rich_help_panel=MEASURING,
        ),
    ] = None

    def corpus(self, folder: Path, output: Path) -> Corpus:
        """Load the documents.

        Raises:
            Exit: The report would replace one of them, or the questions.
        """
        corpus = corpus_in(
            folder,
            questions=self.questions,
            pattern=self.pattern,
            sections=self.sections,
            encoding=self.encoding,
            max_unpacked=self.max_unpacked,
        )
        asked = [self.questions] if self.questions is not None else []
        check_outputs([output / HTML_FILE, output / JSON_FILE], folder, corpus.documents, asked)
        return corpus

    def cache(self, output: Path) -> Path:
        """Return the folder that caches finished work."""
        return self.work or output / ".work"

    def named_splitter(
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


def tell(made: Comparison, page: Path) -> None:
    """Print the table, what can be concluded from it, and where the report is."""
    _show(summary_table(made))
    typer.echo(f"\nDocuments are read as: {made.corpus.formats}.")
    typer.echo("\n".join(conclusions(made)))
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
