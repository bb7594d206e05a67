"""Training items: made of different documents, reproducible, with every start known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_evaluation.documents import Document, document_from_segments
from lumber_training.augmentation import Augmentation
from lumber_training.examples import (
    BETWEEN,
    IGNORED,
    NORMAL,
    START,
    LabelledWindows,
    label_item,
    pad,
)
from lumber_training.items import Item
from lumber_training.parts import Part
from lumber_training.recipes import PAPER, Recipe
from lumber_training.synthesis import excerpts, full_sentences, notes, synthesize, whole
from tests.tiny_bert import write_tokenizer


def document(name: str, sizes: list[int], source: str = "made") -> Document:
    segments = [
        [f"{name.capitalize()} part{part} says{number}." for number in range(size)]
        for part, size in enumerate(sizes)
    ]
    return document_from_segments(segments, name=name, source=source)


DOCUMENTS = [document(name, [3, 9, 1]) for name in ("anna", "berta", "carla", "dora", "emma")]


def pieces(item: Item) -> list[str]:
    bounds = [*item.starts, len(item.text)]
    return [item.text[a:b].strip() for a, b in pairwise(bounds)]


def test_an_item_joins_pieces_of_different_documents() -> None:
    for item in synthesize(DOCUMENTS, items=200, seed=3):
        names = [piece.split()[0] for piece in pieces(item)]
        assert len(names) == len(set(names)) == 4
        for piece in pieces(item):
            assert len({word for word in piece.split() if word.startswith("part")}) == 1
            assert 1 <= piece.count(".") <= 5
            assert "says0" in piece  # the first few sentences of a passage


def test_two_documents_of_one_name_and_source_count_as_one() -> None:
    with pytest.raises(ValueError, match="only 1 documents"):
        synthesize([DOCUMENTS[0], DOCUMENTS[0]], items=1, segments=2)


def test_ranges_are_kept_to() -> None:
    counts = set()
    for item in synthesize(DOCUMENTS, items=300, segments=(2, 5), sentences=(2, 8)):
        counts.add(len(item.starts))
        assert all(1 <= piece.count(".") <= 8 for piece in pieces(item))
        assert set(item.starts) <= set(item.sentences)
        assert item.sentences[0] == item.starts[0] == 0
    assert counts == {2, 3, 4, 5}


def test_same_seed_same_items() -> None:
    assert synthesize(DOCUMENTS, items=20, seed=1) == synthesize(DOCUMENTS, items=20, seed=1)
    assert synthesize(DOCUMENTS, items=20, seed=1) != synthesize(DOCUMENTS, items=20, seed=2)
    assert excerpts(DOCUMENTS, items=20, seed=1) == excerpts(DOCUMENTS, items=20, seed=1)


def test_excerpts_are_runs_of_one_document_with_its_own_starts() -> None:
    near = 0
    for item in excerpts(DOCUMENTS, items=200, sentences=(3, 6), near=1, seed=4):
        names = {word for word in item.text.split() if word.istitle()}
        assert len(names) == 1
        for start in item.starts[1:]:
            assert "says0" in item.text[start:].split(".")[0]
        assert 1 <= len(item.sentences) <= 6
        near += len(item.starts) > 1
    assert near > 150


def test_what_is_no_full_sentence_is_left_out() -> None:
    article = document_from_segments(
        [
            ["Crete", "Crete is an island.", '"It is large!"'],
            ["Chania", "Rethymno", "Towns:"],
            ["Sitia", "Ierapetra"],
        ],
        name="a",
        source="made",
    )
    titles = document_from_segments([["Chania", "Rethymno"]], name="b", source="made")
    (prose,) = full_sentences([article, titles])
    assert [span.of(prose.text).strip() for span in prose.segments] == [
        'Crete is an island.\n"It is large!"',
        "Towns:",
    ]
    assert len(prose.units) == 3
    part = Part("excerpts", 1.0, sentences=(3, 3), prose=True)
    assert {item.text for item in part.items([article], 3, seed=0)} == {prose.text}


def test_whole_documents_are_items_as_they_are() -> None:
    (item,) = whole(DOCUMENTS[:1])
    assert item.text == DOCUMENTS[0].text
    assert item.starts == DOCUMENTS[0].starts


def test_excerpts_need_documents_with_sections() -> None:
    with pytest.raises(ValueError, match="two segments"):
        excerpts([document("solo", [4])], items=1)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> WordPieceTokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return WordPieceTokenizer.from_folder(folder)


def test_labels_stand_at_the_first_tokens_of_sentences(tokenizer: WordPieceTokenizer) -> None:
    item = Item("the ship. the sea. the king.", (0, 10, 19), (0, 19))
    labelled = label_item(item, tokenizer)
    assert labelled.labels.tolist() == [
        *(START, BETWEEN, BETWEEN),
        *(NORMAL, BETWEEN, BETWEEN),
        *(START, BETWEEN, BETWEEN),
    ]


def test_windows_are_cut_reproducibly_and_their_first_token_is_not_judged(
    tokenizer: WordPieceTokenizer,
) -> None:
    items = synthesize(DOCUMENTS, items=40, segments=5, sentences=(5, 9))
    labelled = [label_item(item, tokenizer) for item in items]
    windows = LabelledWindows(labelled, tokenizer, window=40, seed=0)
    again = LabelledWindows(labelled, tokenizer, window=40, seed=0)
    at_starts = 0
    for number in range(len(windows)):
        row = windows[number]
        assert row == again[number]
        assert len(row["input_ids"]) == len(row["labels"]) <= 40
        assert row["input_ids"][0] == tokenizer.cls_id
        assert row["input_ids"][-1] == tokenizer.sep_id
        assert row["labels"][0] == row["labels"][1] == row["labels"][-1] == IGNORED
        at_starts += START in row["labels"]
    assert at_starts > 10


def test_padding_is_masked_and_ignored(tokenizer: WordPieceTokenizer) -> None:
    items = [label_item(Item(t, (0,), (0,)), tokenizer) for t in ("the ship", "the king and queen")]
    batch = pad([LabelledWindows(items, tokenizer, window=20, seed=0)[n] for n in (0, 1)])
    assert batch["input_ids"].shape == batch["labels"].shape == (2, 6)
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1, 0, 0], [1] * 6]
    assert batch["labels"][0, 4:].tolist() == [IGNORED, IGNORED]


def test_the_papers_recipe_is_the_papers() -> None:
    assert (PAPER.items, PAPER.batch_size, PAPER.epochs) == (30_000, 8, 3)
    assert (PAPER.learning_rate, PAPER.weight_decay, PAPER.beta2) == (3e-4, 0.1, 0.95)
    assert (PAPER.warmup_steps, PAPER.loss_at, PAPER.window) == (112, "tokens", 255)
    assert PAPER.parts == (Part("synthetic", 1.0, segments=4, sentences=(1, 5)),)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"parts": (Part("synthetic", 0.5),)}, "add up to 1"),
        ({"epochs": 0}, "at least 1"),
        ({"held_out": 0.0, "fold_threshold": True}, "needs held-out documents"),
    ],
)
def test_recipes_that_cannot_be_are_refused(options: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Recipe(**options)


def test_notes_join_passages_of_one_document_in_order() -> None:
    for item in notes(DOCUMENTS, items=100, segments=(2, 3), sentences=(1, 4), seed=2):
        parts = [int(piece.split()[1].removeprefix("part")) for piece in pieces(item)]
        assert len({piece.split()[0] for piece in pieces(item)}) == 1
        assert parts == sorted(set(parts))
        assert 2 <= len(parts) <= 3


def test_notes_need_a_document_with_enough_passages() -> None:
    with pytest.raises(ValueError, match="no document has 4 passages"):
        notes(DOCUMENTS, items=1, segments=(4, 5))


def test_parts_alternate_and_a_longer_run_begins_like_a_shorter_one() -> None:
    recipe = Recipe(
        parts=(
            Part("synthetic", 0.25, tokenised=0.5, augmentation=Augmentation(labels=0.5)),
            Part("notes", 0.75, segments=(2, 3), augmentation=Augmentation(labels=1.0, ocr=0.5)),
        ),
        items=100,
    )
    made = recipe.make_items(DOCUMENTS)
    for count in range(1, 101):
        notes_made = sum(part.kind == "notes" for _, part in made[:count])
        assert abs(notes_made - 0.75 * count) < 1
    assert replace(recipe, items=37).make_items(DOCUMENTS) == made[:37]
    assert replace(recipe, seed=1).make_items(DOCUMENTS) != made
