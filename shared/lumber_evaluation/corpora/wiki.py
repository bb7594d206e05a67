"""Wiki-50 and Wiki-727K (Koshorek et al. 2018): articles with their sections.

A file has one sentence per line; a section starts with `========,LEVEL,TITLE.`, where level 1 is
the preface, and `***LIST***.` replaces a list. Wiki-727K is a tree of folders with such files, too
large for memory: `iter_wiki` reads one file at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumber_core.extras import load, require
from lumber_core.tokens import TokenCounterSpec, token_counter
from lumber_evaluation.corpora.files import existing_folder, read_text
from lumber_evaluation.documents import Document, document_from_segments
from lumber_evaluation.start_error import TokenPositions

if TYPE_CHECKING:
    from pandas import DataFrame

_MARK = "========,"
_LIST = "***LIST***."
_WHAT = "the files of Wiki-50 or Wiki-727K"


@dataclass(frozen=True, slots=True)
class WikiFields:
    """The fields of a document that the greedy article uses.

    Attributes:
        name: Path of the file within its folder.
        original: The file's text, headings included.
        text: The text without headings.
        start_tokens: For each section, the number of tokens of `text` before it; the first is 0.
        start_sentences: For each section, the number of its first sentence; the first is 0.
        tokens: Length of `text` in tokens.
        sections: Number of sections.
    """

    name: str
    original: str
    text: str
    start_tokens: tuple[int, ...]
    start_sentences: tuple[int, ...]
    tokens: int
    sections: int


@dataclass(frozen=True, slots=True)
class WikiArticle:
    """An article: the file's text, and the document made from it.

    Attributes:
        original: The file's text, headings included.
        document: Its sentences, one per line, and the requested sections.
    """

    original: str
    document: Document

    @property
    def start_sentences(self) -> tuple[int, ...]:
        """For each section, the number of its first sentence; the first is 0."""
        number = {offset: place for place, offset in enumerate(self.document.units)}
        return tuple(number[start] for start in self.document.starts)

    def fields(self, *, tokenizer: TokenCounterSpec = "cl100k_base") -> WikiFields:
        """Return the fields that the greedy article uses.

        Args:
            tokenizer: Counts tokens, sentence by sentence; see
                `lumber_core.tokens.token_counter`.
        """
        document = self.document
        positions = TokenPositions(document, tokenizer=tokenizer)
        return WikiFields(
            document.name,
            self.original,
            document.text,
            tuple(positions.at(document.starts)),
            self.start_sentences,
            positions.total,
            len(document.starts),
        )


def iter_wiki(
    folder: str | Path, *, levels: Collection[int] | None = None, keep_lists: bool = False
) -> Iterator[WikiArticle]:
    """Read Wiki-50 or Wiki-727K, one file at a time.

    Folders are listed when they are reached, so that the first articles come at once and memory
    does not grow with the dataset.

    Args:
        folder: The folder with the files, at any depth, read in order of name within each folder.
            Files that do not start with a section mark are ignored.
        levels: The levels that start a section, as in `(1, 2)` or `range(1, 3)`; headings of other
            levels are left out, and their text belongs to the section before. None: all levels. The
            start of a text always starts a section.
        keep_lists: Whether `***LIST***.` stays in the text, as a sentence of its own. It is not
            part of the published article.

    Yields:
        The articles. A section without a sentence of its own is ignored.

    Raises:
        FileNotFoundError: The folder is missing (raised at once), or has no such file (raised at
            the end).
        NotADirectoryError: It is a file.
        ValueError: `levels` is empty or has a number below 1 (raised at once); a mark has no number
            for its level, or a file is not UTF-8 (raised when the file is reached).
    """
    root = existing_folder(folder, _WHAT)
    if levels is not None and (not levels or min(levels) < 1):
        raise ValueError(
            "levels must be numbers from 1, the level of the preface, such as (1, 2), "
            f"not {levels!r}"
        )
    return _articles(root, levels, keep_lists)


def load_wiki50(
    folder: str | Path, *, levels: Collection[int] | None = None, keep_lists: bool = False
) -> list[Document]:
    """Load the documents of Wiki-50, or of a part of Wiki-727K that fits in memory.

    Args:
        folder: As for `iter_wiki`.
        levels: As for `iter_wiki`.
        keep_lists: As for `iter_wiki`.

    Raises:
        FileNotFoundError: The folder is missing or has no such file.
        NotADirectoryError: It is a file.
        ValueError: `levels` is empty, a mark has no number for its level, or a file is not UTF-8.
    """
    return [a.document for a in iter_wiki(folder, levels=levels, keep_lists=keep_lists)]


def wiki_table(
    articles: Iterable[WikiArticle], *, tokenizer: TokenCounterSpec = "cl100k_base"
) -> DataFrame:
    """Return a pandas table of the greedy article's fields, a row for each article.

    Args:
        articles: The articles, for example from `iter_wiki`; only the fields are kept in memory.
        tokenizer: Counts tokens; see `lumber_core.tokens.token_counter`.

    Returns:
        A table with the columns of `WikiFields`, in that order.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    require("pandas", package="pandas", extra="evaluation")
    counter = token_counter(tokenizer)
    rows = [asdict(article.fields(tokenizer=counter)) for article in articles]
    pandas = load("pandas", package="pandas", extra="evaluation")
    table: DataFrame = pandas.DataFrame(rows, columns=list(WikiFields.__dataclass_fields__))
    return table


def _articles(
    root: Path, levels: Collection[int] | None, keep_lists: bool
) -> Iterator[WikiArticle]:
    empty = True
    for path in _walk(root):
        if not _is_article(path):
            continue
        empty = False
        original = read_text(path)
        segments: list[list[str]] = [[]]
        for number, line in enumerate(original.split("\n"), start=1):
            if line.startswith(_MARK):
                level = _level(line, path, number)
                if levels is None or level in levels:
                    segments.append([])
            elif keep_lists or line.strip() != _LIST:
                segments[-1].append(line)
        name = path.relative_to(root).as_posix()
        yield WikiArticle(original, document_from_segments(segments, name=name, source="wiki"))
    if empty:
        raise FileNotFoundError(
            f"no file in {root} starts with a section mark '{_MARK}LEVEL,TITLE.': expected {_WHAT}"
        )


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, listing each folder only when it is reached."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def _is_article(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MARK)) == _MARK.encode()


def _level(line: str, path: Path, number: int) -> int:
    level = line[len(_MARK) :].split(",", 1)[0]
    if not (level.isascii() and level.isdecimal()):
        raise ValueError(
            f"{path}, line {number}: expected '{_MARK}LEVEL,TITLE.' with a number for the level, "
            f"found {line[:60]!r}"
        )
    return int(level)
