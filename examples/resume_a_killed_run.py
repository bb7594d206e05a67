"""A run that is killed on the way: with `store=`, the next run pays for the rest only.

Install: pip install '.[langchain]'
Run:     python examples/resume_a_killed_run.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from common import Options, Passage, options, show
from langchain_lumber import LumberEmbeddings, LumberTextSplitter
from lumber_cli.language_models import language_model
from lumber_core import AnswerStore, BertJudge, Group, Judge, ModelJudge, Verdict


class PaidJudge(Judge):
    """Writes every answer that another judge is paid for to a file.

    Args:
        judge: The judge.
        bill: The file. A line is an answer.
        seconds: How long an answer takes at least: the bundled model would be done too soon.
    """

    def __init__(self, judge: Judge, bill: Path, *, seconds: float = 0.0) -> None:
        self._judge = judge
        self._bill = bill
        self._seconds = seconds

    @property
    def identity(self) -> str:
        """The identity of the judge: stored answers are found by it."""
        return self._judge.identity

    def judge(self, group: Group) -> Verdict:
        """Return the judge's verdict."""
        time.sleep(self._seconds)
        with self._bill.open("a", encoding="utf-8") as bill:
            bill.write(f"paragraphs {group.start} to {group.stop - 1}\n")
        return self._judge.judge(group)


def main(given: Options) -> None:
    with given.folder() as folder:
        bill = folder / "bill.txt"
        bill.write_text("", encoding="utf-8")
        documents = documents_of(given.files)
        half = int(splitter(given.llm_name, folder).estimate(documents).calls.likely) // 2

        print(f"{'':<20}answers paid for")
        run = multiprocessing.get_context("spawn").Process(
            target=split, args=(given.files, given.llm_name, folder)
        )
        run.start()
        while run.is_alive() and paid(bill) < half:
            time.sleep(0.01)
        run.kill()
        run.join()
        first = paid(bill)
        row("killed on the way" if run.exitcode else "the first run", first)

        chunks = splitter(given.llm_name, folder).split_documents(documents)
        second = paid(bill) - first
        row("the next run", second)
        again = splitter(given.llm_name, folder).split_documents(documents)
        row("once more", paid(bill) - first - second)
        stored = AnswerStore(folder / "answers.db").usage().calls
        row("answers stored", stored)
        print(f"\nPaid twice: {first + second - stored} (1 if a call was in flight).")
        print(f"{len(chunks)} chunks, {'the same' if chunks == again else 'others'} once more.")

        store = InMemoryVectorStore.from_documents(chunks, LumberEmbeddings())
        found = store.similarity_search_with_score(given.question, k=3)
        show([Passage.of_document(chunk, score) for chunk, score in found], given)


def row(title: str, answers: int) -> None:
    print(f"{title:<30}{answers:>6}")


def split(files: dict[str, str], llm_name: str | None, folder: Path) -> None:
    """Split all files; this is the run that is killed."""
    splitter(llm_name, folder).split_documents(documents_of(files))


def splitter(llm_name: str | None, folder: Path) -> LumberTextSplitter:
    bill = folder / "bill.txt"
    judge = (
        PaidJudge(BertJudge(), bill, seconds=0.05)
        if llm_name is None
        else PaidJudge(ModelJudge(language_model(llm_name)), bill)
    )
    return LumberTextSplitter(llm=judge, store=folder / "answers.db", add_start_index=True)


def documents_of(files: dict[str, str]) -> list[Document]:
    return [Document(text, metadata={"source": name}) for name, text in files.items()]


def paid(bill: Path) -> int:
    """Return how many answers have been paid for."""
    return len(bill.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main(options(__doc__))
