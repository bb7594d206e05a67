"""The texts that every contract is checked on: ordinary ones, and ones that break splitters."""

from __future__ import annotations

_PROSE = (
    "The night train left Arosa at ten. Nobody on the platform waved.\n\n"
    "Mira counted the coins again. Eleven francs short, as always, and the conductor was coming "
    "down the aisle. She put on her coat.\n\n"
    "Further down the valley the power had failed. Dr. Keller lit a candle and wrote on.\n\n"
)

TEXTS: dict[str, str] = {
    "prose": _PROSE * 12,
    "repeated sentences": "The bell rang twice. " * 200,
    "repeated paragraphs": "The bell rang twice.\n\n" * 120,
    "Windows line ends": (_PROSE * 6).replace("\n", "\r\n"),
    "blank edges": "\n\n   \t" + _PROSE + "  \n\n\n",
    "white space only": " \n\t \n\n ",
    "wrapped lines": "The night train left\nArosa at ten. Nobody\non the platform waved.\n" * 40,
    "one long paragraph": "The coins were counted again and " * 400,
    "one long word": "abcdefghij" * 400,
    "Chinese": "夜班火车十点离开了阿罗萨。站台上没有人挥手。她又数了一遍硬币。" * 40,
    "Chinese without marks": "夜班火车十点离开了阿罗萨站台上没有人挥手她又数了一遍硬币" * 40,
    "Japanese": "夜行列車は十時にアローザを出た。誰も手を振らなかった。\n\n" * 40,
    "Thai": "รถไฟกลางคืนออกจากอาโรซาเวลาสิบนาฬิกาไม่มีใครโบกมือ" * 40,
    "Arabic": "غادر القطار الليلي أروزا في العاشرة. لم يلوّح أحد على الرصيف.\n\n" * 30,
    "Hindi": "रात की रेलगाड़ी दस बजे अरोसा से निकली। मंच पर किसी ने हाथ नहीं हिलाया।\n\n" * 30,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇨🇭🇯🇵 fine! " * 60,
    "combining marks": "a\u0301\u0323e\u0308\u0304o\u0302\u0301 n\u0303 " * 120,
    "table": "id,name,price\n" + "".join(f"{n},part {n},{n * 7}.50\n" for n in range(200)),
    "JSON": '{"rows":[' + ",".join(f'{{"id":{n},"ok":true}}' for n in range(200)) + "]}",
    "Markdown": "# Tools\n\n- saw\n- plane\n\n```python\nfor n in range(3):\n    print(n)\n```\n\n"
    * 25,
    "log": "".join(f"2026-03-01T10:{n % 60:02}:00Z WARN pump {n} slow\n" for n in range(200)),
    "special tokens": "<|endoftext|> is text here, and so is <|fim_prefix|>.\n\n" * 40,
    "control characters": "a\x00b\x1f c.\x0c D\x85 e.\n\n" * 60,
    "zero-width characters": "a\u200bb\ufeffc\u2060 d.\n\n" * 60,
}
"""Texts by name: a few thousand characters each, so that every contract runs in seconds."""

LONE_SURROGATES = "An old file name: \udcff. It goes on.\n\n" * 20
"""A text without a UTF-8 form. LlamaIndex's documents do not take it."""


def distinct_text(length: int) -> str:
    """Return prose of about `length` characters in which no sentence occurs twice."""
    sentences = []
    size = number = 0
    while size < length:
        number += 1
        end = "\n\n" if number % 5 == 0 else " "
        sentence = f"Wagon {number} carried {number * 37 % 1009} crates of glass to the coast.{end}"
        sentences.append(sentence)
        size += len(sentence)
    return "".join(sentences)
