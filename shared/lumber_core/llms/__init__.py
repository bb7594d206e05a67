"""Language models behind one small protocol.

`model` is the protocol. `openai`, `gemini` and `gemini_legacy` call models behind an API
(`remote`). `framework` calls a model of LangChain or LlamaIndex, and `model_replies` reads the
replies of all. `exchange` tries simpler forms of a request until one is answered, `error_kinds`
classifies errors and reads Retry-After, `retry` waits and repeats calls within `call_limits`,
`routes` finds where requests go, and `reasoning` removes a model's reasoning from its reply.

Each model needs the package of its provider: `OpenAIModel` the extra `openai`, `GeminiModel`
`gemini`, `LegacyGeminiModel` `gemini-legacy`. Packages are imported when a model is first used.
"""

from lumber_core.llms.gemini import GeminiModel
from lumber_core.llms.gemini_legacy import LegacyGeminiModel
from lumber_core.llms.model import Answers, Completion, Model
from lumber_core.llms.openai import OpenAIModel
from lumber_core.llms.retry import CallPolicy, RetryingModel

__all__ = [
    "Answers",
    "CallPolicy",
    "Completion",
    "GeminiModel",
    "LegacyGeminiModel",
    "Model",
    "OpenAIModel",
    "RetryingModel",
]
