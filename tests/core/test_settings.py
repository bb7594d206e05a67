import inspect
import re
import textwrap
from functools import partial
from typing import Any

import pytest

from lumber_core import BertChunker, GreedyChunker, LayoutChunker, LumberChunker
from tests.contracts.test_wrong_usage import FORMS


def judge_no_shift(group: Any) -> None:
    """A judge that sees no shift."""


MADE = [GreedyChunker(), BertChunker(), LayoutChunker(), LumberChunker(judge_no_shift)]
every_form = pytest.mark.parametrize(("core", "splitter", "parser"), FORMS.values(), ids=FORMS)
every_chunker = pytest.mark.parametrize("chunker", MADE, ids=lambda made: type(made).__name__)


def documented_arguments(kind: type) -> dict[str, str]:
    """Return the documentation of each argument on one line."""
    section = inspect.cleandoc(kind.__doc__ or "").split("Args:\n")[1].split("\n\n")[0]
    entries = re.split(r"^(\w+): ", textwrap.dedent(section), flags=re.MULTILINE)[1:]
    return {n: " ".join(doc.split()) for n, doc in zip(entries[::2], entries[1::2], strict=True)}


def in_core_words(text: str) -> str:
    return re.sub("TextSplitter|NodeParser", "Chunker", text)


@every_form
def test_adapters_have_the_settings_defaults_and_sentences_of_the_core(core, splitter, parser):
    documented, documented_there = documented_arguments(core), documented_arguments(splitter)
    parameters = inspect.signature(splitter).parameters
    for name, parameter in inspect.signature(core).parameters.items():
        if name == "judge":  # adapters have `llm` instead
            continue
        assert parameters[name].default == parameter.default, name
        assert parameters[name].annotation == parameter.annotation, name
        field = parser.model_fields[name]
        assert field.default == parameter.default, name
        assert in_core_words(documented_there[name]) == documented[name]
        assert in_core_words(" ".join(field.description.split())) == documented[name]


@every_form
def test_adapters_hand_settings_on_as_they_are(core: Any, splitter: Any, parser: Any) -> None:
    settings: dict[str, Any] = {"language": "de", "chunk_size": 77}
    judge, llm = ([judge_no_shift], {"llm": judge_no_shift}) if core is LumberChunker else ([], {})
    by_default, by_length = core(*judge, **settings), core(*judge, tokenizer=len, **settings)
    changed = parser(**llm, language="de").model_copy(update={"chunk_size": 77})
    for expected, given_chunker in (
        (by_default, splitter(**llm, chunk_overlap=3, **settings)),
        (by_length, splitter(**llm, length_function=len, **settings)),
        (by_default, parser(**llm, chunk_overlap=3, **settings)),
        (by_default, changed),
    ):
        assert repr(given_chunker.chunker) == repr(expected)
        assert given_chunker.chunker.identity == expected.identity


@every_chunker
def test_assigning_a_setting_of_a_splitter_raises(chunker: Any) -> None:
    with pytest.raises(AttributeError, match="chunk_size cannot be changed: make another"):
        chunker.chunk_size = 9


@every_chunker
def test_the_repr_shows_settings_that_change_the_result_and_no_others(chunker: Any) -> None:
    text = repr(chunker)
    assert "language='en'" in text
    for unseen in ("min_chunk_size", "threads", "max_concurrency", "store"):
        assert unseen not in text


@pytest.mark.parametrize(
    ("chunker", "sizes"),
    [
        (BertChunker(), {"chunk_size=256", "target_size=154"}),
        (BertChunker(target_size=90), {"chunk_size=150", "target_size=90"}),
        (GreedyChunker(chunk_size=128), {"chunk_size=128", "target_size=100"}),
        (GreedyChunker(chunk_size=None), {"target_size=400"}),
        (GreedyChunker(600), {"chunk_size=768", "target_size=600"}),
        (BertChunker(chunk_size=None), {"target_size=154"}),
        (BertChunker(chunk_size=None, target_size=90), {"target_size=90"}),
        (BertChunker(threshold=1.0, chunk_size=300), {"chunk_size=300"}),
        (BertChunker(threshold=1.0), set()),
        (LumberChunker(judge_no_shift), {"chunk_size=550"}),
    ],
    ids=lambda given: repr(sorted(given) if isinstance(given, set) else given),
)
def test_the_repr_shows_the_effective_sizes(chunker: Any, sizes: set[str]) -> None:
    assert set(re.findall(r"\w+_size=[0-9]+", repr(chunker))) == sizes


@pytest.mark.parametrize(
    "make", [GreedyChunker, BertChunker, partial(LumberChunker, judge_no_shift)]
)
def test_a_chunk_size_of_none_removes_the_limit_in_every_splitter(make: Any) -> None:
    assert make(chunk_size=None).chunk_size is None
    assert make(chunk_size=90).chunk_size == 90
    assert make().chunk_size == make(chunk_size="auto").chunk_size


@pytest.mark.parametrize("language", ["en", "de", "de-at", "de_AT", "pt-br", "zh_Hans", "yue"])
def test_language_codes_may_have_a_region(language: str) -> None:
    chunker = GreedyChunker(1, language=language, tokenizer="words")
    date = ["Er kam am 5. Mai. "] if language.startswith("de") else ["Er kam am 5. ", "Mai. "]
    assert chunker.split_text("Er kam am 5. Mai. Er ging.") == [*date, "Er ging."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (type("Document", (), {"page_content": "x"})(), "not Document; pass its page_content"),
        (type("Node", (), {"get_content": "x"})(), r"not Node; pass its get_content\(\)"),
    ],
)
def test_a_document_in_place_of_a_text_is_refused_with_advice(text: Any, message: str):
    chunker = LumberChunker(judge_no_shift)
    for call in (chunker.segment, lambda given: chunker.estimate([given]), chunker.estimate):
        with pytest.raises(TypeError, match=message):
            call(text)
