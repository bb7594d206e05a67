import json
from email.message import EmailMessage
from struct import pack

import pytest
from lxml import etree

from lumber_files import UnreadableFileError, read_bytes
from lumber_files.formats.binary_office import (
    list_left_out,
    number_cells,
    read_shapes,
    read_sheet_name,
    show_local_dates,
)
from lumber_files.formats.charts import read_chart, rewrite_chart
from lumber_files.formats.package import SPACES
from tests.making_files import (
    change_part,
    compound,
    docx,
    epub,
    grid,
    odf,
    old_slides,
    pdf,
    slides,
    unzip_parts,
    word,
    workbook,
    zip_parts,
)


def text_of(content: bytes, suffix: str) -> str:
    return read_bytes(content, name="a", suffix=suffix).text.removesuffix("\n")


def run(text: str, properties: str = "") -> str:
    formatting = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{formatting}<w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*runs: str, style: str = "", number: int = 0, level: int = 0) -> str:
    """Return a paragraph; plain text in it becomes a run."""
    numbering = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    properties = f'<w:pStyle w:val="{style}"/>' * bool(style) + numbering * bool(number)
    content = "".join(part if part.startswith("<") else run(part) for part in runs)
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def cell(*blocks: str, properties: str = "") -> str:
    content = "".join(part if part.startswith("<") else p(part) for part in blocks)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    content = "".join(part if part.startswith("<w:") else cell(part) for part in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{content}</w:tr>"


def table(*rows: str, look: str = 'w:val="04A0" w:firstRow="1"') -> str:
    return f"<w:tbl><w:tblPr><w:tblLook {look}/></w:tblPr>{''.join(rows)}</w:tbl>"


def control(content: str) -> str:
    return f"<w:sdt><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def level(number: int, kind: str, start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="%{number + 1}."/></w:lvl>'
    )


def ruby(base: str, reading: str) -> str:
    above = f"<w:rt>{run(reading)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase>"
    return f"<w:r><w:ruby>{above}</w:ruby></w:r>"


def picture(description: str) -> str:
    return (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        f'wordprocessingDrawing"><wp:docPr id="1" name="P" descr="{description}"/></wp:inline>'
        "</w:drawing></w:r>"
    )


def instruction(*texts: str, result: str = "", form: str = "") -> str:
    """Return a field by its instruction, with a result if it is stored."""
    begin, middle, end = (
        f'<w:r><w:fldChar w:fldCharType="{kind}">{form * (kind == "begin")}</w:fldChar></w:r>'
        for kind in ("begin", "separate", "end")
    )
    runs = "".join(f"<w:r><w:instrText>{text}</w:instrText></w:r>" for text in texts)
    return begin + runs + middle + run(result) * bool(result) + end


def links(*targets: str) -> str:
    """Return the parts that a part refers to, as r0, r1 and so on."""
    relationships = (
        f'<Relationship Id="r{n}" Type="x" Target="{t}"/>' for n, t in enumerate(targets)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(relationships)}</Relationships>'


def field(form: str) -> str:
    begin = f'<w:fldChar w:fldCharType="begin"><w:ffData>{form}</w:ffData></w:fldChar>'
    return f'<w:r>{begin}</w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'


# Lists 1: numbers, 2: bullets, 3: numbers from 5 on.
NUMBERING = "".join(
    f'<w:abstractNum w:abstractNumId="{n}">{level(0, kind, start)}{level(1, kind)}</w:abstractNum>'
    for n, (kind, start) in enumerate([("decimal", 1), ("bullet", 1), ("decimal", 5)])
) + "".join(f'<w:num w:numId="{n + 1}"><w:abstractNumId w:val="{n}"/></w:num>' for n in range(3))
STYLES = """<w:style w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:styleId="Raised"><w:basedOn w:val="Up"/></w:style><w:style w:styleId="Up"><w:rPr>
<w:vertAlign w:val="superscript"/></w:rPr></w:style><w:style w:styleId="Greek"><w:rPr>
<w:rFonts w:ascii="Symbol"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/>
</w:style><w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/>
<w:basedOn w:val="berschrift2"/>
</w:style><w:style w:type="paragraph" w:styleId="Part"><w:name w:val="heading 1"/><w:pPr><w:numPr>
<w:numId w:val="1"/></w:numPr></w:pPr></w:style>"""
VML, HIDDEN = 'xmlns:v="urn:schemas-microsoft-com:vml"', "<w:vanish/>"
UP, DOWN = (f'<w:vertAlign w:val="{kind}script"/>' for kind in ("super", "sub"))
EQUATION = "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>"
FORMULA = f'<m:oMathPara xmlns:m="{SPACES["m"]}">{EQUATION}</m:oMathPara>'
BOXED = f"<w:txbxContent>{p('Boxed.')}</w:txbxContent>"


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        # Tables: header rows, merged cells, lists in cells.
        (table(row("Boat", "2024"), row("Gull", "10")), grid("Boat|2024", "Gull|10")),
        (table(row("A", "B"), row("Gull", "10"), look='w:val="0020"'), grid("A|B", "Gull|10")),
        (
            table(row("Name", "Ann"), row("Age", "7"), look='w:val="0480" w:firstRow="0"'),
            grid("|", "Name|Ann", "Age|7"),
        ),
        (
            table(
                row(cell(p(run("Name", "<w:b/>"))), cell(p(run("Age", "<w:b/>")))),
                row("Ann", "7"),
                look='w:val="0000"',
            ),
            grid("**Name**|**Age**", "Ann|7"),
        ),
        (
            table(
                row("Region", "Item", "Units"),
                row(cell("North", properties='<w:vMerge w:val="restart"/>'), "Rope", "12"),
                row(cell("", properties="<w:vMerge/>"), "Hub", "7"),
            ),
            grid("Region|Item|Units", "North|Rope|12", "North|Hub|7"),
        ),
        (
            table(row(cell("A", properties='<w:gridSpan w:val="2"/>'), "C"), row("1", "2", "3")),
            grid("A|A|C", "1|2|3"),
        ),
        (
            table(row("Boat", "Parts"), row("Gull", cell(p("mast", number=2), "a|b"))),
            "| Boat | Parts |\n| --- | --- |\n| Gull | • mast a\\|b |",
        ),
        (
            table(
                row("A", control(cell("B"))),
                row("1", control(cell("2"))),
                row("x", "y", properties="<w:del/>"),
            ),
            grid("A|B", "1|2"),
        ),
        (table(row("Note"), row("Mind the tide.")), "Note\n\nMind the tide."),
        (table(row("", cell(p("Skills"), "Rowing"))), "Skills\n\nRowing"),
        (table(row(cell("Sum", FORMULA))), "Sum\n\n$$\nx=1\n$$"),
        # Lists.
        (p("a", number=1) + p("b", number=1, level=1) + p("c", number=1), "1. a\n   1. b\n2. c"),
        (p("a", number=1) + p("x") + p("b", number=1), "1. a\n\nx\n\n2. b"),
        (p("a", number=3) + p("b", number=3), "5. a\n6. b"),
        (p("a", number=2) + p("b", number=3), "- a\n\n5. b"),
        # Headings.
        (p("A", style="berschrift2") + p("B", style="Own"), "## A\n\n## B"),
        (p("Aim", style="Part") + p("Law", style="Part"), "# 1. Aim\n\n# 2. Law"),
        # Raised and lowered text beside numbers.
        (p("10", run("6", UP), " m", run("2", UP), ", 98.", run("3", UP)), "10^6 m^2, 98.^3"),
        (p("H", run("2", DOWN), "O, log", run("2", DOWN), "8"), "H2O, log2 8"),
        (p("1", run("st", UP), " 1", "9", "98, 2", run("n", UP)), "1st 1998, 2^n"),
        # Text that would be markup is escaped.
        *((p(said), f"\\{said}") for said in ("# of boats: 12", "- a", "+ a", "---")),
        (p("1. May"), "1\\. May"),
        (p("See [3] and `x`."), "See [3] and \\`x`."),
        # Notes and comments, and other text beside the body.
        (
            p(
                "Old",
                "<w:del><w:r><w:delText>er</w:delText></w:r></w:del>",
                f"<w:ins>{run('est')}</w:ins>",
            ),
            "Oldest",
        ),
        (
            p(f"<w:moveFrom>{run('Moved')}</w:moveFrom>")
            + p("Stays")
            + p(f"<w:moveTo>{run('Moved')}</w:moveTo>"),
            "Stays\n\nMoved",
        ),
        (p("See", run(" not", "<w:vanish/>"), run(".", '<w:vanish w:val="0"/>')), "See."),
        (p("a", "<w:r><w:tab/></w:r>", "b", "<w:r><w:br/></w:r>", "c"), "a b  \nc"),
        (p("re", "<w:r><w:noBreakHyphen/></w:r>", "elect"), "re\u2011elect"),
        (control(p(control(run("In")), " a form.")), "In a form."),
        (
            p(
                '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>'
                f"{BOXED}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{BOXED}"
                "</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
            ),
            "Boxed.",
        ),
        # Ruby, drawings and text boxes.
        (p("The ", ruby("湖", "みずうみ"), "."), "The 湖(みずうみ)."),
        (p("a ", instruction("EQ \\f(x", "+1,2)"), " b"), "a \\\\f(x+1,2) b"),
        (p(instruction("eq \\* jc2 \\o\\ad(\\s\\up 9(みず),水)")), "水(みず)"),
        (p(instruction("EQ \\o\\ac(○,印)"), "."), "印."),
        (p("To: ", instruction("MACROBUTTON Go (Your name)")), "To: (Your name)"),
        (p(instruction("PAGE", result="7")), "7"),
        (p(instruction('SYMBOL 252 \\f "Wingdings" \\s 9')), "✓"),
        (
            p(
                instruction(
                    "FORMDROPDOWN",
                    form='<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="No"/>'
                    '<w:listEntry w:val="Yes"/></w:ddList></w:ffData>',
                )
            ),
            "Yes",
        ),
        (p('<w:r><w:sym w:font="Symbol" w:char="F06D"/></w:r>', "m"), "μm"),
        (p(run("", '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>')), "✓"),
        (p(run("R", '<w:rFonts w:ascii="Wingdings 2"/>'), " yes"), "☑ yes"),
        (p(run("ü", '<w:rFonts w:ascii="Arial"/>')), "ü"),
        (p("Press ", picture("A blue arrow"), "now."), "Press now.\n\nA blue arrow"),
        (p("a", picture("C:\\Users\\ann\\b.jpg"), "b"), "ab"),
        (p("a", picture("scan 1/image.png"), "b"), "ab"),
        (p(picture("A duck &#10; Description automatically generated")), "A duck"),
        (p(picture("b.png").replace("/>", ' title="Red &#10; KI-generiert"/>', 1)), "Red"),
        (p(f'<w:r><w:pict><v:textpath {VML} string="NO"/></w:pict></w:r>', "a"), "a\n\nNO"),
        # Formatting by styles, form fields, and deleted or hidden text.
        (p("10", run("6", '<w:rStyle w:val="Raised"/>'), run("x", f"{UP}{HIDDEN}")), "10^6"),
        (p("10", run("6", '<w:position w:val="8"/>')), "10^6"),
        (p("x", style="Hidden") + p(run("a", '<w:rStyle w:val="Greek"/>')), "α"),
        (
            p(
                field('<w:checkBox><w:default w:val="1"/></w:checkBox>'),
                field('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>'),
            ),
            "☑☐",
        ),
        (
            table(row("a", "b"), row("1", "2", properties='<w:hidden w:val="0"/>')),
            grid("a|b", "1|2"),
        ),
        (
            p("One ").replace("<w:pPr>", "<w:pPr><w:rPr><w:del/></w:rPr>") + p("day, ", number=1),
            "1. One day,",
        ),
        (p("O").replace("<w:pPr>", '<w:pPr><w:framePr w:dropCap="drop"/>') + p("nce."), "Once."),
        (
            table(
                row("No", "Boat", cell("x", properties="<w:cellDel/>")),
                row(cell(p(number=1)), "Gull"),
                row(cell(p(run("x", "<w:vanish/>"))), properties="<w:hidden/>"),
                row(cell(p(number=1)), "Tern", properties="<w:hidden/>"),
                row(cell(p(run("z", "<w:vanish w:val='0'/>"))), properties="<w:hidden/>"),
            ),
            grid("No|Boat", "1.|Gull", "2.|Tern", "z|"),
        ),
        (
            table(
                "<w:customXml>", row("Boat", "<w:customXml>" + cell("Day") + "</w:customXml>")
            ).replace("</w:tbl>", f"</w:customXml>{row('Gull', '10')}</w:tbl>"),
            grid("Boat|Day", "Gull|10"),
        ),
        (table(row("a", cell(p("b", picture("Owner")))), row("1", "2")), grid("a|b Owner", "1|2")),
        (p("Mill", "<w:r><w:object/></w:r>", "gate"), "Mill gate"),
        (
            p("Plan:", f'<w:r xmlns:a="{SPACES["a"]}"><a:p><a:r><a:t>Quay</a:t></a:r></a:p></w:r>'),
            "Plan:\n\nQuay",
        ),
    ],
)
def test_word_documents_become_markdown(body: str, markdown: str) -> None:
    assert text_of(word(body, styles=STYLES, numbering=NUMBERING), ".docx") == markdown


