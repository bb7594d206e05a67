"""`lumber-splitters compare`: measure splitters side by side."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.asking import Asking
from lumber_cli.groups import takes_fields
from lumber_cli.measuring import Measuring, Output, takes_evaluation_model, tell
from lumber_cli.options import errors_in_one_line, wrong_options
from lumber_cli.subjects import SPLITTER_NAMES, Folder, asks_model, work_file
from lumber_core.extras import require
from lumber_core.llms import CallPolicy, Model
from lumber_evaluation.comparison import Comparison, QaSettings, check_comparison, compare
from lumber_evaluation.documents import Corpus, EvaluatedSplitter
from lumber_evaluation.llm.hyde import hypothetical_passages
from lumber_evaluation.null_control import RandomCuts
from lumber_evaluation.report import write_report

DEFAULT_SPLITTERS = ("bert", "lumber", "recursive:1000", "paragraphs")
"""The splitters compared by default; none of them needs a key or a download."""


@dataclass(frozen=True, kw_only=True)
class Comparing(Measuring):
    """The options of `compare`: which splitters, and what a language model adds."""

    splitter: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Splitter to compare; may be repeated. One of {SPLITTER_NAMES}; lumber-local "
            "(without a model); propositions (needs a model). Default: "
            f"{', '.join(DEFAULT_SPLITTERS)}."
        ),
    ] = None
    output: Output = Path("report")
    null_control: Annotated[
        bool,
        typer.Option(
            "--null-control",
            help="Also compare chunks of each splitter's sizes, cut at random sentences.",
        ),
    ] = False
    context: Annotated[
        list[str] | None,
        typer.Option(
            help="Also measure every splitter with this in the vectors of its chunks: headings, "
            "surroundings, or headings,surroundings; may be repeated."
        ),
    ] = None
    passages: Annotated[
        bool,
        typer.Option(
            "--passages",
            help="Also measure what a reader gets: hits that lie close together are joined to "
            "passages, found by vectors, and by vectors and words.",
        ),
    ] = False
    hyde: Annotated[
        bool,
        typer.Option(
            "--hyde", help="Search with hypothetical passages that the model writes (HyDE)."
        ),
    ] = False
    qa: Annotated[
        bool,
        typer.Option(
            "--qa", help="Also let the model answer the questions, and grade the answers."
        ),
    ] = False
    top_k: Annotated[
        int, typer.Option(min=1, help="With --qa: number of passages shown to the model.")
    ] = 5

    @property
    def specs(self) -> Sequence[str]:
        """The names of the splitters."""
        return self.splitter or DEFAULT_SPLITTERS

    def run(self, folder: Path, model: Model | None, policy: CallPolicy) -> Comparison:
        """Compare the splitters on the documents of a folder.

        Raises:
            ValueError: An option is wrong, or needs a model or questions that are missing.
        """
        with wrong_options():
            self._check_model(model)
            arguments = self.arguments(self.output)
            splitters = self._splitters(model, policy)
            answering = self._answering(model, policy)
        corpus = self.corpus(folder, self.output)
        with wrong_options():
            check_comparison(
                corpus,
                splitters,
                qa=answering,
                contexts=self._contexts,
                passages=self.passages,
            )
            if self.hyde and not corpus.questions:
                raise ValueError("--hyde needs questions: pass --questions FILE")
        texts = self._hypothetical(corpus, model, policy)
        return compare(
            corpus,
            splitters,
            query_texts=texts,
            passages=self.passages,
            qa=answering,
            contexts=self._contexts,
            **arguments,
        )

    @property
    def _contexts(self) -> list[Any]:
        """Return the contexts; `compare` checks them."""
        return [[part.strip() for part in one.split(",")] for one in self.context or ()]

    def _check_model(self, model: Model | None) -> None:
        """Raise if a model is missing, or if nothing would be asked of the one there is."""
        for option, given in (("--qa", self.qa), ("--hyde", self.hyde)):
            if given and model is None:
                raise ValueError(f"{option} needs a model: pass --model NAME")
        if model is not None and not (self.qa or self.hyde or any(map(asks_model, self.specs))):
            raise ValueError(
                "--model has no effect: pass --qa, --hyde, --splitter lumber or propositions"
            )

    def _splitters(self, model: Model | None, policy: CallPolicy) -> list[EvaluatedSplitter]:
        made = [self.named_splitter(spec, model, policy, self.output) for spec in self.specs]
        return [*made, *map(RandomCuts, made)] if self.null_control else made

    def _answering(self, model: Model | None, policy: CallPolicy) -> QaSettings | None:
        """Return how the model answers the questions; None if it does not."""
        if not self.qa or model is None:
            return None
        return QaSettings(
            model, top_k=self.top_k, policy=policy, max_concurrency=self.max_concurrency
        )

    def _hypothetical(
        self, corpus: Corpus, model: Model | None, policy: CallPolicy
    ) -> Sequence[str] | None:
        """Return what is searched with instead of the questions; None: the questions."""
        if not self.hyde or model is None:
            return None
        return hypothetical_passages(
            corpus.questions,
            model,
            store=work_file(self.cache(self.output)),
            policy=policy,
            max_concurrency=self.max_concurrency,
            show_progress=sys.stderr.isatty(),
        ).texts


@takes_fields("comparing", Comparing)
@takes_evaluation_model
def compare_command(folder: Folder, comparing: Comparing, asking: Asking) -> None:
    """Compare splitters on your documents and write a report.

    Prints a table with what can be concluded from it, and writes report.html and report.json.
    """
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        with wrong_options():
            model, policy = asking.language_model(), asking.call_policy()
        made = comparing.run(folder, model, policy)
        page = write_report(made, comparing.output)
    tell(made, page)
