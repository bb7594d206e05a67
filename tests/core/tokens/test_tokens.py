import os
import pickle
import socket

import pytest
import requests
import tiktoken
import tokenizers
import transformers
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken import registry

from lumber_core import token_counter
from lumber_core.errors import TokenizerDataError
from lumber_core.tokens import (
    CallableCounter,
    HuggingFaceCounter,
    TiktokenCounter,
    TokenCounter,
    WordCounter,
)
from tests.core.core_support import nasty_texts, quick

SPECIAL = "<|endoftext|>"
ALL_SPECIAL = sorted(TiktokenCounter("cl100k_base").encoding.special_tokens_set)
VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "one", "two", "three", "##s", "[", "]", "CLS"]


def bert(**limits) -> tokenizers.Tokenizer:
    """A small WordPiece tokenizer, with all settings that must not affect counts."""
    vocabulary = {token: number for number, token in enumerate(VOCABULARY)}
    rust = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    rust.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    rust.add_special_tokens(["[CLS]", "[SEP]", "[PAD]"])
    rust.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    rust.enable_truncation(3)
    rust.enable_padding(length=8, pad_id=3, pad_token="[PAD]")
    return rust


def fast_bert() -> transformers.PreTrainedTokenizerFast:
    special_tokens = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad")}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bert(), model_max_length=3, **special_tokens
    )


def characters(text: str) -> int:
    return len(text)


class Letters(transformers.PreTrainedTokenizer):
    """A pure Python tokenizer ("slow" in transformers): each letter is a token."""

    def __init__(self) -> None:
        self._ids = {"[UNK]": 0, "[CLS]": 1, "a": 2, "b": 3}
        super().__init__(unk_token="[UNK]", cls_token="[CLS]", model_max_length=2)

    @property
    def vocab_size(self) -> int:
        return len(self._ids)

    def get_vocab(self) -> dict[str, int]:
        return dict(self._ids)

    def _tokenize(self, text, **options):
        return list(text)

    def _convert_token_to_id(self, token):
        return self._ids.get(token, 0)

    def _convert_id_to_token(self, index):
        return list(self._ids)[index]


# Functions that make each counter.
COUNTERS = {
    "words": lambda: "words",
    "estimate": lambda: "estimate",
    "encoding": lambda: "cl100k_base",
    "model": lambda: "gpt-4o",
    "Encoding": lambda: tiktoken.get_encoding("cl100k_base"),
    "tokenizers": bert,
    "transformers": fast_bert,
    "slow transformers": Letters,
    "callable": lambda: characters,
}


@pytest.fixture(params=COUNTERS.values(), ids=COUNTERS, scope="module")
def counter(request):
    return token_counter(request.param())


@given(texts=st.lists(nasty_texts, max_size=40))
@example(texts=["one two", "", SPECIAL, *["three"] * 20])
@example(texts=["a", *ALL_SPECIAL, *["b"] * 20, "c" + "".join(ALL_SPECIAL)])
@quick
def test_many_texts_count_as_they_do_one_by_one(counter, texts):
    assert counter.count(texts) == [counter.count([text])[0] for text in texts]


def test_every_counter_has_the_protocol_and_stays_itself(counter):
    assert isinstance(counter, TokenCounter)
    assert token_counter(counter) is counter
    assert counter.count([""]) == [0]


def test_every_counter_pickles_before_and_after_use(counter):
    texts = ["one two threes", SPECIAL, "[CLS] one", "\u4f60\u597d"]
    before = pickle.loads(pickle.dumps(counter))
    counts = counter.count(texts)
    after = pickle.loads(pickle.dumps(counter))
    assert before.count(texts) == after.count(texts) == counts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("words", "WordCounter()"),
        ("estimate", "EstimatedCounter()"),
        ("gpt-4o", "TiktokenCounter('o200k_base')"),
        (TiktokenCounter("o200k_base").encoding, "TiktokenCounter('o200k_base')"),
        (characters, "CallableCounter('characters')"),
    ],
)
def test_the_repr_of_a_counter_names_its_vocabulary_or_function(name, expected):
    assert repr(token_counter(name)) == expected


@pytest.mark.parametrize("name", ["cl100k", "gtp-4", "", "Words"])
def test_an_unknown_name_is_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=rf"unknown tokenizer '{name}'.*cl100k_base.*Hugging Face"):
        token_counter(name)


@pytest.mark.parametrize("special", ALL_SPECIAL)
@pytest.mark.parametrize("copies", [1, 40])
@pytest.mark.parametrize("kind", ["encoding", "Encoding"])
def test_text_that_spells_a_special_token_counts_as_text(kind, copies, special):
    counter = token_counter(COUNTERS[kind]())
    as_text = len(tiktoken.get_encoding("cl100k_base").encode_ordinary(special))
    assert as_text > 1
    assert counter.count([special] * copies) == [as_text] * copies


