"""Token counters: the length of a text in the unit in which models are billed and limited.

A counter counts many strings in one call, so that a tokenizer can read them in one pass.
`counter` is the protocol, and `spec` makes one from a user's argument: an `estimated_counter`
without a vocabulary, a `tiktoken_counter` (`tiktoken_data` loads its vocabulary, and
`encoded_text` encodes each text once), a `hugging_face` tokenizer, or sizes that are `even` in all
alphabets. `text_tokens` counts ranges of one text.
"""

from lumber_core.tokens.counter import CallableCounter, TokenCounter, WordCounter
from lumber_core.tokens.estimated_counter import EstimatedCounter
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
