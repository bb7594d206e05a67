"""Word pieces equal those of `tokenizers` for any text; other tokenizers are refused."""

import json
import random
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import WeightsError
from lumber_core.bert import tokenizer as tokenizer_module
from lumber_core.bert.model_folder import OWN_FOLDERS
from lumber_core.bert.tokenizer import WordPieceTokenizer

FORMATS = Path(__file__).parents[1] / "formats"
BUNDLED: dict[str, Any] = json.loads((OWN_FOLDERS["large"] / "tokenizer.json").read_text("utf-8"))
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# A vocabulary of characters shows the characters of a word, and where they are.
LETTERS = (
    "".join(map(chr, range(0x21, 0x500)))
    + "ßﬁİıΣςσάᾀ가힣각中日本語豈ががｶﾞกำไ้اَّ\u302e\U0001d165\u0345"
)


def content(words: list[str] | None = None, **normalizer: Any) -> dict:
    """Return the bundled `tokenizer.json` with another vocabulary or other rules."""
    parsed: dict[str, Any] = json.loads(json.dumps(BUNDLED))
    parsed["normalizer"].update(normalizer)
    if words is not None:
        numbers = {word: number for number, word in enumerate(dict.fromkeys([*SPECIAL, *words]))}
        parsed["model"]["vocab"] = numbers
        for token in parsed["added_tokens"]:
            token["id"] = numbers[token["content"]]
    return parsed


def of_characters(**rules: Any) -> dict:
    letters = {part for c in LETTERS for form in (c, c.lower()) for part in nfd(form) | {form}}
    return content([word for c in sorted(letters) for word in (c, f"##{c}")], **rules)


def nfd(text: str) -> set[str]:
    return set(unicodedata.normalize("NFD", text))


KINDS = {
    "bundled": content(),
    "cased": content(lowercase=False),
    "accents kept": content(strip_accents=False),
    "characters": of_characters(),
    "characters, cased": of_characters(lowercase=False, strip_accents=True),
}
Pieces = list[tuple[int, int, int]]
Both = tuple[Callable[[str], Pieces], Callable[[str], Pieces]]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Both]:
    """Return our tokenizer and that of `tokenizers` for the same kind of content."""
    package = pytest.importorskip("tokenizers")
    pairs: dict[str, Both] = {}

    def of_kind(kind: str) -> Both:
        if kind not in pairs:
            path = tmp_path_factory.mktemp("kind") / "tokenizer.json"
            path.write_text(json.dumps(KINDS[kind]), encoding="utf-8")
            ours = WordPieceTokenizer.from_folder(path.parent)
            theirs = package.Tokenizer.from_file(str(path))
            pairs[kind] = (
                (lambda text: pieces(ours, text)),
                (lambda text: expected_pieces_of(theirs, text)),
            )
        return pairs[kind]

    return of_kind


def pieces(tokenizer: WordPieceTokenizer, text: str) -> Pieces:
    encoded = tokenizer(text)
    assert {array.dtype.name for array in encoded} == {"int32"}
    return list(zip(*(array.tolist() for array in encoded), strict=True))


def expected_pieces_of(theirs: Any, text: str) -> Pieces:
    encoded = theirs.encode(text, add_special_tokens=False)
    return [
        (number, *offsets) for number, offsets in zip(encoded.ids, encoded.offsets, strict=True)
    ]


