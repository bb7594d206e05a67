"""Build the distributions, and install and use each extra alone in an environment of its own.

Usage: python scripts/check_packages.py [EXTRA ...] [--from wheel|sdist]

Builds the sdist, and the wheel from it. For each extra, and for the distribution without any, an
empty environment gets the wheel or the sdist with that extra alone, imports what the extra enables
and splits a text, from outside the checkout. Each line ends with what was installed, in MB of 10**6
bytes without bytecode, and in packages: docs/index.md has these figures. On Linux an
installation without extras may have 215 MB. Environments are made by `uv`, which must be installed
in the environment that runs this script (`make test-packages` installs it).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[1]
UV = Path(sysconfig.get_path("scripts")) / "uv"
NOT_FOR_USERS = {"dev", "docs"}
MOST = 215  # MB of an installation without extras

SPLITS = """
from lumber_core import BertChunker, GreedyChunker
text = "The tide went out. Nobody saw it.\\n\\nThe baker opened his shop. Bread was ready."
from lumber_retrieval import cite
for chunker in (BertChunker(target_size=8), BertChunker("large", target_size=8), GreedyChunker(10)):
    assert "".join(chunker.split_text(text)) == text
assert cite(["Nobody saw the tide."], {"tides": text})[0].kind == "not found"
assert cite(["The Tide went out."], {"tides": text})[0].kind == "aligned"
"""
MODEL = "('any', base_url='http://127.0.0.1:9', api_key='none').identity"
READS = """
from lumber_files import read_bytes
assert read_bytes(b"<h1>Tides</h1>", name="a.html", suffix=".html").text == "# Tides\\n"
assert read_bytes("Die Flut k\\xe4me.".encode("cp1252"), name="a.txt").detected
"""
RUN = """
import subprocess, sys
from pathlib import Path
def run(*arguments, stdin=""):
    command = [Path(sys.executable).with_name("lumber-splitters"), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True)
"""
PROBES = {
    "": "from lumber_files import read_bytes\n"
    "assert read_bytes(b'# Tides', name='a.md', suffix='.md').kind == 'markdown'\n"
    f"{RUN}done = run()\n"
    "assert done.returncode == 1 and \"'lumber-splitters[cli]'\" in done.stderr, done\n"
    "assert len(done.stderr.splitlines()) == 1, done",
    "langchain": "from langchain_lumber import LumberTextSplitter\n"
    "assert LumberTextSplitter(chunk_size=40).split_text(text)",
    "llama-index": "from llamaindex_lumber import LumberNodeParser\n"
    "assert LumberNodeParser(chunk_size=40).split_text(text)",
    "tiktoken": "from lumber_core import token_counter\n"
    "assert 'cl100k_base' in repr(token_counter('gpt-4'))",
    "openai": f"from lumber_core.llms import OpenAIModel\nOpenAIModel{MODEL}",
    "gemini": f"from lumber_core.llms import GeminiModel\nGeminiModel{MODEL}",
    "gemini-legacy": f"from lumber_core.llms import LegacyGeminiModel\nLegacyGeminiModel{MODEL}",
    "torch": "import lumber_core.bert.pytorch, transformers, torch",
    "sentence-transformers": "import sentence_transformers\n"
    "from lumber_evaluation.embedders import SentenceTransformersEmbedder",
    "hub": "from lumber_core.bert.model_folder import check_model_name\n"
    "check_model_name('owner/name')",
    "train": "import lumber_training.training, lumber_training.export, accelerate",
    "evaluation": "import lumber_evaluation.report\n"
    "from lumber_evaluation.documents import Document\n"
    "from lumber_evaluation.splitters import preset\n"
    "document = Document('one', text, (0,), (0,), '')\n"
    "assert preset('recursive:40').split(document).chunks",
    "documents": f"import anydoc, pypdfium2\n{READS}",
    "cli": "import lumber_cli.compare, anydoc, pypdfium2\n"
    f"{READS}{RUN}done = run('split', '-', stdin=text)\n"
    "assert done.returncode == 0 and '\"index\": 0' in done.stdout, done",
    "mcp": f'{RUN}request = \'{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}\'\n'
    "done = run('mcp', '.', stdin=request + '\\n')\n"
    "assert done.returncode == 0 and '\"id\":1' in done.stdout.replace(' ', ''), done",
    "postgres": "from lumber_core.support.postgres import PostgresDatabase\n"
    "url = 'postgresql://127.0.0.1/tides?collection=handbook'\n"
    "made = PostgresDatabase(url, version=1, schema='', outdated='')\n"
    "assert made.name.startswith('handbook in the database tides')",
    "all": "import langchain_lumber, llamaindex_lumber, lumber_training.training\n"
    "import lumber_cli.split, lumber_evaluation.report",
}
"""What each extra enables; run after the distribution was installed with that extra alone."""


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="by default all")
    parser.add_argument("--from", dest="kinds", action="append", choices=["wheel", "sdist"])
    options = parser.parse_args(None if arguments is None else list(arguments))
    with TemporaryDirectory() as folder:
        wheel, sdist = build(Path(folder) / "dist")
        extras = options.extras or sorted(extras_of(wheel))
        if unknown := set(extras) - PROBES.keys():
            sys.exit(f"PROBES in {Path(__file__).name} does not say how to use: {unknown}")
        built = {"wheel": wheel, "sdist": sdist}
        failed = [
            f"{kind}[{extra}]"
            for kind in options.kinds or built
            for extra in extras
            if not installs(built[kind], extra, Path(folder))
        ]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it; return the wheel and the sdist."""
    subprocess.run([UV, "build", "--quiet", "--out-dir", folder, REPOSITORY], check=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def extras_of(wheel: Path) -> set[str]:
    """Return the extras that a wheel declares for users, and "" for none."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(files.read(name).decode())
    return {"", *metadata.get_all("Provides-Extra", [])} - NOT_FOR_USERS


def installs(distribution: Path, extra: str, folder: Path) -> bool:
    """Return whether the distribution can be installed with one extra, and used."""
    start = time.monotonic()
    home = folder / f"{distribution.name}-{extra}"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, home], check=True)
    (python,) = (path for path in home.glob("*/python*") if path.stem == "python")
    wanted = f"lumber-splitters[{extra}] @ {distribution.as_uri()}"
    constraints = REPOSITORY / "constraints.txt"
    done = subprocess.run(
        [UV, "pip", "install", "--quiet", "--python", python, "-c", constraints, wanted],
        cwd=folder,
        check=False,
    )
    if done.returncode == 0:
        done = subprocess.run(
            [python, "-I", "-c", f"{SPLITS}\n{PROBES[extra]}"], cwd=folder, check=False
        )
    files = [path for path in home.rglob("site-packages/**/*") if path.is_file()]
    size = sum(path.stat().st_size for path in files if path.suffix != ".pyc") / 1e6
    packages = len([*home.rglob("site-packages/*.dist-info")])
    fine = done.returncode == 0 and (size <= MOST or extra or sys.platform != "linux")
    print(
        f"{'ok' if fine else 'FAILED':6} {time.monotonic() - start:4.0f} s  {distribution.name} "
        f"{extra or '(no extra)'}: {size:.0f} MB, {packages} packages",
        flush=True,
    )
    return bool(fine)


if __name__ == "__main__":
    main()
