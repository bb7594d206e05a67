"""The splitters that are measured: each with its maker's defaults and the same limit.

The limit is 256 tokens of cl100k_base, or 1024 characters for those that count no tokens. Nothing
overlaps. Semantic splitters share one embedding model, the bundled all-MiniLM-L6-v2. Neural ones
have weights drawn at random, as no model hub is needed to measure speed; their classifier marks
about one token in 150, as a trained one would.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from benchmarks.suite.pieces import Piece, pieces_with
from benchmarks.suite.texts import KINDS

TOKENS, CHARACTERS = 256, 1024

Split = Callable[[str], object]
Pieces = Callable[[str], Sequence[Piece]]
Unit = Literal["tokens", "characters", "no limit"]


@dataclass(frozen=True)
class Contestant:
    """A splitter that is ready to run.

    Attributes:
        split: The call that gives chunks, which is timed.
        pieces: A call that gives chunks with offsets, where there are any.
    """

    split: Split
    pieces: Pieces


@dataclass(frozen=True)
class Entry:
    """A splitter as the benchmark lists it.

    Attributes:
        name: Its name in tables.
        package: The distribution it comes from.
        make: Makes it, importing what it needs.
        unit: What its limit counts.
        model: Whether it runs a neural model, which takes far longer.
        random: Whether the model's weights are random, so that only its speed means something.
    """

    name: str
    package: str
    make: Callable[[], Contestant]
    unit: Unit = "tokens"
    model: bool = False
    random: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of text to run it on."""
        return ("English",) if self.random else tuple(KINDS)


def limit_of(entry: Entry) -> tuple[Callable[[str], int], int] | None:
    """Return how to count a chunk and the most it may count; None if it has no limit."""
    if entry.unit == "characters":
        return len, CHARACTERS
    if entry.unit == "no limit":
        return None
    encode = encoding().encode_ordinary
    return lambda text: len(encode(text)), TOKENS


@cache
def encoding() -> Any:
    """Return cl100k_base, from the files of llama-index-core if tiktoken has no cache."""
    use_shipped_vocabulary()
    return import_module("tiktoken").get_encoding("cl100k_base")


def use_shipped_vocabulary() -> None:
    """Let tiktoken work without a network, whoever calls it."""
    package = find_spec("llama_index.core")
    if package is not None and package.origin and "TIKTOKEN_CACHE_DIR" not in os.environ:
        folder = Path(package.origin).parent / "_static" / "tiktoken_cache"
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def _langchain(module: str, name: str, *arguments: Any, **settings: Any) -> Contestant:
    splitter = getattr(import_module(module), name)(*arguments, **settings)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _recursive_by_tokens() -> Contestant:
    kind = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter
    splitter = kind.from_tiktoken_encoder("cl100k_base", chunk_size=TOKENS, chunk_overlap=0)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _langchain_semantic() -> Contestant:
    kind = import_module("langchain_experimental.text_splitter").SemanticChunker
    embeddings = import_module("langchain_lumber").LumberEmbeddings()
    splitter = kind(embeddings)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _llama_sentences() -> Contestant:
    kind = import_module("llama_index.core.node_parser").SentenceSplitter
    splitter = kind(chunk_size=TOKENS, chunk_overlap=0)
    return Contestant(splitter.split_text, pieces_with(splitter))


def _llama_semantic() -> Contestant:
    kind = import_module("llama_index.core.node_parser").SemanticSplitterNodeParser
    embedding = import_module("llamaindex_lumber").LumberEmbedding()
    split = pieces_with(kind.from_defaults(embed_model=embedding))
    return Contestant(split, split)


def _chonkie(name: str, **settings: Any) -> Contestant:
    splitter = getattr(import_module("chonkie"), name)(
        tokenizer=encoding(), chunk_size=TOKENS, **settings
    )
    return Contestant(splitter.chunk, pieces_with(splitter))


def _semchunk() -> Contestant:
    chunker = import_module("semchunk").chunkerify(encoding(), TOKENS)

    def pieces(text: str) -> list[Piece]:
        chunks, offsets = chunker(text, offsets=True)
        return [Piece(one, *at) for one, at in zip(chunks, offsets, strict=True)]

    return Contestant(chunker, pieces)


