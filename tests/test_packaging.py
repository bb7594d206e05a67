"""The promises about importing and building the distribution."""

import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distribution, packages_distributions
from importlib.resources import files
from pathlib import Path
from runpy import run_path

import pytest

import lumber_core
from lumber_core import errors
from tests.alone import run_python

HEAVY = {"torch", "transformers", "openai", "google"}
HEAVY |= {"onnxruntime", "tokenizers", "huggingface_hub"}


LANGCHAIN = {"langchain_core", "langchain_lumber"}
LLAMA_INDEX = {"llama_index", "llamaindex_lumber"}
ONLY_SPLITTING = {"numpy", "onnxruntime", "sentencex", "tqdm"}
MAKE = """
from langchain_lumber import BertTextSplitter, GreedyTextSplitter
BertTextSplitter(), GreedyTextSplitter()
"""
SPLIT = """
from langchain_lumber import LumberTextSplitter
for make in (GreedyTextSplitter, LumberTextSplitter):
    assert make().split_text('One. Two.') == ['One. Two.']
"""


@pytest.mark.parametrize(
    ("framework", "steps"),
    [
        ("sys", [("import lumber_core", "lumber_core", LANGCHAIN | LLAMA_INDEX | HEAVY)]),
        (  # older frameworks import transformers if it is installed
            "langchain_text_splitters",
            [
                ("import langchain_lumber", "langchain_lumber", LLAMA_INDEX | HEAVY),
                (MAKE, "langchain_lumber", ONLY_SPLITTING),
                # The bundled judge runs.
                (SPLIT, "onnxruntime", LLAMA_INDEX | HEAVY - {"onnxruntime"}),
            ],
        ),
        (
            "llama_index.core",
            [("import llamaindex_lumber", "llamaindex_lumber", LANGCHAIN | HEAVY)],
        ),
    ],
)
def test_importing_and_using_a_package_loads_no_unneeded_package(framework, steps) -> None:
    """Modules that the framework itself loads are allowed."""
    code = "".join(f"{statement}\nprint(*sys.modules)\n" for statement, *_ in steps)
    lines = run_python(f"import sys, {framework}\nprint(*sys.modules)\n{code}").stdout.splitlines()
    before, *after = ({name.partition(".")[0] for name in line.split()} for line in lines)
    for modules, (_, loaded, not_loaded) in zip(after, steps, strict=True):
        assert loaded in modules - before
        assert not (modules - before) & not_loaded


@pytest.mark.parametrize(
    ("blocked", "code", "extra"),
    [
        ("langchain_text_splitters", "import langchain_lumber", "langchain"),
        ("llama_index.core", "import llamaindex_lumber", "llama-index"),
        ("rapidfuzz", "import lumber_retrieval", "retrieval"),
        ("openai", "from lumber_core.llms import *; OpenAIModel('m')", "openai"),
        ("google.genai", "from lumber_core.llms import *; GeminiModel('m')", "gemini"),
        (
            "google.generativeai",
            "from lumber_core.llms import *; LegacyGeminiModel('m')",
            "gemini-legacy",
        ),
    ],
)
def test_a_missing_package_names_the_extra(blocked: str, code: str, extra: str) -> None:
    program = f"import sys; sys.modules[{blocked!r}] = None; {code}"
    completed = run_python(program, check=False)
    assert completed.returncode == 1
    assert f"pip install '.[{extra}]'" in completed.stderr
    assert issubclass(errors.MissingExtraError, ImportError)


@pytest.mark.parametrize(
    "package", ["langchain_lumber", "llamaindex_lumber", "lumber_core", "lumber_files"]
)
def test_packages_are_typed(package: str) -> None:
    assert (files(package) / "py.typed").is_file()


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("lumber_evaluation.report", ["report.html.jinja", "report.css"]),
        ("lumber_core.bert.bundled", ["card.json", "model.int8.onnx"]),
        ("lumber_core.bert.large", ["card.json", "model.int8.onnx", "words.int8.bin"]),
    ],
)
def test_files_read_at_run_time_are_in_the_package(package: str, names: list[str]) -> None:
    for name in names:
        assert (files(package) / name).read_bytes(), name


def test_every_error_has_the_common_base_class() -> None:
    raised = {value for value in vars(errors).values() if isinstance(value, type)}
    assert len(raised) > 9
    assert all(issubclass(error, lumber_core.LumberError) for error in raised)


def test_the_base_install_has_only_the_packages_that_splitting_needs() -> None:
    base = [r for r in distribution("lumber-splitters").requires or [] if "extra ==" not in r]
    assert base
    names = " ".join(base)
    heavy = ("torch", "transformers", "tokenizers", "huggingface", "langchain", "llama")
    files = ("charset-normalizer", "lxml", "firecrawl-anydoc", "pypdfium2")
    retrieval = ("rapidfuzz", "stopwordsiso")
    assert not any(name in names for name in (*heavy, *files, *retrieval, "typer", "rich"))


ROOT = Path(__file__).resolve().parents[1]


def test_published_files_link_to_their_repository(tmp_path: Path) -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python has it from 3.11 on")
    (tmp_path / "scripts").mkdir()
    for name in ("README.md", "pyproject.toml", "scripts/name_repository.py"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    home = "https://code.example/them/theirs"
    script = [sys.executable, tmp_path / "scripts" / "name_repository.py", home, "v1"]
    subprocess.run(script, check=True)
    links = re.findall(r"\]\((.+?)\)", (tmp_path / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith("https://")] == []
    assert f"{home}/raw/v1/docs/assets/chunks.svg" in links
    assert f"{home}/blob/v1/docs/index.md" in links
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["urls"]["Repository"] == home


def test_registry_files_match_the_package() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python has it from 3.11 on")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hub = project["tool"]["llamahub"]
    exported = {*import_module(hub["import_path"]).__all__}
    assert {*hub["class_authors"]} <= exported
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['project']['version']}\n" in citation


def test_each_extra_has_code_that_uses_it_when_packages_are_checked() -> None:
    names = run_path(str(ROOT / "scripts/check_packages.py"))
    extras = distribution("lumber-splitters").metadata.get_all("Provides-Extra") or []
    assert {*extras} - names["NOT_FOR_USERS"] <= {*names["PROBES"]}


REQUIREMENT = re.compile(r'^  "([A-Za-z][\w.-]*)(?:\[[^]]*\])?[^"]*",(.*)$', re.MULTILINE)
# The trainer of transformers imports it.
NOT_IMPORTED = {"accelerate"}


def requirements(start: str, end: str) -> list[tuple[str, str]]:
    """Return the packages between two lines of pyproject.toml, each with its comment."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return REQUIREMENT.findall(text[text.index(start) : text.index(end)])


def test_every_requirement_states_why() -> None:
    required = requirements("\ndependencies = [", "\n[project.scripts]")
    assert len(required) > 40
    assert [name for name, comment in required if len(comment.strip(" #")) < 5] == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older Pythons know fewer modules")
def test_every_requirement_of_users_is_imported() -> None:
    required = {name for name, _ in requirements("\ndependencies = [", "\ndocs = [")}
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(re.sub(r"[-_.]+", "-", name).lower(), set()).add(module)
    folders = [ROOT / name for name in ("langchain_lumber", "llamaindex_lumber", "shared")]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    unused = [
        name
        for name in sorted(required - NOT_IMPORTED - {"lumber-splitters", "google-generativeai"})
        if not any(
            re.search(rf"(?:import|from|[\"'])\s*{re.escape(module)}\b", code)
            for module in modules.get(name.lower(), {name.replace("-", "_")})
        )
    ]
    assert unused == []
