"""Identities: cache keys that change whenever an object's output may change.

An identity contains no credentials and no memory addresses, and is the same in every process.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from enum import Enum
from pathlib import PurePath
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID, uuid5

from lumber_core.spans import Span
from lumber_core.support.secrets import is_secret

NOT_COVERED = "code not covered"
"""Marks the name of a custom function in an identity, which does not change if its code does."""

_CHUNK_NAMESPACE = UUID("6d1c0b5e-7a53-5c0c-9d2e-4f0a8b7c3e21")

_DATA = (bool, int, float, complex, str, bytes, PurePath)
_OUR_PACKAGES = ("lumber_core", "langchain_lumber", "llamaindex_lumber")


def identity_of(value: object) -> str:
    """Return the identity of a setting.

    An object with a string `identity` is identified by it, an object of this library by its `repr`,
    and any other function or object by its qualified name, marked `NOT_COVERED`.
    """
    try:
        identity = getattr(value, "identity", None)
    except ValueError:  # a judge that is a function without an identity
        return f"{value!r} ({NOT_COVERED})"
    if isinstance(identity, str) and not isinstance(value, type):
        return identity
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(identity_of, value))}]"
    if isinstance(value, Mapping):
        entries = (f"{name}={identity_of(entry)}" for name, entry in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, functools.partial):
        # A digest of the arguments: any of them may be a secret.
        keywords = {
            name: argument
            for name, argument in value.keywords.items()
            if not is_secret(name, argument)
        }
        arguments = text_digest(f"{identity_of(value.args)}, {identity_of(keywords)}")[:16]
        return f"partial({identity_of(value.func)}, {arguments})"
    module, name = _qualified_name(value)
    if module.partition(".")[0] == "lumber_core":
        return f"{module}.{name}" if hasattr(value, "__qualname__") else repr(value)
    return f"{module}.{name} ({NOT_COVERED})"


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, which may have lone surrogates, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest(*parts: str) -> str:
    """Return a SHA-256 of texts as a key; it differs for ("ab", "c") and ("a", "bc")."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        hasher.update(len(encoded).to_bytes(8, "big"))
        hasher.update(encoded)
    return hasher.hexdigest()


def safe_repr(value: object) -> str:
    """Return the text that `repr` and error messages show for any value, without credentials.

    Data and objects of this library are shown by their `repr`, functions and classes by their
    qualified names. Of other objects only the class is shown: the `repr` of a language model may
    contain its key.
    """
    if isinstance(value, _DATA) or value is None:
        return repr(value)
    if isinstance(value, list | tuple | set | frozenset | dict):
        entries = [*value, *value.values()] if isinstance(value, dict) else value
        return repr(value) if all(isinstance(entry, _DATA) for entry in entries) else _kind(value)
    if isinstance(value, functools.partial):
        return f"partial({safe_repr(value.func)}, ...)"
    if hasattr(value, "__qualname__"):
        return ".".join(_qualified_name(value))
    bases = (base.__module__.partition(".")[0] for base in type(value).__mro__)
    return repr(value) if any(base in _OUR_PACKAGES for base in bases) else _kind(value)


def _kind(value: object) -> str:
    return f"<{'.'.join(_qualified_name(value)).removeprefix('builtins.')} object>"


def class_identity(kind: type) -> str:
    """Return the name of a class; add module and `NOT_COVERED` if it is of another library."""
    module, name = _qualified_name(kind)
    return name if module.startswith("lumber_") else f"{module}.{name} ({NOT_COVERED})"


def settings_digest(
    settings: Mapping[str, object], *, without: Collection[str] = (), anywhere: str = "(?!)"
) -> str:
    """Return a digest of settings that reveals none of them: 16 hexadecimal digits.

    Entries with names of credentials ("api_key", "Authorization") are left out at any depth, and
    so are the user and password of URLs: a new key does not change the digest. Everything else
    counts: URLs, headers and nested values. Objects that are not data count by class. Names in
    `without` are ignored at the top level, and names that match `anywhere` at any depth.
    """
    counted = {name: value for name, value in settings.items() if name not in without}
    return text_digest(json.dumps(_plain_data(counted, anywhere), sort_keys=True))[:16]


def chunk_id(source: object, span: Span, text: str, splitter: str) -> str:
    """Return the ID of a chunk: the same for the same chunk in every run and process.

    `source` identifies the document by its ID or its metadata, and `splitter` is the splitter's
    identity. The ID is a UUID as a string, which every vector store accepts.
    """
    return str(uuid5(_CHUNK_NAMESPACE, _encode([source, *span, text, splitter])))


# JSON in ASCII escapes lone surrogates. `json.dumps` would make an encoder for each chunk.
_encode = json.JSONEncoder(
    sort_keys=True,
    default=lambda value: (
        sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
    ),
).encode


def _plain_data(value: object, ignored: str) -> object:
    """Return data for JSON without credentials, and without ignored names."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _without_credentials(value) if "://" in value else value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {
            str(name): _plain_data(entry, ignored)
            for name, entry in value.items()
            if not is_secret(str(name), entry) and not re.search(ignored, str(name))
        }
    if isinstance(value, list | tuple):
        return [_plain_data(entry, ignored) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(_plain_data(entry, ignored), sort_keys=True) for entry in value)
    fields = getattr(type(value), "model_fields", None)  # a model of pydantic
    if fields is not None:
        return _plain_data({name: getattr(value, name) for name in fields}, ignored)
    module, name = _qualified_name(value)
    return f"{module}.{name}"


def _without_credentials(url: str) -> object:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = [(name, entry) for name, entry in parse_qsl(parts.query) if not is_secret(name, entry)]
    return [parts.scheme, parts.netloc.rpartition("@")[2], parts.path, sorted(query)]


def _qualified_name(value: object) -> tuple[str, str]:
    """Return the module and the qualified name of a function, or of an object's class."""
    owner = value if hasattr(value, "__qualname__") else type(value)
    return str(getattr(owner, "__module__", None)), str(getattr(owner, "__qualname__", owner))