def test_notes_of_a_word_document_are_kept_and_comments_are_not() -> None:
    content = word(
        p("Tides", '<w:r><w:footnoteReference w:id="2"/></w:r>', " in 1998")
        + p('<w:r><w:commentReference w:id="1"/></w:r>', "End."),
        footnotes=f'<w:footnote w:id="2">{p("Of the moon.")}</w:footnote>',
        comments=f'<w:comment w:id="1">{p("Really?")}</w:comment>',
    )
    assert text_of(content, ".docx") == "Tides[^1] in 1998\n\nEnd.\n\n[^1]: Of the moon."


STYLED = "".join(
    f'<w:style w:type="paragraph" w:styleId="h{n}"><w:name w:val="heading {n}"/>{based}'
    f"<w:pPr>{numbers}</w:pPr></w:style>"
    for n, based, numbers in (
        (1, "", '<w:numPr><w:numId w:val="1"/></w:numPr>'),
        (2, "", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
        (3, '<w:basedOn w:val="h2"/>', '<w:numPr><w:ilvl w:val="2"/></w:numPr>'),
        (4, '<w:basedOn w:val="h3"/>', '<w:numPr><w:numId w:val="0"/></w:numPr>'),
        (5, '<w:basedOn w:val="h2"/>', ""),
    )
)
OUTLINE = (
    '<w:abstractNum w:abstractNumId="1">'
    + "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{style}'
        f'<w:lvlText w:val="{shown}"/></w:lvl>'
        for n, (kind, style, shown) in enumerate(
            (
                ("upperRoman", '<w:pStyle w:val="h1"/>', "Part %1:"),
                ("decimal", "", "%1.%2"),
                ("lowerLetter", "", "(%3)"),
                ("decimal", '<w:pStyle w:val="h5"/>', "%1.%2.%4"),
            )
        )
    )
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)


def test_headings_have_the_numbers_of_their_styles() -> None:
    styles = ("h1", "h2", "h3", "h3", "h4", "h2", "h5", "h1", "h2")
    body = "".join(p(f"T{n}", style=style) for n, style in enumerate(styles))
    text = text_of(word(body, styles=STYLED, numbering=OUTLINE), ".docx")
    assert [line.lstrip("# ") for line in text.split("\n\n")] == [
        *("Part I: T0", "I.1 T1", "(a) T2", "(b) T3", "T4", "I.2 T5", "I.2.1 T6", "Part II: T7"),
        "II.1 T8",
    ]


@pytest.mark.parametrize(("starts", "second"), [("", ("II", "III")), ("7", ("VII", "VIII"))])
def test_lists_of_one_definition_are_counted_together_up_to_a_new_start(starts, second) -> None:
    anew = f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{starts}"/></w:lvlOverride>'
    second_list = f'<w:num w:numId="2"><w:abstractNumId w:val="1"/>{anew * bool(starts)}</w:num>'
    body = p("A", style="h1") + p("B", style="h1", number=2) + p("C", style="h2")
    content = word(body + p("D", style="h1"), styles=STYLED, numbering=OUTLINE + second_list)
    lines = [line.lstrip("# ") for line in text_of(content, ".docx").split("\n\n")]
    assert lines == [
        "Part I: A",
        f"Part {second[0]}: B",
        f"{second[0]}.1 C",
        f"Part {second[1]}: D",
    ]


TIDES = "The tide turns at noon, and the boats go out."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["**Tides of Arden**", "", "**Of boats:**", "", ""], ["# Tides of Arden", "## Of boats:"]),
        (["**Part 1: Boats**", "", "**Part 2**", ""], ["## Part 1: Boats", "## Part 2"]),
        (["", "**Boats**", "", "**Nets**", ""], ["## Boats", "## Nets"]),
        (["# Tides", "", "**Boats**", "", "**Nets**", ""], ["# Tides", "## Boats", "## Nets"]),
        (["# Tides", "", "# Low", "", "**Boats**", "", "**Nets**", ""], ["**Boats**", "**Nets**"]),
        (["", "**Mind the tide**", ""], ["**Mind the tide**"]),
        (["**Boats**", "**Nets**", ""], ["**Boats**", "**Nets**"]),
        (["", f"**{TIDES}**", "", "**Boats**", ""], [f"**{TIDES}**", "**Boats**"]),
    ],
    ids=[*("title", "parts", "no title", "below a title", "headings", "one", "bold text", "prose")],
)
def test_bold_paragraphs_are_headings_of_a_document_without_others(texts, expected) -> None:
    def part(text: str) -> str:
        bold = "<w:b/>" if text.startswith("**") else ""
        return p(run(text.strip("*# ") or TIDES, bold), style="h1" * text.startswith("#"))

    lines = text_of(word("".join(map(part, texts)), styles=STYLED), ".docx").split("\n\n")
    assert [line for line in lines if line[0] in "#*"][-len(expected) :] == expected


@pytest.mark.parametrize(
    ("form", "tenth"),
    [
        *(("chineseCounting", "十"), ("taiwaneseCountingThousand", "十"), ("koreanCounting", "십")),
        *(("japaneseCounting", "十"), ("ideographDigital", "一〇"), ("japaneseLegal", "壱拾")),
        *(("chineseLegalSimplified", "壹拾"), ("ideographTraditional", "癸"), ("ganada", "차")),
        *(("decimalZero", "10"), ("ordinal", "10th"), ("decimalEnclosedCircle", "⑩")),
        *(("russianLower", "к"), ("hebrew2", "י"), ("aiueoFullWidth", "コ"), ("upperLetter", "J")),
        *(("iroha", "ヌ"), ("russianUpper", "К"), ("chicago", "†††")),
        *(("cardinalText", "Ten"), ("ordinalText", "Tenth")),
    ],
)
def test_headings_and_items_have_numbers_in_their_formats(form: str, tenth: str) -> None:
    numbering = OUTLINE.replace("upperRoman", form).replace("Part %1:", "第%1章")
    body = p("T", style="h1") * 10 + p("i", number=1, level=1)
    text = text_of(word(body, styles=STYLED, numbering=numbering), ".docx")
    assert text.endswith(f"# 第{tenth}章 T\n\n- {tenth}.1 i")


def test_legal_numbers_are_digits_of_which_there_may_be_two() -> None:
    legal = '<w:numFmt w:val="decimalZero"/><w:isLgl/>'
    numbering = OUTLINE.replace('<w:numFmt w:val="decimal"/>', legal)
    body = p("T", style="h1") + p("U", style="h2")
    text = text_of(word(body, styles=STYLED, numbering=numbering), ".docx")
    assert text == "# Part I: T\n\n## 1.01 U"


