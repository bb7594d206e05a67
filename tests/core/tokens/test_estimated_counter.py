"""The estimate of tokens, compared with real tokenizers on texts of many kinds."""

import base64
import inspect
import random
import string
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.tokens import EstimatedCounter, estimated_counter, token_counter
from tests.core.core_support import nasty_texts, quick

VOCABULARY = (
    "river stone market letter window garden harbour winter paper silver morning travel bridge "
    "little answer quiet under between second after never north family music story people table"
)
WORDS = VOCABULARY.split()

LANGUAGES = {
    "english": "The harbour master kept two ledgers. In the first she wrote what every ship had "
    "declared: timber, salted fish, barrels of nails, and once a piano. In the second, which "
    "nobody was meant to see, she wrote what the dockers told her they had really carried.",
    "german": "Die Hafenmeisterin führte zwei Bücher. In das erste schrieb sie, was jedes Schiff "
    "angegeben hatte: Holz, gesalzenen Fisch, Fässer mit Nägeln und einmal sogar ein Klavier.",
    "spanish": "La encargada del puerto llevaba dos libros. En el primero escribía lo que cada "
    "barco había declarado: madera, pescado salado, barriles de clavos y una vez un piano.",
    "russian": "Начальница порта вела две книги. В первую она записывала то, что заявлял каждый "
    "корабль: лес, солёную рыбу, бочки с гвоздями и однажды даже рояль.",
    "chinese": "港口的管理员有两本账簿。第一本记录每艘船申报的货物：木材、咸鱼、成桶的钉子，"
    "有一次甚至还有一架钢琴。第二本不给任何人看，里面写的是工人们告诉她的真实情况。",
    "japanese": "港の管理人は二冊の帳簿をつけていた。一冊目には、それぞれの船が申告した荷物を書いた"
    "。木材、塩漬けの魚、釘の樽、そして一度だけピアノ。",
    "korean": "항구 관리인은 장부를 두 권 썼다. 첫 번째 장부에는 배가 신고한 물건을 적었다. "
    "목재와 소금에 절인 생선, 못이 든 통, 그리고 한 번은 피아노도 있었다.",
    "thai": "ผู้ดูแลท่าเรือมีสมุดบัญชีสองเล่ม เล่มแรกเขียนสิ่งที่เรือแต่ละลำแจ้งไว้ เช่น "
    "ไม้ ปลาเค็ม ถังตะปู และครั้งหนึ่งมีเปียโนด้วย",
    "arabic": "كانت مديرة الميناء تحتفظ بدفترين. في الدفتر الأول كانت تكتب ما تعلنه كل سفينة من "
    "الخشب والسمك المملح وبراميل المسامير، ومرة واحدة كان هناك بيانو.",
    "hindi": "बंदरगाह की अधिकारी के पास दो बहियाँ थीं। पहली में वह लिखती थी कि हर जहाज़ ने क्या बताया है: "
    "लकड़ी, नमक लगी मछली, कीलों के पीपे और एक बार एक पियानो।",
}
FILES = ("customers.csv", "names.tsv", "widgets.json", "one_line.json", "worker.log", "table.txt")


def generate_texts() -> dict[str, str]:
    dice = random.Random(11)

    def repeat(line) -> str:
        return "".join(line() for _ in range(60))

    def word() -> str:
        return dice.choice(WORDS)

    def digits(count: int) -> str:
        return "".join(dice.choices(string.digits, k=count))

    def hexadecimal(count: int) -> str:
        return "".join(dice.choices("0123456789abcdef", k=count))

    return {
        "urls": repeat(
            lambda: (
                f"https://www.{word()}{word()}.com/{word()}/{word()}-{word()}?id={digits(5)}"
                f"&ref={hexadecimal(6)}\n"
            )
        ),
        "code": inspect.getsource(textwrap),
        "minified code": repeat(
            lambda: (
                f"function {word()[0]}(e,t){{var n=t.{word()};return n&&e.{word()}("
                f"function(r){{return r!==n[{dice.randrange(9)}]}})}}"
            )
        ),
        "hexadecimal": hexadecimal(2000),
        "base64": base64.b64encode(dice.randbytes(1500)).decode(),
        "numbers": repeat(lambda: f"{dice.random():.6f} {dice.randrange(10**6)}\n"),
        "digits": digits(1500),
        "emoji": repeat(
            lambda: chr(dice.randrange(0x1F300, 0x1F5FF)) + chr(dice.randrange(0x1F600, 0x1F64F))
        ),
        "combining marks": repeat(
            lambda: word()[0] + "".join(chr(dice.randrange(0x300, 0x36F)) for _ in range(6))
        ),
        "random letters": "".join(dice.choices(string.ascii_letters, k=1500)),
        "capitals": " ".join(word().upper() for _ in range(300)),
        "identifiers": repeat(lambda: f"{word()}_{word()} = {word()}{word().title()}();\n"),
    }


