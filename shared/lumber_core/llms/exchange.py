"""The forms of a request to a model behind an API: simpler forms, until one is answered.

Servers accept different parameters, and report a rejected parameter with any status, or inside a
successful reply. So no error is interpreted: a request that fails is sent in simpler forms until
one is answered, and that form is kept. This module only chooses forms; it sends no requests.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import Literal

from lumber_core.calls.forks import ForkSafeLock
from lumber_core.errors import BadReplyError
from lumber_core.llms.error_kinds import is_cut, status_of
from lumber_core.llms.model import Answers, Completion
from lumber_core.llms.reasoning import without_reasoning

logger = logging.getLogger("lumber_core.llms")

_MAX_ENUM_VALUES = 500  # OpenAI's limit for a schema
_ANSWER_TOKENS = 64  # enough for a short answer in any form, with a few words around it
_ITEM_TOKENS = 8  # added for each answer of a list: label, quotes and comma take six to eight
_REASONING_TOKENS = 8192  # for an answer with the model's reasoning before it
# Statuses about keys, credit, time or load: a simpler request would get the same status.
_UNRELATED_STATUS = frozenset((401, 402, 403, 408, 409, 425, 429, 502, 503, 504))


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The optional parameters of one request."""

    temperature: float | None  # None: the model's default
    answers: Answers | None  # None: plain text
    max_tokens: int | None  # None: no limit


@dataclass(eq=False)
class RequestForms:
    """The forms that a model's requests may have, and the form that its server answers.

    A simpler form is kept once it was answered twice: the full form may have failed once by a
    transient error. The arguments are those of `RemoteModel`, and `name` is for log messages.
    """

    name: str
    temperature: float | None
    max_tokens: int | Literal["auto"] | None
    structured: bool
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock, init=False)
    _kept_form: int | None = field(default=None, init=False)  # index of a form; see `keep`
    _full_form_failed: bool = field(default=False, init=False)
    _model_reasons: bool = field(default=False, init=False)

    def of(self, answers: Answers | None) -> tuple[list[RequestSettings], bool]:
        """Return the forms to try in order, or only the kept form, and whether a form is kept."""
        fits_schema = answers is not None and len(answers.allowed) <= _MAX_ENUM_VALUES
        limit = None if self.max_tokens == "auto" else self.max_tokens
        if self.max_tokens == "auto" and answers is not None:
            limit = _REASONING_TOKENS if self._model_reasons else _ANSWER_TOKENS
            limit += _ITEM_TOKENS * len(answers.allowed) if answers.several else 0
        restricted = answers if self.structured and fits_schema else None
        full = RequestSettings(self.temperature, restricted, limit)
        plain = RequestSettings(None, None, limit)
        forms = list(dict.fromkeys([full, plain, replace(plain, max_tokens=None)]))
        number = self._kept_form
        if number is None:
            return forms, False
        return forms[number : number + 1] or forms[-1:], True

    def keep(self, number: int, form: RequestSettings, error: Exception | None) -> None:
        """Keep the form that was answered; `number` is its index. The fullest form is preferred.

        `error` is the error of the full form, or None.
        """
        with self._lock:
            if error is not None and not self._full_form_failed:
                self._full_form_failed = True
                return
            is_first = self._kept_form is None
            self._kept_form = number if self._kept_form is None else min(number, self._kept_form)
        if is_first and error is not None:
            logger.warning(
                "%s is asked for plain text without a temperature%s from now on, because "
                "the full request fails: %s",
                self.name,
                "" if form.max_tokens else " and without max_tokens",
                str(error)[:300],
            )

    def needs_reasoning_tokens(self, completion: Completion, form: RequestSettings) -> bool:
        """Return whether reasoning used up all tokens, so that a higher limit helps."""
        limit = form.max_tokens
        is_raisable = self.max_tokens == "auto" and limit is not None and limit < _REASONING_TOKENS
        if (
            not is_raisable
            or not is_cut(completion.finish_reason)
            or without_reasoning(completion.text)
        ):
            return False
        logger.info(
            "%s reasons first: answers may have %d tokens now",
            self.name,
            _REASONING_TOKENS,
        )
        self._model_reasons = True
        return True


def is_about_form(error: Exception) -> bool:
    """Return whether a simpler form of the request may avoid an error."""
    status = status_of(error)
    return isinstance(error, BadReplyError) if status is None else status not in _UNRELATED_STATUS
