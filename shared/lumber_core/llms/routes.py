"""Finds where the requests of a client go, and the settings by which a gateway chooses a model.

Clients are recognised by their attributes, so that no provider's package is imported: those of
OpenAI, Anthropic, Google, Ollama and botocore, and the httpx clients inside them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from lumber_core.support.secrets import is_secret, without_secrets

Route = dict[str, object]
"""URL, headers, parameters, project and location of a client; only the URL may have credentials."""

_CLIENT_ATTRIBUTES = (
    *("client", "root_client", "async_client", "root_async_client"),  # LangChain's models
    *("_client", "_async_client", "_http_client", "_async_http_client"),
    *("_api_client", "_http_options"),  # google-genai
    "meta",  # botocore
)
_URLS = ("base_url", "api_base", "api_endpoint", "endpoint_url")
_HEADERS = ("default_headers", "headers")
_PARAMETERS = ("default_query", "params")
_PLACES = ("project", "location", "vertexai")
# Headers that clients add themselves; they depend on the client's version and on the machine.
_SDK_HEADERS = r"(?i)accept|connection$|content-|host$|user-agent$|x-stainless-|x-goog-api-client$"
_MAX_NESTED_OBJECTS = 4  # a model holds a resource, which holds a client, and so on to httpx


def routes_of(holder: object) -> list[Route]:
    """Return the routes of a client, or of all clients inside a framework's model."""
    routes: dict[str, Route] = {}
    level = [holder]
    for _ in range(_MAX_NESTED_OBJECTS):
        for client in level:
            if route := _route(client):
                routes[json.dumps(route, sort_keys=True)] = route
        level = [
            inner for outer in level for name in _clients_of(outer) if (inner := _get(outer, name))
        ]
    return [routes[key] for key in sorted(routes)]


def url_of(routes: Iterable[Route]) -> str | None:
    """Return the first URL in `routes`, or None."""
    return next((str(route["url"]) for route in routes if "url" in route), None)


def environment_route(names: Iterable[str]) -> Route:
    """Return the environment variables that are set, with lines of headers as a mapping."""
    variables = {name: value for name in names if (value := os.environ.get(name))}
    route: Route = {}
    for name, value in variables.items():
        headers = (line.partition(":") for line in value.splitlines())
        public = {header.strip(): content.strip() for header, _, content in headers}
        route[name] = _public(public) if name.endswith("HEADERS") else value
    return route


def _clients_of(holder: object) -> Iterable[str]:
    # LlamaIndex's OpenAI creates its clients on first use, from its settings.
    is_lazy = hasattr(type(holder), "_get_client")
    return ("_http_client", "_async_http_client") if is_lazy else _CLIENT_ATTRIBUTES


def _route(client: object) -> Route:
    values = {name: _get(client, name) for name in (*_URLS, *_HEADERS, *_PARAMETERS, *_PLACES)}
    # URLs of httpx have a class of their own, and are empty for a client without a URL.
    urls = [u for name in _URLS if isinstance(u := values[name], str) or type(u).__name__ == "URL"]
    url = next(filter(None, map(str, urls)), "")
    mappings = {
        name: public
        for name in (*_HEADERS, *_PARAMETERS)
        if isinstance(mapping := values[name], Mapping) and (public := _public(mapping))
    }
    places = {name: values[name] for name in _PLACES if isinstance(values[name], str | bool)}
    return {**({"url": url} if url else {}), **mappings, **places}


def _public(headers: Mapping[str, object]) -> dict[str, str]:
    """Return headers or parameters without credentials and without `_SDK_HEADERS`."""
    return {
        name.casefold(): without_secrets(value)
        for name, value in headers.items()
        if isinstance(value, str) and not is_secret(name, value)
        if not re.match(_SDK_HEADERS, name)
    }


def _get(holder: object, name: str) -> object:
    """Return an attribute; None if it does not exist or its property raises."""
    with suppress(Exception):
        return getattr(holder, name, None)
    return None
