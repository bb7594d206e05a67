"""A type checker accepts a user's script in strict mode, and reports mistakes in another."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("basedpyright") is None, reason="needs basedpyright, which `make test` installs"
)

ROOT = Path(__file__).parents[1]

RIGHT = """
from typing import Literal

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.stores import InMemoryByteStore
from llama_index.core.llms import MockLLM
from llama_index.core.storage.kvstore import SimpleKVStore

from langchain_lumber import BertTextSplitter, GreedyTextSplitter, LumberTextSplitter
from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LumberNodeParser
from lumber_core import BertChunker, CallPolicy, GreedyChunker, Group, LumberChunker


def judge(group: Group) -> int | None:
    return group.start + 1


texts: list[str] = GreedyChunker(200, chunk_size=300, tokenizer="words").split_text("x")
LumberChunker(judge, theta=300, units="sentences", on_failure="raise")
BertChunker("large", threshold=1, paper=True, chunk_size=None)
greedy = GreedyTextSplitter(chunk_size=300, chunk_overlap=20, length_function=len)
documents: list[Document] = greedy.split_documents([])
LumberTextSplitter(FakeListChatModel(responses=["x"]), theta=5, policy=CallPolicy(attempts=2))
LumberTextSplitter(llm=judge, store="a.db", add_start_index=True)
LumberTextSplitter(store=InMemoryByteStore())
LumberNodeParser(store=SimpleKVStore())
LumberNodeParser(store=InMemoryByteStore)
BertTextSplitter(threshold=2.5, strip_whitespace=False)
parser = LumberNodeParser(llm=MockLLM(), theta=4, include_metadata=False, chunk_overlap=3)
theta: int = parser.theta
parser.theta = 100
size: int | Literal["auto"] | None = GreedyNodeParser(chunk_size=100, target_size=80).chunk_size
BertNodeParser(model="bundled", paper=False)
made: GreedyNodeParser = GreedyNodeParser.from_defaults(chunk_size=3)
"""

WRONG = """
from langchain_lumber import BertTextSplitter, GreedyTextSplitter, LumberTextSplitter
from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LumberNodeParser
from lumber_core import BertChunker, GreedyChunker, LumberChunker

GreedyChunker(targt_size=3)  # No parameter named "targt_size"
GreedyChunker(1, 2)  # Expected 1 positional argument
LumberChunker()  # Argument missing for parameter "judge"
BertChunker(device="gpu")  # parameter "device"
GreedyTextSplitter(400)  # Expected 0 positional arguments
GreedyTextSplitter(separators=["x"])  # parameter "separators" of type "Never"
LumberTextSplitter(theta="550")  # parameter "theta"
BertTextSplitter(chunk_size="5")  # parameter "chunk_size"
LumberTextSplitter(store=5)  # parameter "store"
GreedyNodeParser(separator=" ")  # No parameter named "separator"
LumberNodeParser(theta="x")  # parameter "theta"
BertNodeParser(foo=1)  # No parameter named "foo"
BertNodeParser("bundled")  # Expected 0 positional arguments
LumberNodeParser().theta = "x"  # Cannot assign to attribute "theta"
"""


Found = dict[str, dict[int, str]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """The messages of the type checker about each script in strict mode, by line."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, script in (("right", RIGHT), ("wrong", WRONG)):
        (folder / f"{name}.py").write_text(script, encoding="utf-8")
    settings = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(ROOT), str(ROOT / "shared")],
        "pythonVersion": f"{sys.version_info[0]}.{sys.version_info[1]}",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(folder)]
    command += ["--pythonpath", sys.executable]
    completed = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(completed.stdout)
    assert report["summary"]["filesAnalyzed"] == 2, completed.stderr
    messages: Found = {"right": {}, "wrong": {}}
    for item in report["generalDiagnostics"]:
        messages[Path(item["file"]).stem][item["range"]["start"]["line"]] = item["message"]
    return messages


def test_a_users_script_passes_in_strict_mode(found: Found) -> None:
    assert found["right"] == {}


def test_wrong_names_types_and_positions_are_flagged(found: Found) -> None:
    lines = enumerate(WRONG.splitlines())
    expected = {number: line.split("# ")[1] for number, line in lines if "# " in line}
    assert found["wrong"].keys() == expected.keys()
    for number, message in expected.items():
        assert re.search(re.escape(message), found["wrong"][number])
