import sys
from base64 import b64encode
from email.message import EmailMessage

import pytest

from lumber_core.errors import MissingExtraError
from lumber_files import read_bytes
from lumber_files.formats.mail import read_mail


def mail(subject: str, text: str = "", kind: str = "plain") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ann <ann@example.org>", subject
    if text:
        message.set_content(text, subtype=kind)
    return message


def text_of(content: bytes | EmailMessage) -> str:
    raw = content if isinstance(content, bytes) else content.as_bytes()
    return read_bytes(raw, name="mail.eml", suffix=".eml").text.rstrip()


def parts(kind: str, *contents: str) -> bytes:
    """Return a mail of parts, each of which begins with its headers."""
    head = f"From: Ann <ann@example.org>\nMIME-Version: 1.0\nContent-Type: {kind}; boundary=B\n\n"
    return (head + "".join(f"--B\n{content}\n" for content in contents) + "--B--\n").encode()


def test_texts_keep_their_order_even_after_attachments() -> None:
    content = parts(
        "multipart/mixed",
        "Content-Type: text/plain\n\nBefore the picture.",
        "Content-Type: image/png; name=hull.png\nContent-Disposition: inline\n\nxx",
        "Content-Type: text/html\n\n<p>After <b>it</b>.",
        "Content-Type: image/png; name=hull.png\n\nxx",
        'Content-Type: text/plain; name="a.txt"\nContent-Disposition: attachment\n\nApart.',
        "Content-Type: text/x-patch; name=a.diff\nContent-Disposition: inline\n\n+ oar",
        "Content-Type: text/plain\n\nThe footer of the list.",
    )
    assert text_of(content) == (
        "From: Ann <ann@example.org>\n\nBefore the picture.\n\nAfter **it**.\n\n+ oar\n\n"
        "The footer of the list.\n\nAttachments: hull.png, a.txt"
    )


@pytest.mark.parametrize("form", [EmailMessage, bytes, str])
def test_a_forwarded_mail_has_its_subject_sender_and_text(form: type) -> None:
    innermost, inner, outer = mail("Oar", "It broke."), mail("Fw: Oar", "See."), mail("Fw: Fw: Oar")
    outer.set_content("Please order one.")
    for around, within in ((inner, innermost), (outer, inner)):
        kind = {"maintype": "application", "subtype": "octet-stream"} if form is bytes else {}
        content = within if form is EmailMessage else form(within)
        around.add_attachment(content, filename="A.EML", **kind)
    sender = "From: Ann <ann@example.org>"
    assert text_of(outer) == (
        f"# Fw: Fw: Oar\n\n{sender}\n\nPlease order one.\n\n"
        f"## Fw: Oar\n\n{sender}\n\nSee.\n\n### Oar\n\n{sender}\n\nIt broke."
    )


@pytest.mark.parametrize("plain", ["You are invited.", " "])
def test_an_invitation_has_its_title_time_and_place(plain: str) -> None:
    event = (
        "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nDTSTART:19701025T030000\nEND:VTIMEZONE\nBEGIN:VEVENT\n"
        "SUMMARY:Launch of the\n  ferry\nDTSTART;TZID=Asia/Tokyo:20261127T093000\n"
        "DTEND:20261127T103000\nUID:1@example.org\nLOCATION:Mill\\, weir\nBEGIN:VALARM\n"
        "DESCRIPTION:Reminder\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR"
    )
    content = parts(
        "multipart/alternative",
        f"Content-Type: text/plain\n\n{plain}",
        f"Content-Type: text/calendar; method=REQUEST\n\n{event}",
    )
    lines = "\n\n".join(filter(str.strip, ["From: Ann <ann@example.org>", plain, "SUMMARY:Launch"]))
    assert text_of(content) == (
        f"{lines} of the ferry  \n"
        "DTSTART;TZID=Asia/Tokyo:2026-11-27 09:30  \nDTEND:2026-11-27 10:30  \nLOCATION:Mill, weir"
    )


