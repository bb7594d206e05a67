"""Rewritten items: every start and sentence stays exact, shares do what they say, seeds decide."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_training.augmentation import UNCHANGED, Augmentation, augment
from lumber_training.items import Item

WAYS = [field.name for field in fields(Augmentation)]
RANDOMS = st.integers(0, 2**32).map(random.Random)
SHARES = st.builds(Augmentation, **{way: st.sampled_from([0.0, 0.5, 1.0]) for way in WAYS})


@st.composite
def items(draw: st.DrawFn, text: st.SearchStrategy[str] | None = None) -> Item:
    """Segments of sentences, joined by any white space."""
    sentence = text or st.text(min_size=1, max_size=60).map(lambda s: s.strip() or "x")
    segments = draw(st.lists(st.lists(sentence, min_size=1, max_size=6), min_size=1, max_size=5))
    written, sentences, starts = "", [], []
    for segment in segments:
        starts.append(len(written))
        for line in segment:
            sentences.append(len(written))
            written += line + draw(st.sampled_from([" ", "\n", "\n\n", " \n"]))
    return Item(written.rstrip(), tuple(sentences), tuple(starts))


# Words that no rewriting makes or takes for one of its marks, each of them once in an item.
NUMBERED = Item(
    "Wab zub. Wac zuc zud. Wad zue. Xab zuf zug. Xac zuh. Xad zui. Xae zuj. Yab zuk. Yac zul.",
    (0, 9, 22, 31, 44, 53, 62, 71, 80),
    (0, 31, 71),
)


def lines(item: Item) -> list[str]:
    return [item.text[a:b].strip() for a, b in pairwise([*item.sentences, len(item.text)])]


def segments(item: Item) -> list[str]:
    return [item.text[a:b] for a, b in pairwise([*item.starts, len(item.text)])]


@given(items(), SHARES, RANDOMS)
def test_offsets_stay_exact(item: Item, shares: Augmentation, rng: random.Random) -> None:
    made = augment(item, shares, rng)
    assert made.sentences[0] == made.starts[0] == 0
    assert all(a < b for a, b in pairwise(made.sentences))
    assert set(made.starts) <= set(made.sentences)
    assert len(made.starts) == len(item.starts)
    for begin in made.sentences:
        assert begin == 0 or made.text[begin - 1].isspace()
        assert not made.text[begin].isspace()
    assert all(lines(made))


@given(SHARES, RANDOMS)
def test_what_belongs_together_stays_together(shares: Augmentation, rng: random.Random) -> None:
    # Characters are confused, and tables repeat and drop words, so those two are left out.
    made = augment(NUMBERED, replace(shares, ocr=0.0, tables=0.0), rng)
    for segment, initial in zip(segments(made), "wxy", strict=True):
        text = segment.lower().replace("-\n", "").replace("*", "")
        assert all((f"{letter}ab" in text) == (letter == initial) for letter in "wxy")
        assert f"{initial}ac" in text
        assert ("wad" in text) == (initial == "w")


@pytest.mark.parametrize("way", WAYS)
def test_a_share_is_that_of_the_items_rewritten(way: str) -> None:
    text = " ".join(f"This is the memorable sentence number {n}, for Anna." for n in range(12))
    starts = tuple(text.index(f"This is the memorable sentence number {n},") for n in range(12))
    item = Item(text, starts, starts[::6])
    rng = random.Random(1)
    made = [augment(item, Augmentation(**{way: 0.3}), rng) for _ in range(600)]
    changed = sum(new.text != item.text for new in made) / 600
    # Characters are confused at a rate, and lists spare some segments, so that a few items that
    # were chosen come out as they were.
    assert 0.2 <= changed <= 0.36
    assert all(augment(item, UNCHANGED, rng) is item for _ in range(9))


@given(items(), SHARES, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_item(item: Item, shares: Augmentation, seed: int) -> None:
    once = augment(item, shares, random.Random(seed))
    assert once == augment(item, shares, random.Random(seed))


@pytest.mark.parametrize("seed", range(20))
def test_a_heading_is_the_start_and_its_text_starts_nothing(seed: int) -> None:
    made = augment(NUMBERED, Augmentation(headings=1.0), random.Random(seed))
    found = lines(made)
    headed = [n for n, line in enumerate(found) if line not in lines(NUMBERED)]
    starts = [made.sentences.index(start) for start in made.starts]
    assert set(headed) <= set(starts)
    assert all(number + 1 not in starts for number in headed)


@pytest.mark.parametrize("seed", range(20))
def test_labels_stand_at_starts_and_list_items_at_no_start(seed: int) -> None:
    before = lines(NUMBERED)
    first = {NUMBERED.sentences.index(start) for start in NUMBERED.starts}
    labelled = lines(augment(NUMBERED, Augmentation(labels=1.0), random.Random(seed)))
    answers = {n for n, line in enumerate(labelled) if line.startswith("A: ")}
    changed = {n for n, pair in enumerate(zip(before, labelled, strict=True)) if len(set(pair)) > 1}
    assert changed - answers <= first
    listed = lines(augment(NUMBERED, Augmentation(lists=1.0), random.Random(seed)))
    changed = {n for n, pair in enumerate(zip(before, listed, strict=True)) if len(set(pair)) > 1}
    assert not changed & first


def test_the_first_row_of_a_table_is_its_start() -> None:
    made = augment(NUMBERED, Augmentation(tables=1.0), random.Random(4))
    rows = [line for line in lines(made) if line not in lines(NUMBERED)]
    assert len(rows) >= 4
    at = lines(made).index(rows[0])
    assert made.sentences[at] in made.starts
    assert made.sentences[at + 1] not in made.starts


@given(items(), RANDOMS)
def test_hard_wraps_change_nothing_but_white_space_and_hyphens(
    item: Item, rng: random.Random
) -> None:
    made = augment(item, Augmentation(wrapped=1.0), rng)
    assert "".join(made.text.replace("-\n", "").split()) == "".join(
        item.text.replace("-\n", "").split()
    )
