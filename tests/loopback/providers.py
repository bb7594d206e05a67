"""A server on 127.0.0.1 that speaks every provider's wire format, for clients of both frameworks.

It answers by a script, a step for each question, and repeats the last step.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.loopback.server import LoopbackServer, Request
from tests.loopback.wires import ABOUT_MODELS, Message, Wire, wire_of


@dataclass(frozen=True)
class Step:
    """How one question is answered; see `Message`."""

    status: int = 200
    end: Literal["stop", "cut", "refused"] = "stop"
    thought: str = ""
    retry_after: float | None = None  # seconds


class ProviderServer(LoopbackServer):
    """The server, with a script; without a wire format it has that of the path."""

    def __init__(self, steps: Sequence[Step] = (Step(),), wire: Wire | None = None) -> None:
        super().__init__()
        self._steps, self._wire = steps, wire
        self.asked: list[dict[str, Any]] = []

    def _fault(self, request: Request) -> None:
        """Serve every path."""

    def _message(self, request: Request, fault: object) -> tuple[int, dict[str, str], bytes]:
        wire = self._wire or wire_of(request.path.replace("%3A", ":"))
        if wire is None or not request.body:  # a client asks about the model
            return 200, {}, json.dumps(ABOUT_MODELS).encode()
        step = self._steps[min(len(self.asked), len(self._steps) - 1)]
        self.asked.append(request.body)
        if step.status == 200:
            text = "I won't." if step.end == "refused" else answer_to(json.dumps(request.body))
            message = Message(str(request.body.get("model", "m")), text, step.end, step.thought)
            return 200, {}, json.dumps(wire.message(message)).encode()
        headers = {} if step.retry_after is None else {"Retry-After": f"{step.retry_after:g}"}
        return step.status, headers, json.dumps(wire.error(step.status, "by the script")).encode()


def answer_to(body: str) -> str:
    """Name a paragraph in the middle of those that a question shows."""
    numbers = sorted({int(number) for number in re.findall(r"ID (\d+):", body)})
    return f"Answer: ID {numbers[len(numbers) // 2]}" if len(numbers) > 1 else "Answer: none"
