"""LlamaIndex's readers by their rows in README.md."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_index.core import Document, SimpleDirectoryReader

import llamaindex_lumber
from lumber_files import READABLE


def of_folder(name: str, **settings: Any) -> Callable[[str], list[Document]]:
    return lambda url: SimpleDirectoryReader(input_files=[name], **settings).load_data()


def reader(kind: str, **settings: Any) -> Any:
    from llama_index.readers import file

    return getattr(file, kind)(**settings)


def of_file(kind: str, name: str, **settings: Any) -> Callable[[str], list[Document]]:
    return lambda url: list(reader(kind, **settings).load_data(Path(name)))


def by_extractor(kind: str, name: str, **settings: Any) -> Callable[[str], list[Document]]:
    return lambda url: SimpleDirectoryReader(
        input_files=[name], file_extractor={Path(name).suffix: reader(kind, **settings)}
    ).load_data()


def of_url(kind: str, path: str, **settings: Any) -> Callable[[str], list[Document]]:
    def load(url: str) -> list[Document]:
        from llama_index.readers import web

        return list(getattr(web, kind)(**settings).load_data([f"{url}/{path}"]))

    return load


def sitemap(url: str) -> list[Document]:
    from llama_index.readers.web import SitemapReader

    return list(SitemapReader(html_to_text=True).load_data(f"{url}/sitemap.xml"))


def markitdown(url: str) -> list[Document]:
    from llama_index.readers.markitdown import MarkItDownReader

    return list(MarkItDownReader().load_data("mill.docx"))


def pymupdf4llm(url: str) -> list[Document]:
    from pymupdf4llm import LlamaMarkdownReader

    return list(LlamaMarkdownReader().load_data(Path("mill.pdf")))


def obsidian(url: str) -> list[Document]:
    from llama_index.readers.obsidian import ObsidianReader

    return list(ObsidianReader("vault").load_data())


def json_rows(url: str) -> list[Document]:
    from llama_index.readers.json import JSONReader

    return list(JSONReader().load_data("rows.json"))


READERS: dict[str, Callable[[str], list[Document]]] = {
    **{
        f"SimpleDirectoryReader (.{name.partition('.')[2]})": of_folder(name)
        for name in (
            *("mill.md", "mill.txt", "mill.docx", "mill.pdf", "mill.pptx", "mill.epub"),
            *("mill.html", "rows.csv"),
        )
    },
    "SimpleDirectoryReader (.pdf, filename_as_id)": of_folder("mill.pdf", filename_as_id=True),
    "SimpleDirectoryReader (folder)": lambda url: SimpleDirectoryReader(
        "vault", recursive=True
    ).load_data(),
    "PyMuPDFReader": of_file("PyMuPDFReader", "mill.pdf"),
    "PDFReader (full document)": of_file("PDFReader", "mill.pdf", return_full_document=True),
    "FlatReader": of_file("FlatReader", "mill.md"),
    "MarkdownReader": of_file("MarkdownReader", "mill.md"),
    "HTMLTagReader": of_file("HTMLTagReader", "mill.html", tag="section"),
    "UnstructuredReader": of_file("UnstructuredReader", "mill.md"),
    "CSVReader (rows)": of_file("CSVReader", "rows.csv", concat_rows=False),
    "MboxReader": by_extractor("MboxReader", "mill.mbox"),
    "PandasExcelReader (rows)": by_extractor("PandasExcelReader", "rows.xlsx", concat_rows=False),
    "XMLReader": by_extractor("XMLReader", "mill.xml"),
    "JSONReader": json_rows,
    "ObsidianReader": obsidian,
    "MarkItDownReader": markitdown,
    "PyMuPDF4LLM's LlamaMarkdownReader": pymupdf4llm,
    "SimpleWebPageReader": of_url("SimpleWebPageReader", "mill.html", html_to_text=True),
    "BeautifulSoupWebReader": of_url("BeautifulSoupWebReader", "mill.html"),
    "AsyncWebPageReader": of_url("AsyncWebPageReader", "mill.html", html_to_text=True),
    "SitemapReader": sitemap,
    **{
        f"our FilesReader (.{end})": lambda url, end=end: (  # type: ignore[misc]
            llamaindex_lumber.FilesReader().load_data(f"mill.{end}")
        )
        for end in ("md", "pdf", "docx")
    },
    "SimpleDirectoryReader, our FilesReader (.pdf)": of_folder(
        "mill.pdf", file_extractor=dict.fromkeys(READABLE, llamaindex_lumber.FilesReader())
    ),
}
