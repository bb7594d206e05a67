"""Words that the answer parser recognises, in the most frequent languages of answers.

All are known in English, German, French, Spanish, Chinese and Japanese. Labels, denials and
refusals are known in Italian, Portuguese, Dutch, Polish, Russian, Swedish, Turkish, Korean, Arabic
and Hindi as well. `answer_words.json` lists the words and states what each list is.
"""

from __future__ import annotations

import json
from pathlib import Path

_LISTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def any_of(name: str) -> str:
    """Return a regular expression for each word of a list, whatever its language."""
    lists, parts = _LISTS[name], []
    for kind, end in (("words", r"\b"), ("starts", "")):
        if kind in lists:
            parts.append(rf"\b(?:{'|'.join(lists[kind].values())}){end}")
    return f"(?:{'|'.join([*parts, *filter(None, [lists.get('signs')])])})"
