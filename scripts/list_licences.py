"""Lists the licences of everything that an installation brings, as docs/licences.md.

    python scripts/list_licences.py > docs/licences.md

It reads the metadata of the packages installed in the environment it runs in, and follows their
requirements from the base installation and from each extra. It fails if a package names no licence,
or one that asks those who pass the package on to publish their own code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OURS = "lumber-splitters"
EXTRAS = (
    *("documents", "cli", "langchain", "llama-index", "openai", "gemini", "hub", "torch"),
    *("evaluation", "mcp"),
)
COPYLEFT = re.compile(r"(?<!L)\bA?GPL|Affero|SSPL|Business Source", re.IGNORECASE)

HEAD = """\
# Licences

Licences of the packages that an installation brings, as their own metadata name them; made by
`make licences` from the versions installed there. Packages of an extra are listed once, with the
first extra that brings them. The code of this project is licensed under Apache-2.0; for the bundled
weights see the NOTICE beside them."""


def requirements(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    """Yield what a package requires here, with some of its extras."""
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            yield requirement


def closure(extras: set[str]) -> dict[str, Distribution]:
    """Return all packages that our distribution brings with some of its extras."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(OURS, frozenset(extras))]
    while waiting:
        name, asked = waiting.pop()
        if (name, asked) in seen:
            continue
        seen.add((name, asked))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            sys.exit(f"{name} is not installed in this environment: run `make licences`")
        found[name] = package
        waiting += [
            (canonicalize_name(requirement.name), frozenset(requirement.extras))
            for requirement in requirements(package, set(asked))
        ]
    del found[OURS]
    return found


def licence(package: Distribution) -> str:
    """Return a package's licence: the expression, else the classifiers, else the first line."""
    about = package.metadata
    expressions = about.get_all("License-Expression")
    if expressions:
        return str(expressions[0])
    named = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    texts = about.get_all("License") or [""]
    return "; ".join(named) or str(texts[0]).strip().partition("\n")[0]


def main() -> int:
    """Print the page; return 1 if a licence is missing or asks for too much."""
    listed: set[str] = set()
    faults: list[str] = []
    print(HEAD)
    for title, extras in [("Base", set()), *((f"Extra `{e}`", {e}) for e in EXTRAS)]:
        packages = closure(extras)
        print(f"\n## {title}\n")
        names: dict[str, list[str]] = {}
        for name in sorted(packages.keys() - listed):
            terms = licence(packages[name])
            if not terms or COPYLEFT.search(terms):
                faults.append(f"{name}: {terms or 'no licence named'}")
            names.setdefault(terms, []).append(name)
        for terms in sorted(names):
            print(f"- {terms}: {', '.join(names[terms])}")
        listed |= packages.keys()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
