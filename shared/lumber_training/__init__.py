"""Training of BertChunker's classifier: items, recipes, the trainer, calibration and export."""
