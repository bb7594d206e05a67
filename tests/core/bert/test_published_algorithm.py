"""The published inference, written again in a few lines of torch, finds the same cuts."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from lumber_core.bert import BertChunker  # noqa: E402
from lumber_core.bert.moving_window import Scores, TokenIds  # noqa: E402
from lumber_core.bert.pytorch import ChunkTagger, load_tagger  # noqa: E402
from lumber_core.bert.tokenizer import WordPieceTokenizer  # noqa: E402
from tests.core.bert.test_moving_window import published_walk  # noqa: E402

WINDOW = 255


def logit_differences(model: ChunkTagger, tokenizer: WordPieceTokenizer, ids: TokenIds) -> Scores:
    x = torch.tensor([[tokenizer.cls_id, *ids.tolist(), tokenizer.sep_id]])
    with torch.inference_mode():
        logits = model(x, torch.ones_like(x))[0, 1:-1].numpy()
    t: Scores = logits[:, 1] - logits[:, 0]
    return t


def test_same_cuts_from_the_splitter_that_keeps_words_whole(checkpoint: Path, prose: list[str]):
    model, tokenizer = load_tagger(checkpoint), WordPieceTokenizer.from_folder(checkpoint)
    several = 0
    for number, text in enumerate(prose[:24]):
        t_c = -1.5 + number % 7 * 0.7
        ids, begins, ends = tokenizer(text)
        starts_word = [True, *(begins[1:] > ends[:-1])]
        score = partial(logit_differences, model, tokenizer)
        starts = published_walk(ids, WINDOW - 2, t_c, score, starts_word)
        splitter = BertChunker(str(checkpoint), paper=True, threshold=t_c)
        cuts = [span.start for span in splitter.segment(text).spans[1:]]
        assert cuts == [int(begins[start]) for start in starts]
        several += len(ids) > 2 * WINDOW and len(cuts) > 3
    assert several > 1  # the texts include long ones with cuts


def test_scores_are_the_difference_of_the_logits(checkpoint: Path) -> None:
    model = load_tagger(checkpoint)
    tokenizer = WordPieceTokenizer.from_folder(checkpoint)
    text = "The ship was in the harbour. The king said no!"
    scores = BertChunker(str(checkpoint)).scores(text)
    expected = logit_differences(model, tokenizer, tokenizer(text).ids)
    np.testing.assert_allclose(scores.t, expected, atol=1e-4)
    words = [text[a:b] for a, b in zip(scores.starts, scores.ends, strict=True)]
    assert "".join(words) == text.replace(" ", "")
