"""What the model runs on. No GPU is needed: the CPU stands in for one, or there is none."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from lumber_core.bert.onnx_batches import OnnxBatchScorer

from lumber_core import BertChunker
from lumber_core.bert import onnx
from lumber_core.bert.loading import load_model
from lumber_core.errors import WeightsError

STORY = Path(__file__).parents[3] / "examples" / "data" / "the_tide_clock.txt"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let onnxruntime's CPU provider stand in for CUDA's."""
    pytest.importorskip("onnx")
    monkeypatch.setitem(onnx.DEVICE_PROVIDERS, "cuda", ["CPUExecutionProvider"])


def texts_of(prose: list[str]) -> list[str]:
    """Texts of many lengths: empty, too short to be cut, of one window, of several."""
    return ["", "Ann ran.", *(" ".join(prose[:n]) for n in (3, 8, 40, 5)), prose[0] * 3]


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("name", ["model.onnx", "model.int8.onnx"])
def test_a_batch_scores_what_32_bits_score_one_by_one(
    exported: Path, prose: list[str], name: str
) -> None:
    on_gpu = load_model(str(exported), device="cuda")
    assert on_gpu.scorer.at_once == 64
    windows = [on_gpu.tokenizer(text).ids[:253] for text in prose]
    specials = {"cls_id": on_gpu.tokenizer.cls_id, "sep_id": on_gpu.tokenizer.sep_id}
    one_by_one = onnx.OnnxScorer(exported / "model.onnx", **specials).score(windows)
    scorer = OnnxBatchScorer(exported / name, **specials, at_once=64)
    found = np.concatenate(scorer.score(windows))
    exact = name == "model.onnx"
    assert np.abs(found - np.concatenate(one_by_one)).mean() < (1e-5 if exact else 0.05)
    places = [np.array([0, len(window) - 1]) for window in windows]
    for t, whole, at in zip(
        scorer.score(windows, places), scorer.score(windows), places, strict=True
    ):
        np.testing.assert_array_equal(t, whole[at])


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("settings", [{"target_size": 30}, {"threshold": 0.0}])
@pytest.mark.parametrize("windows", ["overlapping", "moving"])
def test_several_texts_are_cut_as_each_alone(
    exported: Path, prose: list[str], settings: dict, windows: str
) -> None:
    for device in ("cpu", "cuda"):
        chunker = BertChunker(str(exported), **settings, windows=windows, device=device, threads=3)
        texts = texts_of(prose)
        alone = [chunker.segment(text).spans for text in texts]
        assert [made.spans for made in chunker.segment_all(texts)] == alone


@pytest.mark.usefixtures("gpu")
def test_a_gpu_cuts_the_story_where_the_cpu_does_up_to_rounding() -> None:
    text = STORY.read_text(encoding="utf-8")
    on_cpu, on_gpu = (
        BertChunker("large", target_size=80, device=device) for device in ("cpu", "cuda")
    )
    difference = on_gpu.scores(text).t - on_cpu.scores(text).t
    assert 0 < np.sqrt((difference**2).mean()) < 0.1
    cuts = [{span.start for span in one.segment(text).spans} for one in (on_cpu, on_gpu)]
    assert len(cuts[0] & cuts[1]) >= 0.95 * len(cuts[0])
    assert on_gpu.identity == on_cpu.identity


@pytest.mark.usefixtures("gpu")
def test_texts_share_calls_on_a_gpu_and_a_stream_is_read_by_as_many(
    exported: Path, prose: list[str]
) -> None:
    chunker = BertChunker(str(exported), target_size=5, device="cuda")
    calls: list[int] = []
    scorer: Any = chunker.load().scorer
    score = scorer.score
    scorer.score = lambda windows, places=None: calls.append(len(windows)) or score(windows, places)
    chunker.segment_all(prose[:64])
    scorer.score = score
    assert len(calls) < 10
    assert (chunker.texts_at_once, BertChunker(str(exported)).texts_at_once) == (64, 1)


def test_pytorch_on_a_cpu_scores_one_text_in_a_call(checkpoint: Path, prose: list[str]) -> None:
    pytest.importorskip("torch")
    chunker = BertChunker(str(checkpoint), backend="torch", target_size=30, device="cpu")
    texts = texts_of(prose)
    alone = [chunker.segment(text).spans for text in texts]
    scorer = chunker.load().scorer
    assert not scorer.across_texts
    assert [made.spans for made in chunker.segment_all(texts)] == alone
    scorer.across_texts = True  # as on a GPU
    assert [made.spans for made in chunker.segment_all(texts)] == alone
    scorer.across_texts = False


def test_progress_of_several_texts_ends_at_their_characters(
    exported: Path, prose: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    texts = texts_of(prose)
    steps = [0]
    chunker = BertChunker(str(exported), target_size=30, threads=3)
    layouts, limits = chunker._read(texts, 0)
    chunker._segment_together(layouts, limits, lambda more: steps.append(steps[-1] + more))
    assert all(earlier <= later for earlier, later in pairwise(steps))
    assert steps[-1] == sum(map(len, texts))


@pytest.mark.usefixtures("gpu")
def test_another_kind_of_model_is_refused(exported: Path, tmp_path: Path) -> None:
    from lumber_core.bert.float_graph import float_graph

    (tmp_path / "junk.onnx").write_bytes(b"junk")
    for path in (tmp_path / "junk.onnx", exported / "embedder.int8.onnx"):
        with pytest.raises(WeightsError, match=r"cannot read|another kind of model"):
            float_graph(path)


def test_without_a_gpu_the_error_says_what_to_install(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = ["CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: only)
    with pytest.raises(ValueError, match=r"lumber-splitters\[gpu\].*device=\"cpu\""):
        load_model(str(exported), device="cuda", threads=1)


def test_a_short_text_needs_no_gpu() -> None:
    assert BertChunker(device="cuda").split_text("Ann ran.") == ["Ann ran."]


def test_pytorch_without_a_gpu_says_so(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="PyTorch finds no GPU"):
        load_model(str(checkpoint), backend="torch", device="cuda")


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(ValueError, match="device"):
        BertChunker(device="gpu")
