"""Cuts captions into chapters with times and titles. No key, no network, no language model.

python examples/chapters.py                  the bundled captions of a podcast
python examples/chapters.py my_talk.vtt      captions of your own, WebVTT or SubRip

Captions break anywhere, and nothing marks where a topic begins. With `threshold=0`, a chapter of
any length starts wherever the classifier (here the large one) sees a new topic. The offset of a
chapter gives its time. Its title has the words that are frequent in it and rare in other chapters.
"""

import math
import re
import sys
import textwrap
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lumber_core import BertChunker
from lumber_core.text import read_cues, spoken_text

BUNDLED = Path(__file__).parent / "data" / "nine_things.vtt"
MIN_TOKENS = 30  # a shorter chapter is merged with a neighbour
TITLE_WORDS = 3
WIDTH = 90

_WORD = re.compile(r"[^\W\d_]{4,}")


def titles(chapters: Sequence[str]) -> list[str]:
    """Return the most distinctive words of each chapter (tf-idf)."""
    counts = [Counter(_WORD.findall(chapter.lower())) for chapter in chapters]
    chapters_with = Counter(word for count in counts for word in count)

    def distinct(count: Counter[str]) -> list[str]:
        def weight(word: str) -> float:
            return (1 + math.log(count[word])) * math.log(len(counts) / chapters_with[word])

        return sorted(count, key=weight, reverse=True)[:TITLE_WORDS]

    return [", ".join(distinct(count)) for count in counts]


def main(file: Path) -> None:
    captions = file.read_text(encoding="utf-8")
    cues = read_cues(captions)
    if not cues:
        sys.exit(f"{file} has no captions in WebVTT or SubRip")
    text, offsets = "", []
    for cue in cues:
        offsets.append(len(text))
        text += spoken_text(captions, cue.span) + " "

    spans = BertChunker("large", threshold=0, min_chunk_size=MIN_TOKENS).segment(text).spans
    chapters = [text[span.start : span.end] for span in spans]
    print(f"{file.name}: {len(text.split()):,} words, {len(chapters)} chapters\n")
    for span, chapter, title in zip(spans, chapters, titles(chapters), strict=True):
        print(f"{cues[bisect_right(offsets, span.start) - 1].begins}  {title}")
        print(textwrap.indent(textwrap.shorten(chapter, WIDTH, placeholder=" ..."), " " * 10))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
