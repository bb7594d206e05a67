"""`python -m lumber_training`: train a classifier for BertChunker, and export it to ONNX."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lumber_core.errors import LumberError
from lumber_core.support.extras import require
from lumber_training.training_data import load_documents

_PACKAGES = ("torch", "transformers", "accelerate", "onnx")


def run_command(arguments: Sequence[str] | None = None) -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(prog="python -m lumber_training", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_train(commands.add_parser("train", help="train a classifier, as in the paper"))
    to_onnx = commands.add_parser("export", help="write a checkpoint as ONNX")
    to_onnx.add_argument("checkpoint", type=Path, help="folder of the checkpoint")
    to_onnx.add_argument("output", type=Path, help="folder to write to")
    to_onnx.add_argument("--embedder", type=Path, help="sentence encoder to export with it")
    to_onnx.set_defaults(run=_export)
    options = parser.parse_args(arguments)
    try:
        for package in _PACKAGES:
            require(package, package=package, extra="train")
        print(options.run(options))  # noqa: T201 - a command reports
    except (LumberError, OSError, ValueError) as error:
        sys.exit(f"lumber_training: {error}")


def _add_train(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("output", type=Path, help="folder for the model; a run that was interrupted continues")
    add(
        "documents",
        type=Path,
        nargs="+",
        help='JSON Lines of {"document", "text"} or {"document", "sections"}',
    )
    add("--base", type=Path, help="BERT encoder or classifier to start from [all-MiniLM-L6-v2]")
    add("--items", type=int, default=30_000, help="training examples [%(default)s]")
    add("--epochs", type=int, default=3, help="passes over the examples [%(default)s]")
    add("--batch-size", type=int, default=8, help="examples per step [%(default)s]")
    add("--learning-rate", type=float, default=3e-4, help="peak learning rate [%(default)s]")
    add("--seed", type=int, default=0, help="random seed of the examples [%(default)s]")
    add("--checkpoint-every", type=int, default=250, help="steps between checkpoints [%(default)s]")
    add("--bf16", action="store_true", help="use bfloat16, which is faster on GPUs that support it")
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> str:
    documents = [document for path in options.documents for document in load_documents(path)]
    from lumber_training.training import train  # deferred: importing PyTorch takes seconds

    settings = {name: v for name, v in vars(options).items() if name not in ("documents", "run")}
    report = train(documents, **settings, resume=True, show_progress=True)
    f1 = [f"{point.f1:.3f}" for point in report.points if point.f1 is not None]
    return (
        f"trained on {report.documents} documents; F1 on held-out windows "
        f"{f1[-1] if f1 else 'not measured'}; written to {report.folder}"
    )


def _export(options: argparse.Namespace) -> str:
    from lumber_training.export import export  # deferred: importing PyTorch takes seconds

    report = export(options.checkpoint, output=options.output, embedder=options.embedder)
    return (
        f"written to {report.folder}; scores differ from the checkpoint's by at most "
        f"{report.fp32_difference:.1g} (float32), and by {report.int8_difference:.2g} RMS (int8)"
    )


if __name__ == "__main__":
    run_command()
