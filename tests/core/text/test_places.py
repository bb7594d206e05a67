"""Places where a chunk may start, in the formats that people have."""

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from lumber_core.spans import Span
from lumber_core.text import unicode
from lumber_core.text.lines.columns import broken_cells
from lumber_core.text.lines.tables import rows_of
from lumber_core.text.parsed import MarkdownText, ParsedText, PlainText
from lumber_core.text.place import Kind, Place
from lumber_core.text.places import find_places, finer_places
from lumber_core.text.units import paragraphs

FORMATS = Path(__file__).parents[1] / "formats"


def read_sample(name: str) -> str:
    return (FORMATS / name).read_bytes().decode()


def pieces(text: str) -> list[str]:
    edges = [0, *(place.offset for place in find_places(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def kinds(text: str) -> dict[str, Kind]:
    """Return the kind of each place by the first words that stand there."""
    return {text[p.offset :].lstrip()[:12]: p.kind for p in find_places(text)}


def line_starts(text: str) -> set[int]:
    return {0, *(at + 1 for at, character in enumerate(text) if character == "\n")}


def test_line_ends_in_wrapped_prose_are_not_places() -> None:
    text = read_sample("wrapped.txt")
    starts = {place.offset for place in find_places(text) if place.kind is Kind.LINE}
    for piece in ("times since.", "2011 by", "switchboard", "month. He", "on the next day"):
        assert text.index(piece) not in starts
    assert all(piece.rstrip()[-1] in ".9" or piece == "12\n" for piece in pieces(text))


def test_a_heading_in_wrapped_prose_stays_with_its_text() -> None:
    text = read_sample("wrapped.txt")
    assert kinds(text)["Inspection s"] is Kind.HEADING
    assert "An inspector" not in kinds(text)


@pytest.mark.parametrize("name", ["customers.csv", "names.tsv", "worker.log", "table.txt"])
def test_rows_are_divided_only_at_their_ends(name: str) -> None:
    text = read_sample(name)
    places = find_places(text)
    assert len(places) >= text.strip().count("\n") - 1
    assert {place.offset for place in places} <= line_starts(text)


@pytest.mark.parametrize("name", ["word_count.py.txt", "widgets.json"])
def test_code_is_not_divided_after_a_line_that_opens_a_block(name: str) -> None:
    text = read_sample(name)
    starts = {place.offset for place in find_places(text)}
    assert starts <= line_starts(text)
    for start in starts:
        line = text[start:].split("\n", 1)[0]
        before = text[:start].rstrip("\n").rsplit("\n", 1)[-1]
        assert line.strip()[0] not in "}])"
        assert not before.rstrip().endswith((":", "{", "[", "("))


def test_outer_blocks_of_code_are_less_deep_than_inner_ones() -> None:
    text = read_sample("word_count.py.txt")
    depths = {text[p.offset :].strip()[:9]: p.depth for p in find_places(text)}
    assert depths["class Wor"] == 0
    assert depths["def add(s"] == 1
    assert depths["words = t"] == 2


def test_lines_below_a_dated_entry_are_deeper_than_the_next_entry() -> None:
    entry = "2025-03-03 10:0{n}:45 ERROR failed\nTimeoutError: 30 s\nCaused by a broken pipe\n"
    text = "".join(entry.format(n=number) for number in range(4))
    depths = {text[place.offset :].split()[0]: place.depth for place in find_places(text)}
    assert depths["2025-03-03"] == 0
    assert depths["TimeoutError:"] >= 2
    assert depths["Caused"] >= 2


def test_labels_stay_with_their_items() -> None:
    text = read_sample("notes.txt")
    assert pieces(text)[0].startswith("Notes\n[1] Software")
    firsts = [piece[:4] for piece in pieces(text)]
    for label in ("[2] ", "[3] ", "(a) ", "(b) ", "1. C", "2. S", "Q: H", "Q: C"):
        assert label in firsts
    assert "A: T" not in firsts  # no place between question and answer


DIARY = (
    "2025-03-0{} Today we went to the harbour and saw the crane\n"
    "that has been broken since March. It rained all of the day.\n"
)
LATEX = (
    "\\section{{Part {0}}}\nMoss grows on roofs of slate. It was studied since 1890, mostly in\n"
    "the north, where the winters are long and where the roofs of the\n"
    "towns are steep and wet.\n\\label{{part{0}}}\n"
)
MAIL = """\
the hoist brake is worn and the spare part is on its way from
the north; it comes on Thursday. Until then we wait.

On Mon, 3 Mar 2025 at 17:40, Bob <bob@harbour.example> wrote:
> Crane 3 makes a grinding noise when it lowers a heavy load and
> it smells. I have stopped it.
>
> On Sun, 2 Mar 2025 at 11:02, Cleo <cleo@harbour.example> wrote:
>> The invoice is attached.
"""


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        *(
            (f"Rain fell.\n{label}\nAnn left. She ran.\n", [label, "She ran."])
            for label in ("[2]", "2.", "(b)")
        ),
        (
            "Can I cancel?\nYes. Open Settings.\n\nIs it free?\nNo. It costs a little.\n",
            ["Open Settings.", "Is it free?", "It costs a little."],
        ),
        ("Lyon 10:15\nEms 11:40\nUlm 12:55\nPau 13:30\n", ["Ems 11:40", "Ulm 12:55", "Pau 13:30"]),
        (
            "".join(map(DIARY.format, range(1, 5))),
            ["It rained", *(start for n in (2, 3, 4) for start in (f"2025-03-0{n}", "It rained"))],
        ),
        (
            "".join(map(LATEX.format, range(4))),
            ["Moss grows", "It was studied", "\\label", "\\section"] * 3
            + ["Moss grows", "It was studied", "\\label"],
        ),
        (
            "; where it runs\n[server]\nhost = a\nport = 1\n\n[cache]\nhost = b\nttl = 2\n",
            ["port = 1", "[cache]", "ttl = 2"],
        ),
        (MAIL, ["Until then we ", "On Mon, 3 Mar ", "I have stopped", "> On Sun, 2 Ma"]),
    ],
    ids=[*("label", "number", "letter", "question", "times", "diary", "latex", "sections", "mail")],
)
def test_lines_stay_with_the_lines_they_belong_to(text: str, starts: list[str]) -> None:
    lines = [text[place.offset :].split("\n")[0] for place in find_places(text)]
    assert len(lines) == len(starts)
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True)), lines


