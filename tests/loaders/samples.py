"""Files that real programs make of one text: pandoc, LibreOffice and the standard library."""

import json
import mailbox
import subprocess
from email.message import EmailMessage
from pathlib import Path

QUESTION = "What does a loaf of bread cost?"
PRICES = "two", "nine"
PAGE_BREAK = '```{=openxml}\n<w:p><w:r><w:br w:type="page"/></w:r></w:p>\n```\n'
CONVERT = "--headless", "--convert-to"


def quote(price: str) -> str:
    return f"A loaf of bread costs {price} pence"


def guide(price: str) -> str:
    """Return the text as Markdown."""
    return (
        "# Mill guide\n\nThe mill stands at the river.\n\n"
        f"## Bread\n\n{quote(price)} at the mill.\n\n"
        "## Otters\n\nOtters hunt fish at dawn below the weir.\n\n"
        "```sh\n# wind the clock\nwind --twice\n```\n\n"
        "## Opening hours\n\nFrom nine to five, but never on a feast day.\n"
    )


def make_files(folder: Path, price: str) -> None:
    """Write the text, and rows with it, in all formats."""
    folder.mkdir(parents=True)
    (folder / "mill.md").write_text(guide(price))
    (folder / "mill.txt").write_text(guide(price).replace("#", ""))
    for end in ("html", "docx", "pptx", "epub", "ipynb"):
        more = ["--standalone", "--section-divs", "-M", "title=Mill guide"]
        run("pandoc", folder, "mill.md", *more, "-o", f"mill.{end}")
    (folder / "pages").mkdir()
    paged = guide(price).replace("\n## ", f"\n{PAGE_BREAK}\n## ")
    (folder / "pages" / "mill.md").write_text(paged)
    run("pandoc", folder / "pages", "mill.md", "-o", "mill.docx")
    run("soffice", folder / "pages", *CONVERT, "pdf", "--outdir", "..", "mill.docx")
    rows = [("name", "fact"), ("bread", f"{quote(price)}."), ("otters", "Otters hunt fish.")]
    (folder / "rows.csv").write_text("".join(f"{name},{fact}\n" for name, fact in rows))
    run("soffice", folder, *CONVERT, "xlsx", "rows.csv")
    facts = [{"name": name, "fact": fact} for name, fact in rows[1:]]
    (folder / "rows.json").write_text(json.dumps(facts))
    (folder / "mill.srt").write_text(f"1\n00:00:01,000 --> 00:00:03,000\n{quote(price)}.\n")
    (folder / "mill.toml").write_text(f'[mill]\nbread = "{quote(price)}."\n')
    (folder / "mill.xml").write_text(f"<mill><bread>{quote(price)}.</bread></mill>")
    (folder / "mill.py").write_text(f'def bread():\n    """{quote(price)}."""\n')
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Bread", "a@a.org", "b@a.org"
    message["Message-ID"] = "<1@a.org>"
    message.set_content(f"{quote(price)}.\n")
    (folder / "mill.eml").write_bytes(bytes(message))
    mails = mailbox.mbox(folder / "mill.mbox")
    other = EmailMessage()
    other["Subject"], other["From"], other["To"] = "Otters", "a@a.org", "b@a.org"
    other.set_content("Otters hunt fish.\n")
    for mail in (message, other):
        mails.add(mail)
    mails.close()
    for name in ("a", "b"):
        (folder / "vault" / name).mkdir(parents=True)
    (folder / "vault" / "a" / "README.md").write_text(guide(price))
    (folder / "vault" / "b" / "README.md").write_text("# Pond\n\nThe pond is deep.\n")
    addresses = "<url><loc>URL/mill.html</loc></url>"
    (folder / "sitemap.xml").write_text(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{addresses}</urlset>'
    )


def run(program: str, folder: Path, *arguments: str) -> None:
    subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True, timeout=300)
