"""A tiny model of places learns what a classifier says, resumes, and scores alike when exported."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytest.importorskip("matplotlib")

from lumber_core import BertChunker  # noqa: E402
from lumber_core.bert.model_folder import read_card  # noqa: E402
from lumber_core.bert.onnx import open_session  # noqa: E402
from lumber_core.bert.pytorch import load_tagger  # noqa: E402
from lumber_core.bert.scores import place_scores  # noqa: E402
from lumber_core.errors import WeightsError  # noqa: E402
from lumber_evaluation.documents import Document, document_from_segments  # noqa: E402
from lumber_training.export import export  # noqa: E402
from lumber_training.items import Item  # noqa: E402
from lumber_training.parts import Part  # noqa: E402
from lumber_training.place_batches import (  # noqa: E402
    WINDOW,
    Segments,
    make_batch,
    score_segments,
)
from lumber_training.place_items import place_item  # noqa: E402
from lumber_training.place_model import (  # noqa: E402
    PlaceModel,
    PlaceShape,
    load_place_model,
)
from lumber_training.place_run import PlaceRun, learning_rate, place_loss  # noqa: E402
from lumber_training.place_teaching import Components, TaughtText, Teacher, teach  # noqa: E402
from lumber_training.place_training import train_places  # noqa: E402
from lumber_training.recipes import SMALL, Recipe  # noqa: E402
from lumber_training.training_report import TrainingReport  # noqa: E402
from tests.tiny_bert import WORDS, swap_two_words, vocabulary, write_random_checkpoint  # noqa: E402

SHAPE = PlaceShape(
    groups=2,
    group_width=8,
    token_width=16,
    width=32,
    inner_width=32,
    layers=2,
    heads=2,
    components=8,
)
RECIPE = replace(
    SMALL,
    name="tiny",
    parts=(Part("synthetic", 1.0, segments=4, sentences=(1, 3)),),
    items=120,
    epochs=6,
    batch_size=8,
    learning_rate=1e-2,
    dropout=0.1,
    held_out=0.3,
    seed=3,
)


def documents() -> list[Document]:
    rng = random.Random(0)

    def sentence() -> str:
        return f"{' '.join(rng.choices(WORDS, k=rng.randint(3, 7)))}.".capitalize()

    return [
        document_from_segments(
            [[sentence() for _ in range(4)] for _ in range(2)], name=f"d{n}", source="made"
        )
        for n in range(30)
    ]


@pytest.fixture(scope="module")
def run(
    exported: Path, checkpoint: Path, tmp_path_factory: pytest.TempPathFactory
) -> TrainingReport:
    folder = tmp_path_factory.mktemp("places")
    return train(folder, exported, checkpoint)


def train(folder: Path, teacher: Path, base: Path, recipe: Recipe = RECIPE) -> TrainingReport:
    return train_places(
        documents(),
        output=folder,
        teacher=teacher,
        recipe=recipe,
        base=base,
        shape=SHAPE,
        checkpoint_every=30,
        resume=True,
    )


@pytest.fixture(scope="module")
def model() -> PlaceModel:
    """A model whose random weights are large enough that scores differ."""
    torch.manual_seed(0)
    made = PlaceModel(replace(SHAPE, vocabulary=len(vocabulary()), word_width=40))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn_like(parameter) / parameter.shape[-1] ** 0.5)
    made.set_words(np.random.default_rng(0).normal(size=made.V.shape), np.zeros(len(made.V)))
    return made.eval()


texts = st.builds(
    lambda lengths, seed: Segments(
        np.random.default_rng(seed).integers(1, len(vocabulary()), sum(lengths)).astype(np.int32),
        np.cumsum([0, *lengths[:-1]]),
    ),
    st.lists(st.integers(1, 90), min_size=1, max_size=70),
    st.integers(0, 999),
)


def scores_of(model: PlaceModel, *windows: Segments) -> list[np.ndarray]:
    with torch.inference_mode():
        t = model(make_batch(windows))[0].numpy()
    return np.split(t, np.cumsum([len(window.first) for window in windows])[:-1])


@settings(max_examples=25)
@given(st.lists(texts, min_size=2, max_size=4))
def test_a_place_scores_the_same_whatever_is_in_its_batch(
    model: PlaceModel, windows: list[Segments]
) -> None:
    for alone, beside in zip(windows, scores_of(model, *windows), strict=True):
        np.testing.assert_allclose(scores_of(model, alone)[0], beside, atol=1e-5)


@settings(max_examples=25)
@given(text=texts)
def test_the_graph_scores_as_the_model(
    model: PlaceModel, sessions: dict[str, Any], text: Segments
) -> None:
    inputs = {"ids": text.ids[None].astype(np.int64), "places": text.first.astype(np.int64)}
    (expected,) = scores_of(model, text)
    t = sessions["fp32"].run(None, inputs)[0]
    assert t.shape == (1, len(text.first))
    np.testing.assert_allclose(t[0], expected, atol=1e-5)
    t = sessions["int8"].run(None, inputs)[0][0]
    assert np.abs(t - expected).mean() < 0.2


@pytest.fixture(scope="module")
def sessions(model: PlaceModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    import onnx

    from lumber_training.place_graph import place_graph

    folder = tmp_path_factory.mktemp("graphs")
    for precision in ("fp32", "int8"):
        onnx.save(place_graph(model, precision), folder / precision)
    return {precision: open_session(folder / precision) for precision in ("fp32", "int8")}


def test_a_text_of_many_windows_scores_as_a_whole_far_from_their_ends(model: PlaceModel) -> None:
    rng = np.random.default_rng(1)
    count = 3 * WINDOW
    ids = rng.integers(1, len(vocabulary()), 9 * count).astype(np.int32)
    text = Segments(ids, np.arange(0, len(ids), 9))
    found, (whole,) = score_segments(model, text), scores_of(model, text)
    assert np.corrcoef(found, whole)[0, 1] > 0.99
    short = text.crop(0, WINDOW)
    np.testing.assert_allclose(score_segments(model, short), scores_of(model, short)[0], atol=1e-5)


def test_it_learns_what_the_teacher_says(run: TrainingReport, exported: Path) -> None:
    losses = [point.loss for point in run.points if point.loss is not None]
    assert losses[-1] < 0.95 * losses[0]
    assert all(0 <= point.f1 <= 1 for point in run.points if point.f1 is not None)
    teacher, model = Teacher(exported), load_place_model(run.folder)
    taught, learned = [], []
    for item, _ in RECIPE.make_items(documents())[:40]:
        placed = place_item(item, teacher.tokenizer, random.Random(1))
        taught.append(teacher.read(placed.segments)[0][1:])
        learned.append(score_segments(model, placed.segments)[1:])
    assert np.corrcoef(np.concatenate(taught), np.concatenate(learned))[0, 1] > 0.25


def test_it_writes_what_it_did(run: TrainingReport, exported: Path) -> None:
    report = json.loads((run.folder / "training.json").read_text())
    assert report["recipe"]["scores"] == "places"
    assert report["documents"]["made"] + report["held_out"]["made"] == 30
    assert read_card(exported).files["model.int8.onnx"] in report["teachers"][0]
    assert "SHA-256" in report["base"]


def test_a_run_takes_the_same_steps_if_it_is_continued(
    run: TrainingReport, exported: Path, tmp_path: Path
) -> None:
    items = [(item, 0) for item, _ in RECIPE.make_items(documents())[:20]]
    taught, components = teach(
        Teacher(exported), items, folder=tmp_path, components=SHAPE.components, seed=0
    )

    def start() -> PlaceRun:
        torch.manual_seed(0)
        shape = load_place_model(run.folder).shape
        model = PlaceModel(shape, dropout=0.2, word_dropout=0.2)
        model.set_words(np.random.default_rng(0).normal(size=model.V.shape), np.zeros(len(model.V)))
        return PlaceRun(model, RECIPE, taught, components, steps=9, bf16=False)

    whole, half, rest = start(), start(), start()
    for _ in range(6):
        whole.take_step()
    for _ in range(3):
        half.take_step()
    half.measure(0.5)
    half.save(tmp_path / "half.pt")
    rest.load(tmp_path / "half.pt")
    assert (rest.step, rest.points) == (3, half.points)
    for _ in range(3):
        rest.take_step()
    for key, value in whole.averaged.state_dict().items():
        assert torch.equal(rest.averaged.state_dict()[key], value), key
    assert not torch.equal(half.averaged.M, whole.averaged.M)


def test_a_run_that_was_cut_off_makes_the_same_model(
    run: TrainingReport, exported: Path, checkpoint: Path, tmp_path: Path
) -> None:
    (taught,) = (run.folder / "taught").iterdir()
    again = tmp_path / "taught" / taught.name
    again.mkdir(parents=True)
    shutil.copy(taught / "0000.npz", again)  # cut off while the teacher read
    second = train(tmp_path, exported, checkpoint)
    assert {path.name for path in taught.iterdir()} == {path.name for path in again.iterdir()}
    finished = train(tmp_path, exported, checkpoint)  # continues after the last step
    for report in (second, finished):
        assert report.points == run.points
        name = "model.safetensors"
        assert (report.folder / name).read_bytes() == (run.folder / name).read_bytes()


def test_a_run_with_another_seed_takes_what_was_said_of_the_same_items(
    run: TrainingReport, exported: Path, checkpoint: Path, tmp_path: Path
) -> None:
    shutil.copytree(run.folder / "taught", tmp_path / "taught")
    (taught,) = (tmp_path / "taught").iterdir()
    written = (taught / "0000.npz").stat().st_mtime_ns
    other = train(tmp_path, exported, checkpoint, replace(RECIPE, seed=4))
    assert list((tmp_path / "taught").iterdir()) == [taught]
    assert (taught / "0000.npz").stat().st_mtime_ns == written
    name = "model.safetensors"
    assert (other.folder / name).read_bytes() != (run.folder / name).read_bytes()
    own = replace(RECIPE, items_seed=None, seed=4)
    assert own.make_items(documents()) != RECIPE.make_items(documents())


def test_a_checkpoint_is_read_again(run: TrainingReport, tmp_path: Path) -> None:
    load_place_model(run.folder).save(tmp_path)
    for name in ("config.json", "model.safetensors"):
        assert (tmp_path / name).read_bytes() == (run.folder / name).read_bytes()
    (tmp_path / "config.json").write_text('{"kind": "places", "layers": 3}')
    with pytest.raises(WeightsError, match="no checkpoint of a model of places"):
        load_place_model(tmp_path)


def test_it_is_exported(run: TrainingReport, checkpoint: Path, tmp_path: Path) -> None:
    report = export(run.folder, output=tmp_path, embedder=checkpoint)
    assert report.fp32_difference < 1e-4
    assert report.int8_difference < 0.3
    card = read_card(tmp_path)
    assert (card.scores, card.window) == ("places", 2048)
    assert json.loads((tmp_path / "card.json").read_text())["scores"] == "places"
    assert {"model.int8.onnx", "embedder.int8.onnx"} < set(card.files)


def test_the_teacher_says_what_the_splitter_takes(
    exported: Path, checkpoint: Path, prose: list[str]
) -> None:
    teacher = Teacher(exported)
    splitter = BertChunker(str(exported), threshold=0.0)
    for text in (" ".join(prose[:30]), prose[0]):
        parsed = splitter.parse(text)
        places = splitter._places(parsed, parsed.places())
        expected = place_scores(splitter.scores(text), places)
        placed = place_item(Item(text, (0,), (0,)), teacher.tokenizer, random.Random(1))
        t, hidden = teacher.read(placed.segments)
        at = placed.pieces.starts[placed.first]
        words = np.array([place.first_word for place in places])
        offsets = np.array([place.offset for place in places])
        found = [t[np.isin(at, pair)].max() for pair in zip(offsets, words, strict=True)]
        np.testing.assert_allclose(found, expected, atol=1e-5)
        assert hidden.shape == (len(placed.first), 32)
        if len(placed.pieces.ids) < 253:  # read in one window, so that t is the state's
            layer = load_tagger(checkpoint).chunklayer
            weight, bias = (
                (value[1] - value[0]).detach().numpy() for value in (layer.weight, layer.bias)
            )
            np.testing.assert_allclose(hidden @ weight + bias, t, atol=0.02)


def test_components_have_a_variance_of_one() -> None:
    rng = np.random.default_rng(0)
    hidden = (rng.normal(size=(500, 6)) * [9, 5, 3, 1, 0.1, 0.1] + 2).astype(np.float16)
    found = Components.of(hidden, 4)
    reduced = found(hidden).astype(np.float32)
    np.testing.assert_allclose(np.cov(reduced.T), np.eye(4), atol=0.02)
    assert (np.diff(found.weights) < 0).all()
    assert found.weights.mean() == pytest.approx(1)


def test_the_loss_is_lowest_at_what_the_teacher_says() -> None:
    rng = np.random.default_rng(0)
    said = TaughtText(
        Segments(np.arange(12, dtype=np.int32), np.array([0, 3, 6, 9])),
        np.array([5, -2, 1, -np.inf], np.float16),
        rng.normal(size=(4, 3)).astype(np.float16),
        np.array([1, 0, 1, 1], np.bool_),
        0,
    )
    parts = [Part("excerpts", 1.0, start_weight=2.5)]

    def gradients(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = torch.tensor(t.astype(np.float32), requires_grad=True)
        hidden = torch.tensor(said.hidden.astype(np.float32), requires_grad=True)
        place_loss(scores, hidden, [said], parts, torch.ones(3)).backward()
        return scores.grad.numpy(), hidden.grad.numpy()

    at, of_hidden = gradients(said.t)
    np.testing.assert_allclose(at, 0, atol=1e-6)
    np.testing.assert_allclose(of_hidden, 0, atol=1e-6)
    above, _ = gradients(np.array([9, -1, 2, 0]))
    assert (above[1:3] > 0).all()
    assert above[0] == above[3] == 0  # nothing is before the first; the last has no score


def test_the_rate_warms_up_stays_and_falls_in_a_line() -> None:
    rates = [learning_rate(step, 1000, SMALL) / SMALL.learning_rate for step in range(1000)]
    assert rates[29] == pytest.approx(0.5)
    assert set(rates[60:600]) == {1.0}
    assert rates[800] == pytest.approx(0.5)
    assert rates[999] == pytest.approx(0.02)


def test_a_teacher_that_cannot_teach_is_refused_before_any_work(
    run: TrainingReport, exported: Path, checkpoint: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    export(run.folder, output=tmp_path / "student")
    with pytest.raises(WeightsError, match="it scores places"):
        train(new, tmp_path / "student", checkpoint)
    with pytest.raises(WeightsError, match=r"card.json does not exist"):
        train(new, checkpoint, checkpoint)
    with pytest.raises(ValueError, match="existing folder"):
        train(new, tmp_path / "missing", checkpoint)
    other = write_random_checkpoint(tmp_path / "other")
    swap_two_words(other)
    with pytest.raises(WeightsError, match="another tokenizer"):
        train(new, exported, other)
    assert not new.exists()


def test_what_was_read_of_other_items_is_not_taken(exported: Path, tmp_path: Path) -> None:
    teacher = Teacher(exported)
    items = [(Item("The king. The sea.", (0, 10), (0,)), 0)]
    other = [(Item("The sea. The king.", (0, 9), (0,)), 0)]
    first, _ = teach(teacher, items, folder=tmp_path, components=2, seed=0)
    second, _ = teach(teacher, other, folder=tmp_path, components=2, seed=0)
    assert not np.array_equal(first[0].segments.ids, second[0].segments.ids)
    assert len(list(tmp_path.iterdir())) == 2
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    again, _ = teach(teacher, items, folder=tmp_path, components=2, seed=0)
    np.testing.assert_array_equal(again[0].hidden, first[0].hidden)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")} == before
