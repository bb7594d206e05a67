"""The documentation is true: examples work as printed, and quoted messages occur in the code.

Python blocks of a page run in order, in one namespace and one folder, like cells of a notebook.
One that splits texts makes more than one chunk, and prints or ends with a view. A block of text
that follows is what it prints. A comment
`<!-- not run: REASON -->` before a block leaves it out; its imports are still checked. In shell
blocks, `make` targets and files must exist, extras in `pip install` must be declared, and the
options of `lumber-splitters` must be valid.
"""

import ast
import os
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Settings as GlobalSettings
from typer.main import get_command

import langchain_lumber
import llamaindex_lumber
from lumber_cli.app import app
from lumber_core.segmentation import Segmentation
from tests.loopback.server import LoopbackServer

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "docs" / "api"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
OPTIONAL = ("langchain_community", "llama_index.storage", "transformers")
FENCE = re.compile(
    r"^(?: *<!-- not run: (?P<reason>[^>]+) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\((?!https?://|#)(?P<target>[^)#\s]+)")
EXTRAS = set(metadata("lumber-splitters").get_all("Provides-Extra") or ())


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    body: str
    reason: str | None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            line=text.count("\n", 0, match.start("body")) + 1,
            language=match["language"],
            body=textwrap.dedent(match["body"]),  # blocks inside tabs are indented
            reason=match["reason"],
        )
        for match in FENCE.finditer(text)
    ]


def relative_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_PYTHON = [page for page in PAGES if any(b.language == "python" for b in blocks_of(page))]
COMMANDS = [
    pytest.param(line, id=f"{relative_name(page)}-{line[:60]}")
    for page in PAGES
    for block in blocks_of(page)
    if block.language == "bash"
    for line in block.body.splitlines()
    if line.strip()
]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scored_once: None) -> Iterator[Path]:
    """A folder with the examples of the repository, and servers in place of the providers'.

    LlamaIndex's global settings, which some blocks assign or read, are restored: reading
    `Settings.llm` sets it.
    """
    before = dict(vars(GlobalSettings))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    with LoopbackServer("Answer: none") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        yield tmp_path
    vars(GlobalSettings).update(before)


def needs_absent_package(node: ast.stmt) -> bool:
    """Return whether a statement imports a package that some test environments lack."""
    imported = ast.unparse(node).split()[1]
    return any(imported.startswith(name) and find_spec(name) is None for name in OPTIONAL)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=relative_name)
def test_python_blocks_run_as_printed_and_show_several_chunks(page, workplace, monkeypatch, capsys):
    counts: list[int] = []
    make = Segmentation.__init__

    def count_spans(self: Segmentation, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        counts.append(len(self.spans))

    monkeypatch.setattr(Segmentation, "__init__", count_spans)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    blocks = blocks_of(page)
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.language == "python":
            counts.clear()
            is_shown = run_block(block, namespace) or capsys.readouterr().out
            if counts:
                assert max(counts) > 1, f"line {block.line}: one chunk shows nothing"
                assert is_shown, f"line {block.line}: print the chunks"
            if following and following.language == "text" and not block.reason:
                printed = [line.rstrip() for line in str(is_shown).rstrip().splitlines()]
                assert printed == following.body.splitlines(), f"line {block.line}"


def run_block(block: Block, namespace: dict[str, Any]) -> bool:
    """Run a block; return whether a notebook would show a view below it."""
    tree = ast.parse(block.body, filename=str(block.page))
    if block.reason is not None:
        tree.body = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        tree.body = [node for node in tree.body if not needs_absent_package(node)]
    ast.increment_lineno(tree, block.line - 1)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, str(block.page), "exec"), namespace)
    if not isinstance(last, ast.Expr):
        return False
    value = eval(compile(ast.Expression(last.value), str(block.page), "eval"), namespace)
    return hasattr(value, "_repr_html_")


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_exist_as_printed(line: str) -> None:
    for command in line.split("&&"):
        program, *arguments = shlex.split(command, comments=True)
        program = program.removeprefix(".venv/bin/")
        if program == "pip":
            extras = re.findall(r"\[(.+?)\]", " ".join(arguments))
            assert {name for names in extras for name in names.split(",")} <= EXTRAS
        elif program == "make":
            targets = {argument for argument in arguments if "=" not in argument}
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert targets <= set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
        elif program == "lumber-splitters":
            group = get_command(app)
            context = group.make_context(program, list(arguments))
            name, names, rest = group.resolve_command(context, arguments)  # type: ignore[attr-defined]
            names.make_context(name, rest)
        elif program == "python":
            script = next(a for a in arguments if not a.startswith("-"))
            assert arguments[0] == "-m" or (ROOT / script).is_file()
        else:
            assert program in ("git", "pre-commit")


