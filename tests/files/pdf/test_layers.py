"""Text in hidden layers of a PDF is left out, because readers do not see it."""

import pytest

from tests.files.pdf.test_pdf import file_of
from tests.making_files import pdf_page, pdf_stream

SHOWN = (
    "BT /F1 12 Tf 72 700 Td (Always) Tj ET /OC /L1 BDC BT /F1 12 Tf 72 650 Td (draft) Tj ET EMC "
    "/OC /L2 BDC BT /F1 12 Tf 72 600 Td (final) Tj /OC /L1 BDC ( inner) Tj EMC ET EMC /X1 Do"
)
FORM = "BT /F1 12 Tf 3 Tr 72 400 Td (scan) Tj ET"


@pytest.mark.parametrize(
    ("state", "member", "words"),
    [
        ("/OFF [6 0 R]", "6 0 R", "Always final"),
        ("/BaseState /OFF /ON [7 0 R]", "6 0 R", "Always final"),
        ("/OFF [6 0 R]", "9 0 R", "Always final"),  # a membership without a name
        ("/OFF [7 0 R]", "6 0 R", "Always draft scan"),
        ("", "6 0 R", "Always draft final inner scan"),
    ],
)
def test_texts_of_layers_that_are_off_are_left_out(state: str, member: str, words: str) -> None:
    form = "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /OC 6 0 R"
    content = pdf_page(
        SHOWN,
        *("<< /Type /OCG /Name (Draft) >>", "<< /Type /OCG /Name (Final) >>"),
        pdf_stream(FORM, f"{form} /Resources << /Font << /F1 5 0 R >> >>"),
        "<< /Type /OCMD /OCGs [6 0 R] >>",
        resources=f"/Properties << /L1 {member} /L2 7 0 R >> /XObject << /X1 8 0 R >>",
        catalog=f"/OCProperties << /OCGs [6 0 R 7 0 R] /D << {state} >> >>",
    )
    assert file_of(content).text.split() == words.split()
