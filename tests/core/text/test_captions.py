"""Captions as programs export them: their words, places and times."""

import re
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span
from lumber_core.text import read_cues, spoken_text
from lumber_core.text.captions import INVISIBLE, speakers_of, speech, time_at
from tests.core.core_support import quick
from tests.growth import check_linear


def srt(*cues: str) -> str:
    """Return cues of a second each, one after the other."""
    return "".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n + 1:02},000\n{cue}\n\n"
        for n, cue in enumerate(cues, 1)
    )


SAID = [
    "Cut the dead wood out first, and then the",
    "branches that cross.",
    "Never take more than a quarter.",
]
WHISPER_SRT = srt(f" {SAID[0]}", f" {SAID[1]}\n{SAID[2]}")
WHISPER_VTT = """\
WEBVTT

00:00.000 --> 00:04.480
Cut the dead wood out first, and then the

00:04.480 --> 00:07.120
branches that cross.
Never take more than a quarter.
"""
YOUTUBE = """\
WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.470 align:start position:0%
#
Cut<00:00:00.400><c> the</c><00:00:00.640><c> dead</c><00:00:00.960><c> wood</c>

00:00:02.470 --> 00:00:02.480 align:start position:0%
Cut the dead wood
#

00:00:02.480 --> 00:00:04.309 align:start position:0%
Cut the dead wood
out<00:00:02.720><c> first</c><00:00:02.960><c> and</c>

00:00:04.309 --> 00:00:04.319 align:start position:0%
out first and
#

00:00:04.319 --> 00:00:07.000 align:start position:0%
out first and
then<00:00:04.560><c.colorE5E5E5> rest</c>
""".replace("#", " ")
ROLLS = ["Cut the dead wood", "out first and", "then rest"]
ROLLED_SRT = srt(*[ROLLS[0]] * 2, "\n".join(ROLLS[:2]), "out first and", "\n".join(ROLLS[1:]))
ROLL_UP = srt("a", "a\nb", "a\nb\nc", "b\nc\nd", "c\nd\ne", "d\ne\nf")
TEAMS = """\
WEBVTT

0f8a2c1e-77aa-4c3b-9f00-1a2b3c4d5e6f/12-0
00:00:03.120 --> 00:00:05.480
<v Ann de Vries>Cut the dead wood out first, and then the</v>

0f8a2c1e-77aa-4c3b-9f00-1a2b3c4d5e6f/12-1
00:00:05.480 --> 00:00:09.000
<v Ann de Vries>branches that cross.
Never take more than a quarter.</v>
"""
ZOOM = "WEBVTT\n\n" + srt(
    f"Ann de Vries: {SAID[0]}", f"Ann de Vries: {SAID[1]}", f"Bob: {SAID[2]}"
).replace(",000", ".000")
MARKED_UP = srt(
    '{\\an8}<font color="#ffff00"><i>Cut the dead wood out</i></font> first, and then the',
    "- <b>branches</b> that cross.\n&gt;&gt; Never take more than a quarter.",
)
BLOCKS = """\
WEBVTT - The garden hour

STYLE
::cue(v) { color: papayawhip }

REGION
id:fred
width:40%

NOTE
Checked by Ann.
It has two lines.

Introduction
00:01.000 --> 00:02.000 region:fred
Cut the dead wood out first, and then the

NOTE one line

last part of it
00:02.000 --> 00:04.000
branches that cross.
Never take more than a quarter.
"""
LYRICS = """\
[ti:The garden hour]
[ar: Ann]
[00:01.00]Cut the dead wood out first, and then the
[00:02.50][01:02.50] <00:02.50> branches <00:03.00> that cross.
[00:04.00]Never take more than a quarter.
"""
SUBSTATION = """\
[Script Info]
Title: The garden hour

[V4+ Styles]
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.50,D,Ann,0,0,0,,{\\i1}Cut the dead wood out{\\i0} first, and then the
Comment: 0,0:00:02.00,0:00:03.00,Default,Ann,0,0,0,,Is this right?
Dialogue: 0,0:00:02.50,0:00:04.00,Default,Ann,0,0,0,,branches\\Nthat cross.
Dialogue: 0,0:00:04.00,0:00:05.00,Default,Ann,0,0,0,,Never take more than a quarter.
"""
TIMED_TEXT = """\
<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml"><head><styling><style xml:id="s1"/></styling></head>
<body><div begin="00:00:01.000" end="00:00:02.500">
<p region="r1">Cut the dead wood out first, and then the</p></div><div>
<p begin="2.5s" end="4s"><span style="s1">branches</span><br/>that cross.</p>
<p begin="00:00:04:12" end="00:00:05:00">Never take more than a quarter.</p>
</div></body></tt>
"""
COLUMNS = "start\tend\ttext\n1000\t2500\t{}\n2500\t4000\t{}\n4000\t5000\t{}\n".format(*SAID)
SOUNDS = srt(
    f"[Ann] \u202a{SAID[0]}\u202c",
    "(BOB) branches that cross. [laughs]",
    "*applause*",
    f"\u266a {SAID[2]} \u266a\n\uff08\u7b11\uff09\u3010\u97f3\u697d\u3011",
)
HEADS = {
    "otter": "Ann de Vries  0:03  \n{}\n\nAnn de Vries  0:05  \n{}\n\nBob  0:09  \n{}\n",
    "happy scribe with dashes": "[00:00:03.120] - Ann Lee\n{}\n\n[00:00:05.010] - Ann Lee\n{}\n\n"
    "[00:00:09.430] - Bob\n{}\n",
    "gemini": "00:03 - Ann Lee: {}\n00:05 - Bob: {}\n00:09 - Ann Lee: {}\n",
    "zoom's older text": "Ann Lee 14:03:12\n{}\n\nAnn Lee 14:03:15\n{}\n\nBob 14:03:19\n{}\n",
    "zoom's text": "[Ann Lee] 14:03:12\n{}\n\n[Ann Lee] 14:03:15\n{}\n\n[Bob] 14:03:19\n{}\n",
    "a document of teams": "**Ann Lee**   0:03  \n{}\n\n"
    "**Ann Lee**   0:06  \n{}\n\n**Bob**   0:09\n{}\n",
    "teams before": "0:0:3.1 --> 0:0:5.4\nAnn\n{}\n"
    "0:0:5.4 --> 0:0:9.0\nAnn\n{}\n0:0:9.0 --> 0:1:0.0\nBob\n{}\n",
    "rev": "Ann Lee (00:03):\n{}\n\nBob (00:21):\n{}\n\nAnn Lee (01:02):\n{}\n",
    "copied from teams": "AL\nAnn Lee\n0 minutes 3 seconds0:03\nAnn Lee 0 minutes 3 seconds\n{}\n"
    "Ann Lee 0 minutes 9 seconds\n{}\n"
    "B\n\nBob\n1 minute 5 seconds1:05\nBob 1 minute 5 seconds\n{}\n",
    "copied from teams by lines": "Ann Lee\n0 minutes 3 seconds\n0:03\n"
    "Ann Lee 0 minutes 3 seconds\n{}\nAnn Lee 0 minutes 9 seconds\n{}\nBob\n"
    "1 minute 5 seconds\n1:05\nBob 1 minute 5 seconds\n{}\n",
    "whisper's output": "Detected language: English\n[00:00.000 --> 00:02.000] {}\n"
    "[00:02.000 --> 00:04.000] {}\n[00:04.000 --> 00:06.000] {}\n",
    "teams in German": "Ann Lee\n0 Minuten 3 Sekunden\n{}\nBob\n0 Minuten 9 Sekunden\n{}\n"
    "Ann Lee\n1 Stunde 2 Minuten 3 Sekunden\n{}\n",
    "plaud": "0:03 Ann Lee\n{}\n\n0:21 Bob\n{}\n\n1:02 Ann Lee\n{}\n",
    "fireflies": "Ann Lee - 00:03\n{}\n\nBob - 00:21\n{}\n\nAnn Lee - 01:02\n{}\n",
    "youtube's panel": "0:03\n3 seconds\n{}\n0:05\n5 seconds\n{}\n1:07\n1 minute, 7 seconds\n{}\n",
    "premiere": "00:00:03:12 - 00:00:05:01\nSpeaker 1\n{}\n\n"
    "00:00:05:01 - 00:00:07:00\nSpeaker 1\n{}\n\n"
    "00:00:07:00 - 00:00:10:00\nSpeaker 2\n{}\n",
    "sonix": "Ann Lee: [00:00:03] {}\n\nAnn Lee: [00:00:05] {}\n\nBob: [00:00:07] {}\n",
    "nvivo": "Speaker 1 [00:00:03]: {}\nSpeaker 2 [00:00:21]: {}\nSpeaker 1 [00:01:02]: {}\n",
    "descript": "[00:00:03] Ann: {}\n\n[00:00:05] Ann: {}\n\n[00:00:07] Bob: {}\n",
    "names above times": "Ann Lee\n0:03\n{}\n\nAnn Lee:\n0:07\n{}\n\nUnknown speaker\t0:21\n{}\n",
    "downsub": "(00:03) {}\n(00:05) {}\n(00:21) {}\n",
    "trint": "Speaker 1 [00:00:03] {}\n\nSpeaker 1 [00:00:05] {}\n\nSpeaker 2 [00:00:21] {}\n",
    "descript in markdown": "[0:03] **Ann:** {}\n\n[0:00:05] **Ann:** {}\n\n[0:00:07] **Ray:** {}",
    "links to youtube": "[00:03](https://youtu.be/x?t=3) {}\n[00:05](https://youtu.be/x?t=5) {}\n"
    "**[00:21](https://youtu.be/x?t=21)** {}\n",
    "times before names": "00:00:03 Ann: {}\n00:00:05 - Ann: {}\n00:00:21 Bob Lee: {}\n",
    "meet": "00:00:00\nAnn Lee: {}\nAnn Lee: {}\n00:05:00\nBob Miller: {}\n",
    "happy scribe": "[00:00:03] - Ann\n{}\n\n[00:00:06] - Ann\n{}\n\n[00:00:21] - Bob\n{}\n",
    "a document of descript": "**Ann:** [00:00:03] {}\n\n"
    "**Ann:** [00:00:05] {}\n\n**Bob:** [00:00:07] {}\n",
    "fathom": "0:03 - Ann Lee\n  {}\n\n0:09 - Bob (Harbour club)\n  {}\n\n0:15 - Ann Lee\n  {}\n",
    "gong": "0:03 | Ann Lee\n{}\n\n0:09 | Bob\n{}\n\n0:15 | Ann Lee\n{}\n",
    "fathom with signs": "@0:03 - Ann Lee\n{}\n\n@0:09 - Bob\n{}\n\n@0:15 - Ann Lee\n{}\n",
    "premiere with drop frames": "00;00;03;12 - 00;00;05;01\nSpeaker 1\n{}\n\n"
    "00;00;05;01 - 00;00;07;00\nSpeaker 1\n{}\n\n00;00;07;00 - 00;00;10;00\nSpeaker 2\n{}\n",
    "lyrics without fractions": "[00:03]{}\n[00:05]{}\n[00:09]{}\n",
    "speakers with numbers": "Step 1 (0:03):\n{}\n\nStep 2 (0:09):\n{}\n\nStep 1 (0:15):\n{}\n",
    "sami": "<SAMI><HEAD><TITLE>Oars</TITLE></HEAD><BODY>\n<SYNC Start=3000><P Class=EN>{}\n<SYNC "
    "Start=5000><P Class=EN>{}<SYNC Start=7000><P Class=EN>&nbsp;\n<SYNC Start=8000><P>{}\n</BODY>",
    "subviewer": "[INFORMATION]\n[TITLE]Oars\n[SUBTITLE]\n00:00:03.00,00:00:05.00\n{}\n\n"
    "00:00:05.00,00:00:07.00\n{}\n\n00:00:07.00,00:00:09.00\n{}\n",
    "timed text of podcasts": '<tt xmlns="x"><body><p begin="3.000" end="5.0"><span>{}</span></p>\n'
    '<p begin="5.100">{}</p>\n<p begin="7.000">{}</p></body></tt>',
    "youtube's xml": '<?xml version="1.0"?><timedtext><body>\n<p t="3000" d="9"><s>{}</s></p>\n'
    '<p t="5000">{}</p>\n<p t="7000">{}</p></body></timedtext>',
}
COLONS = ["Remember: row.", "New York: rain.", "Remember: rest.", "Sleep.", "Eat.", "Go.", "Sit."]


