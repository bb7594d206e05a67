"""Published corpora: Choi, Chroma's evaluation, COVID-QA, Multi-Corpus, QMSum, and others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lumber_core.text.units import sentences
from lumber_evaluation.corpora.files import (
    existing,
    existing_folder,
    field,
    json_lines,
    matching_files,
    read_text,
)
from lumber_evaluation.corpora.folder import load_folder
from lumber_evaluation.corpora.questions import read_references
from lumber_evaluation.documents import (
    Corpus,
    Document,
    DocumentNames,
    Question,
    document_from_segments,
)

_SEPARATOR = "=========="


def load_choi(folder: str | Path) -> list[Document]:
    """Load Choi's set: `.ref` files whose segments are between lines of `==========`.

    Args:
        folder: The folder with the files, at any depth. The name of a file's folder (`3-11`)
            is the document's source.

    Raises:
        FileNotFoundError: The folder is missing or contains no `.ref` file.
        ValueError: A file has no segment mark, or is not UTF-8.
    """
    documents = []
    for path in matching_files(folder, ["*.ref"], "Choi's segmentation set"):
        segments: list[list[str]] = []
        for line in read_text(path).splitlines():
            if line.startswith(_SEPARATOR):
                segments.append([])
            elif segments:
                segments[-1].append(line)
            elif line.strip():
                segments.append([line])
        if len(segments) < 2:
            raise ValueError(
                f"{path} contains no segments: expected one sentence per line with lines of "
                f"{_SEPARATOR!r} between segments"
            )
        documents.append(
            document_from_segments(segments, name=path.stem, source=f"choi/{path.parent.name}")
        )
    return documents


def load_chroma(folder: str | Path) -> list[Corpus]:
    """Load corpora with questions and exact reference excerpts, as Chroma's evaluation has them.

    Args:
        folder: The folder with `corpora/NAME.md` and `questions.jsonl`, whose lines are
            `{"question": …, "corpus": NAME, "references": [{"start_index": …, "end_index": …,
            "content": …}]}`.

    Returns:
        A corpus of one document for each `NAME`.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A line is malformed, names a file outside `corpora`, an excerpt differs from
            the text at its offsets, or there is no question.
    """
    root = existing_folder(folder, "the corpora with reference excerpts")
    questions: dict[str, list[Question]] = {}
    documents: dict[str, Document] = {}
    file = root / "questions.jsonl"
    for where, row in json_lines(file, "questions with reference excerpts"):
        name = field(row, "corpus", str, where)
        if name not in documents:
            documents[name] = _document(root / "corpora", name, where)
        references = read_references(field(row, "references", list, where), where)
        for reference in references:
            reference.check(documents[name], where)
        question = Question(
            field(row, "question", str, where),
            name,
            references=tuple(reference.span for reference in references),
        )
        questions.setdefault(name, []).append(question)
    if not questions:
        raise ValueError(f"{file} contains no question; expected one on each line")
    return [Corpus(name, (documents[name],), tuple(asked)) for name, asked in questions.items()]


def _document(folder: Path, name: str, where: str) -> Document:
    # Texts end up in reports and prompts, so a name, or a link, must not lead to a file elsewhere.
    path, named = folder / f"{name}.md", Path(name)
    outside = named.is_absolute() or ".." in named.parts
    if not outside:
        path = existing(path, f"the corpus {name!r}").resolve()
        outside = not path.is_relative_to(folder.resolve())
    if outside:
        raise ValueError(
            f"{where}: the corpus {name!r} is {path}, outside {folder}; expected the name of a "
            "file in that folder"
        )
    text = read_text(path)
    units = tuple(span.start for span in sentences(text))
    return Document(name, text, units, (0,), "chroma")


def load_covidqa(folder: str | Path) -> Corpus:
    """Load COVID-QA: scientific papers, and questions with the exact excerpts that answer them.

    Args:
        folder: The folder with `documents/NAME.txt` and `questions.jsonl`, whose lines are
            `{"question": …, "document": NAME, "references": [{"start_index": …, "end_index": …}]}`.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A line is malformed, or an excerpt lies outside its document.
    """
    root = existing_folder(folder, "COVID-QA")
    loaded = load_folder(
        root / "documents", pattern="*.txt", questions=root / "questions.jsonl", encoding="utf-8"
    )
    return Corpus("covidqa", loaded.documents, loaded.questions)


def load_multi_corpus(folder: str | Path) -> Corpus:
    """Load RAG-Multi-Corpus: Markdown documents of companies, and questions to all of them.

    A question is asked of all documents together: search with `within_document=False`.

    Args:
        folder: The folder with `COMPANY/NAME.md` and `questions.jsonl`, whose lines are
            `{"question": …, "references": [{"document": "COMPANY/NAME.md", "start_index": …,
            "end_index": …}]}`. Other folders and files are not read.

    Returns:
        Documents named `COMPANY/NAME.md`, each with its company as its source.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A line is malformed, a document is unknown, or an excerpt lies outside it.
    """
    root = existing_folder(folder, "RAG-Multi-Corpus")
    loaded = load_folder(
        root, pattern="*/*.md", questions=root / "questions.jsonl", encoding="utf-8"
    )
    documents = tuple(
        replace(document, source=f"multi_corpus/{document.name.split('/')[0]}")
        for document in loaded.documents
    )
    return Corpus("multi_corpus", documents, loaded.questions)


def load_qmsum(folder: str | Path, *, part: str = "val") -> Corpus:
    """Load QMSum: transcripts of meetings, with annotated topics and questions.

    Units are speaker turns, one per line. A segment starts wherever a topic starts. Gaps between
    topics, and topics that overlap, make the segments around them longer or shorter.

    Args:
        folder: The folder with `PART/NAME.txt`, `PART_topics.jsonl` (`{"document": NAME,
            "topics": [{"start_index": …, "end_index": …}]}`) and `PART_questions.jsonl` (as for
            `load_covidqa`).
        part: "train" or "val".

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A line is malformed, a topic starts inside a turn, or a document is unknown.
    """
    root = existing_folder(folder, "QMSum")
    loaded = load_folder(
        root / part,
        pattern="*.txt",
        questions=root / f"{part}_questions.jsonl",
        units="paragraphs",
        encoding="utf-8",
    )
    names = DocumentNames(loaded.documents)
    starts: dict[str, set[int]] = {}
    for where, row in json_lines(root / f"{part}_topics.jsonl", "topics of meetings"):
        document = names.find(field(row, "document", str, where), where)
        topics = read_references(field(row, "topics", list, where), where)
        for topic in topics:
            topic.check(document, where)
            if topic.span.start not in document.units:
                raise ValueError(
                    f"{where}: a topic starts at character {topic.span.start}, inside a speaker "
                    "turn; expected the start of a line"
                )
        starts[document.name] = {0, *(topic.span.start for topic in topics)}
    documents = tuple(
        replace(document, starts=tuple(sorted(starts.get(document.name, {0}))), source="qmsum")
        for document in loaded.documents
    )
    return Corpus(f"qmsum {part}", documents, loaded.questions)


def load_wiki_sections(path: str | Path) -> list[Document]:
    """Load articles given as lists of sections: lines of `{"document": …, "sections": […]}`.

    Args:
        path: The JSON Lines file, or the folder with its `documents.jsonl`. Each line of a
            section is one sentence.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is not such an object.
    """
    documents = []
    file = _file(path, "documents.jsonl")
    for where, row in json_lines(file, "articles as lists of sections"):
        name = field(row, "document", str, where)
        sections = field(row, "sections", list, where)
        documents.append(
            document_from_segments(
                [str(section).splitlines() for section in sections],
                name=name,
                source="wiki_sections",
            )
        )
    return documents


def load_passages(path: str | Path) -> list[Document]:
    """Load passages: lines of `{"source": …, "document": …, "text": …}`.

    Args:
        path: The JSON Lines file, or the folder with its `passages.jsonl`.

    Returns:
        One document for each pair of source and document, in the order of the file; its segments
        are its passages, in order.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is not such an object.
    """
    passages: dict[tuple[str, str], list[list[str]]] = {}
    for where, row in json_lines(_file(path, "passages.jsonl"), "passages"):
        key = (field(row, "source", str, where), field(row, "document", str, where))
        text = field(row, "text", str, where)
        found = [span.of(text) for span in sentences(text)]
        passages.setdefault(key, []).append(found)
    return [
        document_from_segments(segments, name=name, source=source)
        for (source, name), segments in passages.items()
    ]


def _file(path: str | Path, name: str) -> Path:
    """Return the file itself, or the file of that name in the folder."""
    file = Path(path)
    return file / name if file.is_dir() else file
