"""A small model that scores places, where chunks may start, instead of tokens.

The text between two places is a segment. Its vector is made of fixed word vectors: weighted means
over the segment, two convolutions over tokens, a weighted mean of their output and its values at
the segment's first and last tokens, and how alike the segments before and after the place are. A
transformer over places follows, in which each place sees `REACH` places to either side. So a text
of a thousand sentences costs a few matrix products over a thousand rows.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy.typing as npt

from lumber_core.bert.model_folder import CONFIG_FILE, WEIGHTS_FILE
from lumber_core.errors import MissingExtraError, WeightsError

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

REACH = 24
"""Places to either side that a place sees in a layer."""

SPANS = (1, 2, 4, 8)
"""Numbers of segments before and after a place whose means are compared."""

LONGEST = 60
"""Tokens from which on a segment counts as long."""

POOLS = 4
"""Parts of the convolutions' output, each with weights of its own in the mean."""

LAST = 2
"""Tokens at a segment's end that are read in full."""

_KIND = "places"
_SAMPLE = 8000  # words whose principal components the reduction of word vectors starts from


@dataclass(frozen=True, slots=True)
class PlaceShape:
    """The shape of a model of places.

    Attributes:
        vocabulary: Number of token ids.
        word_width: Width of the fixed word vectors.
        groups: Means over a segment, each with word weights of its own. One more has random word
            vectors, which tell words that occur again.
        group_width: Width of each mean.
        token_width: Width of the convolutions over tokens.
        first_tokens: Tokens at a segment's start that are read in full.
        width: Width of the transformer over places.
        inner_width: Width of its feed-forward networks.
        layers: Its layers.
        heads: Attention heads of each layer.
        components: Principal components of the teacher's hidden states that are learned as well.
    """

    vocabulary: int = 0
    word_width: int = 0
    groups: int = 4
    group_width: int = 64
    token_width: int = 128
    first_tokens: int = 6
    width: int = 256
    inner_width: int = 1024
    layers: int = 4
    heads: int = 4
    components: int = 64

    @property
    def means(self) -> int:
        """Number of means over a segment."""
        return self.groups + 1

    @property
    def vector_width(self) -> int:
        """Width of a word's vector, all groups together."""
        return self.means * self.group_width

    @property
    def features(self) -> int:
        """Width of what is known of a segment before the transformer."""
        ends = self.width + self.width // 2
        return self.vector_width + self.token_width + ends + self.means * len(SPANS) + 3


class PlaceBatch(NamedTuple):
    """Windows of texts. The tokens of all windows are in one row, with an empty slot behind each.

    Attributes:
        ids: Token ids, shape (slots,).
        real: Whether there is a token in a slot, same shape.
        first: Slot of each segment's first token, shape (places,).
        after: Slot just past each segment's last token, same shape.
        window: Number of the window of each place, same shape.
        number: Number of each place in its window, same shape.
    """

    ids: Tensor
    real: Tensor
    first: Tensor
    after: Tensor
    window: Tensor
    number: Tensor


