import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from lumber_core import BertChunker, TextEmbedder  # noqa: E402
from lumber_core.bert.onnx import OnnxTokenScorer  # noqa: E402
from lumber_core.bert.pytorch import TorchScorer, load_tagger  # noqa: E402
from lumber_core.bert.tokenizer import WordPieceTokenizer  # noqa: E402
from lumber_core.errors import WeightsError  # noqa: E402
from lumber_training.bases import tagger_from_encoder  # noqa: E402
from lumber_training.export import export  # noqa: E402
from tests.core.core_support import OLD_ONNXRUNTIME  # noqa: E402


def windows_of(checkpoint: Path, prose: list[str]) -> list[np.ndarray]:
    tokenizer = WordPieceTokenizer.from_folder(checkpoint)
    return [tokenizer(text).ids[:253] for text in prose]


@pytest.fixture(scope="module")
def specials(checkpoint: Path) -> dict[str, int]:
    return WordPieceTokenizer.from_folder(checkpoint).specials


def score_all(scorer: TorchScorer | OnnxTokenScorer, windows: list[np.ndarray]) -> list[np.ndarray]:
    return scorer.score(windows, [np.arange(len(window)) for window in windows])


def test_exported_scores_equal_those_of_the_checkpoint(
    checkpoint, exported, prose, specials
) -> None:
    windows = windows_of(checkpoint, prose)
    original = score_all(TorchScorer(load_tagger(checkpoint), **specials), windows)
    all_scores = np.concatenate(original)
    path = exported / "model.int8.onnx"
    beside = score_all(OnnxTokenScorer(path, **specials, threads=4), windows)
    rounded = np.concatenate(beside)
    assert np.corrcoef(all_scores, rounded)[0, 1] > 0.99
    assert np.abs(all_scores - rounded).mean() < 0.1 * all_scores.std()
    for window, scores in zip(windows[:20], beside, strict=False):
        (single_scores,) = score_all(OnnxTokenScorer(path, **specials, threads=1), [window])
        np.testing.assert_array_equal(single_scores, scores)


def test_padding_in_a_batch_does_not_change_scores(checkpoint, prose, specials) -> None:
    scorer = TorchScorer(load_tagger(checkpoint), **specials)
    windows = sorted(windows_of(checkpoint, prose)[:8], key=len)
    assert len(windows[0]) < len(windows[-1])
    for window, in_batch in zip(windows, score_all(scorer, windows), strict=True):
        np.testing.assert_allclose(score_all(scorer, [window])[0], in_batch, atol=1e-4)


def test_a_token_scores_the_same_whichever_others_are_asked_for(
    checkpoint: Path, exported: Path, prose: list[str], specials: dict[str, int]
) -> None:
    scorer = OnnxTokenScorer(exported / "model.int8.onnx", **specials, threads=1)
    rng = np.random.default_rng(0)
    for window in windows_of(checkpoint, prose)[:30]:
        (all_scores,) = score_all(scorer, [window])
        for share in (0.0, 0.03, 0.3, 1.0):
            places = np.flatnonzero(rng.random(len(window)) < share)
            picked = scorer.score([window], [places])[0]
            np.testing.assert_array_equal(picked, all_scores[places])


def test_the_embedder_gives_the_mean_of_the_hidden_states(checkpoint, exported, prose, specials):
    encoder = load_tagger(checkpoint).model
    vectors = TextEmbedder(str(exported)).embed(prose[:20])
    for ids, vector in zip(windows_of(checkpoint, prose), vectors, strict=False):
        x = torch.tensor([[specials["cls_id"], *ids, specials["sep_id"]]])
        with torch.inference_mode():
            hidden = encoder(x, attention_mask=torch.ones_like(x)).last_hidden_state
            mean = hidden.mean(1)[0].numpy()
        assert vector @ mean / np.linalg.norm(mean) > 0.98
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_the_card_lists_every_file(exported: Path) -> None:
    card = json.loads((exported / "card.json").read_text())
    assert set(card["files"]) == {p.name for p in exported.iterdir()} - {"card.json"}


def copy_with(folder: Path, tmp_path: Path) -> Path:
    target = tmp_path / "changed"
    shutil.copytree(folder, target)
    return target


@pytest.mark.parametrize("name", ["model.int8.onnx", "tokenizer.json"])
def test_a_damaged_file_is_refused(exported: Path, tmp_path: Path, name: str) -> None:
    folder = copy_with(exported, tmp_path)
    raw = bytearray((folder / name).read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / name).write_bytes(bytes(raw))
    with pytest.raises(WeightsError, match=r"not the file that its card lists.*SHA-256"):
        BertChunker(str(folder)).scores("One. Two.")


def test_an_error_names_a_missing_file(exported: Path, tmp_path: Path) -> None:
    folder = copy_with(exported, tmp_path)
    (folder / "model.int8.onnx").unlink()
    with pytest.raises(WeightsError, match=r"model.int8.onnx does not exist"):
        BertChunker(str(folder)).scores("One. Two.")


def test_an_onnx_model_of_the_wrong_kind_is_refused(
    exported: Path, specials: dict[str, int], tmp_path
):
    with pytest.raises(WeightsError, match="another kind of model"):
        OnnxTokenScorer(exported / "embedder.int8.onnx", **specials)
    junk = tmp_path / "junk.onnx"
    junk.write_bytes(b"no model")
    with pytest.raises(WeightsError, match="cannot open"):
        OnnxTokenScorer(junk, **specials)


