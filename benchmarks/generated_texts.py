"""The texts that splitters are measured on, made by rule: no file is read.

Texts of the same size and seed are the same each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

TOPICS: dict[str, tuple[str, ...]] = {
    "harbour": ("the ferry", "a tug", "the pilot", "the quay", "the tide", "a crane"),
    "bakery": ("the oven", "a loaf", "the dough", "the apprentice", "the flour", "a tray"),
    "orchard": ("the ladder", "an apple", "the wasp", "the cider press", "the hedge", "a crate"),
    "observatory": ("the dome", "a comet", "the mirror", "the logbook", "the night sky", "a lens"),
    "theatre": ("the curtain", "an actor", "the prompter", "the stage", "the balcony", "a prop"),
    "railway": ("the signal", "an engine", "the guard", "the platform", "the points", "a carriage"),
}
_VERBS = ("waited for", "leaned on", "outlasted", "belonged beside", "was moved by", "hid", "kept")
_ENDS = (
    "as it had done every morning of that year",
    "although nobody had asked for it",
    "before the rain came",
    "and Dr. Hale wrote it down at 5.30 p.m.",
    "which cost 12.50 francs",
    "for the third time",
    "until the lamps were lit",
)
_CHINESE = (
    "夜班火车十点离开了车站",
    "站台上没有人挥手",
    "她又数了一遍硬币",
    "面包师傅打开了炉子",
    "港口的雾到中午才散",
    "望远镜对准了那颗彗星",
    "演员们在后台等着",
    "账本里只写了三行字",
)
_CHINESE_COMMA = "\uff0c"
_EMOJI = ("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇨🇭", "🇯🇵", "🧑🏿‍🚒", "❤️‍🔥", "🙂", "1️⃣", "🍞")


def paragraph(topic: str, number: int, rng: random.Random) -> str:
    """Return a paragraph of two to six sentences, each of which names the topic."""
    things = TOPICS[topic]
    sentences = []
    for place in range(rng.randint(2, 6)):
        who, whom = rng.sample(things, 2)
        where = f"In the {topic}, " if place == 0 else f"At the {topic} "
        sentences.append(
            f"{where}{who} {rng.choice(_VERBS)} {whom} {rng.choice(_ENDS)} ({number}.{place})."
        )
    return " ".join(sentences)


def paragraphs(seed: int) -> Iterator[str]:
    """Yield paragraphs without end; three to nine in a row share a topic."""
    rng = random.Random(seed)
    number, topic = 0, ""
    while True:
        topic = rng.choice([other for other in TOPICS if other != topic])
        for _ in range(rng.randint(3, 9)):
            number += 1
            yield paragraph(topic, number, rng)


def english(seed: int) -> Iterator[str]:
    """Yield prose in paragraphs, whose topic changes now and then."""
    return (f"{text}\n\n" for text in paragraphs(seed))


def chinese(seed: int) -> Iterator[str]:
    """Yield Chinese sentences and paragraphs; nothing is separated by spaces."""
    rng = random.Random(seed)
    while True:
        clauses = (rng.sample(_CHINESE, rng.randint(1, 3)) for _ in range(rng.randint(2, 7)))
        sentences = (_CHINESE_COMMA.join(group) for group in clauses)
        yield "。".join(sentences) + "。\n\n"


def emoji(seed: int) -> Iterator[str]:
    """Yield chat lines, a third of which are emoji of several code points."""
    rng = random.Random(seed)
    while True:
        signs = "".join(rng.choices(_EMOJI, k=rng.randint(1, 6)))
        yield f"{rng.choice(('mia', 'ben', 'zoë'))}: {rng.choice(_ENDS)} {signs}\n"


def markdown(seed: int) -> Iterator[str]:
    """Yield a handbook: headings, prose, lists, fenced code and tables."""
    rng = random.Random(seed)
    prose = paragraphs(seed)
    for number in count(1):
        yield f"## {number}. The {rng.choice(list(TOPICS))}\n\n{next(prose)}\n\n"
        yield "".join(f"- step {step}: {rng.choice(_ENDS)}\n" for step in range(4)) + "\n"
        body = "".join(f"    print({row}, {row * number})\n" for row in range(6))
        yield f"```python\nfor n in range({number}):\n{body}```\n\n"
        rows = "".join(f"| {row} | part {row} | {row * 7}.50 |\n" for row in range(8))
        yield f"| id | name | price |\n| --- | --- | --- |\n{rows}\n"


def csv(seed: int) -> Iterator[str]:
    """Yield a table of comma-separated values with quoted fields."""
    rng = random.Random(seed)
    yield "id,name,note,price,when\n"
    for number in count(1):
        name, note = rng.choice(list(TOPICS)), rng.choice(_ENDS)
        yield f'{number},{name},"{note}, {number}",{number * 7 % 991}.5,2026-03-{number % 28}\n'


def special_tokens(seed: int) -> Iterator[str]:
    """Yield prose about language models, which names their special tokens."""
    for text in paragraphs(seed):
        yield text
        yield "<|endoftext|> is text here, and so is <|fim_prefix|>.\n\n"


def fill(pieces: Callable[[int], Iterator[str]], size: int, seed: int) -> str:
    """Return the first `size` characters from a generator with a seed."""
    parts: list[str] = []
    length = 0
    for piece in pieces(seed):
        parts.append(piece)
        length += len(piece)
        if length >= size:
            break
    return "".join(parts)[:size]


def adversarial(size: int, seed: int) -> str:
    """Return texts that break splitters: long words, repeats, combining marks, blanks, no marks."""
    share = max(1, size // 6)
    parts = (
        "The bell rang twice. " * (share // 21 + 1),
        "abcdefghij" * (share // 10 + 1),
        "a\u0301\u0323e\u0308\u0304o\u0302\u0301 n\u0303 " * (share // 13 + 1),
        "\n" * (share // 2) + " \t" * (share // 4),
        "and then we went on and on " * (share // 27 + 1),
        "x\u200by\x00z\ufeff \x0c\x85" * (share // 9 + 1),
    )
    return "\n\n".join(part[: share - 2] for part in parts) + f"\n{seed}"


KINDS: dict[str, Callable[[int, int], str]] = {
    "English": partial(fill, english),
    "Chinese": partial(fill, chinese),
    "emoji": partial(fill, emoji),
    "Markdown": partial(fill, markdown),
    "CSV": partial(fill, csv),
    "adversarial": adversarial,
    "special tokens": partial(fill, special_tokens),
}
"""Functions of a size in characters and a seed, by the kind of text that they return."""


def documents(total: int, size: int) -> Iterator[str]:
    """Yield documents of about `size` characters until they have `total` together.

    No two are equal, and making them takes little time and memory compared with splitting them.
    """
    stock = [text for text, _ in zip(paragraphs(0), range(2000), strict=False)]
    rng = random.Random(0)
    length = number = 0
    while length < total:
        number += 1
        parts = [f"Document {number} of this corpus."]
        count = len(parts[0])
        while count < min(size, total - length):
            parts.append(rng.choice(stock))
            count += len(parts[-1]) + 2
        document = "\n\n".join(parts)
        length += len(document)
        yield document
