"""The options for a splitter, and the splitter that they make.

The options of `split`, `view` and `estimate` are made from the settings classes of `lumber_core`:
a setting that is added there is an option here, with its documentation as help text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from lumber_cli.asking import Asking, asking_of, asking_options
from lumber_cli.groups import Command, takes_group
from lumber_cli.language_models import FORMS, is_language_model
from lumber_cli.options import prompt_in
from lumber_cli.panels import CHUNKS, MODEL
from lumber_cli.setting_options import SettingOptions, choice, parameter, value_of
from lumber_core import (
    BertChunker,
    BertJudge,
    Chunker,
    GreedyChunker,
    LayoutChunker,
    LumberChunker,
    ModelJudge,
)
from lumber_core.bert.model_folder import find_folder
from lumber_core.chunking.sizes import check_overlap
from lumber_core.llms import Answers, Completion
from lumber_core.lumber.judges import Judge
from lumber_core.settings import Settings, fields_of, settings_taken

SPLITTERS: Final[Mapping[str, type[Chunker]]] = {
    "bert": BertChunker,
    "layout": LayoutChunker,
    "greedy": GreedyChunker,
    "lumber": LumberChunker,
}
"""The splitters by their names."""
SETTINGS: Final[dict[str, type[Settings]]] = {
    name: settings_taken(splitter) for name, splitter in SPLITTERS.items()
}
"""The settings of each splitter, by its name."""
DEFAULT_METHOD = "layout"
# Given by other options, not possible on a command line, or without effect on one text at a time.
_LEFT_OUT = frozenset({"judge", "model", "on_segmentation"})
# The option --method is the splitter.
_OPTIONS = SettingOptions(
    SETTINGS,
    panel=CHUNKS,
    main=["target_size", "chunk_size"],
    main_panel=CHUNKS,
    own_panels=True,
    left_out=_LEFT_OUT,
    # The option --device is the language model's.
    renamed={"method": "lumber_method", "device": "bert_device"},
    others=["chunk_overlap"],
)


@dataclass(frozen=True)
class Splitting:
    """The values of a splitter's options.

    Attributes:
        method: The splitter.
        given: Values of the settings that were given, by name.
        chunk_overlap: Tokens to repeat from the chunk before.
        asking: The language model, or the weights that decide.
        prompt: File of the question that the language model is asked.
    """

    method: str
    given: Mapping[str, object]
    chunk_overlap: int = 0
    asking: Asking = field(default_factory=Asking)
    prompt: Path | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a language model decides."""
        return self.asking.model is not None and is_language_model(self.asking.model)

    @property
    def files(self) -> list[Path]:
        """The files that the options name."""
        store: Any = self.given.get("store")
        return [Path(name) for name in (self.prompt, store) if name is not None]

    def chunker(self) -> Chunker:
        """Make the splitter.

        Raises:
            ValueError: A setting is wrong, or is not one of this splitter.
            MissingExtraError: The language model's package is not installed.
        """
        return self._made(self._judge)

    def estimating_chunker(self) -> Chunker:
        """Make the splitter for an estimate: no language model is asked, so none is made.

        Raises:
            ValueError: A setting is wrong, or is not one of this splitter.
        """
        if not self.asks_model:
            return self.chunker()
        given = {name: value for name, value in self.given.items() if name != "store"}
        return replace(self, given=given)._made(self._unasked_judge)

    def _made(self, judge: Callable[[], Judge]) -> Chunker:
        names = {entry.name for entry in fields_of(SETTINGS[self.method])}
        for name in self.given:
            if name not in names:
                owners = _OPTIONS.owners_of(name)
                raise ValueError(
                    f"{_OPTIONS.flag(name)} is a setting of {' and '.join(owners)}, not of "
                    f"{self.method}: pass --method {owners[0]}"
                )
        settings: dict[str, Any] = dict(self.given)
        made = (
            LumberChunker(judge(), **settings) if self.method == "lumber" else self._own(settings)
        )
        check_overlap(self.chunk_overlap, made.chunk_size)
        return made

    def _own(self, settings: dict[str, Any]) -> Chunker:
        """Make a splitter other than Lumber, which asks no language model."""
        if flags := self._flags_of_models:
            raise ValueError(f"{flags[0]} is for the language model of --method lumber")
        make: Any = SPLITTERS[self.method]
        if self.asking.model is not None:
            settings["model"] = self._weights()
        made: Chunker = make(**settings)
        return made

    def _weights(self) -> str | None:
        """Return the model, if it is one that the splitter runs itself."""
        if self.asks_model:
            raise ValueError(f"{self.asking.model} is a language model: pass --method lumber")
        if all(entry.name != "model" for entry in fields_of(SETTINGS[self.method])):
            raise ValueError(
                f"--model has no effect: {self.method} uses no model; pass --method bert"
            )
        return self.asking.model

    def _judge(self) -> Judge:
        if self.asks_model:
            model = self.asking.language_model()
            assert model is not None
            return ModelJudge(model, prompt_in(self.prompt), policy=self.asking.call_policy())
        stored = self.given.get("store") is not None
        flags = [*self._flags_of_models, *(["--store"] if stored else [])]
        if flags:
            raise ValueError(
                f"{flags[0]} needs a language model: pass --model, such as openai:gpt-4o-mini"
            )
        weights = self.asking.model or "bundled"
        try:
            find_folder(weights)
        except ValueError as error:
            raise ValueError(f"{error}. Language models are named {FORMS}") from None
        return BertJudge(weights)

    def _unasked_judge(self) -> Judge:
        return ModelJudge(_Unasked(), prompt_in(self.prompt), policy=self.asking.call_policy())

    @property
    def _flags_of_models(self) -> list[str]:
        """The options given that apply only to a language model."""
        return [*self.asking.flags, *(["--prompt"] if self.prompt is not None else [])]