class PlaceLayer(nn.Module):
    """A layer of the transformer; attention has a learned bias for each distance."""

    def __init__(self, shape: PlaceShape, dropout: float) -> None:
        super().__init__()
        width, inner = shape.width, shape.inner_width
        self.heads, self.dropout = shape.heads, dropout
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.a, self.b = nn.Linear(width, inner), nn.Linear(inner, width)
        self.bias = nn.Parameter(torch.zeros(shape.heads, 2 * REACH + 1))

    def forward(self, hidden: Tensor, distance: Tensor, seen: Tensor) -> Tensor:
        """Return the next hidden states, shape (windows, places, width)."""
        windows, places, width = hidden.shape
        qkv = self.qkv(self.n1(hidden)).view(windows, places, 3, self.heads, -1)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        bias = self.bias[:, distance][None].to(query.dtype).masked_fill(~seen[:, None], -1e4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        mixed = self.o(mixed.transpose(1, 2).reshape(windows, places, width))
        hidden = hidden + functional.dropout(mixed, self.dropout, self.training)
        inner = self.b(gelu(self.a(self.n2(hidden))))
        return hidden + functional.dropout(inner, self.dropout, self.training)


class PlaceModel(nn.Module):
    """A model of places.

    Args:
        shape: Its shape.
        dropout: Dropout probability of the transformer in training.
        word_dropout: Share of the tokens left out in training.
    """

    V: Tensor  # fixed word vectors
    R: Tensor  # random word vectors, each of length 1

    def __init__(
        self, shape: PlaceShape, *, dropout: float = 0.0, word_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.shape, self.word_dropout = shape, word_dropout
        learned, narrow, width = shape.groups * shape.group_width, shape.token_width, shape.width
        self.register_buffer("V", torch.zeros(shape.vocabulary, shape.word_width))
        self.register_buffer("R", torch.zeros(shape.vocabulary, shape.group_width))
        self.M = nn.Parameter(torch.zeros(shape.word_width, learned))  # reduces word vectors
        self.weight = nn.Parameter(torch.zeros(shape.vocabulary, shape.means))  # log word weights
        self.c0 = nn.Linear(shape.vector_width, narrow)
        self.c1, self.c2 = nn.Linear(3 * narrow, narrow), nn.Linear(3 * narrow, narrow)
        self.n1, self.n2 = nn.LayerNorm(narrow), nn.LayerNorm(narrow)
        self.att = nn.Linear(narrow, POOLS)
        self.firsts = nn.Linear(shape.first_tokens * narrow, width)
        self.lasts = nn.Linear(LAST * narrow, width // 2)
        self.into, self.nin = nn.Linear(shape.features, width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(PlaceLayer(shape, dropout) for _ in range(shape.layers))
        self.nout = nn.LayerNorm(width)
        self.t, self.aux = nn.Linear(width, 1), nn.Linear(width, shape.components)

    def set_words(self, vectors: npt.ArrayLike, log_weights: npt.ArrayLike) -> None:
        """Set the fixed word vectors, and let the means start from their principal components.

        Args:
            vectors: Shape (vocabulary, word_width).
            log_weights: Logarithm of the weight of each word in a mean, shape (vocabulary,).
        """
        shape, random = self.shape, torch.Generator().manual_seed(5)
        learned = shape.groups * shape.group_width
        self.V.copy_(torch.as_tensor(vectors))
        noise = torch.randn(self.R.shape, generator=random)
        self.R.copy_(noise / noise.norm(dim=1, keepdim=True))
        sample = self.V[torch.randperm(shape.vocabulary, generator=random)[:_SAMPLE]]
        _, sizes, directions = torch.linalg.svd(sample, full_matrices=False)
        scale = (len(sample) / shape.group_width) ** 0.5 / 2
        whitened = (directions.T / sizes * scale)[:, :learned]
        with torch.no_grad():
            self.M[:, : whitened.shape[1]] = whitened  # fewer if there are few words
            self.weight.copy_(torch.as_tensor(log_weights)[:, None].expand_as(self.weight))

    def words(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return the weighted vectors of words, (ids, vector_width), and weights, (ids, means)."""
        weights = torch.exp(self.weight[ids].clamp(-6, 4))
        vectors = torch.cat([self.V[ids] @ self.M, self.R[ids]], 1)
        return vectors * weights.repeat_interleave(self.shape.group_width, 1), weights

    def forward(self, batch: PlaceBatch) -> tuple[Tensor, Tensor]:
        """Score places.

        Returns:
            t of each place, shape (places,), and what it says of the teacher's hidden state, shape
            (places, components).
        """
        shape = self.shape
        ids, inverse = torch.unique(batch.ids, return_inverse=True)
        vectors, weights = (each[inverse] for each in self.words(ids))
        kept = real = batch.real[:, None].float()
        if self.training and self.word_dropout:
            kept = real * (torch.rand(len(real), 1) > self.word_dropout).float()
        vectors, weights = vectors * kept, weights * kept
        starts = torch.zeros_like(batch.ids).index_fill_(0, batch.first, 1)
        owner = torch.cumsum(starts, 0) - 1
        sums = _sums(weights, owner, len(batch.first)) + 1e-3
        divisors = sums.repeat_interleave(shape.group_width, 1)
        means = _sums(vectors, owner, len(batch.first)) / divisors
        read = self._read_tokens(vectors, real, owner, batch)
        length = (batch.after - batch.first).float().clamp(max=LONGEST)
        known = [length.log(), (batch.number == 0).float(), sums.sum(1).log1p()]
        alike = self._compare(means, batch)
        features = torch.cat([means * 2, *read, alike * 2, torch.stack(known, 1)], 1)
        hidden = self._transform(self.nin(self.into(features)), batch)
        return self.t(hidden)[:, 0].float(), self.aux(hidden).float()

    def _read_tokens(
        self, vectors: Tensor, real: Tensor, owner: Tensor, batch: PlaceBatch
    ) -> list[Tensor]:
        """Return weighted mean, first and last tokens of each segment, after two convolutions."""
        narrow, places = self.shape.token_width, len(batch.first)
        hidden = gelu(self.c0(vectors))
        for convolution, norm in ((self.c1, self.n1), (self.c2, self.n2)):
            wide = functional.pad(norm(hidden) * real, (0, 0, 1, 1))
            hidden = hidden + gelu(convolution(torch.cat([wide[:-2], wide[1:-1], wide[2:]], 1)))
        weights = torch.exp(self.att(hidden).float().clamp(-8, 8)) * real
        weighted = hidden.float() * weights.repeat_interleave(narrow // POOLS, 1)
        sums = _sums(weights, owner, places) + 1e-3
        mean = _sums(weighted, owner, places) / sums.repeat_interleave(narrow // POOLS, 1)
        padded, none = functional.pad(hidden, (0, 0, 0, 1)), len(hidden)
        first = batch.first[:, None] + torch.arange(self.shape.first_tokens)
        first = padded[torch.where(first < batch.after[:, None], first, none)].flatten(1)
        last = batch.after[:, None] - 1 - torch.arange(LAST)
        last = padded[torch.where(last >= batch.first[:, None], last, none)].flatten(1)
        return [mean, gelu(self.firsts(first)).float(), gelu(self.lasts(last)).float()]

    def _compare(self, means: Tensor, batch: PlaceBatch) -> Tensor:
        """Return cosines of the segments before and from each place on, (places, spans x means)."""
        groups, size = self.shape.groups, int(batch.number.max()) + 1
        means = means.view(len(means), groups + 1, -1)
        unit = functional.normalize(means[:, :groups], dim=-1, eps=1e-4)
        rows = _by_window(torch.cat([unit, means[:, groups:]], 1), batch)
        total = functional.pad(rows.cumsum(1), (0, 0, 0, 0, 1, 0))
        at = torch.arange(size)
        cosines = []
        for span in SPANS:
            before = total[:, at] - total[:, (at - span).clamp(min=0)]
            onward = total[:, (at + span).clamp(max=size)] - total[:, at]
            cosines.append(functional.cosine_similarity(before, onward, dim=-1, eps=1e-3))
        return torch.cat(cosines, -1)[batch.window, batch.number]

    def _transform(self, hidden: Tensor, batch: PlaceBatch) -> Tensor:
        """Run the transformer, and return the hidden state of each place."""
        rows = _by_window(hidden, batch)
        there = _by_window(torch.ones(len(hidden), dtype=torch.bool), batch)
        at = torch.arange(rows.shape[1])
        distance = at[None] - at[:, None]
        # Rows that are padding see themselves: a softmax over nothing has no value.
        seen = (distance.abs() <= REACH) & there[:, None] | (distance == 0)
        distance = distance.clamp(-REACH, REACH) + REACH
        for layer in self.layers:
            rows = layer(rows, distance, seen)
        states: Tensor = self.nout(rows)[batch.window, batch.number]
        return states

    def save(self, folder: str | Path) -> None:
        """Write `config.json` and `model.safetensors` into a folder."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        config = json.dumps({"kind": _KIND, **asdict(self.shape)}, indent=1)
        (target / CONFIG_FILE).write_text(config + "\n", encoding="utf-8")
        state = {key: value.contiguous() for key, value in self.state_dict().items()}
        save_file(state, target / WEIGHTS_FILE)


def is_place_model(folder: str | Path) -> bool:
    """Return whether a folder has the checkpoint of a model of places."""
    try:
        config = json.loads((Path(folder) / CONFIG_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("kind") == _KIND


def load_place_model(folder: str | Path) -> PlaceModel:
    """Load the checkpoint of a model of places, in evaluation mode.

    Raises:
        WeightsError: A file is missing or damaged, or the files do not belong together.
    """
    source = Path(folder)
    try:
        config = json.loads((source / CONFIG_FILE).read_text(encoding="utf-8"))
        config.pop("kind")
        model = PlaceModel(PlaceShape(**config))
        model.load_state_dict(load_file(source / WEIGHTS_FILE))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise WeightsError(f"{source} has no checkpoint of a model of places: {error}") from error
    return model.eval()


def gelu(hidden: Tensor) -> Tensor:
    """Return GELU in its approximation by tanh, which is a node of the exported graph."""
    return functional.gelu(hidden, approximate="tanh")


def _sums(values: Tensor, owner: Tensor, count: int) -> Tensor:
    """Return the sum of the rows of each owner, shape (count, width)."""
    return torch.zeros(count, values.shape[1]).index_add_(0, owner, values)


def _by_window(values: Tensor, batch: PlaceBatch) -> Tensor:
    """Return what there is for each place by window, padded: (windows, most places, ...)."""
    shape = int(batch.window.max()) + 1, int(batch.number.max()) + 1, *values.shape[1:]
    rows = values.new_zeros(shape)
    rows[batch.window, batch.number] = values
    return rows
