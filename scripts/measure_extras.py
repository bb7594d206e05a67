"""Measure what each extra brings: megabytes on disk and packages, in a fresh folder for each.

    python scripts/measure_extras.py                  all extras; writes docs/assets/extras.json
    python scripts/measure_extras.py cli langchain    only these; the others stay as they are

`scripts/draw_readme.py` makes the table of docs/installing.md of it. pip installs with the versions
of constraints.txt. Sizes are in MB of 10**6 bytes; bytecode is left out. Needs Python 3.11.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import tomllib

ROOT = Path(__file__).resolve().parents[1]
SIZES = ROOT / "docs" / "assets" / "extras.json"
NONE = ""
"""The name of an installation without an extra."""
LEFT_OUT = ("all", "dev", "docs")  # not for users


def main(wanted: Sequence[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [NONE, *(name for name in project["optional-dependencies"] if name not in LEFT_OUT)]
    if unknown := set(wanted) - {*extras}:
        sys.exit(f"unknown extras: {sorted(unknown)}; there are: {extras[1:]}")
    sizes = json.loads(SIZES.read_text(encoding="utf-8")) if SIZES.exists() else {}
    with TemporaryDirectory() as built:
        pip("wheel", "--no-deps", "--wheel-dir", built, str(ROOT))
        (wheel,) = Path(built).glob("*.whl")
        for extra in wanted or extras:
            sizes[extra] = measured(wheel, extra)
            write(extra, sizes, extras)


def write(extra: str, sizes: dict[str, dict[str, int]], extras: Sequence[str]) -> None:
    """Print what an extra brings, and keep the sizes in the order of the extras."""
    found = sizes[extra]
    print(f"{extra or 'no extra':24} {found['mb']:6} MB {found['packages']:4} packages", flush=True)
    kept = {name: sizes[name] for name in extras if name in sizes}
    SIZES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def measured(wheel: Path, extra: str) -> dict[str, int]:
    """Install into a fresh folder; return its megabytes and its number of packages."""
    with TemporaryDirectory() as folder:
        wanted = f"lumber-splitters{f'[{extra}]' if extra else ''} @ {wheel.as_uri()}"
        pip("install", "--no-compile", "--target", folder, wanted)
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files if path.suffix != ".pyc")
        packages = [*Path(folder).glob("*.dist-info")]
    return {"mb": round(size / 1e6), "packages": len(packages)}


def pip(command: str, *arguments: str) -> None:
    """Run a command of pip, with the versions of constraints.txt."""
    program = (sys.executable, "-m", "pip", command, "-qq", "--disable-pip-version-check")
    constraints = ("-c", str(ROOT / "constraints.txt"))
    subprocess.run([*program, *constraints, *arguments], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
