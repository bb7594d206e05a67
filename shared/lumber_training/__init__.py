"""Training of BertChunker's classifier, as in the paper.

`training_data` reads texts as lists of segments. `synthesis` joins the first sentences of segments
into items with known starts, and `labelled_windows` turns items into labelled windows of tokens.
`bases` creates the classifier that `training` trains with the Trainer of transformers. `export`
writes ONNX files that load without PyTorch (`graph`, `graph_builder`, `quantisation`).
`python -m lumber_training` trains and exports.
"""
