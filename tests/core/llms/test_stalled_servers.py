"""A server whose reply never ends, or unpacks to too much, holds no request."""

import asyncio
import json
import threading
import tracemalloc
import zlib

import openai
import pytest

from lumber_core.calls import deadlines
from lumber_core.errors import BadReplyError, ModelUnavailableError
from lumber_core.llms import CallPolicy, Completion, Model, OpenAIModel
from lumber_core.llms.error_kinds import is_timeout, trouble_of
from lumber_core.llms.retry import RetryingModel
from tests.alone import run_python
from tests.core.llms.conftest import ANSWERS, KEY, SYSTEM, USER, model_at, unit_of
from tests.loopback.faults import Compressed, Dribble


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_reply_that_arrives_slowly_ends_at_the_timeout(api, serve, ask, where):
    stalls = [Dribble(where)]
    server = serve("Answer: ID 7", faults=lambda request: stalls[0] if stalls else None)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - some packages have their own
        ask(model_at(server, api, timeout=0.4))
    assert is_timeout(caught.value)
    assert trouble_of(caught.value) == "transient"
    stalls.clear()
    assert unit_of(ask(model_at(server, api)).text) == 7


def test_the_connection_of_a_body_that_arrives_slowly_is_closed(schema_api, serve, ask):
    server = serve(faults={2: Dribble()})
    ask(model_at(server, schema_api))  # imports the package
    others = threading.enumerate()  # threads of other tests may be stalled for good
    with pytest.raises(Exception, match=r"(?i)time|within"):
        ask(model_at(server, schema_api, timeout=0.3))
    for thread in set(threading.enumerate()).difference(others):
        if thread.name == "lumber-call":
            thread.join(60)
            assert not thread.is_alive(), "a thread still reads"


class UsersModel:
    """A user's class, whose client has no time limit."""

    identity = "user"

    def __init__(self, base_url: str, api_key: str = KEY) -> None:
        self._settings = {"api_key": api_key, "base_url": base_url, "max_retries": 0}
        self._client = openai.OpenAI(**self._settings)

    def complete(self, system: str, user: str, *, answers: object = None) -> Completion:
        messages = [{"role": "user", "content": user}]
        reply = self._client.chat.completions.create(model="m", messages=messages)
        return Completion(reply.choices[0].message.content)

    async def acomplete(self, system: str, user: str, *, answers: object = None) -> Completion:
        messages = [{"role": "user", "content": user}]
        async with openai.AsyncOpenAI(**self._settings) as client:
            reply = await client.chat.completions.create(model="m", messages=messages)
        return Completion(reply.choices[0].message.content)


@pytest.mark.parametrize("own_client", [False, True])
def test_the_policy_limits_models_without_their_own_timeout(serve, ask, own_client):
    stalls = [Dribble("head")]
    server = serve("Answer: ID 7", faults=lambda request: stalls[0] if stalls else None)
    model: Model = UsersModel(server.openai_url)
    if own_client:
        client = openai.OpenAI(api_key=KEY, base_url=server.openai_url, timeout=30)
        model = OpenAIModel("m", client=client)
    patient = RetryingModel(model, CallPolicy(call_timeout=0.3, initial_backoff=0.0))
    with pytest.raises(ModelUnavailableError, match=r"2 attempts.*within 0\.3 s"):
        ask(patient)
    stalls.clear()
    assert unit_of(ask(RetryingModel(model)).text) == 7


STALLED = """
import asyncio, sys
from lumber_core.llms import CallPolicy, OpenAIModel
from lumber_core.llms.retry import RetryingModel
import openai
client = openai.OpenAI(api_key="k", base_url=sys.argv[1], timeout=30)
model = RetryingModel(OpenAIModel("m", client=client), CallPolicy(call_timeout=0.3, attempts=1))
for ask in (model.complete, lambda *args: asyncio.run(model.acomplete(*args))):
    try:
        ask("system", "user")
    except Exception as error:
        print(error)
"""


def test_an_abandoned_call_does_not_delay_the_end_of_the_program(serve):
    server = serve(faults=lambda request: Dribble("head"))
    completed = run_python(STALLED, server.openai_url, timeout=120)
    assert completed.stdout.count("within 0.3 s") == 2
    assert completed.stderr == ""


def test_a_cancelled_call_ends_at_once(serve):

    async def cancel() -> None:
        server = serve(faults={1: Dribble("head")})
        model = model_at(server, "openai", timeout=250)
        task = asyncio.create_task(model.acomplete(SYSTEM, USER, answers=ANSWERS))
        while not server.count:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task], timeout=60)
        assert task.cancelled()

    asyncio.run(cancel())


LARGE = b'"' + b" " * 30_000_000 + b'"'


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
def test_a_compressed_reply_above_the_size_limit_is_unreadable(
    encoding, body, message, schema_api, serve, ask, monkeypatch
):
    monkeypatch.setattr(deadlines, "_MAX_REPLY_BYTES", 1_000_000)
    server = serve(faults={n: Compressed(encoding, body) for n in range(2, 9)})
    model = model_at(server, schema_api)
    ask(model)  # imports the package
    tracemalloc.start()
    try:
        with pytest.raises(BadReplyError, match=message):
            ask(model)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_compressed_reply_is_read(schema_api, serve, ask):
    message = {"role": "assistant", "content": "Answer: ID 7"}
    answered = {"choices": [{"message": message}], "usage": {}}
    gemini = {"candidates": [{"content": {"parts": [{"text": "Answer: ID 7"}]}}]}
    body = json.dumps({**answered, **gemini}).encode()
    server = serve(faults={1: Compressed("gzip", gzip(body))})
    assert unit_of(ask(model_at(server, schema_api)).text) == 7
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"