class _Unasked:
    """Stands for the language model in an estimate."""

    identity = "unasked"

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        del system, user, answers
        raise AssertionError("an estimate asks no model")

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        return self.complete(system, user, answers=answers)


def takes_splitting(*, default: str = DEFAULT_METHOD) -> Callable[[Command], Command]:
    """Replace a command's parameter `splitting` by one option for each setting of a splitter.

    Args:
        default: The splitter unless --method names another.
    """
    options = [
        parameter(
            "method",
            choice("method", SETTINGS),
            "The splitter: layout, at the best places by headings, paragraphs and size; bert, "
            "which finds topic shifts, too, with a bundled model; greedy, at the sentence "
            "ends nearest to the size; or lumber, where a language model sees a topic shift.",
            default=default,
            rich_help_panel=CHUNKS,
        ),
        parameter(
            "chunk_overlap",
            int,
            "Tokens to repeat from the end of the chunk before, at most.",
            default=0,
            rich_help_panel=CHUNKS,
        ),
        *_OPTIONS.parameters,
        *asking_options(
            "The model that decides, such as openai:gpt-4o-mini for lumber; `lumber-splitters "
            f"models` lists them. For lumber: {FORMS}; without one, the bundled model. For "
            "bert: bundled, large, a folder written by `export` or `train`, or a hub id."
        ),
        parameter(
            "prompt",
            Path | None,
            "File with the question that the language model is asked: {paragraphs} stands for the "
            "numbered paragraphs, {first} and {last} for the first and the last number. Text above "
            "a line --- is the system prompt. Default: this library's.",
            rich_help_panel=MODEL,
        ),
    ]
    return takes_group("splitting", options, _splitting)


def _splitting(values: dict[str, Any]) -> Splitting:
    return Splitting(
        value_of(values.pop("method")),
        _OPTIONS.taken_from(values),
        asking=asking_of(values),
        **values,
    )
