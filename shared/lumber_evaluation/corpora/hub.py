"""GutenQA from the Hugging Face hub (extra `evaluation`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lumber_core.errors import HubError
from lumber_core.extras import load, require
from lumber_evaluation.corpora.gutenqa import load_gutenqa_tables
from lumber_evaluation.documents import Corpus

QUESTIONS = "LumberChunker/GutenQA"
PARAGRAPHS = "LumberChunker/GutenQA_Paragraphs"

_TABLES = "*.parquet"


def load_gutenqa_hub(
    books: str | Sequence[str] | None = None,
    *,
    chunks: bool = False,
    revision: str | None = None,
    paragraphs_revision: str | None = None,
    cache_dir: str | Path | None = None,
    token: str | None = None,
    show_progress: bool = False,
) -> Corpus:
    """Load books of GutenQA and their questions from the hub.

    The Parquet files of the datasets LumberChunker/GutenQA and LumberChunker/GutenQA_Paragraphs are
    downloaded through `huggingface_hub` into its cache, once; `HF_ENDPOINT`, `HF_HOME`, `HF_TOKEN`
    and `HF_HUB_OFFLINE` work as they do there.

    Args:
        books: Names of the books to load, such as "Emma_-_Jane_Austen"; None: all 100.
        chunks: Whether to mark the chunks that LumberChunker made as reference segments.
        revision: Branch, tag or commit of LumberChunker/GutenQA; None: its main branch.
        paragraphs_revision: The same for LumberChunker/GutenQA_Paragraphs.
        cache_dir: Where files are cached. None: the cache of `huggingface_hub`.
        token: Access token, for a mirror that requires one; None: the token you are logged in with.
        show_progress: Whether to show a bar for each download.

    Returns:
        A corpus, as from `load_gutenqa_tables`.

    Raises:
        HubError: A dataset, revision or file is not available; the message says what to do.
        ValueError: A book does not exist, or a table lacks a column.
        MissingExtraError: huggingface_hub or pyarrow is not installed.
    """
    require("pyarrow", package="pyarrow", extra="evaluation")
    settings: dict[str, Any] = {
        "cache_dir": cache_dir,
        "token": token,
        "show_progress": show_progress,
    }
    asked = fetch_dataset(QUESTIONS, revision=revision, **settings)
    paragraphs = fetch_dataset(PARAGRAPHS, revision=paragraphs_revision, **settings)
    return load_gutenqa_tables(
        paragraphs, questions=asked, chunks=asked if chunks else None, books=books
    )


def fetch_dataset(
    dataset: str,
    *,
    revision: str | None = None,
    cache_dir: str | Path | None = None,
    token: str | None = None,
    show_progress: bool = False,
) -> Path:
    """Download the Parquet files of a dataset from the hub, unless they are in the cache.

    Args:
        dataset: Its name, `OWNER/NAME`.
        revision: Branch, tag or commit; None: the main branch.
        cache_dir: Where files are cached. None: the cache of `huggingface_hub`.
        token: Access token, for a dataset that requires one; None: the token you are logged in
            with.
        show_progress: Whether to show a bar for each download.

    Returns:
        The folder with the files.

    Raises:
        HubError: The dataset, the revision or its files are not available; the message says what to
            do.
        MissingExtraError: huggingface_hub is not installed.
    """
    hub = load("huggingface_hub", package="huggingface-hub", extra="evaluation")
    errors = load("huggingface_hub.errors", package="huggingface-hub", extra="evaluation")
    utils = load("huggingface_hub.utils", package="huggingface-hub", extra="evaluation")
    # The client reads HF_ENDPOINT when it is imported; later changes should work as well.
    endpoint = os.environ.get("HF_ENDPOINT") or None
    place = endpoint or "https://huggingface.co"
    try:
        with _progress(utils, show=show_progress):
            folder = hub.snapshot_download(
                dataset,
                repo_type="dataset",
                revision=revision,
                allow_patterns=_TABLES,
                cache_dir=cache_dir,
                token=token,
                endpoint=endpoint,
            )
    except errors.GatedRepoError as error:
        raise HubError(
            f"{place} gives the dataset {dataset} only to those whom its owner lets in: ask for "
            f"access at {place}/datasets/{dataset}, then pass token= or set HF_TOKEN"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(
            f"{place} has no dataset {dataset}, or shows it only to some: check HF_ENDPOINT, or "
            "pass token= or set HF_TOKEN if it is private"
        ) from error
    except errors.RevisionNotFoundError as error:
        raise HubError(
            f"the dataset {dataset} at {place} has no revision {revision!r}; expected a branch, "
            "a tag or a commit of it"
        ) from error
    except errors.LocalEntryNotFoundError as error:
        raise HubError(
            f"the dataset {dataset} is not in the cache and {place} did not give it "
            f"({_first_line(error.__cause__ or error)}). {_BY_HAND.format(place, dataset)}"
        ) from error
    except (errors.HTTPError, OSError) as error:
        raise HubError(
            f"the dataset {dataset} could not be downloaded from {place} ({_first_line(error)}). "
            + _BY_HAND.format(place, dataset)
        ) from error
    if not any(Path(folder).rglob(_TABLES)):
        raise HubError(
            f"the dataset {dataset} at {place} contains no {_TABLES} file at revision "
            f"{revision or 'main'!r}; name an older revision=, or load its files by "
            "load_gutenqa_tables"
        )
    return Path(folder)


_BY_HAND = (
    "Try again with a connection and without HF_HUB_OFFLINE; or get its Parquet files from "
    "{}/datasets/{} elsewhere and give their path to load_gutenqa_tables"
)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


@contextmanager
def _progress(utils: Any, *, show: bool) -> Iterator[None]:
    """Hide the client's own progress bars temporarily, unless they are requested."""
    if show or utils.are_progress_bars_disabled():
        yield
        return
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.enable_progress_bars()
