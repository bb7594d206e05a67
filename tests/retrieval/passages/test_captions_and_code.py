"""Passages of captions and code: whole cues with their times, and whole lines."""

import pytest

from lumber_core import LayoutChunker, Source
from lumber_core.spans import Span
from lumber_core.text import spoken_text
from lumber_retrieval import cite
from lumber_retrieval.hits import Hit
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage, join_hits
from lumber_retrieval.passages.reranking import passages_of_hits
from lumber_retrieval.words.keywords import count_words
from lumber_retrieval.words.sentences import has_content, sentences_of
from tests.growth import check_linear
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import document

SAID = [
    ("Oars are made of ash. Ash", "is light and strong."),
    ("The mast is of spruce,", "and so are the spars."),
    ("Sails were once of flax.", "Now they are of polyester."),
    ("The anchor weighs nine pounds.", "It holds in sand."),
]
SRT = "".join(
    f"{n}\n00:0{n}:30,500 --> 00:0{n}:33,000\n{first}\n{second}\n\n"
    for n, (first, second) in enumerate(SAID, 1)
)


def search(
    name: str, text: str, question: str, words: int, size: int = 30
) -> tuple[list[Passage], WordVectors]:
    """Return the passages of a file, and the model that embedded it."""
    model = WordVectors()
    index = PassageIndex(LayoutChunker(size, tokenizer="even"), model)
    index.add([document(text, name)])
    return index.search(question, budget=words, context=True), model


def test_a_passage_of_captions_has_whole_sentences_and_a_budget_of_spoken_words() -> None:
    [passage], model = search("talk.srt", SRT, "What are sails of, flax or polyester?", 11)
    assert passage.text.startswith("3\n00:03:30,500 --> 00:03:33,000\nSails were once")
    assert passage.text.endswith("polyester.")
    assert count_words(passage.text) == 10
    assert passage.in_context == "talk\n\nSails were once of flax.\nNow they are of polyester."
    assert passage.time == "00:03:30"
    assert not any(character.isdigit() for text in model.texts for character in text)


def test_sentences_of_captions_continue_over_cues() -> None:
    sentences = [
        spoken_text(SRT, sentence.span) for sentence in sentences_of(SRT, "en", spoken=True)
    ]
    assert sentences == [
        *("Oars are made of ash.", "Ash\nis light and strong."),
        *("The mast is of spruce,\nand so are the spars.", "Sails were once of flax."),
        *("Now they are of polyester.", "The anchor weighs nine pounds.", "It holds in sand."),
    ]
    unmarked = SRT.replace(".", "")
    texts = [sentence.text for sentence in sentences_of(unmarked, "en", spoken=True)]
    assert texts == unmarked.rstrip().split("\n\n")
    over = "".join(
        f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{line}\n\n"
        for n, line in enumerate(["We rest. When the", "tide turns,", "we row. So"], 1)
    )
    second = sentences_of(over, "en", spoken=True)[1].span
    assert spoken_text(over, second) == "When the\ntide turns,\nwe row."


@pytest.mark.parametrize(
    "above", [["Harbour club\n3 May 2026", "SPEAKERS\nAnn, Bob", ""], ["Harbour club\n3 May 2026"]]
)
def test_a_title_above_a_transcript_is_not_in_its_first_sentence(above: list[str]) -> None:
    text = "\n\n".join(above) + "\n" * (len(above) == 1)
    text += "Ann  0:03\nWe row. Then\n\nBob  0:09\nwe rest.\n\nAnn  0:12\nNo.\n"
    sentences = [
        spoken_text(text, sentence.span) for sentence in sentences_of(text, "en", spoken=True)
    ]
    assert sentences[-3:] == ["We row.", "Then\nwe rest.", "No."]
    assert sentences[:-3] == [*filter(None, above)]


@pytest.mark.parametrize(
    ("name", "head", "cue"),
    [
        ("talk.sbv", "", "0:00:0{0}.000,0:00:0{0}.900\n{1}\n\n"),
        ("talk.tsv", "start\tend\ttext\n", "{0}000\t{0}900\t{1}\n"),
    ],
)
def test_a_passage_of_captions_without_arrows_has_whole_sentences(name, head, cue) -> None:
    spoken = ("Oars are of ash.", "The mast, they say,", "is of spruce.", "Sails are of flax.")
    text = head + "".join(cue.format(n, line) for n, line in enumerate(spoken, 1))
    [passage], _ = search(name, text, "Is it spruce?", 9, size=20)
    assert passage.spoken == "The mast, they say,\nis of spruce."


