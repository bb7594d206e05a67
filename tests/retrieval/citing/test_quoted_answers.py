"""Replies of models in many forms are read as an answer with quotes."""

from collections.abc import Callable

import pytest

from lumber_retrieval.citing.quoted_answers import (
    QUOTING_INSTRUCTIONS,
    QUOTING_QUESTION,
    CitedAnswer,
    cite_answer,
    write_passages,
)
from lumber_retrieval.citing.reply_quotes import read_quoted_answer
from tests.growth import check_linear

OTTERS = "Otters live along rivers. They hunt fish at dawn, and sleep in dens near the bank."


@pytest.mark.parametrize(
    ("reply", "answer", "quotes"),
    [
        ('At dawn [1].\n\n[1] "They hunt fish"', "At dawn [1].", ["They hunt fish"]),
        ("Dawn [1].\n[1]: They hunt\n[2] They sleep", "Dawn [1].", ["They hunt", "They sleep"]),
        ("Dawn [1].\n\n**Quotes:**\n- [1] \u201cThey hunt\u201d", "Dawn [1].", ["They hunt"]),
        ('Dawn [1].\n\n> [1] "They hunt" (otters.txt)', "Dawn [1].", ["They hunt"]),
        ('Dawn [1].\n\n**[1]** *"They hunt."*', "Dawn [1].", ["They hunt."]),
        ('Dawn [1].\n\n[1] "They hunt", a.txt, line 3', "Dawn [1].", ["They hunt"]),
        ('Dawn [1].\n\nTwo sources say so.\n\n[1] "a"', "Dawn [1].\n\nTwo sources say so.", ["a"]),
        ('Dawn [1].\n\n[1] "They\n    hunt"\n\n[2] "dusk"', "Dawn [1].", ["They\nhunt", "dusk"]),
        ('"No!" [1]\n\n[1] "No!" he said, and "Go!"', '"No!" [1]', ['No!" he said, and "Go!']),
        ('Dawn [3], dens [7].\n\n[7] "dens"\n[3] "dawn"', "Dawn [2], dens [1].", ["dens", "dawn"]),
        ('Dawn [1] and noon [2].\n\n[1] "dawn"', "Dawn [1] and noon [?].", ["dawn"]),
        ('Dawn [1], day [5].\n\n[5] "by day"', "Dawn [?], day [1].", ["by day"]),
        ('Dawn [1].\n\n[1] "dawn"\n[1] "dusk"', "Dawn [1][2].", ["dawn", "dusk"]),
        ('Dawn [1].\n\n[1] "dawn"\n\nDoes it help?', "Dawn [1].\n\nDoes it help?", ["dawn"]),
        ('Dawn \xb9\u207b\xb3.\n\n[1] "a"\n[2] "b"\n[3] "c"', "Dawn [1][2][3].", ["a", "b", "c"]),
        ('Dawn (Quelle 1 und 2).\n\n[1] "a" [2] "b"', "Dawn [1][2].", ["a", "b"]),
        ('Dawn [S1, S2].\n\n[S1] "a"\n[S2] "b"', "Dawn [1][2].", ["a", "b"]),
        ('Dawn [1], (2).\n\n- "a" [1]\n- "b" (2)', "Dawn [1], [2].", ["a", "b"]),
        ('Dawn [2].\n\n1. [1] "dawn"\n2. [2] "dens"', "Dawn [2].", ["dawn", "dens"]),
        ('<answer>Dawn [1].</answer>\n<quotes>\n[1] "dawn"\n</quotes>', "Dawn [1].", ["dawn"]),
        ("Dawn [1].\n\n[1] `dawn`\n[2] *dusk*", "Dawn [1].", ["dawn", "dusk"]),
        ("Dawn [1].\n\n[1] 'dawn',\n[2] ''dusk''", "Dawn [1].", ["dawn", "dusk"]),
        ("Dawn [1].\n\n[1] 'No,' he said.", "Dawn [1].", ["'No,' he said."]),
        ("Dawn [1].\n\n> [1] dawn\n>\n> [2] dusk", "Dawn [1].", ["dawn", "dusk"]),
        ('Dawn [1].\n\n[1] "dawn"<br>[2] "dusk"', "Dawn [1].", ["dawn", "dusk"]),
        ('Dawn [1].\n\n### [1]\n"dawn"\n### [2]\n"dusk"', "Dawn [1].", ["dawn", "dusk"]),
        ('{"answer": "Dawn [1].", "quotes": ["dawn", "dusk"]}', "Dawn [1].", ["dawn", "dusk"]),
        (
            'Dawn [7].\n\n```json\n[{"id": 7, "quote": "At dawn", "file": "a.txt"}]\n```',
            "Dawn [1].",
            ["At dawn"],
        ),
        (
            '{"text": "Dawn [1].", "quotes": {"1": "dawn", "2": "dew"}}',
            "Dawn [1].",
            ["dawn", "dew"],
        ),
        ('{\n "answer": "UNKNOWN",\n "quotes": []\n}', "", []),
        ('Dawn [Snippet 1].\n\n[Snippet 1] "dawn"', "Dawn [1].", ["dawn"]),
        ('Dawn [Fig. 1] (1).\n\n(1) "dawn"', "Dawn [Fig. 1] [1].", ["dawn"]),
        ("Dawn \u27e81\u27e9.\n\n\u27e81\u27e9 \u275ddawn\u275e", "Dawn [1].", ["dawn"]),
        ("Dawn [<sup>1</sup>].\n\n[1] \u301ddawn\u301f", "Dawn [1].", ["dawn"]),
        ("Dawn [1].\n\n| [1] | dawn | a.txt |", "Dawn [1].", ["dawn"]),
        (
            f'Dawn [1].\n\n[1] "{OTTERS[:24]}" and "{OTTERS[26:48]}"',
            "Dawn [1][2].",
            [OTTERS[:24], OTTERS[26:48]],
        ),
        ('```\n[1] "dawn"\n```\n\nDawn [1].', "Dawn [1].", ["dawn"]),
        ('Dawn [1].\n\n> "dawn" [1]\n\n\u2022 "dusk" [1]', "Dawn [1][2].", ["dawn", "dusk"]),
        ('Dawn [1].\n\n_Quotes:_\n___\n[1] "dawn" \u2192 a.txt\n\n---', "Dawn [1].", ["dawn"]),
        ('Dawn [1].\n\n[1] otters.txt: "dawn"', "Dawn [1].", ["dawn"]),
        ("Dawn [1].\n\n[1] \u2018dawn\u2019 (otters.txt)", "Dawn [1].", ["dawn"]),
        ('Dawn [1][2].\n\n[1]\n"dawn"\n[2]\n"dusk"', "Dawn [1][2].", ["dawn", "dusk"]),
        ('Dawn [1], dusk [2].\n\n[1][2] "dawn"', "Dawn [1], dusk [1].", ["dawn"]),
        (
            'Dawn [3, and 1], dens [1 through 3], now [2; 9].\n\n[3] "dawn"\n[1] "day"\n[2] "dens"',
            "Dawn [1][2], dens [2][3][1], now [3][?].",
            ["dawn", "day", "dens"],
        ),
        (
            'Dens [1-2], now [2, 1, and 2].\n\n[1] "a"\n[2] "b"',
            "Dens [1][2], now [2][1].",
            ["a", "b"],
        ),
        ('Dawn [2\u20134] [4 and 5].\n\n[4, 5] "dawn"', "Dawn [?][1] [1].", ["dawn"]),
        (
            'Dawn [1].\n\n[1] "They\n\n  hunt (fish\n\nat dawn" (a.txt)\n\nWell.\n\n  So.\n[2] "x"',
            "Dawn [1].\n\nWell.\n\n  So.",
            ["They\n\nhunt (fish\n\nat dawn", "x"],
        ),
        ('Dawn [1].\n\n[1] "They\n\nhunt\n', "Dawn [1].", ['"They\n\nhunt']),
        ('<think>Is it?\n[1] "dusk"</think>\nDawn [1].\n\n[1] "dawn"', "Dawn [1].", ["dawn"]),
        ('[1] "dusk"? No.</reasoning>Dawn [1].\n[1] "dawn"', "Dawn [1].", ["dawn"]),
        ('Dawn [1].\n```\n[1] "dawn"\n```', "Dawn [1].", ["dawn"]),
        ('[1] At dawn.\n[2] At dusk.\n\n[1] "dawn"', "[1] At dawn.\n[?] At dusk.", ["dawn"]),
        ("UNKNOWN\n\nThe passages do not say.", "", []),
        ('Dawn [1, p. 3].\n\n| [1] | a.txt | "dawn" |', "Dawn [1].", ["dawn"]),
        ("Dawn [1].\n\n[1] \xbbdawn\xab", "Dawn [1].", ["dawn"]),
        ('Dawn [1].\n\n[1] "dawn", page 2\n[2] "dew" in a.txt', "Dawn [1].", ["dawn", "dew"]),
        ("Dawn [1].\n\n[1] dawn (p. 2)\n[2] dew (b)", "Dawn [1].", ["dawn", "dew (b)"]),
        ('Dawn [1].\n\n**Dusk**\n\n[1] "dawn"', "Dawn [1].\n\n**Dusk**", ["dawn"]),
        ('Dawn [1].\n\n[1] "Stop," he said, "or go"', "Dawn [1].", ['Stop," he said, "or go']),
        ("At dawn.", "At dawn.", []),
        ("At dawn [1].", "At dawn [1].", []),
        ("[1] is a footnote.", "[1] is a footnote.", []),
        (" UNKNOWN.\n", "", []),
        *((one, "", []) for one in ("**Answer:** Unknown [1]", "UNBEKANNT", "\u672a\u77e5\u3002")),
        ("", "", []),
    ],
)
def test_a_reply_is_parsed_into_answer_and_quotes(
    reply: str, answer: str, quotes: list[str]
) -> None:
    assert read_quoted_answer(reply) == (answer, quotes)


