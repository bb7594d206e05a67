"""`lumber-splitters train` and `lumber-splitters export`: train your own BertChunker."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.options import errors_in_one_line, fail
from lumber_core.bert.model_folder import sha256
from lumber_core.extras import require
from lumber_evaluation.corpora import load_passages, load_wiki_sections
from lumber_evaluation.documents import Document
from lumber_training.meetings import load_meetings
from lumber_training.recipes import RECIPES, Recipe

_DATA_FILE = "data.json"
_REPORT_FILE = "training.json"
_BUNDLED = "bundled"
_PACKAGES = ("torch", "transformers", "accelerate", "onnx")


def train_command(
    output: Annotated[
        Path, typer.Argument(help="Folder to write the model and its checkpoints to.")
    ],
    passages: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines with "source", "document", "text"; may be repeated.'),
    ] = None,
    sections: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines with "document", "sections"; may be repeated.'),
    ] = None,
    meetings: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of transcripts next to FOLDER_topics.jsonl; may be repeated."),
    ] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Training recipe: {', '.join(RECIPES)}. If repeated, each recipe continues "
            "from the model of the one before, which is kept in a subfolder of its name. "
            "Default: sentences."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a BERT encoder or classifier to start from, or `bundled` for the "
            "bundled classifier. Default: all-MiniLM-L6-v2."
        ),
    ] = None,
    mean_with: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of a checkpoint whose weights are averaged with the trained ones, before "
            "the threshold is set; may be repeated."
        ),
    ] = None,
    items: Annotated[
        int | None, typer.Option(help="Number of training items. Default: the recipe's.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Number of epochs. Default: the recipe's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed. Default: the recipe's.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Maximum number of steps.")] = None,
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 250,
    bf16: Annotated[bool, typer.Option(help="Use bfloat16 mixed precision.")] = False,
    resume: Annotated[bool, typer.Option(help="Continue from the last checkpoint.")] = True,
) -> None:
    """Train a chunk classifier and plot its learning curves."""
    names = recipe or ["sentences"]
    unknown = [name for name in names if name not in RECIPES]
    if unknown:
        fail(f"unknown recipe {unknown[0]!r}; choose one of {', '.join(RECIPES)}")
    if not passages and not sections and not meetings:
        fail("no documents to train on: pass --passages FILE, --sections FILE, --meetings FOLDER")
    changes: dict[str, Any] = {"items": items, "epochs": epochs, "seed": seed}
    changes = {key: value for key, value in changes.items() if value is not None}
    with errors_in_one_line():
        _require_packages()
        stages = [replace(RECIPES[name], **changes) for name in names]
        documents = _documents(passages or [], sections or [], meetings or [])
        # Deferred: importing PyTorch takes seconds, and --help should not.
        from lumber_training.training import train

        start = _bundled_classifier(output) if base == Path(_BUNDLED) else base
        for number, stage in enumerate(stages):
            last = number == len(stages) - 1
            folder = output if last else output / stage.name
            if last or not resume or not _is_done(folder, stage):
                report = train(
                    documents,
                    output=folder,
                    recipe=stage,
                    base=start,
                    mean_with=(mean_with or []) if last else [],
                    resume=resume,
                    max_steps=max_steps,
                    checkpoint_every=checkpoint_every,
                    bf16=bf16,
                    show_progress=True,
                )
            start = folder
    data = {path.name: sha256(path) for path in [*(passages or []), *(sections or [])]}
    data |= {path.name: _folder_digest(path) for path in meetings or []}
    (output / _DATA_FILE).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    f1 = [point.f1 for point in report.points if point.f1 is not None]
    typer.echo(
        f"trained on {sum(report.documents.values())} documents; F1 on held-out windows "
        f"{f1[-1] if f1 else 0:.3f}; threshold {report.folded_threshold:+.2f} folded into the "
        f"bias; written to {report.folder}"
    )


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
    window: Annotated[int, typer.Option(help="Tokens per window.")] = 255,
    fp32: Annotated[bool, typer.Option(help="Also keep the 32-bit model.")] = True,
) -> None:
    """Export a checkpoint to ONNX, to run without PyTorch."""
    if embedder is not None and with_minilm:
        fail("pass either --embedder or --with-minilm, not both")
    with errors_in_one_line():
        _require_packages()
        # Deferred: importing PyTorch takes seconds, and --help should not.
        from lumber_core.bert.pytorch import bundled_base
        from lumber_training.export import export

        report = export(
            checkpoint,
            output=output,
            window=window,
            keep_fp32=fp32,
            embedder=bundled_base() if with_minilm else embedder,
            provenance=_provenance(checkpoint),
        )
    typer.echo(
        f"written to {report.folder}; differs from the checkpoint in t by at most "
        f"{report.fp32_difference:.1g} in 32 bits, by {report.int8_difference:.2g} on average "
        "(root of the mean square) in 8"
    )


def _is_done(folder: Path, recipe: Recipe) -> bool:
    """Return whether a folder has the finished model of a recipe."""
    report = folder / _REPORT_FILE
    if not report.is_file():
        return False
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["recipe"]
    wanted: dict[str, Any] = json.loads(json.dumps(asdict(recipe)))
    return found == wanted


def _bundled_classifier(output: Path) -> Path:
    """Write the checkpoint of the bundled classifier to a folder in `output`."""
    from lumber_core.bert.model_folder import find_folder
    from lumber_core.bert.pytorch import bundled_base
    from lumber_training.dequantisation import read_back

    return read_back(find_folder(_BUNDLED), encoder=bundled_base(), output=output / "base")


def _require_packages() -> None:
    for package in _PACKAGES:
        require(package, package=package, extra="train")


def _documents(passages: list[Path], sections: list[Path], meetings: list[Path]) -> list[Document]:
    documents = [document for path in passages for document in load_passages(path)]
    documents += [document for path in sections for document in load_wiki_sections(path)]
    return documents + [document for path in meetings for document in load_meetings(path)]


def _folder_digest(folder: Path) -> str:
    """Return what `sha256sum *.txt ../FOLDER_topics.jsonl | sha256sum` prints in a folder."""
    lines = [f"{sha256(path)}  {path.name}\n" for path in sorted(folder.glob("*.txt"))]
    topics = folder.with_name(f"{folder.name}_topics.jsonl")
    lines.append(f"{sha256(topics)}  ../{topics.name}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _provenance(checkpoint: Path) -> dict[str, Any]:
    """Return the digest of a checkpoint's weights, and what training recorded about them."""
    from lumber_core.bert.pytorch import WEIGHTS_FILE

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