@pytest.mark.parametrize(
    ("form", "expected", "end"),
    [
        ("lowerLetter", "Part %1:", "# Part z: T\n\n# Part aa: T\n\n# Part bb: T"),
        ("none", "%1", "# T\n\n# T\n\n# T"),  # as in LibreOffice
    ],
)
def test_numbers_as_letters_repeat_after_the_last_letter_and_may_be_hidden(form, expected, end):
    numbering = OUTLINE.replace("upperRoman", form).replace("Part %1:", expected)
    body = p("T", style="h1") * 28
    assert text_of(word(body, styles=STYLED, numbering=numbering), ".docx").endswith(end)


def test_content_inside_an_item_is_below_its_text() -> None:
    levels = (("i", 0), ("a", 2), ("x", 3), ("b", 2), ("ii", 0))
    body = "".join(p(text, number=1, level=level) for text, level in levels)
    assert text_of(word(body, numbering=OUTLINE), ".docx") == (
        "- Part I: i\n  - (a) a\n    - I.1.1 x\n  - (b) b\n- Part II: ii"
    )


def test_texts_without_numbers_and_formats_by_example_are_shown_before_items() -> None:
    custom = (
        f'<mc:AlternateContent xmlns:mc="{SPACES["mc"]}"><mc:Choice><w:numFmt w:val="custom" '
        'w:format="001, 002, 003, ..."/></mc:Choice></mc:AlternateContent>'
    )
    numbering = NUMBERING.replace('<w:numFmt w:val="decimal"/>', custom, 1)
    numbering = numbering.replace(
        '<w:numFmt w:val="bullet"/><w:lvlText w:val="%1."/>',
        '<w:numFmt w:val="none"/><w:lvlText w:val="Note:"/>',
    )
    items = p("a", number=1) + p("b", number=2)
    assert text_of(word(items, numbering=numbering), ".docx") == "- 001. a\n- Note: b"
    ticks = NUMBERING.replace("%1.", "☒")
    assert text_of(word(p("done", number=2), numbering=ticks), ".docx") == "- ☒ done"


def test_an_error_names_a_file_without_text() -> None:
    for content, suffix in (
        (slides("<p:pic/>"), ".pptx"),
        (slides(shape("Foot", '<p:ph type="ftr"/>')), ".pptx"),
        (slides(), ".pptx"),
        (epub(""), ".epub"),
        (change_part(epub(""), "book.opf", "0.xhtml", "page.jpg"), ".epub"),
        (odf("presentation", f"<draw:page {NAMES}/>"), ".odp"),
    ):
        with pytest.raises(UnreadableFileError, match=r"^a: it has no text$"):
            text_of(content, suffix)


@pytest.mark.parametrize("boxes", [0, 9])
def test_text_boxes_of_old_documents_are_left_out_with_a_notice(boxes: int) -> None:
    start = bytearray(900)  # [MS-DOC], 2.5: the sizes of its parts, and where the text is
    for place, number in ((0, 0xC1A5EC), (32, 14), (62, 22), (76, 7), (100, boxes), (152, 0x5D)):
        start[place : place + 4] = pack("<I", number)
    pieces = pack("<BIIIHIH", 2, 16, 0, 7, 0, 0x40000000 | 2048, 0)
    start[418:426] = pack("<II", 0, len(pieces))
    stream = bytes(start).ljust(1024, b"\0") + b"Tides.\r"
    content = compound({"0Table": pieces, "WordDocument": stream})
    file = read_bytes(content, name="a", suffix=".doc")
    assert (file.text, file.notices) == ("Tides.\n", ("text boxes left out",)[:boxes])


def test_a_part_of_another_format_is_read_or_a_notice_names_it() -> None:
    reference = f'<w:altChunk xmlns:r="{SPACES["r"]}" r:id="r{{}}"/>'
    merged = word(
        p("Before.")
        + "".join(map(reference.format, (0, 1, 2, 3, 9)))
        + table(row("Key", cell(reference.format(4), "<w:p/>")), row("a", "b"))
    )
    parts = unzip_parts(merged) | {
        "word/_rels/document.xml.rels": links("a.htm", "b.docx", "c.rtf", "d.htm", "e.htm"),
        "word/a.htm": b"<h2>Terms</h2>",
        "word/b.docx": word(p("Inside.")),
        "word/c.rtf": "no",
        "word/e.htm": b"<table><tr><td>x|y<td>1<tr><td>z<td>2</table><p>Sum</p>",
    }
    file = read_bytes(zip_parts(parts), name="a", suffix=".docx")
    text, cells = file.text.split("| Key |")
    assert text.split() == ["Before.", "##", "Terms", "Inside."]
    assert cells == " x\\|y 1 z 2 Sum |\n| --- | --- |\n| a | b |\n"
    unread = ("c.rtf", "d.htm", "without a target")
    assert file.notices == tuple(f"the part {name} is not read" for name in unread)
    head = read_bytes(word(p("Body."), header1=reference.format(0)), name="a", suffix=".docx")
    assert (head.text, head.notices) == ("Body.\n", ("parts that page headers include left out",))


def test_page_headers_and_footers_are_read_once_at_the_end() -> None:
    boxed = (
        f'<w:r><mc:AlternateContent xmlns:mc="{SPACES["mc"]}"><mc:Choice>{BOXED}</mc:Choice>'
        f"<mc:Fallback>{BOXED}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    number = instruction("PAGE", result="3")
    heads = {
        "header1": p("Tide Mill", "<w:r><w:ptab/></w:r>", "No. 7", style="Part") + p("Body."),
        "header2": p("Page ", number, " of 9") + p("Quay", boxed, ".") + p("- iv -"),
        "footer1": table(row("Tide Mill No. 7", "VAT 12"))
        + p('<w:r><w:sym w:font="Wingdings" w:char="F028"/></w:r>', run("x", "<w:vanish/>"), " us"),
    }
    content = word(p("Body."), styles=STYLES, **heads)
    assert (
        text_of(content, ".docx") == "Body.\n\nTide Mill No. 7\n\nQuay Boxed. .\n\nVAT 12\n\n☎ us"
    )
    styles = (
        f'<s:header xmlns:s="{SPACES["style"]}" xmlns:text="{SPACES["text"]}"><text:p>Tide<text:s/>'
        f'<o:annotation xmlns:o="{SPACES["office"]}"><text:p>x</text:p></o:annotation>'
        "<text:span>Mill</text:span></text:p><text:p>Page <text:page-number>2</text:page-number>"
        "</text:p></s:header>"
    )
    package = unzip_parts(odf("text", "<text:p>Body.</text:p>")) | {"styles.xml": styles}
    assert text_of(zip_parts(package), ".odt") == "Body.\n\nTide Mill"
    page = r"{\field{\*\fldinst PAGE}{\fldrslt 3}}"
    head = rf"{{\header Tide {{\b Mill}}\par Page {page}\par}}{{\footerl VAT}}{{\headerr VAT}}"
    rich = rf"{{\rtf1 {head}Body.{{\footnote A note.}}}}".encode()
    assert text_of(rich, ".rtf") == "Body.[^1]\n\n[^1]: A note.\n\nTide **Mill**\n\nVAT"
    feet = "".join(shape(f"Mill{k}", f'<p:ph type="{k}"/>') for k in ("ftr", "dt", "sldNum"))
    feet += shape("9/21/21", '<p:ph type="dt"/>') + shape("2of 3", '<p:ph type="ftr"/>')
    feet += shape("Unseen", '<p:ph type="ftr"/>').replace('name=""', 'name="" hidden="1"')
    text = text_of(slides(shape("Body.") + feet, feet), ".pptx")
    assert text == "## Slide 1\n\nBody.\n\n## Slide 2\n\nMillftr\n\nMilldt\n\n9/21/21"


@pytest.mark.parametrize(
    ("heads", "has_words"),
    [
        ("\3\r\r\4\r\r\r", False),
        ("Page \x13 PAGE \x147\x15 of \x13NUMPAGES\x15\r", False),
        ("Mill, page \x13 PAGE \x147\x15\r", True),
        ("\x13 TITLE \x14Tides\x15\r", True),
        ("\rМельница\r", True),
    ],
)
def test_words_in_headers_and_footers_of_old_documents_are_named_in_a_notice(
    heads, has_words
) -> None:
    for encoding in ("cp1252", "utf-16-le")["М" in heads :]:
        text, header_bytes = "Body.\r".encode(encoding), heads.encode(encoding)
        sizes = pack("<II44x8I", 512, 512 + len(text + header_bytes), 6, 0, len(heads), *[0] * 5)
        start = (b"\xec\xa5\xc1".ljust(24, b"\0") + sizes).ljust(512, b"\0")
        notices = list_left_out(bytes(512) + start + text + header_bytes, "doc")
        assert notices == ["page headers and footers left out"] * has_words


def test_symbols_without_a_character_are_named_in_a_notice() -> None:
    content = word(p('<w:r><w:sym w:font="Webdings" w:char="F055"/></w:r>', "a"))
    page = b"<p><font face=Webdings>U</font> a"
    for document, suffix in (
        (content, ".docx"),
        (rb"{\rtf1 \u61692\'3f a}", ".rtf"),
        (page, ".html"),
    ):
        file = read_bytes(document, name="a", suffix=suffix)
        assert file.notices == ("U+FFFD replaces 1 symbol without a character",)
        assert "\ufffd" in file.text


def shape(text: str, holds: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name=""/><p:cNvSpPr/><p:nvPr>{holds}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:p><a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_links_around_spaces_become_spaces() -> None:
    link = links("http://tide.example").replace('Type="x"', 'Type="x" TargetMode="External"')
    target = f'xmlns:r="{SPACES["r"]}" r:id="r0"'
    body = p("Mill", f"<w:hyperlink {target}>{run(' ')}</w:hyperlink>", "gate")
    parts = unzip_parts(word(body)) | {"word/_rels/document.xml.rels": link}
    assert text_of(zip_parts(parts), ".docx") == "Mill gate"
    linked = f"</a:t></a:r><a:r><a:rPr><a:hlinkClick {target}/></a:rPr><a:t> </a:t></a:r><a:r><a:t>"
    parts = unzip_parts(slides(shape(f"Mill{linked}gate")))
    parts["ppt/slides/_rels/slide1.xml.rels"] = link
    assert text_of(zip_parts(parts), ".pptx") == "## Slide 1\n\nMill gate"


def test_a_slide_is_a_section_under_its_title_or_number() -> None:
    content = slides(
        shape("They turn.") + shape("Tides", '<p:ph type="ctrTitle"/>'),
        shape("No title.") + shape('10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6'),
    )
    assert text_of(content, ".pptx") == "## Tides\n\nThey turn.\n\n## Slide 2\n\nNo title.\n\n10^6"
    old = old_slides(["Tides", "They turn."], ["Boats", "They sail."])
    assert text_of(old, ".ppt") == "## Tides\n\nThey turn.\n\n## Boats\n\nThey sail."


def test_a_slide_has_alternative_texts_of_pictures_and_no_hidden_shapes() -> None:
    given = "id='3' name='' descr='a.png' title='A duck'"
    drawn = f"<p:pic><p:nvPicPr><p:cNvPr {given}/></p:nvPicPr></p:pic>"
    mixed = shape("\uf0e0 Go").replace("<a:rPr/>", '<a:rPr><a:sym typeface="Wingdings"/></a:rPr>')
    assert text_of(slides(mixed), ".pptx") == "## Slide 1\n\n→ Go"
    hidden = shape("Unseen.").replace('name=""', 'name="" hidden="1"')
    assert text_of(slides(drawn + hidden), ".pptx") == "## Slide 1\n\nA duck"


def test_slides_are_numbered_as_they_come_and_hidden_ones_are_marked() -> None:
    plain = slides(shape("One."), shape("Two."), shape("Three."))
    order = [f'r:id="{slide}"' for slide in ("s1", "s9", "s3", "s1", "s9", "s3")]
    moved = change_part(plain, "ppt/presentation.xml", *order)
    hidden = change_part(moved, "ppt/slides/slide2.xml", "<p:sld ", '<p:sld show="0" ')
    assert text_of(hidden, ".pptx") == (
        "## Slide 1\n\nThree.\n\n## Slide 2 (hidden slide)\n\nTwo.\n\n## Slide 3\n\nOne."
    )


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        (".docm", "ms-word.document.macroEnabled"),
        (".dotx", "openxmlformats-officedocument.wordprocessingml.template"),
        (".dotm", "ms-word.template.macroEnabledTemplate"),
    ],
)
def test_files_with_macros_and_templates_are_read(suffix: str, kind: str) -> None:
    changes = "openxmlformats-officedocument.wordprocessingml.document", kind
    package = change_part(word(p("Tides")), "[Content_Types].xml", *changes)
    assert text_of(package, suffix) == "Tides"


