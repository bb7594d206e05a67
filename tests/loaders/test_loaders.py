"""Documents of real loaders and readers are treated as README.md in this folder states.

With WRITE_LOADERS=1, the tables are written instead.
"""

import os
import re
import shutil
import textwrap
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.loaders.langchain_loaders import LOADERS
from tests.loaders.llamaindex_readers import READERS
from tests.loaders.samples import PRICES, QUESTION, make_files, quote

pytestmark = pytest.mark.loaders
WRITES = bool(os.environ.get("WRITE_LOADERS"))
PAGE = Path(__file__).with_name("README.md")
COLUMNS = ("Documents", "Heading above", "Kept up to date", "Cited as")
PACKAGES = {
    "LangChain": ("langchain-community", "langchain-text-splitters", "unstructured", "pypdf"),
    "LlamaIndex": (
        *("llama-index-core", "llama-index-readers-file", "llama-index-readers-web"),
        *("llama-index-readers-markitdown", "llama-index-readers-obsidian", "pymupdf4llm"),
    ),
}
RANDOM = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}")
_rows: dict[str, dict[str, tuple[str, ...]]] = {"LangChain": {}, "LlamaIndex": {}}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without logging, and puts its address into them."""

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    for program in ("pandoc", "soffice"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    folder = tmp_path_factory.mktemp("made")
    for price in PRICES:
        make_files(folder / price, price)
    return {price: folder / price for price in PRICES}


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("USER_AGENT", "tests")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(autouse=True)
def sentences_of_unstructured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find sentences by full stops, without the model that Unstructured downloads."""
    spacy = pytest.importorskip("spacy")
    tokenize = pytest.importorskip("unstructured.nlp.tokenize")
    if not spacy.util.is_package("en_core_web_sm"):
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        monkeypatch.setattr(tokenize, "_load_spacy_model", lambda: blank)


class Trial:
    """Loads documents with a framework, and describes the results."""

    def __init__(self, framework: str) -> None:
        import langchain_lumber
        import llamaindex_lumber

        self.of_langchain = framework == "LangChain"
        self.lumber: Any = langchain_lumber if self.of_langchain else llamaindex_lumber
        self.retriever = self.lumber.PassageRetriever(budget=15)

    def find(self) -> list[Any]:
        ask = self.retriever.invoke if self.of_langchain else self.retriever.retrieve
        return list(ask(QUESTION))

    def text(self, document: Any) -> str:
        return str(document.metadata["text"] if self.of_langchain else document.text)

    def check_chunks(self, documents: list[Any]) -> None:
        if self.of_langchain:
            splitter = self.lumber.LayoutTextSplitter(target_size=20, add_start_index=True)
            for document in documents:
                for chunk in splitter.split_documents([document]):
                    start, text = chunk.metadata["start_index"], chunk.page_content
                    assert document.page_content[start : start + len(text)] == text
        else:
            for document in documents:
                for node in self.lumber.LayoutNodeParser(target_size=20, include_metadata=False)(
                    [document]
                ):
                    assert document.text[node.start_char_idx : node.end_char_idx] == node.text

    def row(self, load: Callable[[str], list[Any]], files: dict[str, Path], url: str) -> Any:
        changes = []
        for price in (PRICES[0], PRICES[0], PRICES[1]):
            lay_files(files[price], url)
            documents = load(url)
            self.check_chunks(documents)
            try:
                changes.append(self.retriever.add_documents(documents))
            except ValueError as error:
                reason = re.search("has no name", str(error))
                return str(len(documents)), "", "", reason and f"refused: {reason[0]}"
        bread = [document for document in self.find() if "loaf of bread" in self.text(document)]
        prices = [price for price in PRICES if any(quote(price) in self.text(o) for o in bread)]
        outcome = {("nine",): "yes", ("two", "nine"): "no: the new is beside the old"}.get(
            (*prices,), "no: the old is found"
        )
        (cited,) = self.lumber.cite([quote(PRICES[1])], bread)
        joined = self.lumber.join_pages(documents)
        pages = f", {len(joined)} joined" if len(joined) < len(documents) else ""
        second_retriever = self.lumber.PassageRetriever(budget=15)
        assert second_retriever.sync(joined).added > 0
        has_name = (
            RANDOM.sub("a random ID", str(cited)).replace(url, "URL").replace(f"{Path.cwd()}/", "")
        )
        has_name = re.sub(r"(URL)/[\w.]+|(?:mill|rows)\.\w+", lambda it: it[1] or "file", has_name)
        has_name = re.sub(r"(line|page|row|part|section|mail) \d+", r"\1", has_name)
        return (
            f"{len(documents)}{pages}",
            "yes" if "Bread" in str(bread[0].metadata.get("headings", "")) else "no",
            f"no: {changes[1].added} added again" if changes[1].added else outcome,
            has_name,
        )


def lay_files(folder: Path, url: str) -> None:
    """Put files into the current folder, with the address of the server."""
    shutil.copytree(folder, Path.cwd(), dirs_exist_ok=True)
    sitemap = Path("sitemap.xml")
    sitemap.write_text(sitemap.read_text().replace("URL", url))


def marks(framework: str) -> re.Pattern[str]:
    between = rf"(?<=<!-- loaders: {framework} -->\n).*?(?=<!-- end of loaders -->)"
    return re.compile(between, re.DOTALL)


def documented_rows(framework: str) -> dict[str, tuple[str, ...]]:
    """Return the rows of a table by loader; loaders with the same cells share a row."""
    match = marks(framework).search(PAGE.read_text(encoding="utf-8"))
    assert match
    rows = [line for line in match.group().splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]
    return {name: tuple(rest) for names, *rest in cells for name in names.split("; ")}


def write(framework: str) -> None:
    """Replace the table of a framework, and the versions below it."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, row in _rows[framework].items():
        alike.setdefault(row, []).append(name)
    kind = "Loader" if framework == "LangChain" else "Reader"
    lines = [(kind, *COLUMNS), ("---",) * (1 + len(COLUMNS))]
    lines += [("; ".join(names), *row) for row, names in alike.items()]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES[framework])
    below = textwrap.fill(f"Versions: {versions}.", 130, break_on_hyphens=False)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        marks(framework).sub(lambda _: f"\n{table}\n{below}\n\n", text, count=1), "utf-8"
    )


def check(framework: str, name: str, load: Any, files: dict[str, Path], url: str) -> None:
    row = _rows[framework][name] = Trial(framework).row(load, files, url)
    if not WRITES:
        assert row == documented_rows(framework)[name]


@pytest.mark.parametrize("name", LOADERS)
def test_documents_of_a_loader_match_the_documented_row(
    name: str, made: dict[str, Path], url: str
) -> None:
    check("LangChain", name, LOADERS[name], made, url)


@pytest.mark.parametrize("name", READERS)
def test_documents_of_a_reader_match_the_documented_row(
    name: str, made: dict[str, Path], url: str
) -> None:
    check("LlamaIndex", name, READERS[name], made, url)


@pytest.mark.parametrize("framework", _rows)
def test_each_documented_loader_is_tested(framework: str) -> None:
    if WRITES:
        write(framework)
    assert {*documented_rows(framework)} == {*_rows[framework]}
