import inspect
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import langchain_lumber as langchain
import llamaindex_lumber as llamaindex
from lumber_core import BertChunker, GreedyChunker, LayoutChunker, LumberChunker
from tests.lexical_judge import LexicalJudge

JUDGE = LexicalJudge()
FORMS: dict[str, tuple[Any, Any, Any]] = {
    "bert": (BertChunker, langchain.BertTextSplitter, llamaindex.BertNodeParser),
    "greedy": (GreedyChunker, langchain.GreedyTextSplitter, llamaindex.GreedyNodeParser),
    "layout": (LayoutChunker, langchain.LayoutTextSplitter, llamaindex.LayoutNodeParser),
    "lumber": (LumberChunker, langchain.LumberTextSplitter, llamaindex.LumberNodeParser),
}
TEXT_SPLITTERS = [forms[1] for forms in FORMS.values()]
NODE_PARSERS = [forms[2] for forms in FORMS.values()]


def make(form: Any, **options: Any) -> Any:
    """Make a splitter, with a judge if it needs one."""
    needed = "judge" in inspect.signature(form).parameters and "judge" not in options
    return form(**({"judge": JUDGE} if needed else {}), **options)


AS_PUBLISHED = {"model": "large", "paper": True}
EVERY, SIZED = [*FORMS], ["bert", "greedy", "layout"]
ABOVE = r"target_size \(600\) must not be above chunk_size \(512\), .*leave it out, as it follows"
WRONG: list[tuple[list[str], dict[str, Any], type[Exception], str]] = [
    (EVERY, {"chunk_size": 0}, ValueError, "chunk_size must be at least 1, not 0"),
    (EVERY, {"chunk_size": -3}, ValueError, "chunk_size must be at least 1, not -3"),
    (EVERY, {"chunk_size": "nine"}, TypeError, 'be a whole number, not str: pass a number, "auto"'),
    (EVERY, {"chunk_size": "9"}, TypeError, 'be a whole number, not str: pass a number, "auto"'),
    (EVERY, {"min_chunk_size": "9"}, TypeError, "min_chunk_size must be a whole number, not str"),
    (EVERY, {"min_chunk_size": 600}, ValueError, r"\(600\) must not be above chunk_size \(\d+\): "),
    (EVERY, {"chunk_size": 10, "min_chunk_size": 11}, ValueError, r"\(11\) must not be above .*10"),
    (EVERY, {"tokenizer": "cl1000k"}, ValueError, "unknown tokenizer 'cl1000k'"),
    (EVERY, {"tokenizer": None}, TypeError, "tokenizer must be"),
    (EVERY, {"units": "chapters"}, ValueError, "units must be \"paragraphs\".*'chapters'"),
    (EVERY, {"units": 3}, TypeError, "units must be"),
    *(
        (EVERY, {"language": wrong}, ValueError, f"be an ISO 639 code such as .*, not {wrong!r}")
        for wrong in ("english", "klingon", "", None)
    ),
    (SIZED, {"target_size": 0}, ValueError, "target_size must be at least 1, not 0"),
    (SIZED, {"target_size": 600, "chunk_size": 512}, ValueError, ABOVE),
    (["bert"], {"model": 3}, TypeError, "model must be"),
    (["bert"], {"model": "nowhere"}, ValueError, "folder or a Hugging Face ID .* not 'nowhere'"),
    (["bert"], {"threshold": "low"}, TypeError, "threshold must be a number"),
    (["bert"], {"device": "gpu"}, ValueError, '"cpu" or "cuda"'),
    (["bert"], {"threads": 0}, ValueError, "threads must be at least 1"),
    (["bert"], {"paper": True}, ValueError, r"scores places.*paper=False"),
    (["bert"], {"target_size": 90, "threshold": 0.0}, ValueError, "leave out target_size"),
    (["bert"], {**AS_PUBLISHED, "target_size": 9}, ValueError, "leave out target_size"),
    (["bert"], {**AS_PUBLISHED, "units": "markdown"}, ValueError, "pass units or paper, not both"),
    (["lumber"], {"theta": 0}, ValueError, "theta must be at least 1, not 0"),
    (["lumber"], {"theta": "many"}, TypeError, "theta must be a whole number, not str"),
    (["lumber"], {"theta": 55.5}, TypeError, "theta must be a whole number, not float"),
    (["lumber"], {"max_concurrency": 0}, ValueError, "max_concurrency must be at least 1"),
    (["lumber"], {"on_failure": "ignore"}, ValueError, "on_failure must be"),
    (["lumber"], {"method": "articles"}, ValueError, '"paper" or "window"'),
]


