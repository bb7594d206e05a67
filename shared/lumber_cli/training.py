"""`lumber-splitters train` and `lumber-splitters export`: train your own BertChunker."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lumber_cli.groups import takes_fields
from lumber_cli.options import WRONG_OPTION, errors_in_one_line, fail, wrong_options
from lumber_core.bert.model_folder import sha256
from lumber_core.support.extras import require
from lumber_evaluation.corpora import iter_wiki_dump, load_passages, load_wiki_sections
from lumber_evaluation.documents import Document
from lumber_training.meetings import load_meetings
from lumber_training.recipes import RECIPES, Recipe

if TYPE_CHECKING:
    from lumber_training.training_report import TrainingReport

_DATA_FILE = "data.json"
_REPORT_FILE = "training.json"
_PACKAGES = ("torch", "transformers", "accelerate", "onnx")


@dataclass(frozen=True, kw_only=True)
class Training:
    """The options of `train`, apart from the folder to write to."""

    passages: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines with "source", "document", "text"; may be repeated.'),
    ] = None
    sections: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines with "document", "sections"; may be repeated.'),
    ] = None
    meetings: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of transcripts next to FOLDER_topics.jsonl; may be repeated."),
    ] = None
    wikipedia: Annotated[
        list[Path] | None,
        typer.Option(help="Dump of Wikipedia (XML, also as .bz2); may be repeated."),
    ] = None
    recipe: Annotated[str, typer.Option(help=f"Training recipe: {', '.join(RECIPES)}.")] = "paper"
    base: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a BERT encoder or classifier to start from. Default: "
            "all-MiniLM-L6-v2; with --teacher, the mean of the teachers."
        ),
    ] = None
    mean_with: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of a checkpoint whose weights are averaged with the trained ones, before "
            "the threshold is set; may be repeated."
        ),
    ] = None
    teacher: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of a trained checkpoint, whose scores, or the mean of several, are "
            "learned instead of labels. May be repeated. For the recipe small: one exported "
            "classifier, or `large`."
        ),
    ] = None
    items: Annotated[
        int | None, typer.Option(help="Number of training items. Default: the recipe's.")
    ] = None
    epochs: Annotated[int | None, typer.Option(help="Number of epochs. Default: the recipe's.")] = (
        None
    )
    seed: Annotated[int | None, typer.Option(help="Random seed. Default: the recipe's.")] = None
    max_steps: Annotated[int | None, typer.Option(help="Maximum number of steps.")] = None
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 250
    bf16: Annotated[bool, typer.Option(help="Use bfloat16 mixed precision.")] = False
    resume: Annotated[bool, typer.Option(help="Continue from the last checkpoint.")] = True

    def chosen(self) -> Recipe:
        """Return the recipe, with the numbers that were given.

        Raises:
            ValueError: The recipe is unknown or needs teachers, or there is nothing to train on.
        """
        if self.recipe not in RECIPES:
            raise ValueError(f"unknown recipe {self.recipe!r}; choose one of {', '.join(RECIPES)}")
        if not (self.passages or self.sections or self.meetings or self.wikipedia):
            raise ValueError(
                "no documents to train on: pass --passages FILE, --sections FILE, "
                "--meetings FOLDER, --wikipedia FILE"
            )
        given: dict[str, Any] = {"items": self.items, "epochs": self.epochs, "seed": self.seed}
        changes = {key: value for key, value in given.items() if value is not None}
        recipe = replace(RECIPES[self.recipe], **changes)
        recipe.check_teachers(self.teacher or [])
        if recipe.scores == "places" and self.mean_with:
            raise ValueError(f"the recipe {recipe.name} makes a model of its own: no --mean-with")
        return recipe

    def documents(self) -> list[Document]:
        """Load what is trained on."""
        found = [each for path in self.passages or () for each in load_passages(path)]
        found += [each for path in self.sections or () for each in load_wiki_sections(path)]
        found += [each for path in self.meetings or () for each in load_meetings(path)]
        return found + [each for path in self.wikipedia or () for each in iter_wiki_dump(path)]

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file and folder of documents, by its name."""
        files = [*(self.passages or ()), *(self.sections or ()), *(self.wikipedia or ())]
        found = {path.name: sha256(path) for path in files}
        return found | {path.name: _folder_digest(path) for path in self.meetings or ()}


