"""The bundled classifier scores places, others score tokens; spans score by their first tokens."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumber_core import BertChunker
from lumber_core.bert import TokenScores
from lumber_core.bert.loading import load_model
from lumber_core.bert.moving_window import scan
from lumber_core.bert.scores import cuts_above, place_scores, windows_of
from lumber_core.text.places import find_places
from lumber_core.text.units import paragraphs
from tests.profiles import examples

STORY = (Path(__file__).parents[3] / "examples/data/the_tide_clock.txt").read_text(encoding="utf-8")
CHUNKER = BertChunker(threads=1)
JOINED = (
    "Otters live along rivers and eat fish. They sleep in dens near the bank. A mother teaches her "
    "pups to swim within weeks. Their fur keeps them dry in cold water. The violin has four "
    "strings. It is played with a bow and held under the chin. Its body is carved from spruce and "
    "maple. Players tune it in fifths before a concert. Bread begins with flour, water and yeast. "
    "The dough rises for an hour in a warm place. A hot oven gives the loaf its crust. It should "
    "cool before it is cut."
)
TOPICS = [JOINED.index("The violin"), JOINED.index("Bread begins")]


def test_topics_of_joined_texts_are_found() -> None:
    places = CHUNKER.parse(JOINED).places()
    t = place_scores(CHUNKER.scores(JOINED), places)
    assert sorted(places.offsets[number] for number in np.argsort(t)[-2:]) == TOPICS
    assert [span.start for span in BertChunker(target_size=40).segment(JOINED).spans] == [
        0,
        *TOPICS,
    ]


def test_scores_agree_with_those_of_the_teacher_classifier() -> None:
    text = STORY[:12_000]
    places = CHUNKER.parse(text).places()
    learned, taught = (
        place_scores(BertChunker(model).scores(text), places) for model in ("bundled", "large")
    )
    assert np.corrcoef(learned, taught)[0, 1] > 0.6


def test_only_places_and_first_words_have_scores() -> None:
    scores = CHUNKER.scores(STORY)
    places = CHUNKER.parse(STORY).places()
    scored = scores.starts[np.isfinite(scores.t)].tolist()
    assert set(scored) <= {0, *places.offsets, *places.first_words}
    assert len(scored) > 50


def test_scores_do_not_depend_on_sizes() -> None:
    text = f"{JOINED} {'and so on, ' * 300}. {JOINED}"
    scores = CHUNKER.scores(text)
    for sizes in ({"target_size": 20, "chunk_size": 30}, {"target_size": 200}, {"threshold": -1}):
        chunker = BertChunker(**sizes)
        np.testing.assert_array_equal(chunker.scores(text).t, scores.t)


def test_sentences_are_read_one_by_one_whatever_the_units() -> None:
    text = "\n\n".join([JOINED[: TOPICS[0]], JOINED[TOPICS[0] : TOPICS[1]], JOINED[TOPICS[1] :]])
    by_sentences, by_paragraphs = (
        BertChunker(units=units).scores(text) for units in ("sentences", "paragraphs")
    )
    places = np.searchsorted(by_paragraphs.starts, [unit.start for unit in paragraphs(text)])
    assert len(places) == 3  # the first start is that of the text
    np.testing.assert_allclose(by_paragraphs.t[places], by_sentences.t[places], atol=1e-5)


@settings(max_examples=8)
@given(st.lists(st.sampled_from([JOINED, STORY[:3000], "One.", "", "word " * 1500, "🦦。" * 500])))
def test_single_calls_batches_and_threads_split_alike(texts: list[str]) -> None:
    expected = [CHUNKER.segment(text) for text in texts]
    assert CHUNKER.segment_all(texts) == expected
    assert BertChunker(threads=2).segment_all(texts) == expected


def test_scores_do_not_depend_on_where_windows_begin() -> None:
    model = load_model("bundled", threads=1)
    text = " ".join([STORY] * 4)
    assert len(model.tokenizer(text).ids) > 2 * model.size
    scores = CHUNKER.scores(text)
    story_scores = CHUNKER.scores(STORY)
    # Far from both ends of the text, a copy scores as the story does, wherever windows begin.
    middle = slice(400, len(story_scores) - 400)
    assert len(scores) == 4 * len(story_scores)
    for n in (1, 2):
        copy = scores.t[n * len(story_scores) : (n + 1) * len(story_scores)][middle]
        scored = np.isfinite(copy) & np.isfinite(story_scores.t[middle])
        assert scored.sum() > 50
        assert np.abs(copy[scored] - story_scores.t[middle][scored]).mean() < 0.3


def tokens_with_gaps(gaps: list[int], seed: int) -> TokenScores:
    """Tokens of one character each, with gaps between them."""
    starts = np.cumsum(gaps, dtype=np.int32) if gaps else np.zeros(0, np.int32)
    t = np.random.default_rng(seed).normal(size=len(gaps)).astype(np.float32)
    return TokenScores(starts, starts + 1, t)


@examples(200)
@given(
    gaps=st.lists(st.integers(1, 5), max_size=60),
    offsets=st.sets(st.integers(0, 200), max_size=20),
    seed=st.integers(0, 1000),
)
def test_a_segment_scores_the_highest_of_its_first_tokens(gaps, offsets, seed) -> None:
    scores = tokens_with_gaps(gaps, seed)
    places = sorted(offsets)
    scored_places = scores.at(places)
    assert scored_places.shape == (len(places),)
    for place, stop, t in zip(
        places, [*places[1:], 10**6][: len(places)], scored_places, strict=True
    ):
        inside = scores.t[(scores.starts >= place) & (scores.starts < stop)][:6]
        assert t == (inside.max() if len(inside) else -np.inf)


@pytest.mark.parametrize("offsets", [[3, 3], [5, 2], [0, 4, 4]])
def test_offsets_must_ascend(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="strictly ascending"):
        tokens_with_gaps([1, 1, 1], 0).at(offsets)


def test_scoring_only_first_tokens_gives_the_same_scores(exported: Path, prose: list[str]) -> None:
    model = BertChunker(str(exported)).load()
    text = " ".join(prose[:30])
    places = find_places(text)
    scores: list[TokenScores] = []
    for requested_places in (None, places):
        scan(model.scorer, [windows_of(model, text, requested_places, scores.append)])
    all_scores, first_scores = scores
    np.testing.assert_array_equal(
        place_scores(first_scores, places), place_scores(all_scores, places)
    )
    scored = np.isfinite(first_scores.t)
    np.testing.assert_array_equal(first_scores.t[scored], all_scores.t[scored])
    assert len(places) < scored.sum() < len(scored)
    threshold = float(np.median(place_scores(all_scores, places)))
    cuts = cuts_above(threshold, model, all_scores, places)
    assert 3 < len(cuts) < len(places)
    assert cuts_above(threshold, model, first_scores, places) == cuts
