"""Finds in binary Office files (DOC, PPT, XLS, XLSB) what anydoc leaves out or misreads.

Records are known by their form wherever they are in a file: anydoc reads its streams.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

# Records of [MS-XLS] (BoundSheet8, Row, ColInfo) and [MS-XLSB] with the bit that hides.
_HIDDEN_RECORDS = {
    "sheets": rb"\x85\0[\x09-\xff]\0.{4}[\x01\x02]\0.[\0\x01]|\x9c\x01.[\x01\x02]\0{3}",
    "rows": rb"\x08\x02\x10\0.{4}(?!\0\0).{8}[ -?`-\x7f\xa0-\xbf\xe0-\xff]"
    rb"|\0\x19.{2}[\0-\x10]\0.{7}[\x10-\x1f0-?P-_p-\x7f].\x01\0{3}",
    "columns": rb"\x7d\0\x0c\0.\0.[\0\x01].{4}[\x01\x03\x05\x07]"
    rb"|<\x12(?:.{2}\0\0){2}.{8}[\x01\x03]",
}
# Records of what is left out: in [MS-DOC] the length of text boxes in its first block, and fields
# of equations without a result; in [MS-PPT] ExOleEmbedContainer; in [MS-XLS] the BOF of charts.
_LEFT_OUT = {
    "doc": {
        "text boxes": rb"\xec\xa5[\x01-\x12\xc0-\xc2][\0\x01].{96}(?!\0{4})",
        "equations in fields": rb"\x13(?: \0?)?EQ |\x13\0(?: \0)?E\0Q\0 \0",
    },
    "ppt": {"charts and other embedded objects": rb"\x0f\0\xcc\x0f.{4}\0{2}\xcd\x0f\x08\0{3}"},
    "xlsx": {"charts": rb"\x09\x08\x10\0\0\x06\x20\0"},
}
# Obj and TxO of [MS-XLS] for a shape that is no comment: the length of its text, and whether that
# has two bytes a character.
_SHAPE_TEXT = re.compile(
    rb"\x15\0\x12\0[\0-\x18\x1a-\x1e]\0.{14,74}?\xb6\x01\x12\0.{10}(..).{6}\x3c\0..([\0\x01])",
    re.DOTALL,
)
# Looks of cells in these files whose format is a date of BUILT_IN that anydoc does not know.
_LOCAL_DATE = re.compile(rb"(\xe0\0\x14\0..|\x2f\x10..)([\x1b-\x24\x32-\x3a])\0", re.DOTALL)
_LOOKS = re.compile(rb"\x48\x2a[\x01\x02]|\x3c\x08\x01")  # [MS-DOC]: sprmCIss, sprmCFVanish
_FOLDERS = ("PP97_DUALSTORAGE", "Root Entry")  # of a PPT for PowerPoint 95 too
_BLOCK = 512  # bytes of a block of such looks
_CHILD = 76  # the place of the first child of a folder in its entry of [MS-CFB]


def list_left_out(content: bytes, kind: str) -> list[str]:
    """Return notices of what a file of a kind contains that is left out, or is not marked."""
    groups = [("hidden ", _HIDDEN_RECORDS if kind == "xlsx" else {}), ("", _LEFT_OUT.get(kind, {}))]
    found = [
        (start, [name for name, form in forms.items() if re.search(form, content, re.DOTALL)])
        for start, forms in groups
    ]
    notices = [f"{start}{', '.join(names)} left out" for start, names in found if names]
    if kind == "doc" and any(map(_LOOKS.search, _blocks_of_looks(content))):
        notices.append("raised, lowered or hidden text is not marked")
    return notices


def _blocks_of_looks(document: bytes) -> Iterator[bytes]:
    """Yield the blocks of a DOC with the looks of its characters: rising places come first."""
    for start in range(_BLOCK, len(document) - _BLOCK + 1, _BLOCK):
        block = document[start : start + _BLOCK]
        count = min(block[-1], (_BLOCK - 1) // 5)  # each has a place of 4 bytes, and 1 to its look
        places = struct.unpack_from(f"<{count + 1}I", block)
        if count and all(map(int.__lt__, places, places[1:])):
            yield block


def repair_binary(content: bytes, kind: str) -> bytes:
    """Return an XLS, the looks of an XLSB or a PPT as anydoc reads it.

    It knows few formats of dates, and of PowerPoint 95 and 97 in one file only the first.
    """
    if kind == "ppt":
        newer, root = (content.find(name.encode("utf-16-le")) for name in _FOLDERS)
        if min(newer, root) > 0:
            child = content[newer + _CHILD : newer + _CHILD + 4]
            return content[: root + _CHILD] + child + content[root + _CHILD + 4 :]
    return (
        _LOCAL_DATE.sub(
            lambda look: look[1] + (b"\x15\0" if look[2] in b" !" else b"\x0e\0"), content
        )
        if kind == "xlsx"
        else content
    )


def read_shapes(workbook: bytes) -> list[str]:
    """Return the texts of the shapes of an XLS."""
    texts = []
    for shape in _SHAPE_TEXT.finditer(workbook):
        width = 1 + shape[2][0]
        text = workbook[shape.end() : shape.end() + width * int.from_bytes(shape[1], "little")]
        texts.append(text.decode("utf-16-le" if width > 1 else "latin-1", "replace").strip())
    return [*filter(None, texts)]
