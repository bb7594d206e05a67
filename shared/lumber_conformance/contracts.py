"""The contracts: what a pipeline relies on when it hands a text to a splitter.

Each check returns None if the contract is kept, and otherwise a sentence that names the first text
on which it is broken. A check that does not apply to a splitter raises `NotApplicableError`.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

from lumber_conformance.subject import Piece, Subject
from lumber_conformance.texts import LONE_SURROGATES, TEXTS, distinct_text

# Longer than any splitter needs to load its model.
_CHILD_PATIENCE = 120.0
# Text lengths at which growth is measured, and the exponent above which it is not linear.
_GROWTH_SIZES = (25_000, 50_000, 100_000)
_NOT_LINEAR = 1.5
_MEASURABLE = 0.05  # seconds of processor time, below which measurements are mostly noise
_SHOWN = 60


class NotApplicableError(Exception):
    """The splitter makes no promise that this contract covers."""


@dataclass(frozen=True, slots=True)
class Contract:
    """One promise of a splitter.

    Attributes:
        key: Name for selecting it.
        promise: The promise in a sentence.
        check: Returns None if a splitter keeps it, else what went wrong.
    """

    key: str
    promise: str
    check: Callable[[Subject], str | None]


def survives(subject: Subject) -> str | None:
    """Split every text without an error."""
    texts = dict(TEXTS)
    if subject.framework != "llama-index":
        texts["lone surrogates"] = LONE_SURROGATES
    for name, text in texts.items():
        error = subject.first(text).error
        if error is not None:
            return f"{name}: {described(error)}"
    return None


def keeps_text(subject: Subject) -> str | None:
    """Lose no visible character."""
    for name, text, pieces in _every(subject):
        visible = "".join(text.split())
        lost = visible_characters_lost(visible, ["".join(piece.text.split()) for piece in pieces])
        if lost:
            return f"{name}: {lost} of {len(visible)} visible characters are in no chunk"
    return None


def adds_nothing(subject: Subject) -> str | None:
    """Every chunk is an unchanged slice of the source text."""
    for name, text, pieces in _every(subject):
        for piece in pieces:
            if piece.text not in text:
                return f"{name}: {_short(piece.text)} is not a slice of the text"
    return None


def gives_exact_offsets(subject: Subject) -> str | None:
    """Offsets are those of the chunk, even if its text occurs several times."""
    for name, text, pieces in _every(subject):
        fault = _offset_fault(text, pieces, overlaps=subject.overlaps)
        if fault:
            return f"{name}: {fault}"
    return None


def keeps_offsets_in_chains(subject: Subject) -> str | None:
    """Nodes that are parsed again still point into the document."""
    if subject.framework != "llama-index":
        raise NotApplicableError("offsets refer to the text that was split")
    for name in ("prose", "repeated paragraphs"):
        text = TEXTS[name]
        document = subject.document(text)
        again = subject.fresh().splitter
        nodes = again.get_nodes_from_documents(
            subject.splitter.get_nodes_from_documents([document])
        )
        pieces = [
            Piece(node.get_content(), node.start_char_idx, node.end_char_idx)
            for node in nodes
            if not node.child_nodes
        ]
        fault = _offset_fault(text, pieces, overlaps=subject.overlaps)
        if fault:
            return f"{name}: {fault}"
    return None


def holds_its_limit(subject: Subject) -> str | None:
    """No chunk counts more than the splitter's chunk size, by the splitter's own count."""
    if subject.chunk_size is None or subject.length is None:
        raise NotApplicableError("the splitter has no chunk size")
    worst: tuple[float, str] | None = None
    over = total = 0
    for name, _, pieces in _every(subject):
        for piece in pieces:
            total += 1
            count = subject.length(piece.text)
            if count > subject.chunk_size:
                over += 1
                share = count / subject.chunk_size
                worst = max(worst or (0.0, ""), (share, f"{count} in {name}"))
    if worst is None:
        return None
    return f"{over} of {total} chunks exceed {subject.chunk_size}; the largest counts {worst[1]}"


def repeats_itself(subject: Subject) -> str | None:
    """The same text gives the same chunks, also from a second splitter."""
    second = subject.fresh()
    for name, text, pieces in _every(subject):
        if second.split(text) != pieces:
            return f"{name}: a second run gives other chunks"
    return None


def agrees_with_async(subject: Subject) -> str | None:
    """Synchronous and asynchronous calls give the same chunks."""
    alone = {name: pieces for name, _, pieces in _every(subject)}

    async def all_texts() -> dict[str, list[Piece]]:
        return {name: await subject.asplit(TEXTS[name]) for name in alone}

    found = asyncio.run(all_texts())
    for name, pieces in alone.items():
        if found[name] != pieces:
            return f"{name}: the asynchronous call gives other chunks"
    return None


def is_thread_safe(subject: Subject) -> str | None:
    """A splitter used from several threads gives the same chunks as from one."""
    alone = {name: pieces for name, _, pieces in _every(subject)}
    names = [*alone, *alone]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda name: subject.split(TEXTS[name]), names))
    for name, pieces in zip(names, together, strict=True):
        if pieces != alone[name]:
            return f"{name}: other chunks with 8 threads at work"
    return None


def survives_a_fork(subject: Subject) -> str | None:
    """A process forked after the splitter was used gives the same chunks and does not hang."""
    if "fork" not in multiprocessing.get_all_start_methods():
        raise NotApplicableError("this system does not fork")
    text = TEXTS["prose"]
    pieces = subject.split(text)
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_split_and_send, args=(subject, text, sending), daemon=True)
    child.start()
    sending.close()
    try:
        if not receiving.poll(_CHILD_PATIENCE):
            return f"the child process hangs: nothing after {_CHILD_PATIENCE:.0f} s"
        try:
            found = receiving.recv()
        except EOFError:
            return "the child process ends without a result"
    finally:
        receiving.close()
        child.kill()
        child.join()
    if isinstance(found, str):
        return f"the child process fails: {found}"
    return None if found == pieces else "the child process gives other chunks"


def survives_pickling(subject: Subject) -> str | None:
    """A pickled splitter gives the same chunks."""
    try:
        copied = pickle.loads(pickle.dumps(subject.splitter))
    except Exception as error:  # noqa: BLE001 - any error is the finding
        return described(error)
    second = subject.with_splitter(copied)
    for name, text, pieces in _every(subject):
        if second.split(text) != pieces:
            return f"{name}: the copy gives other chunks"
    return None


def leaves_metadata_alone(subject: Subject) -> str | None:
    """Each chunk has its own copy of the metadata; the source's metadata is unchanged."""
    if subject.framework == "chonkie":
        raise NotApplicableError("the text comes without metadata")
    given = {"source": "a.txt", "tags": ["x", "y"]}
    document = subject.document(TEXTS["prose"], given)
    if subject.framework == "langchain":
        chunks = subject.offsetting().transform_documents([document])
    else:
        chunks = subject.splitter.get_nodes_from_documents([document])
    if document.metadata != given:
        return f"the document's metadata became {document.metadata}"
    for chunk in chunks:
        missing = [key for key in given if chunk.metadata.get(key) != given[key]]
        if missing:
            return f"a chunk lacks the metadata {', '.join(missing)}"
    chunks[0].metadata["tags"].append("z")
    chunks[0].metadata["source"] = "b.txt"
    if document.metadata != given:
        return "changing a chunk's metadata changes the document's"
    if any(chunk.metadata["tags"] != given["tags"] for chunk in chunks[1:]):
        return "changing a chunk's metadata changes other chunks'"
    return None


