"""BertChunker: a token classifier marks the tokens that start a chunk.

`chunker` is the splitter. A text becomes tokens (`tokenizer`), read in `windows`, of which a model
(`onnx`, `pytorch`) scores the tokens; `scores` makes scores of places of them, and cuts.
`model_folder` and `loading` find, check and load a model. `embedder` is the sentence encoder.
"""

from lumber_core.bert.chunker import BertChunker
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.scores import TokenScores

__all__ = [
    "BertChunker",
    "TextEmbedder",
    "TokenScores",
]