# `tokenizers` uses Unicode 8. All of these are in it; the four that changed since are left out.
# No characters are assigned between the third plane and the tags.
KNOWN = [
    character
    for character in map(chr, [*range(0x30000), *range(0xE0000, 0xE0080)])
    if unicodedata.ucd_3_2_0.category(character) not in ("Cn", "Cs", "Co")
    and character not in "\u166d\u1734\u1885\u1886"
    # NFD reorders marks that are not accents.
    and (not unicodedata.combining(character) or unicodedata.category(character) == "Mn")
    and not "\U0001d15e" <= character <= "\U0001d1c0"
]
MARKS = [character for character in KNOWN if unicodedata.combining(character)]
assigned = st.sampled_from(KNOWN)
hard = st.sampled_from(
    "İıẞßΣςσﬁﬂǄǅ가각힣ᆨÅÅ≠ΐ;·豈丽中ｶﾞกำ😀👨‍👩‍👧🇩🇪‘’—…。、" + "\u200b\u200d\u00ad\ufeff\ufffd\ufffe"
)
spaces = st.sampled_from("\t\n\v\f\r \x00\x1c\x1f\x7f\x85\xa0\u1680\u180e\u2003\u2028\u202f\u3000")
words = st.sampled_from([*SPECIAL, "[sep]", "[SE", "P]", "unaffable", "Una ", "x" * 101, "##"])
texts = st.lists(
    st.one_of(assigned, st.sampled_from(MARKS), hard, spaces, words, st.text("aB. ,é"))
).map("".join)


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts)
def test_word_pieces_equal_those_of_tokenizers(
    both: Callable[[str], Both], kind: str, text: str
) -> None:
    ours, theirs = both(kind)
    assert ours(text) == theirs(text)


@pytest.mark.parametrize("kind", ["bundled", "cased"])
def test_every_character_is_read_as_by_tokenizers(both: Callable[[str], Both], kind: str) -> None:
    ours, theirs = both(kind)
    # Scripts of thousands of similar characters are sampled.
    many = ("CJK U", "HANGUL S")
    characters = [
        c for c in KNOWN if ord(c) % 97 == 0 or not unicodedata.name(c, "").startswith(many)
    ]
    assert len(characters) > 10_000
    for begin in range(0, len(characters), 4096):
        text = " ".join(f"a{character}b" for character in characters[begin : begin + 4096])
        assert ours(text) == theirs(text)


