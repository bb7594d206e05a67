"""`lumber-splitters train` and `lumber-splitters export`, run as a user runs them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("accelerate")

from lumber_core import BertChunker
from lumber_core.bert.model_folder import sha256
from lumber_training.parts import Part
from lumber_training.recipes import RECIPES, SMALL
from tests.cli.running import run
from tests.tiny_bert import write_random_checkpoint

SMALL_RECIPE = ("train", "out", "--passages", "p", "--recipe", "small")


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    rows = [
        {"source": "made", "document": f"d{n}", "text": f"King {n} said so. The sea was there. "}
        for n in range(30)
    ]
    path = tmp_path / "passages.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def meetings(tmp_path: Path) -> Path:
    folder = tmp_path / "train"
    folder.mkdir()
    topics = []
    for name in ("M1", "M2"):
        (folder / f"{name}.txt").write_text("Anna: The king said so.\n\n" * 60)
        ranges = [{"start_index": 0, "end_index": 750}, {"start_index": 750, "end_index": 1500}]
        topics.append(json.dumps({"document": name, "topics": ranges}))
    (tmp_path / "train_topics.jsonl").write_text("\n".join(topics))
    return folder


@pytest.fixture
def wikipedia(tmp_path: Path) -> Path:
    pytest.importorskip("mwparserfromhell")
    pages = "".join(
        f"<page><title>King {n}</title><ns>0</ns><revision><text>He said so.\n== Sea ==\nIt was."
        "</text></revision></page>"
        for n in range(30)
    )
    path = tmp_path / "dump.xml"
    path.write_text(f"<mediawiki>{pages}</mediawiki>")
    return path


def test_train_then_export_then_split(
    passages: Path, meetings: Path, wikipedia: Path, tmp_path: Path
) -> None:
    base = write_random_checkpoint(tmp_path / "base")
    code, said = run(
        *("train", tmp_path / "run", "--passages", passages, "--recipe", "paper"),
        *("--meetings", meetings, "--wikipedia", wikipedia, "--base", base),
        *("--items", 24, "--epochs", 1, "--checkpoint-every", 2),
    )
    assert code == 0, said
    assert "F1 on held-out windows" in said
    code, said = run("export", tmp_path / "run", tmp_path / "out", "--embedder", base)
    assert code == 0, said
    card = json.loads((tmp_path / "out" / "card.json").read_text())
    assert card["provenance"]["training"]["recipe"]["name"] == "paper"
    documents = Counter(card["provenance"]["training"]["documents"])
    documents.update(card["provenance"]["training"]["held_out"])
    assert documents == {"made": 30, "meetings": 2, "wikipedia": 30}
    assert list(card["provenance"]["data"]) == ["passages.jsonl", "dump.xml", "train"]
    weights = tmp_path / "run" / "model.safetensors"
    assert card["provenance"]["checkpoint"] == {"model.safetensors": sha256(weights)}
    assert BertChunker(str(tmp_path / "out"), threshold=-99).segment("One. Two.").spans


def test_a_small_model_learns_from_an_exported_classifier(
    passages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = (Part("synthetic", 1.0, segments=4, sentences=(1, 3)),)
    monkeypatch.setitem(RECIPES, "small", replace(SMALL, parts=parts, held_out=0.3))
    base, teacher = write_random_checkpoint(tmp_path / "base", width=160), tmp_path / "teacher"
    code, said = run("export", base, teacher)
    assert code == 0, said
    code, said = run(
        *("train", tmp_path / "run", "--passages", passages, "--recipe", "small"),
        *("--teacher", teacher, "--base", base, "--items", 20, "--max-steps", 1),
    )
    assert code == 0, said
    assert "F1 on held-out windows" in said
    code, said = run("export", tmp_path / "run", tmp_path / "out")
    assert code == 0, said
    card = json.loads((tmp_path / "out" / "card.json").read_text())
    assert (card["scores"], card["window"]) == ("places", 2048)
    assert card["provenance"]["training"]["recipe"]["name"] == "small"
    assert "passages.jsonl" in card["provenance"]["data"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["train", "out"], "no documents"),
        (["train", "out", "--passages", "p", "--recipe", "small"], "pass teachers"),
        (
            [*SMALL_RECIPE, "--teacher", "a", "--teacher", "b"],
            "the scores of one exported classifier, not of 2",
        ),
        ([*SMALL_RECIPE, "--teacher", "a", "--mean-with", "b"], "a model of its own"),
        (["train", "out", "--recipe", "none"], "unknown recipe 'none'"),
        (["train", "out", "--passages", "missing.jsonl"], "missing.jsonl does not exist"),
        (["train", "out", "--wikipedia", "missing.xml"], "missing.xml does not exist"),
        (["train", "out", "--passages", "p", "--recipe", "taught"], "the scores of trained"),
        (["export", "missing", "out"], "config.json does not exist"),
        (["export", "a", "b", "--embedder", "c", "--with-minilm"], "either"),
    ],
)
def test_mistakes_are_reported_in_one_line(
    arguments: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run(*arguments)
    assert code == (1 if reason == "config.json does not exist" else 2)
    assert reason in said
    assert said.startswith("lumber-splitters: ")
    assert len(said.strip().splitlines()) == 1