def rows() -> Iterator[Any]:
    for names, options, error, message in WRONG:
        for name in names:
            for form in FORMS[name]:
                settings_text = ",".join(f"{key}={value}" for key, value in options.items())
                yield pytest.param(
                    form, options, error, message, id=f"{form.__name__}-{settings_text}"
                )


@pytest.mark.parametrize(("form", "options", "error", "message"), [*rows()])
def test_a_wrong_setting_is_refused_by_name(form, options, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        make(form, **options)
    # LlamaIndex makes parsers with pydantic, whose own error would show the values.
    assert "validation error" not in "".join(traceback.format_exception(caught.value))
    if form in NODE_PARSERS and len(options) == 1:
        parser = make(form)
        before, before_repr = parser.to_dict(), repr(parser.chunker)
        with pytest.raises(error, match=message):
            setattr(parser, *next(iter(options.items())))
        assert parser.to_dict() == before
        assert repr(parser.chunker) == before_repr


OVERLAPS = [
    ({"chunk_overlap": -1}, "chunk_overlap must be at least 0"),
    ({"chunk_overlap": 50, "chunk_size": 50}, r"\(50\) must be below chunk_size \(50\)"),
    ({"chunk_overlap": 5_000}, r"chunk_overlap \(5000\) must be below chunk_size \(\d+\)"),
]


@pytest.mark.parametrize("form", [*TEXT_SPLITTERS, *NODE_PARSERS])
@pytest.mark.parametrize(("options", "message"), OVERLAPS)
def test_an_overlap_leaves_room_for_the_chunk(form: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(form, **options)


@pytest.mark.parametrize("make", [langchain.LayoutTextSplitter, llamaindex.LayoutNodeParser])
def test_an_overlap_of_most_of_a_chunk_causes_one_warning(make: Any, caplog: Any) -> None:
    for form in (*FORMS["greedy"][1:], *FORMS["lumber"][1:]):
        form(chunk_overlap=200)
    make(chunk_overlap=60)
    assert caplog.records == []
    splitter = make(chunk_overlap=200)
    for text in ("One. Two. " * 300, "Three. " * 90):
        splitter.split_text(text)
    (record,) = caplog.records
    assert "chunk_overlap=200 of chunk_size=256: only about 33 tokens" in record.getMessage()


@pytest.mark.parametrize("core", [forms[0] for forms in FORMS.values()])
def test_unknown_and_positional_settings_are_refused(core: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'targt_size'"):
        make(core, targt_size=6)
    with pytest.raises(TypeError, match="positional argument"):
        core("bundled" if core is BertChunker else JUDGE if core is LumberChunker else 4, 550)


SETTINGS_BY_NAME = [
    *NODE_PARSERS,
    *(langchain.PassageJoiner, langchain.PassageRetriever),
    *(llamaindex.PassageJoiner, llamaindex.LumberEmbedding),
]


@pytest.mark.parametrize("form", SETTINGS_BY_NAME)
def test_a_positional_setting_is_refused(form: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{form.__name__} takes its settings by name"):
        form(200)


@pytest.mark.parametrize("position", [BertChunker, langchain.BertTextSplitter])
def test_a_positional_size_is_refused_with_its_name(
    position: Callable[..., Any],
) -> None:
    with pytest.raises(TypeError, match="pass a size by name: target_size=200"):
        position(200)


UNKNOWN = [
    *[(TEXT_SPLITTERS, name, "with the setting units") for name in ("separators", "separator")],
    (TEXT_SPLITTERS, "is_separator_regex", "with the setting units"),
    (TEXT_SPLITTERS, "keep_separator", "nothing is removed"),
    (TEXT_SPLITTERS, "embeddings", "needs no embeddings"),
    (TEXT_SPLITTERS, "breakpoint_threshold_type", "threshold"),
    (TEXT_SPLITTERS, "encoding_name", "from_tiktoken_encoder"),
    ([langchain.LumberTextSplitter], "model", "as llm"),
    (TEXT_SPLITTERS, "chunk_overlp", "did you mean 'chunk_overlap'"),
    *[(NODE_PARSERS, name, "the setting units") for name in ("separator", "backup_separators")],
    (NODE_PARSERS, "paragraph_separator", "paragraphs"),
    (NODE_PARSERS, "secondary_chunking_regex", "sentences"),
    (NODE_PARSERS, "embed_model", "needs no embeddings"),
    (NODE_PARSERS, "breakpoint_percentile_threshold", "threshold"),
    (NODE_PARSERS, "chunk_ovrlap", "did you mean 'chunk_overlap'"),
    (NODE_PARSERS, "foo", "its settings are include_metadata"),
    ([*TEXT_SPLITTERS, *NODE_PARSERS], "buffer_size", "threshold"),
]


@pytest.mark.parametrize(("forms", "name", "instead"), UNKNOWN, ids=lambda given: str(given)[:30])
def test_the_error_about_a_setting_that_does_not_apply_names_the_right_one(
    forms, name, instead
) -> None:
    for form in forms:
        message = f"{form.__name__} has no setting '{name}': .*{instead}"
        with pytest.raises(TypeError, match=message):
            form(**{name: 1})
        if form in NODE_PARSERS:
            with pytest.raises(TypeError, match=message):
                form.from_defaults(**{name: 1})
            with pytest.raises(TypeError, match=message):
                form.from_dict({**form().to_dict(), name: 1})


@pytest.mark.parametrize("wrong", ["sk-a-key", b"sk-a-key", ["sk-a-key"], {"key": "sk-a-key"}])
def test_a_wrong_judge_is_not_shown_because_it_may_be_a_key(wrong: Any) -> None:
    kind = type(wrong).__name__
    for form, name in zip(FORMS["lumber"], ("judge", "llm", "llm"), strict=True):
        with pytest.raises(TypeError, match=rf"(got|not) {kind}") as caught:
            form(**{name: wrong})
        assert "sk-a-key" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(TypeError, match=r"pass a model, such as lumber_core\.llms\.OpenAIModel"):
        LumberChunker("gpt-4o")
    with pytest.raises(TypeError, match="a judge must be"):
        LumberChunker(None)


BOTH = (langchain, llamaindex)
MEANT: list[tuple[tuple[Any, ...], str, str, str]] = [
    ((langchain,), "PassageRetriever", "embedding", "use embeddings"),
    ((langchain,), "PassageRetriever", "embed_model", "use embeddings"),
    ((langchain,), "PassageRetriever", "top_k", "use k"),
    ((langchain,), "PassageRetriever", "chunk_size", "set it in splitter"),
    ((langchain,), "PassageRetriever", "node_parser", "use splitter"),
    ((langchain,), "PassageRetriever", "persist_directory", "use path"),
    ((langchain,), "PassageRetriever", "nonsense", "its settings are .*splitter"),
    ((llamaindex,), "PassageRetriever", "embeddings", "use embed_model"),
    ((llamaindex,), "PassageRetriever", "similarity_top_k", "use k"),
    ((llamaindex,), "PassageRetriever", "chunk_size", "set it in node_parser"),
    ((llamaindex,), "PassageRetriever", "splitter", "use node_parser"),
    ((llamaindex,), "PassageRetriever", "ids", 'use "source" in the metadata of documents'),
    ((llamaindex,), "ContextEmbedding", "embeddings", "use embed_model"),
    ((llamaindex,), "LumberEmbedding", "model", "use model_name"),
    ((llamaindex,), "LumberEmbedding", "thread", "did you mean 'threads'"),
    (BOTH, "PassageRetriever", "search_kwargs", "use k"),
    (BOTH, "PassageRetriever", "bugdet", "did you mean 'budget'"),
    (BOTH, "PassageJoiner", "top_n", "use budget"),
    (BOTH, "PassageJoiner", "reranks", "did you mean 'rerank'"),
]
OF_OTHER_TYPES: list[tuple[str, dict[str, Any]]] = [
    *(("PassageRetriever", wrong) for wrong in ({"budget": "9"}, {"k": 2.5}, {"keywords": "no"})),
    *(("PassageRetriever", wrong) for wrong in ({"path": 5}, {"min_similarity": "a"})),
    *(("PassageJoiner", wrong) for wrong in ({"rerank": "no"}, {"max_gap": "1"})),
    ("PassageRetriever", {"context": 3}),
]


def required_settings(kind: str) -> dict[str, Any]:
    return {"texts": {}} if kind == "PassageJoiner" else {}


@pytest.mark.parametrize(("frameworks", "kind", "name", "hint"), MEANT)
def test_an_error_about_an_unknown_setting_suggests_the_nearest(
    frameworks, kind, name, hint
) -> None:
    for framework in frameworks:
        with pytest.raises(TypeError, match=f"^{kind} has no setting '{name}': {hint}"):
            getattr(framework, kind)(**required_settings(kind), **{name: 3})


@pytest.mark.parametrize("framework", BOTH)
@pytest.mark.parametrize(("kind", "wrong"), OF_OTHER_TYPES)
def test_a_setting_of_another_type_is_a_type_error(framework, kind, wrong) -> None:
    with pytest.raises(TypeError, match="must be"):
        getattr(framework, kind)(**required_settings(kind), **wrong)