HARD = {
    "nothing": "",
    "white space": " \t\r\n\u3000",
    "special tokens": "[CLS]One[SEP][SEP] two [MASK].[UNK][PAD]",
    "parts of special tokens": "[[SEP]] [SEP [CL[CLS]S] [sep] [ SEP]",
    "one character becomes two": "İstanbul ISTANBUL İİ ŉ ǰ",
    "one character becomes none": "e\u0301\u0301 \u0301 a\u0301\u200bb\x00c",
    "dropped at the ends": "\u200bone\u200b \ufeff two\x00",
    "Hangul": "한국어 텍스트 각",
    "ligatures": "ﬁnal ﬂow",
    "ideographs among letters": "ab中文cd豈e",
    "kana": "ひらがな カタカナ ｶﾞ が",
    "Thai": "ภาษาไทยไม่มีช่องว่าง น้ำ",
    "Arabic": "مُحَمَّد السَّلَامُ",
    "emoji": "👨‍👩‍👧 🇩🇪 👍🏽 😀text",
    "a sign that decomposes": "a≠b c≮d `\u1fef; \u037e",
    "a long word": "x" * 100 + " " + "x" * 101 + " " + "é" * 100 + "中" * 101,
    "a table": 'a,b;c|d\n1.5,-2,"x"\n',
    "Markdown": "# Title\n\n* `code` **bold** [link](http://x.y/z?q=1)\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_hard_texts_and_the_formats_of_files_are_read_as_by_tokenizers(both, kind) -> None:
    ours, theirs = both(kind)
    files = {path.name: path.read_text(encoding="utf-8") for path in FORMATS.iterdir()}
    assert len(files) > 10
    for name, text in {**HARD, **files}.items():
        assert ours(text) == theirs(text), name


@pytest.mark.parametrize("shift", range(6))
@pytest.mark.parametrize("unit", ["word ", "中", "a,", "naïve "])
def test_long_texts_are_read_as_a_whole(both, monkeypatch, unit, shift) -> None:
    monkeypatch.setattr(tokenizer_module, "_PARTS_PER_BATCH", 64)
    ours, theirs = both("bundled")
    text = unit * (64 // len(unit) + shift) + "[SEP]İé e\u0301[MASK]日本 end." * 9
    assert ours(text) == theirs(text)


def test_lone_surrogates_are_dropped_like_replacement_characters() -> None:
    ours = WordPieceTokenizer.from_folder(OWN_FOLDERS["large"])
    assert pieces(ours, "ab\ud83dcd \udc00") == pieces(ours, "ab\ufffdcd \ufffd")
    assert len(pieces(ours, "\ud83d")) == 0


def test_cached_pieces_are_few_and_do_not_change_results(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    text = " ".join("".join(rng.choices("abcé中", k=rng.randint(1, 9))) for _ in range(5000))
    expected_pieces = pieces(WordPieceTokenizer.from_folder(OWN_FOLDERS["large"]), text)
    monkeypatch.setattr(tokenizer_module, "_MAX_CACHED_PARTS", 50)
    ours = WordPieceTokenizer.from_folder(OWN_FOLDERS["large"])
    assert pieces(ours, text) == expected_pieces
    assert 0 < len(ours._pieces) <= 50
    with ThreadPoolExecutor(4) as pool:
        assert all(
            thread_pieces == expected_pieces
            for thread_pieces in pool.map(lambda _: pieces(ours, text), range(8))
        )


@pytest.mark.parametrize("kind", KINDS)
def test_an_exported_tokenizer_can_be_read_by_tokenizers(kind: str, tmp_path: Path) -> None:
    package = pytest.importorskip("tokenizers")
    truncating = {**KINDS[kind], "truncation": {"max_length": 3}, "padding": {"length": 9}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(truncating), encoding="utf-8")
    ours = WordPieceTokenizer.from_folder(tmp_path)
    path = tmp_path / "written.json"
    path.write_text(ours.to_json(), encoding="utf-8")
    text = "\n".join(HARD.values())
    assert expected_pieces_of(package.Tokenizer.from_file(str(path)), text) == pieces(ours, text)


def test_the_bundled_tokenizer_is_exported_unchanged() -> None:
    written = WordPieceTokenizer.from_folder(OWN_FOLDERS["large"]).to_json()
    assert written == (OWN_FOLDERS["large"] / "tokenizer.json").read_text("utf-8")


def content_with(section: str, **values: Any) -> dict:
    parsed = content(["a"])
    parsed[section].update(values)
    return parsed


def with_token(**values: Any) -> dict:
    parsed = content(["a"])
    parsed["added_tokens"].append({**parsed["added_tokens"][0], **values})
    return parsed


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({**content(["a"]), "normalizer": None}, "damaged or not BERT's"),
        (content_with("normalizer", type="NFC"), "normalizer to be 'BertNormalizer', not 'NFC'"),
        (content_with("normalizer", clean_text=False), "clean_text of the normalizer to be True"),
        (content_with("pre_tokenizer", type="ByteLevel"), "not 'ByteLevel'"),
        (content_with("model", type="BPE"), "type of the model to be 'WordPiece', not 'BPE'"),
        (content_with("model", unk_token="<unk>"), "unk_token"),
        (content_with("model", max_input_chars_per_word=9), "max_input_chars_per_word"),
        (content_with("model", vocab=["a"]), "damaged or not BERT's"),
        (content_with("model", vocab={"a": 0}), "UNK"),
        (content_with("model", vocab={"[UNK]": 0, "a": "b"}), "token IDs"),
        (content_with("model", vocab={"[UNK]": 0, "a": 10**12}), "token IDs"),
        (with_token(content="[X]", id=9, lstrip=True), "matched differently"),
        (with_token(content="covid", id=9), "'covid' is matched differently"),
        ({**content_with("model", vocab={"[UNK]": 0}), "added_tokens": []}, r"has no \[CLS\]"),
        ([], "damaged or not BERT's"),
        *(
            (damaged, r"tokenizer\.json is damaged")
            for damaged in (b"", b"{", b"\xff\xfe{}", b"[" * 100_000, b"nothing")
        ),
    ],
    ids=lambda given: str(given)[-30:],
)
def test_other_tokenizers_are_refused(written: Any, reason: str, tmp_path: Path) -> None:
    content = written if isinstance(written, bytes) else json.dumps(written).encode()
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(WeightsError, match=reason):
        WordPieceTokenizer.from_folder(tmp_path)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"tokenizer\.json does not exist.*save_pretrained"):
        WordPieceTokenizer.from_folder(tmp_path)