def test_strict_open_xml_is_read_as_the_common_kind() -> None:
    common = "http://schemas.openxmlformats.org/wordprocessingml/2006/"
    content = word(p("10", run("6", UP)))
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/"
    assert text_of(change_part(content, "word/document.xml", common, strict), ".docx") == "10^6"


def test_names_of_parts_may_have_backslashes() -> None:
    parts = unzip_parts(word(p("10", run("6", UP))))
    other = zip_parts({name.replace("/", "\\"): part for name, part in parts.items()})
    assert text_of(other, ".docx") == "10^6"


def sheet(*rows: str) -> str:
    """Return rows, each its cells, separated by "|"."""
    xml = ""
    for number, cells in enumerate(rows, start=1):
        xml += f'<row r="{number}">'
        for column, value in zip("ABCDE", cells.split("|"), strict=False):
            if value:
                xml += f'<c r="{column}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
        xml += "</row>"
    return xml


FAR = '<row r="1048576"><c r="A1048576"><v>7</v></c></row>'


@pytest.mark.parametrize(
    ("rows", "tables"),
    [
        (["Boat|2024", "Gull|10"], [grid("Boat|2024", "Gull|10")]),
        (["Boat|Seats||Day", "Gull|10|x|May"], [grid("Boat|Seats||Day", "Gull|10|x|May")]),
        (["Ann|Gull||May", "Ray||x|June"], [grid("|||", "Ann|Gull||May", "Ray||x|June")]),
        (["Ann|Gull||May", "Ray|Tern|x|June"], [grid("|||", "Ann|Gull||May", "Ray|Tern|x|June")]),
        # A title above, an empty column, and a table that continues after an empty row.
        (
            ["Prices", "", "Boat||Price", "Gull||10", "", "Total||12"],
            ["**Prices**", grid("Boat|Price", "Gull|10"), grid("Boat|Price", "Total|12")],
        ),
        (["A|B", "1|2", "", "X|Y|Z", "3|4|5"], [grid("A|B", "1|2"), grid("X|Y|Z", "3|4|5")]),
        # Tables side by side, and one below the other in other columns.
        (["A|B||X|Y", "1|2||Ann|4", "3|4"], [grid("A|B", "1|2", "3|4"), grid("X|Y", "Ann|4")]),
        (["A|B", "1|2", "||X|Y", "||3|4"], [grid("A|B", "1|2"), grid("X|Y", "3|4")]),
        (["1", "2"], [grid("", "1", "2")]),
        (["1|2", "3|4"], [grid("|", "1|2", "3|4")]),
    ],
)
def test_a_sheet_becomes_tables(rows: list[str], tables: list[str]) -> None:
    text = text_of(workbook(("Boats", sheet(*rows))), ".xlsx")
    assert text.split("\n\n") == ["## Boats", *tables]


MERGED = """</sheetData><mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A2:A3"/>
<mergeCell ref="A1048575:XFD1048576"/></mergeCells><sheetData>"""


def test_merged_cells_of_a_sheet_are_in_each_row_and_column_and_a_title_is_kept_once() -> None:
    merged = workbook(("S", sheet("Boats|", "North|Gull", "|Tern", "East|Hub") + MERGED))
    assert text_of(merged, ".xlsx") == (
        "## S\n\n**Boats**\n\n" + grid("North|Gull", "North|Tern", "East|Hub")
    )
    hidden = sheet("Coast|Boat", "North|Gull", "|Tern") + MERGED
    hidden = hidden.replace('<row r="2">', '<row r="2" hidden="1">')
    assert text_of(workbook(("S", hidden)), ".xlsx") == (
        "## S\n\n" + grid("Coast|Boat", "North|Tern")
    ), "a cell that begins in a hidden row"


def test_notices_report_hidden_parts_and_formulas_without_values_of_a_workbook() -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1+$A$1</f></c></row>'
        '<row r="2" hidden="1"><c r="A2"><v>2</v></c></row>'
        '<row r="3"><c r="A3"><f t="shared" si="0">SUM(A1:B$1)</f></c></row>'
        '<row r="4"><c r="A4"><v>4</v></c><c r="B4"><f t="shared" si="0"/></c><c><v>7</v></c></row>'
    )
    columns = '</sheetData><cols><col min="3" max="9" hidden="1"/></cols><sheetData>'
    file = read_bytes(workbook(("S", columns + rows)), name="a", suffix=".xlsx")
    assert file.text == ("## S\n\n" + grid("|", "1|=A1+$A$1", "=SUM(A1:B$1)|", "4|") + "\n")
    assert file.notices == (
        "1 hidden row, 1 hidden column left out",
        "3 formulas without a stored value",
    )
    to_calculate = "<row><c><v>0</v></c><c><f>A1*2</f><v>0</v></c><c><f>9</f><v>9</v></c></row>"
    ends = ("</sheets>", '</sheets><calcPr fullCalcOnLoad="1"/>')
    written = change_part(workbook(("S", to_calculate)), "xl/workbook.xml", *ends)
    assert "| 0 | =A1*2 | 9 |" in text_of(written, ".xlsx"), "XlsxWriter writes 0"
    empty = "<row><c><v>1</v></c><c t='str'><f>A9</f><v/></c></row>"
    assert "A9" not in text_of(workbook(("S", empty)), ".xlsx"), "its value is an empty text"
    unseen = (f"<row {look}><c><v>1</v></c></row>" for look in ('hidden="1"', 'ht="0"'))
    hidden = workbook(("S", "".join(unseen)))
    with pytest.raises(UnreadableFileError, match="it has no text; 2 hidden rows left out"):
        text_of(hidden, ".xlsx")


def test_texts_and_charts_drawn_on_a_sheet_are_read() -> None:
    parts = unzip_parts(workbook(("S", sheet("A|B", "1|2")))) | {
        "xl/_rels/sheet1.xml.rels": links("drawings/drawing1.xml"),
        "xl/drawings/drawing1.xml": f"<x:wsDr xmlns:x='x' xmlns:r='{SPACES['r']}'><x:sp><x:p><x:t>"
        "Mind the tide.</x:t></x:p></x:sp><x:pic descr='A buoy'/><x:chart r:id='r0'/></x:wsDr>",
        "xl/drawings/_rels/drawing1.xml.rels": links("/xl/charts/c.xml", "/xl/diagrams/data1.xml"),
        "xl/diagrams/data1.xml": "<d:m xmlns:d='d'><d:p><d:t>Lock the gate.</d:t></d:p></d:m>",
        "xl/charts/c.xml": "<c:s xmlns:c='c'><c:chart><c:title><c:t>Boats</c:t></c:title><c:ser>"
        "<c:tx><c:v>Crew</c:v></c:tx><c:cat><c:pt idx='0'><c:v>May</c:v></c:pt></c:cat>"
        "<c:val><c:pt idx='0'><c:v>7</c:v></c:pt></c:val></c:ser></c:chart></c:s>",
    }
    assert text_of(zip_parts(parts), ".xlsx").split("\n\n") == [
        *("## S", grid("A|B", "1|2"), "Mind the tide.", "A buoy"),
        *("Lock the gate.", "**Boats**", grid("|Crew", "May|7")),
    ]


