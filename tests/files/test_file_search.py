"""Finding files: which belong to paths, folders and patterns."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lumber_files import find_files


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("One. Two.", encoding="utf-8")
    return path


def test_folders_files_and_patterns_are_found_once_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/z.txt", "b/a.md", "b/c/deep.HTML", "b/data.bin", "b/.hidden/x.txt", "a.log"):
        write(tmp_path / name)
    found = find_files(["b/z.txt", "b", "*.log", "b/*.md"])
    assert [name for name, _ in found.files] == ["b/z.txt", "b/a.md", "b/c/deep.HTML", "a.log"]
    assert [name for name, _ in found.skipped] == ["b/data.bin"]
    named = find_files(["b", "b/data.bin"])
    assert "b/data.bin" in [name for name, _ in named.files]
    assert named.skipped == []
    also = find_files(["b"], also=["*.zip", "dat?.*"])
    assert ("b/data.bin" in [name for name, _ in also.files], also.skipped) == (True, [])


def test_code_and_data_are_read_from_folders_and_nothing_is_guessed(tmp_path: Path) -> None:
    read = (
        *("a.csv", "a.tsv", "a.json", "a.jsonl", "a.ndjson", "a.srt", "a.vtt", "a.yaml", "a.yml"),
        *("a.toml", "a.ini", "a.cfg", "a.org", "a.tex", "a.rst", "a.adoc", "a.py", "a.js", "a.go"),
        *("a.rs", "a.SQL", "a.R"),
    )
    for name in (*read, "a.log", "a.png", "a.lock", "Makefile", "a.xml"):
        write(tmp_path / name)
    assert {path.name for _, path in find_files([tmp_path]).files} == {*read}


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "notes[1].txt")
    assert [found for _, found in find_files([path]).files] == [path]


@pytest.mark.parametrize(
    ("given_path", "reason"),
    [
        ("nowhere", "nowhere does not exist"),
        ("*.txt", "no file matches"),
        ("empty", "contains no file in a format that is read: text, "),
        ("others", "only 1 other$"),
    ],
)
def test_what_finds_nothing_is_an_error(
    given_path: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write(tmp_path / "others" / "x.bin")
    with pytest.raises(FileNotFoundError, match=reason.replace(".", r"\.").replace("*", r"\*")):
        find_files([given_path])


def test_a_link_in_a_folder_must_not_lead_out_of_it(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere.txt")
    (tmp_path / "docs").mkdir()
    link = tmp_path / "docs" / "a.txt"
    link.symlink_to(secret)
    with pytest.raises(ValueError, match="outside"):
        find_files([tmp_path / "docs"])
    assert len(find_files([link]).files) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_links_that_lead_nowhere_are_left_out(tmp_path: Path) -> None:
    for name in ("docs/a.md", "docs/deep/b.md"):
        write(tmp_path / name)
    for name, target in {"self.txt": "self.txt", "x.txt": "a.md/x.txt", "y.txt": "none"}.items():
        (tmp_path / "docs" / name).symlink_to(target)
        (tmp_path / "docs" / "deep" / name).symlink_to(target)
    found = find_files([tmp_path / "docs"])
    assert [path.name for _, path in found.files] == ["a.md", "b.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_a_pattern_enters_no_links_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("docs/a.md", "docs/deep/b.md", "docs/.hidden/c.md", "elsewhere/secret.md"):
        write(tmp_path / name)
    for name in "xy":
        Path("docs", name).symlink_to(".")  # each doubles the paths at every level
    for pattern in ("docs/**/*.md", "docs/**"):
        found = find_files([pattern]).files
        assert [name for name, _ in found] == ["docs/a.md", "docs/deep/b.md"]
    Path("docs/link.md").symlink_to(tmp_path / "elsewhere/secret.md")
    with pytest.raises(ValueError, match="link"):
        find_files(["docs/*.md"])


def test_what_gitignore_names_is_left_out_at_any_depth(tmp_path: Path) -> None:
    for name in (
        *("a.md", "drafts/b.md", "built/c.md", "deep/built/d.md", "deep/keep/e.txt", "deep/f.txt"),
        *("deep/deeper/g.log.md", "deep/deeper/h.md", "only/i.md", "deep/only/j.md", "k#.md"),
    ):
        write(tmp_path / name)
    (tmp_path / ".gitignore").write_text(
        "\ufeff# made files\r\nbuilt/\r\n*.txt\r\n/only\n!\n\\k#.md \n", encoding="utf-8"
    )
    (tmp_path / "deep" / ".gitignore").write_text("!f.txt\ndeeper/*.log.md\n", encoding="utf-8")
    names = [path.relative_to(tmp_path).as_posix() for _, path in find_files([tmp_path]).files]
    assert names == ["a.md", "deep/f.txt", "deep/deeper/h.md", "deep/only/j.md", "drafts/b.md"]
    everything = find_files([tmp_path], no_ignore=True).files
    assert len(everything) == 11


def test_rules_above_a_folder_hold_within_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.md", encoding="utf-8")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / ".gitignore").write_text("docs/old/\nbuilt\n", encoding="utf-8")
    for name in ("docs/a.md", "docs/old/b.md", "built/c.md", "built/deep/d.md"):
        write(repository / name)
    for given, names in (
        ("docs", ["a.md"]),
        ("docs/old", ["b.md"]),  # a folder that is named is read
        ("built", ["c.md", "d.md"]),
        ("built/deep", ["d.md"]),
        ("docs/old/b.md", ["b.md"]),
    ):
        found = find_files([repository / given]).files
        assert [path.name for _, path in found] == names, given


def test_folders_of_tools_are_left_out_unless_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "x/node_modules/b.md", "mine/lib/c.txt", "saved/d.md", "__pycache__/e.md"):
        write(tmp_path / name)
    write(tmp_path / "mine/pyvenv.cfg")
    write(tmp_path / "saved/CACHEDIR.TAG")
    for given in (".", "**/*.[mt]*", "*/../**/*.md"):
        assert {path.name for _, path in find_files([given]).files} == {"a.md"}, given
    for named in ("x/node_modules", "x/node_modules/*.md", "*/node_modules/*.md"):
        assert [path.name for _, path in find_files([named]).files] == ["b.md"], named
    with pytest.raises(FileNotFoundError, match=r"node_modules.*--no-ignore"):
        find_files(["x"])
