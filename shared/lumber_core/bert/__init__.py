"""BertChunker: a token classifier marks the tokens that start a chunk.

`chunker` is the splitter and `embedder` the sentence encoder. `scores` computes the score of every
token, from `windows` over the tokens of `tokenizer`. `model_folder` and `loading` find, check and
load the weights; `onnx` and `pytorch` run them.
"""

from lumber_core.bert.chunker import BertChunker
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.scores import TokenScores

__all__ = ["BertChunker", "TextEmbedder", "TokenScores"]
