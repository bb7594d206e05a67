import inspect
import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")
pytest.importorskip("onnx")

from lumber_core import BertChunker  # noqa: E402
from lumber_core.bert.model_folder import sha256  # noqa: E402
from lumber_core.bert.pytorch import load_tagger  # noqa: E402
from lumber_training.__main__ import run_command  # noqa: E402
from lumber_training.synthesis import synthesize  # noqa: E402
from lumber_training.training import TrainingReport, train  # noqa: E402
from lumber_training.training_data import load_documents  # noqa: E402
from tests.alone import run_python  # noqa: E402
from tests.tiny_bert import WORDS, write_random_checkpoint  # noqa: E402

TINY: dict[str, Any] = {
    "items": 256,
    "segments": 3,
    "sentences": (2, 4),
    "epochs": 2,
    "batch_size": 16,
    "learning_rate": 5e-3,
    "window": 64,
    "held_out": 0.3,
    "checkpoint_every": 16,
}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Use one thread: for tiny models, threads mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Passages that begin with "king", a word that occurs nowhere else."""
    rng = random.Random(0)
    others = [word for word in WORDS if word != "king"]

    def sentence(first: str) -> str:
        return f"{first} {' '.join(rng.choices(others, k=rng.randint(3, 7)))}.".capitalize()

    rows = [
        {"document": f"d{number}", "text": " ".join(map(sentence, ["king", *["sea"] * 4]))}
        for number in range(40)
        for _ in range(3)
    ]
    path = tmp_path_factory.mktemp("passages") / "passages.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from safetensors.torch import load_file, save_file

    folder = write_random_checkpoint(tmp_path_factory.mktemp("base"), width=48)
    loaded = load_file(folder / "model.safetensors")
    state = {key: value / 6 if value.dim() > 1 else value for key, value in loaded.items()}
    save_file(state, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def run(passages: Path, base: Path, tmp_path_factory: pytest.TempPathFactory) -> TrainingReport:
    folder = tmp_path_factory.mktemp("run")
    return train(load_documents(passages), output=folder, base=base, **TINY)


def test_training_lowers_the_loss_and_reports_its_results(run: TrainingReport, base: Path) -> None:
    losses = [point.loss for point in run.points if point.loss is not None]
    scores = [point.f1 for point in run.points if point.f1 is not None]
    assert losses[-1] < losses[0] / 2
    assert scores[-1] > 0.9
    report = json.loads((run.folder / "training.json").read_text())
    assert report["settings"]["items"] == 256
    assert report["documents"] + report["held_out"] == 40
    assert sha256(base / "model.safetensors") in report["base"]


def test_a_trained_model_splits_texts(run: TrainingReport, passages: Path) -> None:
    text = load_documents(passages)[0].text
    chunks = BertChunker(str(run.folder), threshold=0.0).segment(text).chunks(text)
    assert len(chunks) == 3
    assert all(chunk.startswith("King") for chunk in chunks)


def test_an_interrupted_run_resumes_to_the_same_weights(run, passages, base, tmp_path) -> None:
    half = run.folder / "checkpoints" / "checkpoint-16"
    copy = shutil.copytree(half, tmp_path / "checkpoints" / half.name)
    written = (copy / "trainer_state.json").stat().st_mtime_ns
    resumed = train(load_documents(passages), output=tmp_path, base=base, resume=True, **TINY)
    first, second = load_tagger(run.folder).state_dict(), load_tagger(tmp_path).state_dict()
    for key, value in first.items():
        torch.testing.assert_close(second[key], value, rtol=0, atol=1e-6)
    assert [p.step for p in resumed.points] == [p.step for p in run.points]
    assert (copy / "trainer_state.json").stat().st_mtime_ns == written  # no step is repeated


def test_training_and_export_run_as_commands(passages: Path, base: Path, tmp_path, capsys) -> None:
    model, exported = tmp_path / "model", tmp_path / "exported"
    run_command(
        [
            *("train", str(model), str(passages), "--base", str(base)),
            *("--items", "32", "--epochs", "1", "--checkpoint-every", "2"),
        ]
    )
    run_command(["export", str(model), str(exported), "--embedder", str(base)])
    output = capsys.readouterr().out
    # An item needs four documents; fewer are held out.
    assert re.search(r"trained on 3\d documents; F1 on held-out windows not measured", output)
    assert f"\nwritten to {exported}; scores differ" in output
    card = json.loads((exported / "card.json").read_text())
    digest = sha256(model / "model.safetensors")
    assert card["provenance"]["checkpoint"] == {"model.safetensors": digest}
    assert card["provenance"]["training"]["settings"]["items"] == 32
    assert BertChunker(str(exported), threshold=-99).segment("One. Two.").spans


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["train", "out", "missing.jsonl"], "missing.jsonl does not exist"),
        (["export", "missing", "out"], "config.json does not exist"),
    ],
)
def test_mistakes_are_reported_in_one_line(arguments, reason, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=rf"^lumber_training: .*{reason}.*$") as caught:
        run_command(arguments)
    assert "\n" not in str(caught.value)


def test_help_and_usage_errors_need_no_pytorch() -> None:
    code = (
        "import sys, runpy; sys.modules['torch'] = None; sys.argv[1:] = ['train', '--help']\n"
        "runpy.run_module('lumber_training', run_name='__main__', alter_sys=True)"
    )
    assert "python -m lumber_training train" in run_python(code).stdout


def test_a_missing_extra_is_named(passages: Path) -> None:
    code = (
        "import sys; sys.modules['transformers'] = None\n"
        "from lumber_training.__main__ import run_command; run_command(sys.argv[1:])"
    )
    completed = run_python(code, "train", "out", passages, check=False)
    assert completed.returncode == 1
    assert "pip install '.[train]'" in completed.stderr
    assert len(completed.stderr.strip().splitlines()) == 1


def test_the_defaults_are_those_of_the_paper(
    passages: Path, base: Path, tmp_path, monkeypatch
) -> None:
    defaults = {n: p.default for n, p in inspect.signature(train).parameters.items()}
    chosen = [defaults[name] for name in ("items", "epochs", "batch_size", "window")]
    assert chosen == [30_000, 3, 8, 255]
    assert (defaults["segments"], defaults["sentences"]) == (4, (1, 5))
    assert inspect.signature(synthesize).parameters["items"].default == 30_000
    seen: list[Any] = []

    def arguments(self: Any, resume_from_checkpoint: str | None) -> None:
        seen.append(self.args)

    monkeypatch.setattr("lumber_training.training.Trainer.train", arguments)
    train(load_documents(passages), output=tmp_path, base=base, items=800)
    (given,) = seen
    assert (given.learning_rate, given.weight_decay, given.adam_beta2) == (3e-4, 0.1, 0.95)
    assert (given.max_steps, given.warmup_steps, given.lr_scheduler_type) == (300, 3, "cosine")
    assert given.optim.startswith("adamw")
