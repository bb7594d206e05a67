"""Chroma's chunking evaluation: questions with the exact excerpts that answer them."""

from __future__ import annotations

from pathlib import Path

from lumber_core.units import sentences
from lumber_evaluation.corpora.questions import read_references
from lumber_evaluation.corpora.reading import existing, existing_folder, read_text
from lumber_evaluation.corpora.tables import field, json_lines
from lumber_evaluation.documents import Corpus, Document, Question


def load_chroma(folder: str | Path) -> list[Corpus]:
    """Load corpora with questions and exact reference excerpts, as Chroma's evaluation has them.

    Args:
        folder: The folder with `corpora/NAME.md` and `questions.jsonl`, whose lines are
            `{"question": …, "corpus": NAME, "references": [{"start_index": …, "end_index": …,
            "content": …}]}`.

    Returns:
        A corpus of one document for each `NAME`.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a line is malformed, an excerpt is not what its offsets say, or there is no
            question.
    """
    root = existing_folder(folder, "the corpora with reference excerpts")
    questions: dict[str, list[Question]] = {}
    documents: dict[str, Document] = {}
    file = root / "questions.jsonl"
    for where, row in json_lines(file, "questions with reference excerpts"):
        name = field(row, "corpus", str, where)
        if name not in documents:
            documents[name] = _document(root / "corpora" / f"{name}.md", name)
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
        raise ValueError(f"{file} holds no question; expected one on each line")
    return [Corpus(name, (documents[name],), tuple(asked)) for name, asked in questions.items()]


def _document(path: Path, name: str) -> Document:
    text = read_text(existing(path, f"the corpus {name!r}"))
    units = tuple(span.start for span in sentences(text))
    return Document(name, text, units, (0,), "chroma")
