"""Training a chunk classifier as in the paper: seeded and resumable."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lumber_core.bert.model_folder import WEIGHTS_FILE, sha256
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_evaluation.dataset import Document
from lumber_training.bases import bundled_base, tagger_from_encoder
from lumber_training.labelled_windows import IGNORED, START, LabelledWindow, label_windows
from lumber_training.synthesis import synthesize
from lumber_training.training_data import split_held_out

try:
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy
    from torch.nn.utils.rnn import pad_sequence
    from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed
    from transformers.trainer_utils import EvalPrediction, get_last_checkpoint
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_REPORT_FILE = "training.json"
_HELD_OUT_ITEMS = 96  # items of held-out documents, on which F1 is measured


class CurvePoint(NamedTuple):
    """One measurement during training.

    Attributes:
        step: Number of steps so far.
        loss: Mean loss since the previous measurement; None if only F1 was measured.
        f1: F1 of start tokens in windows of held-out documents, at t_c = 0; None if only the loss
            was measured.
    """

    step: int
    loss: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The result of a training run.

    Attributes:
        folder: Folder of `config.json`, `model.safetensors`, `tokenizer.json` and `training.json`.
        base: Name of the base encoder and the SHA-256 of its weights.
        settings: The settings of the run, by name.
        documents: Number of documents trained on.
        held_out: Number of documents held out.
        points: Loss and F1 over the steps.
    """

    folder: Path
    base: str
    settings: Mapping[str, object]
    documents: int
    held_out: int
    points: tuple[CurvePoint, ...]


