"""Code, data, captions and markups: the structure around each line, and the places of cuts."""

import json
from textwrap import dedent

import pytest

from lumber_core import LayoutChunker
from lumber_core.spans import Span
from lumber_core.text.captions import speech, time_at
from lumber_core.text.parsed import ParsedText, PlainText
from lumber_core.text.source import Source
from tests.growth import check_linear


def paths_by_line(name: str, text: str) -> dict[str, str]:
    """Return the path of the structure around each line of a text."""
    parsed = PlainText(Source(text, metadata={"source": name}))
    paths, start = {}, 0
    for line in text.splitlines(keepends=True):
        [place] = parsed.outline.places(text, [(start, start + len(line))])
        end = start + len(line)
        is_heading = any(
            start <= section.start < end and section.title for section in parsed.outline.sections
        )
        paths[line.strip()] = " > ".join(place.titles[: -1 if is_heading else None])
        start = end
    return paths


def text_with_titles(*titles: str) -> str:
    """Return a text in which titles are between paragraphs."""
    body = "Boats wait for the tide.\n" * 14
    return "\n".join(f"{title}\n\nText {n}.\n\n{body}" for n, title in enumerate(titles, 1))


PYTHON = """
    class Boat(Hull):
        @property
        def crew(
            self,
        ) -> int:
            if self.big:
                return 5
            return 2

        # Sails are counted.
        sails = 3

    LIMITS = (
        1,
    )
    done = True
    # of the next
    async def row(boat):
        await boat
"""
C_SHARP = """
    namespace Sea
    {
        public class Boat
        {
            int Crew(bool big)
            {
                if (big)
                {
                    return 5;
                }
            }
        }
    }
"""
C = """
    struct boat {
        int crew;
    };
    int main(int argc, char **argv) {
    #ifdef BIG
        puts("big");
    #endif
        return 0;
    }
    /* the end */
"""
JAVASCRIPT = """
    const load = async (url) => {
      if (url) {
        fetch(url);
      } else {
        fail();
      }
    };
    items.map((item) =>
      item.name
    );
"""
RUBY = """
    module Sea
      def crew
        5
      end
      x = 1
    end
"""
YAML = """
    # a workflow
    jobs:
      test:
        steps:
        - uses: checkout
          with:
            depth: 1
        - run: |
            make
      lint: true
"""
TOML = """
    name = "a"
    [tool.lint] # strict
    rules = [
      "E",
    ]
    [[boats]]
    crew = 5
"""
INI = "[sea]\nboat = 1\n\n[land]\ncart = 2\n"
JSON = """
    {
      "boats": [
        {
          "crew": 5
        }
      ],
      "total": 1
    }
"""
RST = "Boats\n=====\n\nOars.\n\nCrews\n-----\n\nFive.\n\nCarts\n=====\nTwo.\n"
LATEX = r"""
    \section{Boats}
    Oars.
    \subsection*{The \emph{crew}}
    Five.
    \section[c]{Carts}
    Two.
"""
ORG = "* Boats\nOars.\n** Crews\nFive.\n* Carts\nTwo.\n"