def stays_quiet(subject: Subject) -> str | None:
    """Nothing is printed, to standard output or standard error."""
    printed = "".join(subject.first(text).printed for text in TEXTS.values())
    return f"prints {_short(printed)}" if printed else None


def grows_linearly(subject: Subject) -> str | None:
    """Twice the text takes about twice the processor time."""
    subject.split(distinct_text(_GROWTH_SIZES[0]))
    for kind, text_of in (("prose", distinct_text), ("one word", lambda size: "x" * size)):
        times = []
        for size in _GROWTH_SIZES:
            text = text_of(size)
            times.append(min(_processor_time(subject, text) for _ in range(3)))
        if times[-1] < _MEASURABLE:
            continue
        exponent = math.log(times[-1] / times[0], _GROWTH_SIZES[-1] / _GROWTH_SIZES[0])
        if exponent > _NOT_LINEAR:
            return (
                f"{kind}: {times[0]:.3g} s for {_GROWTH_SIZES[0]:,} characters, {times[-1]:.3g} s "
                f"for {_GROWTH_SIZES[-1]:,} (power {exponent:.1f})"
            )
    return None


CONTRACTS: tuple[Contract, ...] = (
    Contract("errors", "splits any text without an error", survives),
    Contract("text", "loses no visible character", keeps_text),
    Contract("slices", "changes no chunk's text", adds_nothing),
    Contract("offsets", "gives exact offsets", gives_exact_offsets),
    Contract("chains", "keeps offsets exact in a chain of parsers", keeps_offsets_in_chains),
    Contract("limit", "holds its chunk size", holds_its_limit),
    Contract("repeatable", "gives the same chunks every time", repeats_itself),
    Contract("async", "gives the same chunks asynchronously", agrees_with_async),
    Contract("threads", "gives the same chunks in several threads", is_thread_safe),
    Contract("fork", "works in a forked process", survives_a_fork),
    Contract("pickle", "works after pickling", survives_pickling),
    Contract("metadata", "leaves metadata alone", leaves_metadata_alone),
    Contract("quiet", "prints nothing", stays_quiet),
    Contract("linear", "takes time in proportion to the text", grows_linearly),
)
"""Every contract, in the order of the report."""


