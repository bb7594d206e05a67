"""What the model runs on. No GPU is needed: the CPU stands in for one, or there is none."""

from __future__ import annotations

from pathlib import Path

import onnxruntime
import pytest

from lumber_core import BertChunker
from lumber_core.bert import onnx
from lumber_core.bert.loading import load_model


def test_the_cuts_are_those_of_the_provider_that_is_listed_first(
    exported: Path, prose: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(onnx.DEVICE_PROVIDERS, "cuda", ["CPUExecutionProvider"])
    text = " ".join(prose)
    on_cpu, on_gpu = (
        BertChunker(str(exported), target_size=30, device=device) for device in ("cpu", "cuda")
    )
    assert on_gpu.segment(text).spans == on_cpu.segment(text).spans
    assert on_gpu.load() is not on_cpu.load()
    assert on_gpu.identity == on_cpu.identity


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
