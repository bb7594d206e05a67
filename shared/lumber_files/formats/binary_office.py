"""Finds content of binary Office files (DOC, RTF, PPT, XLS, XLSB) that anydoc omits or misreads.

Records are recognised by their form anywhere in a file; anydoc reads the streams.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from lumber_files.formats.package import is_page_number

# Records of hidden or omitted content: in [MS-DOC] the length of text boxes in the first block, and
# fields of equations without a result; in [MS-PPT] ExOleEmbedContainer, HeadersFootersContainer
# with a footer that is shown, and a stream; in [MS-XLS] the BOF of charts; and in [MS-XLS] and
# [MS-XLSB] hidden BoundSheet8, Row and ColInfo.
_LEFT_OUT = {
    "doc": {
        "text boxes": rb"\xec\xa5[\x01-\x12\xc0-\xc2][\0\x01].{96}(?!\0{4})",
        "equations in fields": rb"\x13(?: \0?)?EQ |\x13\0(?: \0)?E\0Q\0 \0",
    },
    "rtf": {"equations in fields": rb"\\fldinst\s*(?:\{[^{}]{0,200})?\bEQ "},
    "ppt": {
        "charts and other embedded objects": rb"\x0f\0\xcc\x0f.{4}\0{2}\xcd\x0f\x08\0{3}",
        "footers": rb"[\x0f\x3f]\0\xd9\x0f.{4}\0{2}\xda\x0f\x04\0{3}.\0[\x20-\x3f]\0"
        rb"(?:[\0\x10]\0\xba\x0f.{,200}?)?\x20\0\xba\x0f",
        "slides for PowerPoint 95": "Text_Content".encode("utf-16-le"),
    },
    "xlsx": {
        "charts": rb"\x09\x08[\x08\x10]\0\0[\x05\x06]\x20\0",
        "hidden sheets": rb"\x85\0[\x09-\xff]\0.{4}[\x01\x02]\0.[\0\x01]|\x9c\x01.[\x01\x02]\0{3}"
        rb"|\x85\0[\x08-&]\0.{4}[\x01\x02]\0[\x01-\x1f][ -\xff]",  # a sheet of Excel 95
        "hidden rows": rb"\x08\x02\x10\0.{4}(?!\0\0).{8}[ -?`-\x7f\xa0-\xbf\xe0-\xff]"
        rb"|\0\x19.{2}[\0-\x10]\0.{7}[\x10-\x1f0-?P-_p-\x7f].\x01\0{3}",
        "hidden columns": rb"\x7d\0\x0c\0.\0.[\0\x01].{4}[\x01\x03\x05\x07]"
        rb"|<\x12(?:.{2}\0\0){2}.{8}[\x01\x03]",
    },
}
# The records Obj and TxO of [MS-XLS] for a shape that is not a comment. Groups: the length of its
# text, and whether a character has two bytes.
_SHAPE = re.compile(
    rb"\x15\0\x12\0[\0-\x18\x1a-\x1e]\0.{14,74}?\xb6\x01\x12\0.{10}(..).{6}\x3c\0..([\0\x01])",
    re.DOTALL,
)
# BoundSheet8 (XLS) or BrtBundleSh (XLSB) of a sheet that is not hidden. Groups of the first: the
# size of the record, the length of the name, and whether a character has two bytes. Group of the
# second: the length of the sheet's link.
_SHEET = re.compile(
    rb"\x85\0(.)\0.{4}\0\0(.)([\0\x01])|\x9c\x01.\0{4}.{4}([\x01-\x20])\0{3}", re.DOTALL
)
# Cell formats with a number of `BUILT_IN` for a date, which anydoc does not know.
_LOCAL_DATE = re.compile(rb"(\xe0\0\x14\0..|\x2f\x10..)([\x1b-\x24\x32-\x3a])\0", re.DOTALL)
# The kind and size of a record of [MS-XLSB]; the top bit of a byte is set if another byte follows.
_RECORD = re.compile(rb"([\x80-\xff]?[\0-\x7f])([\x80-\xff]{0,3}[\0-\x7f])", re.DOTALL)
_LOOK = re.compile(rb"\x48\x2a[\x01\x02]|\x3c\x08\x01")  # sprmCIss or sprmCFVanish of [MS-DOC]
_FIELD = re.compile("\x13[^\x13-\x15]*\x14?")  # the instruction of a field in [MS-DOC]
_BLOCK_BYTES = 512  # of a block in [MS-CFB]; the last byte of a block of formats counts them


def list_left_out(content: bytes, kind: str) -> list[str]:
    """Return notices about content of a file that is left out or not marked."""
    forms = _LEFT_OUT.get(kind, {})
    left_out = [name for name, form in forms.items() if re.search(form, content, re.DOTALL)]
    if kind == "doc" and not all(map(is_page_number, _read_headers(content))):
        left_out.append("page headers and footers")
    notices = [f"{', '.join(left_out)} left out"] if left_out else []
    for start in range(0, len(content) - _BLOCK_BYTES + 1 if kind == "doc" else 0, _BLOCK_BYTES):
        block = content[start : start + _BLOCK_BYTES]
        places = struct.unpack_from(f"<{min(block[-1], _BLOCK_BYTES // 5) + 1}I", block)
        if len(places) > 1 and all(map(int.__lt__, places, places[1:])) and _LOOK.search(block):
            return [*notices, "superscript, subscript or hidden text is not marked"]
    return notices


def _read_headers(document: bytes) -> list[str]:
    """Return the lines of page headers and footers; other text if a DOC was saved in pieces."""
    document = document[document.find(b"\xec\xa5") :].ljust(_BLOCK_BYTES, b"\0")
    start, end, *sizes = struct.unpack_from("<2I44x8I", document, 24)  # `sizes` are in characters
    width = 1 + (end - start > 1.5 * sum(sizes))
    start += width * sum(sizes[:2])
    text = document[start : start + width * sizes[2]]
    shown = text.decode("utf-16-le" if width > 1 else "cp1252", "replace")
    return _FIELD.sub("", shown).split("\r")


def show_local_dates(workbook: bytes) -> bytes:
    """Return an XLS, or the styles of an XLSB, with its dates in formats that anydoc knows."""
    return _LOCAL_DATE.sub(
        lambda look: look[1] + (b"\x15\0" if look[2] in b" !" else b"\x0e\0"), workbook
    )


def fill_blocks(content: bytes, max_unpacked: int) -> bytes:
    """Return a file with the unused blocks at its end that it lists; SheetJS writes none."""
    if not content.startswith(b"\xd0\xcf\x11\xe0"):  # [MS-CFB]
        return content
    lists = int.from_bytes(content[44:48], "little")  # blocks that list the others
    return content.ljust(min((1 + _BLOCK_BYTES // 4 * lists) * _BLOCK_BYTES, max_unpacked), b"\0")


def number_cells(sheet: bytes) -> bytes:
    """Return a sheet of an XLSB with the columns of all cells, some of which SheetJS omits."""
    numbered, place, column = bytearray(), 0, -1
    while record := _RECORD.match(sheet, place):
        kind, size = map(_read_number, record.groups())
        start, place = place, record.end() + size
        body = sheet[record.end() : place]
        if 12 <= kind <= 18:  # cells without a column, which [MS-XLSB] does not list
            column += 1
            sizes = ((size + 4) >> n & 0x7F | 0x80 * (n < 21) for n in (0, 7, 14, 21))
            numbered += bytes([kind - 11, *sizes]) + column.to_bytes(4, "little") + body
            continue
        if kind < 12:  # a row (0), or a cell with a column
            column = int.from_bytes(body[:4], "little") if kind else -1
        numbered += sheet[start:place]
    return bytes(numbered)


def _read_number(value: bytes) -> int:
    """Return a number that is written in bytes of seven bits, the lowest first."""
    if len(value) == 1:  # a fast path, as most numbers have one byte
        return value[0]
    return sum((byte & 0x7F) << 7 * number for number, byte in enumerate(value))


def read_sheet_name(workbook: bytes) -> str:
    """Return the name of the first sheet of an XLS, or of the workbook of an XLSB; else ""."""
    for sheet in _SHEET.finditer(workbook):
        start = sheet.end() + (4 + 2 * sheet[4][0] if sheet[4] else 0)
        length, width = (workbook[start - 4], 2) if sheet[4] else (sheet[2][0], 1 + sheet[3][0])
        if sheet[4] or sheet[1][0] == 8 + length * width:
            name = workbook[start : start + length * width]
            return name.decode("utf-16-le" if width > 1 else "latin-1", "replace")
    return ""


def read_shapes(workbook: bytes) -> Iterator[str]:
    """Yield the texts of the shapes of an XLS."""
    for shape in _SHAPE.finditer(workbook):
        width = 1 + shape[2][0]
        text = workbook[shape.end() : shape.end() + width * int.from_bytes(shape[1], "little")]
        yield text.decode("utf-16-le" if width > 1 else "latin-1", "replace").strip()
