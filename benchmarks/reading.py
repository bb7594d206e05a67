"""Compares recall from PDFs with recall from the Markdown that they are printed from.

    python -m benchmarks.reading ../shared/data

The Markdown of RAG-Multi-Corpus is printed as PDFs (once; that needs weasyprint): justified and
hyphenated, with running heads, and without bookmarks, which would mark the headings. The files are
read and searched by `PassageIndex`. Recall is the share of the words of a question's evidence in
the passages of its document, without link targets. Pages of annual reports are measured by
benchmarks/passages.py.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.corpora import load_multi_corpus
from benchmarks.embedding import Bundled, index_of
from benchmarks.reading_formats import words
from lumber_core.text.source import Source
from lumber_evaluation.dataset import Question
from lumber_files import read_file

BUDGETS = (75, 150, 300)  # words
CSS = """
@page { size: A5; margin: 20mm 15mm;
  @top-left { content: string(title); font: italic 8pt serif }
  @top-right { content: "Company handbook"; font: 8pt serif }
  @bottom-center { content: "Page " counter(page) " of " counter(pages); font: 8pt serif } }
body { font: 10pt/1.35 serif; text-align: justify; hyphens: auto }
h1 { font-size: 18pt; string-set: title content() } h2 { font-size: 14pt } h3 { font-size: 12pt }
h4, h5, h6 { font-size: 10pt }
h1, h2, h3, h4, h5, h6 { break-after: avoid; text-align: left; bookmark-level: none }
table { border-collapse: collapse; font-size: 9pt } th, td { border: 0.5pt solid; padding: 2pt 4pt }
"""


def render(markdown: str, pdf: Path) -> None:
    """Print Markdown as a PDF, unless the file exists."""
    if pdf.exists():
        return
    from markdown_it import MarkdownIt
    from weasyprint import HTML

    html = MarkdownIt("commonmark").enable("table").render(markdown)
    page = f'<html lang="en"><style>{CSS}</style><body>{html}</body></html>'
    pdf.parent.mkdir(parents=True, exist_ok=True)
    HTML(string=page).write_pdf(pdf)


def evidence_recall(
    sources: Mapping[str, Source], texts: Mapping[str, str], questions: Sequence[Question]
) -> list[float]:
    """Return the mean share of the evidence's words in passages of its document, by budget."""
    index = index_of(sources.items())
    means = []
    for budget in BUDGETS:
        shares = []
        for question in questions:
            text = texts[question.document]
            evidence = Counter(w for span in question.references for w in words(span.of(text)))
            found = index.search(question.question, budget=budget, context=True)
            passages = (passage for passage in found if passage.document == question.document)
            read = Counter(word for passage in passages for word in words(passage.text))
            shares.append((evidence & read).total() / evidence.total())
        means.append(float(np.mean(shares)))
    return means


def main() -> None:
    """Measure the renderings of RAG-Multi-Corpus and its Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--renderings", type=Path, default=Path("renderings"), help="folder")
    parser.add_argument("--keep", type=Path, help="file of vectors, for another run")
    arguments = parser.parse_args()
    Bundled.keep(arguments.keep)
    corpus = load_multi_corpus(arguments.data / "multi_corpus")
    texts = {document.name: document.text for document in corpus.documents}
    paths = {name: arguments.renderings / Path(name).with_suffix(".pdf") for name in texts}
    for name, path in paths.items():
        render(texts[name], path)
    markdown = {name: Source(text, format="markdown") for name, text in texts.items()}
    start = time.perf_counter()
    files = {name: read_file(path, name=name) for name, path in paths.items()}
    seconds = time.perf_counter() - start
    print(f"{sum(len(file.pages) for file in files.values()):,} pages in {seconds:.1f} s")
    for kind, sources in (("Markdown", markdown), ("PDF", files)):
        recall = evidence_recall(sources, texts, corpus.questions)
        print(f"{kind:10}", *(f"{mean:.3f}" for mean in recall))


if __name__ == "__main__":
    main()