@pytest.mark.parametrize(
    ("name", "text", "line", "above"),
    [
        ("a.py", PYTHON, "@property", "class Boat(Hull)"),
        ("a.py", PYTHON, "self,", "class Boat(Hull) > def crew"),
        ("a.py", PYTHON, "return 5", "class Boat(Hull) > def crew"),
        ("a.py", PYTHON, "sails = 3", "class Boat(Hull)"),
        ("a.py", PYTHON, "# Sails are counted.", "class Boat(Hull)"),
        ("a.py", PYTHON, "1,", "LIMITS"),
        ("a.py", PYTHON, "done = True", ""),
        ("a.py", PYTHON, "# of the next", ""),
        ("a.py", PYTHON, "await boat", "async def row(boat)"),
        ("a.cs", C_SHARP, "return 5;", "namespace Sea > public class Boat > int Crew(bool big)"),
        ("a.c", C, "int crew;", "struct boat"),
        ("a.c", C, 'puts("big");', "int main(int argc, char **argv)"),
        ("a.c", C, "#ifdef BIG", "int main(int argc, char **argv)"),
        ("a.c", C, "return 0;", "int main(int argc, char **argv)"),
        ("a.c", C, "/* the end */", ""),
        ("a.js", JAVASCRIPT, "fail();", "const load = async (url)"),
        *(("a.js", JAVASCRIPT, "item.name", ""), ("a.rb", RUBY, "5", "module Sea > def crew")),
        *(("a.rb", RUBY, "x = 1", "module Sea"), ("a.yaml", YAML, "jobs:", "")),
        ("a.yaml", YAML, "depth: 1", "jobs > test > steps > uses: checkout > with"),
        ("a.yml", YAML, "make", "jobs > test > steps > run"),
        *(("a.yml", YAML, "lint: true", "jobs"), ("a.toml", TOML, 'name = "a"', "")),
        *(("a.toml", TOML, '"E",', "tool.lint > rules"), ("a.toml", TOML, "crew = 5", "boats")),
        *(("a.ini", INI, "boat = 1", "sea"), ("a.cfg", INI, "cart = 2", "land")),
        *(("a.json", JSON, '"crew": 5', "boats"), ("a.json", JSON, '"total": 1', "")),
        *(("a.rst", RST, "Five.", "Boats > Crews"), ("a.rst", RST, "Two.", "Carts")),
        ("a.rst", f"=====\nTitle\n=====\n\n{RST}", "Five.", "Title > Boats > Crews"),
        ("a.rst", "A longer line\n---\nText.", "Text.", ""),
        ("a.tex", LATEX, "Five.", "Boats > The \\emph{crew}"),
        ("a.tex", LATEX, "Two.", "Carts"),
        ("a.org", ORG, "Five.", "Boats > Crews"),
        ("a.org", ORG, "Two.", "Carts"),
        ("a.adoc", ORG.replace("*", "="), "Five.", "Boats > Crews"),
        ("a.txt", ORG, "Five.", ""),
        ("a.txt", text_with_titles("== Life ==", "=== Food ==="), "Text 2.", "Life > Food"),
        (
            "a.txt",
            text_with_titles(" = Otter = ", " = = Life = = ", " = Crow = "),
            "Text 2.",
            "Otter > Life",
        ),
        ("a.txt", text_with_titles("== Life", "=== Food ="), "Text 2.", ""),
        ("a.txt", text_with_titles("1 Tide", "1.1 Spring", "2. Boats"), "Text 2.", "Tide > Spring"),
        (
            "a.txt",
            text_with_titles("1. Tide", "1.1. Ebb", "1.3. Flow", "2. Oars"),
            "Text 3.",
            "Tide > Flow",
        ),
        (
            "a.txt",
            text_with_titles("1. Tide", "  2. 4 knots", "2. Boats", "3. Oars"),
            "Text 2.",
            "Tide",
        ),
        (
            "a.txt",
            text_with_titles("1. Tide", "1.1. Ebb", "9. Oars", "2. Sails"),
            "Text 3.",
            "Tide > Ebb",
        ),
        (
            "a.txt",
            text_with_titles("1. Tide", "1.1. Ebb", "2.2. Oars", "2. Sails"),
            "Text 3.",
            "Tide > Ebb",
        ),
        (
            "a.txt",
            text_with_titles("1. Tide", "Also\n2. Boats", "2. Oars", "3. Sails"),
            "Text 2.",
            "Tide",
        ),
        (
            "a.txt",
            "1. Tide\n\n2. Oars\n\n" + text_with_titles("1. Tide", "1.1. Ebb", "2. Oars"),
            "Text 2.",
            "Tide > Ebb",
        ),
        ("a.txt", "1. Tide\n\n2. Oars\n\n3. Sails\n\nText.", "Text.", ""),
        ("a.txt", text_with_titles("1. Tide.", "2. Oars;", "3. Sails:", "4. Hulls"), "Text 3.", ""),
        (
            "a.txt",
            text_with_titles("1. Tide ... 4", "2. Oars . . 5", "3. Sails   6"),
            "Text 3.",
            "",
        ),
        ("a.txt", text_with_titles("1 of 4", "2 of 4", "3 of 4", "4 of 4"), "Text 3.", ""),
        ("a.txt", text_with_titles("1. Tide", "2. Oars"), "Text 2.", ""),
        ("https://sea.rs", PYTHON, "return 5", ""),
    ],
)
def test_each_line_has_the_path_of_the_structure_around_it(
    name: str, text: str, line: str, above: str
) -> None:
    for body in (dedent(text), dedent(text).replace("\n", "\r\n")):
        assert paths_by_line(name, body)[line] == above


