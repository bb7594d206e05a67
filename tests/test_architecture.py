"""Imports keep the contracts of pyproject.toml, and docs/architecture shows them as they are."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("grimp")

import grimp

from scripts.draw_architecture import (
    Structure,
    all_modules,
    draw,
    folders,
    out_of_date,
    packages,
    read_imports,
)

ROOT = Path(__file__).resolve().parents[1]
DRAWING = "scripts/draw_architecture.py"


def test_imports_keep_the_contracts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = pytest.importorskip("importlinter.cli")
    monkeypatch.chdir(ROOT)
    # Otherwise it turns off all loggers that there are, also for later tests.
    monkeypatch.setattr(cli.logging_config, "dictConfig", lambda settings: None)
    status = cli.lint_imports(no_cache=True)
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("level", [packages, folders, all_modules])
def test_nothing_imports_itself_in_a_circle(
    level: Callable[[grimp.ImportGraph], Structure], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    structure = level(read_imports(ROOT))
    assert len(structure.boxes) > 5
    assert structure.cycles == []


def test_the_drawings_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, DRAWING, "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_importers_stand_above_what_they_import_and_circles_share_a_layer() -> None:
    structure = Structure(
        ["app", "left", "right", "base"],
        {("app", "left"), ("app", "base"), ("left", "right"), ("right", "left"), ("left", "base")},
    )
    assert structure.layers == [["app"], ["left", "right"], ["base"]]
    assert structure.cycles == [["left", "right"]]
    assert structure.counts() == "4 boxes, 5 arrows, 3 layers, 1 cycles"


def test_arrows_that_others_imply_are_counted_but_not_drawn() -> None:
    structure = Structure(["a", "b", "c"], {("a", "b"), ("b", "c"), ("a", "c")})
    assert structure.shown_arrows == {("a", "b"), ("b", "c")}
    assert draw(structure, "three").count("marker-end") == 2


def test_changed_missing_and_stray_drawings_are_out_of_date(tmp_path: Path) -> None:
    for name in ("same.svg", "changed.svg", "stray.svg"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    made = {"same.svg": "old", "changed.svg": "new", "missing.svg": "new"}
    assert out_of_date(made, tmp_path) == ["changed.svg", "missing.svg", "stray.svg"]


def test_no_two_public_things_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for package in ("langchain_lumber", "llamaindex_lumber", "shared"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in _public_names(ast.parse(path.read_text(encoding="utf-8"))):
                places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def _public_names(module: ast.Module) -> set[str]:
    """Return the classes, functions and constants of a module; type variables do not count."""
    names = set()
    for statement in module.body:
        match statement:
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                names.add(name)
    return {name for name in names if not name.startswith("_") and len(name) > 1} - {"logger"}