def _semantic_text_splitter() -> Contestant:
    kind = import_module("semantic_text_splitter").TextSplitter
    splitter = kind.from_tiktoken_model("gpt-4", TOKENS)

    def pieces(text: str) -> list[Piece]:
        return [Piece(one, at, at + len(one)) for at, one in splitter.chunk_indices(text)]

    return Contestant(splitter.chunks, pieces)


def _blazechunk(name: str) -> Contestant:
    splitter = getattr(import_module("blazechunk"), name)(chunk_size=CHARACTERS)

    def pieces(text: str) -> list[Piece]:
        """Turn the offsets, which are documented as those of UTF-8 bytes, into characters."""
        starts = [0, *accumulate(len(character.encode()) for character in text)]
        number = {byte: index for index, byte in enumerate(starts)}
        return [
            Piece(one.text, number.get(one.start_index), number.get(one.end_index))
            for one in splitter.chunk(text)
        ]

    return Contestant(splitter.chunk, pieces)


def _neural() -> Contestant:
    """Make chonkie's NeuralChunker with DistilBERT's shape (mirth/chonky_distilbert_base...)."""
    transformers = import_module("transformers")
    config = transformers.DistilBertConfig(num_labels=2, **_LABELS)
    model = _sparse(transformers.DistilBertForTokenClassification(config))
    tokenizer = _word_pieces(512)
    chunker = import_module("chonkie").NeuralChunker(model, tokenizer, "cpu", stride=256)
    return Contestant(chunker.chunk, pieces_with(chunker))


def _chonky() -> Contestant:
    """Make chonky's splitter with ModernBERT's shape (mirth/chonky_modernbert_base_1)."""
    transformers = import_module("transformers")
    tokenizer = _word_pieces(1024)
    config = transformers.ModernBertConfig(
        num_labels=2, vocab_size=len(tokenizer), **_LABELS, **_special_ids(tokenizer)
    )
    model = _sparse(transformers.ModernBertForTokenClassification(config))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        splitter = import_module("chonky").ParagraphSplitter(folder)

    def split(text: str) -> list[str]:
        return list(splitter(text))

    return Contestant(split, lambda text: [Piece(one, None, None) for one in split(text)])


