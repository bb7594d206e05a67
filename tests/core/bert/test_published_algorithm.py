"""The published inference, written again in a few lines of torch, finds the same cuts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from lumber_core.bert import BertChunker  # noqa: E402
from lumber_core.bert.pytorch import ChunkTagger, load_tagger  # noqa: E402
from lumber_core.bert.tokenizer import WordPieceTokenizer  # noqa: E402

WINDOW = 255


@torch.inference_mode()
def published_starts(
    model: ChunkTagger, ids: list[int], cls: int, sep: int, t_c: float, may_start: list[bool]
) -> list[int]:
    """Starts by the paper: window of 255 with [CLS] and [SEP], on to the last start, or past."""
    starts: set[int] = set()
    begin = 0
    while begin < len(ids):
        inner = ids[begin : begin + WINDOW - 2]
        x = torch.tensor([[cls, *inner, sep]])
        logits = model(x, torch.ones_like(x))[0, 1:-1]
        t = logits[:, 1] - logits[:, 0]
        found = [begin + i for i in range(len(inner)) if t[i] > t_c and may_start[begin + i]]
        starts.update(place for place in found if place > 0)
        if begin + WINDOW - 2 >= len(ids):
            break
        begin = found[-1] if found and found[-1] > begin else begin + WINDOW - 2
    return sorted(starts)


def test_same_cuts_from_the_splitter_that_keeps_words_whole(
    checkpoint: Path, prose: list[str]
) -> None:
    model = load_tagger(checkpoint)
    tokenizer = WordPieceTokenizer.from_folder(checkpoint)
    several = 0
    for number, text in enumerate(prose):
        t_c = -1.5 + number % 7 * 0.7
        pieces = tokenizer(text)
        whole = [
            number == 0 or pieces.starts[number] > pieces.ends[number - 1]
            for number in range(len(pieces.ids))
        ]
        starts = published_starts(
            model, pieces.ids.tolist(), tokenizer.cls_id, tokenizer.sep_id, t_c, whole
        )
        splitter = BertChunker(str(checkpoint), paper=True, threshold=t_c)
        cuts = [span.start for span in splitter.segment(text).spans[1:]]
        assert cuts == [int(pieces.starts[start]) for start in starts]
        several += len(pieces.ids) > 2 * WINDOW and len(cuts) > 3
    assert several > 5  # long texts with cuts were among them


def test_scores_are_the_difference_of_the_logits(checkpoint: Path) -> None:
    model = load_tagger(checkpoint)
    tokenizer = WordPieceTokenizer.from_folder(checkpoint)
    text = "The ship was in the harbour. The king said no!"
    scores = BertChunker(str(checkpoint)).scores(text)
    ids = tokenizer(text).ids.tolist()
    x = torch.tensor([[tokenizer.cls_id, *ids, tokenizer.sep_id]])
    with torch.inference_mode():
        logits = model(x, torch.ones_like(x))[0, 1:-1].numpy()
    np.testing.assert_allclose(scores.t, logits[:, 1] - logits[:, 0], atol=1e-4)
    words = [text[a:b] for a, b in zip(scores.starts, scores.ends, strict=True)]
    assert "".join(words) == text.replace(" ", "")