def test_hits_of_captions_are_joined_by_spoken_words() -> None:
    spans = [sentence.span for sentence in sentences_of(SRT, "en", spoken=True)][:3]
    hits = [Hit(n, "a", span, span.of(SRT), 1.0, {}) for n, span in enumerate(spans)]
    [joined] = join_hits(hits, {"a": SRT}, budget=30)
    assert joined.span == Span(0, spans[-1].end)


def test_captions_are_not_found_by_their_numbers_and_times() -> None:
    index = PassageIndex(LayoutChunker(30), WordVectors())
    index.add([document(SRT, "a.srt")])
    with index.store.snapshot() as snapshot:
        assert snapshot.find_by_words("sails", 9, None)
        assert not snapshot.find_by_words("33 000", 9, None)


def test_captions_are_found_by_the_name_of_the_speaker() -> None:
    cue = "{0}\n00:00:0{0},000 --> 00:00:0{0},900\n{1}: {2}\n\n"
    names = ("Ann", "Bob", "Ann", "Bob")
    text = "".join(
        cue.format(n, name, first)
        for n, (name, (first, _)) in enumerate(zip(names, SAID, strict=True))
    )
    index = PassageIndex(LayoutChunker(9, tokenizer="even"), WordVectors())
    index.add([document(text, "a.srt")])
    with index.store.snapshot() as snapshot:
        assert len(snapshot.find_by_words("bob", 9, None)) == 2
    [passage] = index.search("What has Bob said about the mast?", budget=6)
    assert passage.spoken == "The mast is of spruce,"


def test_a_quote_from_captions_is_cited_by_time() -> None:
    citations = cite(
        ["holds in sand", "Ash is light"], {"talk.srt": SRT, "notes.txt": "Ash is heavy."}
    )
    assert str(citations[0]) == "talk.srt, 00:04:30"
    assert citations[1].time == "00:01:30"
    [other] = cite(["Ash is heavy"], {"notes.txt": "Ash is heavy."})
    assert (other.time, other.place) == ("", "line 1")
    cue = "00:00:0{},000 --> 00:00:0{},000\n{}\n{}\n\n"
    two = cue.format(1, 2, "Cut the dead", "先剪") + cue.format(3, 4, "wood out.", "枯枝。")
    for both in cite(["Cut the dead wood out.", "先剪枯枝。"], {"two.srt": two}):
        assert (both.kind, both.place, both.places) == ("exact", "00:00:01 to 00:00:04", 1)


@pytest.mark.parametrize("name", ["formats.md", "formats.txt", "formats.rst"])
def test_a_text_that_quotes_captions_is_not_read_as_captions(name: str) -> None:
    code = "for cue in cues:\n    print(cue)"
    text = f"Cues\n\nA file of cues:\n\n```\n{SRT}```\n\nTo read it:\n\n```\n{code}\n```"
    text += "\n\nNote: oars."
    [passage], _ = search(name, text, "How do I read a file of cues?", 200)
    assert passage.readable_text == passage.text.strip() == text[passage.span.start :].strip()
    assert passage.time == ""
    [joined] = join_hits(passage.hits, {name: text})
    assert (joined.readable_text, joined.time) == (joined.text, "")
    [note] = cite(["Note: oars."], {name: Source(text, metadata={"source": name})})
    assert (note.kind, note.text, note.time) == ("exact", "Note: oars.", "")


CODE = '''
def weigh(boat):
    """Return the weight. Oars count, too."""
    if boat.Oars:
        return boat.Hull.Mass + boat.Oars.Mass
    return boat.Hull.Mass


def row(boat):
    """Row a boat. It moves."""
    for oar in boat.Oars:
        oar.pull(hard=True)
'''


COMMENTED = """keel: 3

# Tides of spring lift heavy boats.
# They come twice a month.

mast: 4
"""


