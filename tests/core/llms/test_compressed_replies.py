"""A reply that is compressed takes no more memory than a limit, however much it unpacks to."""

import json
import tracemalloc
import zlib

import pytest

from lumber_core.calls import deadlines
from lumber_core.errors import BadReplyError
from tests.core.llms.conftest import model_at, unit_of
from tests.loopback.faults import Compressed

LARGE = b'"' + b" " * 80_000_000 + b'"'


def gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body", "message"),
    [
        ("gzip", gzip(LARGE), "more than 1,000,000 bytes"),
        ("Deflate", zlib.compress(LARGE), "more than 1,000,000 bytes"),
        ("identity", LARGE[:2_000_000], "more than 1,000,000 bytes"),
        ("gzip, gzip", gzip(gzip(LARGE)), "'gzip, gzip', which is not accepted"),
        ("br", b"anything", "'br', which is not accepted"),
    ],
)
def test_a_reply_that_unpacks_to_too_much_is_unreadable(
    encoding, body, message, schema_api, serve, ask, monkeypatch
):
    monkeypatch.setattr(deadlines, "_MAX_REPLY_BYTES", 1_000_000)
    server = serve(faults={n: Compressed(encoding, body) for n in range(2, 9)})
    model = model_at(server, schema_api)
    ask(model)  # imports
    tracemalloc.start()
    try:
        with pytest.raises(BadReplyError, match=message):
            ask(model)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_compressed_reply_is_read(schema_api, serve, ask):
    said = {"role": "assistant", "content": "Answer: ID 7"}
    openai = {"choices": [{"message": said}], "usage": {}}
    gemini = {"candidates": [{"content": {"parts": [{"text": "Answer: ID 7"}]}}]}
    server = serve(faults={1: Compressed("gzip", gzip(json.dumps({**openai, **gemini}).encode()))})
    assert unit_of(ask(model_at(server, schema_api)).text) == 7
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"
