import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.storage.database import TableFormat
from lumber_core.storage.urls import display_path, is_url, open_database

PASSWORD = "sesame"
SCHEMES = st.sampled_from(["postgres", "PostgreSQL", "postgresql+psycopg", "sqlite+aiosqlite"])
PARTS = st.text("ab@/:?#%&= ", max_size=6)
URLS = st.builds(
    lambda before, scheme, user, more, host, query: (
        f"{before}{scheme}://{user}:{PASSWORD}{more}@{host}{query}"
    ),
    *(st.sampled_from(["", " ", "\n"]), SCHEMES, st.sampled_from(["ann", ""]), PARTS),
    st.sampled_from(["h", "h:1/rag", "[::1]/rag"]),
    st.sampled_from(["", "?a=b", "/d?password=x"]),
)


def open_message(path: str) -> str:
    """Return the message about a store that cannot be opened."""
    try:
        database = open_database(path, TableFormat(1, 1, "about", ""), create=True)
    except ValueError as error:
        return str(error)
    return f"{database.name} {database!r}"


@given(URLS)
def test_a_password_is_never_shown(url: str) -> None:
    assert is_url(url)
    assert PASSWORD not in str(display_path(url))
    assert PASSWORD not in open_message(url)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("mysql://ann:sesame@h/d", "mysql://... is not supported"),
        ("sqlite:///notes.db", "sqlite://... is not supported"),
        ("host=h user=ann password=sesame", "dbname=...' is not supported"),
        (" PASSWORD = sesame", "dbname=...' is not supported"),
    ],
)
def test_a_url_of_another_kind_is_refused(path, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    message = open_message(path)
    assert reason in message
    assert PASSWORD not in message + str(display_path(path))
    assert os.listdir() == []


@pytest.mark.parametrize("path", ["notes.db", "/a/b=c.db", "C:\\notes.db", "a:b", "user.db"])
def test_paths_of_files_are_not_read_as_urls(path: str) -> None:
    assert not is_url(path)
    assert display_path(path) == path


@pytest.mark.parametrize("scheme", ["postgresql+psycopg2", "POSTGRES", "  postgresql"])
def test_other_spellings_name_the_same_database(scheme: str) -> None:
    names = [
        open_message(f"{spelled}://ann@h:5/rag?collection=notes").partition(" <")[0]
        for spelled in (scheme, "postgresql")
    ]
    assert names == ["notes in the database rag at h:5"] * 2
