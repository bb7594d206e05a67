import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from lumber_core import (
    BertChunker,
    BertJudge,
    CallPolicy,
    GreedyChunker,
    LumberChunker,
    ModelJudge,
    PromptTemplate,
)
from lumber_core.bert.model_folder import OWN_FOLDERS
from lumber_core.llms import OpenAIModel
from lumber_core.support.identity import NOT_COVERED, digest
from lumber_core.tokens import token_counter
from tests.alone import run_python
from tests.core.lumber.support import ScatteredModel, judge_by_hash
from tests.lexical_judge import LexicalJudge

KEY = "sk-do-not-tell"


def openai(model: str = "m", **settings: object) -> ModelJudge:
    return ModelJudge(OpenAIModel(model, api_key=KEY, **settings))


VARIANTS = {
    "greedy": lambda: GreedyChunker(100, tokenizer="words"),
    "greedy size": lambda: GreedyChunker(101, tokenizer="words"),
    "greedy tokenizer": lambda: GreedyChunker(100, tokenizer="cl100k_base"),
    "greedy function": lambda: GreedyChunker(100, tokenizer=len),
    "greedy units": lambda: GreedyChunker(100, tokenizer="words", units="paragraphs"),
    "greedy own units": lambda: GreedyChunker(100, tokenizer="words", units=one_unit),
    "greedy language": lambda: GreedyChunker(100, tokenizer="words", language="de"),
    "greedy limit": lambda: GreedyChunker(100, tokenizer="words", chunk_size=200),
    "greedy other limit": lambda: GreedyChunker(100, tokenizer="words", chunk_size=201),
    "greedy minimum": lambda: GreedyChunker(100, tokenizer="words", min_chunk_size=20),
    "bert": lambda: BertChunker(),
    "bert threshold": lambda: BertChunker(threshold=1e-9),
    "bert paper": lambda: BertChunker("large", paper=True),
    "bert judge": lambda: LumberChunker(BertJudge()),
    "theta": lambda: LumberChunker(BertJudge(), theta=551),
    "published": lambda: LumberChunker.as_published(BertJudge()),
    "lexical": lambda: LumberChunker(LexicalJudge()),
    "function": lambda: LumberChunker(judge_by_hash),
    "model": lambda: LumberChunker(ModelJudge(ScatteredModel())),
    "prompt": lambda: LumberChunker(ModelJudge(ScatteredModel(), PromptTemplate(system="x"))),
    "repeats": lambda: LumberChunker(ModelJudge(ScatteredModel(), policy=CallPolicy(repeats=2))),
    "on failure": lambda: LumberChunker(ModelJudge(ScatteredModel()), on_failure="keep_group"),
    "openai": lambda: LumberChunker(openai()),
    "openai name": lambda: LumberChunker(openai("n")),
    "openai server": lambda: LumberChunker(openai(base_url="http://127.0.0.1:1/v1")),
    "openai other server": lambda: LumberChunker(openai(base_url="http://127.0.0.1:2/v1")),
    "openai text": lambda: LumberChunker(openai(structured=False)),
    "openai limit": lambda: LumberChunker(openai(max_tokens=9)),
    "openai temperature": lambda: LumberChunker(openai(temperature=None)),
}


def one_unit(text: str) -> list[tuple[int, int]]:
    return [(0, len(text))]


def test_every_setting_that_changes_the_chunks_changes_the_identity() -> None:
    identities = {name: make().identity for name, make in VARIANTS.items()}
    assert len(set(identities.values())) == len(identities)


@pytest.mark.parametrize("name", VARIANTS)
def test_an_identity_is_stable_and_contains_no_secret_or_memory_address(name: str) -> None:
    identity = VARIANTS[name]().identity
    assert VARIANTS[name]().identity == identity
    assert KEY not in identity
    assert " at 0x" not in identity
    covered = name not in ("greedy function", "greedy own units", "function")
    assert (NOT_COVERED in identity) == (not covered)


def test_settings_without_effect_on_chunks_do_not_change_the_identity() -> None:
    judge = ModelJudge(ScatteredModel())
    identities = {
        LumberChunker(judge).identity,
        LumberChunker(judge, max_concurrency=8).identity,
        LumberChunker(ModelJudge(ScatteredModel(), policy=CallPolicy(attempts=1))).identity,
    }
    assert len(identities) == 1
    assert BertChunker(threads=1).identity == BertChunker().identity
    openai_keys = {openai().identity, ModelJudge(OpenAIModel("m", api_key="other")).identity}
    assert len(openai_keys) == 1


def test_a_store_and_pickling_do_not_change_the_identity(tmp_path: Path) -> None:
    judge = ModelJudge(ScatteredModel())
    stored = LumberChunker(judge, store=tmp_path / "answers.db")
    assert stored.identity == LumberChunker(judge).identity
    for chunker in (GreedyChunker(100), BertChunker(), LumberChunker(LexicalJudge())):
        assert pickle.loads(pickle.dumps(chunker)).identity == chunker.identity


def test_an_identity_is_the_same_in_another_process() -> None:
    code = (
        "from lumber_core import *\n"
        "made = GreedyChunker(100, tokenizer='cl100k_base')\n"
        "print(made.identity)\n"
        "print(LumberChunker(BertJudge()).identity)\n"
    )
    identities = [VARIANTS[name]().identity for name in ("greedy tokenizer", "bert judge")]
    assert run_python(code).stdout.splitlines() == identities


def test_a_users_subclass_has_a_different_and_marked_identity() -> None:
    class Mine(GreedyChunker):
        pass

    assert NOT_COVERED in Mine(100).identity
    assert Mine(100).identity != GreedyChunker(100).identity


def test_replaced_weights_change_the_identity(tmp_path: Path) -> None:
    folder = shutil.copytree(OWN_FOLDERS["bundled"], tmp_path / "model")
    before = BertChunker(str(folder)).identity, BertJudge(str(folder)).identity
    assert before == (BertChunker().identity, BertJudge().identity)  # depends on the content only
    weights = max(folder.glob("*.onnx"), key=lambda path: path.stat().st_size)
    raw = bytearray(weights.read_bytes())
    raw[len(raw) // 2] ^= 1
    weights.write_bytes(raw)
    after = BertChunker(str(folder)).identity, BertJudge(str(folder)).identity
    assert after[0] != before[0]
    assert after[1] != before[1]


def test_the_identity_of_a_tokenizer_depends_on_its_vocabulary() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    def counter(*words: str) -> Any:
        vocabulary = {word: number for number, word in enumerate(["[UNK]", *words])}
        tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        return token_counter(tokenizer)

    assert counter("a", "b").identity == counter("a", "b").identity
    assert counter("a", "b").identity != counter("a", "c").identity


def test_texts_with_equal_concatenations_have_different_digests() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", "")}) == 4
    assert digest("\ud83d") != digest("\ufffd")
