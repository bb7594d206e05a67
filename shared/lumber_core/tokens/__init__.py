"""Token counters: the length of a text in the unit that models are billed and limited by.

A counter counts many strings in one call, so that a tokenizer can work on them in one pass.
`token_counter` makes one from what a user passes as `tokenizer`.
"""

from lumber_core.tokens.base import CallableCounter, TokenCounter, WordCounter
from lumber_core.tokens.estimate import EstimatedCounter
from lumber_core.tokens.hugging_face import HuggingFaceCounter
from lumber_core.tokens.spec import DEFAULT_TOKENIZER, TokenCounterSpec, token_counter
from lumber_core.tokens.text_tokens import TextTokens, tokens_of
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
