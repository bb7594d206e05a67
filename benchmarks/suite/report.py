"""The report: sections of prose and tables, as one Markdown file."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.packages import installed_version


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown; all columns but the first are aligned right."""
    lines = [
        f"| {' | '.join(headers)} |",
        f"| --- |{' --: |' * (len(headers) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)


@dataclass(frozen=True)
class Section:
    """One part of the report."""

    title: str
    blocks: Sequence[str]  # paragraphs and tables, in order
    packages: frozenset[str]  # distributions whose versions are named


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Write `benchmarks.md` into a folder, and return the file's path."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["# Benchmarks", machine(sections)]
    for section in sections:
        parts += [f"## {section.title}", *section.blocks]
    path = folder / "benchmarks.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def machine(sections: Iterable[Section]) -> str:
    """Describe where and with what the benchmarks ran."""
    names = sorted({package for section in sections for package in section.packages})
    versions = ", ".join(f"{name} {installed_version(name) or 'not installed'}" for name in names)
    return (
        f"Made by `make bench` on {date.today():%Y-%m-%d}: Python {platform.python_version()}, "
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}. CPU times hold on a busy "
        f"machine, too. Versions: {versions}."
    )


def short(value: float) -> str:
    """Return a number with three digits and a unit: 1.23 k, 45.6 M."""
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{_digits(value / factor)}{unit}"
    return _digits(value)


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        match = re.search(r"model name\s*: (.+)", path.read_text(encoding="utf-8"))
        if match:
            return match[1].strip()
    return platform.processor() or platform.machine()
