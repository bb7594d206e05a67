"""Draw the architecture from the imports, and count it.

Usage: python scripts/draw_architecture.py [--count | --check] [--root FOLDER]

Writes docs/architecture/packages.svg and a drawing of the modules inside lumber_core and its
folders. All imports count, deferred ones and those under TYPE_CHECKING included. `--count` prints
boxes, arrows, layers and cycles of packages, folders and modules instead. `--check` fails if the
drawings on disk are out of date. `--root` reads another checkout, for instance an older commit:
`git worktree add ../before COMMIT`, then `--count --root ../before`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import chain
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).resolve().parents[1]
OUTPUT = Path("docs") / "architecture"

Arrow = tuple[str, str]
"""An importer and what it imports."""

BOX_HEIGHT, LAYER_HEIGHT, GAP, MARGIN, LETTER = 30, 84, 18, 16, 7.3
STYLE = """
  text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2933; text-anchor: middle }
  rect { fill: #f2f5f9; stroke: #5b7083 }
  path { fill: none; stroke: #8496a8; stroke-width: 1.2 }
  marker path { fill: #8496a8; stroke: none }
  .cycle { stroke: #c62828; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e3e8ee } rect { fill: #26323d; stroke: #8fa3b5 }
  }
"""


@dataclass(frozen=True)
class Structure:
    """Boxes, the arrows between them, and what follows from both."""

    boxes: list[str]
    arrows: set[Arrow]

    @property
    def reachable(self) -> dict[str, set[str]]:
        """What each box imports, directly or not."""
        direct: dict[str, set[str]] = {box: set() for box in self.boxes}
        for importer, imported in self.arrows:
            direct[importer].add(imported)
        found: dict[str, set[str]] = {}
        for box in self.boxes:
            seen: set[str] = set()
            waiting = [box]
            while waiting:
                new = direct[waiting.pop()] - seen
                seen |= new
                waiting.extend(new)
            found[box] = seen
        return found

    @property
    def cycles(self) -> list[list[str]]:
        """Groups of boxes that import one another in a circle."""
        reach = self.reachable
        groups = {
            tuple(sorted(other for other in reach[box] if box in reach[other]))
            for box in self.boxes
            if box in reach[box]
        }
        return sorted(map(list, groups))

    @property
    def layers(self) -> list[list[str]]:
        """Boxes by the longest chain of imports below them, the foundations last.

        Boxes of one cycle share a layer.
        """
        reach = self.reachable
        below = {
            box: {other for other in found if box not in reach[other]}
            for box, found in reach.items()
        }
        height: dict[str, int] = {}
        for box in sorted(self.boxes, key=lambda box: (len(below[box]), box)):
            height[box] = 1 + max((height[other] for other in below[box]), default=-1)
        top = max(height.values(), default=-1)
        return [
            sorted(box for box in self.boxes if height[box] == level)
            for level in range(top, -1, -1)
        ]

    @property
    def shown_arrows(self) -> set[Arrow]:
        """The arrows that no other path implies; drawings stay readable with these alone."""
        reach = self.reachable
        direct: dict[str, set[str]] = {box: set() for box in self.boxes}
        for importer, imported in self.arrows:
            direct[importer].add(imported)
        return {
            (importer, imported)
            for importer, imported in self.arrows
            if importer in reach[imported]
            or not any(
                imported in reach[other] and importer not in reach[other]
                for other in direct[importer] - {imported}
                if other not in reach[imported]
            )
        }

    def counts(self) -> str:
        """Return the numbers in one line."""
        return (
            f"{len(self.boxes)} boxes, {len(self.arrows)} arrows, {len(self.layers)} layers, "
            f"{len(self.cycles)} cycles"
        )


def read_imports(root: Path) -> grimp.ImportGraph:
    """Return the import graph of all packages below a checkout."""
    sys.path[:0] = [str(root), str(root / "shared")]
    packages = [
        path.parent.name
        for path in chain(root.glob("*_lumber/__init__.py"), root.glob("shared/*/__init__.py"))
    ]
    return grimp.build_graph(*sorted(packages), cache_dir=None)


def structure_of(graph: grimp.ImportGraph, box_of: Callable[[str], str | None]) -> Structure:
    """Group modules into boxes; a module whose box is None is left out.

    What an `__init__` imports from inside its own package is left out between boxes: it only
    re-exports names.
    """
    box = {module: box_of(module) for module in graph.modules}
    arrows = set()
    for importer, start in box.items():
        for imported in graph.find_modules_directly_imported_by(importer):
            end = box[imported]
            if (
                start is None
                or end is None
                or start == end
                or _reexports(graph, importer, imported)
            ):
                continue
            arrows.add((start, end))
    return Structure(sorted({name for name in box.values() if name is not None}), arrows)


def _reexports(graph: grimp.ImportGraph, importer: str, imported: str) -> bool:
    return bool(graph.find_children(importer)) and imported.startswith(f"{importer}.")


def all_modules(graph: grimp.ImportGraph) -> Structure:
    """Return every module with every import, re-exports included."""
    arrows = {
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    }
    return Structure(sorted(graph.modules), arrows)


def packages(graph: grimp.ImportGraph) -> Structure:
    """Return the packages that are installed."""
    return structure_of(graph, lambda module: module.partition(".")[0])


def folders(graph: grimp.ImportGraph) -> Structure:
    """Return packages and the folders inside them; a module belongs to the folder it lies in."""

    def folder(module: str) -> str | None:
        if graph.find_children(module):
            return module
        return module.rpartition(".")[0]

    return structure_of(graph, folder)


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
    circular = {(a, b) for group in structure.cycles for a in group for b in group}
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
        kind = ' class="cycle"' if (importer, imported) in circular else ""
        lines.append(
            f'<path{kind} marker-end="url(#head)" d="M{x1:.0f} {y1} '
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


def drawings(graph: grimp.ImportGraph) -> dict[str, str]:
    """Return the drawings by file name."""
    made = {"packages.svg": draw(packages(graph), "Packages and their imports")}
    core = "lumber_core"
    inner = [core, *sorted(name for name in graph.find_children(core) if graph.find_children(name))]
    for package in inner:
        structure = inside(graph, package)
        if structure.arrows:
            made[f"{package}.svg"] = draw(structure, f"Inside {package}")
    return made


def out_of_date(made: dict[str, str], folder: Path) -> list[str]:
    """Return the names of drawings that are missing, outdated or no longer made."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    return sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", action="store_true", help="print numbers, draw nothing")
    parser.add_argument("--check", action="store_true", help="fail if drawings are out of date")
    parser.add_argument("--root", type=Path, default=REPOSITORY, help="the checkout to read")
    options = parser.parse_args(None if arguments is None else list(arguments))
    graph = read_imports(options.root.resolve())
    if options.count:
        levels = {
            "packages": packages(graph),
            "folders": folders(graph),
            "modules": all_modules(graph),
        }
        for name, structure in levels.items():
            print(f"{name}: {structure.counts()}")
            for cycle in structure.cycles:
                print(f"  cycle: {', '.join(cycle)}")
        return
    made, folder = drawings(graph), options.root / OUTPUT
    if options.check:
        if changed := out_of_date(made, folder):
            sys.exit(f"out of date: {', '.join(changed)}; run: make architecture")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.svg"):
        path.unlink()
    for name, content in made.items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
