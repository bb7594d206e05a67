"""The options for a language model: which one, how it is called, and how often."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lumber_cli.groups import Command, takes_group
from lumber_cli.language_models import FORMS, LOCAL, REMOTE, language_model
from lumber_cli.panels import CALLS, MODEL
from lumber_cli.setting_options import SettingOptions, parameter
from lumber_core.llms import CallPolicy, Model
from lumber_core.llms.settings import ModelSettings
from lumber_core.llms.transformers import LocalModelSettings

MODEL_HELP = f"Language model: {FORMS}."
_PANEL: dict[str, Any] = {"rich_help_panel": MODEL}
# Given by other options, or not possible on a command line.
_LEFT_OUT = frozenset({"model", "base_url", "api_key", "client", "tokenizer"})
_MODEL = SettingOptions(
    {REMOTE: ModelSettings, LOCAL: LocalModelSettings}, panel=MODEL, left_out=_LEFT_OUT
)
_POLICY = SettingOptions({"": CallPolicy}, panel=CALLS)


@dataclass(frozen=True)
class Asking:
    """The values of the options for a language model.

    Attributes:
        model: The model, as `language_model` takes it; None: no model.
        key_variable: Environment variable with its key.
        settings: Values of the model's settings that were given, by name.
        policy: Values of the settings of `CallPolicy` that were given, by name.
    """

    model: str | None = None
    key_variable: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)

    @property
    def flags(self) -> list[str]:
        """The options that were given, without --model."""
        key = ["--key-variable"] if self.key_variable is not None else []
        return [*key, *map(_MODEL.flag, self.settings), *map(_POLICY.flag, self.policy)]

    def language_model(self) -> Model | None:
        """Return the model; None if none is named.

        Raises:
            ValueError: The name or a setting is wrong, the key is missing, or options are given
                without a model.
            ModelUnavailableError: A server did not answer the request for its models.
            MissingExtraError: The provider's package is not installed.
        """
        if self.model is None:
            if self.flags:
                raise ValueError(f"{self.flags[0]} needs a language model: pass --model NAME")
            return None
        return language_model(self.model, key_variable=self.key_variable, **self.settings)

    def call_policy(self) -> CallPolicy:
        """Return the retries and rate limits.

        Raises:
            ValueError: A number is out of range.
        """
        return CallPolicy(**self.policy)


def takes_asking(*, help_text: str = MODEL_HELP) -> Callable[[Command], Command]:
    """Replace a command's parameter `asking` by the options for a language model.

    Args:
        help_text: Help text of --model.
    """
    return takes_group("asking", asking_options(help_text), asking_of)


def asking_options(help_text: str) -> list[inspect.Parameter]:
    """Return the options for a language model; see `takes_asking`."""
    return [
        parameter("model", str | None, help_text, **_PANEL),
        parameter(
            "key_variable",
            str | None,
            "Environment variable with the language model's API key. Default: the provider's own.",
            **_PANEL,
        ),
        *_MODEL.parameters,
        *_POLICY.parameters,
    ]


def asking_of(values: dict[str, Any]) -> Asking:
    """Take the values of these options out of `values`."""
    return Asking(
        values.pop("model"),
        values.pop("key_variable"),
        _MODEL.taken_from(values),
        _POLICY.taken_from(values),
    )
