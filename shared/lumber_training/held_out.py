"""Documents held out of training: which they are, and what they are for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from lumber_core.bert.model import ChunkTagger
from lumber_core.bert.pytorch import TorchScorer
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.calibration import best_threshold, score_documents
from lumber_training.examples import START, Windows, label_item
from lumber_training.items import Item
from lumber_training.recipes import Part, Recipe
from lumber_training.synthesis import whole

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_MEASURED_WINDOWS = 480
_SYNTHETIC = 40  # synthetic documents of each kind that the threshold is set on
# Sources whose documents are one text each, so that their boundaries can be measured as they stand.
_CONTINUOUS = ("fairytaleqa", "wiki_sections")


def split_documents(
    documents: Sequence[Document], *, share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """Divide documents into those to train on and those to hold out.

    Which side a document falls on depends on its name and the seed alone, so adding documents
    moves none across.

    Args:
        documents: The documents.
        share: Share to hold out, on average.
        seed: Decides which.

    Returns:
        The documents to train on and those held out, both in the order given.

    Raises:
        ValueError: If one side is left without any document although it was to have some.
    """
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        name = f"{seed}/{document.source}/{document.name}".encode()
        draw = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64
        sides[draw < share].append(document)
    if not sides[0] or (share and not sides[1]):
        raise ValueError(
            f"{len(documents)} documents are too few to hold out a share of {share:g} and train "
            "on the rest: give more, or set held_out to 0"
        )
    return sides


def measured_windows(
    documents: Sequence[Document], tokenizer: WordPieceTokenizer, recipe: Recipe
) -> Windows:
    """Make windows of held-out documents, of the kinds that the recipe trains on."""
    kinds = [
        part
        for part in recipe.parts
        if not part.sources or any(d.source in part.sources for d in documents)
    ]
    items = []
    for number, part in enumerate(kinds):
        # Few documents are held out of few: their items then join fewer pieces.
        most = part.segments if isinstance(part.segments, int) else part.segments[1]
        fewest = part.segments if isinstance(part.segments, int) else part.segments[0]
        limit = len(documents)
        fitting = replace(part, segments=(min(fewest, limit), min(most, limit)))
        items += fitting.items(documents, -(-_MEASURED_WINDOWS // len(kinds)), seed=number)
    labelled = [label_item(item, tokenizer) for item in items]
    return Windows(labelled, tokenizer, window=recipe.window, seed=recipe.seed)


def fold_best_threshold(
    model: ChunkTagger,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Document],
    *,
    recipe: Recipe,
) -> float:
    """Move the threshold that is best on documents into the layer's bias, so that it becomes 0.

    Every kind of document counts the same: each source of continuous texts, synthetic documents
    of the paper's kind, and those of each other kind that the recipe makes. F1 of starts at
    sentence-initial tokens is taken over the documents of a kind as a whole.

    Returns:
        The threshold that was folded.
    """
    sets: dict[object, list[Item]] = {}
    for document in documents:
        if len(document.starts) > 1 and document.source in _CONTINUOUS:
            sets.setdefault(document.source, []).extend(whole([document]))
    shape = Part("synthetic", 1.0, segments=min(10, len(documents)), sentences=(3, 11))
    for part in (shape, *recipe.parts):
        if part.kind == "synthetic" and (part.variety, part.tokenised) not in sets:
            like = replace(shape, variety=part.variety, tokenised=part.tokenised)
            sets[part.variety, part.tokenised] = like.items(documents, _SYNTHETIC, seed=len(sets))
    scorer = TorchScorer(model, cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id)
    scored = {
        name: score_documents(scorer, tokenizer, items, size=recipe.window - 2)
        for name, items in sets.items()
    }
    threshold = best_threshold(list(scored.values()))
    with torch.no_grad():
        model.chunklayer.bias[START] -= threshold
    return threshold