@pytest.mark.parametrize(
    ("end", "reply", "answer"),
    [
        ("", "It says:\n\n{} [1]", "It says:\n\n{} [1]"),
        ("", "{} [1, 2].", "{} [1] [?]."),
        ("", 'The text says {} and "sleep".', 'The text says {} [1] and "sleep".'),
        ("", "{} [3]. So [3], not [4].", "{} [1]. So [1], not [?]."),
        (",", "{} says the text [3]. So (3), [3], [4].", "{} says the text [1]. So (3), [1], [?]."),
        ("", "{} (3). They are early (3), in (1984).", "{} [1]. They are early [1], in (1984)."),
        (".", "{} They sleep [2].", "{} [1] They sleep [?]."),
        ("", "As [2] has it, {}. So [2].", "As [1] has it, {} [1]. So [1]."),
        ("", "{}[^1].\n\n[^1]: otters.md, p. 3", "{} [1].\n\n[1]: otters.md, p. 3"),
    ],
)
def test_without_a_list_long_texts_in_quotation_marks_are_quotes(
    end: str, reply: str, answer: str
) -> None:
    quote = f"They hunt fish at dawn{end}"
    marked = f'"{quote}"'
    assert read_quoted_answer(reply.format(marked)) == (answer.format(marked), [quote])


