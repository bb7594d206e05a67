"""BertChunker: a token classifier marks the tokens that start a chunk.

`bert_chunker` is the splitter. A `normalizer` and a `tokenizer` turn a text into tokens. A model
(`onnx`, `pytorch`) scores the tokens in a `moving_window`, and `scores` turns their scores into
scores of places and into cuts. `model_folder` and `loading` find, check and load a model.
`embedder` is the sentence encoder.
"""

from lumber_core.bert.bert_chunker import BertChunker
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.scores import TokenScores

__all__ = ["BertChunker", "TextEmbedder", "TokenScores"]
