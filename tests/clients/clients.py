"""The tested clients of language models, with the defaults of their packages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tests.loopback.wires import FIREWORKS, MISTRAL, XAI, Wire

KEY = "k"
AWS = {"aws_access_key_id": KEY, "aws_secret_access_key": KEY, "region_name": "us-east-1"}


@dataclass(frozen=True)
class Client:
    """A client, a row of the table.

    It is made with `settings` for the URL of a server. `changing` changes its requests, `keeping`
    changes no answer. The wire format is given if the path of a request does not tell it.
    """

    module: str
    kind: str
    settings: Callable[[str], dict[str, Any]]
    changing: Mapping[str, Any] = field(default_factory=lambda: {"max_tokens": 7})
    keeping: Mapping[str, Any] = field(default_factory=lambda: {"max_retries": 1, "timeout": 9.0})
    wire: Wire | None = None
    variant: str = ""
    of: str = ""

    @property
    def name(self) -> str:
        """The client's name in the table."""
        return self.kind + self.variant

    @property
    def package(self) -> str:
        """The package that it comes with, or that this library's model uses."""
        return self.of or self.module.replace("_", "-").replace(".", "-")

    def make(self, url: str, **more: Any) -> Any:
        """Return the client, for a server at a URL."""
        kind = getattr(import_module(self.module), self.kind)
        return kind(**{**self.settings(url), **more})

    @property
    def is_ours(self) -> bool:
        """Whether the client is a model of this library."""
        return self.package in ("openai", "google-genai")


def _openai(base: str = "base_url", path: str = "/v1", model: str = "m", **more: Any) -> Any:
    return lambda url: {"model": model, "api_key": KEY, base: url + path, **more}


def _google(url: str) -> dict[str, Any]:
    options = import_module("google.genai.types").HttpOptions(base_url=url)
    return {"model": "m", "api_key": KEY, "http_options": options}


CLAUDE = "anthropic.claude-3-haiku-20240307-v1:0"
TIMEOUT = {"timeout": 9.0}

OURS = "lumber_core.llms"
CLIENTS = [
    Client(OURS, "OpenAIModel", _openai(), keeping=TIMEOUT, of="openai"),
    Client(OURS, "GeminiModel", _openai(path=""), keeping=TIMEOUT, of="google-genai"),
    Client(
        *("langchain_openai", "ChatOpenAI", _openai()),
        keeping={"max_retries": 1, "timeout": 9.0, "streaming": False},
    ),
    Client(
        *("langchain_openai", "ChatOpenAI", _openai(use_responses_api=True)), variant=", responses"
    ),
    Client("langchain_anthropic", "ChatAnthropic", _openai(path="")),
    Client(
        *("langchain_ollama", "ChatOllama", lambda url: {"model": "m", "base_url": url}),
        changing={"num_predict": 7},
        keeping={"client_kwargs": {"timeout": 9.0}},
    ),
    Client(
        *("langchain_mistralai", "ChatMistralAI", _openai("endpoint", "")),
        keeping={"max_retries": 1, "timeout": 9},
        wire=MISTRAL,
    ),
    Client("langchain_google_genai", "ChatGoogleGenerativeAI", _openai(path="")),
    Client("langchain_groq", "ChatGroq", _openai(path="")),
    Client("langchain_deepseek", "ChatDeepSeek", _openai("api_base")),
    Client("langchain_fireworks", "ChatFireworks", _openai(path=""), wire=FIREWORKS),
    Client("langchain_together", "ChatTogether", _openai()),
    Client("langchain_xai", "ChatXAI", _openai("xai_api_base"), wire=XAI),
    Client("langchain_nvidia_ai_endpoints", "ChatNVIDIA", _openai(), keeping={}),
    Client(
        *("langchain_cohere", "ChatCohere"),
        lambda url: {"model": "m", "cohere_api_key": KEY, "base_url": url},
        changing={"temperature": 0.7},
        keeping={"timeout_seconds": 9.0},
    ),
    Client(
        *("langchain_aws", "ChatBedrockConverse"),
        lambda url: {"model": CLAUDE, "endpoint_url": url, **AWS},
        keeping={},
    ),
    Client("llama_index.llms.openai", "OpenAI", _openai("api_base", model="gpt-4o-mini")),
    Client(
        *("llama_index.llms.openai", "OpenAIResponses", _openai("api_base", model="gpt-4o-mini")),
        changing={"max_output_tokens": 7},
    ),
    Client("llama_index.llms.openai_like", "OpenAILike", _openai("api_base", is_chat_model=True)),
    Client("llama_index.llms.groq", "Groq", _openai("api_base")),
    Client("llama_index.llms.deepseek", "DeepSeek", _openai("api_base", model="deepseek-chat")),
    Client("llama_index.llms.together", "TogetherLLM", _openai("api_base")),
    Client(
        *("llama_index.llms.ollama", "Ollama", lambda url: {"model": "m", "base_url": url}),
        changing={"additional_kwargs": {"num_predict": 7}},
        keeping={"request_timeout": 9.0},
    ),
    Client("llama_index.llms.google_genai", "GoogleGenAI", _google, keeping={"max_retries": 1}),
    Client(
        *("llama_index.llms.mistralai", "MistralAI"),
        _openai("endpoint", "", model="magistral-small-latest"),
        keeping={"max_retries": 1, "timeout": 9},
        wire=MISTRAL,
    ),
    Client(
        *("llama_index.llms.bedrock_converse", "BedrockConverse"),
        lambda url: {"model": CLAUDE, "endpoint_url": url, **AWS},
    ),
    Client(
        *("llama_index.llms.anthropic", "Anthropic"),
        _openai(path="", model="claude-3-5-haiku-latest"),
    ),
]