def test_headers_beyond_ascii_are_read_and_damage_has_a_notice() -> None:
    content = "Subject: Fähre\nFrom: =?utf-8?q?=C3=96re?=\n\n".encode("cp1252") + "é".encode()
    assert text_of(content) == "# Fähre\n\nFrom: Öre\n\né"
    read = read_bytes(content + b"\xe9", name="mail.eml")
    assert read.notices == ("damaged text: U+FFFD replaces bytes in 1 place",)


@pytest.mark.parametrize(
    ("kind", "sealed"),
    [
        ("application/pkcs7-mime; name=smime.p7m", True),
        ("multipart/encrypted; boundary=B", True),
        ("multipart/signed; boundary=B", False),
    ],
)
def test_a_notice_reports_encrypted_text(kind: str, sealed: bool) -> None:
    content = b"Subject: Oars\nContent-Type: %b\n\n--B\n\nThree.\n--B--" % kind.encode()
    assert len(read_bytes(content, name="mail.eml").notices) == sealed


def test_a_digest_contains_its_mails() -> None:
    content = parts(
        "multipart/digest",
        "\nFrom: bo@example.org\nSubject: Tides\n\nAt noon.",
        "\nFrom: cy@example.org\nSubject: Ropes\nContent-Type: text/html\n\n<p>Two coils.",
    )
    assert text_of(content) == (
        "From: Ann <ann@example.org>\n\n## Tides\n\nFrom: bo@example.org\n\nAt noon.\n\n"
        "## Ropes\n\nFrom: cy@example.org\n\nTwo coils."
    )


def test_a_bounce_has_the_recipient_the_reason_and_the_mail() -> None:
    content = parts(
        "multipart/report; report-type=delivery-status",
        "Content-Type: text/plain\n\nIt could not be delivered.",
        "Content-Type: message/delivery-status\n\n"
        "Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; bo@example.org\nStatus: 5.1.1\n",
        "Content-Type: message/rfc822\n\nSubject: Oars\n\nThree of them.",
    )
    text = text_of(content)
    for words in ("could not be delivered", "bo@example.org", "5.1.1", "## Oars", "Three of them."):
        assert text.count(words) == 1


@pytest.mark.parametrize(
    ("kind", "text", "decoded"),
    [
        ("text/plain", b"caf\xe9", "café"),
        ("text/plain; charset=utf-8", b"caf\xe9 \x93a\x94", "café “a”"),
        ("text/plain; charset=utf-8", "café ".encode() + b"\xe9", "café \ufffd"),
        ("text/plain; charset=iso-8859-1", b"\x93a\x94", "“a”"),
        ("text/html; charset=shift_jis", "①".encode("cp932"), "①"),
        ("text/plain; charset=gb2312", "镕".encode("gbk"), "镕"),
        ("text/plain; charset=gb2312", "款".encode(), "款"),
        ("text/plain; charset=gb2312", "水位很高".encode("gbk") + b"\xff", "水位很高\ufffd"),
        ("text/plain; charset=iso-2022-jp", "潮".encode("iso-2022-jp"), "潮"),
        ("text/plain; charset=x-none", "é".encode(), "é"),
        ("text/plain; charset=iso-8859-8-i", "ים".encode("iso-8859-8"), "ים"),
        (
            "text/plain; format=flowed",
            b"It is \r\nlate.\r\n> So \n> it is.\n> \n>> No. \n-- \nBo",
            "It is late.\n> So it is.\n> \n>> No. \n\\-- \nBo",
        ),
        ("text/plain; format=flowed; delsp=yes", "日 \n本\n> 海\n A".encode(), "日本\n> 海\nA"),
        ("multipart/mixed; boundary=B", b"No parts.", "No parts."),
        (
            "message/rfc822\nContent-Transfer-Encoding: base64",
            b64encode("Subject: Oar\n\nIt broke: é.".encode()),
            "## Oar\n\nIt broke: é.",
        ),
        ("message/disposition-notification", b"Disposition: displayed", "Disposition: displayed"),
    ],
)
def test_a_text_is_decoded_like_in_mail_programs(kind: str, text: bytes, decoded: str) -> None:
    content = f"From: Ann\nMIME-Version: 1.0\nContent-Type: {kind}\n\n".encode() + text
    assert text_of(content) == f"From: Ann\n\n{decoded}"


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (
            "To: All:; (the crew)\nFrom: =?utf-8?q?=C3=96re?= B <b@c.d>\nSubject: Oar\n"
            "Content-Type: multipart/mixed; boundary=--=_Next_1",
            "# Oar\n\nFrom: Öre B <b@c.d>  \nTo: All:; (the crew)\n\nGo.",
        ),
        ("\ufeff\nContent-Type: multipart/alternative; boundary=--=_Next_1", "Go."),
        ("Content-Type: multipart/alternative; boundary=no", "----=_Next_1\n\nGo.\n----=_Next_1--"),
        (
            "Content-Type: multipart/report; boundary=--=_Next_1\n\n----=_Next_1\n"
            "Content-Type: message/delivery-status\n\nIt is lost: no such oar.\n",
            "It is lost: no such oar.\n\nGo.",
        ),
    ],
    ids=["group of addresses", "byte order mark", "no such boundary", "text as status"],
)
def test_mails_that_break_rules_are_read(head: str, text: str) -> None:
    content = f"{head}\n\n----=_Next_1\n\nGo.\n----=_Next_1--\n".encode()
    assert text_of(content).replace("\\", "") == text


