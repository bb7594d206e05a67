"""Models are found by name, and malformed, changed or incomplete folders are refused."""

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from lumber_core import BertChunker, BertJudge, MissingExtraError, TextEmbedder, WeightsError
from lumber_core.bert import loading
from lumber_core.bert.loading import load_embedder, load_model
from lumber_core.bert.model_folder import OWN_FOLDERS, find_folder, read_card
from tests.loopback.hub import LoopbackHub
from tests.tiny_bert import write_random_checkpoint

TEXT = "The ship was in the harbour. The king said no! The baker had bread. " * 20


@pytest.fixture
def copy(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "model"))


def with_card(folder: Path, **changes: object) -> Path:
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, **changes}))
    return folder


@pytest.mark.parametrize("window", [10**6, 3, -1, 255.5, "255", None])
def test_a_card_with_an_impossible_window_is_refused(copy: Path, window: object) -> None:
    with pytest.raises(WeightsError, match=r"card.json is malformed.*tokens in a window"):
        BertChunker(str(with_card(copy, window=window))).segment(TEXT)


def test_a_window_beyond_the_models_own_positions_is_refused(copy: Path) -> None:
    splitter = BertChunker(str(with_card(copy, window=400)))  # the model has 300 positions
    with pytest.raises(WeightsError, match="window in its card may be too large"):
        splitter.segment(TEXT)


@pytest.mark.parametrize("content", ["[" * 100_000, "[]", "null", "\x00", '{"files": 3}', "{}"])
def test_a_malformed_card_is_refused(copy: Path, content: str) -> None:
    (copy / "card.json").write_text(content)
    with pytest.raises(WeightsError, match=r"card\.json is malformed"):
        read_card(copy)
    with pytest.raises(WeightsError, match=r"card\.json is malformed"):
        TextEmbedder(str(copy)).embed(["One."])


def test_a_replaced_folder_gives_the_new_model(exported: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from lumber_training.export import export

    folder = Path(shutil.copytree(exported, tmp_path / "model"))
    first = BertChunker(str(folder)).scores(TEXT).t
    assert load_model(str(folder)) is load_model(str(folder))
    assert load_embedder(str(folder)) is load_embedder(str(folder))
    other = write_random_checkpoint(tmp_path / "other", seed=5)
    times = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    shutil.rmtree(folder)
    export(other, output=folder, embedder=other)
    for name, time in times.items():  # rsync and tar may keep times
        os.utime(folder / name, ns=(time, time))
    second = BertChunker(str(folder)).scores(TEXT).t
    assert not np.array_equal(first, second)
    copy = shutil.copytree(folder, tmp_path / "again")
    expected = BertChunker(str(copy)).scores(TEXT).t
    np.testing.assert_array_equal(second, expected)


def test_an_exported_model_loads_from_the_hub_in_silence(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    # The word vectors of this model are in a separate file.
    paths = [path for path in OWN_FOLDERS["large"].iterdir() if path.name != "NOTICE"]
    files = {path.name: path.read_bytes() for path in paths}
    pickled = {"pytorch_model.bin": b"never read", "notes.md": b"not needed"}
    with LoopbackHub({"someone/chunks": {**files, **pickled}}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        scores = BertChunker("someone/chunks").scores(TEXT).t
        vectors = TextEmbedder("someone/chunks").embed([TEXT])
        assert set(hub.downloads) == set(files)
    np.testing.assert_array_equal(scores, BertChunker("large").scores(TEXT).t)
    np.testing.assert_array_equal(vectors, TextEmbedder().embed([TEXT]))
    assert capfd.readouterr() == ("", "")


def test_a_damaged_separate_file_of_word_vectors_is_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OWN_FOLDERS["large"], tmp_path / "model"))
    raw = bytearray((folder / "words.int8.bin").read_bytes())
    raw[-1] ^= 1
    (folder / "words.int8.bin").write_bytes(bytes(raw))
    for use in (lambda: BertChunker(str(folder)).load(), lambda: load_embedder(str(folder))):
        with pytest.raises(WeightsError, match=r"words.int8.bin is not the file"):
            use()


def test_a_model_that_is_not_on_the_hub_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with LoopbackHub({}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        with pytest.raises(WeightsError, match="'someone/else' is not a folder here"):
            BertChunker("someone/else").segment(TEXT)


@pytest.mark.parametrize(
    "use",
    [BertChunker, BertJudge, TextEmbedder, find_folder, load_model],
    ids=lambda use: use.__name__,
)
def test_without_the_extra_a_model_on_the_hub_is_refused_at_once(use, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[hub\]'") as caught:
        use("someone/chunks")
    assert str(caught.value).startswith("'someone/chunks' is not a folder here, and to download")


def test_an_exported_model_refuses_other_devices_than_cpu(exported: Path) -> None:
    with pytest.raises(ValueError, match=r'exported model, which runs on the CPU.*device="cpu"'):
        BertChunker(str(exported), device="cuda").load()


def test_a_checkpoint_needs_pytorch_and_for_cuda_a_gpu(checkpoint: Path, monkeypatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"PyTorch finds no GPU.*device=\"cpu\""):
        load_model(str(checkpoint), device="cuda")
    monkeypatch.setattr("lumber_core.bert.loading._load_model", loading._load_model.__wrapped__)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"lumber_training export.*'\.\[torch\]'"):
        load_model(str(checkpoint))


def test_bundled_models_and_folders_need_no_extra(exported: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.chdir(exported.parent.parent)
    relative = f"{exported.parent.name}/{exported.name}"  # looks like a Hugging Face ID
    bundled, folder, from_here = (
        BertChunker(name).scores(TEXT).t for name in ("bundled", str(exported), relative)
    )
    np.testing.assert_array_equal(folder, from_here)
    assert not np.array_equal(folder, bundled)


@pytest.mark.parametrize("name", ["./nowhere", "../nowhere", "/nowhere", "~/nowhere", "a/b/c"])
def test_a_path_to_a_missing_folder_is_not_read_as_a_name_on_the_hub(name: str, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match=f"folder or a Hugging Face ID .* not '{name}'"):
        BertChunker(name).load()