WORDS = [(line, word) for line in SAID for word in line.split()]
REPEATED = {
    "the word that is said is marked": srt(
        *(line.replace(word, f"<u>{word}</u>", 1) for line, word in WORDS)
    ),
    "marked words with pauses": srt(
        *(line.replace(word, f"<b>{word}</b>", 1) for line, word in WORDS)
    ).replace(",000 --> ", ",999 --> "),
    "layers": "".join(2 * cue for cue in re.split(r"(?=^\d\n)", srt(*SAID), flags=re.MULTILINE)),
}


FORMS = {
    "whisper srt": WHISPER_SRT,
    "whisper vtt": WHISPER_VTT,
    "teams": TEAMS,
    "zoom": ZOOM,
    "no blanks": WHISPER_SRT.replace(" --> ", "-->"),
    "seconds": WHISPER_SRT.replace(",000", ""),
    "translated": WHISPER_SRT.replace(",000", ", 000"),
    "tags in srt": MARKED_UP,
    "sbv": "0:00:00.000,0:00:04.480\nCut the dead wood out first, and then the\n\n"
    "0:00:04.480,0:00:07.120\nbranches that cross.\nNever take more than a quarter.\n",
    "whisper text": "[00:00:00.000 --> 00:00:04.480]   Cut the dead wood out first, and then the\n"
    "[00:00:04.480 --> 00:00:06.000]   branches that cross.\n"
    "[00:00:06.000 --> 00:00:06.500]   [Music]\n"
    "[00:00:06.500 --> 00:00:07.120]   Never take more than a quarter.\n",
    "minutes and seconds, without numbers": re.sub(
        r"\n?\d\n00:(00:\d\d),\d+( --> )00:(00:\d\d),\d+", r"\n\1\2\3", WHISPER_SRT
    ).strip(),
    "blocks": BLOCKS,
    "lyrics": LYRICS,
    "substation alpha": SUBSTATION,
    "timed text": TIMED_TEXT,
    "with prefixes": TIMED_TEXT.replace("p ", "tt:p ").replace('"', "'"),
    "whisper table": COLUMNS,
    **{name: form.format(*SAID) for name, form in HEADS.items()},
    "names and sounds in marks": SOUNDS,
    "faster-whisper": "".join(f"[{n}.00s -> {n + 1}.48s] {line}\n" for n, line in enumerate(SAID)),
    **REPEATED,
    "a time and words": "".join(f"0:0{3 * n} {one}\n" for n, one in enumerate(SAID)),
    "a time beside words": "".join(f"0:0{3 * n}{one}\n" for n, one in enumerate(SAID)),
    "a time, a name and words": "".join(
        f"00:0{n}:05\t{'Ann' if n % 2 else 'Bob Lee'}: {one}\n" for n, one in enumerate(SAID)
    ),
    "words beside the times": "".join(
        f"00:0{n}.0 --> 00:0{n}.9 line:-1 A:start {one}\n" for n, one in enumerate(SAID)
    ),
}
CAPTIONS: dict[str, tuple[str, list[str]]] = {
    **{name: (text, SAID) for name, text in FORMS.items()},
    "youtube": (YOUTUBE, ROLLS),
    "youtube as srt": (ROLLED_SRT, ROLLS),
    "roll-up": (ROLL_UP, [*"abcdef"]),
    "one speaker": (
        "".join(f"00:{n}:01.0 --> 00:{n}:02.0\nAnn Lee: Row.\n\n" for n in range(10, 14)),
        ["Row."] * 4,
    ),
    "lines in one": (
        srt(*(" ".join(ROLLS[max(0, n - 1) : n + 1]) for n in (0, 1, 2)), "then rest at noon"),
        [*ROLLS, "at noon"],
    ),
    "windows of words": (
        srt("we row to", "row to the old", "the old pier at", "pier at noon"),
        ["we row to", "the old", "pier at", "noon"],
    ),
    "numbered steps, and songs": (
        srt("Step 1: Peel {i}it{/i}.", "Step 2: Mix.", "# Row on. #", "Step 3: Eat."),
        ["Step 1: Peel it.", "Step 2: Mix.", "Row on.", "Step 3: Eat."],
    ),
    "overlaps": (ROLLED_SRT.replace("2,000 --> ", "1,990 --> "), ROLLS),
    "readings, and tags inside words": (
        "00:01.0 --> 00:02.0\nSo <ruby>\u6f22<rt>\u304b\u3093</rt></ruby>\u3060 Ne<c>v</c>er.\n"
        "\n00:02.0 --> 00:03.0\n{\\k5}More\\NNe{\\k9}ver\n",
        ["So \u6f22\u3060 Never.", "More Never"],
    ),
    "whisperx": (srt("[SPEAKER_00]: Hi.", "[SPEAKER_01]: On: 10:30."), ["Hi.", "On: 10:30."]),
    "a colon is no speaker, and entities are characters": (
        srt("&lrm;Remember: row on.&rlm; R&amp;D&nbsp;is &lt; 5."),
        ["Remember: row on. R&D is < 5."],
    ),
    "words with a colon in a file without speakers": (srt(*COLONS), COLONS),
    "sounds": (
        srt(
            *("[Music]", "Row (all of you) on.", "(applause)", "\u266a \u266a"),
            *("(He sat down.)", "[upbeat music]", "\u266a (drums) \u266a", "\u266a\uff5e"),
        ),
        ["Row (all of you) on.", "(He sat down.)"],
    ),
    "a refrain": (
        "".join(f"{n}\n00:{n}:01,000 --> 00:{n}:02,000\nRow on.\n\n" for n in range(10, 14)),
        ["Row on."] * 4,
    ),
    "lines that grow": (
        srt("Row", "Row on", "Row on now.", "Then", "Then rest."),
        ["Row", "on", "now.", "Then", "rest."],
    ),
    "machine speakers": (srt("spk_0: Hi.", "spk_1: Ho.", "spk_0: Hum."), ["Hi.", "Ho.", "Hum."]),
    "several of one kind": (srt("MAN 1: Hi.", "MAN 2: Ho."), ["Hi.", "Ho."]),
    "speakers with remarks": (
        srt("Ann (on phone): Hi.", "Bob (quietly): Ho.", "Ann: Hum.", "Bob: Row on."),
        ["Hi.", "Ho.", "Hum.", "Row on."],
    ),
    "a wide colon": (srt("王\uff1a你好。", "李\uff1a再见。"), ["你好。", "再见。"]),
}


