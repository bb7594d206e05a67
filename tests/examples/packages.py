"""Whether the packages of an example are installed."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest


def needs(*packages: str) -> None:
    """Skip unless the packages of an example are installed."""
    missing = [name for name in packages if not _installed(name)]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}: run make test-examples")


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True
