"""Small models with random weights: a checkpoint and its export."""

import re
import string
from pathlib import Path

import pytest

WORDS = re.findall(
    r"\w+",
    """
    the a of and to in was he she it that his her with as had for on at by an be is not
    this but from were which they one all would there their we him been has when who will
    more no if out so said what up its about into than them can only other new some could
    time these two may then do first any my now such like our over man me even most made
    after also did many ship sea sail storm harbour bread oven flour baker king queen
    crown castle star moon sky
    """,
)
CJK = "日本語中文字漢一二三人"


def vocabulary() -> list[str]:
    signs = [c for c in map(chr, range(33, 127)) if not c.isalnum()]
    letters = list(string.ascii_lowercase + string.digits)
    pieces = [f"##{letter}" for letter in letters]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return [*specials, *signs, *letters, *pieces, *(w for w in WORDS if len(w) > 1), *CJK]


def write_tokenizer(folder: Path) -> None:
    from tokenizers import BertWordPieceTokenizer

    words = {word: number for number, word in enumerate(vocabulary())}
    tokenizer = BertWordPieceTokenizer(vocab=words, lowercase=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_random_checkpoint(
    folder: Path, *, seed: int = 0, width: int = 32, layers: int = 2
) -> Path:
    """Write a BertChunker whose weights are random, but large enough that scores differ."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from lumber_core.bert.pytorch import ChunkTagger

    torch.set_num_threads(1)  # several threads are slower for models this small
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary()),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * width,
        max_position_embeddings=300,
    )
    model = ChunkTagger(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6)
        model.chunklayer.bias[1] -= 2
    model.save(folder)
    write_tokenizer(folder)
    return folder


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_checkpoint(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="session")
def exported(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx")
    from lumber_training.export import export

    folder = tmp_path_factory.mktemp("exported")
    export(checkpoint, output=folder, embedder=checkpoint)
    return folder


@pytest.fixture(scope="session")
def prose() -> list[str]:
    """Texts of the vocabulary's words, of many lengths, with sentences and paragraphs."""
    import random

    rng = random.Random(7)
    texts = []
    for number in range(120):
        sentences = []
        for _ in range(rng.randint(1, 8 if number % 4 else 120)):
            words = rng.choices(WORDS, k=rng.randint(3, 14))
            sentences.append(" ".join(words).capitalize() + rng.choice(".!?"))
        texts.append("".join(s + rng.choice([" ", " ", "\n", "\n\n"]) for s in sentences))
    return texts
