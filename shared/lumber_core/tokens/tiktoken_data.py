"""Loading a tiktoken encoding, even if its vocabulary cannot be downloaded.

tiktoken downloads a vocabulary on first use. llama-index-core contains two vocabularies in the
format of tiktoken's cache; they are used if that package is installed.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from lumber_core.errors import TokenizerDataError

if TYPE_CHECKING:
    from tiktoken import Encoding

_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
# tiktoken names a cached vocabulary by the SHA-1 of its URL.
_SHIPPED = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
_environment = Lock()


def load_encoding(name: str) -> Encoding:
    """Return a tiktoken encoding by name.

    Raises:
        TokenizerDataError: Its vocabulary is not on this machine and cannot be downloaded. The
            message states what to do.
    """
    import tiktoken

    shipped = _shipped_folder(name)
    if shipped is not None and not any(os.environ.get(key) for key in _CACHE_VARIABLES):
        return _from_folder(name, shipped)
    try:
        return tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:  # requests raises OSErrors; a wrong file is a ValueError
        if shipped is not None:
            return _from_folder(name, shipped)
        raise TokenizerDataError(
            f"tiktoken could not download the vocabulary of {name!r} ({type(error).__name__}). To "
            "solve this: pip install llama-index-core, which ships cl100k_base and o200k_base; set "
            "TIKTOKEN_CACHE_DIR to a folder that holds tiktoken's cached file; or pass "
            'tokenizer="estimate", a Hugging Face tokenizer, or a function that counts'
        ) from error


def _from_folder(name: str, folder: Path) -> Encoding:
    """Load an encoding with tiktoken's cache temporarily set to `folder`."""
    import tiktoken

    variable = _CACHE_VARIABLES[0]
    with _environment:
        before = os.environ.get(variable)
        os.environ[variable] = str(folder)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ[variable]
            else:
                os.environ[variable] = before


def _shipped_folder(name: str) -> Path | None:
    """Return llama-index-core's tiktoken cache if it holds `name`, without importing it."""
    if name not in _SHIPPED:
        return None
    try:
        package = distribution("llama-index-core")
    except PackageNotFoundError:
        return None
    folder = Path(str(package.locate_file("llama_index/core/_static/tiktoken_cache")))
    return folder if (folder / _SHIPPED[name]).is_file() else None
