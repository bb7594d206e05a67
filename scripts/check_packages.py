"""Build the distributions, check their files, and install and use each extra separately.

Usage: python scripts/check_packages.py [EXTRA ...] [--from wheel|sdist] [--python VERSION ...]
           [--keep FOLDER]

Builds the sdist, and the wheel from it. Both must have the files of this repository and no others,
pass `twine check --strict`, and have the same bytes when they are built again from the sdist.
For each extra, and for the distribution without any, an empty environment gets the wheel or the
sdist with that extra alone, imports what the extra enables and splits a text, from outside the
checkout. With the extras "langchain,llama-index,cli" it runs the README's examples instead.

Each line ends with the size of the installation, in MB of 10**6 bytes without bytecode, and with
its number of packages; docs/index.md states the sizes. If no extra is named, other splitters are
installed as well, for their sizes, and the largest packages of an installation without extras are
listed. On Linux such an installation may have 205 MB. `uv` makes the environments. It must be
installed with `twine` in the environment that runs this script (`make test-packages` does that).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[1]
UV = Path(sysconfig.get_path("scripts")) / "uv"
NOT_FOR_USERS = {"dev", "docs"}
MAX_MEGABYTES = 205  # size of an installation without extras
PEERS = ("chonkie", "semchunk", "langchain-text-splitters")

OFFLINE = """
import socket
def refuse(*_):
    raise OSError("neither splitting nor retrieval needs a network")
socket.socket.connect = refuse
"""
SPLITS = """
from lumber_core import BertChunker, GreedyChunker, LayoutChunker
text = "The tide went out. Nobody saw it.\\n\\nThe baker opened his shop. Bread was ready."
for chunker in (BertChunker(target_size=8), BertChunker("large", target_size=8),
                GreedyChunker(10), LayoutChunker(target_size=8)):
    chunks = chunker.split_text(text)
    assert len(chunks) > 1 and "".join(chunks) == text