def test_a_part_of_a_chunk_has_the_path_of_the_structure_around_it() -> None:
    text = dedent(PYTHON)
    chunk = Span(text.index("        return 2"), text.index("LIMITS"))
    parsed = PlainText(Source(text, metadata={"source": "a.py"}))
    [place] = parsed.outline.places(text, [chunk])
    assert place.titles == ("class Boat(Hull)", "def crew")
    titles, levels = " > ".join(place.titles), " ".join(map(str, place.levels))
    metadata = {"source": "a.py", "headings": titles, "heading_levels": levels}
    part = PlainText(Source(chunk.of(text), metadata=metadata))
    start = part.text.index("    # Sails")
    spans = [(0, start), (start, len(part.text))]
    [first, second] = part.outline.places(part.text, spans)
    assert (first.titles, second.titles) == (place.titles, place.titles[:1])


BOATS = [{"name": f"boat {n}", "crew": ["Ann", "Bob"], "note": "fast, and red"} for n in range(6)]


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps(BOATS), json.dumps({"boats": BOATS}), json.dumps(BOATS, indent=2)),
        "\n".join(map(json.dumps, BOATS)),
    ],
)
def test_json_is_cut_between_its_objects(text: str) -> None:
    with_name = Source(text, metadata={"source": "a.jsonl"})
    chunks = LayoutChunker(16, tokenizer="words").split(with_name)
    assert "".join(chunk.text for chunk in chunks) == text
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.text.count('"name"') == chunk.text.count('"note"')


def test_texts_extracted_from_json_are_read_as_plain_text() -> None:
    text = "Ann ran, and she fell. Bob sat.\n\nHe slept. She woke, then."
    [plain, with_name] = (
        [chunk.text for chunk in LayoutChunker(4, tokenizer="words").split(source)]
        for source in (text, Source(text, metadata={"source": "notes.json"}))
    )
    assert plain == with_name


SRT = "".join(
    f"{n}\n00:{n:02}:30,500 --> 00:{n:02}:33,000\nOars are long.\nBoats are not.\n\n"
    for n in range(1, 9)
)


def test_captions_are_cut_between_cues_by_spoken_words() -> None:
    splitter = LayoutChunker(12, chunk_size=None, tokenizer="words")
    chunks = splitter.split(Source(SRT, metadata={"source": "talk.srt"}))
    assert "".join(chunk.text for chunk in chunks) == SRT
    assert [chunk.text.count("-->") for chunk in chunks] == [2, 2, 2, 2]
    assert all(chunk.text.split("\n")[0].isdigit() for chunk in chunks)


@pytest.mark.parametrize(
    ("text", "spoken", "times"),
    [
        (SRT[:62].replace("\n", "\r\n"), "Oars are long. Boats are not.", ["00:01:30"]),
        ("No --> B: 10:30 --> 11:30", "No --> B: 10:30 --> 11:30", [""]),
        ("No cue.\n100:00:01.000 --> 100:00:02.000\nLate.", "No cue. Late.", ["", "100:00:01"]),
    ],
)
def test_times_of_captions_are_not_speech(text: str, spoken: str, times: list[str]) -> None:
    blank = speech(text)
    assert (len(blank), " ".join(blank.split())) == (len(text), spoken)
    words = (text.index(word) for word in ("No", "Oars", "Late") if word in text)
    assert [time_at(text, place) for place in words] == times


@pytest.mark.parametrize(
    ("name", "begin", "unit"),
    [
        *(("a.json", '{\n"', '\\"' * 8_000), ("a.json", "", "[\n" * 20_000)),
        *(("a.srt", "-->\n", "1" * 200_000), ("a.py", "", "def a():\n    b\n" * 8_000)),
        *(("a.py", "Tide ", "\u201e:::" * 2_000), ("a.ts", "f(", "a):" * 3_000)),
        *(("a.rst", "", "=====\n" * 20_000), ("a.rst", "", "tide " * 800)),
        *(("a.org", "#+title:", " " * 2_000), ("a.tex", "", "\\section{" * 20_000)),
        *(("a.txt", "", "= " * 100_000), ("a.txt", "1. ", "Tide " * 40_000)),
        ("a.txt", "", "1. Tide\n\n" * 10_000),
    ],
)
def test_reading_takes_linear_time(name: str, begin: str, unit: str) -> None:
    def read(parsed: ParsedText) -> None:
        assert isinstance(parsed.title, str)
        parsed.outline.places(parsed.text, [Span(0, len(parsed.text))])
        if name.endswith((".json", ".srt", ".py", ".ts")):  # others have only general places
            parsed.places()

    metadata = {"source": name}
    check_linear(
        read, lambda n: PlainText(Source(f"{begin}{unit * n}\nf(x)", metadata=metadata)), 1
    )


def test_the_kind_of_a_text_is_found_in_linear_time() -> None:
    metadata = {"source": "a.pas"}
    check_linear(lambda text: Source(text, metadata=metadata).kind, lambda n: "\t" * n, 20_000)