FORMATS = Path(__file__).parents[1] / "formats"
READ = {name: (FORMATS / name).read_text(encoding="utf-8") for name in FILES}
KINDS = {**LANGUAGES, **READ, **generate_texts()}


def real(text: str) -> int:
    """The larger of the counts of the two encodings."""
    return max(token_counter(name).count([text])[0] for name in ("cl100k_base", "o200k_base"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_is_close_to_real_counts_for_every_kind_of_text(kind):
    (estimate,) = EstimatedCounter().count([KINDS[kind]])
    assert 0.85 <= estimate / real(KINDS[kind]) <= 1.4


def test_the_estimate_of_english_prose_is_near_the_encodings():
    (estimate,) = EstimatedCounter().count([LANGUAGES["english"]])
    assert estimate == pytest.approx(real(LANGUAGES["english"]), rel=0.06)


def test_an_empty_text_counts_nothing_and_any_other_at_least_one():
    texts = ["", "a", " ", "\n", "\u200b", "\ufeff", "\x00", "\ud800", "\U0010ffff", "\u0301"]
    (empty, *others) = EstimatedCounter().count(texts)
    assert empty == 0
    assert min(others) >= 1


any_text = st.one_of(nasty_texts, st.text(max_size=40), st.sampled_from(list(KINDS.values())))


@given(text=any_text, data=st.data())
@quick
def test_a_shorter_text_never_counts_more(text, data):
    shorter = text[: data.draw(st.integers(0, len(text)))]
    whole, part, stripped, left_stripped = EstimatedCounter().count(
        [text, shorter, text.strip(), text.lstrip()]
    )
    assert part <= whole
    assert stripped <= left_stripped <= whole


@given(texts=st.lists(any_text, min_size=1, max_size=6))
@quick
def test_counts_add_up_except_at_the_seams(texts):
    (joined,) = EstimatedCounter().count(["".join(texts)])
    assert abs(sum(EstimatedCounter().count(texts)) - joined) <= 3 * len(texts)


@pytest.mark.parametrize("name", ["estimate", "even"])
@given(texts=st.lists(any_text.filter(bool), min_size=1, max_size=6), around=any_text)
@quick
def test_parts_of_a_text_count_the_same_separately(name, texts, around):
    counter: Any = token_counter(name)
    edges = np.cumsum([len(around), *map(len, texts)]).tolist()
    text = "".join([around, *texts, around])
    assert counter.of(text).count([*pairwise(edges)]) == counter.count(texts)


@given(before=st.integers(0, 20), text=any_text)
@quick
def test_the_count_does_not_depend_on_how_the_text_falls_into_blocks(before, text):
    block = estimated_counter._BLOCK_LENGTH
    filler = "word " * (block // 5)
    shifted = filler[: block - before] + text
    starts = range(0, len(shifted), block)
    in_blocks = [estimated_counter._block_costs(shifted, start) for start in starts]
    with mock.patch.object(estimated_counter, "_BLOCK_LENGTH", len(shifted)):
        assert np.array_equal(np.concatenate(in_blocks), estimated_counter._block_costs(shifted, 0))


def test_each_character_is_read_once_and_eight_more_per_block(monkeypatch):
    seen = []
    look, block = estimated_counter._block_costs, estimated_counter._BLOCK_LENGTH
    monkeypatch.setattr(
        estimated_counter,
        "_block_costs",
        lambda text, start: seen.append(len(text[start:][:block])) or look(text, start),
    )
    work = []
    for size in (100_000, 200_000, 400_000):
        seen.clear()
        EstimatedCounter().count(["\u4f60" * size, "ab " * 10])
        work.append(sum(seen))
    assert [after - before for before, after in pairwise(work)] == [100_000, 200_000]


def test_the_even_counter_counts_english_like_the_estimate_and_other_alphabets_alike() -> None:
    even, estimate = token_counter("even"), EstimatedCounter()
    text = "Otters live along rivers, and hunt fish at dawn. " * 4
    assert even.count([text]) == estimate.count([text])
    greek = text.translate({ord("a") + n: 0x3B1 + n % 17 for n in range(26)})
    assert estimate.count([greek])[0] > 2 * estimate.count([text])[0]
    assert even.count([greek])[0] < 1.5 * estimate.count([text])[0]
