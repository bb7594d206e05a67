"""The loopback server itself, spoken to in plain HTTP."""

import asyncio
import json

from tests.loopback.faults import rate_limited
from tests.loopback.server import LoopbackServer

QUESTION = {"model": "m", "messages": [{"role": "user", "content": "Which?"}]}


async def post(reader, writer, path="/v1/chat/completions") -> tuple[int, dict]:
    body = json.dumps(QUESTION).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    reply = (await reader.readuntil(b"\r\n\r\n")).decode()
    fields = dict(line.split(": ", 1) for line in reply.strip().split("\r\n")[1:])
    said = json.loads(await reader.readexactly(int(fields["Content-Length"])))
    return int(reply.split()[1]), said | {"headers": fields}


async def connect(server: LoopbackServer):
    host, port = server.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


async def test_hundreds_of_connections_are_served_at_once_and_kept_alive():
    with LoopbackServer("Answer: ID 7", delay=0.3, keep=10) as server:
        connections = await asyncio.gather(*(connect(server) for _ in range(400)))
        for _ in range(2):
            replies = await asyncio.gather(*(post(*connection) for connection in connections))
            assert {status for status, _ in replies} == {200}
        assert (server.count, server.most_at_once, len(server.requests)) == (800, 400, 10)
        for _, writer in connections:
            writer.close()


async def test_faults_are_played_by_the_number_of_the_request():
    with LoopbackServer(faults={2: rate_limited(3)}) as server:
        reader, writer = await connect(server)
        replies = [await post(reader, writer) for _ in range(3)]
        assert [status for status, _ in replies] == [200, 429, 200]
        assert replies[1][1]["headers"]["Retry-After"] == "3"
        assert (await post(reader, writer, "/v1/images"))[0] == 404
        writer.close()
