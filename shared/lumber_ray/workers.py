"""What a worker needs to split documents, and the pool of actors that are the workers."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lumber_core import AnswerStore, BertChunker, TextEmbedder
from lumber_core.checks import check_not_negative, check_positive
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.sizes import check_overlap
from lumber_core.support.extras import load
from lumber_core.support.identity import identity_of
from lumber_ray.rate_limit import SharedLimiter, asked_model, rate_limit_actor
from lumber_ray.rows import DocumentSplitter, embed_with
from lumber_retrieval.embedding import check_flags

logger = logging.getLogger(__name__)

DEFAULT_WORKER: Mapping[str, Any] = {"num_cpus": 1}
# Options of a worker, and the resource of the cluster that they ask for.
_RESOURCES = {"num_cpus": "CPU", "num_gpus": "GPU"}


@dataclass(frozen=True)
class WorkerSetup:
    """How documents are split; sent to each worker.

    Attributes:
        chunker: The splitter.
        chunk_overlap: Tokens to repeat from the chunk before.
        embedder: Embeds the chunks, or None.
        context: Whether the vectors know what stands above a chunk.
        surroundings: Whether they know the chunks around it.
        threads: CPUs of a worker.
        rate_limit: The actor with the rate limit, or None.
    """

    chunker: Chunker
    chunk_overlap: int = 0
    embedder: Any = None
    context: bool = True
    surroundings: bool = True
    threads: int = 1
    rate_limit: Any = None

    def settings(self, format: str) -> dict[str, str]:  # noqa: A002
        """Return what determines the rows, by name."""
        settings = {
            "format": format,
            "splitter": self.chunker.identity,
            "chunk_overlap": str(self.chunk_overlap),
            "embedder": identity_of(self.embedder),
        }
        if self.embedder is not None:
            settings["context"] = str(self.context)
            settings["surroundings"] = str(self.surroundings)
        return settings

    def open(self) -> DocumentSplitter:
        """Load the models and connect the rate limit; called once in each worker."""
        chunker, embedder = self.chunker, self.embedder
        for model in (chunker, embedder):
            # By default both take all CPUs of the machine, which the workers of a machine share.
            if isinstance(model, BertChunker | TextEmbedder) and model.threads is None:
                model.threads = self.threads
        if isinstance(chunker, BertChunker):
            chunker.load()
        judge = asked_model(self.chunker)
        if judge is not None and self.rate_limit is not None:
            judge.limiter = SharedLimiter(self.rate_limit)
        return DocumentSplitter(
            self.chunker,
            chunk_overlap=self.chunk_overlap,
            embed=None if self.embedder is None else embed_with(self.embedder),
            context=self.context,
            surroundings=self.surroundings,
        )


@dataclass(frozen=True)
class Pool:
    """The actors of a run.

    Attributes:
        workers: Their number, or the most there may be.
        options: Further arguments of `map_batches`.
    """

    workers: int
    options: Mapping[str, Any]

    def arguments(
        self, setup: WorkerSetup, *others: object, elastic: bool = False
    ) -> dict[str, Any]:
        """Return the arguments of `map_batches` for a class made with a setup and others.

        Args:
            setup: How documents are split.
            *others: Further arguments of the class.
            elastic: Start with one actor. If all started at once, none of the CPUs would be left
                for the tasks that give them their input.
        """
        data = load("ray.data", package="ray", extra="ray")
        least = 1 if elastic else self.workers
        return {
            "batch_format": "pyarrow",
            "fn_constructor_args": (setup, *others),
            "compute": data.ActorPoolStrategy(min_size=least, max_size=self.workers),
            **self.options,
        }


def checked_setup(
    splitter: object,
    chunk_overlap: int,
    embedder: Any,
    context: bool,
    surroundings: bool,
) -> WorkerSetup:
    """Return how documents are split, with everything checked that can be without Ray.

    Raises:
        TypeError: An argument is of the wrong kind, or cannot be pickled.
        ValueError: `chunk_overlap` does not fit the splitter.
        StoreError: The splitter's store cannot be used.
        WeightsError: The files of the splitter's model are missing.
        MissingExtraError: Ray is not installed.
    """
    if not isinstance(splitter, Chunker):
        inner = getattr(splitter, "chunker", None)
        raise TypeError(
            f"splitter must be a splitter of lumber_core, not {type(splitter).__name__}"
            + (": pass its attribute chunker, and chunk_overlap here" if inner is not None else "")
        )
    check_not_negative("chunk_overlap", chunk_overlap)
    check_overlap(chunk_overlap, splitter.chunk_size)
    check_flags(context=context, surroundings=surroundings)
    if embedder is not None:
        embed_with(embedder)
    cloudpickle = load("ray.cloudpickle", package="ray", extra="ray")
    try:
        cloudpickle.dumps((splitter, embedder))
    except Exception as error:
        raise TypeError(f"the workers get a pickled splitter, but {error}") from error
    if asked_model(splitter) is not None:
        store = getattr(splitter.settings, "store", None)
        if store is None:
            logger.warning(
                "the splitter has no store: if a worker dies, the answers for its documents are "
                "paid for again"
            )
        else:
            (store if isinstance(store, AnswerStore) else AnswerStore(store)).open()
    _ = splitter.identity  # raises if a model's files are missing
    return WorkerSetup(splitter, chunk_overlap, embedder, context, surroundings)


def checked_pool(workers: int | None, worker_options: Mapping[str, Any] | None) -> Pool:
    """Return the pool, with one worker for each free place in the cluster by default.

    Raises:
        ValueError: `workers` is below 1, or the cluster has not enough CPUs or GPUs for one.
        TypeError: `workers` is not a whole number.
    """
    if workers is not None:
        check_positive("workers", workers)
    ray = load("ray", package="ray", extra="ray")
    if not ray.is_initialized():
        ray.init()
    options = {**DEFAULT_WORKER, **(worker_options or {})}
    resources = ray.cluster_resources()
    fitting = []
    for option, resource in _RESOURCES.items():
        needed, there = float(options.get(option) or 0), float(resources.get(resource, 0))
        if needed:
            fitting.append(int(there // needed))
            if fitting[-1] < (workers or 1):
                raise ValueError(
                    f"{workers or 1} workers with {needed:g} {resource}s each do not fit into the "
                    f"cluster, which has {there:g}: pass fewer workers, or worker_options="
                    f"{{{option!r}: ...}}"
                )
    return Pool(workers or min(fitting, default=int(resources.get("CPU", 0))), options)


def in_cluster(setup: WorkerSetup, pool: Pool) -> WorkerSetup:
    """Return the same setup with what only a running cluster has."""
    return replace(
        setup,
        threads=max(1, int(pool.options["num_cpus"] or 1)),
        rate_limit=rate_limit_actor(setup.chunker),
    )
