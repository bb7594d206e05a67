"""The options for a splitter, and the splitter made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from lumber_cli.language_models import FORMS, is_language_model, model_class
from lumber_cli.model_options import KeyVariable, ModelOptions
from lumber_cli.named_settings import (
    SetOption,
    divide_settings,
    make_with,
    names_of,
    settings_in,
    value_of,
)
from lumber_core import (
    BertChunker,
    BertJudge,
    Chunker,
    GreedyChunker,
    LayoutChunker,
    LumberChunker,
    ModelJudge,
    PromptTemplate,
)
from lumber_core.bert.model_folder import find_folder
from lumber_core.chunking.size_settings import check_overlap
from lumber_core.llms import Answers, CallPolicy, Completion
from lumber_core.lumber.judges import Judge

SplitterName = Literal["layout", "bert", "greedy", "lumber"]
SPLITTERS: Final[Mapping[SplitterName, type[Chunker]]] = {
    "layout": LayoutChunker,
    "bert": BertChunker,
    "greedy": GreedyChunker,
    "lumber": LumberChunker,
}

# The options that are settings of a splitter; other options reach it in another way.
_SETTINGS = (
    *("target_size", "chunk_size", "min_chunk_size", "tokenizer", "language", "units", "threshold"),
    *("theta", "store", "max_concurrency"),
)


@dataclass(frozen=True)
class SplitterOptions:
    """The values of a splitter's options, each of which is a field."""

    method: Annotated[
        SplitterName,
        typer.Option(
            help="Where to cut. layout: by headings, paragraphs and size; bert: also at topic "
            "shifts that the bundled classifier finds; greedy: at the sentence ends nearest to the "
            "size; lumber: where a language model sees a topic shift."
        ),
    ] = "layout"
    target_size: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS",
            help="Preferred size of chunks. Default: 154 (layout, bert) or 400 (greedy), or in "
            "proportion to --chunk-size.",
        ),
    ] = None
    chunk_size: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS",
            help="Maximum size of a chunk; none: no maximum. Default: 256 (layout, bert), 512 "
            "(greedy) or --theta (lumber); another --target-size changes these.",
        ),
    ] = None
    min_chunk_size: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS",
            help="Smaller chunks are merged with a neighbour. Default: no minimum.",
        ),
    ] = None
    chunk_overlap: Annotated[
        int, typer.Option(metavar="TOKENS", help="Maximum tokens repeated from the chunk before.")
    ] = 0
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Counter of tokens: estimate, even, words, or an encoding or model of tiktoken "
            "(extra `tiktoken`). Default: estimate."
        ),
    ] = None
    language: Annotated[
        str | None,
        typer.Option(help="ISO 639 code of the language, to find sentence ends. Default: en."),
    ] = None
    units: Annotated[
        str | None,
        typer.Option(
            help="Units that are cut only if they are too long: paragraphs, sentences, "
            "sentences_and_lines or markdown (blocks)."
        ),
    ] = None
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE",
            help="(bert) Cut wherever the model's score exceeds this, whatever the chunks' size. "
            "Default: chunks of about --target-size.",
        ),
    ] = None
    theta: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS", help="(lumber) Tokens that the model reads at once. Default: 550."
        ),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            help=f"Model of the splitter. For lumber: {FORMS}; by default, the bundled classifier. "
            "For bert: bundled (default), large, a folder with an exported model, or the ID of a "
            "model on the Hugging Face hub."
        ),
    ] = None
    key_variable: KeyVariable = None
    prompt: Annotated[
        Path | None,
        typer.Option(
            help="(lumber) File with the prompt: {paragraphs} stands for the numbered paragraphs, "
            "{first} and {last} for the first and the last number. Text above a line --- is the "
            "system prompt. Default: the prompt of this library."
        ),
    ] = None
    store: Annotated[
        Path | None,
        typer.Option(
            help="(lumber) File that keeps the model's answers, so that an interrupted run resumes."
        ),
    ] = None
    max_concurrency: Annotated[
        str | None,
        typer.Option(metavar="CALLS", help="(lumber) Maximum number of model calls in flight."),
    ] = None
    settings: SetOption = None

    @cached_property
    def given(self) -> dict[str, Any]:
        """The settings that were given, by name: of the splitter and of its language model."""
        by_name = {
            name: value_of(value) if isinstance(value, str) else value
            for name in _SETTINGS
            if (value := getattr(self, name)) is not None
        }
        return by_name | settings_in(self.settings)

    @property
    def asks_model(self) -> bool:
        """Whether a language model decides."""
        return self.model is not None and is_language_model(self.model)

    @property
    def files(self) -> list[Path]:
        """The files that the options name."""
        store = self.given.get("store")
        return [Path(name) for name in (self.prompt, store) if name is not None]

    def chunker(self) -> Chunker:
        """Make the splitter, and load the model of Bert."""
        settings, model_options = self._divide()
        if self.method == "lumber":
            chunker: Chunker = make_with(
                LumberChunker, self._judge(settings, model_options), **settings
            )
        else:
            if flags := self._flags_of_models(model_options):
                raise ValueError(f"{flags[0]} is for the language model of --method lumber")
            if self.asks_model:
                raise ValueError(f"{self.model} is a language model: pass --method lumber")
            if self.model is not None and self.method != "bert":
                raise ValueError(
                    f"--model has no effect: {self.method} uses no model; pass --method bert"
                )
            if self.model is not None:
                settings["model"] = self.model
            chunker = make_with(SPLITTERS[self.method], **settings)
            if isinstance(chunker, BertChunker):
                chunker.load()  # a missing model is an error before any work
        check_overlap(self.chunk_overlap, chunker.chunk_size)
        return chunker

    def chunker_for_estimate(self) -> LumberChunker:
        """Make the splitter for an estimate, with no language model."""
        settings, model_options = self._divide()
        judge = ModelJudge(_NoModel(), prompt_in(self.prompt), policy=model_options.call_policy())
        return make_with(LumberChunker, judge, **settings)

    def _divide(self) -> tuple[dict[str, Any], ModelOptions]:
        """Return the splitter's settings, and those of the language model."""
        splitter = SPLITTERS[self.method]
        for name in self.given:
            owners = [method for method, kind in SPLITTERS.items() if name in names_of(kind)]
            if owners and self.method not in owners:
                methods = " and ".join(f"--method {owner}" for owner in owners)
                raise ValueError(f"{name} is a setting of {methods}, not of {self.method}")
        spec = self.model if self.asks_model else None
        settings, policy, model = divide_settings(
            self.given, splitter, CallPolicy, model_class(spec)
        )
        return settings, ModelOptions(spec, self.key_variable, {**policy, **model})

    def _flags_of_models(self, model_options: ModelOptions) -> list[str]:
        """Return the given options that apply only to a language model."""
        return [*model_options.given, *(["--prompt"] if self.prompt is not None else [])]

    def _judge(self, settings: Mapping[str, object], model_options: ModelOptions) -> Judge:
        model = model_options.language_model() if model_options.model is not None else None
        if model is not None:
            return ModelJudge(model, prompt_in(self.prompt), policy=model_options.call_policy())
        flags = [
            *self._flags_of_models(model_options),
            *(["--store"] if "store" in settings else []),
        ]
        if flags:
            raise ValueError(
                f"{flags[0]} needs a language model: pass --model, such as openai:gpt-4o-mini"
            )
        weights = self.model or "bundled"
        try:
            find_folder(weights)
        except ValueError as error:
            raise ValueError(f"{error}. Language models are named {FORMS}") from None
        return BertJudge(weights)


class _NoModel:
    """Stands for the language model in an estimate."""

    identity = "unasked"

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        del system, user, answers
        raise AssertionError("an estimate asks no model")

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        return self.complete(system, user, answers=answers)


def prompt_in(path: Path | None) -> PromptTemplate | None:
    """Read a prompt from a file: the user prompt, or a system prompt, a line --- and the user's."""
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error}") from None
    system, line, user = text.strip().partition("\n---\n")
    try:
        return PromptTemplate(system.strip(), user.strip()) if line else PromptTemplate(user=system)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
