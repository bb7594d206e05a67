"""`lumber compare` and `lumber sweep`: splitters on one's own documents, and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lumber_core import LumberChunker, ModelJudge, Prices
from lumber_core.cli.failing import errors_in_one_line, fail
from lumber_core.cli.models import named_model
from lumber_core.cli.options import (
    SPLITTERS,
    BaseUrl,
    Concurrency,
    Folder,
    KeyVariable,
    PerMinute,
)
from lumber_core.evaluation.comparison import (
    Comparison,
    QaSettings,
    check_comparison,
    compare,
)
from lumber_core.evaluation.corpora import load_folder
from lumber_core.evaluation.corpora.folder import Sections as SectionMarks
from lumber_core.evaluation.documents import Corpus
from lumber_core.evaluation.embedders import embedder as embedder_of
from lumber_core.evaluation.hyde import hypothetical_passages
from lumber_core.evaluation.propositions import PropositionSplitter
from lumber_core.evaluation.report.tables import Table, summary_table
from lumber_core.evaluation.splitters import Subject, preset, subject
from lumber_core.evaluation.sweep import THETAS, sweep
from lumber_core.models import CallPolicy, Model
from lumber_core.models.extras import require

DEFAULT_SPLITTERS = ("bert", "lumber", "recursive:1000", "paragraphs")
"""What is compared where nothing else is asked for: all without a key, none with a download."""

Questions = Annotated[
    Path | None,
    typer.Option(
        help="Questions: JSON lines or CSV in GutenQA's columns; `lumber questions` makes some."
    ),
]
Sections = Annotated[
    str | None,
    typer.Option(
        help="What starts a reference section in the documents: headings (Markdown) or marks "
        "(lines of ten or more =)."
    ),
]
Embedder = Annotated[str, typer.Option(help="bundled, contriever, or contriever:FOLDER.")]
Output = Annotated[Path, typer.Option(help="Folder for report.html and report.json.")]
Work = Annotated[
    Path | None,
    typer.Option(
        help="Folder that keeps finished work, so that a run cut short goes on; "
        "by default .work in the output folder."
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        help="Name of a model that judges for the splitter `lumber`: one of OpenAI's, or gemini-…."
    ),
]
PriceList = Annotated[
    str | None,
    typer.Option(help="What a million tokens sent and received cost, as in 0.15,0.60."),
]
Tokenizer = Annotated[
    str, typer.Option(help="What counts the tokens of chunks: words, or a tiktoken encoding.")
]
Within = Annotated[
    bool, typer.Option(help="Let a question search the chunks of its own document only.")
]


def compare_command(
    folder: Folder,
    questions: Questions = None,
    splitter: Annotated[
        list[str] | None,
        typer.Option(
            help=f"May be repeated: {SPLITTERS}; lumber-local, which asks no model; or "
            "propositions, which need one. By default: "
            f"{', '.join(DEFAULT_SPLITTERS)}."
        ),
    ] = None,
    output: Output = Path("report"),
    sections: Sections = None,
    embedder: Embedder = "bundled",
    model: ModelName = None,
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    hyde: Annotated[
        bool,
        typer.Option("--hyde", help="Search with passages that the model makes up (HyDE)."),
    ] = False,
    qa: Annotated[
        bool, typer.Option("--qa", help="Have the model answer the questions, too, and judge.")
    ] = False,
    top_k: Annotated[int, typer.Option(help="With --qa: passages shown to the model.")] = 5,
    prices: PriceList = None,
    within_document: Within = False,
    tokenizer: Tokenizer = "words",
    work: Work = None,
    max_concurrency: Concurrency = 8,
    requests_per_minute: PerMinute = None,
) -> None:
    """Run splitters side by side on your documents, and write a report."""
    kept = work or output / ".work"
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        asked = _model(model, base_url, key_variable)
        for option, given in (("--qa", qa), ("--hyde", hyde)):
            if given and asked is None:
                fail(f"{option} needs a model: pass --model NAME")
        if asked is not None and not (qa or hyde or any(map(_asks, splitter or DEFAULT_SPLITTERS))):
            fail("--model is of no use: pass --qa, --hyde, --splitter lumber or propositions")
        policy = CallPolicy(requests_per_minute=requests_per_minute)
        subjects = [
            _subject(spec, asked, policy, kept, max_concurrency, embedder)
            for spec in splitter or DEFAULT_SPLITTERS
        ]
        corpus = _corpus(folder, questions, sections)
        answering = None
        if qa and asked is not None:
            answering = QaSettings(
                asked, top_k=top_k, policy=policy, max_concurrency=max_concurrency
            )
        check_comparison(corpus, subjects, qa=answering)
        queries = None
        if hyde and asked is not None:
            queries = hypothetical_passages(
                corpus.questions,
                asked,
                store=_completions(kept),
                policy=policy,
                max_concurrency=max_concurrency,
                show_progress=True,
            ).texts
        made = compare(
            corpus,
            subjects,
            embedder=embedder,
            query_texts=queries,
            qa=answering,
            tokenizer=tokenizer,
            prices=_prices(prices),
            within_document=within_document,
            folder=kept,
            show_progress=True,
        )
        page = made.write(output)
    _tell(made, page)


def sweep_command(
    folder: Folder,
    questions: Questions = None,
    theta: Annotated[
        str | None,
        typer.Option(help=f"Sweeps `lumber`, as in {','.join(map(str, THETAS))}."),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(help="Sweeps t_c of `bert`, as in --threshold=-1,0,1.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(help="Sweeps the chunk size of `greedy`, `fixed` or `recursive`."),
    ] = None,
    splitter: Annotated[
        str | None, typer.Option(help="Which splitter; needed only with --size, else known.")
    ] = None,
    output: Output = Path("sweep"),
    sections: Sections = None,
    embedder: Embedder = "bundled",
    model: ModelName = None,
    base_url: BaseUrl = None,
    key_variable: KeyVariable = None,
    prices: PriceList = None,
    within_document: Within = False,
    tokenizer: Tokenizer = "words",
    work: Work = None,
    max_concurrency: Concurrency = 8,
    requests_per_minute: PerMinute = None,
) -> None:
    """Try several values of one setting of a splitter, and write a report."""
    kept = work or output / ".work"
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        kind, parameter, values = _swept(splitter, theta=theta, threshold=threshold, size=size)
        asked = _model(model, base_url, key_variable)
        if asked is not None and kind != "lumber":
            fail(f"--model is of no use: {kind} asks no model")
        policy = CallPolicy(requests_per_minute=requests_per_minute)
        made = sweep(
            _corpus(folder, questions, sections),
            lambda value: _subject(
                f"{kind}:{value:g}", asked, policy, kept, max_concurrency, embedder
            ),
            values,
            parameter=parameter,
            embedder=embedder,
            tokenizer=tokenizer,
            prices=_prices(prices),
            within_document=within_document,
            folder=kept,
            show_progress=True,
        )
        page = made.write(output)
    _tell(made.comparison, page)


def _corpus(folder: Path, questions: Path | None, sections: str | None) -> Corpus:
    known: dict[str, SectionMarks] = {"headings": "headings", "marks": "marks"}
    if sections is not None and sections not in known:
        raise ValueError(f"--sections must be headings or marks, not {sections!r}")
    marked = None if sections is None else known[sections]
    return load_folder(folder, questions=questions, sections=marked)


def _model(name: str | None, base_url: str | None, key_variable: str | None) -> Model | None:
    if name is None:
        if base_url is not None or key_variable is not None:
            raise ValueError("--base-url and --key-variable are about a model: pass --model NAME")
        return None
    return named_model(name, base_url=base_url, key_variable=key_variable)


def _asks(spec: str) -> bool:
    """Tell whether a splitter asks the model where there is one."""
    return spec.partition(":")[0] in ("lumber", "propositions")


def _completions(work: Path) -> Path:
    work.mkdir(parents=True, exist_ok=True)
    return work / "completions.db"


def _subject(
    spec: str,
    model: Model | None,
    policy: CallPolicy,
    work: Path,
    max_concurrency: int,
    embedder: str,
) -> Subject:
    """Make a splitter; `lumber` is judged by the model where there is one."""
    kind, colon, number = spec.partition(":")
    if spec == "propositions":
        if model is None:
            raise ValueError("propositions are written by a model: pass --model NAME")
        return PropositionSplitter(
            model, store=_completions(work), policy=policy, max_concurrency=max_concurrency
        )
    if kind == "lumber-local":
        return subject(preset(f"lumber{colon}{number}"), name=spec)
    made = preset(
        spec, embedder=embedder_of(embedder)
    )  # says what is wrong with the name or the number
    if model is None or kind != "lumber":
        return made
    work.mkdir(parents=True, exist_ok=True)
    chunker = LumberChunker(
        ModelJudge(model, policy=policy),
        theta=int(float(number)) if number else 550,
        store=work / "answers.db",
        max_concurrency=max_concurrency,
    )
    return subject(chunker, name=spec)


def _swept(
    splitter: str | None, *, theta: str | None, threshold: str | None, size: str | None
) -> tuple[str, str, list[float]]:
    """Return which splitter is swept, over which setting, and its values."""
    known = {
        "theta": (theta, ("lumber", "lumber-local")),
        "threshold": (threshold, ("bert",)),
        "size": (size, ("greedy", "fixed", "recursive")),
    }
    given = [name for name, (values, _) in known.items() if values is not None]
    if len(given) != 1:
        raise ValueError("give the values of one setting: --theta, --threshold or --size")
    (name,) = given
    values, kinds = known[name]
    kind = splitter or kinds[0]
    if kind not in kinds:
        raise ValueError(f"--{name} is a setting of {' or '.join(kinds)}, not of {kind}")
    assert values is not None
    return kind, name, _numbers(f"--{name}", values)


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} takes numbers with commas between them, not {text!r}") from None


def _prices(text: str | None) -> Prices | None:
    if text is None:
        return None
    numbers = _numbers("--prices", text)
    if len(numbers) != 2 or min(numbers) < 0:
        raise ValueError(
            f"--prices takes two numbers, for a million tokens sent and received, not {text!r}"
        )
    return Prices(*numbers)


def _tell(made: Comparison, page: Path) -> None:
    typer.echo(as_text(summary_table(made)))
    typer.echo(f"\n{page}\n{page.with_suffix('.json')}")


def as_text(table: Table) -> str:
    """Return a table in plain text; values clearly best carry a star."""
    rows = [["splitter", *table.columns]]
    for row in table.rows:
        cells = [
            f"{cell.text}{'*' if cell.best else ''}{f' ({cell.below})' if cell.below else ''}"
            for cell in row.cells
        ]
        rows.append([row.name, *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *padded]))
    return "\n".join(lines)
