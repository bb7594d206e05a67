"""A tiny training run learns, resumes to the same weights, and says what it did."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")
pytest.importorskip("matplotlib")

from transformers import get_scheduler  # noqa: E402

from lumber_core import BertChunker  # noqa: E402
from lumber_core.bert.model_folder import sha256  # noqa: E402
from lumber_core.bert.pytorch import load_tagger  # noqa: E402
from lumber_core.bert.tokenizer import WordPieceTokenizer  # noqa: E402
from lumber_core.errors import WeightsError  # noqa: E402
from lumber_core.text.units import sentences  # noqa: E402
from lumber_evaluation.documents import Document, document_from_segments  # noqa: E402
from lumber_training.bases import bundled_base, tagger_from_encoder  # noqa: E402
from lumber_training.calibration import (  # noqa: E402
    ScoredStarts,
    best_threshold,
    split_held_out,
)
from lumber_training.distillation import Teachers, distillation_loss  # noqa: E402
from lumber_training.examples import BETWEEN, IGNORED, NORMAL, START  # noqa: E402
from lumber_training.parts import Part  # noqa: E402
from lumber_training.recipes import Recipe  # noqa: E402
from lumber_training.trainer import (  # noqa: E402
    register_plain_attention,
    tagging_loss,
    training_arguments,
)
from lumber_training.training import train  # noqa: E402
from lumber_training.training_report import TrainingReport  # noqa: E402
from tests.tiny_bert import WORDS, swap_two_words, write_random_checkpoint  # noqa: E402

RECIPE = Recipe(
    name="tiny",
    parts=(Part("synthetic", 1.0, segments=3, sentences=(2, 4)),),
    items=640,
    epochs=1,
    batch_size=16,
    learning_rate=3e-3,
    loss_at="sentences",
    other_weight=0.1,
    dropout=0.0,
    window=80,
    held_out=0.3,
    fold_threshold=True,
)
SHORT = replace(RECIPE, items=32, fold_threshold=False)


def documents() -> list[Document]:
    """Texts whose passages open with "king", as no other sentence does."""
    rng = random.Random(0)

    def sentence(first: str) -> str:
        return f"{first} {' '.join(rng.choices(WORDS, k=rng.randint(3, 7)))}.".capitalize()

    return [
        document_from_segments(
            [[sentence("king"), *(sentence("sea") for _ in range(4))] for _ in range(3)],
            name=f"d{number}",
            source="made",
        )
        for number in range(40)
    ]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from safetensors.torch import load_file, save_file

    folder = write_random_checkpoint(tmp_path_factory.mktemp("base"), width=48)
    state = {
        k: v / 6 if v.dim() > 1 else v for k, v in load_file(folder / "model.safetensors").items()
    }
    save_file(state, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def run(base: Path, tmp_path_factory: pytest.TempPathFactory) -> TrainingReport:
    folder = tmp_path_factory.mktemp("run")
    return train(documents(), output=folder, recipe=RECIPE, base=base, checkpoint_every=20)


def test_it_learns(run: TrainingReport) -> None:
    losses = [point.loss for point in run.points if point.loss is not None]
    scores = [point.f1 for point in run.points if point.f1 is not None]
    assert losses[-1] < losses[0] / 2
    assert scores[-1] > 0.9


def test_it_writes_what_it_did(run: TrainingReport) -> None:
    report = json.loads((run.folder / "training.json").read_text())
    assert report["recipe"]["name"] == "tiny"
    assert report["documents"]["made"] + report["held_out"]["made"] == 40
    assert report["folded_threshold"] == run.folded_threshold
    assert "SHA-256" in report["base"]
    assert (run.folder / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_result_splits_texts(run: TrainingReport) -> None:
    text = documents()[0].text
    chunks = BertChunker(str(run.folder), threshold=0.0).segment(text).chunks(text)
    assert len(chunks) == 3
    assert all(chunk.startswith("King") for chunk in chunks)


def test_a_run_that_was_cut_off_resumes_to_the_same_weights(
    run: TrainingReport, base: Path, tmp_path: Path
) -> None:
    half = run.folder / "checkpoints" / "checkpoint-20"
    shutil.copytree(half, tmp_path / "checkpoints" / half.name)
    resumed = train(
        documents(), output=tmp_path, recipe=RECIPE, base=base, checkpoint_every=20, resume=True
    )
    first, second = load_tagger(run.folder).state_dict(), load_tagger(tmp_path).state_dict()
    for key, value in first.items():
        torch.testing.assert_close(second[key], value, rtol=0, atol=1e-6)
    assert [p.step for p in resumed.points] == [p.step for p in run.points]


def test_frozen_parts_keep_their_weights(base: Path, tmp_path: Path) -> None:
    recipe = replace(RECIPE, items=64, freeze_embeddings=True, frozen_layers=1)
    train(documents(), output=tmp_path, recipe=recipe, base=base, checkpoint_every=10)
    before, after = load_tagger(base).state_dict(), load_tagger(tmp_path).state_dict()
    for key in before:
        frozen = "embeddings" in key or "layer.0." in key
        assert torch.equal(before[key], after[key]) == frozen, key


def test_the_last_checkpoints_are_averaged(base: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    recipe = replace(RECIPE, items=160, average_last=0.5, fold_threshold=False)
    report = train(documents(), output=tmp_path, recipe=recipe, base=base, checkpoint_every=2)
    assert report.averaged_steps == (6, 8, 10)
    assert json.loads((tmp_path / "training.json").read_text())["averaged_steps"] == [6, 8, 10]
    states = [
        load_file(tmp_path / "checkpoints" / f"checkpoint-{step}" / "model.safetensors")
        for step in report.averaged_steps
    ]
    for key, value in load_tagger(tmp_path).state_dict().items():
        mean = sum(state[key] for state in states) / 3
        torch.testing.assert_close(value, mean, rtol=0, atol=1e-6)
    assert not torch.equal(states[0]["chunklayer.weight"], states[2]["chunklayer.weight"])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, base: Path) -> list[Path]:
    """Two models that differ in the seed of their training."""
    folder = tmp_path_factory.mktemp("pair")
    for seed in (0, 1):
        recipe = replace(SHORT, seed=seed)
        train(documents(), output=folder / str(seed), recipe=recipe, base=base)
    return [folder / "0", folder / "1"]


def test_the_model_is_the_mean_with_other_checkpoints(
    tmp_path: Path, base: Path, pair: list[Path]
) -> None:
    recipe = replace(SHORT, seed=2)
    runs = [*pair, tmp_path / "alone"]
    train(documents(), output=runs[-1], recipe=recipe, base=base)
    mean = tmp_path / "mean"
    report = train(documents(), output=mean, recipe=recipe, base=base, mean_with=pair)
    states = [load_tagger(folder).state_dict() for folder in runs]
    assert not torch.equal(states[0]["chunklayer.weight"], states[2]["chunklayer.weight"])
    for key, value in load_tagger(mean).state_dict().items():
        expected = sum(state[key] for state in states) / 3
        torch.testing.assert_close(value, expected, rtol=0, atol=1e-6)
    recorded = json.loads((mean / "training.json").read_text())["averaged_with"]
    assert recorded == list(report.averaged_with)
    for folder, text in zip(runs[:2], recorded, strict=True):
        assert sha256(folder / "model.safetensors") in text


def test_a_checkpoint_of_another_shape_cannot_be_averaged(tmp_path: Path, base: Path) -> None:
    other = tmp_path / "other"
    tagger_from_encoder(bundled_base()).save(other)
    with pytest.raises(WeightsError, match="same base"):
        train(documents(), output=tmp_path / "new", recipe=RECIPE, base=base, mean_with=[other])
    assert not (tmp_path / "new" / "checkpoints").exists()


def test_a_model_learns_the_scores_of_its_teachers(
    run: TrainingReport, base: Path, tmp_path: Path
) -> None:
    recipe = replace(RECIPE, fold_threshold=False, seed=3)
    student = tmp_path / "student"
    report = train(
        documents(), output=student, recipe=recipe, base=base, teachers=[run.folder, run.folder]
    )
    assert all(sha256(run.folder / "model.safetensors") in text for text in report.teachers)
    text = documents()[0].text
    taught, before, after = (probabilities(each, text) for each in (run.folder, base, student))
    assert np.abs(before - taught).mean() > 0.1
    assert np.abs(after - taught).mean() < 0.05
    # Labels would have taught certainty; the teacher's best threshold is its 0.
    assert 0.3 < after.max() < 0.7


def probabilities(folder: Path, text: str) -> npt.NDArray[np.float64]:
    """Return how probable a model finds a start at each sentence except the first."""
    scores = BertChunker(str(folder)).scores(text)
    t = scores.at([span.start for span in sentences(text)])[1:]
    return 1 / (1 + np.exp(-t.astype(np.float64)))


def test_a_run_with_teachers_starts_from_their_mean(tmp_path: Path, pair: list[Path]) -> None:
    still = replace(SHORT, learning_rate=0.0)
    student = tmp_path / "student"
    report = train(documents(), output=student, recipe=still, teachers=pair)
    states = [load_tagger(folder).state_dict() for folder in pair]
    assert not torch.equal(states[0]["chunklayer.weight"], states[1]["chunklayer.weight"])
    for key, value in load_tagger(student).state_dict().items():
        torch.testing.assert_close(value, (states[0][key] + states[1][key]) / 2)
    assert report.base.startswith("mean of ")


def test_what_is_taught_is_the_mean_score(base: Path, pair: list[Path]) -> None:
    ids = torch.randint(10, 40, (2, 12), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    taught = Teachers(pair, WordPieceTokenizer.from_folder(base))(ids, mask)
    logits = [load_tagger(folder)(ids, mask) for folder in pair]
    expected = sum(each[..., START] - each[..., NORMAL] for each in logits) / 2
    torch.testing.assert_close(taught, expected)
    assert not taught.requires_grad


def test_a_recipe_for_teachers_is_refused_without_them(base: Path, tmp_path: Path) -> None:
    recipe = replace(RECIPE, taught=True)
    with pytest.raises(ValueError, match=r"'tiny' learns the scores of trained classifiers"):
        train(documents(), output=tmp_path / "new", recipe=recipe, base=base)
    assert not (tmp_path / "new").exists()


def test_a_teacher_with_another_tokenizer_is_refused(base: Path, tmp_path: Path) -> None:
    other = write_random_checkpoint(tmp_path / "other", width=48)
    swap_two_words(other)
    with pytest.raises(WeightsError, match="another tokenizer"):
        train(documents(), output=tmp_path / "new", recipe=RECIPE, base=base, teachers=[other])
    assert not (tmp_path / "new" / "checkpoints").exists()


def test_the_loss_of_a_student_is_lowest_at_its_teachers_scores() -> None:
    taught = torch.tensor([[9.0, 1.5, -2.0, 0.3, 9.0]])
    labels = torch.tensor([[IGNORED, START, BETWEEN, NORMAL, IGNORED]])

    def gradient(t: Any) -> Any:
        logits = torch.stack([torch.zeros_like(t), t], dim=-1).requires_grad_()
        distillation_loss(logits, taught, labels, other_weight=0.2).backward()
        return logits.grad[..., START]

    torch.testing.assert_close(gradient(taught), torch.zeros_like(taught))
    higher = gradient(taught + 1)[0]
    assert (higher[1:4] > 0).all()
    assert higher[0] == higher[4] == 0
    assert higher[2] < higher[1]  # a token inside a sentence weighs less


def test_documents_are_held_out_by_name_whatever_else_is_given() -> None:
    every = documents()
    kept, held = split_held_out(every, share=0.3)
    assert len(kept) + len(held) == 40
    assert 4 <= len(held) <= 20
    fewer_kept, fewer_held = split_held_out(every[::2], share=0.3)
    assert {d.name for d in fewer_held} == {d.name for d in held} & {d.name for d in every[::2]}
    assert fewer_kept
    with pytest.raises(ValueError, match="too few"):
        split_held_out(every[:1], share=0.01)


def test_loss_is_taken_where_the_recipe_says() -> None:
    logits = torch.zeros(1, 4, 2)
    logits[0, 2] = torch.tensor([0.0, 9.0])  # wrong, but between sentences
    labels = torch.tensor([[-100, 1, -1, 0]])
    weight = torch.ones(1)
    at_sentences = Recipe(loss_at="sentences")
    everywhere = Recipe(loss_at="tokens")
    ln2 = 0.6931
    assert tagging_loss(logits, labels, weight, at_sentences).item() == pytest.approx(ln2, abs=1e-3)
    assert tagging_loss(logits, labels, weight, everywhere).item() == pytest.approx(
        (2 * ln2 + 9) / 3, abs=1e-3
    )
    heavy = tagging_loss(logits, labels, 3 * weight, at_sentences).item()
    assert heavy == pytest.approx(2 * ln2, abs=1e-3)
    nothing = torch.full((1, 4), -100)
    assert tagging_loss(logits, nothing, weight, at_sentences).item() == 0


def test_the_best_threshold_counts_every_kind_the_same() -> None:
    def scored(scores: list[float], true: list[int]) -> ScoredStarts:
        return ScoredStarts(np.float32(scores), np.asarray(true, dtype=bool))

    low = scored([-3, -2, -1, 0], [0, 1, 1, 1])
    high = scored([-3, -1, 1, 2] * 100, [0, 0, 1, 1] * 100)
    assert -3 < best_threshold([low]) < -2
    assert -1 < best_threshold([high]) < 1
    assert -1.1 <= best_threshold([low, high]) < 0 or -3 < best_threshold([low, high]) < -2
    with pytest.raises(ValueError, match="no scores"):
        best_threshold([])


def test_with_slack_the_lowest_threshold_that_is_nearly_the_best_is_taken() -> None:
    scores = np.float32([-2, -1.5, 1, 2] * 100)
    true = np.asarray([0, 0, 1, 1] * 100, dtype=bool)
    true[1] = True  # from -1.5 on one start of 201 is missed
    scored = ScoredStarts(scores, true)
    best = best_threshold([scored])
    lower = best_threshold([scored], slack=0.1)
    assert lower < best
    for threshold in (lower, best):
        assert scored.f1(threshold) - scored.pk(threshold) > 0.85


def test_a_single_point_is_no_best_threshold() -> None:
    # At 1.0 alone nothing is wrong; from 1.05 to 2.95 three starts of 13 are missed.
    scores = np.float32([3, *[-1] * 9] * 10 + [1.02, *[-1] * 9] * 3 + [0.98] * 30)
    true = np.asarray([1, *[0] * 9] * 13 + [0] * 30, dtype=bool)
    scored = ScoredStarts(scores, true)
    assert scored.f1(1.0) - scored.pk(1.0) == 1
    assert scored.f1(2.0) - scored.pk(2.0) > 0.6
    assert 1.2 <= best_threshold([scored]) < 3


def test_wrong_cuts_and_missed_starts_raise_pk() -> None:
    true = np.asarray([0, 0, 1, 0, 0, 1, 0, 0], dtype=bool)
    scored = ScoredStarts(np.float32([-3, -2, 2, -3, 1, 3, -3, -3]), true)
    # k is 1: of seven pairs of neighbours, those that only one side divides are wrong.
    assert scored.pk(1.5) == 0
    assert scored.pk(0) == pytest.approx(1 / 7)
    assert scored.pk(9) == pytest.approx(2 / 7)
    assert scored.pk(-9) == pytest.approx(5 / 7)


def test_the_best_threshold_weighs_wrong_cuts() -> None:
    scores = np.float32([1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2])
    true = np.asarray([0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1], dtype=bool)
    scored = ScoredStarts(scores, true)
    assert scored.f1(0.5) > 0.57
    assert scored.f1(1.5) == pytest.approx(0.5)
    assert 1 <= best_threshold([scored]) < 2


def test_the_rate_of_a_trapezoid_stays_and_then_falls_in_a_line(tmp_path: Path) -> None:
    recipe = Recipe(schedule="trapezoid", warmup_steps=10)
    arguments = training_arguments(
        tmp_path,
        recipe,
        steps=100,
        checkpoint_every=50,
        measured=False,
        bf16=False,
        show_progress=False,
    )
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    schedule = get_scheduler(
        arguments.lr_scheduler_type,
        optimizer,
        arguments.warmup_steps,
        arguments.max_steps,
        arguments.lr_scheduler_kwargs,
    )
    rates = []
    for _ in range(100):
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    assert rates[10:70] == [1.0] * 60
    assert rates[5] == pytest.approx(0.5)
    assert rates[85] == pytest.approx(0.5, abs=0.02)
    assert rates[99] < 0.05


def test_plain_attention_is_attention(base: Path) -> None:
    model = tagger_from_encoder(base, dropout=0.0).eval()
    ids = torch.tensor([[5, 6, 7, 8, 9], [5, 6, 7, 0, 0]])
    mask = (ids > 0).long()
    found = {}
    for kind in ("eager", register_plain_attention()):
        model.model.set_attn_implementation(kind)
        with torch.inference_mode():
            found[kind] = model(ids, mask)[mask.bool()]
    eager, plain = found.values()
    torch.testing.assert_close(plain, eager)
