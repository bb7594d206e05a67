import logging
import pickle
from pathlib import Path

import pytest

from lumber_core.errors import ModelSettingsError
from lumber_core.llms import GeminiModel, LegacyGeminiModel, OpenAIModel
from lumber_core.llms.retry import RetryingModel
from tests.alone import run_python
from tests.core.llms.conftest import KEY, MODELS, model_at, unit_of
from tests.loopback.faults import Status


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_a_key_of_the_environment_is_not_sent_to_a_named_server(
    api, serve, ask, monkeypatch, variable
):
    monkeypatch.setenv(variable, KEY)
    server = serve("Answer: ID 7")
    assert unit_of(ask(model_at(server, api, api_key=None)).text) == 7
    assert KEY not in str(server.requests[0].headers)


def test_headers_of_the_environment_are_not_sent_to_a_named_server(serve, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-planted")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Key: gateway-planted\nX-Other: planted")
    server = serve("Answer: ID 7")
    assert unit_of(ask(model_at(server, "openai")).text) == 7
    assert "planted" not in str(server.requests[0].headers)
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    ask(OpenAIModel("a-model", api_key=KEY))
    # Older versions of the package send no custom headers.
    assert str(server.requests[1].headers).count("planted") in (2, 4)


def test_an_error_about_a_missing_key_states_what_to_do(schema_api, ask, monkeypatch):
    for variable in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    variable = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}[schema_api]
    for model in (MODELS[schema_api]("a-model"), RetryingModel(MODELS[schema_api]("a-model"))):
        with pytest.raises(ModelSettingsError, match=f"{variable}.*api_key="):
            ask(model)


@pytest.mark.parametrize("given", ["as a setting", "by the environment"])
def test_a_key_that_a_server_echoes_is_removed_from_the_error(
    given, schema_api, serve, ask, caplog, monkeypatch
):
    key = "planted4711"  # does not look like a key
    server = serve(faults=lambda request: Status(400, f"got headers {request.headers} and {key}"))
    if given == "as a setting":
        model = model_at(server, schema_api, api_key=key)
    else:
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        for api in ("OPENAI", "GEMINI"):
            monkeypatch.setenv(f"{api}_API_KEY", key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        model = MODELS[schema_api]("a-model")
    with caplog.at_level(logging.DEBUG, "lumber_core"), pytest.raises(Exception) as caught:  # noqa: PT011
        ask(model)
    assert key in str(server.requests[0].headers)
    assert key not in f"{caught.value} {caught.value!r} {caplog.text}"


def test_redirects_are_not_followed_and_the_error_names_both_servers(schema_api, serve, ask):
    other = serve()
    location = {"Location": f"{other.url}/elsewhere?key={KEY}"}
    server = serve(faults=lambda request: Status(307, headers=location))
    with pytest.raises(ModelSettingsError) as caught:
        ask(model_at(server, schema_api))
    assert f"{server.url}" in str(caught.value)
    assert f"{other.url}/elsewhere, which gets neither text nor key" in str(caught.value)
    assert not other.requests


def test_the_identity_distinguishes_models(api, serve):
    server = serve()
    identities = {
        model_at(server, api).identity,
        model_at(server, api, temperature=0.5).identity,
        model_at(serve(), api).identity,
        MODELS[api]("other", base_url=server.url).identity,
    }
    assert len(identities) == 4
    assert model_at(server, api).identity == model_at(server, api, api_key="other").identity


def test_the_query_of_a_url_is_part_of_the_identity_and_not_shown(api):
    def identity(query: str) -> str:
        return MODELS[api]("m", base_url=f"http://127.0.0.1:1/v1{query}").identity

    assert len({identity(""), identity("?deployment=a"), identity("?deployment=b")}) == 3
    assert identity(f"?deployment=a&api_key={KEY}") == identity("?deployment=a")
    assert KEY not in identity(f"?x={KEY}")


def test_client_settings_that_route_requests_are_part_of_the_identity():
    import httpx
    import openai

    def identity(**settings: object) -> str:
        settings = {"api_key": "key-one", "base_url": "http://127.0.0.1:1/v1", **settings}
        return OpenAIModel("m", client=openai.OpenAI(**settings)).identity

    ways = [
        *({"base_url": "http://127.0.0.1:2/v1"}, {"default_headers": {"X-Route": "first"}}),
        *({"default_headers": {"X-Route": "second"}}, {"default_query": {"deployment": "first"}}),
        {"organization": "first"},
        {"http_client": httpx.Client(headers={"X-Route": "third"})},
    ]
    assert len({identity(), *(identity(**way) for way in ways)}) == 1 + len(ways)
    for key in (
        {"api_key": "key-two"},
        {"default_headers": {"X-Api-Key": "key-two"}},
        {"http_client": httpx.Client(headers={"Authorization": "Bearer key-two"})},
    ):
        assert identity(**key) == identity(), key


@pytest.mark.parametrize(
    ("make", "variable"),
    [
        *((OpenAIModel, "OPENAI_BASE_URL"), (OpenAIModel, "OPENAI_CUSTOM_HEADERS")),
        *((OpenAIModel, "OPENAI_PROJECT_ID"), (GeminiModel, "GOOGLE_GEMINI_BASE_URL")),
        (GeminiModel, "GOOGLE_CLOUD_LOCATION"),
    ],
)
def test_environment_variables_that_route_requests_are_part_of_the_identity(
    make, variable, monkeypatch
):
    before, with_url = make("m").identity, make("m", base_url="http://127.0.0.1:1").identity
    value = "X-Route: {}" if variable.endswith("HEADERS") else "http://{}"
    identities = {before}
    for place in ("first", "second"):
        monkeypatch.setenv(variable, value.format(place))
        identities.add(make("m").identity)
    assert len(identities) == 3
    assert make("m", base_url="http://127.0.0.1:1").identity == with_url


def test_a_model_keeps_the_server_that_the_environment_named_when_made(serve, ask, monkeypatch):
    first, second = serve("Answer: ID 7"), serve("Answer: ID 7")
    monkeypatch.setenv("OPENAI_BASE_URL", first.openai_url)
    model = OpenAIModel("m", api_key=KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", second.openai_url)
    assert first.url in model.identity
    assert first.url in model.server
    ask(model)
    assert (first.count, second.count) == (1, 0)


def test_a_model_is_pickled_before_and_after_it_was_asked(api, serve, ask):
    server = serve("Answer: ID 7")
    model = model_at(server, api)
    fresh = pickle.loads(pickle.dumps(model))
    ask(model)
    used = pickle.loads(pickle.dumps(model))
    for copy in (fresh, used):
        assert unit_of(ask(copy).text) == 7
        assert (repr(copy), copy.identity) == (repr(model), model.identity)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"base_url": "localhost:8000"}, ValueError, "base_url must look like"),
        ({"base_url": 8000}, TypeError, "base_url must be a str"),
        ({"api_key": b"key"}, TypeError, "api_key must be a str"),
        ({"api_key": ""}, ValueError, "api_key is empty"),
        ({"model": ""}, ValueError, "model is empty"),
        ({"temperature": 3}, ValueError, "temperature must be from 0 to 2"),
        ({"temperature": float("nan")}, ValueError, "temperature must be a finite number"),
        ({"timeout": None}, TypeError, "timeout must be a number"),
        ({"max_tokens": 0}, ValueError, "max_tokens"),
        ({"max_tokens": 1.5}, TypeError, "max_tokens"),
    ],
)
def test_wrong_settings_are_refused_at_once(api, settings, error, message):
    with pytest.raises(error, match=message):
        MODELS[api](**{"model": "a-model"} | settings)