def test_text_begins_after_a_label() -> None:
    text = "[1] Rain fell.\n[2] Ann left.\nANNA (10:32): Did you see it\n10:33 Ben said no"
    behind = [text[place.first_word :][:3] for place in find_places(text)]
    assert behind == ["Ann", "Did", "Ben"]


def test_messages_of_a_chat_begin_at_places() -> None:
    text = read_sample("chat.txt")
    offsets = {place.offset for place in find_places(text) if place.kind is Kind.LINE}
    assert offsets == line_starts(text) - {0}


MESSAGES = ["So we start with the bread", "and with a little salt.", "Now the oven", "is hot?"]


@pytest.mark.parametrize(
    "head",
    [
        "{n}\n00:00:{n}5,000 --> 00:00:{n}7,500\n",
        "00:{n}5.000 --> 00:{n}7.500 align:start position:10%\n",
        *("0:{n}5\n", "Ann Lee  10:{n}5 AM\n", "Ann Lee \u2014 Today at 10:{n}5\n"),
        *("Ann Lee\n10:{n}5 AM\n", "[Ann Lee] 00:{n}5:07\n", "[10:{n}5] Ann Lee\n"),
        *("(10:{n}5:09) - Ann Lee\n", "12/03/2024, 10:{n}5 - Ann Lee: "),
        "[12.03.24, 10:{n}5:09] Ann Lee: ",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_time_and_a_speaker_stay_with_the_speech(head: str, gap: str) -> None:
    heads = [head.format(n=number) for number in range(1, 5)]
    text = gap.join(head + message for head, message in zip(heads, MESSAGES, strict=True))
    places = find_places(text)
    assert len(places) == 3
    for place, said, message in zip(places, heads[1:], MESSAGES[1:], strict=True):
        assert text.startswith(said, place.offset)
        assert text.startswith(message, place.first_word)


def test_headings_are_distinguished_from_lines() -> None:
    body = "This paragraph is long enough to be the body of a section, with a full stop. " * 2
    text = f"{body}\n\nMethods\n{body}\n\n2.1 Samples\n\n{body}\n\nRESULTS\n{body}\n"
    place_kinds = kinds(text)
    titles = "Methods\nThis", "2.1 Samples\n", "RESULTS\nThis"
    assert {place_kinds[title] for title in titles} == {Kind.HEADING}
    short = "yes\nno\nMaybe\nok then\nwhy not\n"
    assert Kind.HEADING not in kinds(short).values()


@pytest.mark.parametrize("title", ["Exits\n-----\n", "Exits\n=====\n\n", "***\nExits\n***\n"])
def test_a_title_with_a_rule_is_a_heading_and_stays_with_its_text(title: str) -> None:
    text = f"The server stops.\n\n{title}It returns zero. Other numbers are errors.\n"
    first, *others = find_places(text)
    assert first == Place(text.index(title), Kind.HEADING, text.index(title))
    assert [text[place.offset :] for place in others] == ["Other numbers are errors.\n"]


def test_a_rule_below_a_paragraph_or_a_row_does_not_make_a_heading() -> None:
    text = "Ann came home.\nShe slept\nuntil ten.\n-----\nBen came home.\n"
    assert Kind.HEADING not in kinds(text).values()
    table = "====  =======\nCode  Meaning\n====  =======\n0     success\n1     failure\n"
    assert kinds(table)["1     failur"] is Kind.LINE


PAGES = [
    "THE HARBOUR\nThe pier was built in the spring of that year by\na company from the north. It "
    "had three cranes and a\nshed for the goods, which were timber and salt, and\nit was "
    "the longest pier on the coast.\n17",
    "THE HARBOUR\nAfter the fire the town council sold the harbour\nto a company. The company had "
    "plans for a railway,\nwhich were drawn by the engineer who had planned\nthe pier. The first "
    "train arrived late, because the\n18",
    "THE HARBOUR\nguests preferred the mountains. The harbour master\nof those years kept a diary "
    "that is in the museum.\n19",
    "THE HARBOUR\nThe Second Pier\nThe second plan was more modest. It kept the old\nbasin and "
    "added a pier of wood, for the steamers that\nbrought the summer guests.\n20\n",
]


@pytest.mark.parametrize("separator", ["\f", "\n\f"])
def test_running_titles_and_page_numbers_stay_with_their_page(separator: str) -> None:
    text = separator.join(PAGES)
    starts = [text[place.offset :].split("\n")[0] for place in find_places(text)]
    assert starts.count("THE HARBOUR") == 2  # not inside a sentence
    assert not {"17", "18", "19", "20"} & {*starts}
    assert not any(start.startswith(("After", "guests", "The Second")) for start in starts)
    assert all(text[place.offset].isupper() for place in find_places(text))


def test_a_sentence_that_runs_on_to_the_next_page_is_in_one_paragraph() -> None:
    units = [unit.of("\f".join(PAGES)) for unit in paragraphs("\f".join(PAGES))]
    assert any("because the\n18\fTHE HARBOUR\nguests preferred" in unit for unit in units)


def test_a_repeated_line_inside_pages_is_not_a_running_title() -> None:
    pages = [["Ann", "Bob", "Note", "Cleo", "Dora"], ["Eve", "Fay", "Note", "Gus", "Hal"]]
    text = "\f".join("\n".join(f"{name} came home." for name in page) for page in pages)
    starts = [text[place.offset :].split("\n")[0] for place in find_places(text)]
    assert starts.count("Note came home.") == 2


COMPOSE = """\
services:
  web:
    image: harbour/web
    ports:
      - "8080:80"
  db:
    image: postgres
  worker:
    image: harbour/worker
"""


def test_outer_keys_of_yaml_are_divided_before_inner_ones() -> None:
    depths = {COMPOSE[p.offset :].split("\n")[0]: p.depth for p in find_places(COMPOSE)}
    assert depths["  db:"] == depths["  worker:"] < depths["    ports:"]


@pytest.mark.parametrize("mark", ["## {}", "== {}", "== {} ==", "========,2,{}."])
def test_a_marked_line_is_a_heading_and_stays_with_its_text(mark: str) -> None:
    text = f"It explains it.\n{mark.format('Mounting')}\n\nHold it. Turn it.\n"
    places = find_places(text)
    assert [text[p.offset :].split()[-1] for p in places] == ["it.", "it."]
    assert [p.kind for p in places] == [Kind.HEADING, Kind.SENTENCE]


def test_a_numbered_title_stays_with_the_first_number_below_it() -> None:
    text = "All agreed.\n4. Parking\n4.1 Permits are given out on Monday.\n4.2 Visitors wait.\n"
    places = find_places(text)
    assert [text[p.offset :].split()[0] for p in places] == ["4.", "4.2"]
    assert places.kinds[0] is Kind.HEADING


@pytest.mark.parametrize("term", ["oar_1", "wind up", "--color", "$HOME", "ls", "Oars", "= Oars ="])
@pytest.mark.parametrize("width", [70, 1000])
def test_a_term_stays_with_its_definition_without_blank_lines(term: str, width: int) -> None:
    body = "They are wound each Monday; what is worn goes to the shop, and the others are hung up "
    body = "\n".join(textwrap.wrap(f"{body}again. {body}before noon on the same day.", width))
    text = "\n".join([body, term, body, term, body])
    places = [p for p in find_places(text) if text.startswith(term, p.offset)]
    assert [p.kind for p in places] == [Kind.HEADING] * 2
    assert not any(text[: p.offset].endswith(f"{term}\n") for p in find_places(text))


def test_fenced_code_in_plain_text_is_divided_at_its_lines() -> None:
    code = "```sh\nrun it. now\n\nwait. long\n```"
    text = f"Run it. Then wait.\n\n{code}\n\n## Use\n\n```sh\nuse it\n```\n"
    places = {text[p.offset :].split("\n")[0]: p for p in find_places(text)}
    assert [*places] == ["Then wait.", "```sh", "wait. long", "## Use"]
    assert places["wait. long"].depth > 0
    assert (places["## Use"].kind, places["## Use"].level) == (Kind.HEADING, 2)


def test_finer_places_are_records_clauses_and_words_in_this_order() -> None:
    text = '{"a": 1}, {"b": [2], [3], "c": "x y"}'
    objects, _, records, clauses, words = finer_places(text, 0, len(text))
    assert [(text[p.offset], p.kind) for p in objects] == [("{", Kind.SENTENCE)]
    assert [(text[p.offset], p.kind) for p in records] == [("{", Kind.CLAUSE), ("[", Kind.CLAUSE)]
    assert len(clauses) > len(records)
    assert [*words][-1] == Place(text.index('y"'), Kind.WORD, text.index('y"'))


def test_clauses_are_found_without_reading_the_text_again_for_each(monkeypatch) -> None:
    """Letters of Hangul combine, so a cut next to one is looked up: from the last cut on."""
    read = 0
    real = unicode.grapheme_cuts

    def count_and_check(text: str) -> Sequence[int]:
        nonlocal read
        read += len(text)
        return real(text)

    monkeypatch.setattr(unicode, "grapheme_cuts", count_and_check)
    text = "\ub098\ub8fb\ubc30\ub294\uff0c" * 400
    for _ in finer_places(text, 0, len(text)):
        pass
    assert read <= 5 * len(text)


def test_lines_of_spans_that_touch_are_recognised_by_those_around_them() -> None:
    lines = [
        "The reserve of water in the tower is kept at half of what the",
        "town needs in a day, because the pumps, two of which are older",
        "than the tower, may stop when the wind takes down the line to",
        "the station, as it did in the winter of the great flood, when",
        "no water came for nine days and the mill had to stand still.",
    ]
    text = "\n".join(lines)
    parsed = PlainText(text)
    middle = text.index("older")
    first, second = parsed.places_in([Span(0, middle), Span(middle, len(text))])
    assert not first.offsets
    assert not second.offsets


def test_sentences_of_adjacent_spans_are_found_separately() -> None:
    text = "He said (as he did. He often does. So it goes. On and on). Then he left."
    middle = text.index("He often")
    parsed = PlainText(text)
    assert parsed.places().offsets == [text.index("Then")]
    first, second = parsed.places_in([Span(0, middle), Span(middle, len(text))])
    assert not first.offsets
    assert second.offsets == [text.index(word) for word in ("So it", "On", "Then")]


PROSE = """\
The pump in the north tower runs by itself from dusk to dawn, and only
stops if the basin is full. Call Sluice Control before you open the
valve by hand."""
BELOW = {
    "a tab": ('=== "North"\n\n', "    "),
    "an admonition": ('!!! warning "Water"\n', "    "),
    "a block that opens": ("???+ note\n", "\t"),
    "a directive": (".. versionadded:: 2.1\n\n", "   "),
    "a directive in an item": ("* Pumps.\n\n  .. note::\n\n", "     "),
    "an item": ("1. Towers have pumps.\n\n", "    "),
    "a nested item": ("- Towers\n    - Pumps\n\n", "      "),
    "a definition": ("Pump\n:   It lifts water.\n\n", "    "),
    "a footnote": ("[^pump]: It lifts water.\n\n", "    "),
    "a quotation": ("> [!NOTE]\n", "> "),
    "a component": ("<Tabs>\n  <Tab>\n\n", "    "),
    "a command": ("Run:\n\n    sudo pump --on\n    sudo pump --off\n\n", "    "),
    "a fence of MyST": ("````{tab-item} North\n```{note}\n:class: tip\n", ""),
    "a container": (":::tip[Water] {#sluice}\n", ""),
    "a block of PyMdown": ("/// details | Water\n\n", ""),
}


@pytest.mark.parametrize("kind", [MarkdownText, PlainText])
@pytest.mark.parametrize("below", BELOW)
def test_indented_prose_is_divided_between_sentences(below: str, kind: type[ParsedText]) -> None:
    opening, indentation = BELOW[below]
    body = PROSE.replace("\n", f"\n{indentation}")
    text = f"# Towers\n\n{opening}{indentation}{body}\n"
    text += "```\n````\n" * text.count("```{note") + "\nThe south tower has no pump.\n"
    inside = [place for place in kind(text).places() if place.offset - text.index("The pump") > 0]
    inside = [place for place in inside if place.offset < text.index("hand.")]
    assert [(text[place.offset :][:4], place.kind) for place in inside] == [("Call", Kind.SENTENCE)]


@pytest.mark.parametrize(
    ("opening", "end"),
    [(":::tip Pumps", ":::"), ("::: {.tip}", ":::"), ("/// note | Pumps", "///"), ("!!! note", "")],
)
@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_block_in_a_container_stays_with_its_marks(opening: str, end: str, blank: str) -> None:
    below = "    It runs at dusk." if opening[0] == "!" else "It runs at dusk."
    text = f"A tower.\n\n{opening}\n{blank}{below}\n{blank}{end}\n\nThe basin is full.\n"
    places = MarkdownText(text).places()
    assert [text[place.offset :][:4] for place in places] == [opening[:4], "The "]
    assert {place.depth for place in places} == {0}


@pytest.mark.parametrize("kind", [MarkdownText, PlainText])
def test_indented_code_is_still_code(kind: type[ParsedText]) -> None:
    code = "for row in rows:\n    if row.full:\n        drain(row)\n    count += 1\nreturn count"
    opening = '!!! example\n    ```python\n    {0}\n    ```\n\n=== "Code"\n\n        {1}\n'
    text = opening.format(code.replace("\n", "\n    "), code.replace("\n", "\n        "))
    parsed = kind(text)
    levels = [parsed.places(), *parsed.finer_places(0, len(text))]
    lines = {place.offset for level in levels for place in level if place.kind is Kind.LINE}
    assert sum(text[at:].lstrip().startswith("count += 1") for at in lines) == 2
    assert not [place for place in parsed.places() if place.kind is Kind.SENTENCE]


RECORD = '{0},"Valve {0} leaks.\nIt was shut.\n\nSaid ""no"".",open\n'


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_record_with_line_breaks_in_quotes_is_one_row(separator: str) -> None:
    text = "id,note,state\n" + "".join(RECORD.format(n) for n in range(5))
    text = text.replace(',"', f'{separator}"').replace('",', f'"{separator}')
    rows = [text.index(f'{n}{separator}"') for n in range(5)]
    assert [place.offset for place in find_places(text)] == rows
    assert [span.start for span in paragraphs(text)] == [0, *rows]
    assert [span.start for span in rows_of(text)] == [0, *rows]
    levels = PlainText(text).finer_places(rows[0], rows[1])
    assert "It was shut" in {text[at:][:11] for at in next(levels).offsets}


def test_quotes_in_prose_are_not_records() -> None:
    text = '"I came\nhome," she said,"and\nslept." It was\n"late\nby then."\n\n"Yes."'
    assert rows_of(text) == []
    assert broken_cells('"I came\nhome."\n"Then\nwhat?"\n') == []


TABLE = "<table><tr><th>Pump</th><th>Use</th></tr>{0}</table>"
HTML_ROW = "<tr><td>P{0}</td><td><table><tr><td>i</td></tr><tr><td>t</td></tr></table></td></tr>"


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
@pytest.mark.parametrize("kind", [MarkdownText, PlainText])
def test_a_row_of_html_is_not_divided_and_the_first_stays_with_the_header(kind, between) -> None:
    rows = between.join(HTML_ROW.format(n).replace("<td>", f"{between}<td>") for n in range(4))
    text = f"Pumps: {TABLE.format(between + rows + between)}\n\nAll are old."
    parsed = kind(text)
    finer = next(parsed.finer_places(0, text.index("All")))
    offsets = {
        place.offset for place in (*parsed.places(), *(finer if kind is MarkdownText else ()))
    }
    assert {at for at in offsets if text.startswith("<tr>", at)} == {
        text.index(f"<tr>{between}<td>P{n}") for n in (1, 2, 3)
    }
    assert offsets <= {*(row.start for row in rows_of(text)), text.index("All")}


def test_a_row_that_is_too_long_is_divided_between_its_cells() -> None:
    row = HTML_ROW.format(1)
    levels = [{row[at:][:4] for at in level.offsets} for level in finer_places(row, 0, len(row))]
    assert levels[0] == {"<td>", "<tr>"}
