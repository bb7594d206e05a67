"""The options for a language model: its name, key, settings, retries and rate limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import typer

from lumber_cli.language_models import FORMS, language_model, model_class
from lumber_cli.named_settings import SetOption, divide_settings, make_with, settings_in
from lumber_core.llms import CallPolicy, Model

KeyVariable = Annotated[
    str | None,
    typer.Option(
        help="Environment variable with the language model's API key. Default: the provider's own."
    ),
]


@dataclass(frozen=True)
class ModelOptions:
    """The values of the options for a language model, if one is named (see `language_model`).

    The settings are those of the model and of `CallPolicy`, by name.
    """

    model: str | None = None
    key_variable: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def given(self) -> list[str]:
        """The options that have no effect without a model."""
        key = ["--key-variable"] if self.key_variable is not None else []
        return [*key, *(f"--set {name}" for name in self.settings)]

    def language_model(self) -> Model | None:
        """Return the model, as the function `language_model` does; None if none is named."""
        if self.model is None:
            if self.given:
                raise ValueError(f"{self.given[0]} needs a language model: pass --model NAME")
            return None
        settings, _ = divide_settings(self.settings, model_class(self.model), CallPolicy)
        return language_model(self.model, key_variable=self.key_variable, **settings)

    def call_policy(self) -> CallPolicy:
        """Return the retries and rate limits."""
        _, policy = divide_settings(self.settings, model_class(self.model), CallPolicy)
        return make_with(CallPolicy, **policy)


def read_model_options(
    model: Annotated[str | None, typer.Option(help=f"Language model: {FORMS}.")] = None,
    key_variable: KeyVariable = None,
    settings: SetOption = None,
) -> ModelOptions:
    """Return the values of the options for a language model."""
    return ModelOptions(model, key_variable, settings_in(settings))
