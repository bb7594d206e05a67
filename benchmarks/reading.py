"""What reading keeps: recall from files in other formats, beside the Markdown they were made of.

    python -m benchmarks.reading ../shared/data --renderings /tmp/renderings
    python -m benchmarks.reading ../shared/data --only financebench --keep vectors.db

The Markdown of RAG-Multi-Corpus is printed as PDFs (once; this needs weasyprint): justified and
hyphenated, in pages with running heads. They are read and searched, and the evidence of a question
counts by the share of its words in the passages. Of FinanceBench's annual reports it counts whether
a passage touches a page of the evidence, with a question asked of its report and of all.
"""

from __future__ import annotations

import argparse
from pathlib import Path

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


def render(markdown: Path, pdf: Path) -> None:
    """Print a Markdown file as a PDF, unless it is there."""
    if pdf.exists():
        return
    from markdown_it import MarkdownIt
    from weasyprint import HTML

    html = MarkdownIt("commonmark").enable("table").render(markdown.read_text("utf-8"))
    page = f'<html lang="en"><style>{CSS}</style><body>{html}</body></html>'
    pdf.parent.mkdir(parents=True, exist_ok=True)
    HTML(string=page).write_pdf(pdf)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--renderings", type=Path)
    given = parser.parse_args()
    for path in sorted((given.data / "multi_corpus").glob("*/*.md")):
        render(path, given.renderings / path.parent.name / (path.stem + ".pdf"))


if __name__ == "__main__":
    main()
