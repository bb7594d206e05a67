"""The report: sections of prose, tables and charts, as one Markdown file and SVG files."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median, quantiles


@dataclass(frozen=True)
class Table:
    """A table; cells are text already, without vertical bars."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the table as Markdown; all columns but the first are aligned right."""
        lines = [
            f"| {' | '.join(self.headers)} |",
            f"| --- |{' --: |' * (len(self.headers) - 1)}",
            *(f"| {' | '.join(row)} |" for row in self.rows),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Bars:
    """Horizontal bars on a logarithmic scale.

    Attributes:
        name: The file's name, without its ending.
        title: What is shown.
        label: What the axis measures.
        values: The bars, by name.
        own: Names of this project's bars, which get another colour.
    """

    name: str
    title: str
    label: str
    values: Mapping[str, float]
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Lines:
    """Lines over two logarithmic axes.

    Attributes:
        name: The file's name, without its ending.
        title: What is shown.
        x_label: What the x axis measures.
        y_label: What the y axis measures.
        series: Points by name.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    series: Mapping[str, Sequence[tuple[float, float]]]


Chart = Bars | Lines


@dataclass(frozen=True)
class Section:
    """One part of the report.

    Attributes:
        title: Its heading.
        blocks: Paragraphs, tables and charts, in order.
        packages: Distributions whose versions are named.
    """

    title: str
    blocks: Sequence[str | Table | Chart]
    packages: frozenset[str] = field(default_factory=frozenset)


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Write `benchmarks.md` and its charts into a folder, and return the file's path."""
    charts = folder / "benchmarks"
    charts.mkdir(parents=True, exist_ok=True)
    parts = ["# Benchmarks", machine(sections)]
    for section in sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, Table):
                parts.append(block.markdown())
            elif isinstance(block, str):
                parts.append(block)
            else:
                draw(block, charts / f"{block.name}.svg")
                parts.append(f"![{block.title}](benchmarks/{block.name}.svg)")
    path = folder / "benchmarks.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def machine(sections: Iterable[Section]) -> str:
    """Describe where and with what the benchmarks ran."""
    named = sorted({package for section in sections for package in section.packages})
    versions = ", ".join(f"{package} {_version(package)}" for package in named)
    return (
        f"Made by `make bench` on {date.today():%Y-%m-%d}: Python {platform.python_version()}, "
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}. CPU times hold on a busy "
        f"machine too, wall times do not. Versions: {versions}."
    )


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """Return the median of some values, and the range of their middle half."""
    if len(values) < 2:
        return format(values[0], form)
    low, _, high = quantiles(values, n=4, method="inclusive")
    return f"{median(values):{form}} ({low:{form}} to {high:{form}})"


def short(value: float) -> str:
    """Return a number with three digits and a unit: 1.23 k, 45.6 M."""
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{_digits(value / factor)}{unit}"
    return _digits(value)


def draw(chart: Chart, path: Path) -> None:
    """Write a chart as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    # Text stays text; the same chart gives the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": chart.name}):
        height = 1.2 + 0.28 * len(chart.values) if isinstance(chart, Bars) else 4.2
        figure, axes = pyplot.subplots(figsize=(8, height), layout="constrained")
        if isinstance(chart, Bars):
            names = list(chart.values)[::-1]
            colours = ["#c2571a" if name in chart.own else "#6b7f92" for name in names]
            bars = axes.barh(names, [chart.values[name] for name in names], color=colours)
            axes.bar_label(bars, [f" {short(chart.values[name])}" for name in names], fontsize=8)
            axes.set_xscale("log")
            low, high = min(chart.values.values()), max(chart.values.values())
            axes.set_xlim(10 ** math.floor(math.log10(low) - 0.01), high * 4)
            axes.set_xlabel(chart.label)
        else:
            for name, points in chart.series.items():
                axes.plot(*zip(*points, strict=True), marker="o", label=name)
            axes.set(xscale="log", yscale="log", xlabel=chart.x_label, ylabel=chart.y_label)
            axes.grid(visible=True, which="major", alpha=0.3)
            axes.legend()
        axes.set_title(chart.title, fontsize=11)
        figure.savefig(path, format="svg", metadata={"Date": None})
        pyplot.close(figure)


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        found = re.search(r"model name\s*: (.+)", path.read_text(encoding="utf-8"))
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()