def test_symbols_and_raised_numbers_of_a_sheet_are_kept() -> None:
    runs = "<r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r>"
    rich = "<r><rPr><rFont val='Symbol'/></rPr><t>a</t></r>"
    mixed = "<r><t>§_x000D_</t></r><r><rPr><rFont val='Arial'/></rPr><t>Row.</t></r>"
    texts = (
        f"<c t='inlineStr'{style}><is>{text}</is></c>"
        for style, text in (("", runs), ("", rich), (" s='1'", "<t>ü</t>"), (" s='1'", mixed))
    )
    shared = "<c t='s' s='9'><v>0</v></c><c t='s' s='1'><v>1</v></c><c t='s' s='1'><v>2</v></c>"
    day = "<c t='d' s='2'><v>2024-03-01T09:30:00</v></c>"
    content = workbook(("S", f"<row>{''.join(texts)}{shared}{day}</row>"))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts = unzip_parts(content)
    parts["looks.xml"] = (
        f"<styleSheet xmlns='{space}'><fonts><font/><font><name val='Wingdings'/></font></fonts>"
        "<cellXfs><xf/><xf fontId='1'/><xf numFmtId='18'/></cellXfs></styleSheet>"
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    linked = (
        f'<Relationship Id="s" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/>'
        f'<Relationship Id="t" Type="{kind}/styles" Target="../looks.xml"/></Relationships>'
    )
    links = parts["xl/_rels/workbook.xml.rels"].replace(b"</Relationships>", linked.encode())
    parts["xl/_rels/workbook.xml.rels"] = links
    # The name of a part may differ in case from the link to it.
    parts["xl/SharedStrings.xml"] = (
        f"<sst xmlns='{space}'><si><t>No such style</t></si><si><t>ll¡</t></si><si><r><rPr>"
        "<rFont val='Arial'/></rPr><t>ll</t></r><rPh><t>Tide</t></rPh></si></sst>"
    )
    expected = "| 10^6 | α | ✓ | § Row. | No such style | ●●○ | ll | 9:30 AM |"
    assert expected in text_of(zip_parts(parts), ".xlsx")


def test_all_sheets_are_read_and_far_cells_do_not_add_empty_rows() -> None:
    text = text_of(workbook(("I", sheet("A|B", "1|2") + FAR), ("II", sheet("C|D", "3|4"))), ".xlsx")
    first, second = grid("A|B", "1|2"), grid("C|D", "3|4")
    assert text == f"## I\n\n{first}\n\n**7**\n\n## II\n\n{second}"


def test_notices_report_hidden_parts_and_formulas_without_values_of_open_document() -> None:
    def cell(text: str, of: str = "") -> str:
        content = f"<text:p>{text}</text:p>" if text else ""
        return f"<table:table-cell {of}>{content}</table:table-cell>"

    rows = "".join(
        f"<table:table-row {of}>{cell(name)}{number}</table:table-row>"
        for name, number, of in (
            ("Boat", cell("Crew") + cell("Seats"), ""),
            ("Gull", cell("7") + cell("8"), "table:visibility='filter'"),
            ("Sum", cell("") + cell("", "table:formula='of:=SUM([.B2:.B3])+[$Other.A1]'"), ""),
            ("Sum", cell("6") + cell("", "table:formula='of:=[.B2]' office:value='7'"), ""),
        )
    )
    style = (
        "<office:automatic-styles><style:style style:name='T'><style:table-properties "
        "table:display='false'/></style:style></office:automatic-styles>"
    )
    columns = "<table:table-column/><table:table-column table:visibility='collapse'/>"
    book = (
        f"<table:table table:name='Crew'>{columns}{rows}</table:table>"
        "<table:table table:name='Old' table:style-name='T'><table:table-row>"
        f"{cell('Hull')}</table:table-row></table:table>"
    )
    file = read_bytes(odf("spreadsheet", book, style), name="a", suffix=".ods")
    table = grid("Boat|Seats", "Sum|=SUM(B2:B3)+$Other.A1", "Sum|7") + "\n"
    assert file.text == f"## Crew\n\n{table}"
    assert file.notices == (
        "1 hidden sheet, 1 hidden row, 1 hidden column left out",
        "1 formula without a stored value",
    )


@pytest.mark.parametrize(
    ("kind", "record", "notice"),
    [
        ("xlsx", "85000e00aa080000010006005365637265", "hidden sheets left out"),
        ("xlsx", "85000d001d1e000001000653656372", "hidden sheets left out"),  # a sheet of Excel 95
        ("xlsx", "85000d001d1e000000000653656372", ""),
        ("xlsx", "080210000200000004002c010000000020000f01", "hidden rows left out"),
        ("xlsx", "080210000200000004002c010000000000000f01", ""),
        ("xlsx", "7d000c0002000200000d0f0001000000", "hidden columns left out"),
        ("xlsx", "9c012e02000000", "hidden sheets left out"),
        ("xlsx", "001901000000000000002c010010000100000000", "hidden rows left out"),
        ("xlsx", "001901000000000000002c010000000100000000", ""),
        ("xlsx", "3c120500000005000000d50d0000000000000100", "hidden columns left out"),
        ("xlsx", "0908100000062000", "charts left out"),
        ("xlsx", "0908080000052000", "charts left out"),
        ("doc", "0908100000062000", ""),
        ("doc", b" EQ x".hex().replace("20", "13", 1), "equations in fields left out"),
        ("doc", "48 2a 01", ""),  # the property is in another block
        ("ppt", "0f00cc0f100000000000cd0f08000000", "charts and other embedded objects left out"),
        ("ppt", "3f00d90f140000000000da0f04000000010023002000ba0f", "footers left out"),
        ("ppt", "3f00d90f140000000000da0f04000000010003002000ba0f", ""),
    ],
)
def test_notices_report_hidden_and_unread_parts_of_binary_files(kind, record, notice) -> None:
    notices = list_left_out(b"\xff" * 9 + bytes.fromhex(record) + b"\xff" * 999, kind)
    assert notices == ([notice] if notice else [])


@pytest.mark.parametrize(
    ("places", "look", "is_marked"),
    [
        ((1, 9), b"\x48\x2a\x01", False),
        ((1, 9), b"\x3c\x08\x01", False),
        ((1, 9), b"\x3c\x08\x00", True),
        ((9, 1), b"\x48\x2a\x01", True),  # the property covers no characters
    ],
)
def test_raised_and_hidden_text_of_old_documents_is_named_in_a_notice(places, look, is_marked):
    block = (pack("<II", *places) + look).ljust(511, b"\0") + b"\1"
    notices = [] if is_marked else ["superscript, subscript or hidden text is not marked"]
    assert list_left_out(bytes(512) + block, "doc") == notices


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [(6, b"Tides", ["Tides"]), (30, "Öre".encode("utf-16-le"), ["Öre"]), (25, b"A comment", [])],
)
def test_shapes_of_binary_workbooks_have_their_texts(kind: int, text: bytes, expected: list[str]):
    is_wide = int(b"\0" in text)
    shape = pack("<HHHH14s18s", 0x15, 0x12, kind, 1, b"", b"")[:-2]
    box = pack("<HH10sHHIHHB", 0x1B6, 18, b"", len(text) >> is_wide, 16, 0, 0x3C, 9, is_wide)
    assert [*read_shapes(b"\xff" * 9 + shape + box + text + b"\x3c\0\x10\0")] == expected


@pytest.mark.parametrize("unused", [0xFFFFFFFF, 0xFFFFFFFE])  # the file has no such block
def test_a_title_over_two_rows_of_a_binary_workbook_is_kept_once(unused: int) -> None:
    def record(kind: int, body: bytes = b"") -> bytes:
        return pack("<HH", kind, len(body)) + body

    start = record(0x809, pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    place = len(start) + 17  # the sheet follows its name and the end of the workbook
    name = record(0x85, pack("<IBBBB", place, 0, 0, 1, 0) + b"S") + record(0x0A)
    cells = {(0, 0): b"Boats", (2, 0): b"Coast", (2, 1): b"Boat", (3, 0): b"North", (3, 1): b"Gull"}
    cells |= {(4, 1): b"Tern"}
    sheet = record(0x809, pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    for (row, column), text in cells.items():
        sheet += record(0x204, pack("<HHHHB", row, column, 0, len(text), 0) + text)
    sheet += record(0xE5, pack("<9H", 2, 0, 1, 0, 1, 3, 4, 0, 0)) + record(0x0A)
    assert text_of(compound({"Workbook": start + name + sheet}, unused), ".xls") == (
        "## S\n\n**Boats**\n\n| Coast | Boat |\n| --- | --- |\n| North | Gull |\n| North | Tern |"
    )


def test_the_first_visible_sheet_of_a_binary_workbook_has_its_name() -> None:
    hidden, other = (
        pack("<HHIBBBB", 0x85, 9, 0, 1, 0, 1, 0),
        pack("<HHIBBBB", 0x85, 7, 0, 0, 0, 3, 0),
    )
    wide = pack("<HHIBBBB", 0x85, 12, 0, 0, 0, 2, 1) + "湖岸".encode("utf-16-le")
    assert read_sheet_name(hidden + b"H" + other + b"Bay" + wide) == "湖岸"
    linked = pack("<BBBIII", 0x9C, 1, 24, 0, 1, 2) + "r1".encode("utf-16-le")
    assert read_sheet_name(linked + pack("<I", 3) + "Bay".encode("utf-16-le")) == "Bay"
    assert read_sheet_name(b"Bay") == ""


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ("e000140000001f000100", "e000140000000e000100"),  # a cell style with format 31
        ("e0001400000020000100", "e0001400000015000100"),  # format 32 is a time
        ("2f10ffff3900", "2f10ffff0e00"),
        ("e0001400000002000100", "e0001400000002000100"),
    ],
)
def test_dates_of_asian_binary_workbooks_have_formats_of_dates(record: str, expected: str) -> None:
    assert show_local_dates(bytes.fromhex(record)) == bytes.fromhex(expected)