def test_a_users_openai_client_is_used_without_its_retries(serve, ask):
    import openai

    server = serve("Answer: ID 7", faults={1: Status(500)})
    client = openai.OpenAI(base_url=server.openai_url, api_key=KEY, max_retries=5)
    model = OpenAIModel("a-model", client=client, temperature=None)
    with pytest.raises(openai.InternalServerError):
        ask(model, answers=None)
    assert unit_of(ask(model).text) == 7
    assert server.count == 2
    assert server.url in model.identity
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    with pytest.raises(ValueError, match="has its own"):
        OpenAIModel("a-model", client=client, api_key=KEY)


def test_a_users_gemini_client_is_used(serve, ask):
    from google import genai

    server = serve("Answer: ID 7")
    client = genai.Client(api_key=KEY, http_options={"base_url": server.url})
    model = GeminiModel("a-model", client=client)
    assert unit_of(ask(model).text) == 7
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    with pytest.raises(ValueError, match="has its own"):
        GeminiModel("a-model", client=client, base_url=server.url)


def test_clients_that_cannot_be_called_are_refused():
    import openai
    from google import genai

    client = genai.Client(api_key=KEY)
    for model, wrong in (
        (OpenAIModel, openai.AsyncOpenAI(api_key=KEY)),
        (OpenAIModel, KEY),
        (GeminiModel, client.aio),
    ):
        with pytest.raises(TypeError, match=r"must be a synchronous .*, not (Async.*|str): "):
            model("a-model", client=wrong)


@pytest.mark.legacy
def test_legacy_models_do_not_share_their_configuration(serve, ask):
    one, other = serve("Answer: ID 6"), serve("Answer: ID 7")
    first = LegacyGeminiModel("a-model", base_url=one.url, api_key="key-of-one")
    second = LegacyGeminiModel("a-model", base_url=other.url, api_key="key-of-other")
    assert [unit_of(ask(model).text) for model in (first, second, first)] == [6, 7, 6]
    assert {request.headers["x-goog-api-key"] for request in one.requests} == {"key-of-one"}


def test_creating_models_does_not_import_packages(api: str, tmp_path: Path) -> None:
    name = MODELS[api].__name__
    code = f"""
import sys
from lumber_core.llms import {name}
print(repr({name}("m", api_key="k")), {name}("m").identity)
heavy = ("openai", "google.genai", "google.generativeai", "torch", "transformers", "httpx")
assert not set(heavy) & set(sys.modules), set(heavy) & set(sys.modules)
"""
    run_python(code, cwd=tmp_path)
