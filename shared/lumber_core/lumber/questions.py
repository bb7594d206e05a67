"""What a language model is asked about a group or a window, and what its replies say.

A question has no I/O: it says what to send, reads each reply, and says whether to ask once more.
"""

from __future__ import annotations

from dataclasses import replace

from lumber_core.llms.base import Completion
from lumber_core.llms.failures import is_blocked, is_cut
from lumber_core.lumber.answer_parser import ParsedAnswer, read_answer, read_list
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.prompt import PromptTemplate, possible_answers, stricter
from lumber_core.lumber.windows import UnitWindow
from lumber_core.segmentation import Usage, Verdict

_ASK_AGAIN = ("unreadable", "outside")


class GroupQuestion:
    """A question about a group or a window, with what was replied so far.

    Args:
        group: The group or the window.
        prompt: How the question is put.
        rereads: Times it is repeated, more strictly, after an unusable answer.

    Attributes:
        system: The instructions to send.
        text: The question to send next.
        answers: The answers that it allows.
        ended: Whether there is nothing more to ask.
        fault: Why there is no usable answer yet; None if there is one, or the model declined.
    """

    def __init__(self, group: Group, prompt: PromptTemplate, rereads: int) -> None:
        self.system, self._first = prompt.render(group)
        self.text = self._first
        self._several = isinstance(group, UnitWindow)
        self.answers = possible_answers(group.choices, several=self._several)
        self.ended = False
        self.fault: str | None = None
        self._group = group
        self._rereads = rereads
        self._parsed = ParsedAnswer()
        self._reply: str | None = None
        self._usage = Usage()

    def read(self, completion: Completion) -> None:
        """Read the model's reply.

        Raises:
            TypeError: A user's own model returned something else.
        """
        if not isinstance(completion, Completion) or not isinstance(completion.text, str):
            given = type(getattr(completion, "text", completion)).__name__
            raise TypeError(f"a model must return a Completion with a text, not {given}")
        self._usage += Usage(1, completion.prompt_tokens, completion.completion_tokens)
        self._reply = completion.text
        parsed = self._parsed = self._parse(completion)
        if parsed.outcome in _ASK_AGAIN:
            self.fault = f"{parsed.outcome}: {parsed.reason}"
            self.text = self._first + stricter(
                parsed.reason, self._group.choices, several=self._several
            )
            self.ended = self._rereads == 0
            self._rereads -= 1
        else:
            self.fault, self.ended = None, True

    def verdict(self, unavailable: str | None = None) -> Verdict:
        """Return what the last reply says.

        Args:
            unavailable: Why there was no reply to the last question; None if there was one.
        """
        group, parsed = self._group, self._parsed
        if unavailable is not None:
            parsed = ParsedAnswer((), "unavailable", unavailable)
        return Verdict(
            group.start,
            group.stop,
            min(parsed.starts, default=None),
            parsed.outcome,
            parsed.reason,
            self._reply,
            self._usage,
            parsed.starts if self._several else (),
        )

    def _parse(self, completion: Completion) -> ParsedAnswer:
        """Return what a reply says."""
        if is_blocked(completion.finish_reason):
            reason = f"the provider blocked the answer: {completion.finish_reason}"
            return ParsedAnswer(outcome="refused", reason=reason)
        read = read_list if self._several else read_answer
        parsed = read(completion.text, self._group.choices)
        # The end of a list that was cut off is missing, and its last number may be half of one.
        faulty = parsed.outcome in _ASK_AGAIN or (self._several and parsed.outcome == "shift")
        if faulty and is_cut(completion.finish_reason):
            reason = f"{parsed.reason}; it was cut off by the model's max_tokens"
            return replace(parsed, starts=(), outcome="unreadable", reason=reason)
        return parsed
