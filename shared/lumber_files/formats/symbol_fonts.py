"""The characters of symbol fonts, which files store as ordinary letters."""

# ruff: noqa: RUF001 - the table has characters that look like others

from __future__ import annotations

# The characters of each font from 0x20 on, from its maker's table; "\ufffd" if Unicode has none.
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ"
    "ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    f"{chr(0xFFFD) * 33}€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉"
    "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_WINGDINGS = (
    " ✏✂✁👓🔔📖🕯☎✆✉📧📪📫📬📭📁📂📄🗏🗐🗄⌛⌨🖰🖲🖥💻💾💾✇✍✍✌👌👍👎☜☞☝☟🖐☺😐☹"
    "💣☠🏳🏱✈☼💧❄✝✞✟✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓&&●❍■□□❑❒⬧⧫◆❖⬥☒⌃"
    "⌘❀✿❝❞\ufffd⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿❦❧❦❧❧❦❧❦·•▪○◯◯◉◎◯"
    "▪◻▲✦★✶✴✹✵⌖⌖⟡⌑\ufffd✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛↰↱↲↳↴↵↶↷❦❧❧❧❦❦❧❧❦"
    "❦⌫⌦➢➢➢➢➲➲➲➲←→↑↓↖↗↙↘←➔↑↓↖↗↙↘⇦⇨⇧⇩⬄⇳⬀⬁⬃⬂▭▫✗✓☒☑"
)
_TABLES = {
    "symbol": dict(enumerate(_SYMBOL, start=0x20)),
    "wingdings": dict(enumerate(_WINGDINGS, start=0x20)),
    "wingdings 2": dict(zip(b"OPQRSTUV*\xa3\x98\x97", "✗✓☒☑☒☒⊗⊗□□•●", strict=True)),
    "wingdings 3": dict(
        zip(b"!\"#$%&'(12pqrstuvwxyz{|}~\x80", "←→↑↓↖↗↙↘↔↕▲▼△▽◀▶◁▷◣◢◤◥◂▸▴▾", strict=True)
    ),
    "webdings": dict(zip(b"acrgni", "✓□✗■●●", strict=True)),
}


def show_symbols(text: str, *fonts: str) -> str:
    """Return a text in a font as Unicode; "\ufffd" for a symbol that has no character here.

    A symbol is a letter below U+0100, or one from U+F000 on. The first known font counts.
    """
    table = next((_TABLES[font.lower()] for font in fonts if font.lower() in _TABLES), None)
    if table is None:
        return text
    codes = ((letter, ord(letter) - 0xF000 * (0xF000 <= ord(letter) < 0xF100)) for letter in text)
    return "".join(
        table.get(code, "\ufffd") if 0x20 < code < 0x100 else letter for letter, code in codes
    )
