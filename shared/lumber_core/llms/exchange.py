"""One question to a model behind an API: requests in simpler forms, until one is answered.

Servers differ in the parameters that they accept, and report what they reject in every way: with
any status, or inside a good reply. So no error is interpreted. A request that fails is sent in
simpler forms, until one is answered; the form is then kept. Nothing here sends anything.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from lumber_core.errors import BadReplyError
from lumber_core.llms.base import Answers, Completion
from lumber_core.llms.failures import is_blocked, is_cut, status_of
from lumber_core.support.forks import ForkSafeLock

logger = logging.getLogger("lumber_core.llms")

_MOST_ANSWERS = 500  # values OpenAI allows in the enums of one schema
_ANSWER_TOKENS = 64
"""Enough for a short answer in any form, with a few words around it."""
_ITEM_TOKENS = 8
"""More for each answer that a list may hold: a label, quotes and a comma take six to eight."""
_REASONING_TOKENS = 8192
# Statuses about keys, credit, time or load: a simpler request would get them, too.
_NEVER_ABOUT_FORM = frozenset((401, 402, 403, 408, 409, 425, 429, 502, 503, 504))


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The optional parameters of one request.

    Attributes:
        temperature: None: the model's default.
        answers: What the answer is restricted to. None: plain text.
        max_tokens: Maximum tokens to write. None: no limit.
    """

    temperature: float | None
    answers: Answers | None
    max_tokens: int | None


class RequestForms:
    """The forms that a model's requests may have, and what is known of its server.

    A form that is not the full one is kept once it was answered for a second request: the first
    time, a fault of the server may have passed.

    Args:
        name: The model's name, for the log.
        temperature: See `RemoteModel`.
        max_tokens: See `RemoteModel`.
        structured: See `RemoteModel`.
    """

    def __init__(
        self,
        name: str,
        temperature: float | None,
        max_tokens: int | Literal["auto"] | None,
        structured: bool,
    ) -> None:
        self._name = name
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._structured = structured
        self._lock = ForkSafeLock()
        self._known: int | None = None
        self._helped = False
        self._thinks = False

    def of(self, answers: Answers | None) -> tuple[list[RequestSettings], bool]:
        """Return the forms of a request, simpler ones last, and whether the first is known to work.

        Args:
            answers: The only answers that the question allows.
        """
        few = answers is not None and len(answers.allowed) <= _MOST_ANSWERS
        limit = self._most_tokens(answers)
        full = RequestSettings(
            self._temperature, answers if self._structured and few else None, limit
        )
        plain = RequestSettings(None, None, limit)
        forms = list(dict.fromkeys([full, plain, replace(plain, max_tokens=None)]))
        known = self._known
        return (forms, False) if known is None else (forms[known : known + 1] or forms[-1:], True)

    def keep(self, number: int, form: RequestSettings, error: Exception | None) -> None:
        """Keep a form that was answered; of several calls at once, the fullest one wins.

        Args:
            number: Its place among the forms of its request.
            form: The form.
            error: Why the full one was not answered.
        """
        with self._lock:
            if error is not None and not self._helped:
                self._helped = True
                return
            news = self._known is None
            self._known = number if self._known is None else min(number, self._known)
        if news and error is not None:
            logger.warning(
                "%s is asked for plain text without a temperature%s from now on, because it "
                "answers that. The error otherwise: %s",
                self._name,
                "" if form.max_tokens else " and without max_tokens",
                str(error)[:300],
            )

    def ran_out_thinking(self, completion: Completion, form: RequestSettings) -> bool:
        """Return whether the reasoning used up the tokens, and a higher limit helps."""
        most = form.max_tokens
        limited = self._max_tokens == "auto" and most is not None and most < _REASONING_TOKENS
        text = completion.text.casefold()
        if not (limited and is_cut(completion.finish_reason)) or (text and "<think" not in text):
            return False
        logger.info("%s thinks first: it may write %d tokens", self._name, _REASONING_TOKENS)
        self._thinks = True
        return True

    def _most_tokens(self, answers: Answers | None) -> int | None:
        if self._max_tokens != "auto":
            return self._max_tokens
        if answers is None:
            return None
        listed = _ITEM_TOKENS * len(answers.allowed) if answers.several else 0
        return (_REASONING_TOKENS if self._thinks else _ANSWER_TOKENS) + listed


class Exchange:
    """The requests of one question: what is sent next, until there is an answer.

    Args:
        forms: The forms that requests may have.
        answers: The only answers that the question allows.
        read: Reads a reply; raises if it is no completion.
        clean: Returns an error as it may be raised; raises if the server redirects.

    Attributes:
        completion: The answer, with the tokens of all replies.
    """

    def __init__(
        self,
        forms: RequestForms,
        answers: Answers | None,
        read: Callable[[Any], Completion],
        clean: Callable[[Exception], Exception],
    ) -> None:
        self.completion: Completion | None = None
        self._all = forms
        self._answers = answers
        self._read = read
        self._clean = clean
        self._cut = Completion("")
        self._begin()

    def _begin(self) -> None:
        self._forms, self._known = self._all.of(self._answers)
        self._number = 0
        self._rejected: Exception | None = None

    @property
    def form(self) -> RequestSettings:
        """The form of the next request."""
        return self._forms[self._number]

    def replied(self, reply: Any) -> None:
        """Read the reply to the request."""
        try:
            completion = self._read(reply)
        except Exception as error:  # noqa: BLE001 - replies may have any form
            self.failed(error)
            return
        if not self._known:
            self._all.keep(self._number, self.form, self._rejected)
        completion = replace(
            completion,
            prompt_tokens=completion.prompt_tokens + self._cut.prompt_tokens,
            completion_tokens=completion.completion_tokens + self._cut.completion_tokens,
        )
        if self._all.ran_out_thinking(completion, self.form):
            self._cut = completion
            self._begin()
        else:
            self.completion = completion

    def failed(self, caught: Exception) -> None:
        """Go on to a simpler form of the request.

        Raises:
            Exception: There is none, or it would not help.
        """
        error = self._clean(caught)
        reason = getattr(error, "code", None)
        if is_blocked(reason):
            self.completion = replace(self._cut, text="", finish_reason=str(reason))
            return
        status = status_of(error)
        about_form = (
            isinstance(error, BadReplyError) if status is None else status not in _NEVER_ABOUT_FORM
        )
        if not about_form:
            raise error
        self._rejected = self._rejected or error
        self._number += 1
        if self._number == len(self._forms):
            raise self._rejected
