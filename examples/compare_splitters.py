"""Which splitter is best on a document? Offline: no key, no network, no PyTorch.

python examples/compare_splitters.py                       the story beside it
python examples/compare_splitters.py my_docs my_questions.jsonl report   documents of your own

Writes a report to look at, and prints the table it opens with.
"""

import sys
from pathlib import Path

from langchain_text_splitters import RecursiveCharacterTextSplitter

from lumber_core import BertChunker
from lumber_evaluation.comparison import compare
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.report import write_report
from lumber_evaluation.report.conclusions import conclusions

DATA = Path(__file__).parent / "data"


def main(folder: Path, questions: Path, report: Path) -> None:
    corpus = load_folder(folder, questions=questions)
    recursive = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=0)
    comparison = compare(corpus, [BertChunker(chunk_size=300), recursive])
    page = write_report(comparison, report)

    for result in comparison.results:
        recall = comparison.figures[result.name, "recall@600w"]
        interval = f" ({recall.low:.2f} to {recall.high:.2f})" if recall.low is not None else ""
        size = f"{sum(map(len, result.sizes)):4} chunks of {result.mean_size:4.0f} tokens"
        print(f"{result.name:32} {size}   recall in 600 words {recall.value:.2f}{interval}")
    print("\n" + "\n".join(conclusions(comparison)[:2]))
    print(f"\n{page}")


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    defaults = [DATA, DATA / "the_tide_clock_questions.jsonl", Path("report")]
    main(*given, *defaults[len(given) :])