"""
CITES = """
from lumber_retrieval import cite
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
README = r"""
import contextlib, io, os, re, subprocess, sys
from importlib.metadata import metadata
from pathlib import Path
Path("examples/handbook").mkdir(parents=True)
Path("examples/handbook/clock.md").write_text("# The clock\n\nAda built the clock.\n")
path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
variables = {**os.environ, "PATH": path, "BROWSER": "true"}
blocks = re.findall(r"```(\w+)\n(.*?)```", metadata("lumber-splitters").get_payload(), re.DOTALL)
names, ran, compared = {}, 0, 0
for (language, body), (next_language, output) in zip(blocks, [*blocks[1:], ("", "")]):
    if language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(body, names)
        if next_language == "text":
            assert printed.getvalue() == output, printed.getvalue()
            compared += 1
    for line in body.splitlines():
        if language == "bash" and re.match("lumber-splitters (ask|split) ", line):
            subprocess.run(line, shell=True, check=True, env=variables, stdout=subprocess.PIPE)
            ran += 1
assert compared >= 3 and ran >= 2, (compared, ran)
assert Path("chunks.jsonl").read_text(encoding="utf-8").count("Ada built the clock.") == 1
"""
PROBES = {
    "": "from lumber_files import read_bytes\n"
    "assert read_bytes(b'# Tides', name='a.md', suffix='.md').kind == 'markdown'\n"
    f"{RUN}done = run()\n"
    "assert done.returncode == 1 and \"'.[cli]'\" in done.stderr, done\n"
    "assert len(done.stderr.splitlines()) == 1, done",
    "retrieval": CITES,
    "langchain,llama-index,cli": README,
    "langchain": CITES + "from langchain_lumber import LumberTextSplitter\n"
    "assert LumberTextSplitter(chunk_size=40).split_text(text)",
    "llama-index": CITES + "from llamaindex_lumber import LumberNodeParser\n"
    "assert LumberNodeParser(chunk_size=40).split_text(text)",
    "tiktoken": "from lumber_core import token_counter\n"
    "assert 'cl100k_base' in repr(token_counter('gpt-4'))",
    "openai": f"from lumber_core.llms import OpenAIModel\nOpenAIModel{MODEL}",
    "gemini": f"from lumber_core.llms import GeminiModel\nGeminiModel{MODEL}",
    "gemini-legacy": f"from lumber_core.llms import LegacyGeminiModel\nLegacyGeminiModel{MODEL}",
    "torch": "import lumber_core.bert.pytorch, transformers, torch",
    "sentence-transformers": "import sentence_transformers\n"
    "from lumber_retrieval.embedders import SentenceTransformersEmbedder",
    "hub": "from lumber_core.bert.model_folder import check_model_name\n"
    "check_model_name('owner/name')",
    "train": "import lumber_training.training, lumber_training.export, accelerate",
    "evaluation": "import lumber_evaluation.report\n"
    "from lumber_evaluation.dataset import Document\n"
    "from lumber_evaluation.splitters import preset\n"
    "document = Document('one', text, (0,), (0,), '')\n"
    "assert preset('recursive:40').split(document).chunks",
    "documents": f"import anydoc, pypdfium2\n{READS}",
    "cli": "import lumber_cli.commands.compare, anydoc, pypdfium2\n"
    f"{READS}{RUN}done = run('split', '-', stdin=text)\n"
    "assert done.returncode == 0 and '\"index\": 0' in done.stdout, done",
    "mcp": f'{RUN}request = \'{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}\'\n'
    "done = run('mcp', '.', stdin=request + '\\n')\n"
    "assert done.returncode == 0 and '\"id\":1' in done.stdout.replace(' ', ''), done",
    "postgres": "from lumber_core.storage.postgres import PostgresDatabase, psycopg",
    "all": "import langchain_lumber, llamaindex_lumber, lumber_training.training\n"
    "import lumber_cli.commands.split, lumber_evaluation.report",
}
"""Code that uses each extra; run after the distribution was installed with that extra alone."""


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="by default all")
    parser.add_argument("--from", dest="kinds", action="append", choices=["wheel", "sdist"])
    parser.add_argument("--python", dest="pythons", action="append", metavar="VERSION")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to put what was built")
    options = parser.parse_args(None if arguments is None else list(arguments))
    with TemporaryDirectory() as folder:
        wheel, sdist = build(REPOSITORY, Path(folder) / "dist")
        check(wheel, sdist)
        extras = options.extras or sorted(extras_of(wheel))
        if unknown := set(extras) - PROBES.keys():
            sys.exit(f"PROBES in {Path(__file__).name} lacks code that uses: {unknown}")
        built = {"wheel": wheel, "sdist": sdist}
        failed = [
            f"{kind}[{extra}] on {python}"
            for python in options.pythons or [sys.executable]
            for kind in options.kinds or built
            for extra in extras
            if not installs(built[kind], extra, python)
        ]
        if not options.extras:
            list_sizes(wheel)
        if options.keep and not failed:
            options.keep.mkdir(exist_ok=True)
            for distribution in built.values():
                shutil.copy(distribution, options.keep)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def build(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it; return the wheel and the sdist."""
    subprocess.run([UV, "build", "--quiet", "--out-dir", folder, source], check=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def check(wheel: Path, sdist: Path) -> None:
    """Check the distributions before they are installed.

    Raises:
        SystemExit: They lack a file, or have one that does not belong to them; PyPI could not show
            the README; or the sdist does not build the same files again.
    """
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True)
    tracked = set(listed.stdout.decode().splitlines())
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
    about = {name for name in names if ".dist-info/" in name}
    packages = {name.partition("/")[0] for name in names - about}
    ours = {path.removeprefix("shared/") for path in tracked}
    expected = {path for path in ours if "/" in path and path.partition("/")[0] in packages}
    licences = {path for path in tracked if Path(path).name in ("LICENSE", "NOTICE")}
    shipped_licences = {name.partition("/licenses/")[2] for name in about}
    with tarfile.open(sdist) as packed:
        sources = {name.partition("/")[2] for name in packed.getnames()} - {"PKG-INFO"}
        packed.extractall(sdist.parent / "unpacked", filter="data")
    if wrong := ((names - about) ^ expected) | (licences - shipped_licences) | (sources - tracked):
        sys.exit(f"The distributions lack these files, or should not have them: {sorted(wrong)}")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, sdist], check=True)
    (unpacked,) = (sdist.parent / "unpacked").iterdir()
    rebuilt = build(unpacked, sdist.parent / "again")
    if [path.read_bytes() for path in rebuilt] != [wheel.read_bytes(), sdist.read_bytes()]:
        sys.exit("The sdist does not build what it was built with.")


def extras_of(wheel: Path) -> set[str]:
    """Return the extras that a wheel declares for users, and "" for none."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(files.read(name).decode())
    return {"", *metadata.get_all("Provides-Extra", [])} - NOT_FOR_USERS


def installs(distribution: Path, extra: str, python: str) -> bool:
    """Return whether the distribution can be installed with one extra, and used."""
    start = time.monotonic()
    with TemporaryDirectory() as folder:
        requirement = f"lumber-splitters[{extra}] @ {distribution.as_uri()}"
        interpreter, works = install(requirement, python, Path(folder))
        if works:
            code = f"{OFFLINE}{SPLITS}{PROBES[extra]}"
            run = subprocess.run([interpreter, "-I", "-c", code], cwd=folder, check=False)
            works = run.returncode == 0
        size, packages = installed_sizes(Path(folder))
    megabytes = sum(size.values()) / 1e6
    fine = works and (megabytes <= MAX_MEGABYTES or extra or sys.platform != "linux")
    print(
        f"{'ok' if fine else 'FAILED':6} {time.monotonic() - start:4.0f} s  {distribution.name} "
        f"{extra or '(no extra)'}: {megabytes:.0f} MB, {packages} packages, {python}",
        flush=True,
    )
    return bool(fine)


def install(requirement: str, python: str, folder: Path) -> tuple[Path, bool]:
    """Install a requirement into an empty environment; return its Python and whether it worked."""
    subprocess.run([UV, "venv", "--quiet", "--python", python, folder / "env"], check=True)
    (interpreter,) = (path for path in folder.glob("env/*/python*") if path.stem == "python")
    constraints = REPOSITORY / "constraints.txt"
    process = subprocess.run(
        [UV, "pip", "install", "--quiet", "--python", interpreter, "-c", constraints, requirement],
        cwd=folder,
        check=False,
    )
    return interpreter, process.returncode == 0


def installed_sizes(folder: Path) -> tuple[Counter[str], int]:
    """Return the bytes of each folder of site-packages, without bytecode, and how many packages."""
    (packages,) = folder.glob("env/**/site-packages")
    sizes: Counter[str] = Counter()
    for path in packages.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            sizes[path.relative_to(packages).parts[0]] += path.stat().st_size
    return sizes, len([*packages.glob("*.dist-info")])


def list_sizes(wheel: Path) -> None:
    """Print the sizes of other splitters, and the largest packages of one without extras."""
    for requirement in (*PEERS, f"lumber-splitters @ {wheel.as_uri()}"):
        with TemporaryDirectory() as folder:
            install(requirement, sys.executable, Path(folder))
            sizes, packages = installed_sizes(Path(folder))
        print(
            f"{requirement.partition(' ')[0]}: {sum(sizes.values()) / 1e6:.1f} MB, "
            f"{packages} packages"
        )
    print(*(f"  {name}: {size / 1e6:.1f} MB" for name, size in sizes.most_common(10)), sep="\n")


if __name__ == "__main__":
    main()
