"""Token counters: the length of a text in the unit in which models are billed and limited.

A counter counts many strings in one call, so that a tokenizer can read them in one pass.
`counter` has the protocols, of counters and of counted ranges of one text, and `spec` makes a
counter from a user's argument: an `estimated_counter` without a vocabulary, a `tiktoken_counter`
(`encoded_text` encodes each text once), or a `hugging_face` tokenizer.
"""

from lumber_core.tokens.counter import (
    CallableCounter,
    TextTokens,
    TokenCounter,
    WordCounter,
    tokens_of,
)
from lumber_core.tokens.estimated_counter import EstimatedCounter
from lumber_core.tokens.hugging_face import HuggingFaceCounter
from lumber_core.tokens.spec import DEFAULT_TOKENIZER, TokenCounterSpec, token_counter
from lumber_core.tokens.tiktoken_counter import TiktokenCounter

__all__ = [
    "DEFAULT_TOKENIZER",
    "CallableCounter",
    "EstimatedCounter",
    "HuggingFaceCounter",
    "TextTokens",
    "TiktokenCounter",
    "TokenCounter",
    "TokenCounterSpec",
    "WordCounter",
    "token_counter",
    "tokens_of",
]