def test_cells_of_a_binary_sheet_without_a_column_are_in_the_next_one() -> None:
    row, text = bytes([0, 2, 7, 7]), b"tide" * 40
    wide = [bytes([7, 0x88, 0x80, 0x80, 0, n, 0, 0, 0]) + b"ness" for n in (0, 5, 1)]
    short = bytes([18, 4]) + b"ness"
    first_cell = bytes([11, 8, 4, 0, 0, 0]) + b"sail"
    other = bytes([0x9A, 1, 0xA0, 1]) + text
    long = bytes([6, 0xA4, 0x81, 0x80, 0, 0, 0, 0, 0]) + text
    sheet = row + short + first_cell + other + short + row + bytes([17, 0xA0, 1]) + text
    assert number_cells(sheet) == row + wide[0] + first_cell + other + wide[1] + row + long
    blank = bytes([1, 0x88, 0x80, 0x80, 0, 0, 0, 0, 0]) + b"look"
    assert number_cells(row + bytes([12, 4]) + b"look" + short) == row + blank + wide[2]
    for size in range(4):  # the file ends inside a record's type or size
        assert number_cells(row + other[:size]) == row


def points(kind: str, *texts: str, code: str = "") -> str:
    """Return numbered points, without those that have no text."""
    values = (f'<pt idx="{n}"><v>{text}</v></pt>' for n, text in enumerate(texts) if text)
    return f"<{kind}><cache><formatCode>{code}</formatCode>{''.join(values)}</cache></{kind}>"


def axis(kind: str, title: str) -> str:
    return f"<{kind}><title><t>{title}</t></title></{kind}>"


@pytest.mark.parametrize(
    ("body", "title", "rows"),
    [
        (
            axis("chart", "Boats")
            + f"<ser><tx><v>Gull</v></tx>{points('cat', 'May', 'June', 'July')}"
            + f"{points('val', '0.123', '', '4.4', code='0.0%')}</ser>"
            + axis("catAx", "Month")
            + axis("valAx", "Share"),
            "Boats (Month, Share)",
            [["", "Gull"], ["May", "12.3%"], ["June", ""], ["July", "440.0%"]],
        ),
        (
            f"<ser>{points('xVal', '1', '2')}{points('yVal', '5', 'n/a', code='0')}</ser>"
            f"<ser>{points('xVal', '3')}{points('yVal', '6')}{points('bubbleSize', '9')}</ser>",
            "",
            [["", "", "", "", ""], ["1", "5", "3", "6", "9"], ["2", "n/a", "", "", ""]],
        ),
        (
            "<ser><cat><cache><lvl><pt idx='0'><v>Q1</v></pt><pt idx='1'><v>Q2</v></pt></lvl><lvl>"
            f"<pt idx='0'><v>2024</v></pt></lvl></cache></cat>{points('val', '7', '8')}</ser>",
            "",
            [["", ""], ["2024 Q1", "7"], ["2024 Q2", "8"]],
        ),
        (
            "<chartData><data id='4'><strDim><lvl><pt idx='0'>May</pt></lvl></strDim><numDim>"
            "<lvl formatCode='0.0'><pt idx='0'>7</pt></lvl></numDim></data></chartData>"
            "<series><tx><v>Gull</v></tx><dataId val='4'/></series>",
            "",
            [["", "Gull"], ["May", "7.0"]],
        ),
        ("<ser/>", "", []),
    ],
)
def test_charts_become_tables(body: str, title: str, rows: list[list[str]]) -> None:
    chart = etree.fromstring(f"<c xmlns='c'>{body}</c>")
    assert read_chart(chart) == (title, rows)
    # anydoc reads the labels of each series.
    labels, *columns = zip(*rows, strict=True) if rows else ((),)
    texts = [title, *(text for name, *c in columns for text in (name, *labels[1:], *c))]
    assert [*etree.fromstring(rewrite_chart(chart)).itertext()] == [*filter(None, texts)]


def test_charts_of_newer_kinds_are_read_instead_of_their_placeholder() -> None:
    newer = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
    needs = 'xmlns:cx1="http://schemas.microsoft.com/office/drawing/2015/9/8/chartex"'
    frame = (
        f'<mc:AlternateContent {needs} xmlns:mc="{SPACES["mc"]}"><mc:Choice Requires="cx1">'
        f'<p:graphicFrame><a:graphic><a:graphicData><cx:chart {newer} r:id="r0"/></a:graphicData>'
        f"</a:graphic></p:graphicFrame></mc:Choice><mc:Fallback>{shape('Unseen.')}</mc:Fallback>"
        "</mc:AlternateContent>"
    )
    parts = unzip_parts(slides(shape("Boats") + frame))
    parts["ppt/slides/_rels/slide1.xml.rels"] = links("../charts/chartEx1.xml")
    chart = "<cx:chart><cx:title><cx:t>Funnel</cx:t></cx:title></cx:chart>"
    parts["ppt/charts/chartEx1.xml"] = f"<cx:chartSpace {newer}>{chart}</cx:chartSpace>"
    assert text_of(zip_parts(parts), ".pptx") == "## Slide 1\n\nBoats\n\n**Funnel**"


def test_chapters_of_a_book_keep_their_order_and_are_read_like_pages() -> None:
    content = epub(
        "<h1>One</h1><p>10<sup>6</sup> <a href='#n'>boats</a></p>", "<nav>x</nav><h1>Two</h1>"
    )
    assert text_of(content, ".epub") == "# One\n\n10^6 boats\n\n# Two"
    parts = unzip_parts(content)
    book = parts["book.opf"].decode()
    svg = '"1.svg" media-type="image/svg+xml"'
    parts["book.opf"] = book.replace('"1.xhtml" media-type="application/xhtml+xml"', svg)
    parts["1.svg"] = '<svg xmlns="http://www.w3.org/2000/svg"><text>Tides</text></svg>'
    assert text_of(zip_parts(parts), ".epub") == "# One\n\n10^6 boats\n\nTides"


@pytest.mark.parametrize(
    ("name", "encoding"), [("0.xml", "utf-8"), ("0.HTM", "utf-16"), ("0.xhtml", "iso-8859-1")]
)
def test_a_page_of_a_book_has_any_name_and_encoding(name: str, encoding: str) -> None:
    content = change_part(epub("<p>10<sup>6</sup> caf\xe9s"), "book.opf", "0.xhtml", name)
    parts = {part.replace("0.xhtml", name): body for part, body in unzip_parts(content).items()}
    declared = f'<?xml version="1.0" encoding="{encoding}"?>{parts[name].decode()}'
    parts[name] = declared.encode(encoding)
    assert text_of(zip_parts(dict(parts)), ".epub") == "10^6 cafés"


def test_pages_that_others_link_to_are_at_the_end_of_a_book() -> None:
    link = "<p>Tides <a href='../text/2.xhtml#a'>1</a> <a class='x' href=\"3.xhtml\">i</a>"
    content = epub(link, "<p>Two", "<p>Of the moon.", "<nav>x</nav><p>Contents", "<p>Unseen")
    for number in (2, 3, 4):
        content = change_part(content, "book.opf", f'<itemref idref="c{number}"/>', "")
    content = change_part(content, "book.opf", '"c3"', '"c3" properties="nav"')
    assert text_of(content, ".epub") == "Tides 1 i\n\nTwo\n\nOf the moon."


FORMS, NAMES = (f'xmlns:{name[:4]}="{SPACES[name]}"' for name in ("form", "drawing"))


def styles_of(**properties: str) -> str:
    """Return the styles of an OpenDocument file by name, each with a property of its text."""
    styles = (
        f'<style:style style:name="{name}"><style:text-properties {formatting}/></style:style>'
        for name, formatting in properties.items()
    )
    return f"<office:automatic-styles>{''.join(styles)}</office:automatic-styles>"


def item(*blocks: str) -> str:
    return f"<text:list-item>{''.join(blocks)}</text:list-item>"


def nest(*items: str, name: str = "") -> str:
    return f"<text:list{f' text:style-name={name!r}' * bool(name)}>{''.join(items)}</text:list>"


def cells_of(*texts: str) -> str:
    """Return a row of a table of OpenDocument."""
    cells = (f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (
            "<text:p><text:ruby><text:ruby-base>湖</text:ruby-base><text:ruby-text>みずうみ"
            "</text:ruby-text></text:ruby>は<text:ruby><text:ruby-base>岸</text:ruby-base>"
            "<text:ruby-text/></text:ruby></text:p>",
            "湖(みずうみ)は岸",
        ),
        (
            "<text:numbered-paragraph><text:p>A<text:hidden-text text:is-hidden='true'>x"
            "</text:hidden-text></text:p></text:numbered-paragraph><text:p>y<text:hidden-paragraph "
            "text:is-hidden='true'/></text:p><text:p>b<text:script>z</text:script></text:p>",
            "A\n\nb",
        ),
        (
            "<text:p><text:a xmlns:x='http://www.w3.org/1999/xlink' x:href='http://a.b'>Mill"
            "<text:note><text:note-body><text:p>N.</text:p></text:note-body></text:note></text:a>."
            "</text:p>",
            "Mill[^1].\n\n[^1]: N.",
        ),
        ('<text:p text:style-name="S">a</text:p>', "α"),
        ('<text:p>Level <text:span text:style-name="S">a</text:span></text:p>', "Level α"),
        ('<text:p>Level <text:span text:style-name="T">a</text:span></text:p>', "Level α"),
        ('<text:p>mc<text:span text:style-name="R">2</text:span></text:p>', "mc^2"),
        (f"<text:p {NAMES}>A <draw:rect><text:p>C</text:p></draw:rect>b.</text:p>", "A b.\n\nC"),
        (
            f"<office:forms {FORMS}><form:text form:id='a' form:current-value='Ann'/><form:checkbox"
            " form:id='b' form:label='Yes' form:current-state='checked'/><form:radio form:id='c' "
            "form:label='No'/><form:listbox form:id='d'><form:option form:label='Red'/>"
            "<form:option form:label='Blue' form:current-selected='true'/></form:listbox>"
            f"</office:forms><text:p {NAMES}>I: "
            + "".join(f"<draw:control draw:control='{n}'/>" for n in "abcd")
            + "too</text:p>",
            "I: Ann ☑ Yes ☐ No Blue too",
        ),
        (
            "<text:p xmlns:f='f'>I: "
            + "".join(
                f"<f:fieldmark f:type='office.field.FORM{kind}'>"
                + "".join(f"<f:param f:name='{n}' f:value='{value}'/>" for n, value in parameters)
                + f"</f:fieldmark> {after} "
                for entries in ([("Dropdown_ListEntry", "Red"), ("Dropdown_ListEntry", "Blue")],)
                for kind, parameters, after in (
                    ("CHECKBOX", [("Checkbox_Checked", "true")], "yes"),
                    ("CHECKBOX", [], "no"),
                    ("DROPDOWN", [*entries, ("Dropdown_Selected", "1")], "and"),
                    ("DROPDOWN", entries, "too"),
                )
            )
            + "</text:p>",
            "I: ☑ yes ☐ no Blue and Red too",
        ),
        (
            "<text:section text:display='none'><text:p>x</text:p></text:section><text:p>y</text:p>",
            "y",
        ),
        *(
            (
                f"<text:p {NAMES}>Press <draw:frame><draw:image/><desc>{description}</desc>"
                "</draw:frame>it.</text:p><text:p>Wait.</text:p>",
                f"Press it.{shown}\n\nWait.",
            )
            for description, shown in (
                ("The green button", "\n\nThe green button"),
                ("C:\\\\Users\\\\a.png", ""),
            )
        ),
    ],
)
def test_open_document_gives_the_visible_text(body: str, markdown: str) -> None:
    styles = styles_of(S='style:font-name="Symbol"', R='style:text-position="30% 58%"')
    styles += '<style:style style:name="T" style:parent-style-name="S"/>'
    assert text_of(odf("text", body, styles), ".odt") == markdown


