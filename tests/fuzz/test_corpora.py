"""A loader reads any file by the rules of its format, or raises an error that names the file."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lumber_evaluation.corpora import load_questions
from lumber_evaluation.corpora.files import table_rows
from lumber_evaluation.dataset import Document
from lumber_files import UnreadableFileError
from tests.core.core_support import memory_folder
from tests.fuzz.texts import texts
from tests.profiles import examples

FIELDS = [
    *("question", "Question", "document", "Book Name", "answer", "must_contain", "references"),
    *("Chunk Must Contain", "Chunk", "corpus", "topics", "text", "source", "sections", "ends"),
    *("start_index", "end_index", "content", "QUESTION ", "book_name", ""),
]
NAMES = ["a", "b", "a.txt", "../a", "/tmp/a", "a\x00b", "", ".", "n" * 300, "\ud800"]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(NAMES) | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=8,
)
references = st.lists(
    st.fixed_dictionaries(
        {"start_index": st.integers(-1, 9), "end_index": st.integers(-1, 12)},
        optional={"content": st.sampled_from(["a", "one", None])},
    ),
    max_size=2,
)
rows = st.fixed_dictionaries(
    {},
    optional={
        name: (references if name in ("references", "topics") else st.sampled_from(NAMES) | texts)
        | values
        for name in FIELDS
    },
)


NUL = "\0" if sys.version_info >= (3, 11) else ""  # the csv module of 3.10 cannot write NUL


def lines(objects: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, objects)).encode()


def table(objects: list[dict[str, Any]]) -> bytes:
    """Write rows as CSV."""
    columns = list(dict.fromkeys(name for row in objects for name in row))
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows(
        {
            name: value.replace("\0", NUL) if isinstance(value, str) else json.dumps(value)
            for name, value in row.items()
        }
        for row in objects
    )
    return file.getvalue().encode("utf-8", "surrogatepass")


files = (
    st.lists(rows, max_size=4).map(lines)
    | st.lists(rows, max_size=4).map(json.dumps).map(str.encode)
    | st.lists(rows, max_size=4).map(table)
    | values.map(json.dumps).map(str.encode)
    | texts.map(lambda text: text.encode("utf-8", "replace"))
    | st.sampled_from([b"", b"\xef\xbb\xbf", b"[" * 1500, b'{"a":' * 1500, b"1" * 4301, b"\xff"])
    | st.binary(max_size=60)
)


@given(files, st.sampled_from([".jsonl", ".json", ".csv", ".CSV"]))
@examples(30)
def test_any_table_of_questions_is_read_or_refused_by_its_name(content: bytes, ending: str) -> None:
    documents = [Document("a.txt", "one two three", (0,), (0,), "")]
    questions, refusal = [], None
    with memory_folder() as folder:
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            assert all(isinstance(row, dict) for _, row in table_rows(path))
            questions = load_questions(path, documents=documents)
        except (ValueError, FileNotFoundError) as error:
            refusal = error
    assert type(refusal) in (type(None), ValueError, FileNotFoundError, UnreadableFileError)
    assert refusal is None or str(folder) in str(refusal)
    for question in questions:
        assert question.document == "a.txt"
        assert question.question.strip()
        assert question.must_contain or question.references
        assert all(0 <= start < end <= 13 for start, end in question.references)
