"""The models that talk over HTTP, each with its real package, and both ways to ask them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_core.llms import (
    Completion,
    GeminiModel,
    LegacyGeminiModel,
    LocalModel,
    Model,
    OpenAIModel,
)
from lumber_core.lumber import Group
from lumber_core.lumber.answer_parser import read_answer
from lumber_core.lumber.grouping import TextUnits
from lumber_core.lumber.prompt import possible_answers
from lumber_core.spans import Span
from tests.loopback.server import LoopbackServer

SYSTEM = "You divide a document.\nReply with one line."
USER = "<paragraphs>\nID 5: One.\nID 6: Two.\nID 7: Three.\n</paragraphs>\n\nWhich?"
CHOICES = range(6, 8)
ANSWERS = possible_answers(CHOICES)
KEY = "sk-do-not-tell-4711"
LOGGER = "lumber_core.llms"

MODELS = {"openai": OpenAIModel, "gemini": GeminiModel, "legacy": LegacyGeminiModel}
MODULES = {
    "openai": ("openai", "openai is not installed"),
    "gemini": ("google.genai", "google-genai is not installed"),
    "legacy": (
        "google.generativeai",
        "google-generativeai is not installed: run make test-legacy",
    ),
}


def unit_of(text: str) -> int | None:
    """The unit that an answer names."""
    return min(read_answer(text, CHOICES).starts, default=None)


def three() -> Group:
    """Units 5 to 7 of a document."""
    starts = range(0, 32, 4)
    text = "".join(f"p{number}. " for number in range(len(starts)))
    return Group(TextUnits(text, [Span(start, start + 4) for start in starts]), 5, 8)


def need(api: str) -> None:
    """Skip, by name, a test whose package is not installed."""
    module, reason = MODULES[api]
    try:
        found = find_spec(module) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        pytest.skip(reason)


@pytest.fixture(params=["openai", "gemini", pytest.param("legacy", marks=pytest.mark.legacy)])
def api(request: pytest.FixtureRequest) -> str:
    """The name of each API model whose package is installed."""
    need(request.param)
    return str(request.param)


@pytest.fixture(params=["openai", "gemini"])
def schema_api(request: pytest.FixtureRequest) -> str:
    """Likewise, those that can restrict the answer."""
    need(request.param)
    return str(request.param)


@pytest.fixture
def serve() -> Iterator[Callable[..., LoopbackServer]]:
    """Start servers that end with the test."""
    running = []

    def start(*args: Any, **settings: Any) -> LoopbackServer:
        server = LoopbackServer(*args, **settings).__enter__()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


BARE: dict[str, Any] = {"temperature": None, "max_tokens": None}
"""Settings of a model whose questions without allowed answers have no simpler form."""


def model_at(server: LoopbackServer, api: str, **settings: Any) -> Model:
    """Make a model that asks the server."""
    base_url = server.openai_url if api == "openai" else server.url
    return MODELS[api]("a-model", **{"base_url": base_url, "api_key": KEY} | settings)


def _sync(model: Model, system: str = SYSTEM, user: str = USER, **more: Any) -> Completion:
    return model.complete(system, user, **({"answers": ANSWERS} | more))


def _async(model: Model, system: str = SYSTEM, user: str = USER, **more: Any) -> Completion:
    return asyncio.run(model.acomplete(system, user, **({"answers": ANSWERS} | more)))


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Completion]:
    """Ask a model, by either method of the protocol."""
    return {"sync": _sync, "async": _async}[request.param]


def status_of(error: Exception) -> int:
    """The HTTP status that a package's error carries."""
    return int(getattr(error, "status_code", None) or getattr(error, "code"))  # noqa: B009


@pytest.fixture
def tiny() -> Callable[..., SimpleNamespace]:
    """Make small random local models: see `tiny_local`."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    torch.set_num_threads(1)  # threads cost such small models more than they save
    return tiny_local


TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@cache
def byte_pairs() -> str:
    """A byte-pair tokenizer trained on a few lines of what models are asked here."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=["<|bos|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    lines = [f"Answer: ID {n}\nAnswer: none\n{SYSTEM}{USER}" for n in range(0, 30, 2)]
    inner.train_from_iterator(lines, trainer)
    return str(inner.to_str())


def tiny_local(kind: str = "gpt2", seed: int = 0, *, chat: bool = False) -> SimpleNamespace:
    """A causal model with random weights, with its tokenizer."""
    import torch
    from tokenizers import Tokenizer
    from transformers import (
        GPT2Config,
        GPT2LMHeadModel,
        LlamaConfig,
        LlamaForCausalLM,
        MambaConfig,
        MambaForCausalLM,
        PreTrainedTokenizerFast,
    )

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(byte_pairs()),
        bos_token="<|bos|>",
        eos_token="<|im_end|>",
    )
    if chat:
        tokenizer.chat_template = TEMPLATE
    torch.manual_seed(seed)
    vocabulary = len(tokenizer)
    if kind == "gpt2":
        config = GPT2Config(
            vocab_size=vocabulary, n_positions=512, n_embd=32, n_layer=2, n_head=4,
            initializer_range=0.5, bos_token_id=0, eos_token_id=2,
        )  # fmt: skip
        model: Any = GPT2LMHeadModel(config)
    elif kind == "mamba":
        mamba = MambaConfig(
            vocab_size=vocabulary, hidden_size=32, state_size=4, num_hidden_layers=2,
            initializer_range=0.5, bos_token_id=0, eos_token_id=2, pad_token_id=0,
        )  # fmt: skip
        model = MambaForCausalLM(mamba)
    else:
        llama = LlamaConfig(
            vocab_size=vocabulary, max_position_embeddings=512, hidden_size=32,
            intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, initializer_range=0.5, bos_token_id=0, eos_token_id=2,
        )  # fmt: skip
        model = LlamaForCausalLM(llama)
    return SimpleNamespace(
        network=model,
        tokenizer=tokenizer,
        model=lambda **more: LocalModel(model, tokenizer, **more),
    )