def test_headings_with_a_style_without_numbers_are_not_numbered() -> None:
    space = " ".join(f'xmlns:{name}="{SPACES[name]}"' for name in ("office", "style", "text"))
    outline = '<text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>'
    styles = f"<office:styles><text:outline-style>{outline}</text:outline-style></office:styles>"
    unnumbered = '<style:style style:name="N" style:list-style-name=""/>'
    texts = (("", "Tides"), (' text:style-name="N"', "Annex"), ("", "Boats"))
    body = "".join(
        f'<text:h text:outline-level="1"{look}>{title}</text:h>' for look, title in texts
    )
    parts = unzip_parts(
        odf("text", body, f"<office:automatic-styles>{unnumbered}</office:automatic-styles>")
    )
    parts["styles.xml"] = f"<office:document-styles {space}>{styles}</office:document-styles>"
    assert text_of(zip_parts(parts), ".odt") == "# 1. Tides\n\n# Annex\n\n# 2. Boats"


def test_headings_in_lists_of_open_document_have_their_numbers() -> None:
    def heading(level: int, title: str) -> str:
        return f'<text:h text:outline-level="{level}">{title}</text:h>'

    levels = "".join(
        f'<text:list-level-style-number text:level="{n}" style:num-format="{form}" '
        f'style:num-prefix="{start}" style:num-suffix="{end}" text:display-levels="{shown}"/>'
        for n, (form, start, end, shown) in enumerate(
            (("1", "", ".", 1), ("1", "", ".", 2), ("a", "(", ")", 1), ("I", "", "", 1)), start=1
        )
    )
    style = f'<text:list-style style:name="L">{levels}</text:list-style>'
    lists = (
        item(heading(1, "Parties"), nest(item(heading(2, "Tenant")), item(heading(2, "Owner")))),
        item(nest(item(nest(item(heading(3, "Ann"), nest(item("<text:p>Bo.</text:p>"))))))),
        item("<text:p>Rent.</text:p>"),
        item(nest(item(nest(item(heading(3, "Eve")))))),
        item(nest(item(heading(2, "Pets")))),
    )
    body = "".join(nest(items, name="L") for items in lists)
    assert text_of(odf("text", body, style), ".odt").split("\n\n") == [
        *("# 1. Parties", "## 1.1. Tenant", "## 1.2. Owner", "### (a) Ann", "I Bo.", "2\\. Rent."),
        *("### (a) Eve", "## 2.2. Pets"),
    ]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("text", ["- a) Zero", "1. One", "   - a) Sub", "   - b) More", "1. Two"]),
        ("presentation", ["- a) Zero", "1. One", "   - a) Sub", "   - b) More", "2. Two"]),
    ],
)
def test_a_list_that_starts_an_item_belongs_to_the_item_before(
    kind: str, expected: list[str]
) -> None:
    words = ("Zero", "One", "Sub", "More", "Two")
    zero, one, sub, more, two = (item(f"<text:p>{text}</text:p>") for text in words)
    lists = nest(item(nest(zero)), name="L") + "<text:p/>" + nest(one, name="L")
    lists += nest(item(nest(sub)), item(nest(more)), two, name="M")
    levels = (
        '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
        '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    )
    styles = "".join(f'<text:list-style style:name="{n}">{levels}</text:list-style>' for n in "LM")
    styles = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    box = f"<draw:frame><draw:text-box>{lists}</draw:text-box></draw:frame>"
    body = lists if kind == "text" else f"<draw:page {NAMES}>{box}</draw:page>"
    text = text_of(odf(kind, body, styles), f".od{kind[0]}").removeprefix("## Slide 1\n\n")
    assert [line for line in text.split("\n") if line] == expected


BOX = "<draw:text-box><text:p>Box.</text:p></draw:text-box>"
FRAME = f"<draw:frame {NAMES} text:anchor-type='%s'>{BOX}</draw:frame>"


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (FRAME % "page" + "<text:p>One.</text:p>", "Box.\n\nOne."),
        (f"<text:p>One {FRAME % 'paragraph'}two.</text:p>", "One two.\n\nBox."),
        (f"<text:p>One {FRAME % 'as-char'} two.</text:p>", "One  two.\n\nBox."),
        (
            f"<text:p>x</text:p><draw:g {NAMES}><draw:custom-shape><text:p>S.</text:p>"
            "</draw:custom-shape></draw:g>",
            "x\n\nS.",
        ),
        (
            "<text:table-index><text:index-body><text:p>Table 1</text:p></text:index-body>"
            "</text:table-index>",
            "Table 1",
        ),
        ('<text:p text:style-name="H">Unseen.</text:p><text:p>Seen.</text:p>', "Seen."),
        ('<text:p xml:id="a">One.</text:p><text:p xml:id="a">Two.</text:p>', "One.\n\nTwo."),
    ],
)
def test_frames_indexes_and_paragraphs_of_open_document_are_read(body: str, markdown: str) -> None:
    assert text_of(odf("text", body, styles_of(H='text:display="none"')), ".odt") == markdown


def test_embedded_documents_of_open_document_are_read() -> None:
    inner = f"<draw:frame {NAMES}><draw:object x:href='./O' xmlns:x='x'/></draw:frame>"
    parts = unzip_parts(odf("text", f"<text:p>See {inner}below.</text:p>"))
    other = unzip_parts(odf("text", "<text:p>A.</text:p><text:p>B.</text:p>"))
    parts["O/content.xml"] = other["content.xml"]
    assert text_of(zip_parts(parts), ".odt") == "See below.\n\nA.\n\nB."


def test_slides_of_open_document_are_sections_and_are_marked_if_hidden() -> None:
    presentation = 'xmlns:p="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
    pages = "".join(
        f"<draw:page {NAMES} {presentation} draw:style-name='{style}'><draw:frame {of}>"
        f"<draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>"
        for style, of, text in (("A", "p:class='title'", "Tides"), ("B", "", "Low water."))
    )
    style = f"<style:style style:name='B' {presentation}><x p:visibility='hidden'/></style:style>"
    pages = pages.replace("draw:style-name='B'", "draw:style-name='B' p:use-footer-name='f1'")
    item_list = "<text:list><text:list-item><text:p>Tides</text:p></text:list-item></text:list>"
    pages = pages.replace("<text:p>Tides</text:p>", item_list)
    foot = f"<p:footer-decl {presentation} p:name='f1'>Mill 1</p:footer-decl>"
    feet = foot + foot.replace("1<", "2<").replace("f1", "f2")
    assert text_of(odf("presentation", feet + pages, style), ".odp") == (
        "## Tides\n\n## Slide 2 (hidden slide)\n\nLow water.\n\nMill 1"
    )


def test_charts_and_shapes_of_open_document_are_read() -> None:
    chart = f"<draw:frame {NAMES}><draw:object x:href='./O 1' xmlns:x='x'/></draw:frame>"
    row = cells_of("a", "7")
    rows = row.replace("a</text:p>", "a</text:p><text:list><text:p>a</text:p></text:list>")
    rows += cells_of("b", "NaN")
    title = "<c:title xmlns:c='c'><text:p>Boats</text:p></c:title>"
    values = odf("chart", f"{title}<table:table table:name='local-table'>{rows}</table:table>")
    shapes = f"<draw:rect {NAMES}><text:p>Tides</text:p></draw:rect>{chart}"
    sheet = f"<table:table table:name='S'><table:shapes>{shapes}</table:shapes>{row}</table:table>"
    page, expected = f"<draw:page {NAMES}>{chart}</draw:page>", grid("|", "a|7", "b|")
    on_sheet = f"{grid('|', 'a|7')}\n\nTides"
    for kind, body, markdown in (
        ("text", f"<text:p>See {chart}below.</text:p>", f"See below.\n\nBoats\n\n{expected}"),
        ("spreadsheet", sheet, f"## S\n\n{on_sheet}\n\nBoats\n\n{expected}"),
        ("presentation", page, f"## Slide 1\n\nBoats\n\n{expected}"),
    ):
        parts = unzip_parts(odf(kind, body)) | {
            "O 1/content.xml": unzip_parts(values)["content.xml"]
        }
        assert text_of(zip_parts(parts), ".odt") == markdown