def test_a_mark_inside_a_quote_refers_to_the_quote() -> None:
    reply = f'So "{OTTERS[:24]} [2]" and "{OTTERS[26:48]} [4]."'
    answer = f'So "{OTTERS[:24]}" [1] and "{OTTERS[26:48]}." [2]'
    assert read_quoted_answer(reply) == (answer, [OTTERS[:24], f"{OTTERS[26:48]}."])


@pytest.mark.parametrize("marks", ["»«", "””", "‘’", "›‹", '„"', "❝❞", "＂＂"])
@pytest.mark.parametrize("emphasis", ["", "*"])
def test_quotes_may_have_quotation_marks_of_any_language(marks: str, emphasis: str) -> None:
    quote = f"So {emphasis}{marks[0]}{OTTERS[26:48]}{marks[1]}{emphasis}"
    assert read_quoted_answer(f"{quote} [2].") == (f"{quote} [1].", [OTTERS[26:48]])


def test_the_printed_answer_has_the_documents_words_and_reports_missing_quotes() -> None:
    reply = 'At dawn [1], in May [2].\n\n[1] "THEY HUNT FISH AT DAWN"\n[2] "They sleep in May."'
    answer = cite_answer(reply, {"otters.txt": OTTERS})
    assert answer.missing == ["They sleep in May."]
    assert str(answer) == (
        "At dawn [1], in May [2].\n\n"
        '[1] otters.txt, line 1, written differently: "They hunt fish at dawn"\n'
        '[2] not found in the documents: "They sleep in May."'
    )