@pytest.mark.parametrize("change", [{"hidden_act": "none"}, {"hidden_size": "x"}])
def test_a_configuration_of_another_model_is_refused(checkpoint, tmp_path, change) -> None:
    folder = copy_with(checkpoint, tmp_path)
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change), encoding="utf-8")
    with pytest.raises(WeightsError, match=r"config.json is not the configuration"):
        BertChunker(str(folder)).load()


def write_summing_model(path: Path, numbers: Any, *nodes: Any) -> None:
    """Write a model that adds up some numbers and returns the sum for each token."""
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [
            *nodes,
            helper.make_node("ReduceSum", ["numbers"], ["sum"], keepdims=1),
            helper.make_node("Cast", ["ids"], ["tokens"], to=TensorProto.FLOAT),
            helper.make_node("Add", ["tokens", "sum"], ["t"]),
        ],
        "hostile",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, [1, None]),
            helper.make_tensor_value_info("places", TensorProto.INT64, [None]),
        ],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, [1, None])],
        [numbers],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path.write_bytes(model.SerializeToString())


def test_an_onnx_model_that_needs_too_much_memory_raises_and_prints_nothing(
    specials: dict[str, int], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from onnx import TensorProto, helper

    size = helper.make_tensor("size", TensorProto.INT64, [1], [10**14])
    fill = helper.make_node("ConstantOfShape", ["size"], ["numbers"])
    write_summing_model(tmp_path / "bomb.onnx", size, fill)
    # onnxruntime before 1.24 asks for the memory when it opens the model.
    with pytest.raises(WeightsError, match=r"cannot (open|run a sequence).*alloc"):
        OnnxTokenScorer(tmp_path / "bomb.onnx", **specials, threads=1).score(
            [np.array([5, 6])], [np.arange(2)]
        )
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(
    OLD_ONNXRUNTIME,
    reason="onnxruntime before 1.24, the last for Python 3.10, reads such files",
)
def test_an_onnx_model_reads_no_file_outside_its_folder(specials: dict[str, int], tmp_path: Path):
    from onnx import TensorProto

    (tmp_path / "secret.bin").write_bytes(np.ones(100, dtype=np.float32).tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    for place in ("../secret.bin", str(tmp_path / "secret.bin")):
        numbers = TensorProto(name="numbers", data_type=TensorProto.FLOAT, dims=[100])
        numbers.data_location = TensorProto.EXTERNAL
        entry = numbers.external_data.add()
        entry.key, entry.value = "location", place
        write_summing_model(folder / "a.onnx", numbers)
        with pytest.raises(WeightsError, match="cannot open"):
            OnnxTokenScorer(folder / "a.onnx", **specials, threads=1)


def test_foreign_weights_are_refused_with_a_reason(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    state = load_file(checkpoint / "model.safetensors")
    folder = copy_with(checkpoint, tmp_path)

    def check_refusal(changes: dict[str, Any], reason: str) -> None:
        save_file(changes, folder / "model.safetensors")
        with pytest.raises(WeightsError, match=reason):
            BertChunker(str(folder)).load()

    encoder = {k.removeprefix("model."): v for k, v in state.items()}
    check_refusal(encoder, "model.embeddings")
    check_refusal({**state, "lm_head.weight": torch.zeros(2)}, "lm_head.weight")
    check_refusal({**state, "chunklayer.weight": torch.zeros(2, 5)}, "size mismatch")
    check_refusal({**state, "chunklayer.bias": torch.full((2,), float("nan"))}, "NaN")
    (folder / "model.safetensors").write_bytes(b"\x00" * 100)
    with pytest.raises(WeightsError, match="damaged"):
        BertChunker(str(folder)).load()


def test_a_pickled_checkpoint_is_never_read(checkpoint: Path, tmp_path: Path) -> None:
    folder = copy_with(checkpoint, tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(WeightsError, match="safetensors only"):
        BertChunker(str(folder)).load()


def test_checkpoints_as_published_load_unchanged(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = copy_with(checkpoint, tmp_path)
    state = load_file(folder / "model.safetensors")
    state["model.pooler.dense.weight"] = torch.zeros(32, 32)
    state["model.pooler.dense.bias"] = torch.zeros(32)
    state["model.embeddings.position_ids"] = torch.arange(300)[None]
    save_file(state, folder / "model.safetensors")
    text = "The ship was in the harbour. The king said no!"
    as_published = BertChunker(str(folder)).scores(text)
    expected = BertChunker(str(checkpoint)).scores(text)
    np.testing.assert_allclose(as_published.t, expected.t, atol=1e-6)


def test_a_plain_encoder_becomes_a_classifier_to_train(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = copy_with(checkpoint, tmp_path)
    state = load_file(folder / "model.safetensors")
    save_file({k.removeprefix("model."): v for k, v in state.items()}, folder / "model.safetensors")
    model = tagger_from_encoder(folder)
    taught = model.model.embeddings.word_embeddings.weight
    assert torch.equal(taught, state["model.embeddings.word_embeddings.weight"])
    (folder / "config.json").write_text("[]")
    with pytest.raises(WeightsError, match="not the configuration"):
        tagger_from_encoder(folder)


def test_continued_training_keeps_the_linear_layer_of_a_classifier(checkpoint: Path) -> None:
    original, further = load_tagger(checkpoint), tagger_from_encoder(checkpoint)
    assert torch.equal(original.chunklayer.weight, further.chunklayer.weight)


def test_an_activation_that_the_export_does_not_know_is_refused(checkpoint: Path, tmp_path: Path):
    folder = copy_with(checkpoint, tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "hidden_act": "relu"}))
    with pytest.raises(WeightsError, match="gelu"):
        export(folder, output=tmp_path / "out")