def visible_characters_lost(visible: str, chunks: Sequence[str]) -> int:
    """Count the characters of a text that no chunk covers.

    Args:
        visible: The text without white space.
        chunks: The chunks without white space, in order; they may overlap.

    Returns:
        The number of characters outside all chunks. A chunk that does not occur after its
        predecessor's start covers nothing.
    """
    covered_to = earliest = lost = 0
    for chunk in chunks:
        if not chunk:
            continue
        # With overlap, the occurrence that reaches furthest begins at or before the gap. In a text
        # that repeats itself the chunk may be an earlier one, and the next one begin there.
        place = visible.rfind(chunk, earliest, covered_to + len(chunk))
        if place < 0:
            place = visible.find(chunk, covered_to)
        if place < 0:
            continue
        lost += max(0, place - covered_to)
        covered_to = max(covered_to, place + len(chunk))
        earliest = visible.find(chunk, earliest)
    return lost + len(visible) - covered_to


def described(error: Exception) -> str:
    """Return an error in one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {_short(message, 120)}" if message else type(error).__name__


def _every(subject: Subject) -> Iterator[tuple[str, str, list[Piece]]]:
    """Yield the texts with their chunks, except texts that the splitter cannot split."""
    for name, text in TEXTS.items():
        pieces = subject.first(text).pieces
        if pieces is not None:
            yield name, text, pieces


def _offset_fault(text: str, pieces: Sequence[Piece], *, overlaps: bool) -> str | None:
    previous_start, previous_end = -1, 0
    for number, piece in enumerate(pieces):
        if piece.start is None or piece.end is None:
            return f"chunk {number} has no offset"
        if piece.start < 0 or text[piece.start : piece.end] != piece.text:
            found = _short(text[max(piece.start, 0) : piece.end])
            return (
                f"chunk {number} is {_short(piece.text)}, but the text at {piece.start} is {found}"
            )
        if not piece.text.strip():
            continue
        if not overlaps and piece.start < previous_end:
            return (
                f"chunk {number} starts at {piece.start}, before the chunk before it ends "
                f"({previous_end}): an earlier place with the same text"
            )
        if piece.start <= previous_start:
            return f"chunk {number} starts at {piece.start}, not after the chunk before it"
        if text[previous_end : piece.start].strip():
            return f"chunk {number} starts at {piece.start}, too late: a later place"
        previous_start, previous_end = piece.start, piece.end
    return None


def _split_and_send(subject: Subject, text: str, sending: Connection) -> None:
    """Split in a child process, with the used splitter and a new one."""
    try:
        used, fresh = subject.split(text), subject.fresh().split(text)
        sending.send(used if used == fresh else "a new splitter gives other chunks")
    except Exception as error:  # noqa: BLE001 - sent to the parent as the finding
        sending.send(described(error))


def _processor_time(subject: Subject, text: str) -> float:
    before = time.process_time()
    subject.split(text)
    return max(time.process_time() - before, 1e-6)


def _short(text: str, most: int = _SHOWN) -> str:
    return repr(text if len(text) <= most else text[: most - 1] + "…")
