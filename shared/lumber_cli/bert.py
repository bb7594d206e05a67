"""`lumber-splitters train` and `lumber-splitters export`: a BertChunker of one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lumber_cli.failing import errors_in_one_line, fail
from lumber_core.bert.packaged import sha256
from lumber_evaluation.corpora import load_passages, load_wiki_sections
from lumber_evaluation.documents import Document
from lumber_training.recipes import RECIPES

_DATA_FILE = "data.json"


def train_command(
    output: Annotated[Path, typer.Argument(help="Folder for the model and its checkpoints.")],
    passages: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines of {"source", "document", "text"}; may be repeated.'),
    ] = None,
    sections: Annotated[
        list[Path] | None,
        typer.Option(help='JSON lines of {"document", "sections"}; may be repeated.'),
    ] = None,
    recipe: Annotated[str, typer.Option(help=f"One of: {', '.join(RECIPES)}.")] = "bundled",
    base: Annotated[
        Path | None,
        typer.Option(help="Folder of a BERT encoder to start from, instead of all-MiniLM-L6-v2."),
    ] = None,
    items: Annotated[int | None, typer.Option(help="Training items, instead of the recipe's.")] = (
        None
    ),
    epochs: Annotated[int | None, typer.Option(help="Epochs, instead of the recipe's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed, instead of the recipe's.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Steps at most.")] = None,
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 250,
    bf16: Annotated[bool, typer.Option(help="Compute in bfloat16 where that is safe.")] = False,
    resume: Annotated[bool, typer.Option(help="Go on from the last checkpoint.")] = True,
) -> None:
    """Train a chunk classifier on documents, and draw its curves."""
    if recipe not in RECIPES:
        fail(f"there is no recipe {recipe!r}; choose one of {', '.join(RECIPES)}")
    if not passages and not sections:
        fail("give documents to train on: --passages FILE, --sections FILE, or both")
    changes: dict[str, Any] = {"items": items, "epochs": epochs, "seed": seed}
    with errors_in_one_line():
        chosen = replace(RECIPES[recipe], **{k: v for k, v in changes.items() if v is not None})
        documents = _documents(passages or [], sections or [])
        # Deferred: it brings PyTorch, which reading --help should not wait for.
        from lumber_training.training import train

        report = train(
            documents,
            output=output,
            recipe=chosen,
            base=base,
            resume=resume,
            max_steps=max_steps,
            checkpoint_every=checkpoint_every,
            bf16=bf16,
            show_progress=True,
        )
    data = {path.name: sha256(path) for path in [*(passages or []), *(sections or [])]}
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
        typer.Option(help="Folder of a sentence encoder to put beside the classifier."),
    ] = None,
    with_minilm: Annotated[
        bool, typer.Option(help="Put all-MiniLM-L6-v2 beside the classifier.")
    ] = False,
    window: Annotated[int, typer.Option(help="Tokens in a window.")] = 255,
    fp32: Annotated[bool, typer.Option(help="Keep the 32-bit model, too.")] = True,
) -> None:
    """Turn a checkpoint into ONNX files that load without PyTorch."""
    if embedder is not None and with_minilm:
        fail("give either --embedder or --with-minilm")
    with errors_in_one_line():
        # Deferred: it brings PyTorch, which reading --help should not wait for.
        from lumber_core.bert.model import bundled_base
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


def _documents(passages: list[Path], sections: list[Path]) -> list[Document]:
    documents = [document for path in passages for document in load_passages(path)]
    return documents + [document for path in sections for document in load_wiki_sections(path)]


def _provenance(checkpoint: Path) -> dict[str, Any]:
    """Collect what training wrote about itself; empty for checkpoints from elsewhere."""
    found: dict[str, Any] = {}
    training, data = checkpoint / "training.json", checkpoint / _DATA_FILE
    if training.is_file():
        report = json.loads(training.read_text(encoding="utf-8"))
        found["training"] = {key: value for key, value in report.items() if key != "points"}
    if data.is_file():
        found["data"] = json.loads(data.read_text(encoding="utf-8"))
    return found
