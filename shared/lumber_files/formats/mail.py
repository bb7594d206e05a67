"""Reads emails (.eml, .mbox) and saved pages (.mhtml) as Markdown: subject, headers and text.

All text parts are read in order. Attached emails have headings of their own. Of several
alternatives, plain text is read if it has most of the words of the last alternative.
"""

from __future__ import annotations

import re
from codecs import lookup
from collections.abc import Iterator
from contextlib import suppress
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import EmailPolicy
from html import unescape
from itertools import groupby
from typing import Any

from lumber_core.support.wording import with_noun
from lumber_files.encodings import BROWSER_ENCODINGS
from lumber_files.readers import check_readable

_HEADERS = ("From", "To", "Cc", "Date")
_MAX_HEADING_LEVEL = 6
# The start of a mail in a mailbox (RFC 4155), and the mark of its lines that begin with "From ".
_MAIL_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\b\d{4}\b[^\n]*\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
# Lines of plain text that Markdown would read as headings, rules or code.
_MARKDOWN_SYNTAX = re.compile(r"^([ >]*)(#{1,6}[ \t]|=+[ \t]*$|-+[ \t]*$|`{3}|~{3})", re.MULTILINE)
_MARKUP = re.compile(r"<(style|script|head)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_ADDED_TO_ENCODING = re.compile("^x-|-[ei]$")  # as in "x-sjis" and "iso-8859-8-i"
_CALENDAR = "text/calendar"
_SEALED = ("encrypted", "pkcs7-mime", "x-pkcs7-mime")  # OpenPGP and S/MIME
_MAILS = ("message/rfc822", "message/global")
# An event of RFC 5545 without its alarms; the lines of an event that are shown; and a time.
_EVENT = re.compile(r"^BEGIN:VEVENT$.*?^(?:END:VEVENT|BEGIN:VALARM)$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^(?:SUMMARY|DTSTART|DTEND|RRULE|LOCATION|DESCRIPTION)[;:].*", re.MULTILINE)
_TIME = re.compile(r"\b(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)\d\d")
# The end of a line that continues in the next one, except a signature's mark (RFC 3676).
_SOFT_END = re.compile(r"(?<!^--) \n(?!-- ?$)", re.MULTILINE)


class _Policy(EmailPolicy):
    """Reads headers with letters beyond ASCII, which are against the rules."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        header = super().header_fetch_parse(name, value)
        if "\ufffd" not in header:
            return header
        return super().header_fetch_parse(name, _decode(value.encode("utf-8", "surrogateescape")))


# Headers are shown as written: the parser loses boundaries that should have quotes.
_POLICY = _Policy(header_factory=HeaderRegistry(use_default_map=False))
_PARSER = BytesParser(EmailMessage, policy=_POLICY)


def read_mail(content: bytes, _max_unpacked: int) -> tuple[str, list[str], str]:
    """Return the Markdown of a mail, notices, and no title."""
    return _read_mails([content])


def read_mailbox(content: bytes, _max_unpacked: int) -> tuple[str, list[str], str]:
    """Return the Markdown of the mails of a mailbox, notices, and no title."""
    before, *mails = _MAIL_START.split(content)
    if before.strip():
        raise ValueError("it does not begin with a mail")
    return _read_mails([_QUOTED_FROM.sub(rb"\1", mail) for mail in mails])


def _read_mails(contents: list[bytes]) -> tuple[str, list[str], str]:
    mails = [_PARSER.parsebytes(content.lstrip(b"\xef\xbb\xbf\r\n")) for content in contents]
    for mail in mails:
        if not any(name in mail for name in (*_HEADERS, "Subject", "Received", "Content-Type")):
            raise ValueError("it has no headers")
        _parse_files(mail)
    markdown = "\n\n".join(block for mail in mails for block in _blocks(mail, 1))
    damaged = markdown.count("\ufffd")
    notices = (
        [f"damaged text: U+FFFD replaces bytes in {with_noun(damaged, 'place')}"] if damaged else []
    )
    if any(part.get_content_subtype() in _SEALED for mail in mails for part in mail.walk()):
        notices.append("encrypted text, or text signed as a whole, is not read")
    return markdown, notices, ""


def _parse_files(mail: Message) -> None:
    """Turn the attached files that are mails into parts of a mail."""
    for part in mail.walk():
        if str(part.get_filename()).lower().endswith(".eml") and not part.is_multipart():
            inner = _PARSER.parsebytes(_content(part))
            if inner["From"]:
                part.set_type(_MAILS[0])
                part.set_payload([inner])


def _blocks(mail: Message, level: int) -> Iterator[str]:
    """Yield the blocks of a mail, with its subject as a heading of this level."""
    if mail["Subject"]:
        yield f"{'#' * min(level, _MAX_HEADING_LEVEL)} {_one_line(mail['Subject'])}"
    headers = [f"{name}: {_one_line(mail[name])}" for name in _HEADERS if mail[name]]
    yield from filter(None, ["  \n".join(headers)])
    attachments: dict[str, None] = {}
    for part, is_shown in _parts(mail):
        if not (_is_text(part) or part.get_content_maintype() == "message"):
            attachments[_one_line(part.get_filename() or part.get_content_type())] = None
        elif is_shown:
            yield from _texts(part, level)
    if attachments:
        yield f"Attachments: {', '.join(attachments)}"


def _texts(part: Message, level: int) -> Iterator[str]:
    """Yield the texts of a part, which may be an email attached to an email of this level."""
    if part.get_content_type() in _MAILS:
        for inner in _payload(part):
            attached = inner
            if not inner.keys():  # the attached email is encoded, which the rules forbid
                inner["Content-Transfer-Encoding"] = part.get("Content-Transfer-Encoding", "8bit")
                attached = _PARSER.parsebytes(_content(inner))
            yield from _blocks(attached, level + 1)
    elif part.get_content_maintype() == "message":  # a report of delivery or reading
        for group in _payload(part):
            lines = "  \n".join(f"{name}: {_one_line(text)}" for name, text in group.items())
            yield from filter(None, (lines, _text(group).strip()))
    else:
        yield from filter(None, [_text(part).strip()])


def _parts(part: Message) -> Iterator[tuple[Message, bool]]:
    """Yield the parts in a part that contain no others, and whether their texts are shown."""
    if not part.is_multipart() or part.get_content_maintype() == "message":
        yield part, True
        return
    kind, inside = part.get_content_type(), _payload(part)
    if kind == "multipart/related":  # a text, its frames, and their resources
        used = [p for p in inside[1:] if p.get_filename() or p.get_content_subtype() == "html"]
        inside = [*inside[:1], *used]
    shown = _choose_alternatives(inside) if kind == "multipart/alternative" else inside
    for inner in inside:  # only attachments of other alternatives are listed
        for nested, is_shown in _parts(inner):
            yield nested, is_shown and inner in shown


def _choose_alternatives(alternatives: list[Message]) -> list[Message]:
    """Return which alternatives of a text to read.

    Plain text is read if it has most of the words of the last alternative, which mail programs
    show; otherwise the last is read. Calendars are read, too: the time of an event may be only
    there.
    """
    calendars = [part for part in alternatives if part.get_content_type() == _CALENDAR]
    words = {part: _words(part) for part in alternatives if part not in calendars}
    best = [part for part in words if words[part] or part is alternatives[-1]][-1:]
    best_words = {word for part in best for word in words[part]}
    alike = [part for part in words if 2 * len(words[part] & best_words) >= len(best_words)]
    plain = [part for part in alike if part.get_content_type() == "text/plain"]
    return [*calendars, *(plain or best)[-1:]]


def _words(alternative: Message) -> set[str]:
    parts = _parts(alternative)
    texts = (_decode_text(part) for part, is_shown in parts if is_shown and _is_text(part))
    return {word for text in texts for word in re.findall(r"\w+", unescape(_MARKUP.sub(" ", text)))}


def _is_text(part: Message) -> bool:
    is_attached = part.get_content_disposition() == "attachment" and part.get_filename()
    return part.get_content_maintype() in ("text", "multipart") and not is_attached


def _payload(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() or () if isinstance(inner, Message)]


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _text(part: Message) -> str:
    """Return the text of a part in Markdown."""
    text = _decode_text(part)
    if part.get_content_subtype() == "html":
        check_readable("a text.html")
        from lumber_files.formats.html import read_html  # deferred: few mails have no plain text

        return read_html(text)
    if part.get_content_type() == _CALENDAR:
        return _show_events(text)
    if part.get_param("format") == "flowed":
        text = _join_flowed(text, deletes_space=part.get_param("delsp") == "yes")
    return _MARKDOWN_SYNTAX.sub(r"\1\\\2", text)


def _decode_text(part: Message) -> str:
    return _decode(_content(part), part.get_content_charset("us-ascii")).replace("\r\n", "\n")


def _content(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _decode(raw: bytes, charset: str = "us-ascii") -> str:
    text = raw.decode("utf-8", "replace")
    if charset in ("us-ascii", "utf-8"):  # an undeclared text may be UTF-8
        if {c for c in text if c > "\x7f"} != {"\ufffd"}:
            return text
        charset = "iso-8859-1"
    for name in (charset, _ADDED_TO_ENCODING.sub("", charset)):
        with suppress(LookupError):  # Python does not know this encoding
            shown = raw.decode(BROWSER_ENCODINGS.get(lookup(name).name, name), "replace")
            return shown if "\ufffd" in text or "\ufffd" not in shown else text
    return text


def _show_events(calendar: str) -> str:
    """Return the lines of a calendar's events that are shown, or else the calendar."""
    events = _EVENT.findall(re.sub(r"\n[ \t]", "", calendar))  # a long line continues in the next
    lines = [line for event in events for line in _SHOWN.findall(event)]
    shown = _TIME.sub(r"\1-\2-\3 \4:\5", "  \n".join(lines))
    return shown.replace("\\n", " ").replace("\\,", ",") or calendar


def _join_flowed(text: str, *, deletes_space: bool) -> str:
    """Return a text with the lines joined that its sender's program divided (RFC 3676)."""
    joined: list[str] = []
    for mark, lines in groupby(text.split("\n"), lambda line: re.findall("^>*", line)[0]):
        quoted = "\n".join(line[len(mark) :].removeprefix(" ") for line in lines)
        block = _SOFT_END.sub("" if deletes_space else " ", quoted)
        joined += [f"{mark} {line}" if mark else line for line in block.split("\n")]
    return "\n".join(joined)
