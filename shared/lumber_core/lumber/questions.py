"""What a language model is asked about a group or a window, and what follows from its replies.

A question has no I/O: it says what to send, reads each reply, and says whether to ask once more.
"""

from __future__ import annotations

from dataclasses import replace

from lumber_core.llms.base import Completion
from lumber_core.llms.failures import is_blocked, is_cut
from lumber_core.lumber.answer_parser import ParsedAnswer, read_answer, read_list
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.prompt import possible_answers, possible_lists, rest_of_list, stricter
from lumber_core.lumber.unit_windows import UnitWindow, scores_of
from lumber_core.segmentation import Usage, Verdict

_ASK_AGAIN = ("unreadable", "outside")
# Times that the rest of a list is asked for. A list is cut off if the user's or the server's token
# limit is low; this allows about as many tokens in total as would have been enough.
_MOST_RESTS = 8


class GroupQuestion:
    """A question about a group or a window, with the replies so far.

    If the list about a window is cut off, its rest is asked for.

    Args:
        group: The group or the window.
        text: The question as the prompt has it.
        rereads: Times it is repeated, more strictly, after an unusable answer.

    Attributes:
        text: What to send next.
        answers: The answers that it allows.
        ended: Whether there is nothing more to ask.
        fault: Why there is no usable answer yet; None if there is one, or the model declined.
    """

    def __init__(self, group: Group, text: str, rereads: int) -> None:
        self.text = self._first = text
        self.ended = False
        self.fault: str | None = None
        self._group = group
        self._rereads = rereads
        self._window = group if isinstance(group, UnitWindow) else None
        self._choices = group.choices
        allowed = possible_answers if self._window is None else possible_lists
        self.answers = allowed(self._choices)
        self._replies: list[str] = []
        self._parsed = ParsedAnswer()
        self._starts: dict[int, bool] = {}
        self._rests = 0

    def read(self, completion: object) -> None:
        """Read the model's reply; one of a user's own model may return anything."""
        if not self._rests:
            self._replies.clear()  # a reply replaces the one before
        parsed = self._parsed = self._parse(completion)
        if parsed.cut and parsed.outcome == "shift" and self._rests < _MOST_RESTS:
            self._ask_for_rest(parsed)
            return
        if parsed.cut or (parsed.outcome in _ASK_AGAIN and _is_cut(completion)):
            reason = f"{parsed.reason}; it was cut off by the model's max_tokens"
            parsed = self._parsed = replace(parsed, outcome="unreadable", reason=reason)
        if parsed.outcome in _ASK_AGAIN:
            self.fault = f"{parsed.outcome}: {parsed.reason}"
            several = self._window is not None
            self.text = self._first + stricter(parsed.reason, self._choices, several=several)
            self.ended = self._rereads == 0
            self._rereads -= 1
        else:
            self.fault, self.ended = None, True
            self._starts |= parsed.starts

    def verdict(self, unavailable: str | None, usage: Usage) -> Verdict:
        """Return what the replies say: all units named, or none if a list has no end.

        Args:
            unavailable: Why there was no reply to the last question; None if there was one.
            usage: What all replies cost.
        """
        outcome, reason = self._parsed.outcome, self._parsed.reason
        starts: dict[int, bool] = {}
        scores: list[float] = []
        if unavailable is not None:
            outcome, reason = "unavailable", unavailable
        elif outcome in ("shift", "no_shift"):
            starts = self._starts
            if self._rests and starts:
                outcome = "shift"
                reason = f"a list in {self._rests + 1} parts names {len(starts)} paragraphs"
            if self._window is not None:
                strong = [unit for unit, marked in starts.items() if marked]
                scores = scores_of(self._window, starts, strong)
        start, stop, unit = self._group.start, self._group.stop, min(starts, default=None)
        answer = "\n".join(self._replies) if self._replies else None
        return Verdict(start, stop, unit, outcome, reason, answer, usage, tuple(scores))

    def _parse(self, completion: object) -> ParsedAnswer:
        """Return what a reply says; keep its text if it has one."""
        text = getattr(completion, "text", None)
        if isinstance(text, str):
            self._replies.append(text)
        if not isinstance(completion, Completion) or not isinstance(text, str):
            given = type(getattr(completion, "text", completion)).__name__
            return ParsedAnswer(reason=f"the model returned {given}, not a Completion with a text")
        if is_blocked(completion.finish_reason):
            reason = f"the provider blocked the answer: {completion.finish_reason}"
            return ParsedAnswer(outcome="refused", reason=reason)
        if self._window is None:
            return read_answer(text, self._choices)
        return read_list(text, self._choices, cut=_is_cut(completion))

    def _ask_for_rest(self, parsed: ParsedAnswer) -> None:
        """Keep what was read of a list that was cut off, and ask for what follows."""
        self._starts |= parsed.starts
        last = max(parsed.starts)
        self._rests += 1
        self._choices = range(last + 1, self._choices.stop)
        if not self._choices:  # the list goes up to the last paragraph
            self.fault, self.ended = None, True
            return
        reason = f"the list was cut off after {last}"
        self._parsed, self.fault = ParsedAnswer(reason=reason), reason
        self.answers = possible_lists(self._choices)
        self.text = self._first + rest_of_list(last)


def _is_cut(completion: object) -> bool:
    return isinstance(completion, Completion) and is_cut(completion.finish_reason)