def test_an_answer_without_quotes_is_printed_unchanged() -> None:
    assert str(cite_answer("At dawn.", {"otters.txt": OTTERS})) == "At dawn."
    assert cite_answer("UNKNOWN", {"otters.txt": OTTERS}) == CitedAnswer("")


def test_a_line_of_a_passage_cannot_be_mistaken_for_the_start_of_another() -> None:
    written = write_passages([("a.md", "One.\n\nb.md:\n    two()"), ("b\n.md", "Three.")])
    assert "    b.md:\n        two()\n" in written  # lines are unchanged
    assert [line for line in written.splitlines() if line and line[0] != " "] == ["a.md:", "b .md:"]


def test_the_prompt_asks_for_the_form_that_is_read() -> None:
    _, _, form = QUOTING_INSTRUCTIONS.partition("after its number:\n\n")
    example = form.partition("\n\n")[0]
    quotes = read_quoted_answer(f"Answer [1][2].\n\n{example}")[1]
    assert quotes == ["a sentence of a passage", "another one"]
    assert QUOTING_QUESTION.format(context="C", question="Q").endswith("</passages>\n\nQuestion: Q")


MARKS = [
    *("[1]", "\u30101\u3011", "\uff3b\uff11\uff3d", "[\uff11]", "\u30141\u3015", "[^1]"),
    *("\\[1\\]", "[[1]]", "[[1]](#quote-1)", "[1](http://a/2)", "\u30101\u2020source\u3011"),
    *("\u30103:1\u2020L3-L5\u3011", "<sup>1</sup>", "<sup>[1]</sup>", "(1)", "\xb9", "\u2460"),
    *("\u2474", "[Quote 1]", "[Source: 1]", "[Doc 1]", "[source_1]", "[\u6765\u6e901]"),
    *("(see Quote 1)", "(siehe Quelle 1)", "[1, p. 3]", "[id: 1]", "[ 1 ]", "\u2776"),
    *("{1}", "\u30161\u3017", "\u27e61\u27e7", "\u207d\xb9\u207e", "^1", "^[1]^", "$^{[1]}$"),
    *("<cite>1</cite>", "[1, a.txt]", "<ref>1</ref>", '<cite id="1"/>', "\\cite{{1}}", "[@1]"),
    *("{{cite:1}}", "[\u0645\u0635\u062f\u0631 1]", "\uff08\u6765\u6e901\uff09", "[S1]", "[1.]"),
    *("[1: 3]", "[**1**]", "(nguồn 1)", "\u203b1", "[1a]", "[^q1]", "[\u2116 1]", "[No. 1]"),
    *("[n\xb0 1]", "[#1]", "[\u0661]", "[Smith 2019]", "[\u2020]", "[i]", "(a)", "[1.2]"),
    *("[\\[1\\]](http://a/b_(c))", '[1](#q1 "Quote 1")', "`[1]`", "\u300c1\u300d"),
    *('<sup><a href="#q1">1</a></sup>', "[1, \u7b2c3\u9875]", "[1 (p. 4)]", "[a.md, 1]"),
]


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        *(
            (mark, line)
            for mark in MARKS
            for line in ("{} ", "{}: ", "- {} ", "**{}** ", "> {} - ")
        ),
        # A list of quotes may have other marks than the answer.
        *(("[1]", "Quotes:\n1. "), ("[1]", "Quotes:\n(1) "), ("\xb9", "Quotes:\n1. ")),
        *((mark, "\u5f15\u7528\uff1a\n[1] \u2013 ") for mark in ("(1)", "\xb9", "\u2460")),
        *(("[1]", "Supporting quotes:\nQuote 1: "), ("(1)", "Quotes:\n1) ")),
        *(("[1]", "\u0426\u0438\u0442\u0430\u0442\u044b:\n[1] "), ("[1]", "Quotes:\n\xb9 ")),
        ("\u30101\u3011", "Quotes:\n[1] "),
        *(("[1]", "Quotes: [1] "), ("[1]", "\u6765\u6e90[1]\uff1a"), ("[1]", "[1]. ")),
        *(("[1]", "1 \u2013 "), ("[1]", "#1 "), ("[1]", "\uff11\uff0e"), ("[1]", "1\u3001")),
        *(
            ("[1]", f"{title}\n[1] ")
            for title in ("### Quotes used", "Cited passages", "**Refer\xeancias**", "<hr>")
        ),
        *(("[1]", "[1] (a.txt) "), ("[1]", "[1] [a.txt, p. 3] ")),
        *(("$^{1}$", "1. "), ("[1]", "[1]: a.txt \u2014 "), ("[1]", "[1] a.txt, page 2 - ")),
        *((mark, "[1] ") for mark in ("^1", "^[1]^", "{1}", "\u27e61\u27e7", "<cite>1</cite>")),
        *(("[1]", "[1]: https://a.org/b "), ("[1]", "[1] a.txt, p. 2\n"), ("[1]", "[1] *a.txt*, ")),
        *(
            ("[1]", '<quote id="1">'),
            ("[1, \xa73]", "[1] "),
            ("[1]", "|#|a|b|\n|-|-|-|\n|1|a.txt| "),
        ),
        *(("[1]", "`[1]` "), ("[1]", "[1] a.txt > "), ("[1]", "| # | Quote |\n|---|---|\n| 1 | ")),
    ],
)
def test_marks_of_any_form_refer_to_their_quotes(mark: str, line: str) -> None:
    mark = mark.replace("{{", "{").replace("}}", "}")
    reply = f'At dawn {mark}.\n\n{line.format(mark)}"They hunt fish at dawn"'
    assert read_quoted_answer(reply) == ("At dawn [1].", ["They hunt fish at dawn"])


