"""Language models behind one small protocol.

Each model needs the package of its provider: `OpenAIModel` the extra `openai`, `GeminiModel`
`gemini`, `LegacyGeminiModel` `gemini-legacy`, `LocalModel` `torch`. Packages are imported when a
model is first used.
"""

from lumber_core.llms.base import Completion, Model
from lumber_core.llms.gemini import GeminiModel
from lumber_core.llms.gemini_legacy import LegacyGeminiModel
from lumber_core.llms.openai import OpenAIModel
from lumber_core.llms.retry import CallPolicy
from lumber_core.llms.transformers import LocalModel

__all__ = [
    "CallPolicy",
    "Completion",
    "GeminiModel",
    "LegacyGeminiModel",
    "LocalModel",
    "Model",
    "OpenAIModel",
]