@pytest.mark.parametrize(("text", "lines"), CAPTIONS.values(), ids=CAPTIONS)
@pytest.mark.parametrize(
    "written",
    [str, lambda one: "\ufeff" + one.replace("\n", "\r\n"), lambda one: one.replace("\n", "\r")],
)
def test_captions_have_each_spoken_line_once(text, lines, written) -> None:
    text = written(text)
    assert spoken_text(text).split("\n") == lines
    assert len(speech(text)) == len(text)
    pairs = zip(text, speech(text), strict=True)
    assert all(
        character == spoken_character
        for character, spoken_character in pairs
        if spoken_character.strip() and spoken_character != INVISIBLE and character != "&"
    )
    place = 0
    for line in lines:  # each line is at its place in the text
        if "&" not in line:
            place = speech(text).replace(INVISIBLE, " ").find(line.split()[0], place)
            assert text[place:].startswith(line.split()[0])


def test_the_time_of_a_span_is_the_start_of_its_cue_or_the_range_of_its_cues() -> None:
    places = [WHISPER_VTT.index(word) for word in ("WEBVTT", "Cut", "branches")]
    assert [time_at(WHISPER_VTT, place) for place in places] == ["", "00:00:00", "00:00:04"]
    assert time_at(WHISPER_VTT, places[1], places[1] + 3) == "00:00:00"
    assert time_at(WHISPER_VTT, places[1], places[2] + 3) == "00:00:00 to 00:00:07"
    assert time_at(WHISPER_VTT[places[1] :], 0, 3, "00:00:00") == "00:00:00"
    assert time_at(WHISPER_VTT[places[1] :], 0, 60, "00:00:00") == "00:00:00 to 00:00:07"
    assert [cue.ends for cue in read_cues(WHISPER_VTT)] == ["00:00:04", "00:00:07"]
    for text in (LYRICS, SUBSTATION, TIMED_TEXT, COLUMNS):
        start = text.index("branches")
        assert time_at(text, start, text.index("Never") + 5) == (
            "00:00:02 to 00:00:04" if text is LYRICS else "00:00:02 to 00:00:05"
        )


