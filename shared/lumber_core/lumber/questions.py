"""What a language model is asked about a group or a window, and what follows from its replies.

A question has no I/O: it says what to send, reads each reply, and says whether to ask once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lumber_core.llms.base import Answers, Completion
from lumber_core.llms.failures import is_blocked, is_cut
from lumber_core.lumber.answer_parser import read_answer
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.list_parser import ParsedList, read_list
from lumber_core.lumber.prompt import (
    possible_answers,
    possible_lists,
    rest_of_list,
    stricter,
    stricter_list,
)
from lumber_core.lumber.windows import UnitWindow, scores_of
from lumber_core.segmentation import Outcome, Usage, Verdict

_ASK_AGAIN = ("unreadable", "outside")
# Times that the rest of a list is asked for. A list is cut off if the user's or the server's token
# limit is low; this allows about as many tokens in total as would have been enough.
_MOST_RESTS = 8


class ModelQuestion(Protocol):
    """A question about a group, with the replies so far.

    Attributes:
        text: What to send next.
        answers: The answers that it allows.
        ended: Whether there is nothing more to ask.
        fault: Why there is no usable answer yet; None if there is one, or the model declined.
    """

    text: str
    answers: Answers
    ended: bool
    fault: str | None

    def read(self, completion: object) -> None:
        """Read the model's reply; one of a user's own model may return anything."""
        ...

    def verdict(self, unavailable: str | None, usage: Usage) -> Verdict:
        """Return what the replies say.

        Args:
            unavailable: Why there was no reply to the last question; None if there was one.
            usage: What all replies cost.
        """
        ...


def ask_about(group: Group, text: str, rereads: int) -> ModelQuestion:
    """Return the question about a group or a window.

    Args:
        group: The group.
        text: The question as the prompt has it.
        rereads: Times it is repeated, more strictly, after an unusable answer.
    """
    make = _WindowQuestion if isinstance(group, UnitWindow) else _GroupQuestion
    return make(group, text, rereads)


class _Asked:
    """What both kinds of questions share.

    Args:
        group: The group.
        text: The question.
        rereads: Times it is repeated.
    """

    answers: Answers

    def __init__(self, group: Group, text: str, rereads: int) -> None:
        self.text = self._first = text
        self.ended = False
        self.fault: str | None = None
        self._group = group
        self._rereads = rereads
        self._replies: list[str] = []
        self._outcome: Outcome = "unreadable"
        self._reason = ""

    def _problem_with(self, completion: object) -> bool:
        """Return whether a reply is none to read; keep its text if it has one."""
        text = getattr(completion, "text", None)
        if isinstance(text, str):
            self._replies.append(text)
        if not isinstance(completion, Completion) or not isinstance(text, str):
            given = type(getattr(completion, "text", completion)).__name__
            reason = f"the model returned {given}, not a Completion with a text"
            self._outcome, self._reason = "unreadable", reason
            return True
        if is_blocked(completion.finish_reason):
            reason = f"the provider blocked the answer: {completion.finish_reason}"
            self._outcome, self._reason = "refused", reason
            return True
        return False

    def _follow_up(self, strict: str) -> None:
        """Repeat the question if its answer is of no use, or end."""
        bad = self._outcome in _ASK_AGAIN
        self.fault = f"{self._outcome}: {self._reason}" if bad else None
        self.ended = not bad or self._rereads == 0
        self._rereads -= 1
        self.text = self._first + strict

    def _made(
        self, unit: int | None, unavailable: str | None, usage: Usage, scores: Sequence[float] = ()
    ) -> Verdict:
        group, outcome, reason = self._group, self._outcome, self._reason
        if unavailable is not None:
            unit, outcome, reason, scores = None, "unavailable", unavailable, ()
        answer = "\n".join(self._replies) if self._replies else None
        return Verdict(group.start, group.stop, unit, outcome, reason, answer, usage, tuple(scores))


class _GroupQuestion(_Asked):
    """Asks for the first unit that starts new content."""

    def __init__(self, group: Group, text: str, rereads: int) -> None:
        super().__init__(group, text, rereads)
        self.answers = possible_answers(group.choices)
        self._unit: int | None = None

    def read(self, completion: object) -> None:
        """Read which unit the reply names."""
        self._replies.clear()  # a reply replaces the one before
        self._unit = None
        if not self._problem_with(completion):
            assert isinstance(completion, Completion)
            parsed = read_answer(completion.text, self._group.choices)
            self._unit, self._outcome, self._reason = parsed.unit, parsed.outcome, parsed.reason
            if parsed.outcome == "unreadable" and is_cut(completion.finish_reason):
                self._reason = f"{parsed.reason}; it was cut off by the model's max_tokens"
        self._follow_up(stricter(self._reason, self._group.choices))

    def verdict(self, unavailable: str | None, usage: Usage) -> Verdict:
        """Return the verdict with the unit named last."""
        return self._made(self._unit, unavailable, usage)


class _WindowQuestion(_Asked):
    """Asks for all starts. If a list is cut off, its rest is asked for."""

    def __init__(self, group: Group, text: str, rereads: int) -> None:
        super().__init__(group, text, rereads)
        assert isinstance(group, UnitWindow)
        self._window = group
        self._choices = group.choices
        self.answers = possible_lists(self._choices)
        self._starts: dict[int, bool] = {}
        self._rests = 0

    def read(self, completion: object) -> None:
        """Read which units the reply names."""
        if not self._rests:
            self._replies.clear()
        if not self._problem_with(completion):
            assert isinstance(completion, Completion)
            if self._takes(completion):
                return
        self._follow_up(stricter_list(self._reason, self._choices))

    def _takes(self, completion: Completion) -> bool:
        """Read a reply; return whether it is part of a list, whose rest is asked for now."""
        parsed = read_list(completion.text, self._choices, cut=is_cut(completion.finish_reason))
        if parsed.cut and parsed.outcome == "shift" and self._asks_for_rest(parsed):
            return True
        self._outcome, self._reason = parsed.outcome, parsed.reason
        if parsed.cut:
            self._outcome = "unreadable"
            self._reason = f"{parsed.reason}; it was cut off by the model's max_tokens"
        if self._outcome in ("shift", "no_shift"):
            self._starts |= parsed.starts
            if self._rests and self._starts:
                self._outcome = "shift"
                self._reason = f"a list in {self._rests + 1} parts names {len(self._starts)}"
        return False

    def verdict(self, unavailable: str | None, usage: Usage) -> Verdict:
        """Return the verdict with all units named, or none of them if the list has no end."""
        if unavailable is not None or self._outcome not in ("shift", "no_shift"):
            return self._made(None, unavailable, usage)
        strong = [unit for unit, marked in self._starts.items() if marked]
        scores = scores_of(self._window, self._starts, strong)
        return self._made(min(self._starts, default=None), unavailable, usage, scores)

    def _asks_for_rest(self, parsed: ParsedList) -> bool:
        """Keep what was cut off and ask for its rest; return False if that was asked too often."""
        if self._rests == _MOST_RESTS:
            return False
        self._starts |= parsed.starts
        last = max(parsed.starts)
        self._rests += 1
        self._choices = range(last + 1, self._choices.stop)
        if not self._choices:
            self._outcome, self._reason = "shift", "the list goes up to the last paragraph"
            self.fault, self.ended = None, True
            return True
        self._outcome, self._reason = "unreadable", f"the list was cut off after {last}"
        self.fault = self._reason
        self.answers = possible_lists(self._choices)
        self.text = self._first + rest_of_list(last)
        return True
