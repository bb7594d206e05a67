import pytest

from lumber_core import GreedyChunker, LayoutChunker, Source
from lumber_core.text.titles import name_as_title, name_beside, own_title, title_after_rename
from tests.phrases import phrases


@pytest.mark.parametrize(
    "case",
    phrases(r"""
        BOEING_2022_10K.pdf -> BOEING 2022 10K | pdfs/3M_2018_10K.pdf -> 3M 2018 10K
        annualReport2023.docx -> annual Report 2023 | HTMLParser.md -> HTML Parser
        GitHub_setup.md -> GitHub setup | covid-19-guidelines.txt -> covid 19 guidelines
        v1.2-release-notes.md -> v1.2 release notes | minutes_2023-05-01.txt -> minutes 2023-05-01
        Pre-Owned Certified Cars.md -> Pre-Owned Certified Cars
        Meeting notes 1f3e4d5c6b7a8899aabbccddeeff0011.md -> Meeting notes
        отчет_2022.pdf -> отчет 2022 | 2022年报告.pdf -> 2022年报告 | C:\Users\ann\plan.docx -> plan
        https://example.com/blog/how-to-fish/?page=1#end -> how to fish
        https://de.wikipedia.org/wiki/J%C3%A4ger -> Jäger | otters -> otters
        https://example.com/ -> | otters/README.md -> otters | river-boats/index.html -> river boats
        boeing/2022.pdf -> boeing 2022 | boeing/10K.pdf -> boeing 10K
        2022/report.pdf -> 2022 report | war_and_peace/chapter3.txt -> war and peace chapter 3
        boeing/annual_report.pdf -> annual report
    """),
)
def test_a_name_and_the_folder_that_completes_it_are_read_as_words(case: str) -> None:
    path, title = map(str.strip, case.split("->"))
    assert name_as_title(path) == title


@pytest.mark.parametrize(
    "name",
    [
        *("", "1234.txt", "2022.pdf", "00012345678.pdf", "d001.txt", "ES2006a.txt", "10K.pdf"),
        *("d41d8cd98f00b204e9800998ecf8427e", "550e8400-e29b-41d4-a716-446655440000.pdf"),
        *("tmpab12cd", "tmp8x_k2q9z.txt", "index.html", "README", "untitled.txt"),
        *("Untitled-3.docx", "Document1", "New Document.docx", "scan0001.pdf", "IMG_1234.jpg"),
        *("data.csv", "export-2023.csv", "files/output.txt", "stdin"),
        *("tmp/report.pdf", "docs/index.md", "notes.txt", "./README.md", "boeing/scan1.pdf"),
        *("boeing/d41d8cd98f00b204e9800998ecf8427e", "boeing/tmpab12cd", "Scan_2023-05-12.pdf"),
    ],
)
def test_a_meaningless_name_is_not_a_title(name: str) -> None:
    assert name_as_title(name) == ""
    assert name_as_title(f"/data/{name}") == ""


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Form 10-K for Microsoft Corp filed 07/27/2023",) * 2,
        ("Introduction to Node.js",) * 2,
        ("  Otters\n of the north ", "Otters of the north"),
        ("1984", "1984"),
        ("Microsoft Word - Budget 2022.doc", "Budget 2022"),
        ("annual_report_final.docx", "annual report final"),
        ("Tide_Clock_Addendum_v202109", "Tide Clock Addendum v202109"),
        *(("Microsoft Word - Document1", ""), ("PowerPoint Presentation", ""), ("Untitled", "")),
        *(("0000004962-23-000006", ""), ("", "")),
    ],
)
def test_a_title_in_the_metadata_counts_unless_it_is_meaningless(given: str, title: str) -> None:
    assert own_title(given) == title


def contexts(text: str, **options: object) -> list[str]:
    chunks = GreedyChunker(10, chunk_size=20, tokenizer="words").split(Source(text, **options))
    return [chunk.context for chunk in chunks]


WORDS = "Otters live along rivers, where they hunt fish at dawn. " * 4
NAMED = {"name": "river_otters.md", "format": "markdown"}


def test_a_document_without_a_title_has_its_name_as_title():
    assert {*contexts(WORDS, name="river_otters.txt")} == {"river otters"}
    sections = contexts(f"{WORDS}\n\n## Food\n\n### Fish\n\n{WORDS}", **NAMED)
    assert (sections[0], sections[-1]) == ("river otters", "river otters > Food > Fish")
    several = contexts(f"# Food\n\n{WORDS}\n\n# Homes\n\n{WORDS}", **NAMED)
    assert several[-1] == "river otters > Homes"
    values = "name,price\n" + "Ann,12\n" * 40
    assert contexts(values, name="quay_prices.csv", format="csv")[-1] == ("quay prices\nname,price")


