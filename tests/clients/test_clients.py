"""Real clients of both frameworks, against servers of their wire formats, as users run them.

`make test-clients` compares the table in README.md, beside this file, with what is seen;
`make test-clients WRITE=1` writes it.
"""

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from tests.clients.clients import CLIENTS, Client
from tests.clients.trials import Row, row_of, split, table_of
from tests.loopback.providers import Step

pytestmark = pytest.mark.clients

PAGE = Path(__file__).with_name("README.md")
START, END = "<!-- clients -->\n\n", "\n<!-- /clients -->"
BROKEN = ("Anthropic",)  # raises TypeError with the installed version of the package anthropic
AT_ONCE = 8  # trials at a time; a trial mostly waits


@pytest.fixture(scope="session")
def rows() -> dict[str, Row]:
    for module in ("langchain_lumber.chat_model", "llamaindex_lumber.llm"):
        import_module(module)
    for client in CLIENTS:
        import_module(client.module)  # LlamaIndex's packages cannot be imported by two threads
    logging.disable(logging.WARNING)
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            tried = zip(CLIENTS, pool.map(row_of, CLIENTS), strict=True)
            return {client.name: row for client, row in tried}
    finally:
        logging.disable(logging.NOTSET)


for_each_client = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)


@for_each_client
@pytest.mark.timeout(600)
def test_a_client_with_default_settings_keeps_the_documented_promises(
    client: Client, rows: dict[str, Row]
) -> None:
    row = rows[client.name]
    if client.name in BROKEN:
        assert row.plain == "one error; one error"
        return
    assert row.plain == "same chunks; same chunks"
    assert (row.cut, row.refused, row.settings) == ("unreadable", "refused", "one error")
    assert row.one_429 == "same chunks, 1 more"
    assert row.always_429.startswith("up to ")
    assert row.always_503.startswith("up to ")
    assert (row.usage, row.loops, row.identity) == ("all", "well", "yes")
    assert row.fallbacks in ("same chunks", "")


@for_each_client
def test_a_refusal_takes_one_request_and_does_not_stop_the_run(client: Client) -> None:
    if client.name in BROKEN:
        pytest.skip("does not work")
    refused = split(client, [Step(end="refused")])
    assert refused.segmentation
    assert (
        refused.requests == refused.segmentation.usage.calls == len(refused.segmentation.failures)
    )


@for_each_client
def test_the_first_question_waits_for_a_busy_server(client: Client) -> None:
    if client.name in BROKEN:
        pytest.skip("does not work")
    busy = split(client, [Step(503, retry_after=1), Step(429, retry_after=1), Step()])
    assert busy.segmentation
    assert not busy.segmentation.failures


def test_the_documented_table_equals_the_observations(rows: dict[str, Row]) -> None:
    table = table_of([*rows.values()])
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(START)
    written, after = rest.split(END)
    if os.environ.get("WRITE"):
        PAGE.write_text(before + START + table + END + after, encoding="utf-8")
        return
    assert written == table, "run `make test-clients WRITE=1`, and read what has changed"
