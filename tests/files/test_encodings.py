import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_files import UnreadableFileError, read_bytes, read_file

IN_UTF_16 = {
    "ascii": "Keyword\tCurrency\nblue boat\tEUR\n",
    "latin": "Größe — “Straßen” führen weiter.\r\n",
    "cyrillic": "Привет, мир. Как дела?\n",
    "greek": "Καλημέρα κόσμε. Τι κάνεις;\n",
    "arabic": "مرحبا بالعالم كيف حالك اليوم\n",
    "hindi": "नमस्ते दुनिया आप कैसे हैं\n",
    "chinese": "今天天气很好，我们一起去公园。\n一个人一本书。\n",
    "japanese": "これはテストです。今日はいい天気ですね。",
    "emoji": "ok 😀 fine 🎉\n",
}


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [*(("", name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32")), ("\ufeff", "utf-16-le")],
)
def test_unicode_encodings_are_detected_by_their_mark(mark: str, encoding: str) -> None:
    text = "Die Flut\r\nkäme — früh.\n"
    file = read_bytes((mark + text).encode(encoding), name="a.txt")
    assert (file.text, file.detected) == (text, False)
    assert read_bytes(b"\xef\xbb\xbfa", name="a.txt", encoding="utf-8").text == "a"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf_8_is_read_back_unchanged(text: str) -> None:
    assert read_bytes(text.encode(), name="a").text == text.removeprefix("\ufeff")


def test_other_encodings_are_detected_and_marked_as_guessed(tmp_path: Path) -> None:
    text = "Les élèves préfèrent les vacances d’été, où ils écoutent la mer à côté. " * 9
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode("cp1252"))
    file = read_file(path)
    assert file.detected
    assert file.text == text
    assert not read_file(path, encoding="cp1252").detected


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (b"caf\xe9", "utf-8", r"not utf-8: byte 3 \(0xe9\)"),
        (b"abc", "latin-99", "unknown encoding 'latin-99'"),
        (b"abc", "base64", "unknown encoding 'base64'"),
    ],
)
def test_undecodable_bytes_raise_an_error(content: bytes, encoding: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_bytes(content, name="a.txt", encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"])
@pytest.mark.parametrize("language", IN_UTF_16)
def test_utf_16_and_utf_32_are_detected_without_a_byte_order_mark(
    language: str, encoding: str
) -> None:
    text = IN_UTF_16[language]
    file = read_bytes(text.encode(encoding), name="a.tsv")
    assert (file.text, file.encoding, file.detected) == (text, encoding, True)
    assert not file.notices


PROSE = "Größe — “Straßen” führen weiter.\nThe rest is ASCII.\n" * 3


@pytest.mark.parametrize(
    ("content", "text", "damaged"),
    [
        (PROSE.encode() + b"\xff end", PROSE + "\ufffd end", "1 place, first in line 7"),
        (b"\x80" + PROSE.encode() + b"\xc3 x", "\ufffd" + PROSE + "\ufffd x", "2 places, .* 1"),
        ("drei Stück ß".encode()[:-1], "drei Stück \ufffd", "1 place"),
        (b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fer als das \xff!", "größer als das \ufffd!", "1 place"),
        ("a\ufffd b\u00e4 c\u00fc".encode() + b"\xff", "a\ufffd bä cü\ufffd", "1 place"),
        ("\ufeffa blue boat".encode("utf-16-le")[:-1], "a blue boa\ufffd", "1 place"),
        ("blue boats".encode("utf-16-be")[:-1], "blue boat\ufffd", "1 place"),
    ],
)
def test_a_few_damaged_bytes_cause_a_notice_and_do_not_change_the_encoding(
    content, text, damaged
) -> None:
    file = read_bytes(content, name="a.txt")
    assert file.text == text
    [notice] = file.notices
    assert notice.startswith("damaged utf")
    assert re.search(damaged, notice)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        # Of encodings that give the same text, the Western one is named.
        ("cp1252", "Die Straße war naß. Der Müller schlief. Übermorgen kommt der Bär nach Köln.\n"),
        ("cp1251", "Сегодня хорошая погода, и мы идём гулять в парк. Река течёт быстро. "),
        ("koi8_r", "Сегодня хорошая погода, и мы идём гулять в парк. Река течёт быстро. "),
        ("cp866", "Сегодня хорошая погода, и мы идём гулять в парк. Река течёт быстро. "),
        ("cp932", "これはテストです。今日はいい天気ですね。明日は雨が降るでしょう。"),
        ("euc_jp", "これはテストです。今日はいい天気ですね。明日は雨が降るでしょう。"),
        ("gb18030", "今天天气很好，我们一起去公园。一个人一本书。昨天下雨了。"),
        ("cp949", "안녕하세요 세계. 오늘 날씨가 좋습니다. "),
    ],
)
def test_texts_in_older_encodings_are_not_damaged_utf_8(encoding: str, text: str) -> None:
    file = read_bytes((text * 3).encode(encoding), name="a.txt")
    assert (file.text, file.encoding, file.notices) == (text * 3, encoding, ())


@pytest.mark.parametrize(
    "content",
    [
        *(bytes(1000), b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe"),
        b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 20,
        b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(range(256)) * 20,
    ],
)
def test_bytes_that_are_not_text_are_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="neither text in a known encoding"):
        read_bytes(content, name="a.txt")


@pytest.mark.parametrize("text", ["hello\0world", "N\bNA\bAM\bME\bE\n", "\x1b[31mred\x1b[0m"])
def test_control_characters_do_not_suggest_utf_16(text: str) -> None:
    assert read_bytes(text.encode(), name="a.txt").text == text
