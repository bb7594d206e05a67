"""Calibration: choosing held-out documents, and the best threshold on them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.pytorch import ChunkTagger, TorchScorer
from lumber_core.bert.scores import TokenScores
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.bert.windows import OverlappingWindows, TokenScorer, scan
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.examples import START, LabelledWindows, label_item
from lumber_training.items import Item
from lumber_training.parts import Part
from lumber_training.recipes import Recipe
from lumber_training.synthesis import whole

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_MEASURED_WINDOWS = 96
_NEIGHBOURS = 4  # thresholds on either side of one, 0.05 apart, that its value is averaged with
_SYNTHETIC = 40  # synthetic documents of each kind to set the threshold on
# Sources whose documents are continuous texts, so that their own boundaries can be measured.
_CONTINUOUS = ("fairytaleqa", "wiki_sections", "wikipedia", "meetings")


def split_held_out(
    documents: Sequence[Document], *, share: float
) -> tuple[list[Document], list[Document]]:
    """Divide documents into those to train on and those to hold out.

    The part a document belongs to depends only on its name: adding documents moves no others, and
    models of different seeds, which may be averaged, are held out from the same documents.

    Args:
        documents: The documents.
        share: Expected share to hold out.

    Returns:
        The documents to train on and the held-out documents, both in the order given.

    Raises:
        ValueError: One of the two parts would have no documents.
    """
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        # The 0 is part of the division that the large weights were trained with.
        name = f"0/{document.source}/{document.name}".encode()
        draw = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64
        sides[draw < share].append(document)
    if not sides[0] or (share and not sides[1]):
        raise ValueError(
            f"{len(documents)} documents are too few to hold out a share of {share:g} and train "
            "on the rest: pass more documents, or set held_out to 0"
        )
    return sides


def held_out_windows(
    documents: Sequence[Document], tokenizer: WordPieceTokenizer, recipe: Recipe
) -> LabelledWindows:
    """Make windows from held-out documents, of the kinds that the recipe trains on."""
    kinds = [
        part
        for part in recipe.parts
        if not part.sources or any(d.source in part.sources for d in documents)
    ]
    items = []
    for number, part in enumerate(kinds):
        fitting = _fitting(part, documents)
        items += fitting.items(documents, -(-_MEASURED_WINDOWS // len(kinds)), seed=number)
    labelled = [label_item(item, tokenizer) for item in items]
    return LabelledWindows(labelled, tokenizer, window=recipe.window, seed=recipe.seed)


def _fitting(part: Part, documents: Sequence[Document]) -> Part:
    """Let items join fewer pieces if there are few documents, as in a small training set."""
    limit = len(documents)
    if part.kind == "notes":
        limit = max(len(document.starts) for document in documents)
    few, many = part.fewest_and_most_segments
    return replace(part, share=1.0, segments=(min(few, limit), min(many, limit)))


class ScoredStarts(NamedTuple):
    """Scores of the sentences that may start a segment.

    Attributes:
        scores: Highest t among the first six tokens of each sentence except the text's first,
            shape (sentences,).
        true: Whether a segment starts there, same shape.
    """

    scores: npt.NDArray[np.float32]
    true: npt.NDArray[np.bool_]

    def f1(self, threshold: float) -> float:
        """Return F1 of the starts scored above a threshold; 0 if there are none."""
        predicted = self.scores > threshold
        hits = float((predicted & self.true).sum())
        return 2 * hits / max(1.0, float(predicted.sum() + self.true.sum()))

    def pk(self, threshold: float) -> float:
        """Return Pk of the starts scored above a threshold, all documents taken as one text."""
        k = max(1, round(len(self.true) / (2 * (int(self.true.sum()) + 1))))
        joined = [
            counted[k:] == counted[:-k]
            for counted in (np.cumsum(self.true), np.cumsum(self.scores > threshold))
        ]
        return float((joined[0] != joined[1]).mean()) if len(joined[0]) else 0.0


def score_documents(
    scorer: TokenScorer,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Item],
    *,
    size: int,
) -> ScoredStarts:
    """Score every sentence of some documents, in overlapping windows.

    Args:
        scorer: The model.
        tokenizer: Its tokenizer.
        documents: Texts with their sentence and segment starts.
        size: Tokens in a window, without [CLS] and [SEP].
    """
    scores: list[npt.NDArray[np.float32]] = []
    true: list[npt.NDArray[np.bool_]] = []
    for document in documents:
        pieces = tokenizer(document.text)
        windows = OverlappingWindows(pieces.ids, size=size, stride=(size + 1) // 2)
        scan(scorer, [windows])
        first = pieces.first_of(document.sentences)
        tokens = TokenScores(pieces.starts, pieces.ends, windows.scores)
        scores.append(tokens.at(pieces.starts[first])[1:])
        true.append(np.isin(first[1:], pieces.first_of(document.starts)))
    return ScoredStarts(np.concatenate(scores), np.concatenate(true))


def best_threshold(sets: Sequence[ScoredStarts], *, slack: float = 0.0) -> float:
    """Return the threshold with the highest F1 less Pk, averaged over several sets of scores.

    F1 alone favours many cuts where starts are hard to tell, as in stories and meetings. What is
    compared is the mean over a range of 0.2 on either side: held-out documents are few, and the
    height of a single point is noise.

    Args:
        sets: Scores of different kinds of documents; each kind has the same weight.
        slack: How far below the best a mean may be, for the lowest such threshold. Where starts are
            hard to tell, as in articles, scores are low, and a lower threshold finds more of them.

    Returns:
        A multiple of 0.05; the middle one if several are equally good and there is no slack.

    Raises:
        ValueError: There are no scores.
    """
    if not sets or not all(len(scored.scores) for scored in sets):
        raise ValueError("no scores to choose a threshold from: pass more or longer documents")
    low = min(float(scored.scores.min()) for scored in sets)
    high = max(float(scored.scores.max()) for scored in sets)
    candidates = [step / 20 for step in range(int(low * 20) - 1, int(high * 20) + 2)]
    means = [
        sum(scored.f1(candidate) - scored.pk(candidate) for scored in sets) / len(sets)
        for candidate in candidates
    ]
    # Beyond the ends, where no start or every start is cut, F1 and Pk stay as they are.
    padded = np.pad(means, _NEIGHBOURS, mode="edge")
    smooth = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1).mean(axis=1)
    best = np.flatnonzero(smooth >= smooth.max() - max(slack, 1e-12))
    return candidates[int(best[0 if slack else len(best) // 2])]


def calibration_sets(documents: Sequence[Document], recipe: Recipe) -> dict[str | Part, list[Item]]:
    """Return the documents to set the threshold on, by kind.

    The kinds are each source of continuous texts, synthetic documents of the paper's kind, and
    those of each other kind in the recipe.

    Args:
        documents: The held-out documents.
        recipe: The recipe.
    """
    sets: dict[str | Part, list[Item]] = {}
    for document in documents:
        if len(document.starts) > 1 and document.source in _CONTINUOUS:
            sets.setdefault(document.source, []).extend(whole([document]))
    for part in (Part("synthetic", 1.0), *recipe.parts):
        longer = replace(part, segments=10, sentences=(3, 11))
        like = _fitting(longer if part.kind == "synthetic" else part, documents)
        if part.kind != "excerpts" and like not in sets:
            sets[like] = like.items(documents, _SYNTHETIC, seed=len(sets))
    return sets


def fold_best_threshold(
    model: ChunkTagger,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Document],
    *,
    recipe: Recipe,
) -> float:
    """Find the best threshold on held-out documents and subtract it from the classifier's bias.

    F1 and Pk are taken over all documents of a kind together, and each kind has the same weight.

    Args:
        model: The classifier; its bias is changed in place.
        tokenizer: Its tokenizer.
        documents: The held-out documents.
        recipe: The recipe it was trained by.

    Returns:
        The threshold, which is 0 for the changed model.
    """
    scorer = TorchScorer(model, **tokenizer.specials, device="cpu")
    scored = [
        score_documents(scorer, tokenizer, items, size=recipe.window - 2)
        for items in calibration_sets(documents, recipe).values()
    ]
    threshold = best_threshold(scored)
    with torch.no_grad():
        model.chunklayer.bias[START] -= threshold
    return threshold
