"""Training of BertChunker's classifier.

`synthesis` makes training items from documents, `recipes` says which kinds and how many, `examples`
turns them into labelled windows, `training` runs the Hugging Face Trainer, `calibration` sets the
threshold on held-out documents, and `export` writes ONNX files that load without PyTorch.
"""
