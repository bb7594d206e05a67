import json
from itertools import pairwise
from pathlib import Path

import pytest

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_evaluation.dataset import Document, document_from_segments
from lumber_training.labelled_windows import IGNORED, NORMAL, START, label_windows
from lumber_training.synthesis import Item, synthesize
from lumber_training.training_data import load_documents, split_held_out
from tests.tiny_bert import write_tokenizer


def document(name: str, sizes: list[int]) -> Document:
    segments = [
        [f"{name.capitalize()} part{part} says{number}." for number in range(size)]
        for part, size in enumerate(sizes)
    ]
    return document_from_segments(segments, name=name, source="made")


DOCUMENTS = [document(name, [3, 9, 1]) for name in ("anna", "berta", "carla", "dora", "emma")]


def pieces(item: Item) -> list[str]:
    bounds = [*item.starts, len(item.text)]
    return [item.text[a:b].strip() for a, b in pairwise(bounds)]


def test_an_item_joins_the_first_sentences_of_segments_of_four_documents() -> None:
    counts = set()
    for item in synthesize(DOCUMENTS, items=200, seed=3):
        names = [piece.split()[0] for piece in pieces(item)]
        assert len(names) == len(set(names)) == 4
        for piece in pieces(item):
            sentences = [sentence.split() for sentence in piece.rstrip(".").split(". ")]
            assert len({part for _, part, _ in sentences}) == 1
            assert [text for _, _, text in sentences] == [f"says{n}" for n in range(len(sentences))]
            counts.add(len(sentences))
    assert counts == {1, 2, 3, 4, 5}


def test_two_documents_of_one_name_and_source_count_as_one() -> None:
    with pytest.raises(ValueError, match="only 1 documents"):
        synthesize([DOCUMENTS[0], DOCUMENTS[0]], items=1, segments=2)


def test_same_seed_same_items_and_a_longer_run_begins_like_a_shorter_one() -> None:
    items = synthesize(DOCUMENTS, items=20, seed=1)
    assert synthesize(DOCUMENTS, items=30, seed=1)[:20] == items
    assert synthesize(DOCUMENTS, items=20, seed=2) != items


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> WordPieceTokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return WordPieceTokenizer.from_folder(folder)


def test_labels_are_at_the_first_tokens_of_segments(tokenizer: WordPieceTokenizer) -> None:
    (window,) = label_windows([Item("the ship. the sea. the king.", (0, 19))], tokenizer)
    assert window["labels"] == [
        IGNORED,
        *(IGNORED, NORMAL, NORMAL),  # the first token starts the item and has no label
        *(NORMAL, NORMAL, NORMAL),
        *(START, NORMAL, NORMAL),
        IGNORED,
    ]


def test_windows_are_cropped_at_starts_and_elsewhere_and_always_alike(tokenizer) -> None:
    items = synthesize(DOCUMENTS, items=60, sentences=(5, 9))
    windows = label_windows(items, tokenizer, window=40)
    assert windows == label_windows(items, tokenizer, window=40)
    at_starts = 0
    for item, window in zip(items, windows, strict=True):
        assert 20 < len(window["input_ids"]) == len(window["labels"]) <= 40
        assert window["input_ids"][0] == tokenizer.cls_id
        assert window["input_ids"][-1] == tokenizer.sep_id
        encoded, window_ids = tokenizer(item.text), window["input_ids"][1:-1]
        count = len(window_ids)
        places = [
            n for n in range(len(encoded.ids)) if encoded.ids[n : n + count].tolist() == window_ids
        ]
        starts = encoded.first_of(item.starts)
        at_starts += bool({*places} & {*starts.tolist()})
        labelled = {n for n, label in enumerate(window["labels"][1:-1]) if label == START}
        assert any(
            labelled == {*(starts - n).tolist()} & {*range(1, len(window_ids))} for n in places
        )
    assert 20 < at_starts < 50


def test_padding_is_masked_and_has_no_label(tokenizer: WordPieceTokenizer) -> None:
    pytest.importorskip("torch")
    from lumber_training.training import pad

    items = [Item(text, (0,)) for text in ("the ship", "the king and queen")]

    batch = pad(label_windows(items, tokenizer))
    assert batch["input_ids"].shape == batch["labels"].shape == (2, 6)
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1, 0, 0], [1] * 6]
    assert batch["labels"][0, 3:].tolist() == [IGNORED, IGNORED, IGNORED]


def test_texts_and_sections_are_read_as_documents(tmp_path: Path) -> None:
    rows = [
        {"source": "s", "document": "a", "text": "One is here. Two."},
        {"document": "a", "sections": ["Three.\nFour", "Five."]},
        {"source": "s", "document": "a", "text": "Six."},
    ]
    path = tmp_path / "documents.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    joined, from_text = load_documents(path)
    assert (joined.source, joined.name, from_text.source, from_text.name) == ("s", "a", "", "a")
    parts = [span.of(joined.text).split() for span in joined.segments]
    assert parts == [["One", "is", "here.", "Two."], ["Six."]]
    assert len(joined.units) == 3
    parts = [span.of(from_text.text).split() for span in from_text.segments]
    assert parts == [["Three.", "Four"], ["Five."]]


@pytest.mark.parametrize("row", [{"document": "a"}, {"text": "One."}, {"document": 1, "text": "a"}])
def test_an_error_names_a_line_that_is_not_a_document(row: dict, tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(ValueError, match=r"documents.jsonl, line 1: expected"):
        load_documents(path)


def test_adding_documents_does_not_change_which_are_held_out() -> None:
    many = [document(f"d{n}", [2]) for n in range(200)]
    train_on, keep = split_held_out(many, share=0.2)
    assert train_on + keep != many
    assert sorted([*train_on, *keep], key=many.index) == many
    assert 20 < len(keep) < 60
    assert split_held_out(many[50:], share=0.2)[1] == [d for d in keep if d in many[50:]]
    with pytest.raises(ValueError, match="too few to hold out"):
        split_held_out(many[:1], share=0.2)