@pytest.mark.parametrize("name", ["boat.py", "boat.yaml", "boat.conf", "boat.txt"])
def test_code_is_found_by_its_comments(name: str) -> None:
    passage, *_ = search(name, COMMENTED, "Which tides lift boats?", 14, size=14)[0]
    assert passage.text.startswith("# Tides of spring lift heavy boats.")


@pytest.mark.parametrize("name", ["boat.py", "boat.yaml"])
def test_text_beside_a_hit_in_code_does_not_end_at_a_comment(name: str) -> None:
    hit = Hit(0, name, Span(0, 7), "keel: 3", 1.0, {"source": name})
    [joined] = passages_of_hits("Which tides lift boats?", [hit], {name: COMMENTED}, budget=20)
    assert "# Tides of spring lift heavy boats." in joined.text


def test_passages_of_code_have_whole_lines_and_the_path_around_them() -> None:
    passages, _ = search("boat.py", CODE, "hull mass of oars", 14, size=12)
    lines = CODE.strip("\n").split("\n")
    for passage in passages:
        assert {line.strip() for line in passage.text.split("\n")} <= {*map(str.strip, lines)}
    assert passages[0].context == "boat > def weigh(boat)"
    inside = [sentence.text for sentence in sentences_of(CODE, "en", "code")]
    assert all(part.split("\n")[0].strip() in map(str.strip, lines) for part in inside)


FENCED = """# Install

Fetch the boats first.

```
git clone the-boats
```

Then build them:

- With make:

  ```bash
  # Takes a minute on old boats
  make all the boats

  make row them all
  ```

> ```
> bail them all out
> ```
"""


def test_a_part_of_code_has_both_fences_and_its_comments_are_not_headings() -> None:
    assert [sentence.text for sentence in sentences_of(FENCED, "en", "markdown")] == [
        "# Install\n\nFetch the boats first.",
        "```\ngit clone the-boats\n```",
        "Then build them:",
        "- With make:",
        "```bash\n  # Takes a minute on old boats\n  make all the boats",
        "make row them all\n  ```",
        "> ```\n> bail them all out\n> ```",
    ]


def test_a_link_in_parentheses_belongs_to_the_sentence_before() -> None:
    item = "- [Tide](https://tide.example) - Counts the boats. ([Code](https://code.example)) `MIT`"
    texts = [sentence.text for sentence in sentences_of(f"{item}\n{item}\n", "en", "markdown")]
    assert texts == [item, item]


NESTED_LINES = {
    "hire.md": "- Boats\n  - canoes, ten pounds a day\n  - rafts, nine pounds a day\n- Bikes\n",
    "hire.txt": "Boats:\n\tcanoes, ten pounds a day\n\trafts, nine pounds a day\nBikes:\n",
    "ci.yaml": "a:\n  rent:\n    - canoes: ten pounds a day\n      rafts: nine\nb:\n  c: 1\n",
    "hire.py": "class A:\n    def f(self):\n        if canoes > rafts:\n            pay(9)\n",
    "hire.rst": "Hire\r\n\r\n   canoes, ten pounds a day\r\n\r\n   rafts, nine pounds\r\n",
}


@pytest.mark.parametrize("name", NESTED_LINES)
def test_the_first_line_of_a_passage_is_indented_as_in_its_file(name: str) -> None:
    text = "Ask at the desk.\n\n" + NESTED_LINES[name]
    for budget in (4, 8, 16):
        [passage, *_], _ = search(name, text, "Are canoes or rafts nine pounds?", budget, size=8)
        before = f"{text[: passage.span.start]}|".splitlines()[-1][:-1]
        assert not before or before.strip()
        assert passage.text == passage.span.of(text)


TALK = [
    "you need a clean sharp saw and",
    "a ladder that stands on firm ground",
    "cut the dead wood out first",
    "never take more than a quarter",
    "of the crown in a single year",
    "water it well when it is dry",
]
ROLLING = "WEBVTT\nKind: captions\n\n" + "".join(
    f"00:00:{4 * n:02}.000 --> 00:00:{4 * n + 3:02}.990 align:start\n{before}\n"
    f"{line.replace(' ', f'<00:00:{4 * n:02}.500><c> ', 1)}</c>\n\n"
    f"00:00:{4 * n + 3:02}.990 --> 00:00:{4 * n + 4:02}.000 align:start\n{line}\n \n\n"
    for n, (before, line) in enumerate(zip([" ", *TALK], TALK, strict=False))
)


