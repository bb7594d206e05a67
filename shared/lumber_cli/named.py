"""What words on the command line stand for: documents, models, splitters, tokenizers, numbers."""

from __future__ import annotations

from pathlib import Path

from lumber_cli.models import named_model
from lumber_core import LumberChunker, ModelJudge, Prices
from lumber_core.llms import CallPolicy, Model
from lumber_core.tokens import token_counter
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.folder import Sections
from lumber_evaluation.documents import Corpus
from lumber_evaluation.embedders import embedder as embedder_of
from lumber_evaluation.llm.propositions import PropositionSplitter
from lumber_evaluation.splitters import Subject, preset, subject


def corpus_in(folder: Path, questions: Path | None, sections: str | None) -> Corpus:
    """Load a folder's documents, questions and sections."""
    known: dict[str, Sections] = {"headings": "headings", "marks": "marks"}
    if sections is not None and sections not in known:
        raise ValueError(f"--sections must be headings or marks, not {sections!r}")
    marked = None if sections is None else known[sections]
    return load_folder(folder, questions=questions, sections=marked)


def chosen_model(name: str | None, base_url: str | None, key_variable: str | None) -> Model | None:
    """Return the model that a command is to ask; None where it names none."""
    if name is None:
        if base_url is not None or key_variable is not None:
            raise ValueError("--base-url and --key-variable are about a model: pass --model NAME")
        return None
    return named_model(name, base_url=base_url, key_variable=key_variable)


def asks_model(spec: str) -> bool:
    """Tell whether a splitter asks the model where there is one."""
    return spec.partition(":")[0] in ("lumber", "propositions")


def completions_in(work: Path) -> Path:
    """Return the file that keeps a command's completions."""
    work.mkdir(parents=True, exist_ok=True)
    return work / "completions.db"


def splitter_named(
    spec: str,
    model: Model | None,
    policy: CallPolicy,
    work: Path,
    max_concurrency: int,
    embedder: str,
) -> Subject:
    """Make a splitter; `lumber` is judged by the model where there is one.

    Raises:
        ValueError: The name or its number is none there is, or a model is missing.
    """
    kind, colon, number = spec.partition(":")
    if spec == "propositions":
        if model is None:
            raise ValueError("propositions are written by a model: pass --model NAME")
        return PropositionSplitter(
            model, store=completions_in(work), policy=policy, max_concurrency=max_concurrency
        )
    if kind == "lumber-local":
        return subject(preset(f"lumber{colon}{number}"), name=spec)
    made = preset(spec, embedder=embedder_of(embedder))
    if model is None or kind != "lumber":
        return made
    work.mkdir(parents=True, exist_ok=True)
    chunker = LumberChunker(
        ModelJudge(model, policy=policy),
        theta=int(float(number)) if number else 550,
        store=work / "answers.db",
        max_concurrency=max_concurrency,
    )
    return subject(chunker, name=spec)


def check_tokenizer(tokenizer: str) -> None:
    """Refuse a tokenizer that there is not, or whose vocabulary cannot be had.

    Raises:
        ValueError: There is no such tokenizer.
        TokenizerDataError: Its vocabulary is neither here nor downloadable.
    """
    token_counter(tokenizer).count([""])


def numbers_in(option: str, text: str) -> list[float]:
    """Read numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} takes numbers with commas between them, not {text!r}") from None


def prices_in(text: str | None) -> Prices | None:
    """Read the prices of a million tokens sent and received."""
    if text is None:
        return None
    numbers = numbers_in("--prices", text)
    if len(numbers) != 2 or min(numbers) < 0:
        raise ValueError(
            f"--prices takes two numbers, for a million tokens sent and received, not {text!r}"
        )
    return Prices(*numbers)
