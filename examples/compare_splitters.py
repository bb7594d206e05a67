"""Which splitter is best on a document? Offline: no key, no network, no PyTorch.

python examples/compare_splitters.py                       the bundled handbook and story
python examples/compare_splitters.py my_docs my_questions.jsonl report   documents of your own

Writes a report in HTML, and prints its main table.
"""

import sys
from pathlib import Path

from langchain_text_splitters import RecursiveCharacterTextSplitter

from lumber_core import BertChunker, LayoutChunker
from lumber_evaluation.comparison import compare
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.dataset import Corpus
from lumber_evaluation.report import write_report
from lumber_evaluation.report.conclusions import conclusions, explanation

HERE = Path(__file__).parent
HANDBOOK = (HERE / "handbook", HERE / "data" / "handbook_questions.jsonl")
STORY = (HERE / "data" / "the_tide_clock.txt", HERE / "data" / "the_tide_clock_questions.jsonl")


def bundled_corpus() -> Corpus:
    """Return the handbook and the story, with 84 questions about them."""
    handbook, story = (load_folder(folder, questions=table) for folder, table in (HANDBOOK, STORY))
    documents = handbook.documents + story.documents
    return Corpus("handbook and story", documents, handbook.questions + story.questions)


def main(corpus: Corpus, report: Path) -> None:
    recursive = RecursiveCharacterTextSplitter(chunk_size=800, chunk_overlap=0)
    comparison = compare(corpus, [BertChunker(), LayoutChunker(), recursive])
    page = write_report(comparison, report)

    for result in comparison.results:
        recall = comparison.figures[result.name, "recall@600w"]
        interval = f" ({recall.low:.2f} to {recall.high:.2f})" if recall.low is not None else ""
        size = f"{sum(map(len, result.sizes)):4} chunks of {result.mean_size:4.0f} tokens"
        print(f"{result.name:32} {size}   recall in 600 words {recall.value:.2f}{interval}")
    print("\n" + "\n".join([explanation(comparison), *conclusions(comparison)[:2]]))
    print(f"\n{page}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        corpus = load_folder(sys.argv[1], questions=sys.argv[2])
        main(corpus, Path(sys.argv[3] if len(sys.argv) > 3 else "report"))
    else:
        main(bundled_corpus(), Path("report"))