@pytest.mark.parametrize("text", [ROLLING, ROLLING.replace("\n", "\r\n")])
def test_words_of_rolling_captions_count_and_are_shown_once(text: str) -> None:
    passages, model = search("pear.vtt", text, "How much of the crown in a year?", 26)
    [passage] = passages
    assert text[slice(*passage.span)] == passage.text
    lines = passage.readable_text.split("\n")
    assert {*lines} <= {*TALK}
    assert len({*lines}) == len(lines) >= 3
    assert count_words(passage.in_context) <= 26
    assert not any("<" in embedded or "-->" in embedded for embedded in model.texts)


def test_a_passage_that_begins_inside_a_cue_has_its_time_and_no_markup() -> None:
    spoken = SRT.replace("Ash\nis", "Ash\n<i>is</i>")
    passages, _ = search("talk.srt", spoken, "What is light and strong?", 6)
    assert passages[0].readable_text == "Ash\nis light and strong."
    assert passages[0].text.startswith("Ash\n<i>")
    assert passages[0].time == "00:01:30"


@pytest.mark.parametrize(
    ("text", "quote", "place"),
    [
        (SRT, "Ash is light and strong. The mast is of spruce", "00:01:30 to 00:02:33"),
        (SRT, "and so are the spars.", "00:02:30"),
        (SRT.replace("Ash\nis", "<i>Ash</i>\nis").replace("\n", "\r\n"), "ash. Ash is", "00:01:30"),
        (SRT.replace("light", "<b>light</b>,"), "Ash is light, and", "00:01:30"),
        (SRT.replace("Ash\nis", "Ash\n- ANN LEE: is"), "Ash is light", "00:01:30"),
        (SRT.replace("2\n00:02", "NOTE A\n\n2\n00:02"), "strong. The mast", "00:01:30 to 00:02:33"),
        (ROLLING, "in a single year water it well", "00:00:16 to 00:00:23"),
        (ROLLING, "quarter of the crown", "00:00:12 to 00:00:19"),
    ],
)
def test_a_quote_over_several_cues_is_exact_and_cited_with_start_and_end_time(
    text, quote, place
) -> None:
    [citation] = cite([quote], {"talk.srt": text})
    assert (citation.kind, citation.place) == ("exact", place)
    assert citation.text.split() == quote.split()
    assert citation.span is not None
    assert text[citation.span.start :].startswith(quote[:3])
    assert text[: citation.span.end].endswith(quote[-2:])
    passages, _ = search("talk.srt", text, quote, 40, size=8)
    [from_passages] = cite([quote], passages)
    assert (from_passages.kind, from_passages.span, from_passages.places, from_passages.place) == (
        "exact",
        citation.span,
        1,
        place,
    )


def test_a_passage_does_not_end_with_the_header_of_a_table_that_is_longer_than_a_chunk() -> None:
    columns = [f"Three months that ended in June of year {year}" for year in range(2015, 2024)]
    rows = "".join(
        f"| Oars {n} | {' | '.join(str(n * 10 + c) for c in range(9))} |\n" for n in range(14)
    )
    table = f"| Sales | {' | '.join(columns)} |\n|{' --- |' * 10}\n{rows}"
    text = f"# Boats\n\nThe three months of June sold oars.\n\n{table}\nThe end of it.\n"
    for budget in (30, 90, 150):
        passages, _ = search("boats.md", text, "What ended in three months of June?", budget)
        assert passages
        assert not any(passage.text.rstrip().endswith("year 2023 |") for passage in passages)


@pytest.mark.parametrize(
    "unit", ["|-", "tide", "\n", "\n## a\n", "\n```\n", "\n```a\n# a\n", "<!-- a"]
)
def test_sentences_are_found_in_linear_time(unit: str) -> None:
    check_linear(lambda text: sentences_of(text, "en"), lambda n: f"{unit * n}x{unit * n}", 3_000)


def test_leaving_out_headings_above_a_word_takes_linear_time() -> None:
    check_linear(has_content, lambda n: "## a\n\n" * n + "x", 30_000)
