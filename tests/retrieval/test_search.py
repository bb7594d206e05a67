import sqlite3
from contextlib import closing
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker, Source
from lumber_core.spans import Span
from lumber_core.text.captions import spoken_text
from lumber_core.text.units import sentences
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.words.coverage import QuestionWords, content_words
from lumber_retrieval.words.keywords import count_starts, count_words, terms, words_in
from lumber_retrieval.words.sentences import has_content, headings_in, sentences_of, small_table
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import document

ROWS = "\n".join(f"| T{n} | {4000 + n} kg | {400 + n} l |" for n in range(60))
FLEET = (
    "# Fleet\n\nTrucks drive far.\n\n## Payloads\n\n| Truck | Payload | Tank |\n|---|---|---|\n"
    f"{ROWS}\n\n## Winter\n\nIn winter tyres are changed. The brakes need salt protection. Drivers "
    "check the oil daily. The depot in Oslo opens at six.\n"
)


class Blind(WordVectors):
    """An embedder without information: all vectors are equal."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0] * self.width for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0] * self.width


def index_of(text: str, size: int = 40, name: str = "a", embedding: Any = None) -> PassageIndex:
    index = PassageIndex(LayoutChunker(target_size=size), embedding or WordVectors())
    index.add([document(text, name)])
    return index


def fleet(embedding: Any = None) -> PassageIndex:
    return index_of(FLEET, 40, "fleet.md", embedding)


def test_a_chunk_with_all_words_comes_before_one_that_repeats_one() -> None:
    repeated = "The harbour, a harbour, every harbour: harbour after harbour. "
    text = repeated * 3 + "\n\nFees of the Arden harbour are low.\n\n" + "Boats sail. " * 40
    index = PassageIndex(GreedyChunker(12, tokenizer="words"), Blind())
    index.add([document(text, "a")])
    (passage,) = index.search("What are the harbour fees of Arden?", budget=8)
    assert passage.text == "Fees of the Arden harbour are low."
    assert passage.words_found == 1


@pytest.mark.parametrize(
    ("question", "best"), [("vitamin C", 1), ("IT", 2), ("狗", 3), ("犬が", 4)]
)
def test_a_word_of_one_letter_or_ideograph_is_found(question: str, best: int) -> None:
    texts = [
        *("Eels have vitamin D.", "Oranges have vitamin C.", "The IT team helps."),
        *("小狗吃肉，也很高兴。", "この犬は肉を食べる。", "海鸥在海上睡觉。"),
    ]
    index = PassageIndex(GreedyChunker(12, tokenizer="words"), Blind())
    index.add(document(text, str(n)) for n, text in enumerate(texts))
    assert index.search(question)[0].text == texts[best]


def test_words_decide_if_all_vectors_are_equal() -> None:
    text = "\n\n".join(f"Boat {number} sails to Oslo." for number in range(200))
    index = index_of(f"{text}\n\nThe harbour fees are low.", 8, embedding=Blind())
    assert index.search("harbour fees", budget=5)[0].text == "The harbour fees are low."
    assert index.search("nowhere", budget=5)


def test_a_row_of_a_table_is_returned_below_its_header_and_headings() -> None:
    (passage,) = fleet().search("payload of truck T42", budget=40, context=True)
    assert "T42" in passage.text
    header = "Fleet > Payloads\n\n| Truck | Payload | Tank |\n| --- | --- | --- |\n| T"
    assert passage.in_context.startswith(header.replace("| --- | --- | --- |", "|---|---|---|"))


def test_a_passage_inside_a_chunk_has_its_own_headings_and_lines() -> None:
    (passage,) = fleet().search("When does the depot in Oslo open?", budget=12, context=True)
    assert passage.text == "The depot in Oslo opens at six."
    assert passage.context == "Fleet > Winter"
    line = FLEET[: passage.span.start].count("\n") + 1
    assert (passage.metadata["line_first"], passage.metadata["line_last"]) == (line, line)


def test_a_passage_of_several_sentences_ends_on_the_line_of_the_last() -> None:
    texts = [
        "Tyres are changed in winter.",
        "Brakes need salt.",
        "Oil is checked.",
        "Vans rest.",
    ]
    text = "\n".join(texts)
    index = index_of(text)
    (passage,) = index.search("tyres winter brakes salt oil", budget=11, max_gap=0)
    assert len(passage.hits) == 3
    assert passage.text == "\n".join(texts[:3])
    assert (passage.metadata["line_first"], passage.metadata["line_last"]) == (1, 3)


@pytest.mark.parametrize("embedding", [WordVectors(), Blind()], ids=["words", "blind"])
@pytest.mark.parametrize("budget", [1, 20, 1_000_000])
@pytest.mark.parametrize("question", ["depot", "the of", "?!…", "Wo ist das Depot?", FLEET * 5, ""])
def test_any_question_returns_slices_within_the_budget(
    question: str, budget: int, embedding: Any
) -> None:
    index = fleet(embedding)
    passages = index.search(question, budget=budget, context=True)
    assert passages
    words = sum(count_words(passage.in_context) for passage in passages)
    assert words <= budget or len(passages) == 1
    for passage in passages:
        assert passage.text == FLEET[slice(*passage.span)]
        assert 0 <= passage.score <= 1
        assert passage.words_found is not None
        assert 0 <= passage.words_found <= 1 + 1e-9


@given(
    st.lists(st.sampled_from(["Otters hunt.", "Who?", "Mr. Lee wins!", "No end", "\n\n", "a b"])),
    st.integers(1, 60),
)
@example(["\n\n", "Otters hunt."], 1)  # a passage includes its indent
def test_passages_begin_and_end_at_sentences(parts: list[str], budget: int) -> None:
    text = " ".join(["Herons stand.", *parts])
    index = index_of(text, 12)
    edges = {place for span in sentences(text) for place in span.strip(text)}
    passages = index.search("Do otters hunt?", budget=budget)
    for passage in passages:
        chunks = {place for span in index_spans(index) for place in span.strip(text)}
        assert {*passage.span.strip(text)} <= edges | chunks
    places = sorted(passage.span for passage in passages)
    assert all(place.end <= following.start for place, following in pairwise(places))


def test_a_sentence_that_is_in_several_chunks_is_read_whole() -> None:
    long = (
        "Past the mill, whose wheel grinds the corn of nine farms, and past the bridge of the "
        "monks, which no cart may cross, otters hunt where the river is deep."
    )
    text = f"Herons stand. They wait. {long} Then they sleep.\nFoxes sleep as well."
    index = index_of(text, 12, "a.txt")
    assert all(span[1] - span[0] < len(long) for span in index_spans(index))
    (passage,) = index.search("Where do otters hunt?", budget=30)
    assert passage.text == long
    assert passage.metadata["line_last"] == 1
    (part,) = index.search("Where do otters hunt?", budget=20)
    assert part.text in long  # the whole sentence exceeds the budget
    assert part.text.endswith("otters hunt where the river is deep.")


TALK = "1\n00:00:01,000 --> 00:00:02,500\nOtters hunt\n\n"
KINDS = {
    "fleet.md": FLEET,
    "rivers.txt": "Otters hunt (says Dr. Lee) at night.\n\nHerons stand.\nThey wait, " * 9
    + "and eat.\n\n"
    + "Nothing else is known of herons and of how they live.\n\n" * 9
    + "Payload",
    "payloads.csv": "truck,payload,remark\n" + "T1,4000,hunts otters at night\n" * 40,
    "talk.srt": (TALK + TALK.replace("Otters hunt", "at night.")) * 12,
    "hunt.py": "# Otters hunt.\n# At night.\ndef hunt(otters):\n    return 'at night'\n\n\n" * 20,
    "hunt.json": '{"otters": {"hunt": "At night. Not by day.", "herons": ["stand"]}}\n' * 20,
    "night.rst": "Otters\n======\n\n.. a comment\n\nOtters hunt. At night.\n\n" * 20,
}


@pytest.mark.parametrize("name", KINDS)
def test_a_question_does_not_divide_chunks_into_sentences_again(
    name: str, tmp_path: Path, monkeypatch: Any
) -> None:
    def search() -> list[Any]:
        index = PassageIndex(LayoutChunker(target_size=20), WordVectors(), tmp_path / "a.db")
        index.add([document(KINDS[name], name)])
        passages = index.search("Do otters hunt at night with a payload?", budget=60, context=True)
        return [
            (passage.span, passage.score, passage.words_found, passage.metadata)
            for passage in passages
        ]

    search()
    with monkeypatch.context() as patch:
        patch.setattr("lumber_retrieval.words.sentences.sentences_of", None)
        expected = search()
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE chunks SET sentences = '[]'")
    assert expected == search() != []


def read_sentences(text: str, kind: str = "text") -> list[str]:
    return [sentence.text for sentence in sentences_of(text, "en", kind)]


def index_spans(index: PassageIndex) -> list[Span]:
    with index.store.snapshot() as snapshot:
        scores = dict.fromkeys(range(1, snapshot.size + 1), 0.0)
        hits, _ = snapshot.hits(scores, np.ones(WordVectors().width))
    return [hit.span for hit in hits]


def test_rows_stay_with_headers_and_headings_with_text_and_rules_are_left_out() -> None:
    costs = "## Costs\n\nLow. High.\n\n| a. B. c | No. 5. Yes |\n"
    assert read_sentences(costs) == ["## Costs\n\nLow.", "High.", "| a. B. c | No. 5. Yes |"]
    quoted = "> | One. It hums all day. | Old. The best of all. |"
    assert read_sentences(quoted) == [quoted]
    rules = "---\n\n## Boats\n\nThey are let.\n\n***\n\n## Prices\n\nAs follows\n\n"
    header = "| Boat | Price |\n|---|--:|\n"
    assert read_sentences(rules + header) == [
        "## Boats\n\nThey are let.",
        "## Prices\n\nAs follows",
    ]


def test_a_speaker_or_title_above_the_lines_of_a_paragraph_belongs_to_its_first_sentence() -> None:
    text = "ANN.\nWe row at dawn. Be there.\n\nTide analysis.\nTo see it, we row.\n\nHe left."
    titled = "Tide analysis.\nTo see it, we row."
    assert read_sentences(text) == ["ANN.\nWe row at dawn.", "Be there.", titled, "He left."]


@pytest.mark.parametrize("form", ["**{}**", "Q: {}", "Question 2: {}"])
def test_a_question_stays_with_its_answer(form: str) -> None:
    questions = [form.format(question) for question in ("Who rents boats?", "May dogs come along?")]
    answers = [
        "The office does, between nine and noon. It keeps the keys until the evening.",
        "They may, on a leash. Small animals travel free of charge on all lines.",
    ]
    pairs = (part for pair in zip(questions, answers, strict=True) for part in pair)
    text = "\n\n".join([*pairs, "**Row!**", "---", "## A\n"])
    assert read_sentences(text, "markdown")[:4:2] == [
        f"{questions[n]}\n\n{answers[n].partition('. ')[0]}." for n in (0, 1)
    ]
    source = Source(text, format="markdown")
    cuts = [span.start for span in LayoutChunker(target_size=12).segment(source).spans]
    assert {text.index(questions[1]), text.index("## A")} <= {*cuts}
    assert not {*cuts} & {text.index(answers[0]), text.index(answers[1])}


def test_invisible_markdown_is_not_a_sentence() -> None:
    text = (
        "<!-- Keep these old anchors. -->\n\nLet by the hour. <!-- check it -->\n\n"
        '<a id="prices-of-all-boats"></a>\n\n### Prices\n\nLow <!-- now --> in May.\n\n'
        "### Notes\n\n<!-- to be\nwritten soon -->\n\nThey may change. In May."
    )
    assert [
        (sentence.text, sentence.has_content) for sentence in sentences_of(text, "en", "markdown")
    ] == [
        ("Let by the hour.", True),
        ("### Prices\n\nLow <!-- now --> in May.", True),
        ("### Notes\n\n<!-- to be\nwritten soon -->\n\nThey may change.", True),
        ("In May.", True),
    ]
    [label] = sentences_of("Oars <!-- of ash and spruce -->\n", "en", "markdown")
    assert not label.has_content
    visible = "```html\n<!-- This is a comment. -->\n```"
    assert read_sentences(visible, "markdown") == [visible]
    assert read_sentences("<!-- It is here. -->", "code")


def test_comments_of_obsidian_are_not_sentences() -> None:
    text = (
        "Rows start at nine. %%check this%% They are free.\n\n%%\nA note. Not shown.\n%%\n\n"
        '%% kanban:settings\n```\n{"plugin":"board"}\n```\n%%\n\nUse 50 %% of it. And 5 %% 2.\n'
    )
    expected = ["Rows start at nine.", "They are free.", "Use 50 %% of it.", "And 5 %% 2."]
    assert read_sentences(text, "markdown") == expected
    code = "```python\n%%time\nx = 5\n%%\n```"
    assert read_sentences(code, "markdown") == [code]
    fortunes = "%%\nRow at nine.\n%%\nGo home.\n%%\n"
    assert "Row at nine." in sentences_of(fortunes, "en")[0].text


def test_marks_and_tags_of_site_generators_are_not_sentences() -> None:
    lines = (
        *("import Tabs from '@theme/Tabs';", '{{< tabs name="the boats of June" >}}'),
        *("::::info Boats", '{% hint style="info" %}', "They are let by the hour."),
        *("{% endhint %}", "::::", "/// note | In May and June", "Prices are low.", "///"),
        "::: boats.prices.of.the.harbour",
    )
    expected = [
        '::::info Boats\n{0}{% hint style="info" %}\n{0}They are let by the hour.',
        "/// note | In May and June\n{0}Prices are low.",
    ]
    for blank in ("", "\n"):
        text = f"\n{blank}".join(lines)
        assert read_sentences(text, "markdown") == [line.replace("{0}", blank) for line in expected]
    assert len(sentences_of("/// Returns the price of a boat.\nfn price()", "en", "code")) == 2


def test_words_inside_tags_are_not_content() -> None:
    text = '<div class="boats of June"><Since v="2.0.0" /></div>\n\n<p id="a">Let by the hour</p>\n'
    texts = [
        sentence.text for sentence in sentences_of(text, "en", "markdown") if sentence.has_content
    ]
    assert texts == ['<p id="a">Let by the hour</p>']
    code = '```html\n<div class="boats of June">\n```'
    assert [sentence.has_content for sentence in sentences_of(code, "en", "markdown")] == [True]
    assert has_content("startServer();\n", "code")
    assert not has_content("};\n", "code")


HIDDEN_LINES = {
    "rst": (
        ".. _prices of the boats: https://boats.test\n\n.. index:: pair: prices; of boats\n\n"
        ".. These are the prices\n   of last year.\n\n.. contents:: Table of contents"
    ),
    "org": (
        ":PROPERTIES:\n:ID: the prices of boats\n:END:\n#+AUTHOR: Ann of the harbour\n"
        "# These are old prices."
    ),
    "asciidoc": (
        "[[the-prices-of-boats]]\n:author: Ann of the harbour\n\n// These are old prices.\n"
        "include::prices-of-all-boats.adoc[]"
    ),
    "latex": (
        "\\usepackage[of, all, boats]{prices}\n\\begin{the boats of June}\n"
        "% These are old prices.\n\\label{sec:prices-of-all-boats} % of June"
    ),
}


@pytest.mark.parametrize("kind", HIDDEN_LINES)
def test_invisible_lines_of_other_markup_are_not_sentences(kind: str) -> None:
    text = f"{HIDDEN_LINES[kind]}\n\nThey are let by the hour.\n\n{HIDDEN_LINES[kind]}\n"
    texts = [sentence.text for sentence in sentences_of(text, "en", kind) if sentence.has_content]
    assert texts == ["They are let by the hour."]
    assert len(sentences_of(text, "en")) >= 3  # plain text hides no lines


def test_a_note_of_restructuredtext_begins_with_its_directive() -> None:
    text = "It rains.\n\n.. note::\n\n   The boats are in the shed.\n\n.. [1] As of June.\n"
    note = ".. note::\n\n   The boats are in the shed."
    assert read_sentences(text, "rst") == ["It rains.", note, ".. [1] As of June."]


def test_wide_rows_of_csv_are_whole() -> None:
    names = ",".join(f"column {n}" for n in range(90))
    towns = ["Oslo", "Hamar", "Moss", "Bergen", "Voss", "Narvik", "Bodo"]
    rows = [",".join(f"{town} {n}" for n in range(90)) for town in towns]
    index = index_of("\n".join((names, *rows)), 50, "towns.csv")
    for question in ("Bergen 0", "Bergen 45", "Bergen 89"):
        best = index.search(question, budget=500)[0]
        assert rows[3] in best.text.split("\n")
        assert {*best.text.split("\n")} <= {names, *rows}


HEADINGS = {
    "markdown": ("Boats\n=====", "Prices\n------"),
    "rst": ("=====\nBoats\n=====", "Prices\n~~~~~~"),
    "org": ("* Boats", "** Prices"),
    "asciidoc": ("== Boats", "=== Prices"),
    "latex": (r"\section{Boats}", r"\subsection*{Prices}"),
}


@pytest.mark.parametrize("kind", HEADINGS)
def test_headings_of_each_markup_belong_to_the_text_below_them(kind: Any) -> None:
    boats, prices = HEADINGS[kind]
    text = f"{boats}\n\nLet by the hour. Or longer.\n\n{prices}\n\nThey are low.\n\n{prices}\n"
    expected = [f"{boats}\n\nLet by the hour.", "Or longer.", f"{prices}\n\nThey are low."]
    assert read_sentences(text, kind) == expected


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_the_last_line_of_a_paragraph_above_a_rule_is_not_a_heading(line_break: str) -> None:
    text = line_break.join(["Let by the hour", "or for longer.", "---", "They are low."])
    assert not [*headings_in(text, "text")]


@pytest.mark.parametrize("kind", HEADINGS)
def test_a_passage_begins_at_the_heading_of_its_best_sentence_in_each_markup(kind: Any) -> None:
    boats, prices = HEADINGS[kind]
    text = f"{boats}\n\nGulls sleep on the pier.\n\n{prices}\n\nA boat costs nine crowns an hour.\n"
    index = PassageIndex(LayoutChunker(target_size=16), WordVectors())
    index.add([IndexedDocument("a", "a", Source(text, format=kind))])
    best = index.search("How many crowns does a boat cost an hour?")[0]
    assert best.text == f"{prices}\n\nA boat costs nine crowns an hour."


@pytest.mark.parametrize(("question", "best"), [("Who rents boats?", 1), ("Who is the author?", 0)])
def test_front_matter_is_a_passage_of_its_own(question: str, best: int) -> None:
    matter, text = "author: Ann Lee\ndate: 2024-05-01", "Harbours rent boats. They are free."
    index = index_of(f"---\n{matter}\n---\n{text}\n", 60, "boats.md")
    texts = [passage.text for passage in index.search(question)]
    assert texts == [text, matter] if best else [matter, text]


def test_sentences_are_found_by_the_rules_of_the_language() -> None:
    text = "Der Rat stimmt bis zum 1. Juli zu. Danach ruht er."
    assert len(sentences_of(text, "de")) == 2
    index = PassageIndex(LayoutChunker(target_size=20, language="de"), WordVectors())
    index.add([document(text, "a")])
    (passage,) = index.search("Wann stimmt der Rat zu?", budget=9)
    assert passage.text == "Der Rat stimmt bis zum 1. Juli zu."


SAYS_NOTHING = [*("* **Label**:", "## A few words", "2.", "Yes.", "- - -", "Oslo", "\u6771\u4eac")]
SAYS_SOMETHING = [
    *("Bees hum.", "| Gull | 7 | red |", "- tyres for winter", "## Use\n\nTurn it off first"),
    "1\n00:00:01,000 --> 00:00:02,000\nOars float well",
]


@pytest.mark.parametrize("text", [*SAYS_NOTHING, *SAYS_SOMETHING, "1\n0:30.5 --> 0:33.0\nYes"])
def test_labels_headings_words_and_times_are_not_passages_but_rows_are(text: str) -> None:
    assert has_content(spoken_text(text)) == (text in SAYS_SOMETHING)


@pytest.mark.parametrize(
    ("text", "words"),
    [("| Gull | 7 | | red |", 3), ("|Gull|7||red|", 3), ("a|b", 2), ("| \u6771\u4eac | 7 |", 3)],
)
def test_bars_of_tables_do_not_count_as_words(text: str, words: int) -> None:
    assert count_words(text) == words
    end = len(text)
    cuts = [count_starts(text, 0, cut) + count_starts(text, cut, end) for cut in range(end)]
    assert cuts == [words] * end


@pytest.mark.parametrize(("rows", "is_whole"), [(10, True), (11, False)])
def test_a_table_of_up_to_ten_rows_is_read_whole(rows: int, is_whole: bool) -> None:
    body = "".join(f"| Boat {n} | {n} pounds an hour |\n" for n in range(rows))
    table = f"| Boat | Price |\n|---|---|\n{body}".strip()
    text = f"# Quay\n\nBoats are let.\n\n{table}\n\nThey hold four.\n"
    place = text.index("| Boat 7")
    found = small_table(text, Span(place, place + 5))
    assert (None if found is None else found.of(text)) == (table if is_whole else None)
    index = PassageIndex(LayoutChunker(target_size=15), WordVectors())
    index.add([IndexedDocument("a", "a", Source(text, format="markdown"))])
    best = index.search("Boat 7 pounds", budget=66, max_gap=0)[0]
    assert (table in best.text) == is_whole
    assert "| Boat 7 |" in best.text
    if not is_whole:
        assert not best.text.rstrip().endswith("|---|---|")


@pytest.mark.parametrize("row", range(8))
def test_a_passage_of_a_small_table_has_the_lines_of_the_table(row: int) -> None:
    goods = ("nets", "ropes", "lamps", "sails", "oars", "anchors", "paint", "buckets")
    line = "| {} | of the old shed by the big pier | {} |"
    rows = "\n".join(line.format(name, n) for n, name in enumerate(goods))
    text = f"# Stock\n\nWe sell.\n\n## Hut\n\n| Good | Place | Count |\n|---|---|---|\n{rows}\n"
    index = index_of(text, 15, "a.md")
    (passage,) = index.search(goods[row], budget=150, context=True, min_similarity=0.05)
    assert passage.metadata["line_first"] == text.count("\n", 0, passage.span.start) + 1
    assert passage.in_context.count("| Good") == 1
    assert "| buckets |" in passage.text


def test_stop_words_depend_on_the_language_of_the_question() -> None:
    assert content_words(["what", "is", "the", "cost", "of", "a", "truck"]) == ["cost", "truck"]
    assert content_words(["wie", "hoch", "ist", "die", "nutzlast"]) == ["nutzlast"]
    assert content_words(["the", "of", "and"]) == ["the", "of", "and"]
    assert content_words(["name", "77", "word"]) == ["77", "word"]  # "name" is an English stop word


@pytest.mark.parametrize("question", ["refund date", "hat size", "vitamin C", "bin location"])
def test_a_word_that_is_a_stop_word_of_some_language_counts_in_a_short_question(question) -> None:
    words = question.lower().split()
    coverages = [*QuestionWords(question, dict.fromkeys(words, 1), 9).coverages(words)]
    assert coverages == pytest.approx([0.5, 0.5])


def test_rare_words_weigh_more() -> None:
    question = QuestionWords("otters hunting", {"otters": 1, "hunting": 90}, 100)
    rare, common = question.coverages(["otter", "a hunting"])
    assert rare > 5 * common
    assert rare + common == pytest.approx(1)


def test_the_share_of_question_words_does_not_depend_on_their_order() -> None:
    words = "otters", "herons", "millers", "barley", "violins", "harps"
    counts = {word: 2**n for n, word in enumerate(words)}
    question = QuestionWords(" ".join(words), counts, 100)
    assert len({*question.coverages(map(" ".join, permutations(words)))}) == 1


def test_words_are_found_by_their_parts_in_other_alphabets() -> None:
    assert words_in("Кафе Ärger") == ["кафе", "arger"]
    assert {"ниг", "кни"} <= {*terms("книгами")} & {*terms("книга")}
    assert terms("otters") == ["otters"]
    assert words_in("ภาษาไทย")[:2] == ["ภาษ", "าษา"]
    assert words_in("中国人") == ["中国", "国人", *"中国人"]


def test_words_are_found_in_any_script() -> None:
    assert words_in("Don't set max_gap=3.5!") == ["don", "t", "set", "max", "gap", "3", "5"]
    assert words_in("हिन्दी में") == ["हिंदी", "में"]
    assert words_in("धूप है।") == ["धूप", "है"]
    assert words_in("រាត្រី។ ညနေ။") == [*words_in("រាត្រី"), *words_in("ညနေ")]
    assert words_in("ཉི་མ།") == ["ཉི", "མ"]
    assert words_in("東京へ、行く") == ["東京", "京へ", *"東京", "行く", "行"]
    assert words_in("한국어에 x") == ["한국", "국어", "어에", "x"]
    assert words_in("\ud800 \x00 … 🙂") == []


MIXED = st.text("aB7_ .'-\n\x1c\xa0\u2014\u2019\u20b9\ufe0fº…\u00e9\u0301\u4e2d\u0e01\u0e33")


@given(MIXED)
def test_words_of_a_text_do_not_depend_on_words_of_another_alphabet(text: str) -> None:
    assert words_in(f"\u0436 {text}") == ["\u0436", *words_in(text)]


@given(MIXED)
def test_words_before_a_syllable_of_another_alphabet_are_counted_the_same(text: str) -> None:
    end = len(text)
    assert count_starts(f"{text}\u4e2d", 0, end + 1) == count_starts(text, 0, end) + 1


def reports(**metadata: Any) -> PassageIndex:
    """Return an index of long reports; only their names tell the companies."""
    text = "".join(f"The margin of year {n} is {n} per cent. " for n in range(900))
    index = PassageIndex(GreedyChunker(500, tokenizer="words"), Blind())
    for name in ("ADOBE_10K.txt", "BESTBUY_10K.txt", "MGMRESORTS_10K.txt", "a_bakers_dozen.txt"):
        index.add([document(text, name, **metadata)])
    return index


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the margin of Best Buy in year 2?", "BESTBUY_10K.txt"),
        ("What is MGM's margin in year 2?", "MGMRESORTS_10K.txt"),
        ("What is the margin of bakers in year 2?", "a_bakers_dozen.txt"),
    ],
)
def test_long_documents_named_in_the_question_come_first(question: str, name: str) -> None:
    best, *others = reports().search(question, budget=100)
    assert best.document == name
    assert all(0 <= passage.score <= 1 for passage in (best, *others))
    best, *_ = reports(title=None).search(question, budget=100)
    assert best.document == "ADOBE_10K.txt"  # the first of equal documents


@pytest.mark.parametrize(
    ("start", "context"),
    [("", "river otters"), ("Otters\n======\n\n", ""), ("# Otters\n\n", "Otters")],
)
def test_a_passage_has_the_title_of_its_document(start: str, context: str) -> None:
    text = start + "".join(f"Holt {n} has {n} dens. Its water is {n} feet deep. " for n in range(9))
    index = PassageIndex(LayoutChunker(target_size=40), WordVectors())
    name = "river_otters.md" if start.startswith("#") else "river_otters.txt"
    index.add([document(text, name)])
    budget = 9 + len(context.split())
    (passage,) = index.search("How deep is the water of holt 5?", budget=budget, context=True)
    assert passage.text.startswith("Its water is")  # begins inside a chunk
    assert passage.context == context
