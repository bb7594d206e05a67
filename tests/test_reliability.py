"""Every fault in docs/reliability.md is shown by a test that exists."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reliability.md"
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_every_row_names_a_test_that_exists() -> None:
    rows = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith(("| ---", "| Fault"))
    ]
    assert len(rows) > 20
    assert [row for row in rows if not NAMED.search(row)] == []


def test_named_tests_exist() -> None:
    named = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not (TESTS / file).is_file() or test not in functions_of(TESTS / file)
    ]
    assert missing == []
