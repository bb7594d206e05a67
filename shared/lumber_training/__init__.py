"""Training of BertChunker's classifier, as in the paper.

`training_data` reads texts as lists of passages, `synthesis` joins the first sentences of passages
into items whose starts are known, `labelled_windows` turns items into labelled windows of tokens,
`bases` makes the classifier that `training` trains with the Trainer of transformers, and `export`
writes ONNX files that load without PyTorch (`graph`, `quantisation`). `python -m lumber_training`
does both.
"""