def _sat() -> Contestant:
    """Make wtpsplit's SaT with the shape of sat-1l-sm, but BERT's vocabulary."""
    kind = import_module("wtpsplit").SaT  # first: it registers its configurations
    tokenizer = _word_pieces(512)
    config = import_module("wtpsplit.configs").SubwordXLMConfig(
        vocab_size=len(tokenizer),
        num_hidden_layers=1,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=1,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
    )
    model = import_module("wtpsplit.models").SubwordXLMForTokenClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        splitter = kind(folder, tokenizer_name_or_path=folder)
    sample = splitter.predict_proba(KINDS["English"](5_000, 0))
    # Random scores differ by little: one token in 30 is to end a sentence, as in English.
    threshold = float(sorted(sample)[-len(sample) // (5 * 30)])

    def split(text: str) -> list[str]:
        return list(splitter.split(text, threshold=threshold))

    return Contestant(split, lambda text: [Piece(one, None, None) for one in split(text)])


def _static_semantic() -> Contestant:
    """Make chonkie's SemanticChunker with static embeddings of potion-base-8M's shape."""
    tokenizer = import_module("tokenizers").Tokenizer.from_file(_TOKENIZER)
    numpy = import_module("numpy")
    shape = tokenizer.get_vocab_size(), 256
    vectors = numpy.random.default_rng(0).standard_normal(shape, dtype=numpy.float32)
    model = import_module("model2vec").StaticModel(vectors, tokenizer, normalize=True)
    embeddings = import_module("chonkie.embeddings").Model2VecEmbeddings(model)
    splitter = import_module("chonkie").SemanticChunker(embeddings, chunk_size=TOKENS)
    return Contestant(splitter.chunk, pieces_with(splitter))


_TOKENIZER = str(files("lumber_core.bert") / "bundled" / "tokenizer.json")
_LABELS: dict[str, Any] = {
    "id2label": {0: "O", 1: "separator"},
    "label2id": {"O": 0, "separator": 1},
}


def _word_pieces(longest: int) -> Any:
    """Return BERT's uncased tokenizer, as it comes with the bundled model."""
    return import_module("transformers").PreTrainedTokenizerFast(
        tokenizer_file=_TOKENIZER,
        model_max_length=longest,
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    )


def _special_ids(tokenizer: Any) -> dict[str, int]:
    return {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
        "cls_token_id": tokenizer.cls_token_id,
        "sep_token_id": tokenizer.sep_token_id,
    }


def _sparse(model: Any) -> Any:
    """Shift a random classifier's bias so that it marks about one token in 150."""
    torch = import_module("torch")
    model.eval()
    with torch.inference_mode():
        ids = torch.randint(1000, 30000, (1, 512), generator=torch.Generator().manual_seed(0))
        logits = model(ids, torch.ones_like(ids)).logits[0]
        highest = torch.quantile(logits[:, 1] - logits[:, 0], 1 - 1 / 150)
        model.classifier.bias.data[0] += highest
    return model


def _own(name: str, **settings: Any) -> Contestant:
    return _langchain("langchain_lumber", name, chunk_size=TOKENS, **settings)


LC, LI = "langchain-text-splitters", "llama-index-core"
OURS = "lumber-splitters"
BASE = "langchain Recursive, tokens"
MODEL2VEC, SAT = "chonkie Semantic, model2vec", "wtpsplit SaT"

ENTRIES: tuple[Entry, ...] = (
    Entry("greedy", OURS, lambda: _own("GreedyTextSplitter", tokenizer="cl100k_base")),
    Entry("greedy, default counter", OURS, lambda: _own("GreedyTextSplitter")),
    Entry("layout", OURS, lambda: _own("LayoutTextSplitter", tokenizer="cl100k_base")),
    Entry("layout, default counter", OURS, lambda: _own("LayoutTextSplitter")),
    Entry(BASE, LC, _recursive_by_tokens),
    Entry(
        "langchain Recursive, characters",
        LC,
        lambda: _langchain(
            "langchain_text_splitters",
            "RecursiveCharacterTextSplitter",
            chunk_size=CHARACTERS,
            chunk_overlap=0,
        ),
        unit="characters",
    ),
    Entry(
        "langchain Token",
        LC,
        lambda: _langchain(
            "langchain_text_splitters",
            "TokenTextSplitter",
            "cl100k_base",
            chunk_size=TOKENS,
            chunk_overlap=0,
        ),
    ),
    Entry("llama-index Sentence", LI, _llama_sentences),
    Entry("chonkie Token", "chonkie", lambda: _chonkie("TokenChunker")),
    Entry("chonkie Sentence", "chonkie", lambda: _chonkie("SentenceChunker")),
    Entry("chonkie Recursive", "chonkie", lambda: _chonkie("RecursiveChunker")),
    Entry("semchunk", "semchunk", _semchunk),
    Entry("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter),
    Entry(
        "blazechunk Recursive",
        "blazechunk",
        lambda: _blazechunk("RecursiveChunker"),
        unit="characters",
    ),
    Entry(
        "blazechunk Sentence",
        "blazechunk",
        lambda: _blazechunk("SentenceChunker"),
        unit="characters",
    ),
    Entry(MODEL2VEC, "chonkie", _static_semantic, unit="no limit", random=True),
    Entry("bert", OURS, lambda: _own("BertTextSplitter", tokenizer="cl100k_base"), model=True),
    Entry(
        "bert, large",
        OURS,
        lambda: _own("BertTextSplitter", model="large", tokenizer="cl100k_base"),
        model=True,
    ),
    Entry(
        "lumber, offline",
        OURS,
        lambda: _own("LumberTextSplitter", tokenizer="cl100k_base"),
        model=True,
    ),
    Entry(
        "langchain Semantic",
        "langchain-experimental",
        _langchain_semantic,
        unit="no limit",
        model=True,
    ),
    Entry("llama-index Semantic", LI, _llama_semantic, unit="no limit", model=True),
    Entry("chonkie Neural", "chonkie", _neural, unit="no limit", model=True, random=True),
    Entry(SAT, "wtpsplit", _sat, unit="no limit", model=True, random=True),
    Entry("chonky", "chonky", _chonky, unit="no limit", model=True, random=True),
)


def entry(name: str) -> Entry:
    """Return a splitter by its name."""
    return next(one for one in ENTRIES if one.name == name)