@pytest.mark.parametrize("answer", ["At dawn [1].", "Otters:\n\n- At dawn [1]."])
def test_a_list_above_the_answer_is_removed_like_one_below(answer: str) -> None:
    assert read_quoted_answer(f'[1] "dawn"\n[2] "dens"\n\n{answer}') == (answer, ["dawn", "dens"])
    paragraphs = '[1] "They hunt" it says.\n\n[2] "They sleep" it says.'
    assert "it says" in read_quoted_answer(paragraphs)[0]


@pytest.mark.parametrize(
    "marks",
    [
        *("[1]-[3]", "[1]\u2013[3]", "[1\u20133]", "\u30101\u3011-\u30103\u3011", "[^1]-[^3]"),
        *("[1~3]", "\uff3b\uff11\uff0d\uff13\uff3d", "[1][2][3]", "[1, 2, 3]", "<sup>1-3</sup>"),
        *("[^1, ^2, ^3]", "[Source 1, Source 2, Source 3]", "(1)(2)(3)", "\xb9\xb2\xb3"),
        *("[1 to 3]", "[1] bis [3]", "[1..3]", "\\cite{1, 2, 3}", "[cite_start][cite: 1-3]"),
        *("[1|2|3]", "[1 or 2 or 3]", "[1, 2 \u0438 3]", "[1\u30682\u30683]", "[1\u81f33]"),
        *("[Q1-Q3]", "[1, p. 4; 2, p. 7; 3]", "[[1], [2], [3]]", "<sup>[1][2][3]</sup>"),
        *("^1,2,3^", "\xb9\u02d2\xb2\u02d2\xb3", "[\u0661\u060c \u0662\u060c \u0663]"),
        *("[1/2/3]", "[1, 2 und 3]", "\u30101\u3011\u30102\u3011\u30103\u3011"),
    ],
)
def test_a_range_of_marks_refers_to_all_its_quotes(marks: str) -> None:
    quotes = '[1] "dawn"\n[2] "day"\n[3] "dusk"'
    assert read_quoted_answer(f"All {marks}.\n\n{quotes}")[0] == "All [1][2][3]."


