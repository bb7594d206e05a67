"""The log-probabilities of answers after a prompt, by a causal language model of `transformers`.

Answers are scored with the token that ends them: the end-of-sequence token after a chat template,
or else a line break. So no answer is the beginning of another ("ID 1" of "ID 12"), and the
probabilities need no correction for length.

The tokens that all answers share, mostly the prompt, are run once. Their key-value cache is
repeated for a batch of answers, whose remaining tokens are run together.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any

from lumber_core.support.extras import load

TRANSFORMERS = {"package": "transformers", "extra": "torch"}
TORCH = {"package": "torch", "extra": "torch"}
"""What has to be installed."""


def encode(tokenizer: Any, system: str, user: str, answers: Sequence[str]) -> list[list[int]]:
    """Return the tokens of the prompt followed by each answer and its end.

    Prompt and answer are tokenized as one text, so that an answer's tokens are those the model has
    learned, however the tokenizer treats spaces.
    """
    special = _special_tokens(tokenizer)
    system, user = _disarm(system, special), _disarm(user, special)
    if getattr(tokenizer, "chat_template", None):
        prompt, before, end = _apply_template(tokenizer, system, user), [], tokenizer.eos_token_id
    else:
        prompt, before, end = f"{system}\n\n{user}\n", _first_token(tokenizer), None
    text_end, after = ("\n", []) if end is None else ("", [end])
    texts = [f"{prompt}{answer}{text_end}" for answer in answers]
    tokens = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
    return [[*before, *sequence, *after] for sequence in tokens]


def score(model: Any, sequences: Sequence[list[int]], *, batch_size: int) -> list[float]:
    """Return the log-probability of each sequence, given the tokens that all of them share.

    Args:
        model: A causal language model.
        sequences: Token ids. No sequence may be a prefix of another.
        batch_size: Maximum number of sequences in one pass.

    Raises:
        ValueError: A sequence is longer than the model's context.
    """
    torch = load("torch", **TORCH)
    longest = max(map(len, sequences))
    context = getattr(model.config, "max_position_embeddings", None)
    if context is not None and longest > context:
        raise ValueError(
            f"the prompt takes {longest} tokens, but the model's context holds {context}: "
            "use a smaller theta"
        )
    shared = shared_length(sequences)
    accepted = inspect.signature(model.forward).parameters
    name = "cache" if "cache" in accepted else "past_key_values"  # before transformers 5.24
    last = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
    model.eval()  # without dropout
    with torch.inference_mode():
        prefix = torch.tensor([sequences[0][:shared]], device=model.device)
        output = model(input_ids=prefix, use_cache=True, **last)
        first = output.logits[0, -1].float().log_softmax(-1)
        cache = getattr(output, name, None)
        layers = getattr(cache, "layers", [cache])
        # Recurrent layers keep another kind of state.
        repeats = all(hasattr(layer, "batch_repeat_interleave") for layer in layers)
        state = {name: cache} if repeats else {}
        scores: list[float] = []
        for start in range(0, len(sequences), batch_size):
            tails = [sequence[shared:] for sequence in sequences[start : start + batch_size]]
            scores += _tail_scores(model, state, prefix, first, tails)
    return scores


def _tail_scores(
    model: Any, state: dict[str, Any], prefix: Any, first: Any, tails: Sequence[list[int]]
) -> list[float]:
    """Return the log-probability of each tail after the prefix.

    Args:
        model: A causal language model.
        state: Its key-value cache of the prefix, by the name of the model's argument; empty if
            it cannot be repeated for a batch.
        prefix: Tokens, one row.
        first: Log-probabilities of the token after the prefix.
        tails: Tokens, at least one each.
    """
    torch = load("torch", **TORCH)
    width = max(map(len, tails))
    filled = torch.zeros(len(tails), width, dtype=torch.long, device=prefix.device)
    known = torch.zeros_like(filled)
    for row, tail in enumerate(tails):
        filled[row, : len(tail)] = torch.tensor(tail)
        known[row, : len(tail)] = 1
    total = first[filled[:, 0]]
    if width == 1:
        return list(total.tolist())
    tokens = filled[:, :-1]
    before = prefix.expand(len(tails), -1)
    known_before = torch.cat([torch.ones_like(before), known[:, :-1]], dim=1)
    if not state:
        output = model(input_ids=torch.cat([before, tokens], dim=1), attention_mask=known_before)
    else:
        repeated = copy.deepcopy(state)
        for cache in repeated.values():
            cache.batch_repeat_interleave(len(tails))
        output = model(
            input_ids=tokens,
            attention_mask=known_before,
            use_cache=True,
            **repeated,
        )
    chances = output.logits[:, -tokens.shape[1] :].float().log_softmax(-1)
    following = chances.gather(2, filled[:, 1:, None])[:, :, 0]
    return list((total + (following * known[:, 1:]).sum(1)).tolist())


def shared_length(sequences: Sequence[list[int]]) -> int:
    """Return the length of the common prefix, leaving each sequence at least one token."""
    least = min(map(len, sequences)) - 1
    one = sequences[0]
    return next(
        (at for at in range(least) if any(other[at] != one[at] for other in sequences)), least
    )


def _apply_template(tokenizer: Any, system: str, user: str) -> str:
    """Return the conversation up to the model's answer."""
    options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
    question = {"role": "user", "content": user}
    refused = load("jinja2", **TRANSFORMERS).TemplateError
    try:
        text = tokenizer.apply_chat_template(
            [{"role": "system", "content": system}, question], **options
        )
    except refused:  # some templates have no system role
        question["content"] = f"{system}\n\n{user}"
        text = tokenizer.apply_chat_template([question], **options)
    return str(text)


def _special_tokens(tokenizer: Any) -> list[str]:
    added = getattr(tokenizer, "added_tokens_decoder", {}).values()
    texts = {token.content for token in added if token.special} | set(tokenizer.all_special_tokens)
    return sorted((text for text in texts if len(text) > 1), key=len, reverse=True)


def _disarm(text: str, special: Sequence[str]) -> str:
    """Return `text` with a space inserted into each spelled-out special token."""
    for token in special:
        text = text.replace(token, f"{token[0]} {token[1:]}")
    return text


def _first_token(tokenizer: Any) -> list[int]:
    """Return the beginning-of-sequence token, if the tokenizer adds one."""
    before = tokenizer("")["input_ids"][:1]
    return list(before) if before and before[0] == tokenizer.bos_token_id else []