def test_ticks_of_timed_text_are_read_as_times() -> None:
    cues = read_cues('<tt><p begin="30000000t" end="55000000t">Row.</p></tt>')
    assert [cue[2:] for cue in cues] == [("00:00:03", "00:00:05")]


def test_drawings_are_not_speech() -> None:
    events = "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
    drawn = f"{events}{{\\an7\\p1}}m 0 0 l 9 0 9 9{{\\p0}}\n{events}Row.\n"
    assert spoken_text(drawn) == "Row."


def test_times_in_words_are_read_as_times() -> None:
    text = "Ann Lee 0 minutes 3 seconds\nRow.\nAnn Lee 1 hour 2 minutes 9 seconds\nRest.\n"
    assert [cue.begins for cue in read_cues(text)] == ["00:00:03", "01:02:09"]


SHOWS_A_TRANSCRIPT = """# Meeting notes

Zoom writes:

Ann Lee 0:03
Hello all.

Ray 0:09
Hi.

## Install

Warning: see [the docs](docs.md).
"""
RESULTS = "Heat 1\n0:58\nAnn, Harbour club\n1:02\nRay, River club\n\nPrize: a cup [silver].\n"


@pytest.mark.parametrize(
    "text",
    [
        *("", "Plain. <b>Bold</b>", "a --> b", "<!-- Ann: --> x", "NOTE\n-->"),
        *(SHOWS_A_TRANSCRIPT, RESULTS),
        "Ann Lee  10:15 AM\nShall we row?\nBob Miller  10:17 AM\nYes, at noon.\n",
        "[10:15:03] <ann> Shall we row?\n[10:15:09] <bob> Yes.\n",
        "9:30\nDoors open.\n10:00\nPruning.\n",
        "Oars 0:00\nBoats 0:45\nEnd 3:00\n",
        "[00:00:01] INFO: Ready\n[00:00:02] WARN: Slow\n[00:00:09] Row on.\n",
        "[00:00:01] GET /oars 200\n[00:00:02] Compiling oar.c\n[00:00:09] size=3\n",
        "0:00 Oars\n0:50 Sails\n3:00 Home\n",
        "00:00:01 INFO ready\n00:00:02 WARN slow\n00:00:09 INFO done\n",
        "00:00 Part one: we row\n00:40 Part two: we sail\n03:00 Home: we rest\n",
        "Step 1 (0:05): Peel the pears.\nStep 2 (0:10): Mix.\nStep 3 (0:15): Bake.\n",
        "0:00 - Oars\nWe row.\n1:45 - Sails\nWe sail.\n3:00 - Home\nWe rest.\n",
        "0:00 | Oars\nWe row.\n1:45 | Sails\nWe sail.\n3:00 | Home\nWe rest.\n",
        "0:00 Oars\nWe row.\n1:45 Sails\nWe sail.\n3:00 Home\nWe rest.\n",
        "Oars 14:03:12\nWe row.\n\nSails 14:08:00\nWe sail.\n\nHome 15:03:12\nWe rest.\n",
        "Ann Lee 02:13:45\nBob 02:14:01\nAnn Lee 02:15:45\n",
    ],
)
def test_a_text_without_captions_is_unchanged(text: str) -> None:
    assert speech(text) == spoken_text("".join(list(text))) == text