@pytest.mark.parametrize(
    ("plain", "html", "text"),
    [
        ("High at nine.", "<style>p {}</style><p>High at <b>nine</b>.", "High at nine."),
        ("See the page.", "<p>High at nine.", "High at nine."),
        (" \n", "<p>Page.", "Page."),
        ("", "<p>Page.", "Page."),
    ],
    ids=["the same", "another", "blank", "none"],
)
def test_one_of_several_forms_of_a_text_is_read(plain: str, html: str, text: str) -> None:
    message = mail("Tides", plain)
    if plain:
        message.add_alternative(html, subtype="html")
        message.add_attachment(b"x", maintype="image", subtype="png", filename="a.png")
    else:
        message.set_content(html, subtype="html")
    attached = "\n\nAttachments: a.png" if plain else ""
    assert text_of(message) == f"# Tides\n\nFrom: Ann <ann@example.org>\n\n{text}{attached}"


def test_a_mail_with_a_plain_text_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    message = mail("Tides", "At noon.")
    message.add_alternative("<p>At noon.", subtype="html")
    assert read_mail(message.as_bytes(), 10_000)[0].endswith("\n\nAt noon.")
    with pytest.raises(MissingExtraError, match="documents"):
        read_mail(mail("Tides", "<p>At noon.", "html").as_bytes(), 10_000)


def test_attachments_of_an_alternative_that_is_not_read_are_listed() -> None:
    message = mail("Tides", "At noon.")
    message.add_alternative("<p>At noon.", subtype="html")
    page = message.get_body(("html",))
    assert page is not None
    page.add_related(b"x", maintype="image", subtype="png", filename="tide.png")
    assert text_of(message).endswith("\n\nAt noon.\n\nAttachments: tide.png")


def test_a_mailbox_contains_its_mails_with_escaped_lines_restored() -> None:
    lines = "From the mill.\n\nFrom there to the weir it is far."
    written = lines.replace("\nFrom", "\n>From").encode()
    box = b"".join(
        b"From ann@example.org Fri Nov 27 10:00:00 2026\n%s\n\n" % content
        for content in (mail("Oar").as_bytes() + written, parts("multipart/mixed", "\nSee."))
    )
    sender = "From: Ann <ann@example.org>"
    read = read_bytes(box, name="mill.mbox").text
    assert read == f"# Oar\n\n{sender}\n\n{lines}\n\n{sender}\n\nSee.\n"


def test_a_saved_page_contains_its_texts_without_styles_and_pictures() -> None:
    page = parts(
        "multipart/related",
        "Content-Type: text/html\n\n<h1>Tide</h1><p>High at nine.",
        "Content-Type: text/css\nContent-Location: cid:a@mhtml\n\np { color: red }",
        "Content-Type: text/html\n\n<p>In a frame.",
    )
    read = read_bytes(page, name="tide.mhtml").text
    assert read == "From: Ann <ann@example.org>\n\n# Tide\n\nHigh at nine.\n\nIn a frame.\n"
