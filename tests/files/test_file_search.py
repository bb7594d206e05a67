import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_files import find_files
from lumber_files.file_search import entries_in
from lumber_files.ignore_rules import IgnoreRules


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("One. Two.", encoding="utf-8")
    return path


def test_folders_files_and_patterns_are_found_once_and_in_order(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/z.txt", "b/a.md", "b/c/deep.HTML", "b/data.bin", "b/.hidden/x.txt", "a.log"):
        write(tmp_path / name)
    search_result = find_files(["b/z.txt", "b", "*.log", "b/*.md"])
    assert [name for name, _ in search_result.files] == [
        "b/z.txt",
        "b/a.md",
        "b/c/deep.HTML",
        "a.log",
    ]
    assert [name for name, _ in search_result.skipped] == ["b/data.bin"]
    with_data = find_files(["b", "b/data.bin"])
    assert "b/data.bin" in [name for name, _ in with_data.files]
    assert with_data.skipped == []
    also = find_files(["b"], also=["*.zip", "dat?.*"])
    assert ("b/data.bin" in [name for name, _ in also.files], also.skipped) == (True, [])


def test_code_and_data_are_read_from_folders_and_nothing_is_guessed(tmp_path: Path) -> None:
    read = (
        *("a.csv", "a.tsv", "a.json", "a.jsonl", "a.ndjson", "a.srt", "a.vtt", "a.yaml", "a.yml"),
        *("a.toml", "a.ini", "a.cfg", "a.org", "a.tex", "a.rst", "a.adoc", "a.py", "a.js", "a.go"),
        *("a.rs", "a.SQL", "a.R", "a.mdx", "a.qmd", "a.Rmd", "a.asciidoc"),
    )
    for name in (*read, "a.log", "a.png", "a.lock", "Makefile", "a.xml"):
        write(tmp_path / name)
    assert {path.name for _, path in find_files([tmp_path]).files} == {*read}


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "notes[1].txt")
    assert [file for _, file in find_files([path]).files] == [path]


@pytest.mark.parametrize(
    ("given_path", "reason"),
    [
        ("nowhere", "nowhere does not exist"),
        ("*.txt", "no file matches"),
        ("empty", "contains no file in a supported format [(]text, "),
        ("others", "only 1 file of other types$"),
    ],
)
def test_an_error_reports_a_path_or_pattern_without_files(
    given_path: str, reason: str, tmp_path, monkeypatch
):
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
    search_result = find_files([tmp_path / "docs"])
    assert [path.name for _, path in search_result.files] == ["a.md", "b.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_a_pattern_does_not_follow_links_or_leave_its_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("docs/a.md", "docs/deep/b.md", "docs/.hidden/c.md", "elsewhere/secret.md"):
        write(tmp_path / name)
    for name in "xy":
        Path("docs", name).symlink_to(".")  # each link doubles the paths at every level
    for pattern in ("docs/**/*.md", "docs/**"):
        search_result = find_files([pattern]).files
        assert [name for name, _ in search_result] == ["docs/a.md", "docs/deep/b.md"]
    Path("docs/link.md").symlink_to(tmp_path / "elsewhere/secret.md")
    with pytest.raises(ValueError, match="link"):
        find_files(["docs/*.md"])


def test_paths_in_gitignore_are_left_out_at_any_depth(tmp_path: Path) -> None:
    for name in (
        *("a.md", "drafts/b.md", "built/c.md", "deep/built/d.md", "deep/keep/e.txt", "deep/f.txt"),
        *("deep/deeper/g.log.md", "deep/deeper/h.md", "only/i.md", "deep/only/j.md", "k#.md"),
    ):
        write(tmp_path / name)
    rules = "\ufeff# made files\r\nbuilt/\r\n*.txt\r\n/only\n!\n\\k#.md \n"
    (tmp_path / ".gitignore").write_text(rules, encoding="utf-8")
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
    for named_path, names in (
        ("docs", ["a.md"]),
        ("docs/old", ["b.md"]),  # a named folder is read
        *(("built", ["c.md", "d.md"]), ("built/deep", ["d.md"]), ("docs/old/b.md", ["b.md"])),
    ):
        search_result = find_files([repository / named_path]).files
        assert [path.name for _, path in search_result] == names, named_path


def test_folders_of_tools_are_left_out_unless_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "x/node_modules/b.md", "mine/lib/c.txt", "saved/d.md", "__pycache__/e.md"):
        write(tmp_path / name)
    write(tmp_path / "mine/pyvenv.cfg")
    write(tmp_path / "saved/CACHEDIR.TAG")
    for named_path in (".", "**/*.[mt]*", "*/../**/*.md"):
        assert {path.name for _, path in find_files([named_path]).files} == {"a.md"}, named_path
    for pattern in ("x/node_modules", "x/node_modules/*.md", "*/node_modules/*.md"):
        assert [path.name for _, path in find_files([pattern]).files] == ["b.md"], pattern
    with pytest.raises(FileNotFoundError, match=r"node_modules.*no_ignore=True"):
        find_files(["x"])


