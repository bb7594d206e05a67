"""Draw the architecture from the imports.

Usage: python scripts/draw_architecture.py [--check]

Writes docs/architecture/packages.svg and drawings of the modules inside `DRAWN`. All imports count,
deferred ones and those under TYPE_CHECKING included; import-linter keeps them free of circles.
`--check` fails if the drawings on disk are out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import chain
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).resolve().parents[1]
OUTPUT = REPOSITORY / "docs" / "architecture"
DRAWN = ("lumber_core", "lumber_retrieval")

Arrow = tuple[str, str]
"""An importer and what it imports."""

BOX_HEIGHT, LAYER_HEIGHT, GAP, MARGIN, LETTER = 30, 84, 18, 16, 7.3
STYLE = """
  text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2933; text-anchor: middle }
  rect { fill: #f2f5f9; stroke: #5b7083 }
  path { fill: none; stroke: #8496a8; stroke-width: 1.2 }
  marker path { fill: #8496a8; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e3e8ee } rect { fill: #26323d; stroke: #8fa3b5 }
  }
"""


@dataclass(frozen=True)
class Structure:
    """Boxes, and the arrows between them, which form no circle."""

    boxes: list[str]
    arrows: set[Arrow]

    @cached_property
    def direct(self) -> dict[str, set[str]]:
        """What each box imports itself."""
        return {box: {end for start, end in self.arrows if start == box} for box in self.boxes}

    @cached_property
    def reachable(self) -> dict[str, set[str]]:
        """What each box imports, directly or not."""
        found: dict[str, set[str]] = {}

        def below(box: str) -> set[str]:
            if box not in found:
                direct = self.direct[box]
                found[box] = direct.union(*map(below, direct))
            return found[box]

        return {box: below(box) for box in self.boxes}

    @property
    def layers(self) -> list[list[str]]:
        """Boxes by the longest chain of imports below them, the foundations last."""
        height: dict[str, int] = {}
        for box in sorted(self.boxes, key=lambda box: (len(self.reachable[box]), box)):
            height[box] = 1 + max((height[other] for other in self.direct[box]), default=-1)
        layers: dict[int, list[str]] = {}
        for box in sorted(self.boxes):
            layers.setdefault(height[box], []).append(box)
        return [layers[level] for level in sorted(layers, reverse=True)]

    @property
    def shown_arrows(self) -> set[Arrow]:
        """The arrows that no other path implies; drawings stay readable with these alone."""
        return {
            (importer, imported)
            for importer, imported in self.arrows
            if not any(imported in self.reachable[other] for other in self.direct[importer])
        }


def read_imports() -> grimp.ImportGraph:
    """Return the import graph of all packages."""
    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "shared")]
    found = chain(REPOSITORY.glob("*_lumber/__init__.py"), REPOSITORY.glob("shared/*/__init__.py"))
    return grimp.build_graph(*sorted(path.parent.name for path in found), cache_dir=None)


def structure_of(graph: grimp.ImportGraph, box_of: Callable[[str], str | None]) -> Structure:
    """Group modules into boxes; a module whose box is None is left out.

    What an `__init__` imports from inside its own package is left out: it only re-exports names.
    """
    box = {module: box_of(module) for module in graph.modules}
    arrows = set()
    for importer, start in box.items():
        for imported in graph.find_modules_directly_imported_by(importer):
            end = box[imported]
            reexports = graph.find_children(importer) and imported.startswith(f"{importer}.")
            if start and end and start != end and not reexports:
                arrows.add((start, end))
    return Structure(sorted({name for name in box.values() if name}), arrows)


def packages(graph: grimp.ImportGraph) -> Structure:
    """Return the packages that are installed."""
    return structure_of(graph, lambda module: module.partition(".")[0])


def inside(graph: grimp.ImportGraph, package: str) -> Structure:
    """Return what lies directly inside a package; a folder counts as one box."""

    def child(module: str) -> str | None:
        if not module.startswith(f"{package}."):
            return None
        return module.removeprefix(f"{package}.").partition(".")[0]

    return structure_of(graph, child)


def draw(structure: Structure, title: str) -> str:
    """Return a structure as SVG: importers above, arrows that others imply left out."""
    layers, arrows = _ordered(structure), structure.shown_arrows
    widths = {box: LETTER * len(box) + 18 for box in structure.boxes}
    row_widths = [sum(widths[box] + GAP for box in layer) - GAP for layer in layers]
    width = max(row_widths, default=0) + 2 * MARGIN
    height = LAYER_HEIGHT * (len(layers) - 1) + BOX_HEIGHT + 2 * MARGIN
    place: dict[str, tuple[float, float]] = {}
    for level, (layer, row_width) in enumerate(zip(layers, row_widths, strict=True)):
        x = (width - row_width) / 2
        for box in layer:
            place[box] = (x + widths[box] / 2, MARGIN + level * LAYER_HEIGHT)
            x += widths[box] + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ]
    for importer, imported in sorted(arrows):
        (x1, top), (x2, y2) = place[importer], place[imported]
        y1 = top + BOX_HEIGHT
        bend = LAYER_HEIGHT / 2
        lines.append(
            f'<path marker-end="url(#head)" d="M{x1:.0f} {y1} '
            f'C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2}"/>'
        )
    for box, (x, y) in place.items():
        lines.append(
            f'<rect x="{x - widths[box] / 2:.0f}" y="{y}" width="{widths[box]:.0f}" '
            f'height="{BOX_HEIGHT}" rx="4"/><text x="{x:.0f}" y="{y + 19}">{escape(box)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _ordered(structure: Structure) -> list[list[str]]:
    """Order the boxes of each layer so that arrows cross less (barycentre heuristic)."""
    layers = structure.layers
    neighbours: dict[str, list[str]] = {box: [] for box in structure.boxes}
    for importer, imported in sorted(structure.shown_arrows):
        neighbours[importer].append(imported)
        neighbours[imported].append(importer)
    for _ in range(8):
        # Fractions, because sums of floats depend on the version of Python.
        position = {box: at for layer in layers for box, at in _spread(layer)}
        for layer in layers:
            layer.sort(
                key=lambda box: (
                    sum(position[other] for other in neighbours[box]) / len(neighbours[box])
                    if neighbours[box]
                    else Fraction(1, 2),
                    box,
                )
            )
            position |= _spread(layer)
    return layers


def _spread(layer: Sequence[str]) -> list[tuple[str, Fraction]]:
    """Return the boxes of a layer with their positions, from 0 to 1."""
    return [(box, Fraction(2 * index + 1, 2 * len(layer))) for index, box in enumerate(layer)]


def drawings() -> dict[str, str]:
    """Return the drawings by file name."""
    graph = read_imports()
    made = {"packages.svg": draw(packages(graph), "Packages and their imports")}
    for package in DRAWN:
        made[f"{package}.svg"] = draw(inside(graph, package), f"Inside {package}")
    return made


def out_of_date(made: dict[str, str], folder: Path) -> list[str]:
    """Return the names of drawings that are missing, outdated or no longer made."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    return sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))


def main() -> None:
    made = drawings()
    if sys.argv[1:] == ["--check"]:
        if changed := out_of_date(made, OUTPUT):
            sys.exit(f"out of date: {', '.join(changed)}; run: make architecture")
        return
    for path in OUTPUT.glob("*.svg"):
        path.unlink()
    for name, content in made.items():
        (OUTPUT / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