def train(
    documents: Sequence[Document],
    *,
    output: str | Path,
    base: str | Path | None = None,
    items: int = 30_000,
    segments: int = 4,
    sentences: tuple[int, int] = (1, 5),
    epochs: int = 3,
    batch_size: int = 8,
    learning_rate: float = 3e-4,
    window: int = 255,
    held_out: float = 0.05,
    seed: int = 0,
    resume: bool = False,
    checkpoint_every: int = 250,
    bf16: bool = False,
    show_progress: bool = False,
) -> TrainingReport:
    """Train a chunk classifier and write it to a folder. Defaults are the paper's (BertChunker).

    Args:
        documents: The documents that items are made from, such as those of `load_documents`.
        output: Folder for the model; checkpoints go to its subfolder `checkpoints`.
        base: Folder of a BERT encoder or a classifier to start from. None: all-MiniLM-L6-v2.
        items: Number of training items.
        segments: Number of segments in an item, each from another document.
        sentences: Smallest and largest number of sentences taken from a segment.
        epochs: Passes over the items.
        batch_size: Windows per step.
        learning_rate: Peak learning rate of AdamW, reached after a hundredth of the steps.
        window: Tokens in a window, including [CLS] and [SEP].
        held_out: Share of the documents that are held out, to measure F1 on them.
        seed: The same seed gives the same items in the same order.
        resume: Continue from the last checkpoint in `output`, if there is one. With the same
            arguments the weights are those of an uninterrupted run.
        checkpoint_every: Steps between checkpoints; F1 is measured at each.
        bf16: Whether to use bfloat16 mixed precision, which is faster on hardware that supports it.
        show_progress: Whether to show a progress bar.

    Returns:
        The report, which is also written to `training.json`.

    Raises:
        ValueError: There are too few documents.
        WeightsError: The base is not a BERT encoder.
        MissingExtraError: The extra `train` is not installed.
    """
    folder = Path(output)
    source = bundled_base() if base is None else Path(base)
    training_documents, held_out_documents = split_held_out(documents, share=held_out)
    tokenizer = WordPieceTokenizer.from_folder(source)

    def windows(sources: Sequence[Document], count: int) -> list[LabelledWindow]:
        texts = synthesize(sources, items=count, segments=segments, sentences=sentences, seed=seed)
        return label_windows(texts, tokenizer, window=window, seed=seed)

    train_windows = windows(training_documents, items)
    has_enough = len(held_out_documents) >= segments
    held_out_windows = windows(held_out_documents, _HELD_OUT_ITEMS) if has_enough else []
    steps = -(-len(train_windows) // batch_size) * epochs
    set_seed(seed)
    model = tagger_from_encoder(source)
    trainer = _TaggerTrainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(folder / "checkpoints"),
            max_steps=steps,
            per_device_train_batch_size=batch_size,
            per_device_eval_batch_size=32,
            learning_rate=learning_rate,
            weight_decay=0.1,
            adam_beta2=0.95,
            warmup_steps=steps // 100,
            lr_scheduler_type="cosine",
            seed=seed,
            bf16=bf16,
            use_cpu=not torch.cuda.is_available(),
            logging_steps=min(25, checkpoint_every),
            eval_strategy="steps" if held_out_windows else "no",
            eval_steps=checkpoint_every,
            save_steps=checkpoint_every,
            save_total_limit=2,
            label_names=["labels"],
            remove_unused_columns=False,
            dataloader_pin_memory=False,
            disable_tqdm=not show_progress,
            report_to="none",
        ),
        train_dataset=train_windows,
        eval_dataset=held_out_windows or None,
        data_collator=pad,
        compute_metrics=_start_f1,
        preprocess_logits_for_metrics=lambda logits, _: logits[..., 1] - logits[..., 0],
    )
    trainer.remove_callback(PrinterCallback)
    checkpoints = folder / "checkpoints"
    last = None
    if resume and checkpoints.is_dir():
        last = get_last_checkpoint(str(checkpoints))
    trainer.train(resume_from_checkpoint=last)
    model.to("cpu").save(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    name = "all-MiniLM-L6-v2" if base is None else source.name
    report = TrainingReport(
        folder=folder,
        base=f"{name}, SHA-256 {sha256(source / WEIGHTS_FILE)}",
        settings={
            "items": items,
            "segments": segments,
            "sentences": sentences,
            "epochs": epochs,
            "batch_size": batch_size,
            "learning_rate": learning_rate,
            "window": window,
            "seed": seed,
        },
        documents=len(training_documents),
        held_out=len(held_out_documents),
        points=tuple(
            CurvePoint(int(entry["step"]), entry.get("loss"), entry.get("eval_f1"))
            for entry in trainer.state.log_history
            if "loss" in entry or "eval_f1" in entry
        ),
    )
    names = ("base", "settings", "documents", "held_out", "points")
    text = json.dumps({name: getattr(report, name) for name in names}, indent=1) + "\n"
    (folder / _REPORT_FILE).write_text(text, encoding="utf-8")
    return report


class _TaggerTrainer(Trainer):
    """A trainer with the paper's loss: cross-entropy at every token."""

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        """Return the loss of a batch, with its logits if `return_outputs` is true."""
        del num_items_in_batch  # the loss is already a mean
        logits = model(inputs["input_ids"], inputs["attention_mask"]).float()
        loss = cross_entropy(logits.flatten(0, 1), inputs["labels"].flatten(), ignore_index=IGNORED)
        return (loss, {"logits": logits}) if return_outputs else loss


def pad(rows: Sequence[LabelledWindow]) -> dict[str, torch.Tensor]:
    """Pad windows of different lengths into a batch: each tensor has the shape (rows, longest)."""
    ids = [torch.tensor(row["input_ids"]) for row in rows]
    labels = [torch.tensor(row["labels"]) for row in rows]
    return {
        "input_ids": pad_sequence(ids, batch_first=True),
        "attention_mask": pad_sequence([*map(torch.ones_like, ids)], batch_first=True),
        "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
    }


def _start_f1(prediction: EvalPrediction) -> dict[str, float]:
    """Return F1 of start tokens at t_c = 0; predictions are t = logit(start) - logit(normal)."""
    labels = np.asarray(prediction.label_ids)
    has_label = labels != IGNORED
    true = labels[has_label] == START
    predicted = np.asarray(prediction.predictions)[has_label] > 0
    hits = float((true & predicted).sum())
    return {"f1": 2 * hits / max(1.0, float(predicted.sum() + true.sum()))}
