"""Workers with a GPU run Bert on it. Here the CPU stands in for one, or there is none."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_core import BertChunker
from lumber_core.bert import onnx
from lumber_core.text.source import Source
from lumber_ray import workers
from lumber_ray.rows import FinishedDocument
from lumber_ray.workers import WorkerSetup, checked_pool

TEXT = "The ferry waited for a tug before the rain came. The oven kept a tray warm. " * 12


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx")
    monkeypatch.setitem(onnx.DEVICE_PROVIDERS, "cuda", ["CPUExecutionProvider"])


def opened(chunker: BertChunker, **setup: bool) -> BertChunker:
    """Return the splitter of a worker."""
    sent: WorkerSetup = pickle.loads(pickle.dumps(WorkerSetup(chunker, threads=1, **setup)))
    sent.open()
    assert isinstance(sent.chunker, BertChunker)
    return sent.chunker


@pytest.mark.usefixtures("gpu")
def test_a_worker_with_a_gpu_uses_it_unless_another_device_is_named() -> None:
    on_gpu, on_cpu = opened(BertChunker("large"), on_gpu=True), opened(BertChunker("large"))
    assert (on_gpu.device, on_gpu.texts_at_once, on_gpu.load().scorer.at_once) == ("cuda", 64, 64)
    assert (on_cpu.device, on_cpu.texts_at_once, on_cpu.load().scorer.at_once) == (None, 1, 1)
    assert opened(BertChunker("large", device="cpu"), on_gpu=True).device == "cpu"


@pytest.mark.usefixtures("gpu")
def test_documents_of_a_batch_are_in_order_and_one_that_fails_leaves_the_others() -> None:
    setup = WorkerSetup(BertChunker("large", target_size=30, chunk_size=60), on_gpu=True)
    sources = [Source(TEXT[: 100 * n], name=str(n)) for n in range(1, 9)]
    sources[3] = Source(TEXT, name="full", written=lambda text, _: ["word " * 60 + text])
    done = list(setup.open().split(sources))
    assert [one.document for one in done] == [source.name for source in sources]
    assert [isinstance(one, FinishedDocument) for one in done] == [n != 3 for n in range(8)]


def test_a_worker_without_the_gpu_it_should_have_says_what_is_missing() -> None:
    with pytest.raises(ValueError, match=r"the installed onnxruntime is for CPUs only"):
        opened(BertChunker("large", threads=3), on_gpu=True)  # no model that is loaded already


@pytest.mark.parametrize("gpus", [1, 4])
def test_there_are_as_many_workers_as_gpus(gpus: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use_cluster(monkeypatch, {"CPU": 16, "GPU": gpus})
    assert checked_pool(None, {"num_gpus": 1}).workers == gpus
    assert checked_pool(None, {"num_gpus": 0.5}).workers == 2 * gpus
    assert checked_pool(None, None).workers == 16


def test_a_cluster_without_gpus_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    use_cluster(monkeypatch, {"CPU": 16})
    with pytest.raises(ValueError, match=r"1 workers with 1 GPUs each do not fit.*has 0"):
        checked_pool(None, {"num_gpus": 1})


def use_cluster(monkeypatch: pytest.MonkeyPatch, resources: dict[str, int]) -> None:
    ray: Any = SimpleNamespace(is_initialized=lambda: True, cluster_resources=lambda: resources)
    monkeypatch.setattr(workers, "load", lambda *_, **__: ray)
