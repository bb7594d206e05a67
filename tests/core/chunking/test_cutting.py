from itertools import pairwise
from pathlib import Path

import pytest

from lumber_core.bert.model_folder import find_folder
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.chunking.size_settings import layout_sizes
from lumber_core.spans import Span
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_core.text.place import Places
from lumber_core.tokens import token_counter
from tests.core.tokens.test_estimated_counter import KINDS
from tests.tiling import check_tiling

FORMATS = sorted((Path(__file__).parents[1] / "formats").iterdir())
COUNTER = token_counter("estimate")
WORD_PIECES = WordPieceTokenizer.from_folder(find_folder("bundled"))


def cutter_of(text: str, chunk_size: int, target_size: int | None = None) -> Cutter:
    return Cutter(PlainText(text), SizeLimits(chunk_size, None, COUNTER, target_size))


def cut(text: str, chunk_size: int, target_size: int) -> list[str]:
    cutter = cutter_of(text, chunk_size, target_size)
    edges = [0, *cutter.cut(cutter.places()), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.name)
def test_every_format_is_cut_near_the_target_and_within_the_limit(path: Path) -> None:
    text = path.read_bytes().decode()
    counts = COUNTER.count(cut(text, 256, 150))
    assert max(counts) <= 256
    assert sum(counts) / len(counts) >= 75 or len(counts) == 1


@pytest.mark.parametrize("kind", [*KINDS, *(path.name for path in FORMATS)])
def test_default_chunks_of_bert_fit_an_embedder_of_512_word_pieces(kind: str) -> None:
    text = KINDS.get(kind) or (FORMATS[0].parent / kind).read_bytes().decode()
    chunk_size, target_size = layout_sizes("auto", None)
    assert chunk_size is not None
    for chunk in cut(text * 3, chunk_size, target_size):
        assert len(WORD_PIECES(chunk).ids) <= 510  # [CLS] and [SEP] take the other two


def test_a_line_that_fits_is_not_cut_inside() -> None:
    row = "alpha beta gamma delta epsilon " * 8 + "zeta"
    text = "\n".join([row] * 10)
    for chunk in cut(text, 200, 60):
        assert set(chunk.strip().split("\n")) == {row}


@pytest.mark.parametrize("separator", [", ", ",", " ", ";"])
def test_json_in_one_line_is_cut_between_objects(separator: str) -> None:
    text = separator.join(f'{{"id": {n}, "tags": ["a", "b"], "text": "A. B."}}' for n in range(60))
    chunks = cut(text, 130, 78)
    assert len(chunks) > 10
    assert all(chunk.startswith("{") and chunk.rstrip(",; ").endswith("}") for chunk in chunks)


def test_scores_move_cuts() -> None:
    text = "Cats sleep all day long. " * 40
    cutter = cutter_of(text, 200, 60)
    places = cutter.places()
    offsets = [place.offset for place in places.places]
    favourite = offsets.index(cutter.cut(places)[0]) - 3
    scores = [-4.0] * len(places.places)
    scores[favourite] = 6.0
    assert offsets[favourite] not in cutter.cut(places)
    assert offsets[favourite] in cutter.cut(places, scores)


def test_predicted_starts_do_not_draw_cuts_to_indented_lines() -> None:
    services = [
        f"{name}:\n  image: harbour/{name}\n  deploy:\n    replicas: 2\n    retries: {number}\n"
        for number, name in enumerate(["web", "worker", "cache", "grafana", "mail", "search"])
    ]
    text = "".join(services)
    cutter = cutter_of(text, 80, 50)
    places = cutter.places()
    names = {sum(map(len, services[:number])) for number in range(1, len(services))}
    scores = [1.0 if text.startswith("    retries", p.offset) else -1.0 for p in places.places]
    cuts = cutter.cut(places, scores)
    assert cuts
    assert set(cuts) <= names


@pytest.mark.parametrize(("heading", "drawn"), [("## Use", True), ("##### Use", False)])
def test_a_heading_of_markdown_draws_the_cut_by_its_level(heading: str, drawn: bool) -> None:
    sentence = "It rained all day in the north of the country. "
    text = f"{sentence * 5}\n\n{heading}\n\n{sentence * 6}\n\n{sentence * 8}"
    cutter = cutter_of(text, 256, 110)
    assert (text.index("##") in cutter.cut(cutter.places())) is drawn


def test_predicted_starts_draw_fewer_cuts_in_markdown_than_in_plain_text() -> None:
    item = "- It rained all day in the north of the country.\n"
    text, scores = item * 30, [4.0 if number % 3 == 0 else -4.0 for number in range(29)]
    limits = SizeLimits(256, None, COUNTER, 154)
    plain, markdown = Cutter(PlainText(text), limits), Cutter(MarkdownText(text), limits)
    assert len(markdown.cut(markdown.places(), scores)) < 4
    assert len(plain.cut(plain.places(), scores)) > 8


@pytest.mark.parametrize(("target", "sentences"), [(80, 11), (110, 14), (154, 20)])
def test_a_chunk_of_markdown_that_begins_inside_a_section_ends_with_it(target: int, sentences: int):
    prose = "It rained all day in the north of the country. " * sentences
    text = "".join(f"#### Day {day}\n\n{prose}\n\n" for day in range(6))
    cutter = Cutter(MarkdownText(text), SizeLimits(256, None, COUNTER, target))
    places = cutter.places()
    assert {place.offset for place in places.places if place.level} <= {*cutter.cut(places)}


def test_a_long_span_is_cut_at_its_best_scoring_place() -> None:
    text = "Cats sleep all day long. " * 20
    favourite = text.index("Cats", 25 * 12)

    def scorer(places: Places) -> list[float]:
        return [5.0 if place.offset == favourite else -5.0 for place in places]

    cutter = cutter_of(text, 80)
    parts = cutter.shorten([Span(0, len(text))], scorer=scorer)
    assert favourite in [part.start for part in parts]
    check_tiling(parts, len(text))


def test_only_units_that_do_not_fit_are_divided() -> None:
    units = [Span(0, 50), Span(50, 100), Span(100, 1100)]
    text = ("Ann ran. She fell, and rose. " * 40)[:1100]
    cutter = cutter_of(text, 60)
    starts = [part.start for part in cutter.shorten([Span(0, 1100)], units)]
    assert not any(0 < start < 50 or 50 < start < 100 for start in starts)
    assert any(start > 100 for start in starts)


def test_a_span_is_cut_in_one_pass_even_if_its_parts_count_less_than_the_whole() -> None:
    counted_characters = 0

    def count(text: str) -> int:  # "1 " counts 1; in a long text, each counts 1.74
        nonlocal counted_characters
        counted_characters += len(text)
        return int(0.87 * len(text))

    text = "1 " * 2_000
    limits = SizeLimits(100, None, token_counter(count))
    parts = Cutter(PlainText(text), limits).shorten([Span(0, len(text))])
    assert {count(text[start:end]) > 80 for start, end in parts[:-1]} == {True}
    assert counted_characters < 10 * len(text)