@takes_fields("training", Training)
def train_command(
    output: Annotated[
        Path, typer.Argument(help="Folder to write the model and its checkpoints to.")
    ],
    training: Training,
) -> None:
    """Train a chunk classifier and plot its learning curves."""
    with errors_in_one_line():
        with wrong_options():
            recipe = training.chosen()
        _require_packages()
        report = _trained(training, recipe, output)
        text = json.dumps(training.digests(), indent=1)
        (output / _DATA_FILE).write_text(text + "\n", encoding="utf-8")
    f1 = [point.f1 for point in report.points if point.f1 is not None]
    typer.echo(
        f"trained on {sum(report.documents.values())} documents; F1 on held-out windows "
        f"{f1[-1] if f1 else 0:.3f}; threshold {report.folded_threshold:+.2f} folded into the "
        f"bias; written to {report.folder}"
    )


def _trained(training: Training, recipe: Recipe, output: Path) -> TrainingReport:
    """Train by a recipe; return the report."""
    # Deferred: importing PyTorch takes seconds, and --help should not.
    options: dict[str, Any] = {
        "output": output,
        "recipe": recipe,
        "base": training.base,
        "resume": training.resume,
        "max_steps": training.max_steps,
        "checkpoint_every": training.checkpoint_every,
        "bf16": training.bf16,
        "show_progress": True,
    }
    teachers = training.teacher or []
    if recipe.scores == "places":
        from lumber_training.place_training import train_places

        return train_places(training.documents(), teacher=teachers[0], **options)
    from lumber_training.training import train

    mean_with = training.mean_with or []
    return train(training.documents(), mean_with=mean_with, teachers=teachers, **options)


def export_command(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of the checkpoint.")],
    output: Annotated[Path, typer.Argument(help="Folder to write to.")],
    embedder: Annotated[
        Path | None,
        typer.Option(help="Folder of a sentence encoder to export as well."),
    ] = None,
    with_minilm: Annotated[
        bool, typer.Option(help="Export all-MiniLM-L6-v2 as the sentence encoder.")
    ] = False,
) -> None:
    """Export a checkpoint to ONNX, to run without PyTorch."""
    if embedder is not None and with_minilm:
        fail("pass either --embedder or --with-minilm, not both", status=WRONG_OPTION)
    with errors_in_one_line():
        _require_packages()
        # Deferred: importing PyTorch takes seconds, and --help should not.
        from lumber_training.bases import bundled_base
        from lumber_training.export import export

        report = export(
            checkpoint,
            output=output,
            embedder=bundled_base() if with_minilm else embedder,
            provenance=_provenance(checkpoint),
        )
    typer.echo(
        f"written to {report.folder}; differs from the checkpoint in t by at most "
        f"{report.fp32_difference:.1g} in 32 bits, by {report.int8_difference:.2g} on average "
        "(root of the mean square) in 8"
    )


def _require_packages() -> None:
    for package in _PACKAGES:
        require(package, package=package, extra="train")


def _folder_digest(folder: Path) -> str:
    """Return what `sha256sum *.txt ../FOLDER_topics.jsonl | sha256sum` prints in a folder."""
    lines = [f"{sha256(path)}  {path.name}\n" for path in sorted(folder.glob("*.txt"))]
    topics = folder.with_name(f"{folder.name}_topics.jsonl")
    lines.append(f"{sha256(topics)}  ../{topics.name}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _provenance(checkpoint: Path) -> dict[str, Any]:
    """Return the digest of a checkpoint's weights, and what training recorded about them."""
    from lumber_core.bert.model_folder import WEIGHTS_FILE

    found: dict[str, Any] = {}
    if (checkpoint / WEIGHTS_FILE).is_file():
        found["checkpoint"] = {WEIGHTS_FILE: sha256(checkpoint / WEIGHTS_FILE)}
    training, data = checkpoint / _REPORT_FILE, checkpoint / _DATA_FILE
    if training.is_file():
        report = json.loads(training.read_text(encoding="utf-8"))
        found["training"] = {key: value for key, value in report.items() if key != "points"}
    if data.is_file():
        found["data"] = json.loads(data.read_text(encoding="utf-8"))
    return found
