"""The headings that a tagged PDF states are those of its text, whatever they look like."""

from collections.abc import Sequence

from tests.files.pdf.test_pdf import PROSE, file_of
from tests.making_files import pdf_page

Element = tuple[str, "Sequence[Element | str]"]
"""Its kind, and what is in it: elements, or operators that draw text."""


def read_tagged(*elements: Element, untagged: str = "") -> str:
    """Return the text of a page of elements, below what is drawn without a tag."""
    objects: list[str] = []
    owners: list[str] = []
    shown = [untagged]

    def add(kind: str, inside: Sequence[Element | str], parent: int) -> str:
        number = len(objects) + 8
        objects.append("")
        kids = []
        for own in inside:
            if isinstance(own, str):
                shown.append(f"/P << /MCID {len(owners)} >> BDC {own} EMC")
                kids.append(str(len(owners)))
                owners.append(f"{number} 0 R")
            else:
                kids.append(add(*own, number))
        place, pointers = f"/P {parent} 0 R /Pg 3 0 R", " ".join([*kids, *kids[-1:]])
        objects[number - 8] = f"<< /Type /StructElem /S /{kind} {place} /K [{pointers}] >>"
        return f"{number} 0 R"

    roots = " ".join(add(*element, 6) for element in elements)
    content = pdf_page(
        "\n".join(shown),
        f"<< /Type /StructTreeRoot /K [{roots}] /ParentTree 7 0 R >>",
        f"<< /Nums [0 [{' '.join(owners)}]] >>",
        *objects,
        entries="/StructParents 0",
        catalog="/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R",
    )
    return file_of(content).text


def line(base: float, text: str) -> str:
    return f"BT /F1 11 Tf 72 {base} Td ({text}) Tj ET"


def prose(base: float) -> Element:
    return "P", [line(base - 14 * n, text) for n, text in enumerate(PROSE)]


def test_headings_have_the_levels_that_the_file_states_in_any_type() -> None:
    boats: Element = ("H2", [line(690, "of boats")])
    nets: Element = ("Sect", [("H3", [("Span", [line(610, "Of nets and")]), line(596, "hooks")])])
    text = read_tagged(
        *(prose(740), boats, prose(670), nets, prose(570)), untagged=line(766, "Of the sea")
    )
    body = " ".join(PROSE)
    assert text.split("\n\n") == [
        *("Of the sea", body, "## of boats", body, "### Of nets and hooks", body)
    ]


LARGE = {690: "Of boats", 610: "Of nets"}


def test_headings_of_the_size_that_a_tag_states_have_its_level() -> None:
    large = [f"BT /F1 16 Tf 72 {base} Td ({text}) Tj ET" for base, text in LARGE.items()]
    text = read_tagged(
        prose(740), ("H3", large[:1]), prose(660), ("P", large[1:]), prose(580), prose(500)
    )
    assert "\n\n### Of boats\n\n" in text
    assert "\n\n### Of nets\n\n" in text


def test_text_that_is_tagged_as_a_heading_is_none_if_it_is_long() -> None:
    assert "#" not in read_tagged(("H1", [prose(740)]), prose(640))
