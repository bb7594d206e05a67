"""Settings are declared once: signatures, documentation, checks and errors follow from them."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import re
from dataclasses import FrozenInstanceError, field
from functools import partial
from typing import Annotated, Any

import pytest

from lumber_core import BertChunker, GreedyChunker, LayoutChunker, LumberChunker
from lumber_core.bert.settings import BertSettings
from lumber_core.chunking.greedy import GreedySettings
from lumber_core.chunking.layout import LayoutSettings
from lumber_core.chunking.settings import ChunkerSettings
from lumber_core.lumber.settings import LumberChunkerSettings
from lumber_core.settings import (
    Setting,
    Settings,
    fields_of,
    from_settings,
    one_of,
    setting_of,
    settings_taken,
    share,
    takes,
)


def never(group: Any) -> None:
    """A judge that sees no shift."""


CHUNKERS = {
    GreedyChunker: GreedySettings,
    BertChunker: BertSettings,
    LayoutChunker: LayoutSettings,
    LumberChunker: LumberChunkerSettings,
}
MADE = [GreedyChunker(), BertChunker(), LayoutChunker(), LumberChunker(never)]
every_chunker = pytest.mark.parametrize(("chunker", "settings"), CHUNKERS.items())


@every_chunker
def test_help_documents_every_setting_once(chunker, settings):
    shown = pydoc.plain(pydoc.render_doc(chunker))
    flat = " ".join(shown.replace("|", " ").split())
    assert flat.count("Args:") >= 1
    for entry in fields_of(settings):
        assert flat.count(setting_of(entry).doc) == 1, entry.name
        assert f"{entry.name}: {setting_of(entry).doc}" in flat
    assert flat.index("Args:") < flat.index("Raises:")


@pytest.mark.parametrize("chunker", MADE, ids=lambda made: type(made).__name__)
def test_settings_cannot_be_changed_in_silence(chunker):
    with pytest.raises(FrozenInstanceError):
        chunker.settings.chunk_size = 9
    with pytest.raises(AttributeError):
        chunker.settings = ChunkerSettings()


@pytest.mark.parametrize("chunker", MADE, ids=lambda made: type(made).__name__)
def test_the_repr_shows_settings_that_change_the_result_and_no_others(chunker):
    shown = repr(chunker)
    assert "language='en'" in shown
    for unseen in ("min_chunk_size", "threads", "max_concurrency", "store"):
        assert unseen not in shown


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
        (LumberChunker(never), set()),
    ],
    ids=lambda given: repr(sorted(given) if isinstance(given, set) else given),
)
def test_the_repr_shows_the_sizes_that_hold(chunker, sizes):
    assert set(re.findall(r"\w+_size=[0-9]+", repr(chunker))) == sizes


@pytest.mark.parametrize("make", [GreedyChunker, BertChunker, partial(LumberChunker, never)])
def test_a_chunk_size_of_none_is_no_limit_in_every_splitter(make):
    assert make(chunk_size=None).chunk_size is None
    assert make(chunk_size=90).chunk_size == 90
    assert make().chunk_size == make(chunk_size="auto").chunk_size
    with pytest.raises(
        TypeError, match='must be a whole number, not str: pass a number, "auto", or'
    ):
        make(chunk_size="none")


@every_chunker
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"chunk_sise": 5}, "has no setting 'chunk_sise': did you mean 'chunk_size'"),
        ({"min_chunksize": 5}, "did you mean 'min_chunk_size'"),
        ({"zzz": 5}, r"has no setting 'zzz': its settings are .*chunk_size"),
    ],
)
def test_unknown_settings_are_refused_with_the_nearest_name(chunker, settings, given, message):
    with pytest.raises(TypeError, match=f"{chunker.__name__} {message}|{message}"):
        chunker(**given)


def test_a_missing_or_a_superfluous_argument_names_the_class():
    with pytest.raises(TypeError, match=r"^LumberChunker: missing a required argument: 'judge'$"):
        LumberChunker()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="GreedyChunker: too many positional arguments; name"):
        GreedyChunker(1, 2)  # type: ignore[call-arg]


def test_a_size_that_is_given_by_position_is_told_its_name():
    with pytest.raises(TypeError, match="not 200; a size is named: target_size=200"):
        BertChunker(200)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("english", "not 'english'"),
        ("klingon", "must be an ISO 639 code"),
        ("", "must be an ISO 639 code"),
        (None, "must be an ISO 639 code"),
    ],
)
def test_a_language_is_a_code_and_not_a_name(language, message):
    with pytest.raises(ValueError, match=message):
        GreedyChunker(language=language)


@pytest.mark.parametrize("language", ["en", "de", "pt-br", "zh_Hans", "yue"])
def test_codes_with_and_without_a_region_are_taken(language):
    assert GreedyChunker(language=language, tokenizer="words").split_text("A. B.")


def test_settings_of_ones_own_get_signature_documentation_and_checks():
    class OwnSettings(Settings):
        elsewhere = {"colour": "use shade"}  # noqa: RUF012 - as adapters do

        shade: Annotated[str, Setting("Light or dark.", one_of("light", "dark"))] = field(
            default="light", kw_only=False
        )
        depth: Annotated[float, Setting("How deep.", share, changes_result=False)] = 0.5

    class Own:
        """Has a shade.

        Raises:
            ValueError: It is neither.
        """

        @takes(OwnSettings)
        def __init__(self, settings: OwnSettings) -> None:
            self.settings = settings

    assert str(inspect.signature(Own)).startswith("(shade: str = 'light', *, depth: float = 0.5)")
    assert inspect.getdoc(Own) == (
        "Has a shade.\n\nArgs:\n    shade: Light or dark. Default: 'light'.\n"
        "    depth: How deep. Default: 0.5.\n\nRaises:\n    ValueError: It is neither."
    )
    assert repr(Own("dark").settings).endswith("OwnSettings(shade='dark')")
    with pytest.raises(ValueError, match='shade must be "light" or "dark", not \'grey\''):
        Own("grey")
    with pytest.raises(ValueError, match="depth must be a share from 0 to 1, not 2"):
        Own(depth=2)
    with pytest.raises(TypeError, match="Own has no setting 'colour': use shade"):
        Own(colour="red")  # type: ignore[call-arg]


def test_a_setting_without_documentation_is_refused_when_its_class_is_made():
    with pytest.raises(TypeError, match="the setting size must be annotated"):

        class Bare(Settings):
            size: int = 3


def test_tokens_are_left_free_for_an_overlap():
    text = "one two three. " * 300
    greedy = GreedyChunker(tokenizer=len, chunk_size=100)
    found = greedy.segment(text, overlap=60)
    assert max(end - start for start, end in found.spans) == 30
    with pytest.raises(ValueError, match="100 tokens cannot be reserved"):
        greedy.segment(text, overlap=100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (type("Document", (), {"page_content": "x"})(), "not Document; pass its page_content"),
        (type("Node", (), {"get_content": "x"})(), r"not Node; pass its get_content\(\)"),
    ],
)
def test_a_document_in_place_of_a_text_is_told_how_to_pass_it(text, message):
    chunker = LumberChunker(never)
    for call in (chunker.segment, lambda given: chunker.estimate([given]), chunker.estimate):
        with pytest.raises(TypeError, match=message):
            call(text)


def test_a_splitter_of_ready_settings_is_that_of_their_values():
    class Extended(BertSettings):
        more: Annotated[int, Setting("Of a framework.")] = 3

    settings = Extended(chunk_size=90, language="de")
    made = from_settings(BertChunker, settings)
    assert made.settings is settings
    same = BertChunker(chunk_size=90, language="de")
    assert repr(made) == repr(same)
    assert made.identity == same.identity
    assert pickle.loads(pickle.dumps(same)).identity == same.identity


@pytest.mark.parametrize("judge", ["sk-a-key", b"sk-a-key", ["sk-a-key"], {"key": "sk-a-key"}])
def test_what_cannot_judge_is_not_shown_as_it_may_be_a_key(judge):
    with pytest.raises(TypeError, match=f"got {type(judge).__name__}") as error:
        LumberChunker(judge)
    assert "sk-a-key" not in str(error.value)


def test_a_models_name_in_place_of_a_judge_is_told_what_to_pass():
    with pytest.raises(TypeError, match=r"pass a model, such as lumber_core\.llms\.OpenAIModel"):
        LumberChunker("gpt-4o")


def test_a_class_tells_which_settings_its_constructor_takes() -> None:
    assert settings_taken(GreedyChunker) is GreedySettings
    with pytest.raises(TypeError, match="dict is not decorated with takes"):
        settings_taken(dict)
