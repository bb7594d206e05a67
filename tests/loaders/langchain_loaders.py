"""LangChain's loaders by their rows in README.md."""

from collections.abc import Callable
from typing import Any

from langchain_core.documents import Document

import langchain_lumber


def loader(kind: str, *arguments: Any, **settings: Any) -> Any:
    from langchain_community import document_loaders

    return getattr(document_loaders, kind)(*arguments, **settings)


def header_parts(splitter: Any, name: str) -> list[Document]:
    with open(name, encoding="utf-8") as file:
        parts = splitter.split_text(file.read())
    for part in parts:
        part.metadata["source"] = name
    return list(parts)


def markdown_parts(url: str) -> list[Document]:
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    levels = [("#", "Header 1"), ("##", "Header 2")]
    return header_parts(MarkdownHeaderTextSplitter(levels), "mill.md")


def html_parts(url: str) -> list[Document]:
    from langchain_text_splitters import HTMLHeaderTextSplitter

    return header_parts(HTMLHeaderTextSplitter([("h1", "Chapter"), ("h2", "Section")]), "mill.html")


def frame(url: str) -> list[Document]:
    import pandas

    return list(loader("DataFrameLoader", pandas.read_csv("rows.csv"), "fact").load())


def html_as_text(url: str) -> list[Document]:
    from langchain_community.document_transformers import Html2TextTransformer

    pages = loader("AsyncHtmlLoader", [f"{url}/mill.html"]).load()
    return list(Html2TextTransformer(ignore_links=True).transform_documents(pages))


def pymupdf4llm(url: str) -> list[Document]:
    from langchain_pymupdf4llm import PyMuPDF4LLMLoader

    return list(PyMuPDF4LLMLoader("mill.pdf", mode="page").load())


def of_file(kind: str, name: str, **settings: Any) -> Callable[[str], list[Document]]:
    return lambda url: list(loader(kind, name, **settings).load())


def of_url(kind: str, path: str, **settings: Any) -> Callable[[str], list[Document]]:
    return lambda url: list(loader(kind, f"{url}/{path}", **settings).load())


LOADERS: dict[str, Callable[[str], list[Document]]] = {
    "TextLoader (.md)": of_file("TextLoader", "mill.md"),
    "TextLoader (.txt)": of_file("TextLoader", "mill.txt"),
    "UnstructuredMarkdownLoader": of_file("UnstructuredMarkdownLoader", "mill.md"),
    "UnstructuredMarkdownLoader (elements)": of_file(
        "UnstructuredMarkdownLoader", "mill.md", mode="elements"
    ),
    "DirectoryLoader (.md)": of_file("DirectoryLoader", "vault", glob="**/*.md"),
    "ObsidianLoader": of_file("ObsidianLoader", "vault"),
    "NotionDirectoryLoader": of_file("NotionDirectoryLoader", "vault"),
    "BSHTMLLoader": of_file("BSHTMLLoader", "mill.html"),
    "UnstructuredHTMLLoader": of_file("UnstructuredHTMLLoader", "mill.html"),
    "Docx2txtLoader": of_file("Docx2txtLoader", "mill.docx"),
    "UnstructuredWordDocumentLoader": of_file("UnstructuredWordDocumentLoader", "mill.docx"),
    "UnstructuredPowerPointLoader": of_file("UnstructuredPowerPointLoader", "mill.pptx"),
    "UnstructuredExcelLoader": of_file("UnstructuredExcelLoader", "rows.xlsx"),
    "UnstructuredEmailLoader": of_file("UnstructuredEmailLoader", "mill.eml"),
    "PyPDFLoader": of_file("PyPDFLoader", "mill.pdf"),
    "PyPDFLoader (single)": of_file("PyPDFLoader", "mill.pdf", mode="single"),
    "PyMuPDFLoader": of_file("PyMuPDFLoader", "mill.pdf"),
    "PDFPlumberLoader": of_file("PDFPlumberLoader", "mill.pdf"),
    "PDFMinerLoader": of_file("PDFMinerLoader", "mill.pdf"),
    "PyPDFium2Loader": of_file("PyPDFium2Loader", "mill.pdf"),
    "PyMuPDF4LLMLoader": pymupdf4llm,
    "CSVLoader": of_file("CSVLoader", "rows.csv"),
    "JSONLoader": of_file("JSONLoader", "rows.json", jq_schema=".[].fact"),
    "DataFrameLoader": frame,
    "NotebookLoader": of_file("NotebookLoader", "mill.ipynb"),
    "PythonLoader": of_file("PythonLoader", "mill.py"),
    "SRTLoader": of_file("SRTLoader", "mill.srt"),
    "TomlLoader": of_file("TomlLoader", "mill.toml"),
    "WebBaseLoader": of_url("WebBaseLoader", "mill.html"),
    "RecursiveUrlLoader": of_url("RecursiveUrlLoader", "mill.html"),
    "SitemapLoader": of_url("SitemapLoader", "sitemap.xml", restrict_to_same_domain=False),
    "AsyncHtmlLoader, Html2TextTransformer": html_as_text,
    "MarkdownHeaderTextSplitter": markdown_parts,
    "HTMLHeaderTextSplitter": html_parts,
    **{
        f"our FilesLoader (.{end})": lambda url, end=end: (  # type: ignore[misc]
            langchain_lumber.FilesLoader(f"mill.{end}").load()
        )
        for end in ("md", "docx", "pdf", "html", "eml")
    },
}