QUOTES = ["They hunt fish at dawn", "Otters live along rivers"]


@pytest.mark.parametrize(
    "line",
    [
        *('{}. "{}"', '+ [{}] "{}"', '\u30fb[{}] "{}"', "[{}] ``{}''", '[{}] = "{}"'),
        *('[{}]: # "{}"', "[{}]\n> {}", "[{}] a.md, p. 3:\n> {}", "> [{}] {}\n> \u2014 *a.md*"),
        *('<p>[{}] "{}"</p>', "<li>[{}] {}</li>", '[{}] "{}"\nSource: a.md\n', '_[{}]_ "{}"'),
        *('<quote id="{}">{}</quote>', "<quote source='a.md' id='{}'>{}</quote>", "<q{}>{}</q>"),
        "<quote><id>{}</id><text>{}</text></quote>",
        *('- **[{}]** *"{}"* \u2014 a.md, p. 3', '[{}] "{}" *(a.md)*', "[{}] a.md, p. 3: *{}*"),
        *(
            "[{}] (a.md) {}",
            "[{}] *{}* (Source: a.md)",
            "[{}] {} - a.md, lines 3-5",
            "[{}] {}, a.md",
        ),
        *("| [{}] | a.md | {} |", '[{}] Source: a.md\n"{}"', "[{}] {}\nSource: a.md"),
    ],
)
def test_a_list_of_any_form_is_removed(line: str) -> None:
    answer = "They hunt [1] by rivers [2]."
    lines = [line.format(number, quote) for number, quote in enumerate(QUOTES, 1)]
    assert read_quoted_answer("\n".join([answer, "", *lines])) == (answer, QUOTES)


@pytest.mark.parametrize(
    "quotes",
    [
        *("Quotes:\n1) {}\n2) {}", "Zitate:\n- {} [1]\n- {} [2]", '\u5f15\u7528\n"{}"\n"{}"'),
        *("[1] {}; [2] {}", "Quotes: [1] {}; [2] {};"),
        *('(1) "{}"; (2) "{}"', 'Sources: (1) "{}", (2) "{}"', "> {} [1]\n\n> {} [2]"),
        *('"{}" (a.md) [1]\n"{}" (b.md) [2]', '| A | # |\n|-|-|\n| "{}" | [1] |\n| "{}" | [2] |'),
        *(
            '{{"1": "{}", "2": "{}"}}',
            '[{{"id": "1", "a": "{}", "p": 3}}, {{"id": "2", "a": "{}"}}]',
        ),
        *('Works Cited\n[1] "{}"\n[2] "{}"', "\xb9 {}\n\xb2 {}"),
    ],
)
def test_a_list_may_have_a_title_or_be_a_table_or_json(quotes: str) -> None:
    answer = "They hunt [1] by rivers [2]."
    assert read_quoted_answer(f"{answer}\n\n{quotes.format(*QUOTES)}") == (answer, QUOTES)


def test_several_quotes_of_a_mark_may_be_items_below_the_name_of_a_document() -> None:
    reply = 'Dawn [1].\n\n[1] a.md:\n  - "{}"\n  - "{}"'.format(*QUOTES)
    assert read_quoted_answer(reply) == ("Dawn [1][2].", QUOTES)