PIECES = [
    *("\n", "\n\n", "00:01.000 --> 00:02.000", "<i>", "</v>", "Ann: ", "a", "&amp;", "NOTE", " "),
    *("\r\n", ">>"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(0, 40), st.integers(0, 40))
@quick
def test_speech_keeps_the_length_and_lines_of_a_text(
    parts: list[str], start: int, end: int
) -> None:
    text = "".join(parts)
    assert len(speech(text)) == len(text)
    assert [c for c in speech(text) if c == "\n"] == [c for c in text if c == "\n"]
    time_at(text, start, end)


@pytest.mark.parametrize(
    "part",
    [
        *("<i>", "Ann ", "A: \n", "\n \n", "NOTE\n", "&amp", "1" * 9 + " ", "a\n", "[a ", "(a "),
        *("<p a ", '<p begin="1s" end="', "*a ", "{\\i", "{\\p1", "Dialogue: 0,", "\n[00:01.00]"),
    ],
)
def test_speech_is_read_in_linear_time(part: str) -> None:
    beginning = "00:01.000 --> 00:02.000{}\n"
    unseen = map(str, count())  # each suffix makes a text that is not cached
    check_linear(
        lambda text: speech(text + next(unseen)),
        lambda size: beginning.format(" " * size) + part * size,
        20_000,
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("00:01.000 --> 00:02.000\n<v {}>", "00:03.000 --> 00:04.000\n<v.loud {}>"),),
        *(("1\n00:00:01,000 --> 00:00:02,000\n{}: ", "2\n00:00:03,000 --> 00:00:04,000\n{}: "),),
        *(("{}  0:01\n", "{}  0:03\n"), ("[{}] 14:03:12\n", "[{}] 14:03:19\n")),
        ("Dialogue: 0,0:00:01.00,0:00:02.00,Default,{},0,0,0,,",) * 2,
        ("0:01\n{}\n", "0:03\n{}\n"),
    ],
)
def test_speakers_are_recognised_and_are_not_speech(first: str, second: str) -> None:
    parts = [
        head.format(name) + f"{words}\n\n"
        for head, name, words in [
            *((first, "Ann", "We row."), (second, "Bob", "We sail."), (second, "Ann", "Rest.")),
            *((second, "Bob", "Yes."), (second, "Ann", "No.")),
        ]
    ]
    text = "".join(parts)
    begins = text.index("sail")
    spans = [Span(0, len(parts[0])), Span(begins, len("".join(parts[:2])))]
    assert speakers_of(text, [*spans, Span(0, len(text))]) == ["Ann", "Bob", "Ann Bob"]
    assert speakers_of(text, [Span(len(parts[0]), spans[1].end)]) == ["Bob"]
    assert not {"Ann", "Bob"} & {*spoken_text(text).split()}
    assert speakers_of("Ann: We row.", [Span(0, 12)]) == [""]


def test_a_spoken_word_before_a_colon_is_not_a_speaker() -> None:
    text = srt("We row.", "Remember: row on.", "We sail.", "We rest.")
    assert "Remember" in speech(text)
    assert speakers_of(text, [Span(0, len(text))]) == [""]


def test_names_before_times_that_start_at_zero_may_occur_once() -> None:
    text = "Ann Lee 00:00:03\nWe row.\n\nBob Ray 00:00:09\nWe rest.\n"
    assert speech(text).split("\n") == [" " * 16, "We row.", "", " " * 16, "We rest.", ""]


def test_speakers_may_be_in_tags_and_before_colons() -> None:
    words = ["Ann: We row.", "<v Cid>We sail.", "Bob: We rest.", "Ann: Yes.", "Bob: No."]
    text = "WEBVTT\n\n" + srt(*words).replace(",", ".")
    spans = [Span(at := text.index(phrase), at + len(phrase)) for phrase in words[:3]]
    assert speakers_of(text, spans) == ["Ann", "Cid", "Bob"]