NAMES = st.sampled_from(["a", "b", "ab", "doc.md", "x.txt", "é", "*.md"])
PATTERN_PARTS = st.sampled_from(
    [
        *("*", "**", "***", "a", "b", "a*", "a**", "?b", "[ab]", "[!]a]", "[[:alpha:]]", "[[a]"),
        *("[a", "*.md", "doc.md", "\\*.md", "doc\\.md", "!x", "#x", "é", "b\t"),
    ]
)
PATTERNS = st.builds(
    lambda negated, rooted, parts, folder: negated + rooted + "/".join(parts) + folder,
    *(st.sampled_from(["", "!"]), st.sampled_from(["", "", "/"])),
    *(st.lists(PATTERN_PARTS, min_size=1, max_size=3), st.sampled_from(["", "", "/", " ", "\\ "])),
)
RULES = st.lists(PATTERNS, min_size=1, max_size=4)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@example([["a", "doc.md"], ["doc.md"]], [["*", "!*/", "!*.md"]], ["x.txt"])
@example([["a", "b", "x.txt"]], [["b/", "!a/"]], ["doc.md"])
@example([["a", "b"], ["a", "a"]], [["a/**", "!a/b"], ["/a", "!a"]], ["ab"])
@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=4), min_size=1, max_size=5),
    st.lists(RULES, min_size=1, max_size=3),
    RULES,
)
def test_the_same_files_are_left_out_as_by_git(paths, rules, excluded) -> None:
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        git = ["git", "-C", temporary, "-c", "core.excludesFile="]
        subprocess.run([*git, "init", "-q"], check=True)
        exclude = folder / ".git" / "info" / "exclude"
        exclude.parent.mkdir(exist_ok=True)
        exclude.write_text("\n".join(excluded), encoding="utf-8")
        for parts in paths:
            with suppress(OSError):  # a name cannot be a file and a folder
                folder.joinpath(*parts[:-1]).mkdir(parents=True, exist_ok=True)
                folder.joinpath(*parts).write_text("", encoding="utf-8")
        below = (path for path in sorted(folder.rglob("*")) if ".git" not in path.parts)
        folders = [path for path in below if path.is_dir()]
        for place, lines in zip([folder, *folders], rules, strict=False):
            (place / ".gitignore").write_text("\n".join(lines), encoding="utf-8")
        command = [*git, "ls-files", "--others", "--exclude-standard", "-z"]
        git_files = subprocess.check_output(command, text=True)
        of_git = {name for name in git_files.split("\0") if name and ".gitignore" not in name}
        entries = entries_in(folder, rules=IgnoreRules(folder))
        assert {Path(entry.path).relative_to(folder).as_posix() for entry in entries} == of_git


def test_files_that_mark_open_documents_are_hidden(tmp_path: Path) -> None:
    for name in ("rules.md", "~$rules.md", "deep/~$x.md"):
        write(tmp_path / name)
    assert [path.name for _, path in find_files([tmp_path]).files] == ["rules.md"]
    assert [path.name for _, path in find_files([tmp_path / "**" / "*.md"]).files] == ["rules.md"]
    assert [path.name for _, path in find_files([tmp_path / "~$rules.md"]).files] == ["~$rules.md"]


@pytest.mark.skipif(not hasattr(os, "fchdir"), reason="needs paths that are relative to a folder")
def test_deep_folders_are_searched_and_a_notice_names_those_that_are_too_deep(
    tmp_path, caplog
) -> None:
    def nest(name: str, depth: int) -> None:
        """Nest folders until the path is longer than the system allows."""
        place = os.open(tmp_path, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=place)
            inner = os.open(name, os.O_RDONLY, dir_fd=place)
            os.close(os.open("notes.md", os.O_CREAT, dir_fd=inner))
            os.close(place)
            place = inner
        os.close(place)

    def remove(name: str) -> None:
        """Remove nested folders from the outermost on: pytest would fail, as it recurses."""
        outer, inner = tmp_path / name, tmp_path / "inner"
        while (outer / name).exists():
            (outer / name).rename(inner)
            shutil.rmtree(outer)
            inner.rename(outer)
        shutil.rmtree(outer)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        nest("a", 350)
        assert len(find_files([tmp_path]).files) == 350
        assert caplog.text == ""
        nest("b" * 200, 30)
        search_result = find_files([tmp_path]).files
        assert 350 < len(search_result) < 380
        assert "bbb is left out: File name too long" in caplog.text
    finally:
        sys.setrecursionlimit(limit)
        for name in ("a", "b" * 200):
            remove(name)
