"""Put the repository's URL into pyproject.toml and the README's links, before a release is built.

Usage: python scripts/name_repository.py URL TAG

It changes both files of this checkout. PyPI shows the README without the files beside it. The
repository itself names no host, so that releases of a fork link to the fork.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^]]*)\]\((?!https?://|#)(?P<target>[^)]+)\)")


def name_repository(root: Path, url: str, tag: str) -> None:
    readme, project = root / "README.md", root / "pyproject.toml"
    files = {"": f"{url}/blob/{tag}", "!": f"{url}/raw/{tag}"}

    def absolute(link: re.Match[str]) -> str:
        return f"{link['picture']}[{link['text']}]({files[link['picture']]}/{link['target']})"

    readme.write_text(LINK.sub(absolute, readme.read_text(encoding="utf-8")), encoding="utf-8")
    pages = {
        "Repository": url,
        "Documentation": f"{files['']}/docs/index.md",
        "Changelog": f"{files['']}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }
    urls = "".join(f'{name} = "{page}"\n' for name, page in pages.items())
    with project.open("a", encoding="utf-8") as file:
        file.write(f"\n[project.urls]\n{urls}")


if __name__ == "__main__":
    name_repository(ROOT, *sys.argv[1:])
