"""Fixed vectors of words, from an encoder: its output for a word alone, and its embedding."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.bert.windows import TokenIds
from lumber_core.errors import MissingExtraError
from lumber_training.bases import tagger_from_encoder
from lumber_training.quantisation import Floats

try:
    import torch
    from torch.nn.functional import normalize
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_AT_ONCE = 256
_COMMON = 1e-3  # share of all tokens; the weight of a word that is as common is half


@torch.inference_mode()
def word_vectors(encoder: str | Path) -> Floats:
    """Return a vector for each token id of a sentence encoder, shape (vocabulary, 2 x width).

    The first half is the mean of the hidden states for the word alone, of length 1, the second its
    word embedding. Each half is centred, with a standard deviation of 1.

    Raises:
        WeightsError: A file is missing or damaged, or is not a BERT encoder.
    """
    model = tagger_from_encoder(encoder).eval().model
    tokenizer = WordPieceTokenizer.from_folder(encoder)
    embeddings = model.embeddings.word_embeddings.weight
    alone = []
    for begin in range(0, len(embeddings), _AT_ONCE):
        words = range(begin, min(begin + _AT_ONCE, len(embeddings)))
        ids = torch.tensor([[tokenizer.cls_id, word, tokenizer.sep_id] for word in words])
        hidden = model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        alone.append(normalize(hidden.mean(1), dim=1))
    halves = [half.numpy() for half in (torch.cat(alone), embeddings)]
    scaled = [(half - half.mean(0)) / (half - half.mean(0)).std() for half in halves]
    return np.concatenate(scaled, axis=1).astype(np.float32)


def log_weights(texts: Iterable[TokenIds], vocabulary: int) -> npt.NDArray[np.float32]:
    """Return the logarithm of the weight of each word in a mean, by how often it occurs.

    Args:
        texts: Token ids of texts.
        vocabulary: Number of token ids.
    """
    counts = np.full(vocabulary, 0.5)
    for ids in texts:
        counts += np.bincount(ids, minlength=vocabulary)
    weights: npt.NDArray[np.float32] = np.log(_COMMON / (counts / counts.sum() + _COMMON))
    return weights.astype(np.float32)
