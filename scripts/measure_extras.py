"""Measure what each extra brings: megabytes on disk and packages, in a fresh folder for each.

    python scripts/measure_extras.py                  all extras; writes docs/assets/extras.json
    python scripts/measure_extras.py cli langchain    only these; the others stay as they are

`scripts/draw_readme.py` makes the table of docs/installing.md of it. pip installs with the versions of
constraints.txt, which is PyTorch for the CPU where the index has that build. Sizes are in MB of 10**6
bytes; bytecode is left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

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
    for extra in wanted or extras:
        sizes[extra] = measured(extra)
        print(f"{extra or 'no extra':24} {sizes[extra]['mb']:6} MB {sizes[extra]['packages']:4} packages")
        kept = {name: sizes[name] for name in extras if name in sizes}
        SIZES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def measured(extra: str) -> dict[str, int]:
    """Install into a fresh folder; return its megabytes and its number of packages."""
    with TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"),
                *("--disable-pip-version-check", "--target", folder),
                *("-c", ROOT / "constraints.txt", f"{ROOT}[{extra}]" if extra else ROOT),
            ],
            check=True,
        )
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files if path.suffix != ".pyc")
        packages = [*Path(folder).glob("*.dist-info")]
    return {"mb": round(size / 1e6), "packages": len(packages)}


if __name__ == "__main__":
    main(sys.argv[1:])