def test_cells_that_a_workbook_of_open_document_repeats_or_merges_are_read() -> None:
    columns, rows = "table:number-columns-", "table:number-rows-"
    hidden = "<table:covered-table-cell"
    sheet = (
        f"<table:table table:name='Mill'><table:table-row><table:table-cell {columns}spanned='3' "
        f"{rows}spanned='2'><text:p>Tide<text:s/>times</text:p></table:table-cell>"
        f"{hidden} {columns}repeated='2'/></table:table-row>"
        f"<table:table-row>{hidden} {columns}repeated='3'/></table:table-row>"
        f"<table:table-row {rows}repeated='2'><table:table-cell {columns}spanned='2' "
        f"office:value-type='float' office:value='7.5'/>{hidden}><text:p>unseen</text:p>"
        "</table:covered-table-cell><table:table-cell><text:p>a|b</text:p></table:table-cell>"
        f"</table:table-row><table:table-row {rows}repeated='1048560'><table:table-cell "
        f"{columns}repeated='16384'/></table:table-row><table:table-row><table:table-cell "
        f"{columns}repeated='16383'/><table:table-cell><text:p>far away</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    assert text_of(odf("spreadsheet", sheet), ".ods") == (
        "## Mill\n\n**Tide times**\n\n|  |  |  |\n| --- | --- | --- |\n| 7.5 | 7.5 | a\\|b |\n"
        "| 7.5 | 7.5 | a\\|b |\n\n**far away**"
    )


def test_a_notice_names_embedded_objects_and_text_about_charts_is_unchanged() -> None:
    space = "http://schemas.microsoft.com/office/drawing/2014/chartex"
    embedded = '<w:r><w:object><o:OLEObject xmlns:o="o"/></w:object></w:r>'
    file = read_bytes(word(p(space, embedded)), name="a", suffix=".docx")
    assert (file.text, file.notices) == (f"{space}\n", ("embedded objects left out",))


def test_open_documents_and_rich_text_become_markdown() -> None:
    body = (
        '<text:h text:outline-level="2">Tides</text:h><text:p>They<office:annotation><text:p>Really'
        '</text:p></office:annotation> turn 10<text:span text:style-name="T1">6</text:span>.'
        '<text:span text:style-name="T2">unseen</text:span></text:p>'
    )
    for raised in ("super 58%", "33% 58%"):  # Impress writes the second form
        styles = styles_of(T1=f'style:text-position="{raised}"', T2='text:display="none"')
        assert text_of(odf("text", body, styles), ".odt") == "## Tides\n\nThey turn 10^6."
    rows = cells_of("a", "b") * 2
    spread = odf("spreadsheet", f'<table:table table:name="S">{rows}</table:table>')
    assert text_of(spread, ".ods") == "## S\n\n" + grid("a|b", "a|b")
    assert text_of(rb"{\rtf1\ansi Caf\'e9 {\b bold}\par next}", ".rtf") == "Café **bold**\n\nnext"
    styled = rb"{\rtf1{\stylesheet{\s2\sbasedon0 Heading 2;}}\pard\s2 Tides\par\pard Low.\par}"
    assert text_of(styled, ".rtf") == "## Tides\n\nLow."
    boxed = rb"{\rtf1 \trowd\cellx9000 a|b\cell\row \trowd\cellx9000 c\cell\row}"
    assert text_of(boxed, ".rtf") == "a|b\n\nc", "a table of one column"
    assert text_of(rb"{\rtf1 10{\super\loch 6}, 1{\super st}}", ".rtf") == "10^6, 1st"
    code = rb"{\field{\*\fldinst { EQ \\* jc0 \\o(\\s\\up 9(tide),mill)}}{\fldrslt {}}}"
    assert text_of(rb"{\rtf1 A %b.}" % code, ".rtf") == "A mill(tide)."
    code = rb'{\field{\*\fldinst {\f1 SYMBOL 36 \\f "Wingdings" \\s 9}}{\fldrslt {\f14 %b}}}'
    rich = rb"{\rtf1 a %b b%b.}" % (code % b"", code % b"$")
    assert text_of(rich, ".rtf") == "a 👓 b$."
    left_out = read_bytes(rb"{\rtf1 a{\field{\*\fldinst {\b EQ \\f(1,2)}}}}", name="a.rtf").notices
    assert left_out == ("equations in fields left out",)
    for label, mark in ((rb"\'B7", "-"), (b"1.", "1."), (b"(c)", "- (c)")):
        rich_text = rb"{\rtf1 {\pntext\f1 %b\tab}a\par{\pntext\f1 %b\tab}b\par}" % (label, label)
        assert text_of(rich_text, ".rtf") == f"{mark} a\n{mark} b", "a list of WordPad"
    level = rb"{\listlevel\levelnfc0\levelstartat1{\leveltext\'02\'00.;}{\levelnumbers\'01;}}"
    names = b"".join(rb"{\listoverride\listid7\listoverridecount0\ls%d}" % n for n in (3, 4))
    shared = rb"{\rtf1{\*\listtable{\list%b\listid7}}{\*\listoverridetable%b}" % (level, names)
    shared += rb"\pard\ls3 a\par\pard then\par\pard\ls4 b\\ls4\par\pard\ls3 c\par}"
    assert text_of(shared, ".rtf") == "1. a\n\nthen\n\n2. b\\\\ls4\n3. c", "lists of one definition"
    assert text_of(rb"{\rtf1 Old{\deleted er}{\loch est}{\v  unseen}{\v0 .}}", ".rtf") == "Oldest."


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in headers.items():
        message[name] = value
    return message


def test_a_mail_has_its_headers_its_text_and_the_names_of_attachments() -> None:
    message = mail(Subject="Étale at noon", From="Ann <ann@example.org>", To="bo@example.org")
    message.set_content("Dear Bo,\n\n# 1 is late.\n> Is it?\n", cte="base64")
    message.add_alternative("<p>Dear Bo", subtype="html")
    message.add_attachment(b"x", maintype="image", subtype="png", filename="chart.png")
    assert text_of(message.as_bytes(), ".eml") == (
        "# Étale at noon\n\nFrom: Ann <ann@example.org>  \nTo: bo@example.org\n\n"
        "Dear Bo,\n\n\\# 1 is late.\n> Is it?\n\nAttachments: chart.png"
    )
    page = mail(Subject="Tides")
    page.set_content("<p>Bo, <b>come</b>.<script>x</script>", subtype="html")
    assert text_of(page.as_bytes(), ".eml") == "# Tides\n\nBo, **come**."


def test_a_notebook_has_its_texts_and_code_without_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "They turn."]},
        {"cell_type": "code", "source": "x = 1\n", "outputs": [{"text": "unseen"}]},
        {"cell_type": "code", "source": "", "outputs": []},
    ]
    about = {"kernelspec": {"name": "python3", "language": "python"}}
    content = json.dumps({"cells": cells, "metadata": about}).encode()
    assert text_of(content, ".ipynb") == "# Tides\nThey turn.\n\n```python\nx = 1\n```"


ENTITIES = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
ENTITIES = f"<!DOCTYPE x [<!ENTITY e0 'tide'>{ENTITIES}]><w:d"
EXPANDED = change_part(word("&e9;"), "word/document.xml", "<w:d", ENTITIES)
DEEP = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
REPEATED = (
    "<table:table-row table:number-rows-repeated='1048576'><table:table-cell "
    "table:number-columns-repeated='16384'><text:p>tide</text:p></table:table-cell></table:table-row>"
)


@pytest.mark.parametrize(
    ("suffix", "content", "reason"),
    [
        (".docx", b"", "it is damaged, or of another format"),
        (".doc", compound({"WordDocument": b"\xdc\xa5" + bytes(500)}), "Word 95 or older"),
        (".docx", word(p("Tides"))[:-40], "it is damaged"),
        (".docx", zip_parts({"a.txt": "Tides"}), "it is damaged, or of another format"),
        (".docx", pdf([["Tides"]]), "it is PDF, despite its name"),
        (".doc", b"<w:wordDocument>Tides", "it is XML, despite its name"),
        (".docx", b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "has a password"),
        (".docx", compound(dict.fromkeys(("WordDocument", "EncryptedPackage"), b"")), "password"),
        (".docx", EXPANDED, "entity"),
        (".docx", word(DEEP[0] * 3_000 + p("x") + DEEP[1] * 3_000), "depth"),
        (".ods", odf("spreadsheet", f"<table:table>{REPEATED}</table:table>"), "too many cells"),
        (".ipynb", b"[" * 100_000, "(recursion|Stack overflow)"),
        (".ipynb", b"{}", "not a notebook"),
        (".eml", b"Tides turn.", "no headers"),
    ],
)
def test_a_document_that_cannot_be_read_raises_an_error_of_one_sentence(suffix, content, reason):
    with pytest.raises(UnreadableFileError, match=rf"^a cannot be read as [A-Z]+: .*{reason}"):
        read_bytes(content, name="a", suffix=suffix)


def test_a_document_with_a_wrong_suffix_is_read_by_its_content() -> None:
    assert text_of(docx([("Heading1", "Tides")]), ".doc") == "# Tides"
    assert text_of(rb"{\rtf1 Tides}", ".doc") == "Tides"
    page = b"\n<html><meta charset=cp1252><table><tr><th>Boat<th>Day<tr><td>Mo\xebt<td>1"
    assert text_of(page, ".xls") == grid("Boat|Day", "Moët|1")
    starts = [b"<?xml version='1.0'?>\n<html>", b"<!DOCTYPE html>", b"<style>td {}</style>"]
    for start in (*starts, b"<head>", b"<body>", b"<meta name=a>", b"<div>", b""):
        assert text_of(start + page[page.index(b"<table") :], ".xls") == grid("Boat|Day", "Moët|1")
    damaged = read_bytes(b"<html>" + "<p>Mo\xebt".encode() * 9 + b"\xff", name="a", suffix=".xls")
    assert "damaged utf-8" in damaged.notices[0]
    for first in ("MIME-Version: 1.0", "Date: 1 May 2024", "From: Ann", "Subject: Tides"):
        mail = f"{first}\nContent-Type: text/html\n\n<p>High at <b>9</b>.</p>".encode()
        assert "High at **9**." in text_of(mail, ".doc")


def test_the_unpacked_size_of_a_document_is_limited() -> None:
    content = epub("<p>tide turns</p>" * 2_000)
    with pytest.raises(UnreadableFileError, match="more than max_unpacked=20,000 bytes"):
        read_bytes(content, name="a", suffix=".epub", max_unpacked=20_000)
