"""Layout is undone: the text of a PDF has whole words, and U+FFFD for unknown characters.

The PDFs are made here, with fonts that name and map their glyphs as those of TeX and Word do.
"""

from collections.abc import Sequence

import pytest

from lumber_core import BertChunker
from lumber_files import read_bytes
from lumber_files.pdf.page_text import decode_glyphs
from lumber_files.pdf.text_repair import clean_pages
from tests.growth import check_linear
from tests.making_files import character_map, pdf_of, pdf_page, pdf_stream

DIVIDING = "Some examples were printed.\n"
"""Goes before a text with "exam-" and "ples": a file that is known to divide words."""


def pdf_with_font(font: str, pages: Sequence[str], targets: Sequence[str] = ()) -> bytes:
    """Return a PDF with pages of lines of codes; object 3 maps those from 1 on to text."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects: list[str | bytes] = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        character_map({f"{code:02x}": text for code, text in enumerate(targets, start=1)}),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Made {font} >>",
    ]
    for page in pages:
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R"
            f" >> >> /Contents {len(objects) + 2} 0 R >>"
        )
        objects.append(pdf_stream(f"BT /F1 12 Tf 14 TL 72 720 Td {page} ET"))
    return pdf_of(objects)


def pdf_of_text(pages: Sequence[str]) -> bytes:
    """Return a PDF whose font maps its codes to the characters of these pages."""
    characters = sorted({character for page in pages for character in page} - {"\n"})
    codes = {character: f"{code:02x}" for code, character in enumerate(characters, start=1)}
    pages_of_codes = [
        " T* ".join(f"<{''.join(map(codes.__getitem__, line))}> Tj" for line in page.split("\n"))
        for page in pages
    ]
    targets = [character.encode("utf-16-be", "surrogatepass").hex() for character in characters]
    return pdf_with_font("/ToUnicode 3 0 R", pages_of_codes, targets)


def read(content: bytes) -> str:
    return read_bytes(content, name="a", suffix=".pdf").text


def clean(text: str) -> str:
    return clean_pages([text])[0]


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("这本书的语言识\n别图像。", "这本书的语言识别图像。"),
        ("表 7.6 是计算機\n科学の語。", "表 7.6 是计算機科学の語。"),
        ("他看着大海说了\n“好的。”", "他看着大海说了“好的。”"),
        ("这里写着按照表\n7.6 中的数。", "这里写着按照表 7.6 中的数。"),
        ("使用API的时候要注\nAPI的版本是2020\n年的。", "使用API的时候要注API的版本是2020年的。"),
        ("使用 API 的 2 是 2020\n年的版本与方法。", "使用 API 的 2 是 2020 年的版本与方法。"),
        ("姓名：张三\n地址：北京市海淀区学院路", "姓名：张三\n地址：北京市海淀区学院路"),
    ],
)
def test_lines_of_chinese_and_japanese_are_joined_without_a_space(drawn: str, text: str) -> None:
    assert read(pdf_of_text([drawn])) == text


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        (["这本书的语言识别\n图像的方法和数据", "集合很大，而且在\n这里。"], "和数据\f集合很大"),
        (["แรกและสอง\nภาษาไทยเป็น", "ภาษาที่สวย\nงาม"], "เป็น\n\fภาษา"),
        (["这本书的语言识别\n图像的方法和数据。", "集合很大，而且在\n这里。"], "据。\n\n\f集合"),
        (["这本书的语言识别\n图像的方法数据。」", "集合很大，而且在\n这里。"], "。」\n\n\f集合"),
        (["这本书的语言识别图像以及更多的内容和\n方法", "集合很大。"], "方法\n\n\f集合"),  # short
    ],
)
def test_a_paragraph_without_case_continues_over_a_page_if_its_line_is_full(pages, text) -> None:
    assert text in read(pdf_of_text(pages))


@pytest.mark.parametrize("number", ["（{}）", "({})", "{}．", "{}、"])
def test_items_with_east_asian_numbers_stay_separate_lines(number: str) -> None:
    items = f"{number.format(1)}编制方案并汇报。\n{number.format(2)}申请专利。"
    assert read(pdf_of_text([items])) == items


def test_rows_that_are_one_ideograph_stay_separate() -> None:
    assert clean("| 车道数 | 六\n四 |\n高\n速") == "| 车道数 | 六\n四 |\n高\n速"


SPACED = "보험금을 지급하는 기준\n을 정하는 \n일은 어느 보험사가 향\n후 바이러스 \n여부를\nabc"


def test_a_word_of_hangul_continues_in_the_next_line_if_other_lines_end_with_spaces() -> None:
    text = " ".join(read(pdf_of_text([SPACED])).split())
    assert text == "보험금을 지급하는 기준을 정하는 일은 어느 보험사가 향후 바이러스 여부를 abc"
    without = " ".join(read(pdf_of_text([SPACED.replace(" \n", "\n")])).split())
    assert without == " ".join(SPACED.split())


def test_lines_of_thai_and_tibetan_are_joined_without_a_space_unless_one_is_drawn() -> None:
    thai = "\u0e17\u0e38\u0e01\u0e04\u0e19\u0e22\u0e48\u0e2d\u0e21"
    assert read(pdf_of_text([f"{thai}\n{thai} \n{thai}"])).split() == [thai + thai, thai]
    tibetan = "\u0f56\u0f7c\u0f51\u0f0b"
    assert read(pdf_of_text([f"{tibetan}\n{tibetan}"])) == tibetan + tibetan


def test_ligatures_become_their_letters_and_undecodable_glyphs_one_character() -> None:
    """TeX maps missing glyphs to U+FFFF; for glyphs without a character, PDFium gives the code."""
    page = "\ufb00 \ufb01 \ufb02 \ufb03 \ufb04 \ufb05 \ufb06 of\ufb01cial"
    assert read(pdf_of_text([page])) == clean(page) == "ff fi fl ffi ffl st st official"
    page = "\uffff42 \x0ece \x9f \ud800 \ufffd, and no more"
    assert read(pdf_of_text([page])) == "\ufffd42 \ufffdce \ufffd \ufffd \ufffd, and no more"


def test_a_notice_names_pages_whose_letters_are_undecodable() -> None:
    pages = ["The tide turns.", "\x0e\x0f\x10 \x11\x12", "\x0e " + "The tide turns. " * 9]
    file = read_bytes(pdf_of_text(pages), name="a", suffix=".pdf")
    notice = "1 of 3 pages with characters that cannot be decoded: 2 (OCR can read them)"
    assert file.notices == (notice,)


@pytest.mark.parametrize("code", ["000a", "000d"])
def test_a_glyph_whose_code_is_that_of_a_line_end_is_a_space(code: str) -> None:
    operators = "<0102030103> Tj T* <0301> Tj"
    assert (
        read(pdf_with_font("/ToUnicode 3 0 R", [operators], ["0041", code, "0042"])) == "A BAB BA"
    )


def test_invisible_characters_are_removed() -> None:
    assert clean("a\0b\u200bc\u2060d\ufeff 5\xa0kg\r\nx\u2011y\rx\ty") == ("abcd 5 kg\nx-y\nx\ty")
    shaped = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    assert clean(shaped) == shaped


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("An exam-\nple, then. The example", "An example, then. The example"),
        ("Well-\nknown. A well-known man", "Well-known. A well-known man"),
        ("COVID-\n19 rose. COVID-19 fell", "COVID-19 rose. COVID-19 fell"),
        ("an e-\nmail to all, as e-mails; e-mail", "an e-mail to all, as e-mails; e-mail"),
        ("# Exam-\nple\nThe example", "# Example\nThe example"),
        ("one of twelve exam- \nples; examples", "one of twelve examples; examples"),
        ("a re-\nsort; a resort, to re-sort, re-sort", "a re-sort; a resort, to re-sort, re-sort"),
        ("a well-estab-\nlished rule, established", "a well-established rule, established"),
    ],
    ids=["joined", "compound", "number", "short", "heading", "blank", "more often a compound",
         "half of a compound"],
)  # fmt: skip
def test_other_words_of_the_file_decide_how_a_word_is_joined(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
    assert read(pdf_of_text([text])).lstrip("\\").split() == cleaned.split()


def test_words_of_other_pages_count_and_a_page_end_divides() -> None:
    pages = ["An exam-\nple of an exam-", "ple: the example", "No exam-\nple"]
    assert clean_pages(pages) == ["An example of an exam-", "ple: the example", "No example"]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a perfor-\nmance of it", "a performance of it"),
        ("a user-\nselected one. A user selected it", "a user-selected one. A user selected it"),
        ("a low-\nfriendly one. A user-friendly one", "a low-friendly one. A user-friendly one"),
        ("a hard-\nware shop, solid ware", "a hard-ware shop, solid ware"),
        ("a state-of-the-\nart boat", "a state-of-the-art boat"),
    ],
    ids=["joined", "two words", "part of a compound", "one word", "a compound goes on"],
)  # fmt: skip
def test_halves_that_are_words_stay_hyphenated_if_the_whole_is_unknown(
    text: str, cleaned: str
) -> None:
    assert clean(f"exam-\nples {DIVIDING}{text}") == f"examples {DIVIDING}{cleaned}"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a well-\nliked man", "a well-liked man"),
        ("from 10-\n20 or +91-\n322", "from 10-20 or +91-322"),
        ("pre-\nand post-war; and pre-war", "pre- and post-war; and pre-war"),
        ("a V5-\nchip and SARS-\n19: V5chip", "a V5-chip and SARS-19: V5chip"),
        ("the LPS-\nprimed cell of Jean-\nPaul", "the LPS-primed cell of Jean-Paul"),
        ("two things -\none, two", "two things -\none, two"),
        ("https://a.org/two-\nways, https://a-\nb.c", "https://a.org/two-ways, https://a-b.c"),
        ("see my-\nsite.com or post-\nman@a.org", "see my-site.com or post-man@a.org"),
        ("x = a-\nb", "x = a-b"),
        ("it was--\nperhaps", "it was--\nperhaps"),
    ],
)
def test_the_hyphen_of_a_possible_compound_stays(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
    if "liked" not in text:
        assert clean(f"exam-\nples {DIVIDING}{text}") == f"examples {DIVIDING}{cleaned}"


def test_a_file_that_divides_no_word_keeps_the_hyphens_of_compounds() -> None:
    text = "well-\nknown and long-\nlived. They are well-known."
    assert clean(text) == "well-known and long-lived. They are well-known."


@pytest.mark.parametrize("sign", ["\xad", "\u2010", " \u2010"])
def test_soft_hyphens_at_line_ends_are_removed(sign: str) -> None:
    assert clean(f"inter{sign}\nnational law") == "international law"
    assert clean(f"inter{sign}\nnation{sign}\nal\nlaw") == "international\nlaw"
    assert clean(f"on{sign} page ends{sign}").replace(" -", "-") == "on- page ends-"
    assert clean(f"a well{sign}\nknown or well-known") == "a well-known or well-known"
    # PDFium does not tell a soft hyphen at a line end from a plain one.
    text = f"to be international. Inter{sign}\nnational law"
    assert read(pdf_of_text([text])).endswith("International law")


@pytest.mark.parametrize("sign", ["\xad", "\u2010"])
def test_compounds_keep_a_hyphen_that_a_font_maps_to_a_soft_one(sign: str) -> None:
    text = f"the long{sign}term plan, long{sign}\nlived"
    assert clean(text) == "the long-term plan, long-lived"


def test_chunks_are_slices_of_the_cleaned_text_and_pages_start_in_it() -> None:
    first = "The of\ufb01ce\nkeeps exam-\nples of each. Examples\xa0help.\n" * 3
    pages = [first, "\uffff42 are paid.", "Inter\xad\nnational of\ufb01ces are open."]
    file = read_bytes(pdf_of_text(pages), name="a", suffix=".pdf")
    starts = file.pages
    assert starts is not None
    assert [file.text[start : start + 5] for start in starts] == ["The o", "\ufffd42 a", "Inter"]
    assert all(file.text[start - 1] == "\f" for start in starts[1:])
    assert "keeps examples of each. Examples help." in file.text
    chunks = list(BertChunker(chunk_size=24).split(file))
    assert len(chunks) > 2
    assert "".join(chunk.text for chunk in chunks) == file.text
    assert all(file.text[slice(*chunk.span)] == chunk.text for chunk in chunks)


def font_encoding(*names: str, mapped: bool = False) -> str:
    """Return a font that names the glyphs from code 1 on, and has object 3 as a map."""
    differences = " ".join(f"/{name}" for name in names)
    font = f"/Encoding << /Type /Encoding /Differences [1 {differences}] >>"
    return f"{font} /ToUnicode 3 0 R" if mapped else font


@pytest.mark.parametrize(
    ("name", "text"), [("Euro", "€"), ("uni20B9", "₹"), ("uni20B9.tf", "₹"), ("a.sc", "a")]
)
def test_a_glyph_is_the_character_of_its_name(name: str, text: str) -> None:
    operators = ["<0141> Tj"]
    assert read(pdf_with_font(font_encoding(name), operators)) == f"{text}A"
    assert read(pdf_with_font(font_encoding(name, mapped=True), operators, [""])) == f"{text}A"


@pytest.mark.parametrize("name", ["g23", "rupees", ".notdef", "uniD800", "u110000", "f_g23"])
def test_a_glyph_without_a_character_stays_undecodable(name: str) -> None:
    font = font_encoding(name, mapped=True)
    assert read(pdf_with_font(font, ["<0141> Tj"], ["fffd"])) == "\ufffdA"


@pytest.mark.parametrize("given", ["(x)", "99 0 R", "[1 (x) 2.5 null [/a]]", "[-5 /a]", "4 0 R"])
def test_a_file_with_a_broken_encoding_is_read(given: str) -> None:
    font = f"/Encoding << /Differences {given} >> /ToUnicode 3 0 R"
    assert len(read(pdf_with_font(font, ["<0141> Tj"], ["fffd"]))) == 2


@pytest.mark.parametrize("hard", ["ex-\nam ", "a-", "-\n", "((a", "a \xad\n", "\xadb\n", "ab-\n"])
def test_repairing_text_takes_linear_time(hard: str) -> None:
    check_linear(clean_pages, lambda size: [hard * size, "the example"], 5_000)


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("[(G) -84 <01> 417 (odel)] TJ", "G\xf6del"),
        ("[(cafe) 389 <02> -55 ( bar)] TJ", "caf\xe9 bar"),
        ("[(Ro) 417 <02> -84 (za and fac) 389 <03> -56 (ade)] TJ", "R\xf3za and fa\xe7ade"),
        ("[(na) 28 <01> 305 <04> (ve)] TJ", "na\xefve"),
        ("[(l\\047) -139 <02> 472 (Ecole)] TJ", "l\u2019\xc9cole"),
        ("[(See ) -139] TJ 2.6 Ts <02> Tj 0 Ts [472 (Ecole d)] TJ", "See \xc9cole d"),
        ("[(5) 417 <01> -84 (x) 30 (a) <02> (s)] TJ", "5\xa8xa\xb4s"),
    ],
)
def test_an_accent_that_is_drawn_apart_is_on_its_letter(drawn: str, text: str) -> None:
    font = font_encoding("dieresis", "acute", "cedilla", "dotlessi")
    assert read(pdf_with_font(f"{font} /BaseFont /Times-Roman", [drawn])) == text


@pytest.mark.parametrize(
    ("words", "copies"), [("an officer of it", (0,)), ("of an officer of it", (0, 0.4))]
)
def test_doubled_letters_are_not_removed_as_letters_drawn_twice(
    words: str, copies: Sequence[float]
) -> None:
    widths = {"c": 444, "e": 444, "r": 389, "o": 500, "a": 500, "n": 500, " ": 250}
    left, drawn = 96.0, ["ET .75 0 0 .75 0 0 cm"]  # Chrome scales so
    for letter in words:
        places = [left + more for more in copies if letter != " "]
        drawn += [f"BT /F1 16 Tf {place:.2f} 900 Td ({letter}) Tj ET" for place in places]
        left += widths.get(letter, 278) * 0.016
    content = pdf_with_font("/BaseFont /Times-Italic", [" ".join([*drawn, "BT"])])
    assert read(content) == words


@pytest.mark.parametrize("matrix", ["1 0 0 1 72 700", "0 1 -1 0 72 400"])
def test_a_word_that_is_drawn_twice_letter_by_letter_is_read_once(matrix: str) -> None:
    widths = {"T": 611, "e": 556, "l": 222, "a": 556, "1": 556, " ": 278}
    left, drawn = 0.0, []
    for letter in "Tell all 111":
        drawn += [f"16 0 0 16 {left:.2f} {lift} Tm ({letter}) Tj" for lift in (0, 1.4)]
        left += widths[letter] * 0.016
    operators = f"ET q {matrix} cm BT /F1 1 Tf {' '.join(drawn)} ET Q BT"
    assert read(pdf_with_font("/BaseFont /Helvetica", [operators])) == "Tell all 111"


@pytest.mark.parametrize("matrix", ["1 0 0 1 72 700", "0 1 -1 0 72 400"])
def test_double_letters_are_not_removed_as_copies(matrix: str) -> None:
    operators = f"ET q {matrix} cm BT /F1 16 Tf (llllll 1111 oo) Tj ET Q BT"
    assert read(pdf_with_font("/BaseFont /Helvetica", [operators])) == "llllll 1111 oo"


def test_columns_of_vertical_japanese_are_read_from_the_right() -> None:
    columns = ["吾輩は猫である。名前は", "まだ無い。どこで生れた", "か見当がつかぬ。"]
    drawn = " ".join(
        f"1 0 0 1 {400 - 18 * number} 700 Tm <{column.encode('utf-16-be').hex()}> Tj"
        for number, column in enumerate(columns)
    )
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /Mincho /Encoding /UniJIS-UCS2-V /DescendantFonts"
        " [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Mincho /CIDSystemInfo"
        " << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>] >>"
    )
    assert read(pdf_page(f"BT /F1 12 Tf {drawn} ET", font=font)) == "".join(columns)


@pytest.mark.parametrize(("title", "is_heading"), [("目录", True), ("目", False)])
def test_two_letters_of_chinese_may_be_a_heading(title: str, is_heading: bool) -> None:
    codes = "0102"[: 2 * len(title)]
    operators = [f"/F1 20 Tf <{codes}> Tj 0 -40 Td /F1 12 Tf <{'0304' * 20}> Tj"]
    content = pdf_with_font("/ToUnicode 3 0 R", operators, [f"{ord(o):04x}" for o in "目录猫是"])
    assert read(content).startswith("# ") == is_heading


def test_glyphs_that_are_drawn_at_any_scale_make_words() -> None:
    """PDFium states the size of such a font as it is written, here a tenth of a point."""
    glyph = "100 0 0 0 80 80 d1 0 0 80 80 re f"
    glyphs = "/FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 80 80] /CharProcs << /a 6 0 R >>"
    codes = "/FirstChar 65 /LastChar 90 /Widths [" + "100 " * 26 + "]"
    names = f"/Encoding << /Type /Encoding /Differences [65 {'/a ' * 26}] >> /ToUnicode 7 0 R"
    targets = character_map({f"{code:02x}": f"{code:04x}" for code in range(65, 91)})
    operators = "BT /F1 0.1 Tf 72 700 Td (THE) Tj 45 0 Td (TIDE) Tj ET"
    font = f"<< /Type /Font /Subtype /Type3 /Resources <<>> {glyphs} {codes} {names} >>"
    assert read(pdf_page(operators, pdf_stream(glyph), targets, font=font)) == "THE TIDE"


def test_accents_of_bitmap_fonts_of_tex_are_known_by_their_codes() -> None:
    names = "/Encoding << /Type /Encoding /Differences [19 /b 99 /a /a /a /a] >>"
    glyphs = (
        "/FontMatrix [.01 0 0 .01 0 0] /FontBBox [0 0 80 80] /CharProcs << /a 6 0 R /b 7 0 R >>"
    )
    font = f"/FirstChar 19 /LastChar 102 /Widths [{'50 ' * 84}] {glyphs} {names}"
    letter, accent = (
        pdf_stream(f"50 0 {box} d1 0 0 40 80 re f") for box in ("0 0 40 45", "15 50 35 70")
    )
    operators = "BT /F1 12 Tf 72 700 Td [(cd) <13> 500 (efd)] TJ ET"
    font = f"<< /Type /Font /Subtype /Type3 /Resources <<>> {font} >>"
    assert read(pdf_page(operators, letter, accent, font=font)) == "cd\xe9fd"


def glyphs_of(text: str, first: int) -> str:
    """Return a line of glyphs, numbered from a first one for the space as in most fonts."""
    order = bytes([*range(32, 127), *range(128, 256)]).decode("mac_roman").replace("\xa0", "")
    return f"<{''.join(f'{first + order.index(letter):04x}' for letter in text)}> Tj"


@pytest.mark.parametrize("first", [3, 4])
@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox jumps over the lazy dog of 4 hours",
        "It is the dog\u2019s \u201clazy\u201d day \u2013 so be it \u2014 and no other one",
        "Il s\xe9journait \xe0 Br\xeame cet \xe9t\xe9",
    ],
)
def test_numbers_of_glyphs_without_characters_are_text(text: str, first: int) -> None:
    system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    below = f"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made {system} >>]"
    font = f"/Encoding /Identity-H /DescendantFonts {below}"
    content = pdf_with_font(font, [glyphs_of(text, first)]).replace(b"/Type1", b"/Type0")
    assert read_bytes(content, name="a", suffix=".pdf").text == text


def test_glyphs_in_an_unusual_order_are_not_decoded() -> None:
    moved = "".join(chr(ord(letter) - 33) for letter in "and~a~lazy~dog~that~had~a~bad~day")
    assert not decode_glyphs(moved.replace("]", "\x03"))
    assert not decode_glyphs("\x03\x04\x05" * 40)
