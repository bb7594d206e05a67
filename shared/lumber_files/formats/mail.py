"""Reads a mail (.eml) as Markdown: its subject as title, its headers and its text."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser

_HEADERS = ("From", "To", "Cc", "Date")
# Lines of plain text that Markdown takes for headings, rules or code.
_MARKDOWN_SYNTAX = re.compile(r"^([ >]*)(#{1,6}[ \t]|=+[ \t]*$|-+[ \t]*$|`{3}|~{3})", re.MULTILINE)


def read_mail(content: bytes, _max_unpacked: int) -> str:
    """Return the Markdown of a mail: its plain text or else its HTML, and its attachments' names.

    Raises:
        ValueError: It has no header of a mail.
    """
    mail = BytesParser(EmailMessage, policy=policy.default).parsebytes(content)
    if not any(name in mail for name in (*_HEADERS, "Subject", "Received")):
        raise ValueError("it has no headers")
    headers = [f"{name}: {_line(mail[name])}" for name in _HEADERS if mail[name]]
    blocks = [f"# {_line(mail['Subject'])}"] if mail["Subject"] else []
    blocks.append("  \n".join(headers))
    body = mail.get_body(("plain", "html"))
    if body is not None:
        blocks.append(_text(body))
    names = [part.get_filename() or part.get_content_type() for part in mail.iter_attachments()]
    if names:
        blocks.append(f"Attachments: {', '.join(map(_line, names))}")
    return "\n\n".join(filter(None, (block.strip() for block in blocks)))


def _line(value: object) -> str:
    return " ".join(str(value).split())


def _text(body: MIMEPart) -> str:
    try:
        text = str(body.get_content())
    except LookupError:  # it names an unknown encoding
        text = bytes(body.get_payload(decode=True)).decode("utf-8", "replace")
    text = text.replace("\r\n", "\n")
    if body.get_content_subtype() == "html":
        from lumber_files.formats.html import read_html  # deferred: few mails have no plain text

        return read_html(text)
    return _MARKDOWN_SYNTAX.sub(r"\1\\\2", text)
