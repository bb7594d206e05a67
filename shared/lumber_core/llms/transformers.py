"""A causal language model of `transformers` on this machine, which scores the allowed answers.

Nothing is generated. Each allowed answer is scored by its log-probability after the prompt, and the
most likely one is the answer. So the model cannot answer anything else.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Annotated, Any, ClassVar

from lumber_core.checks import check_positive
from lumber_core.llms.answer_scores import TORCH, TRANSFORMERS, encode, score, shared_length
from lumber_core.llms.base import Answers, Completion
from lumber_core.settings import Setting, Settings, takes
from lumber_core.support.concurrency import in_thread
from lumber_core.support.extras import load, require
from lumber_core.support.forks import ForkSafeLock

_NOTES = ("architectures", "dtype", "torch_dtype", "transformers_version")  # written on saving
_SAMPLE = 8  # values of each weight that go into the model's fingerprint


class LocalModelSettings(Settings):
    """Settings of `LocalModel`."""

    model: Annotated[
        Any,
        Setting(
            "A causal language model, or its folder or hub name. A named model is loaded on first "
            "use, from safetensors only and without running code that comes with it."
        ),
    ] = field(kw_only=False)
    tokenizer: Annotated[
        Any,
        Setting("The tokenizer, or its folder or hub name. None: the named model's."),
    ] = field(default=None, kw_only=False)
    device: Annotated[
        str | None,
        Setting(
            'Device ("cpu", "cuda"). None: a GPU if there is one.',
            changes_result=False,
            objects="A model object then stays on its device.",
        ),
    ] = None
    batch_size: Annotated[
        int,
        Setting(
            "Maximum number of answers scored in one pass. Smaller values need less memory.",
            check_positive,
            changes_result=False,
        ),
    ] = 32

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            TypeError: The model is none, or is an object without a tokenizer.
        """
        super().__post_init__()
        by_name = isinstance(self.model, str | os.PathLike)
        if not by_name and not callable(getattr(self.model, "forward", None)):
            raise TypeError(
                "model must be a causal language model of transformers, or a folder or name, not "
                f"{type(self.model).__name__}"
            )
        if self.tokenizer is None and not by_name:
            raise TypeError("pass the model's tokenizer too: LocalModel(model, tokenizer)")


class LocalModel:
    """Chooses an answer with a causal language model of `transformers`; nothing is generated.

    The prompt goes through the tokenizer's chat template, if it has one. Special tokens spelled out
    in a document are broken up, so that a document cannot end its own message. The answer does not
    depend on `batch_size`, up to rounding. Calls run one at a time.

    Raises:
        MissingExtraError: `torch` or `transformers` is not installed.
        TypeError: An argument has the wrong type, or a model object is given without a tokenizer.
        ValueError: An argument is out of range.
    """

    chooses_one: ClassVar[bool] = True
    """It scores answers one by one, so it cannot answer with a list."""
    timeout = math.inf
    """Seconds that a call may take: there is no server that could delay it."""

    @takes(LocalModelSettings)
    def __init__(self, settings: LocalModelSettings) -> None:
        require("torch", **TORCH)
        require("transformers", **TRANSFORMERS)
        self._source = settings.model
        self._tokenizer_source = (
            settings.model if settings.tokenizer is None else settings.tokenizer
        )
        self._device = settings.device
        self._batch_size = settings.batch_size
        self._lock = ForkSafeLock()
        self._loaded: tuple[Any, Any] | None = None
        self._fingerprint = ""

    @property
    def identity(self) -> str:
        """The model's class and a digest of its configuration, weights and chat template.

        Loads a named model.
        """
        with self._lock:
            if not self._fingerprint:
                self._fingerprint = _fingerprint(*self._parts())
            return f"local:{self._fingerprint}"

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Choose one of the allowed answers.

        Returns:
            The opening of the reply and the answer, with the tokens of the prompt and of both.

        Raises:
            ValueError: No answers are given, a list of them is asked for, or the prompt is longer
                than the model's context.
        """
        if answers is None:
            raise ValueError("a local model chooses among allowed answers, but none were given")
        if answers.several:
            raise ValueError("a local model chooses one answer, but a list is asked for")
        with self._lock:
            model, tokenizer = self._parts()
            replies = [f"{answers.opening}{answer}" for answer in answers.allowed]
            sequences = encode(tokenizer, system, user, replies)
            scores = score(model, sequences, batch_size=self._batch_size)
        best = max(range(len(replies)), key=scores.__getitem__)
        shared = shared_length(sequences)
        return Completion(
            text=replies[best],
            prompt_tokens=shared,
            completion_tokens=len(sequences[best]) - shared,
            finish_reason="stop",
        )

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`; runs in a thread."""
        return await in_thread(self.complete, system, user, answers=answers)

    def _parts(self) -> tuple[Any, Any]:
        """Return the model and its tokenizer, loaded if they were named."""
        if self._loaded is None:
            tokenizer, model = self._tokenizer_source, self._source
            if isinstance(tokenizer, str | os.PathLike):
                auto = load("transformers", **TRANSFORMERS).AutoTokenizer
                tokenizer = auto.from_pretrained(tokenizer, trust_remote_code=False)
            device = self._device
            if isinstance(model, str | os.PathLike):
                auto = load("transformers", **TRANSFORMERS).AutoModelForCausalLM
                with _no_progress_bar():
                    model = auto.from_pretrained(
                        model, use_safetensors=True, trust_remote_code=False, torch_dtype="auto"
                    )
                if device is None and load("torch", **TORCH).cuda.is_available():
                    device = "cuda"
            if device is not None:
                model = model.to(device)
            self._loaded = model, tokenizer
        return self._loaded

    def __getstate__(self) -> dict[str, Any]:
        # The copy loads the model on its own, maybe from other files.
        return {**self.__dict__, "_loaded": None, "_fingerprint": ""}

    def __repr__(self) -> str:
        named = isinstance(self._source, str | os.PathLike)
        name = repr(str(self._source)) if named else type(self._source).__name__
        return f"LocalModel({name}, batch_size={self._batch_size})"


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Switch the progress bars of transformers off temporarily."""
    messages = load("transformers.utils.logging", **TRANSFORMERS)
    drawn = messages.is_progress_bar_enabled()
    messages.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            messages.enable_progress_bar()


def _fingerprint(model: Any, tokenizer: Any) -> str:
    """Return the model's class and a digest of what determines its answers."""
    torch = load("torch", **TORCH)
    digest = hashlib.sha256()
    settings = {
        name: value
        for name, value in model.config.to_dict().items()
        if not name.startswith("_") and name not in _NOTES
    }
    template = getattr(tokenizer, "chat_template", None)
    for part in (sorted(settings.items(), key=str), template, len(tokenizer)):
        digest.update(repr(part).encode())
    for name, weight in sorted(model.state_dict().items()):
        values = weight.detach().flatten()
        step = max(1, len(values) // _SAMPLE)
        sample = values[::step].to("cpu", torch.float32).tolist()
        digest.update(f"{name}:{tuple(weight.shape)}:{weight.dtype}:{sample}".encode())
    return f"{type(model).__name__}:{digest.hexdigest()[:16]}"
