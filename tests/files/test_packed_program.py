"""A program packed by PyInstaller reads files, and is not started again for any of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.making_files import docx, pdf

pytestmark = pytest.mark.packed
OPTIONS = ("--onefile", "--collect-submodules", "lumber_files", "--log-level", "ERROR")


def test_a_packed_program_reads_documents(tmp_path: Path) -> None:
    program = Path(__file__).with_name("packed_program.py")
    folders = [f"--{name}path={tmp_path / name}" for name in ("dist", "work", "spec")]
    packing = [sys.executable, "-m", "PyInstaller", *OPTIONS, *folders, str(program)]
    subprocess.run(packing, check=True, timeout=280)
    contents = {
        "page.html": b"<h1>Otters</h1><p>They eat fish.</p>",
        "notes.docx": docx([("Normal", "Herons wait.")]),
        "report.pdf": pdf([["Geese fly south."]]),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    ran = subprocess.run(
        [tmp_path / "dist" / "packed_program", *contents],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for words in ("They eat fish.", "Herons wait.", "Geese fly south."):
        assert ran.stdout.count(words) == 1