def test_statements_in_json_have_the_marks_of_their_quotes() -> None:
    parts = (
        '{"text": "They hunt.", "quotes": ["dawn", "day"]}, {"text": "They swim.", "quotes": []}'
    )
    read = read_quoted_answer(f'{{"answer": [{parts}]}}')
    assert read == ("They hunt. [1] [2] They swim.", ["dawn", "day"])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("They say:\n\n[7]\n> {}\n\nSo.", "They say:\n\n[1]\n> {}\n\nSo."),
        ("They say [7].\n> {}\n\nSo.", "They say [1].\n> {}\n\nSo."),
        ("They say:\n\n> {} [7]\n\nSo.", "They say:\n\n> {} [1]\n\nSo."),
        ("They say:\n\n> {}\n> \u2014 a.md [7]", "They say:\n\n> {}\n> \u2014 a.md [1]"),
        ("They say:\n\n> {}\n\n[7]\n\nSo.", "They say:\n\n> {} [1]\n\nSo."),
        ("They say:\n\n> {}\n\nSo [7].", None),
        ('It says "{}" [7] "dawn" [8].', 'It says "{}" [1] "dawn" [?].'),
        ('They ([7] "{}") hunt, and [8].', 'They ([1] "{}") hunt, and [?].'),
        ("It says \u2018{}\u2019 [1a].", "It says \u2018{}\u2019 [1]."),
        ("The otters' words: '{}' [\u2116 3].", "The otters' words: '{}' [1]."),
        ("It says ``{}''\u207d\xb9\u207e.", "It says ``{}'' [1]."),
        ('It says "{}" (S. 3) in (1).', 'It says "{}" [1] (S. 3) in (1).'),
        ('It says "{}" \u2014 a.md [2].', 'It says "{}" \u2014 a.md [1].'),
        ('They hunt [1].\n\nquote:\n  text: "{}"', 'They hunt [1].\n\nquote:\n  text: "{}" [1]'),
    ],
)
def test_quotes_in_an_answer_have_the_mark_beside_them(reply: str, answer: str | None) -> None:
    quote = QUOTES[0]
    expected = (answer.format(quote), [quote]) if answer else (reply.format(quote), [])
    assert read_quoted_answer(reply.format(quote)) == expected


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "(1) first, (2) second [1].",
            "In [0, 1] and (1:2) [1].",
            "x[2] and B(2) [1].",
            "[sic] [1]",
        ),
        *("Abs. (2) [Q2] [1].", "[12:30], [3-2] [1].", "[K1] [1].", "10\xb3 m\xb2 at 5^1 [1]."),
        *("- [x] a [1]\n- [ ] b", "[the guide](http://a/1) [1].", "[...] 1) a 2) b [1]."),
        *("\U000f0001\U000f0001 (icons)(icons) [1].", "<h1>a</h1> {1} [1]."),
    ],
)
def test_brackets_that_are_not_marks_stay(answer: str) -> None:
    assert read_quoted_answer(f'{answer}\n\n[1] "dawn"') == (answer, ["dawn"])


@pytest.mark.parametrize(
    ("marks", "listed", "answer"),
    [
        ("[1a] [1b] [1c] [1]", "[1a] [1b]", "[1] [2] [?] [1][2]"),
        ("[Q1] [Q3]", "[Q1] [Q2]", "[1] [?]"),
        ("sun\xb9, day\xb3, m\xb3", "\xb9 \xb2", "sun[1], day[?], m\xb3"),
        ("(1) (3)", "(1) (2)", "[1] (3)"),
    ],
)
def test_a_mark_in_the_form_of_the_list_may_lack_a_quote(marks, listed, answer) -> None:
    lines = [f'{mark} "{quote}"' for mark, quote in zip(listed.split(), QUOTES, strict=True)]
    assert read_quoted_answer("\n".join([f"So {marks}.", "", *lines])) == (f"So {answer}.", QUOTES)


