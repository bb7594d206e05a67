"""E-mails in plain text: the lines of their headers, and what precedes a quotation."""

from __future__ import annotations

import re

from lumber_core.text.plain.lines import PlainLines

_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-I[Dd]|In-Reply-To|Attachments?):\s"
)
_ATTRIBUTION = re.compile(r"On\s.{0,99}\d.{0,150}\s(?:wrote|writes):$")


def is_mail(lines: PlainLines) -> bool:
    """Return whether the text has quotations or headers as e-mails have."""
    return lines.quotes or sum(is_header(body) for body in lines.bodies) > 1


def is_header(body: str) -> bool:
    """Return whether a line looks like a line of a header, such as "Subject: Re: lunch"."""
    return _HEADER.match(body) is not None


def attributes(body: str) -> bool:
    """Return whether a line says who wrote the quotation below it."""
    return _ATTRIBUTION.match(body) is not None


def in_header(lines: PlainLines, number: int) -> bool:
    """Return whether a line, as the one before, belongs to the header of an e-mail."""
    if number == 0 or lines.blank[number] or not is_header(lines.bodies[number]):
        return False
    return is_header(lines.bodies[number - 1])
