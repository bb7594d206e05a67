"""Pieces of passages may begin late, have gaps and headings, and come from where they should."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from lumber_evaluation.documents import Document, document_from_segments
from lumber_training.items import Item, tokenised
from lumber_training.pieces import AS_PUBLISHED, Variety, take_piece
from lumber_training.synthesis import synthesize

PASSAGE = [f"Sentence number{n} stands here." for n in range(12)]


def taken(variety: Variety, sentences: tuple[int, int] = (2, 6)) -> list[list[str]]:
    rng = random.Random(0)
    return [take_piece(PASSAGE, sentences, variety, rng) for _ in range(300)]


def numbers(piece: list[str]) -> list[int]:
    return [PASSAGE.index(sentence) for sentence in piece]


def test_pieces_are_first_sentences_as_the_paper_has_it() -> None:
    for piece in taken(AS_PUBLISHED):
        assert piece == PASSAGE[: len(piece)]
        assert 2 <= len(piece) <= 6


def test_pieces_may_begin_in_the_middle() -> None:
    firsts = Counter(numbers(piece)[0] for piece in taken(Variety(middles=0.5)))
    assert 150 < firsts[0] < 220
    assert len(firsts) > 6
    for piece in taken(Variety(middles=1.0)):
        places = numbers(piece)
        assert places == list(range(places[0], places[0] + len(piece)))
        assert 2 <= len(piece) <= 6


def test_pieces_may_leave_sentences_out() -> None:
    jumps: Counter[int] = Counter()
    for piece in taken(Variety(gaps=1.0)):
        places = numbers(piece)
        assert places[0] == 0
        assert len(piece) >= 2
        jumps.update(b - a for a, b in pairwise(places))
    assert set(jumps) == {1, 2, 3, 4}


def test_short_passages_keep_enough_sentences() -> None:
    rng = random.Random(1)
    for _ in range(200):
        piece = take_piece(PASSAGE[:3], (2, 9), Variety(middles=1.0, gaps=1.0), rng)
        assert 2 <= len(piece) <= 3


def test_pieces_may_open_with_a_heading() -> None:
    apart = 0
    for piece in taken(Variety(headings=1.0)):
        assert piece[0] not in PASSAGE
        assert piece[-1] in PASSAGE or len(piece) == 1
        if piece[1] == PASSAGE[0]:
            apart += 1
            assert len(piece[0].split()) <= 7
        else:
            assert piece[0].endswith(PASSAGE[0])
    assert 100 < apart < 200


def many() -> list[Document]:
    sizes = {"large": 40, "small": 8}
    return [
        document_from_segments(
            [[f"{source} {source}{number} one.", "Two."]], name=str(number), source=source
        )
        for source, size in sizes.items()
        for number in range(size)
    ]


def sources(item: Item) -> list[str]:
    bounds = [*item.starts, len(item.text)]
    return [item.text[a:b].split()[0] for a, b in pairwise(bounds)]


def test_items_may_come_from_one_source() -> None:
    mixed = synthesize(many(), items=200, segments=4)
    alike = synthesize(many(), items=200, segments=4, variety=Variety(alike=1.0))
    assert any(len(set(sources(item))) == 2 for item in mixed)
    assert all(len(set(sources(item))) == 1 for item in alike)


def test_balance_draws_sources_evenly_and_no_document_twice() -> None:
    drawn: dict[float, Counter[str]] = {}
    for balance in (0.0, 1.0):
        items = synthesize(many(), items=300, segments=4, variety=Variety(balance=balance))
        drawn[balance] = Counter(source for item in items for source in sources(item))
        for item in items:
            names = [word for word in item.text.split() if word[-1].isdigit()]
            assert len(names) == len(set(names)) == 4
    assert drawn[0.0]["large"] > 4 * drawn[0.0]["small"]
    assert drawn[1.0]["large"] < 1.5 * drawn[1.0]["small"]


TEXT = "He won't (they say) go; it's late. \"Why?\" she asked. Dr. No left."
ITEM = Item(TEXT, (0, TEXT.index('"Why'), TEXT.index("Dr.")), (0, TEXT.index("Dr.")))


def test_tokenised_items_are_written_as_tokenised_corpora_are() -> None:
    rng = random.Random(0)
    made = {tokenised(ITEM, rng) for _ in range(50)}
    assert "He wo n't ( they say ) go ; it 's late . `` Why ? '' she asked . Dr. No left ." in {
        item.text for item in made
    }
    assert any("``" not in item.text for item in made)
    assert any("? ?" in item.text for item in made)
    for item in made:
        assert [item.text[a:].split()[0] for a in item.starts] == ["He", "Dr."]
        assert len(item.sentences) == 3
        assert set(item.starts) <= set(item.sentences)