@pytest.fixture
def offline(monkeypatch):
    """Block downloads, and clear the encodings that tiktoken has loaded."""

    def refuse(*arguments, **options):
        raise requests.exceptions.ConnectionError("blocked by the test")

    monkeypatch.setattr(requests, "get", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)


@pytest.mark.parametrize("name", ["p50k_base", "r50k_base"])
def test_an_error_about_an_unavailable_vocabulary_names_alternatives(
    offline, monkeypatch, tmp_path, name
):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(TokenizerDataError) as caught:
        token_counter(name).count(["text"])
    for way_out in (name, "llama-index-core", "TIKTOKEN_CACHE_DIR", 'tokenizer="estimate"'):
        assert way_out in str(caught.value)


def test_naming_a_vocabulary_loads_nothing(offline, monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert repr(token_counter("p50k_base")) == "TiktokenCounter('p50k_base')"


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_vocabulary_in_llama_index_core_is_used_offline(offline, monkeypatch, name):
    assert token_counter(name).count(["hello world"]) == [2]
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


@pytest.mark.parametrize("make", [bert, fast_bert])
def test_hugging_face_counts_without_special_tokens_truncation_or_padding(make):
    counter = token_counter(make())
    assert isinstance(counter, HuggingFaceCounter)
    assert counter.count(["one two three one two threes", "one", "[CLS]", ""]) == [7, 1, 3, 0]


@pytest.mark.parametrize("make", [bert, fast_bert])
def test_a_hugging_face_tokenizer_is_left_as_it_was(make):
    def state():
        read = tokenizer.encode("one two three [SEP]")
        return rust.to_str(), rust.encode_special_tokens, getattr(read, "ids", read)

    tokenizer = make()
    rust = getattr(tokenizer, "backend_tokenizer", tokenizer)
    before = state()
    token_counter(tokenizer).count(["one two three [SEP]"] * 3)
    assert state() == before


def test_a_slow_tokenizer_counts_without_special_tokens_or_truncation():
    assert token_counter(Letters()).count(["abab", "a[CLS]", ""]) == [4, 6, 0]


@pytest.mark.parametrize(("words", "tokens"), [(0, 0), (1, 1), (3, 4), (5, 6), (12, 14), (13, 16)])
def test_words_count_as_the_rounded_1_2_of_them(words, tokens):
    assert WordCounter().count([" ".join(["word"] * words)]) == [tokens]


def test_a_function_counts_each_text_once():
    seen = []
    counter = token_counter(lambda text: seen.append(text) or len(text))
    assert isinstance(counter, CallableCounter)
    assert counter.count(["ab", "c", "c"]) == [2, 1, 1]
    assert seen == ["ab", "c", "c"]


@pytest.mark.parametrize("spec", [None, 5, ["words"], b"words", WordCounter, tiktoken.Encoding])
def test_an_object_that_cannot_count_is_refused_with_advice(spec):
    with pytest.raises(TypeError, match=r'be "estimate", "even", "words".*function from a string'):
        token_counter(spec)


@pytest.mark.parametrize("returned", [None, [1, 2], "3", 2.5])
def test_an_error_names_a_function_that_does_not_return_an_integer(returned):
    def encode(text):
        return returned

    with pytest.raises(TypeError, match=r"encode.* whole number"):
        token_counter(encode).count(["text"])


@pytest.mark.parametrize(
    ("name", "blank"), [("cl100k_base", " "), ("o200k_base", "\t"), ("o200k_base", "\u3000")]
)
def test_a_million_blanks_are_counted_without_a_panic_in_tiktoken(name, blank):
    text = "before" + blank * (1_000_000 // len(blank)) + "after"
    parts = [blank * 1000] * (len(text) // (1000 * len(blank)))
    (count,) = token_counter(name).count([text])
    assert count == pytest.approx(sum(token_counter(name).count(parts)), rel=0.2)
    assert token_counter(name).count(["a"] * 20 + [text])[-1] == count


def tokenizer_that_drops() -> tokenizers.Tokenizer:
    """A tokenizer that, as BERT's, drops zero-width characters and gives odd words one token."""
    rust = bert()
    rust.normalizer = tokenizers.normalizers.BertNormalizer()
    rust.no_truncation()
    rust.no_padding()
    return rust


@pytest.mark.parametrize("text", ["\u200b" * 1000, "x7Q" * 1000], ids=["spaces", "word"])
def test_text_that_a_hugging_face_tokenizer_drops_still_counts_with_its_length(text):
    assert len(tokenizer_that_drops().encode(text, add_special_tokens=False).ids) <= 1
    once, twice = token_counter(tokenizer_that_drops()).count([text, text * 2])
    assert once >= 100
    assert twice == pytest.approx(2 * once, rel=0.05)
