"""`help()` of every public name is enough to use it; its examples run as printed."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

PACKAGES = (
    *("lumber_core", "lumber_core.llms", "langchain_lumber", "llamaindex_lumber"),
    *("lumber_files", "lumber_retrieval"),
)


def public() -> Iterator[Any]:
    seen = set()
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and value not in seen:
                seen.add(value)
                yield pytest.param(value, id=f"{package}.{name}")


every_public_name = pytest.mark.parametrize("value", [*public()])


def methods_of(owner: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(owner).items():
        if not name.startswith("_") and not name.startswith("model_"):
            if isinstance(member, (classmethod, staticmethod)):
                yield name, member.__func__
            elif inspect.isfunction(member) or isinstance(member, property):
                yield name, member


def parameters_of(value: Any) -> list[str]:
    if inspect.isclass(value) and issubclass(value, Exception):
        return []
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:  # classes in C have no signature
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name
        for parameter in parameters
        if parameter.kind not in variable and parameter.name != "self"
    ]


@every_public_name
def test_public_names_are_documented_with_their_methods(value: Any) -> None:
    assert inspect.getdoc(value)
    if inspect.isclass(value):
        undocumented = [name for name, method in methods_of(value) if not inspect.getdoc(method)]
        assert undocumented == []


@every_public_name
def test_docstrings_describe_every_argument(value: Any) -> None:
    owners = inspect.getmro(value) if inspect.isclass(value) else [value]
    text = "\n".join(filter(None, map(inspect.getdoc, owners)))
    fields = getattr(value, "model_fields", {})  # fields have their own documentation
    text += "".join(f"    {name}: " for name, field in fields.items() if field.description)
    text += "    callback_manager: "  # LlamaIndex does not document it
    if inspect.isabstract(value) or "LlamaIndex's `BaseEmbedding`" in text:
        return  # only subclasses are made, or the framework documents it
    unsaid = [name for name in parameters_of(value) if f"    {name}: " not in text]
    assert unsaid == []


@every_public_name
def test_examples_in_docstrings_run_as_printed(value: Any) -> None:
    module = inspect.getmodule(value)
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(verbose=False)
    names = {**vars(import_module("lumber_core")), **vars(module)}
    for test in finder.find(value, value.__name__, module, globs=names):
        text: list[str] = []
        runner.run(test, out=text.append)
        assert text == []


@pytest.mark.parametrize("package", ["langchain_lumber", "llamaindex_lumber"])
def test_every_splitter_and_embedder_of_an_adapter_has_an_example(package: str) -> None:
    module = import_module(package)
    classes = [getattr(module, name) for name in module.__all__ if name[0] != "_"]
    # A prompt is an object, and the base class of parsers is not for users.
    used = [e for e in classes if callable(e) and e.__name__ != "SpanNodeParser"]
    assert [
        public_class.__name__ for public_class in used if ">>> " not in public_class.__doc__
    ] == []


@every_public_name
def test_help_on_a_constructor_does_not_come_from_the_framework(value: Any) -> None:
    if inspect.isclass(value) and "__init__" in vars(value):
        documentation = inspect.getdoc(value.__init__) or ""
        assert "in characters" not in documentation
        assert "Create a new" not in documentation