def test_a_remark_below_a_list_has_the_new_numbers() -> None:
    reply = 'Dawn [3].\n\n[3] "dawn [3]"\n\nSo [3], not [4].'
    assert read_quoted_answer(reply) == ("Dawn [1].\n\nSo [1], not [?].", ["dawn [3]"])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('Dawn 【1】 and noon 【7】.\n\n【1】 "dawn"', "Dawn [1] and noon [?]."),
        ('"They hunt fish at dawn" (1), in (1984).', '"They hunt fish at dawn" [1], in (1984).'),
        ('"They hunt fish at dawn" {{1}}.', '"They hunt fish at dawn" [1].'),
        (
            "\u300c\u6c34\u736d\u5728\u9ece\u660e\u6355\u98df\u9b5a\u985e\u300d[1]\u3002",
            "\u300c\u6c34\u736d\u5728\u9ece\u660e\u6355\u98df\u9b5a\u985e\u300d [1]\u3002",
        ),
        ('At dawn:\n\n[1] "dawn"', "At dawn:"),
        ("Do [1]:\n(1) row\n(2) rest\n\n[1] dawn", "Do [1]:\n(1) row\n(2) rest"),
        ('Of 10 m\xb2 (1) each [1].\n\n[1] "10 m\xb2"', "Of 10 m\xb2 (1) each [1]."),
        ('Call `a[0]`, `[1]` and [2].\n\n[1] "dawn"', "Call `a[0]`, `[1]` and [?]."),
        (
            'Run:\n\n```py\nprint(a[0], "They hunt fish")\n```\n\nSo [1].\n\n```\n[1] "dawn"\n```',
            'Run:\n\n```py\nprint(a[0], "They hunt fish")\n```\n\nSo [1].',
        ),
        (
            '```\nprint("They hunt fish at dawn")\n```\nIt does.',
            '```\nprint("They hunt fish at dawn")\n```\nIt does.',
        ),
        ('They do:\n1. "No!"\n2. "Go!"', 'They do:\n1. "No!"\n2. "Go!"'),
        ('Set [1]:\n\n```\n{"a": [1, 2]}\n```', 'Set [1]:\n\n```\n{"a": [1, 2]}\n```'),
    ],
)
def test_marks_without_a_quote_and_other_numbers_in_brackets_stay(reply, answer) -> None:
    assert read_quoted_answer(reply)[0] == answer


@pytest.mark.parametrize(
    "form",
    [
        lambda size: "\u30101\u2020" * size,
        lambda size: "Dawn (1)." + '\n(1) "x"' * size,
        lambda size: '"It goes on and on and on" [1] ' * size,
        lambda size: 'Dawn [1].\n\n[1] "It goes on\n' + "and on\n\n" * size,
        lambda size: 'Dawn [1].\n\n[1] "It goes on\n' + 'and "on" so\n\n' * size,
        lambda size: "Dawn [1].\n\n[1]" + "\n" * size + '"dawn"',
        lambda size: "[1" * size + ", 1" * size,
        lambda size: "[1, a." * size + "^{1" * size + "$^{[1]" * size,
        lambda size: "Dawn [1]. " * size + '\n\n[1] "dawn"' * size,
        lambda size: '"It goes on' * size,
        lambda size: "<think>" * size,
        lambda size: "Dawn [1].\n\n" + '"dawn" [1]\n' * size,
        lambda size: "Dawn [1].\n\n" + "(see " * size + '1) "dawn"',
        lambda size: "|a\n" * size + "|-|\n" * size + '\n[1] "dawn"',
        lambda size: "Dawn [1].\n\n[1] " + "(p. " * size + "[p " * size,
        lambda size: "Dawn [1].\n\n" + "[{" * size + "\n[" * size,
        lambda size: "Dawn [1].\n\n[1] '" + "' \"" * size + "x",
        lambda size: "".join(
            f'"It goes on and on and on" [{n}] `[{n}, p. 3]` ' for n in range(size)
        ),
        lambda size: "> It goes on and on and on [1]\n\n" * size,
        lambda size: "> " + "_" * size,
        lambda size: "Dawn [1].\n\n[1] " + "*" * size + ' "dawn"',
        lambda size: "Dawn [1].\n\n[1] a" + "*" * size + "b" + "</a>" * size + "c",
        lambda size: "[[1](#a_(b" * size + "[1-99]" * size + "'a " * size,
    ],
)
def test_a_reply_is_read_in_linear_time(form: Callable[[int], str]) -> None:
    check_linear(read_quoted_answer, form, 3_000)