def test_documents_of_frameworks_have_file_names_as_titles_unless_the_title_is_none() -> None:
    for key in ("source", "file_path", "file_name"):
        options = {key: "a/river_otters.txt"}
        assert {*contexts(WORDS, metadata=options)} == {"river otters"}
        assert {*contexts(WORDS, metadata={**options, "title": None})} == {""}


def test_a_document_with_a_title_keeps_it():
    assert {*contexts(f"# Otters\n\n{WORDS}", **NAMED)} == {"", "Otters"}
    assert {*contexts(f"Otters\n======\n\n{WORDS}", **NAMED)} == {"", "Otters"}
    assert {*contexts(f"Otters\n======\n\n{WORDS}", name="river_otters.txt")} == {""}
    options = {"source": "river_otters.txt", "title": "Otters"}
    assert {*contexts(WORDS, metadata=options)} == {"Otters"}


@pytest.mark.parametrize(
    ("kind", "text", "title"),
    [
        ("markdown", '---\nid: 7\ntitle: "Otters: a guide"\n---\n\nWORDS', "Otters: a guide"),
        ("markdown", "+++\ntitle = 'Otters'\n+++\n\nWORDS", "Otters"),
        ("markdown", "---\ntitle: Front\n---\n\n# Otters\n\nWORDS", "Otters"),
        ("markdown", "---\ntitle: >-\n  Folded\n---\n\nWORDS", "river otters"),
        ("markdown", "---\ntitle: [Otters, Fish]\n---\n\nWORDS", "river otters"),
        ("markdown", "---\r\ntitle: '[Draft] Otters'\r\n---\r\n\r\nWORDS", "[Draft] Otters"),
        ("org", "#+Title: Otters\n\nWORDS\n\n* Food\n\nFish.\n\n* Homes\n\nWORDS", "Otters"),
        ("latex", "\\title[Short]{The\n  {\\O}tters}\n\nWORDS", "The {\\O}tters"),
        ("latex", "\\chapter{Otters}\n\n\\section{A}\n\nFish.\n\n\\section{B}\n\nWORDS", "Otters"),
        ("asciidoc", "=== Otters\n\n==== A\n\nFish.\n\n==== B\n\nWORDS", "Otters"),
        ("asciidoc", "=== A\n\nFish.\n\n=== B\n\nWORDS", "river otters"),
        ("rst", "Otters\n======\n\nA\n-\n\nFish.\n\nB\n---\n\nWORDS", "Otters"),
    ],
)
def test_a_title_in_the_text_comes_before_the_name_also_for_chunks_of_chunks(kind, text, title):
    source = Source(text.replace("WORDS", f"{WORDS}\n\n" * 2), name="river_otters", format=kind)
    parent = LayoutChunker(target_size=60).split(source)[-1]
    assert parent.context.split(" > ")[0] == title
    parts = LayoutChunker(target_size=20).split(
        Source(parent.text, format=kind, metadata={"headings": "", **parent.metadata(context=True)})
    )
    assert len(parts) > 1
    assert parts[-1].context == parent.context


def test_a_chunk_has_the_name_of_its_document_as_title_if_the_document_had():
    text = f"{WORDS}\n\n## Food\n\n### Fish\n\n{WORDS}"
    for source, expected in (
        (Source(text, **NAMED), "river otters > Food > Fish"),
        (Source(f"# river otters club\n\n{text}", **NAMED), "river otters club > Food > Fish"),
    ):
        parent = GreedyChunker(40, chunk_size=80, tokenizer="words").split(source)[-1]
        options = {"source": source.name, **parent.metadata(context=True)}
        assert contexts(parent.text, metadata=options)[-1] == expected


def test_a_single_top_level_heading_is_the_title():
    lowered = contexts(f"## Food\n\n{WORDS}\n\n### Fish\n\n{WORDS}", **NAMED)
    assert (lowered[0], lowered[-1]) == ("", "Food > Fish")


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("SECURITIES AND EXCHANGE COMMISSION", "acme_2022_10K.pdf", "acme 2022 10K"),
        ("Acme plc", "ACME_2023_10K.pdf", "ACME 2023 10K"),
        ("Acme report 2023", "acme_2023.pdf", ""),
        ("The Lake", "2023_10K.pdf", ""),
    ],
)
def test_a_name_adds_the_company_and_the_year_that_a_title_lacks(title, path, name):
    assert name_beside(title, path) == name


def test_a_title_that_is_the_name_of_a_file_changes_with_it():
    assert title_after_rename("acme 2022 10K", "acme_2022_10K.pdf", "lake_2021.pdf") == "lake 2021"
