"""The tables of stores in docs/vectors.md, between their marks."""

import re
import textwrap
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "vectors.md"


def _between(name: str) -> re.Pattern[str]:
    """Return a pattern that matches the lines between the marks of a table."""
    return re.compile(rf"(?<=<!-- stores: {name} -->\n).*?(?=<!-- end of stores -->)", re.DOTALL)


def read_rows(name: str) -> dict[str, dict[str, str]]:
    """Return the documented rows of a table by store, each by column."""
    match = _between(name).search(PAGE.read_text(encoding="utf-8"))
    assert match, f"docs/{PAGE.name} has no marks for the table of {name}"
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in match.group().splitlines()
        if line.startswith("|")
    ]
    if not lines:
        return {}
    (_, *columns), _, *rows = lines
    return {store: dict(zip(columns, cells, strict=True)) for store, *cells in rows}


def write_rows(name: str, rows: dict[str, dict[str, str]], packages: Sequence[str]) -> None:
    """Replace a table, and the versions below it."""
    columns = list(next(iter(rows.values())))
    lines = [["Store", *columns], ["---"] * (len(columns) + 1)]
    lines += [[store, *row.values()] for store, row in rows.items()]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    versions = textwrap.fill(
        f"Versions: {', '.join(f'{package} {version(package)}' for package in packages)}.",
        130,
        break_on_hyphens=False,
    )
    text = PAGE.read_text(encoding="utf-8")
    replaced = _between(name).sub(lambda _: f"\n{table}\n{versions}\n\n", text, count=1)
    PAGE.write_text(replaced, encoding="utf-8")
