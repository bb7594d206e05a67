"""Measure what an installation adds to a framework's own: megabytes on disk, package by package.

Usage: python scripts/check_size.py [--most MEGABYTES]

Builds the wheel and installs it, with no extra beyond the framework's, next to an environment with
the framework alone. Sizes are those of the files that each package lists, in MB of 10**6 bytes;
bytecode is left out. Environments are made by `uv`, as in `check_packages.py`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[1]
UV = Path(sysconfig.get_path("scripts")) / "uv"
FRAMEWORKS = {
    # LangChain's own vector store needs numpy, but its package does not require it.
    "langchain": ["langchain-text-splitters>=1.0,<2", "numpy"],
    "llama-index": ["llama-index-core>=0.14,<0.15"],
}
"""What the packages of each extra's framework are."""
SMALL = 1.0  # MB; smaller packages are listed in one line
SIZES = """
import json
from importlib.metadata import distributions
sizes = {}
for found in distributions():
    files = (found.locate_file(file) for file in found.files or () if file.suffix != ".pyc")
    name = found.metadata["Name"].lower().replace("_", "-")
    sizes[name] = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
print(json.dumps(sizes))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=float, help="fail if more megabytes are added")
    most = parser.parse_args().most
    large = []
    with TemporaryDirectory() as folder:
        built = Path(folder) / "dist"
        subprocess.run([UV, "build", "-q", "--wheel", "-o", built, REPOSITORY], check=True)
        (wheel,) = built.glob("*.whl")
        for extra, packages in FRAMEWORKS.items():
            alone = installed(Path(folder) / f"{extra}-alone", packages)
            ours = f"lumber-splitters[{extra}] @ {wheel.as_uri()}"
            both = installed(Path(folder) / extra, [ours, *packages])
            added = {name: size for name, size in both.items() if name not in alone}
            print(report(extra, sum(alone.values()), added))
            if most is not None and sum(added.values()) > most:
                large.append(extra)
    if large:
        sys.exit(f"more than {most:g} MB are added to: {', '.join(large)}")


def installed(home: Path, packages: Sequence[str]) -> dict[str, float]:
    """Install packages into a new environment; return the megabytes of each package in it."""
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, home], check=True)
    (python,) = (path for path in home.glob("*/python*") if path.stem == "python")
    subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *packages], check=True)
    done = subprocess.run([python, "-I", "-c", SIZES], capture_output=True, check=True)
    sizes: dict[str, float] = json.loads(done.stdout)
    return sizes


def report(extra: str, alone: float, added: dict[str, float]) -> str:
    """Return what is added, the largest packages first."""
    lines = [f"{extra}: {alone:.0f} MB alone, {sum(added.values()):.0f} MB are added"]
    ordered = sorted(added.items(), key=lambda item: -item[1])
    lines += [f"  {size:6.1f}  {name}" for name, size in ordered if size >= SMALL]
    small = [(name, size) for name, size in ordered if size < SMALL]
    lines.append(f"  {sum(size for _, size in small):6.1f}  {', '.join(name for name, _ in small)}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
