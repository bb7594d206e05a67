"""Imports keep the contracts of pyproject.toml; names are unique, and users see public ones."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import langchain_lumber
import llamaindex_lumber

ROOT = Path(__file__).resolve().parents[1]
FRAMEWORKS = {"langchain_lumber", "llamaindex_lumber"}
FOLDERS = [ROOT / folder for folder in (*sorted(FRAMEWORKS), "shared")]
PACKAGES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]


def test_imports_keep_the_contracts_between_packages(capsys, monkeypatch) -> None:
    cli = pytest.importorskip("importlinter.cli")
    monkeypatch.chdir(ROOT)
    # The command would turn off all existing loggers, also for later tests.
    monkeypatch.setattr(cli.logging_config, "dictConfig", lambda settings: None)
    status = cli.lint_imports(no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_no_two_public_things_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for package in ("langchain_lumber", "llamaindex_lumber", "shared"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in _public_names(ast.parse(path.read_text(encoding="utf-8"))):
                places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(places) > 500
    # Names that users of either framework import are the same in both.
    both = set(langchain_lumber.__all__) & set(llamaindex_lumber.__all__)
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert {name: paths for name, paths in shared.items() if name not in both} == {}
    # A function of the core that both adapt to their documents may have the same name.
    adapters = [
        [path for path in paths if not path.startswith("shared")] for paths in shared.values()
    ]
    assert all(len(paths) == 2 for paths in adapters)
    assert all(len(paths) <= 3 for paths in shared.values())


# An adapter's file is named like the file that it adapts.
SAME_IDEA = {"citations", "greedy", "layout", "pages"}


def test_no_two_files_share_a_name() -> None:
    places: dict[str, list[Path]] = {}
    for path in PACKAGES:
        places.setdefault(path.stem, []).append(path)
    repeated = {"__init__", "__main__"}
    twice = {
        name: paths for name, paths in places.items() if len(paths) > 1 and name not in repeated
    }
    mirrored = {
        name for name, paths in twice.items() if {p.parent.name for p in paths} == FRAMEWORKS
    }
    assert twice.keys() - mirrored - SAME_IDEA == set()


@pytest.mark.parametrize(
    "init",
    [path for path in PACKAGES if path.name == "__init__.py"],
    ids=lambda path: path.parent.name,
)
def test_the_docstring_of_a_package_names_its_modules(init: Path) -> None:
    tree = ast.parse(init.read_text(encoding="utf-8"))
    modules = {path.stem for path in init.parent.iterdir()}
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    exported = {alias.name for node in imports for alias in node.names}
    docstring = ast.get_docstring(tree) or ""
    assert docstring, "a package says in one sentence what it is for"
    assert {*re.findall(r"`(\w+)`", docstring)} <= modules | exported
    if init.parent.parent.name.startswith("lumber_"):  # a package within a package of ours
        files = {path.stem for path in init.parent.glob("*.py")} - {"__init__"}
        assert {name for name in files if not re.search(rf"\b{name}\b", docstring)} == set()


PARTICIPLE = re.compile(
    r"(?:[a-z]+(?:ed|wn|ven|ung)|made|kept|found|said|told|held|built|sent|left|hidden|taken|written)"
    r"(?:_(?:of|by|with|as|from|in))?"
)
# Verbs that end like a participle.
VERBS = {"embed", "aembed", "feed", "need", "seed", "proceed", "markdown"}


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: "/".join(path.parts[-2:]))
def test_functions_are_not_named_by_participles(path: Path) -> None:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    names = {node.name.strip("_") for node in functions} - VERBS
    assert {name for name in names if PARTICIPLE.fullmatch(name)} == set()


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


IMPORT = re.compile(
    r"^[ >]*from ((?:lumber_|langchain_lumber|llamaindex_lumber)[\w.]*) import (\([^)]*\)|[\w, ]+)",
    re.MULTILINE,
)
USERS = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.py")]


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.name)
def test_users_are_shown_public_paths_only(path: Path) -> None:
    private = [
        f"from {module} import {name}"
        for module, name in _imports(path.read_text(encoding="utf-8"))
        if not _is_public(module, name)
    ]
    assert private == []


def _imports(text: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import from our packages, also in fenced code."""
    for module, names in IMPORT.findall(text):
        yield from ((module, name) for name in re.findall(r"\w+", names))


def _is_public(module: str, name: str) -> bool:
    """Return whether a folder exports a name, or docs/api names its module, or one above."""
    for page in ROOT.glob("docs/api/*.md"):
        for named, options in re.findall(
            r"^::: (\S+)\n((?: .*\n)*)", page.read_text(encoding="utf-8") + "\n", re.MULTILINE
        ):
            within = "show_submodules: true" in options and module.startswith(f"{named}.")
            if module == named or within:
                return True
    package = import_module(module)
    return hasattr(package, "__path__") and name in package.__all__


def test_public_names_are_exported_or_documented() -> None:
    assert _is_public("lumber_core", "BertChunker")
    assert _is_public("lumber_core.errors", "StoreError")
    assert _is_public("lumber_evaluation.bootstrap", "mean_interval")
    assert not _is_public("lumber_core.chunking.chunker", "Chunker")


def test_lazily_loaded_names_equal_those_for_type_checkers() -> None:
    text = (ROOT / "langchain_lumber" / "__init__.py").read_text(encoding="utf-8")
    (branches,) = [node for node in ast.parse(text).body if isinstance(node, ast.If)]
    seen = {
        alias.name: statement.module
        for statement in branches.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    package = import_module("langchain_lumber")
    assert seen == package._MODULES
    assert seen.keys() == {*package.__all__}
    assert seen.keys() <= {*dir(package)}
    assert None not in [getattr(package, name) for name in seen]
    with pytest.raises(AttributeError, match="has no attribute 'Missing'"):
        _ = package.Missing
