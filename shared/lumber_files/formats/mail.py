"""Reads mails (.eml, .mbox) and saved pages (.mhtml) as Markdown: subject, headers and text.

All text parts are read in order. Mails inside mails have a heading of their own. If a text has
several forms, the plain form is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.parser import BytesParser

_HEADERS = ("From", "To", "Cc", "Date")
_DEEPEST_HEADING = 6
# Headers are shown as written: the parser loses boundaries that should have quotes.
_POLICY = policy.default.clone(header_factory=HeaderRegistry(use_default_map=False))
_PARSER = BytesParser(EmailMessage, policy=_POLICY)
# The start of a mail in a mailbox (RFC 4155), and the mark of its lines that begin with "From ".
_MAIL_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\b\d{4}\b[^\n]*\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
# Lines of plain text that Markdown would read as headings, rules or code.
_MARKDOWN_SYNTAX = re.compile(r"^([ >]*)(#{1,6}[ \t]|=+[ \t]*$|-+[ \t]*$|`{3}|~{3})", re.MULTILINE)
# The encodings that mail programs use for declared encodings; an undeclared text may be UTF-8.
_ENCODINGS = {**dict.fromkeys(("us-ascii", "utf-8", "iso-8859-1"), "cp1252"), "gb2312": "gb18030"}


def read_mail(content: bytes, _max_unpacked: int) -> str:
    """Return the Markdown of a mail: headers, texts, mails inside it, and attachments' names."""
    mail = _PARSER.parsebytes(content)
    if not any(name in mail for name in (*_HEADERS, "Subject", "Received", "Content-Type")):
        raise ValueError("it has no headers")
    return "\n\n".join(_blocks(mail, 1))


def read_mailbox(content: bytes, max_unpacked: int) -> str:
    """Return the Markdown of the mails of a mailbox."""
    before, *mails = _MAIL_START.split(content)
    if before.strip():
        raise ValueError("it does not begin with a mail")
    texts = (read_mail(_QUOTED_FROM.sub(rb"\1", mail), max_unpacked) for mail in mails)
    return "\n\n".join(texts)


def _blocks(mail: Message, level: int) -> Iterator[str]:
    """Yield the blocks of a mail, whose subject is a heading of a level."""
    if mail["Subject"]:
        yield f"{'#' * min(level, _DEEPEST_HEADING)} {_one_line(mail['Subject'])}"
    headers = [f"{name}: {_one_line(mail[name])}" for name in _HEADERS if mail[name]]
    yield from filter(None, ["  \n".join(headers)])
    attachments: dict[str, None] = {}
    yield from _parts(mail, level, attachments)
    if attachments:
        yield f"Attachments: {', '.join(attachments)}"


def _parts(part: Message, level: int, attachments: dict[str, None]) -> Iterator[str]:
    """Yield the texts of a part, and add the names of attached files."""
    kind = part.get_content_type()
    if kind in ("message/rfc822", "message/global"):
        for mail in _payload(part):
            if not mail.keys():  # encoded, against the rules
                mail["Content-Transfer-Encoding"] = part.get("Content-Transfer-Encoding", "8bit")
                content = mail.get_payload(decode=True)
                mail = _PARSER.parsebytes(content if isinstance(content, bytes) else b"")
            yield from _blocks(mail, level + 1)
    elif part.get_content_maintype() == "message":  # a report of delivery or reading
        for group in _payload(part):
            lines = "  \n".join(f"{name}: {_one_line(text)}" for name, text in group.items())
            yield from filter(None, (lines, _text(group).strip()))
    elif kind == "multipart/alternative" and part.is_multipart():
        best_first = [*reversed(_payload(part))]
        best_first.sort(key=lambda form: form.get_content_type() != "text/plain")
        texts = [[*_parts(form, level, attachments)] for form in best_first]
        yield from next(filter(None, texts), [])  # the attachments of other forms count as well
    elif part.is_multipart():
        inside = _payload(part)
        if kind == "multipart/related":  # a text, its frames, and their resources
            used = [p for p in inside[1:] if p.get_filename() or p.get_content_subtype() == "html"]
            inside = [*inside[:1], *used]
        for inner in inside:
            yield from _parts(inner, level, attachments)
    elif part.get_content_maintype() in ("text", "multipart") and not (
        part.get_content_disposition() == "attachment" and part.get_filename()
    ):
        yield from filter(None, [_text(part).strip()])
    else:
        attachments[_one_line(part.get_filename() or kind)] = None


def _payload(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() or () if isinstance(inner, Message)]


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _text(part: Message) -> str:
    content = part.get_payload(decode=True)
    raw = content if isinstance(content, bytes) else b""
    charset, text = part.get_content_charset("us-ascii"), raw.decode("utf-8", "replace")
    if charset not in ("us-ascii", "utf-8") or {c for c in text if c > "\x7f"} == {"\ufffd"}:
        with suppress(LookupError):  # it names an unknown encoding
            text = raw.decode(_ENCODINGS.get(charset, charset), "replace")
    text = text.replace("\r\n", "\n")
    if part.get_content_subtype() == "html":
        from lumber_files.formats.html import read_html  # deferred: few mails have no plain text

        return read_html(text)
    return _MARKDOWN_SYNTAX.sub(r"\1\\\2", text)
