"""Training a small model of places on what an exported classifier says: seeded and resumable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError
from lumber_evaluation.documents import Document
from lumber_training.bases import bundled_base
from lumber_training.calibration import (
    ScoredStarts,
    best_threshold,
    calibration_sets,
    split_held_out,
)
from lumber_training.items import Item
from lumber_training.place_batches import Segments, score_segments
from lumber_training.place_model import PlaceModel, PlaceShape
from lumber_training.place_run import PlaceRun
from lumber_training.place_teaching import Teacher, teach
from lumber_training.place_vectors import log_weights, word_vectors
from lumber_training.recipes import SMALL, Recipe
from lumber_training.training_report import (
    TrainingReport,
    count_by_source,
    describe_start,
)

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_MEASURED = 8  # held-out items of each kind on which F1 is measured during training
_CHECKPOINT = "last.pt"
_SLACK = 0.002  # of F1 less Pk, which is nearly the same for many thresholds


def train_places(
    documents: Sequence[Document],
    *,
    output: str | Path,
    teacher: str | Path,
    recipe: Recipe = SMALL,
    base: str | Path | None = None,
    shape: PlaceShape | None = None,
    resume: bool = False,
    max_steps: int | None = None,
    checkpoint_every: int = 250,
    bf16: bool = False,
    show_progress: bool = False,
) -> TrainingReport:
    """Train a model of places and write it to a folder.

    Args:
        documents: The documents to make items from.
        output: Folder for the model. What the teacher says goes to its subfolder `taught`, and is
            read again if teacher, items and seed are the same; checkpoints go to `checkpoints`.
        teacher: "large", or the folder of an exported classifier.
        recipe: Settings of the run.
        base: Folder of the encoder for fixed word vectors. None: all-MiniLM-L6-v2.
        shape: Shape of the model; its vocabulary and word vectors are those of the base.
        resume: Continue from the last checkpoint in `output`, if there is one. With the same
            arguments the weights are those of an uninterrupted run.
        max_steps: Length of the schedule in steps; None for all items.
        checkpoint_every: Steps between checkpoints; F1 is measured at each.
        bf16: Whether to use bfloat16 mixed precision.
        show_progress: Whether to show progress bars.

    Returns:
        The report, which is also written to `training.json`.

    Raises:
        ValueError: There are too few documents for the recipe, or there is no such teacher.
        WeightsError: The teacher is no exported classifier, the base is no encoder, or their
            tokenizers differ.
        MissingExtraError: The extra `train` is not installed.
    """
    folder, source = Path(output), bundled_base() if base is None else Path(base)
    guide = Teacher(teacher)
    if WordPieceTokenizer.from_folder(source).words != guide.tokenizer.words:
        raise WeightsError(
            f"{teacher} cannot teach a model with the words of {source}: it has another tokenizer"
        )
    train_on, keep = split_held_out(documents, share=recipe.held_out)
    numbers = {id(part): number for number, part in enumerate(recipe.parts)}
    items = [(item, numbers[id(part)]) for item, part in recipe.make_items(train_on)]
    steps = recipe.count_steps(len(items), max_steps)
    shape = PlaceShape() if shape is None else shape
    taught, components = teach(
        guide,
        items,
        folder=folder / "taught",
        components=shape.components,
        seed=recipe.seed_of_items,
        show_progress=show_progress,
    )
    vectors = word_vectors(source)
    shape = replace(
        shape,
        vocabulary=len(vectors),
        word_width=vectors.shape[1],
        components=components.basis.shape[1],
    )
    torch.manual_seed(recipe.seed)
    model = PlaceModel(shape, dropout=recipe.dropout or 0.0, word_dropout=recipe.masked)
    model.set_words(vectors, log_weights((text.segments.ids for text in taught), len(vectors)))
    measured = calibration_sets(keep, recipe) if keep else {}
    run = PlaceRun(model, recipe, taught, components, steps=steps, bf16=bf16)
    path = folder / "checkpoints" / _CHECKPOINT
    if resume and path.is_file():
        run.load(path)
    score = partial(score_items, run.averaged, guide.tokenizer)
    with tqdm(total=steps, initial=run.step, unit="step", disable=not show_progress) as bar:
        while run.step < steps:
            run.take_step()
            if run.step % checkpoint_every == 0 or run.step == steps:
                some = [score(each[:_MEASURED]).f1(0.0) for each in measured.values()]
                run.measure(float(np.mean(some)) if some else None)
                run.save(path)
            bar.update()
    threshold = 0.0
    if recipe.fold_threshold:
        threshold = best_threshold([score(each) for each in measured.values()], slack=_SLACK)
        with torch.no_grad():
            run.averaged.t.bias.sub_(threshold)
    run.averaged.save(folder)
    (folder / "tokenizer.json").write_text(guide.tokenizer.to_json(), encoding="utf-8")
    report = TrainingReport(
        folder=folder,
        base=describe_start([] if base is None else [source]),
        recipe=recipe,
        documents=count_by_source(train_on),
        held_out=count_by_source(keep),
        averaged_steps=(),
        averaged_with=(),
        teachers=(guide.description,),
        folded_threshold=threshold,
        points=tuple(run.points),
    )
    report.write()
    return report


def score_items(
    model: PlaceModel, tokenizer: WordPieceTokenizer, items: Sequence[Item]
) -> ScoredStarts:
    """Score every sentence of some texts.

    Args:
        model: The model.
        tokenizer: Its tokenizer.
        items: Texts with their sentence and segment starts.
    """
    scores, true = [], []
    for item in items:
        pieces = tokenizer(item.text)
        first = pieces.first_of(item.sentences)
        scores.append(score_segments(model, Segments(pieces.ids, first))[1:])
        true.append(np.isin(first[1:], pieces.first_of(item.starts)))
    return ScoredStarts(np.concatenate(scores), np.concatenate(true))
