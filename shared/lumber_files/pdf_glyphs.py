"""Gives glyphs the characters that their names say, where pypdf does not.

A font of a PDF may name the glyph of a code ("/uni20B9", "/f_i"), and may map the code to text.
pypdf goes by the map, though it says U+FFFD or nothing, and then by the names in Adobe's list; of
any other name it delivers the letters: "/f_i". A glyph that neither names nor maps is left alone.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

_ENTRIES = 512  # a number and a name for each code of one byte; a hostile file lists millions
_NO_GLYPH = "/.notdef"  # which pypdf delivers as "□"
_RUPEE = "rupeeIndian"  # by which Glyphs, a font editor, names "₹"; "rupee" in Adobe's list is "₨"
# Entries of a map for codes of one byte, which fonts with named glyphs have.
_UNKNOWN = re.compile(rb"(?i)<([0-9A-F]{2})>\s*<(?:FFF[DEF]|0000)?>")
_CODES = re.compile("uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6})")


def name_glyphs(font: Any) -> None:
    """Change a font so that pypdf delivers the characters that its glyph names say.

    Args:
        font: The font's dictionary in an open file; nothing is written to the file.
    """
    from pypdf.generic import DecodedStreamObject, NameObject, TextStringObject

    listed = _listed_names()
    differences = font["/Encoding"]["/Differences"]
    said: dict[int, str] = {}
    code = 0
    for place, name in islice(enumerate(differences), _ENTRIES):
        if isinstance(name, int):
            code = name
            continue
        text = "" if name == _NO_GLYPH else listed.get(name) or _text_of(name, listed)
        if text:
            said[code] = text
            if name not in listed:  # of a name that it does not know, pypdf delivers the letters
                differences[place] = TextStringObject(text)
        code += 1
    if "/ToUnicode" not in font:
        return
    table = font["/ToUnicode"].get_data()
    unknown = {int(found, 16) for found in _UNKNOWN.findall(table)}
    rows = [
        f"<{code:02x}> <{said[code].encode('utf-16-be').hex()}>"
        for code in sorted(unknown & said.keys())
    ]
    if rows:  # of several entries for a code, the last holds
        mended = DecodedStreamObject()
        mended.set_data(table + "\n".join(["\nbeginbfchar", *rows, "endbfchar"]).encode())
        font[NameObject("/ToUnicode")] = mended


def _listed_names() -> dict[str, str]:
    """Return the characters of the glyph names in Adobe's list, each name after a slash."""
    try:
        from pypdf._codecs import adobe_glyphs  # not public, and nothing else installed has it
    except ImportError:
        return {}
    return adobe_glyphs


def _text_of(name: str, listed: dict[str, str]) -> str:
    """Return what a glyph name says by the rules of Adobe's list, or "" if it says nothing.

    "a.sc" is a small capital "a"; "f_i" are an "f" and an "i"; "uni00660069" are, too.
    """
    said = ""
    for part in name.removeprefix("/").partition(".")[0].split("_"):
        codes = _CODES.fullmatch(part)
        if codes and codes[1]:
            text = bytes.fromhex(codes[1]).decode("utf-16-be", "ignore")
        elif codes:
            number = int(codes[2], 16)
            text = chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else ""
        else:
            text = "₹" if part.lower() == _RUPEE.lower() else listed.get(f"/{part}", "")
        if not text:
            return ""
        said += text
    return said
