"""Language models behind one small protocol.

Each model needs the package of its provider: `OpenAIModel` the extra `openai`, `GeminiModel`
`gemini`, `LegacyGeminiModel` `gemini-legacy`, `LocalModel` `torch`. No package is imported before
a model is used.
"""

from lumber_core.models.base import Completion, Model
from lumber_core.models.gemini import GeminiModel
from lumber_core.models.gemini_legacy import LegacyGeminiModel
from lumber_core.models.local import LocalModel
from lumber_core.models.openai import OpenAIModel
from lumber_core.models.patient import CallPolicy

__all__ = [
    "CallPolicy",
    "Completion",
    "GeminiModel",
    "LegacyGeminiModel",
    "LocalModel",
    "Model",
    "OpenAIModel",
]