@pytest.mark.parametrize("page", PAGES, ids=relative_name)
def test_links_lead_to_files(page: Path) -> None:
    targets = [match["target"] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_files_that_pages_name_exist() -> None:
    names = {
        path
        for page in PAGES
        for path in re.findall(
            r"`((?:lumber_|langchain_l|llamaindex_l)[\w/]+/[\w/]+(?:\.\w+)?)`",
            page.read_text("utf-8"),
        )
    }
    assert len(names) > 20
    assert [
        path for path in names if not any((ROOT / top / path).exists() for top in ("", "shared"))
    ] == []


def test_the_page_on_errors_quotes_messages_of_the_code() -> None:
    said: set[str] = set()
    for package in ("shared", "langchain_lumber", "llamaindex_lumber"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    said.add(node.value)
    everything = "\n".join(said)
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = [
        part
        for heading in re.findall(r"^### (.+)$", page, re.MULTILINE)
        for message in re.findall(r"`([^`]+)`", heading)
        for part in re.split(r"\s?…\s?", message)
        if " " in part
    ]
    assert len(quoted) > 15
    assert [part for part in quoted if part not in everything] == []


def test_every_public_name_and_every_option_is_on_a_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.parent != API)
    group: Any = get_command(app)
    context = group.make_context("lumber-splitters", ["split"])
    commands = [group.resolve_command(context, [name])[1] for name in group.commands]
    options = {name for command in commands for option in command.params for name in option.opts}
    public = {*langchain_lumber.__all__, *llamaindex_lumber.__all__} - {"__version__"}
    public |= {option for option in options if option.startswith("--")}
    assert {"--theta", "SpanTextSplitter"} <= public
    assert [
        name for name in sorted(public) if not re.search(rf"(?<![\w-]){name}(?![\w-])", text)
    ] == []


def test_the_packages_of_every_extra_are_documented() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    declared = {*re.findall(r"^([\w-]+) = \[$", extras, re.MULTILINE)}
    documented = {*re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)}
    assert len(documented) > 10
    assert documented == declared - {"all", "dev", "docs"}


def test_the_picture_and_the_table_of_the_readme_are_up_to_date() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "draw_readme.py"), "--check"]
    # Without PyTorch, transformers prints a warning when it is imported.
    quiet = {**os.environ, "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1"}
    ended = subprocess.run(script, capture_output=True, text=True, check=False, env=quiet)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_new_figures_replace_those_in_existing_rows() -> None:
    with_tables = runpy.run_path(str(ROOT / "scripts" / "draw_readme.py"))["with_tables"]
    head = "**Passages, plain texts** (9 questions)\n\nretriever | recall\n--- | ---\n"
    page = f"# Results\n\n{head}passages | 0.5\nchunks of a | 0.4\n\nEnd.\n"
    printed = f"{head}passages | 0.6\nchunks of b | 0.3\nchunks of a | 0.2\n\n"
    filled = f"# Results\n\n{head}passages | 0.6\nchunks of a | 0.2\n\nEnd.\n"
    assert with_tables(page, printed) == filled
